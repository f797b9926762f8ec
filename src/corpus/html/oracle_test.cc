// Compares the text of a page with that of a slow parser that builds the whole tree (Gumbo).
#include <gtest/gtest.h>
#include <gumbo.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "corpus/html/text.h"
#include "refrain/context.h"

namespace refrain::html {
namespace {

// Collects what the elements of a tree show, by walking the tree.
class Oracle {
 public:
  static std::string text_of(const std::string& page, Part part = Part::whole) {
    // Gumbo does not free all the memory that it allocates.
    std::vector<std::unique_ptr<char[]>> memory;
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    options.userdata = &memory;
    options.allocator = [](void* all, std::size_t bytes) -> void* {
      auto& blocks = *static_cast<std::vector<std::unique_ptr<char[]>>*>(all);
      return blocks.emplace_back(std::make_unique<char[]>(bytes)).get();
    };
    options.deallocator = [](void*, void*) {};
    Oracle oracle;
    oracle.part_ = part;
    oracle.walk(gumbo_parse_with_options(&options, page.data(), page.size())->root, false, false);
    while (!oracle.text_.empty() && is_space(oracle.text_.back())) oracle.text_.pop_back();
    return oracle.text_;
  }

 private:
  static bool is_any(GumboTag tag, std::string_view names) {
    const std::string name = " " + std::string(gumbo_normalized_tagname(tag)) + " ";
    return tag != GUMBO_TAG_UNKNOWN && names.find(name) != std::string_view::npos;
  }

  void walk(const GumboNode* node, bool in_head, bool keeps_white_space) {
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA || node->type == GUMBO_NODE_WHITESPACE) {
      for (const char* at = node->v.text.text; !in_head && at_.in_main && !at_.hidden && *at != '\0'; ++at) {
        if (is_space(*at) && !keeps_white_space) {
          space_ = true;
        } else {
          flush();
          text_ += *at;
        }
      }
      return;
    }
    if (node->type != GUMBO_NODE_ELEMENT) return;
    const GumboTag tag = node->v.element.tag;
    if (is_any(tag, " script style template iframe noembed noframes ") || (in_head && tag != GUMBO_TAG_TITLE)) return;
    const bool preformatted = is_any(tag, " pre textarea listing xmp plaintext ");
    const bool block =
        preformatted ||
        is_any(tag,
               " address article aside blockquote body caption center dd details dir div dl dt fieldset "
               "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu "
               "nav ol optgroup option p section select summary table tbody tfoot thead title tr ul ");
    const bool cell = tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH;
    line_ = line_ || block || tag == GUMBO_TAG_BR;
    space_ = space_ || cell;
    const GumboVector& children = node->v.element.children;
    const std::string attributes = attributes_of(node);
    const bool says_main = tag == GUMBO_TAG_MAIN || attributes.find("role=main") != std::string::npos;
    const bool says_other = is_any(tag, " nav aside footer ") || (tag == GUMBO_TAG_HEADER && !at_.in_part) ||
                            (attributes.find("sidebar") != std::string::npos && tag == GUMBO_TAG_DIV);
    const At around = at_;
    if (tag == GUMBO_TAG_BODY && part_ == Part::main) at_.in_main = false;
    at_.in_main = at_.in_main || says_main;
    at_.hidden = (at_.hidden && !says_main) || (part_ != Part::whole && says_other);
    at_.in_part = at_.in_part || tag == GUMBO_TAG_ARTICLE || tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_MAIN;
    for (unsigned i = 0; i < children.length; ++i)
      walk(static_cast<const GumboNode*>(children.data[i]), tag == GUMBO_TAG_HEAD, keeps_white_space || preformatted);
    at_ = around;
    line_ = line_ || block;
    space_ = space_ || cell;
  }

  void flush() {
    const char last = text_.empty() ? '\n' : text_.back();
    if (line_ && last != '\n') text_ += '\n';
    if (!line_ && space_ && !is_space(last)) text_ += ' ';
    line_ = space_ = false;
  }

  static std::string attributes_of(const GumboNode* node) {
    std::string all;
    const GumboVector& list = node->v.element.attributes;
    for (unsigned i = 0; i < list.length; ++i) {
      const auto* one = static_cast<const GumboAttribute*>(list.data[i]);
      all += std::string(one->name) + "=" + one->value + " ";
    }
    return all;
  }

