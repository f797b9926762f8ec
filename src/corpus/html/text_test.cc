#include "corpus/html/text.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "corpus/formats/charset.h"
#include "refrain/context.h"
#include "refrain/error.h"

namespace refrain::html {
namespace {

class Html : public testing::Test {
 protected:
  std::string text_of(std::string_view html) {
    Array<char> text(budget_, "test");
    html_.read(
        html, [this](std::size_t bytes) { most_ = std::max(most_, bytes); }, text);
    return {text.data(), text.size()};
  }

  std::string main_of(std::string_view html) {
    Array<char> text(budget_, "test");
    html_.read_main(
        html, [](std::size_t) {}, text);
    return {text.data(), text.size()};
  }
  bool is_navigation(std::string_view html) {
    Array<char> text(budget_, "test");
    return !html_.read_main(
        html, [](std::size_t) {}, text);
  }

  std::string utf8_of(std::string_view bytes, const std::string& charset) {
    Array<char> out(budget_, "test");
    std::uint64_t replaced = 0;
    return converter_.to_utf8(
               bytes, charset, [](std::size_t) {}, out, replaced)
               ? std::string(out.data(), out.size())
               : "unknown";
  }

  Context context_ = [] {
    Context context;
    context.memory_bytes = std::uint64_t{512} << 20;
    return context;
  }();
  MemoryBudget budget_{context_};
  HtmlText html_{budget_};
  corpus::CharsetConverter converter_;
  std::size_t most_ = 0;
};

std::string repeated(std::string_view part, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

// A page of at least `bytes`, made of numbered parts.
std::string numbered(std::size_t bytes, const std::function<std::string(const std::string&)>& part) {
  std::string all;
  for (std::size_t i = 0; all.size() < bytes; ++i) all += part(std::to_string(i));
  return all;
}

// The time of this thread, which other load on the machine does not affect.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

TEST_F(Html, ContentIsWhatDoesNotSayThatItIsSomethingElse) {
  const std::string words = "one two three four five six";
  const auto page = [&](const std::string& before) { return "<title>T</title>" + before + "<p>" + words; };
  const std::string expected = "T\n" + words;
  for (const char* part :
       {"<nav>x</nav>", "<header>x</header>", "<footer>x</footer>", "<aside>x</aside>", "<div id=header>x</div>",
        "<div class='t-navbar'>x</div>", "<div class=sphinxsidebar>x</div>", "<ul class=\"Breadcrumbs big\">x</ul>",
        "<table class=navheader><tr><td>x</table>", "<div role=navigation>x</div>", "<select><option>x</select>",
        "<div class=topNav>x</div>", "<table><tr><td class=sidebar>x</table>", "<div id=side_menu>x</div>"})
    EXPECT_EQ(main_of(page(part)), expected) << part;
  // Not boilerplate: the words have another meaning there, or are not whole words.
  for (const char* part : {"<div class=has-sidebar>x</div>", "<div class=navy>x</div>", "<span class=nav>x</span>",
                           "<div class=content>x</div>", "<article><header>x</header></article>",
                           "<div class=no-footer>x</div>", "<div class=header>x</div>"})
    EXPECT_NE(main_of(page(part)).find('x'), std::string::npos) << part;
  EXPECT_EQ(main_of("<body class=sidebar>" + words), words);
  EXPECT_NE(main_of(page("<div class='content-sidebar-wrap'>x</div>")).find('x'), std::string::npos);
}

TEST_F(Html, MainIsWhatSaysSo) {
  const std::string words = "one two three four five six";
  EXPECT_EQ(main_of("<div>x</div><main><nav>n</nav><p>" + words + "</main><div>y</div>"), words);
  EXPECT_EQ(main_of("<div>x</div><div role=\"main\">" + words + "</div>y"), words);
  EXPECT_EQ(main_of("<DIV>x</DIV><MAIN>" + words), words);
  // The main element has almost nothing, so it is not the content.
  EXPECT_EQ(main_of("<main>no</main><p>" + words), "no\n" + words);
  EXPECT_EQ(main_of("<main>no</main><nav>" + words), "no\n" + words);
  EXPECT_EQ(main_of("<nav>only this</nav>"), "only this");
  // A title is not content, and an element around the content does not hide it.
  const std::string title = "<title>Welcome to the pages of our company</title>";
  EXPECT_EQ(main_of(title + "<main></main><nav>" + words), "Welcome to the pages of our company\n" + words);
  EXPECT_EQ(main_of("<div class=sidebar>x<main>" + words + "</main></div>"), words);
  EXPECT_EQ(main_of("<DIV>x</DIV><DIV ROLE=MAIN>" + words), words);
  // A short text on a long page may be its content.
  const std::string most = repeated("most of the text ", 200);
  EXPECT_EQ(main_of("<nav>" + most + "</nav><main>" + words + "</main>"), words);
  EXPECT_EQ(main_of("<main>" + words + "</main><p>" + most).size(), words.size() + most.size());
  EXPECT_EQ(main_of("<nav>x</nav><p>这是一个没有空格的段落，它有内容</p>"), "这是一个没有空格的段落，它有内容");
  EXPECT_EQ(main_of(""), "");
}

TEST_F(Html, LittleContentIsContentIfTheRestIsLinks) {
  const std::string words =
      "Berkeley process accounting. It records the commands that each of the users of a machine has ever run.";
  const std::string other =
      "A daemon that tells users about their new mail. No interfaces, tunables or templates are to be found there.";
  const std::string links = repeated("&nbsp;&nbsp;&nbsp;-&nbsp;<a href=x.html>\n\t\tmodule</a><br/>\n", 300);
  const std::string title = "<title>T</title>";
  const auto page = [&](const std::string& content) { return title + "<div id=Menu>" + links + "</div>" + content; };
  EXPECT_EQ(main_of(page("<p>" + words)), "T\n" + words);
  EXPECT_EQ(main_of(page("<p>" + other)), "T\n" + other);
  EXPECT_EQ(main_of(page("<main><p>" + words + "</main><p>" + other)), "T\n" + words);
  EXPECT_FALSE(is_navigation(page("<p>" + words)));
  // A list of links, and nothing else: the whole page, but only to find its copies.
  for (const char* content : {"<h1>Index of the modules, by name</h1>", "<main><h1>Index</h1></main>"}) {
    EXPECT_EQ(main_of(page(content)), text_of(page(content)));
    EXPECT_TRUE(is_navigation(page(content)));
  }
  // Content under the name of something else.
  const std::string misnamed =
      title + "<section id=pagination>" + repeated("<p>" + words, 80) + "</section><p>" + other;
  EXPECT_EQ(main_of(misnamed), text_of(misnamed));
  EXPECT_FALSE(is_navigation(misnamed));
  // A short page without navigation.
  EXPECT_FALSE(is_navigation(title + "<p>Index"));
  EXPECT_FALSE(is_navigation(""));
  // As version 1 reads them.
  Array<char> text(budget_, "test");
  EXPECT_TRUE(html_.read_main(
      page("<p>" + words), [](std::size_t) {}, text, 1));
  EXPECT_EQ(std::string_view(text.data(), text.size()), text_of(page("<p>" + words)));
}

TEST_F(Html, BlocksBreakLinesAndWhiteSpaceIsOneSpace) {
  EXPECT_EQ(text_of("<p>one\n  two</p><p>three<b> four</b>five<div>six</div>seven"),
            "one two\nthree fourfive\nsix\nseven");
  EXPECT_EQ(text_of("a<br><br/>b<span> </span>c<hr>d"), "a\nb c\nd");
  EXPECT_EQ(text_of("<ul><li>x<li>y<ul><li>z</ul></ul>"), "x\ny\nz");
  EXPECT_EQ(text_of("<table><tr><td>a</td><td>b<tr><th>c<td>d</table>"), "a b\nc d");
  EXPECT_EQ(text_of("  \n <p> </p> x  "), "x");
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of("plain text"), "plain text");
}

TEST_F(Html, PreformattedTextStaysAsItIs) {
  EXPECT_EQ(text_of("<p>a<pre>\n  b\n\n   c </pre>d"), "a\n  b\n\n   c \nd");
  EXPECT_EQ(text_of("<textarea>\n x\n  y</textarea>"), " x\n  y");
}

TEST_F(Html, WhatNobodySeesIsLeftOut) {
  EXPECT_EQ(text_of("<!doctype html><html><head><title> The\n title </title><meta name=x content=y><style>p{}</style>"
                    "<script>if (a<b) '</p>'</script><noscript><img></noscript></head><body><!-- no --><p>text"
                    "<script>more</script><style>x</style><template><p>no</template><iframe>no</iframe></body></html>"),
            "The title\ntext");
  EXPECT_EQ(text_of("<svg><style>x</style><text>drawn</text></svg>"), "drawn");
  EXPECT_EQ(text_of("<title>t</title><frameset><frame>no<noframes>no</noframes></frameset>no"), "t");
  EXPECT_EQ(text_of("<script>a<!-- <script> </script> no --> no</script>b<script><!-- </script>c"), "bc");
}

TEST_F(Html, EntitiesAreWhatTheyStandFor) {
  EXPECT_EQ(text_of("a &amp;&lt;b&gt; &eacute;&#233;&#x20AC;&nbsp;&unknown; &copy"),
            "a &<b> \xc3\xa9\xc3\xa9\xe2\x82\xac\xc2\xa0&unknown; \xc2\xa9");
  EXPECT_EQ(text_of("&notin;&notit;&not &nGt;&#128;&#0;&#xD800;&#x110000;&#99999999999999999999;&#;&#x;&;&"),
            "\xe2\x88\x89\xc2\xacit;\xc2\xac \xe2\x89\xab\xe2\x83\x92\xe2\x82\xac"
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd&#;&#x;&;&");
  EXPECT_EQ(text_of("<textarea>&lt;p></textarea><title>&lt;</title><xmp>&lt;<p></xmp>"), "<p>\n<\n&lt;<p>");
}

TEST_F(Html, BrokenPagesHaveATextToo) {
  EXPECT_EQ(text_of("<b>a<i>b</b>c</i><p>d</table></div>e"), "abc\nde");
  EXPECT_EQ(text_of("<table>a<tr>b<td>c"), "ab\nc");
  EXPECT_EQ(text_of("<a href=\"x>y"), "");
  EXPECT_EQ(text_of("a\xff\xfe z"), "a\xef\xbf\xbd\xef\xbf\xbd z");
  EXPECT_EQ(text_of("x<"), "x<");
  EXPECT_EQ(text_of("a\xe2\x82z\xf0\x9f\x98\xed\xa0\x80\x01\xc2\x85\xf0\x9f\x98\x80"),
            "a\xef\xbf\xbdz" + repeated("\xef\xbf\xbd", 6) + "\xf0\x9f\x98\x80");
  EXPECT_EQ(text_of("<table><tr><td>a<table>b<tr><td>c</table>d</table>e"), "ab\nc\nd\ne");
  EXPECT_EQ(text_of("<table><div>a<p>b</div><caption>c</caption>d<tr><td>e"), "a\nb\nd\nc\ne");
  EXPECT_EQ(text_of("<p>a<table>b</table>"), "ab");
  EXPECT_EQ(text_of("<!doctype html><p>a<table>b</table>"), "a\nb");
  EXPECT_EQ(text_of("<form><div>a</form>b</div>c<form>d"), "ab\nc\nd");
  EXPECT_EQ(text_of("<select><option>a<p>b<option>c</select>d"), "ab\nc\nd");
  EXPECT_EQ(text_of("<svg><desc><p>a</desc>b<title>c</title><g><p>d</svg>e"), "ab\nc\nde");
  EXPECT_EQ(text_of("<pre>\r\n a\r\nb\rc</pre><textarea>\n\n d</textarea>"), " a\nb\nc\n\n d");
}

TEST_F(Html, NestingOfAnyDepthIsRead) {
  for (const char* tag :
       {"<div>", "<b>", "<span>", "<table><tr><td>", "<font color=x>", "<unknown>", "<ul><li>", "<div/>", "<svg><g>",
        "<svg><p><unknown/>", "<DIV CLASS='x'>", "<button>", "<div></q>", "<select><option>"})
    for (const std::size_t times : {100U, 600U, 1900U, 50000U})
      EXPECT_EQ(text_of(repeated(tag, times) + "deep"), "deep") << tag << " " << times;
  EXPECT_EQ(text_of(repeated("<div>x", 3000)), repeated("x\n", 2999) + "x");
  EXPECT_EQ(text_of("<pre>" + repeated("<div>", 3000) + " x  y</pre>"), " x  y");
  // Beyond the limit elements replace each other, so some of the end tags end outer elements.
  EXPECT_EQ(text_of("a" + repeated("<div>", 600) + "b" + repeated("</div>", 600) + "c"), "a\nb\nc");
}

TEST_F(Html, AnUnfinishedCommentIsNoText) {
  EXPECT_EQ(text_of("x<!--" + repeated("<div>", 200000)), "x");
  EXPECT_EQ(text_of("a<!-->b<!--->c<!-- --!>d<!----->e<!x>f<?x>g</ x>h</>i<![CDATA[x]]>j"), "abcdefghij");
}

TEST_F(Html, ManyTagsThatDoNotNestAreRead) {
  EXPECT_EQ(text_of(repeated("<p>x", 20000)), repeated("x\n", 19999) + "x");
  EXPECT_EQ(text_of(repeated("<li>x", 20000)), repeated("x\n", 19999) + "x");
  EXPECT_EQ(text_of(repeated("<div>x</div>", 20000)), repeated("x\n", 19999) + "x");
  EXPECT_EQ(text_of(repeated("<br/>", 20000) + "x<img>"), "x");
  EXPECT_EQ(text_of("<svg>" + repeated("<path d='M 0 0'/>", 20000) + "</svg>x"), "x");
  EXPECT_EQ(text_of(repeated("<a name=x>y ", 5000)).size(), 2 * 5000U - 1);
}

// A parser that searches its open elements, its formatting or its attributes takes quadratic time for each of these
// pages: many seconds for a megabyte, although a few hundredths of a second are enough.
TEST_F(Html, NoPageTakesLongerThanItsLength) {
  constexpr std::size_t kBytes = 1000000;
  const auto all = [&](std::string_view part) { return repeated(part, kBytes / part.size()); };
  const auto half = [&](std::string_view part) { return repeated(part, kBytes / part.size() / 2); };
  const auto count = [&](const std::function<std::string(const std::string&)>& part) { return numbered(kBytes, part); };
  const std::vector<std::pair<std::string, std::string>> pages = {
      {"an svg in a comment", "<!--<svg>-->" + half("<x/>") + half("</p>")},
      {"an svg in an attribute", "<p title='<svg>'>" + half("<x/>") + half("<li>")},
      {"an svg in a script", "<script><svg></script>" + all("<font/>")},
      {"end tags in attributes", all("<div a='</div>'>")},
      {"end tags in comments", all("<div><!--</div>-->")},
      {"end tags in scripts", all("<div><script></div></script>")},
      {"end tags that are out of scope", all("<div><object></div></object>")},
      {"end tags that are out of the cell", all("<div><table><td></div></table>")},
      {"end tags of nothing", half("<span>") + half("</p>")},
      {"end tags of nothing in a drawing", "<svg>" + half("<g>") + half("</q>")},
      {"formatting around blocks", count([](const std::string& n) {
         return "<b id=" + n + ">" + repeated("<div>", 9) + "</b>" + repeated("</div>", 9);
       })},
      {"formatting that goes on", "<p>" +
                                      numbered(kBytes / 10, [](const std::string& n) { return "<b id=" + n + ">"; }) +
                                      repeated("<p>x", kBytes / 4)},
      {"formatting around paragraphs", count([](const std::string& n) { return "<a id=" + n + "><p>"; })},
      {"attributes of a tag", "<p " + count([](const std::string& n) { return "a" + n + " "; }) + ">x"},
      {"attributes of the page", count([](const std::string& n) { return "<html a" + n + "><body a" + n + ">"; })},
      {"text deep inside", repeated("<div>", 1900) + "<b>" + all("x ")},
      {"text before a table", "<table>" + all("x<tr>")},
      {"text before many tables", all("<table>x<td>")},
      {"elements before a table", half("<i></i>") + "<table>" + half("<br>")},
      {"selects", half("<x/>") + half("<select></select>")},
      {"templates", all("<template><div></template>")},
      {"forms", all("<form><div></form>")},
      {"items", all("<dd><ul><dt><b>")},
      {"references", all("&CounterClockwiseContourIntegra")},
      {"a number", "&#" + all("1")},
      {"a comment", "<!--" + all("-")},
      {"comments", all("<!--")},
      {"a title", "<title>" + all("</titl")},
      {"a script", "<script><!--" + all("<script")},
      {"a section", "<svg><![CDATA[" + all("]]")},
      {"quotes", all("<a '")},
  };
  text_of(pages[0].second);
  for (const auto& [name, page] : pages) {
    const double before = cpu_seconds();
    text_of(page);
    EXPECT_LT(cpu_seconds() - before, 3.0) << name;
    EXPECT_LE(most_, 16 * kBytes) << name;
  }
}

TEST_F(Html, NothingIsLostOfAPageThatIsMadeToBeSlow) {
  EXPECT_EQ(text_of("<!--<svg>-->" + repeated("<x/>", 50000) + "text</p>more"), "text\nmore");
  EXPECT_EQ(text_of(repeated("<div><object></div></object>x", 5000)), repeated("x\n", 4999) + "x");
  std::string attributes = "<p";
  for (int i = 0; i < 20000; ++i) attributes += " a" + std::to_string(i);
  EXPECT_EQ(text_of(attributes + ">x"), "x");
  std::string formatting;
  for (int i = 0; i < 1500; ++i) formatting += "<b id=" + std::to_string(i) + ">";
  EXPECT_EQ(text_of("<p>" + formatting + repeated("<p>x", 20000)), repeated("x\n", 19999) + "x");
  const std::string displaced = text_of("<table>" + repeated("x<tr>", 600000));
  EXPECT_EQ(std::count(displaced.begin(), displaced.end(), 'x'), 600000);
}

TEST_F(Html, APageThatMadeGumboAbortIsRead) {
  EXPECT_EQ(text_of("d<a><table><math><mi></a><![CDATA[x]]>c<svg/><mi><a></table>"), "dxc");
}

TEST_F(Html, MemoryComesFromTheBudgetAndGoesBack) {
  const std::uint64_t available = budget_.available();
  // All of the text waits for the end of the table, because some of it may have to go before the table.
  const std::string rows = repeated("<tr><td class=x>text <b>bold</b></td></tr>\n", 50000);
  EXPECT_EQ(text_of("<table>" + rows + "last</table>"), "last\n" + repeated("text bold\n", 49999) + "text bold");
  EXPECT_GT(most_, std::size_t{50000 * 10});
  EXPECT_GE(available - budget_.available(), std::uint64_t{50000 * 10});
  html_.shrink();
  EXPECT_EQ(available, budget_.available());
  const Reservation all = budget_.reserve(budget_.available() - (1 << 18), "all of it");
  try {
    text_of(rows);
    text_of("<table>" + rows);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
  }
}

TEST_F(Html, WhoIsAskedForMemoryMayRefuse) {
  Array<char> text(budget_, "test");
  const auto refuse = [](std::size_t) { throw Error(Errc::interrupted, "enough"); };
  try {
    html_.read("<p>x", refuse, text);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
  EXPECT_EQ(text_of("<p>x"), "x");
}

// The caller may throw because the run is to stop, even in the middle of a page.
TEST_F(Html, ALongPageIsLeftSoon) {
  for (const char* part :
       {"<p>", "</p>", "<i>x", "x y ", "<table>x", "<!-- -->", "<svg><p>", "&amp;", "<script></script>"}) {
    const std::string page = repeated(part, (std::size_t{4} << 20) / std::string_view(part).size());
    int calls = 0;
    Array<char> text(budget_, "test");
    html_.read(
        page, [&](std::size_t) { ++calls; }, text);
    EXPECT_GE(calls, 8) << part;
    calls = 0;
    const auto stop = [&](std::size_t) {
      if (++calls == 3) throw Error(Errc::interrupted, "enough");
    };
    EXPECT_THROW(html_.read(page, stop, text), Error) << part;
    EXPECT_EQ(calls, 3) << part;
    EXPECT_EQ(text_of("<p>x"), "x");
  }
}

TEST_F(Html, RandomSoupIsTheSameWhateverWasReadBefore) {
  static constexpr const char* kParts[] = {
      "<p>",       "</p>",     "<table>", "</table>",   "<tr>",    "<td>",       "<b>",       "</b>",     "<a x=1>",
      "</a>",      "<svg>",    "</svg>",  "<math>",     "<mi>",    "<template>", "<select>",  "<option>", "</select>",
      "text ",     "&amp;",    "<!--",    "-->",        "<title>", "</title>",   "<pre>\n",   "</pre>",   "<script>",
      "</script>", "<form>",   "<input>", "<frameset>", "<body>",  "</html>",    "<![CDATA[", "]]>",      "<ruby><rt>",
      "<li>",      "\xc3\xa9", "\xff",    "<",          "<h1>",    "</h2>"};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string page;
    for (std::size_t parts = random() % 60; parts > 0; --parts) page += kParts[random() % std::size(kParts)];
    const std::string first = text_of(page);
    HtmlText other(budget_);
    Array<char> text(budget_, "test");
    other.read(
        page, [](std::size_t) {}, text);
    EXPECT_EQ(std::string_view(text.data(), text.size()), first) << page;
  }
}

TEST_F(Html, CharsetsBecomeUtf8) {
  EXPECT_EQ(utf8_of("caf\xe9 \x80\x93\x81", "iso-8859-1"), "caf\xc3\xa9 \xe2\x82\xac\xe2\x80\x9c\xc2\x81");
  EXPECT_EQ(utf8_of("\xcf\xf0\xe8", "windows-1251"), "\xd0\x9f\xd1\x80\xd0\xb8");
  EXPECT_EQ(utf8_of("\x93\xfa\x96\x7b\xff", "shift_jis"), "\xe6\x97\xa5\xe6\x9c\xac\xef\xbf\xbd");
  EXPECT_EQ(utf8_of(std::string_view("\xff\xfe\x41\x00\xac\x20", 6), "utf-16"), "A\xe2\x82\xac");
  EXPECT_EQ(utf8_of("x", "no-such-thing"), "unknown");
  const std::string much = repeated("\xcf\xf0", 100000);
  EXPECT_EQ(utf8_of(much, "windows-1251"), repeated("\xd0\x9f\xd1\x80", 100000));
}

TEST_F(Html, TheCharsetOfAPage) {
  EXPECT_EQ(corpus::charset_of("\xef\xbb\xbfx", "latin1", true), "utf-8");
  EXPECT_EQ(corpus::charset_of("x", " \"UTF-8\" ", true), "utf-8");
  EXPECT_EQ(corpus::charset_of("<META CHARSET = 'Windows-1251'>", "", true), "windows-1251");
  EXPECT_EQ(corpus::charset_of("<meta http-equiv=x content='text/html; charset=KOI8-R'>", "", true), "koi8-r");
  EXPECT_EQ(corpus::charset_of("<meta charset=koi8-r>", "big5", true), "big5");
  EXPECT_EQ(corpus::charset_of("<meta charset=koi8-r>", "", false), "utf-8");
  EXPECT_EQ(corpus::charset_of("caf\xc3\xa9", "", true), "utf-8");
  EXPECT_EQ(corpus::charset_of("caf\xe9", "", false), "windows-1252");
  EXPECT_EQ(corpus::charset_of("", "", true), "utf-8");
}

}  // namespace
}  // namespace refrain::html
