#include "corpus/html_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "corpus/charset.h"
#include "refrain/context.h"
#include "refrain/error.h"

namespace refrain {
namespace {

class Html : public testing::Test {
 protected:
  std::string text_of(std::string_view html) {
    Array<char> text(budget_, "test");
    const std::string reason = html_.read(
        html, [this](std::size_t bytes) { most_ = std::max(most_, bytes); }, text);
    return reason.empty() ? std::string(text.data(), text.size()) : "refused: " + reason;
  }

  std::string utf8_of(std::string_view bytes, const std::string& charset) {
    Array<char> out(budget_, "test");
    return to_utf8(
               bytes, charset, [](std::size_t) {}, out)
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
  std::size_t most_ = 0;
};

std::string repeated(std::string_view part, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
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
}

TEST_F(Html, EntitiesAreWhatTheyStandFor) {
  EXPECT_EQ(text_of("a &amp;&lt;b&gt; &eacute;&#233;&#x20AC;&nbsp;&unknown; &copy"),
            "a &<b> \xc3\xa9\xc3\xa9\xe2\x82\xac\xc2\xa0&unknown; \xc2\xa9");
}

TEST_F(Html, BrokenPagesHaveATextToo) {
  EXPECT_EQ(text_of("<b>a<i>b</b>c</i><p>d</table></div>e"), "abc\nde");
  EXPECT_EQ(text_of("<table>a<tr>b<td>c"), "ab\nc");
  EXPECT_EQ(text_of("<a href=\"x>y"), "");
  EXPECT_EQ(text_of("a\xff\xfe z"), "a\xef\xbf\xbd\xef\xbf\xbd z");
  EXPECT_EQ(text_of("x<"), "x<");
}

TEST_F(Html, DeepNestingIsRefusedWithoutACrash) {
  const std::string refused = "refused: the page nests elements more than 2000 deep";
  for (const char* tag : {"<div>", "<b>", "<span>", "<table><tr><td>", "<font color=x>", "<unknown>", "<ul><li>",
                          "<div/>", "<svg><g>", "<svg><p><unknown/>", "<DIV CLASS='x'>", "<button>", "<template>"})
    EXPECT_EQ(text_of(repeated(tag, 200000)), refused) << tag;
  // Ends of what is not open, and of other things, do not hide it.
  EXPECT_EQ(text_of(repeated("<div></q>", 200000)), refused);
  EXPECT_EQ(text_of("<!--" + repeated("<div>", 200000)), refused);
}

TEST_F(Html, NestingUpToTheLimitIsRead) {
  for (const char* tag : {"div", "b", "span", "i", "unknown", "blockquote"}) {
    const std::string open = "<" + std::string(tag) + ">";
    EXPECT_EQ(text_of(repeated(open, 1900) + "deep"), "deep") << tag;
  }
}

TEST_F(Html, ManyTagsThatDoNotNestAreRead) {
  EXPECT_EQ(text_of(repeated("<p>x", 20000)), repeated("x\n", 19999) + "x");
  EXPECT_EQ(text_of(repeated("<li>x", 20000)), repeated("x\n", 19999) + "x");
  EXPECT_EQ(text_of(repeated("<div>x</div>", 20000)), repeated("x\n", 19999) + "x");
  EXPECT_EQ(text_of(repeated("<br/>", 20000) + "x<img>"), "x");
  EXPECT_EQ(text_of("<svg>" + repeated("<path d='M 0 0'/>", 20000) + "</svg>x"), "x");
  EXPECT_EQ(text_of(repeated("<a name=x>y ", 5000)).size(), 2 * 5000U - 1);
}

TEST_F(Html, WhatWouldTakeTooMuchIsRefused) {
  const std::string refused = "refused: the page takes too much to be parsed";
  std::string attributes = "<p";
  for (int i = 0; i < 200000; ++i) attributes += " a" + std::to_string(i);
  EXPECT_EQ(text_of(attributes + ">x"), refused);
  // Every paragraph opens all of the formatting again.
  std::string formatting;
  for (int i = 0; i < 1500; ++i) formatting += "<b id=" + std::to_string(i) + ">";
  EXPECT_EQ(text_of("<p>" + formatting + repeated("<p>x", 20000)), refused);
  EXPECT_LE(most_, 256 * attributes.size());
  EXPECT_EQ(text_of("<p>still works"), "still works");
}

TEST_F(Html, MemoryComesFromTheBudgetAndGoesBack) {
  const std::uint64_t available = budget_.available();
  const std::string page = repeated("<p class=x>text <b>bold</b></p>\n", 50000);
  EXPECT_EQ(text_of(page).size(), 50000 * 10U - 1);
  EXPECT_GT(most_, page.size());
  EXPECT_GE(available - budget_.available(), page.size());
  html_.shrink();
  EXPECT_LE(available - budget_.available(), std::uint64_t{1} << 20);
  const Reservation all = budget_.reserve(budget_.available() - (1 << 20), "all of it");
  try {
    text_of(page);
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
  EXPECT_EQ(charset_of("\xef\xbb\xbfx", "latin1", true), "utf-8");
  EXPECT_EQ(charset_of("x", " \"UTF-8\" ", true), "utf-8");
  EXPECT_EQ(charset_of("<META CHARSET = 'Windows-1251'>", "", true), "windows-1251");
  EXPECT_EQ(charset_of("<meta http-equiv=x content='text/html; charset=KOI8-R'>", "", true), "koi8-r");
  EXPECT_EQ(charset_of("<meta charset=koi8-r>", "big5", true), "big5");
  EXPECT_EQ(charset_of("<meta charset=koi8-r>", "", false), "utf-8");
  EXPECT_EQ(charset_of("caf\xc3\xa9", "", true), "utf-8");
  EXPECT_EQ(charset_of("caf\xe9", "", false), "windows-1252");
  EXPECT_EQ(charset_of("", "", true), "utf-8");
}

}  // namespace
}  // namespace refrain