  Part part_ = Part::whole;
  std::string text_;
  struct At {
    bool in_main = true;   // or the whole page is requested
    bool hidden = false;   // it, or one around it, declares that it is not content
    bool in_part = false;  // in an article, a section or the main part
  };
  At at_;
  bool line_ = false;
  bool space_ = false;
};

class HtmlOracle : public testing::Test {
 protected:
  // Compares pages that are assembled at random from `parts`.
  void expect_same(const std::vector<std::string>& parts, unsigned seed, Part part = Part::whole) {
    std::mt19937 random(seed);
    for (int round = 0; round < 20000 && !HasFailure(); ++round) {
      std::string page;
      for (std::size_t left = 1 + random() % 12; left > 0; --left) page += parts[random() % parts.size()];
      Array<char> text(budget_, "test");
      const std::function<void(std::size_t)> grow = [](std::size_t) {};
      flow_.begin(text, grow);
      Parser(page, part, flow_).run();
      flow_.end();
      EXPECT_EQ(std::string_view(text.data(), text.size()), Oracle::text_of(page, part)) << page;
    }
  }

  // Start and end tags, and text.
  static std::vector<std::string> tags(std::string_view names) {
    std::vector<std::string> parts = {"text ", "a", "b ", "c\n", " ", "\n", "d"};
    while (!names.empty()) {
      const std::string name(names.substr(0, names.find(' ')));
      names.remove_prefix(std::min(name.size() + 1, names.size()));
      parts.insert(parts.end(), {"<" + name + ">", "</" + name + ">"});
    }
    return parts;
  }

  Context context_ = [] {
    Context context;
    context.memory_bytes = std::uint64_t{512} << 20;
    return context;
  }();
  MemoryBudget budget_{context_};
  Flow flow_{budget_};
};

TEST_F(HtmlOracle, Blocks) {
  expect_same(tags("p div span b i a ul li ol dl dt dd h1 h2 pre br hr blockquote em font section main legend fieldset "
                   "button x-y center address nobr listing img"),
              1);
}

TEST_F(HtmlOracle, ContentAlone) {
  std::vector<std::string> parts = tags("p div ul li h1 nav aside footer header article section main span");
  parts.insert(parts.end(), {"<div class='left sidebar'>", "<div role=main>", "<title>x</title>"});
  expect_same(parts, 8, Part::content);
  expect_same(parts, 9, Part::main);
}

TEST_F(HtmlOracle, Tables) {
  expect_same(tags("p div span b table tr td th tbody thead tfoot caption col colgroup a input li ul h1"), 2);
}

TEST_F(HtmlOracle, FormsAndHiddenText) {
  std::vector<std::string> parts =
      tags("p div table tr td select option optgroup textarea b input script style template iframe xmp noembed button");
  parts.insert(parts.end(), {"<!-- c -->", "<input type=hidden>", "<!doctype html>"});
  expect_same(parts, 3);
}

TEST_F(HtmlOracle, DrawingsAndFormulas) {
  std::vector<std::string> parts =
      tags("p div svg math mi mo desc title foreignobject g path text annotation-xml span table td a");
  parts.insert(parts.end(), {"<path/>", "<svg/>", "<font color=red>", "<![CDATA[x]]>", "<title/>", "<style/>",
                             "<mglyph>", "<annotation-xml encoding='text/html'>"});
  expect_same(parts, 4);
}

TEST_F(HtmlOracle, Heads) {
  std::vector<std::string> parts =
      tags("html head body meta link script style noscript p div template base noframes frame br");
  parts.insert(parts.end(), {"<title>", "</title>", "<!-- c -->", "<!doctype html>", "&#13;"});
  expect_same(parts, 5);
  expect_same(tags("html head body frameset frame noframes meta script p br"), 6);
}

TEST_F(HtmlOracle, Tokens) {
  expect_same(
      {"<",        ">",        "/",           "!",         "--",        "-->",         "<!--",         "'",
       "\"",       "=",        " ",           "a",         "&",         "&amp",        "&notit;",      "&#x41",
       "&#0;",     "&#128;",   "&#xD;",       "&#1;",      "&nGt;",     "&copy;",      "&Tab;",        "&#;",
       "&x;",      "\r\n",     "\r",          "\xff",      "\xe2\x82",  "\xc2\x85",    "</title",      "<title>",
       "<script",  "<script>", "]]>",         "</script>", "</script ", "<pre>",       "</pre>",       "<?",
       "<!x",      "-",        "--!>",        "<style>",   "</style>",  "\xf0\x9f",    "\xc3\xa9",     "\xed\xa0\x80",
       "<b x='",   "<p",       "<p x=",       "</p",       "<xmp>",     "</xmp>",      "<textarea>\n", "\x01",
       "\x7f",     "\x0b",     "\f",          "<table>",   "<td>",      "<plaintext>", "<![CDATA[",    "\xef\xbf\xbf",
       "&#55296;", "&#xFFFF;", "</textarea>", "<!doctype"},
      7);
}

}  // namespace
}  // namespace refrain::html
