#include "verbs/dedup/report/page_data.h"

#include <gtest/gtest.h>

#include "refrain/error.h"

namespace refrain::verbs::dedup {
namespace {

std::string html(std::string_view text) {
  std::string out;
  append_html(out, text);
  return out;
}

TEST(Html, NothingInATextIsMarkup) {
  EXPECT_EQ(html("</script><b a=\"x\" c='y'>&amp;"), "&lt;/script&gt;&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(html("<!-- -->"), "&lt;!-- --&gt;");
}

TEST(Html, WhatCannotBeSeenIsSpelledOut) {
  EXPECT_EQ(html(std::string_view("a\0b\x1b\r", 5)), "a\\x00b\\x1b\\x0d");
  EXPECT_EQ(html("a\nb\tc"), "a\nb\tc");
  EXPECT_EQ(html("\xE2\x80\xAE"
                 "abc"),
            "\\u202eabc");
  EXPECT_EQ(html("\xC2\x85"), "\\u0085");
}

TEST(Html, BytesThatAreNoUtf8AreSpelledOut) {
  EXPECT_EQ(html("a\xFF\xC3"), "a\\xff\\xc3");
  EXPECT_EQ(html("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
}

TEST(PageSlots, ASectionMayBeUsedAgain) {
  PageData data;
  data.add("first").add("pairs").set("name", "a");
  PageData& second = data.add("second");
  second.add("pairs").set("name", "b");
  second.add("pairs").set("name", "c");
  EXPECT_EQ(fill_page("{{#first}}{{#pairs}}<{{name}}>{{/pairs}}{{/first}} {{#second}}{{>pairs}}{{/second}}", data),
            "<a> <b><c>");
  EXPECT_THROW(fill_page("{{>pairs}}", data), Error);
}

TEST(PageSlots, FillsSlotsEscaped) {
  PageData data;
  data.set("name", "a <b>").set("other", "{{name}}");
  EXPECT_EQ(fill_page("<p title=\"{{name}}\">{{other}}</p>", data), "<p title=\"a &lt;b&gt;\">{{name}}</p>");
}

TEST(PageSlots, RepeatsASectionForEveryItem) {
  PageData data;
  data.set("who", "outer").set("end", "!");
  data.add("rows").set("who", "a");
  PageData& second = data.add("rows");
  second.add("cells").set("n", "1");
  second.add("cells").set("n", "2");
  EXPECT_EQ(fill_page("{{#rows}}[{{who}}{{end}}{{#cells}} {{n}}{{/cells}}{{^cells}} none{{/cells}}]{{/rows}}", data),
            "[a! none][outer! 1 2]");
}

TEST(PageSlots, AnEmptyListLeavesNothingOrWhatStandsForIt) {
  EXPECT_EQ(fill_page("a{{#rows}}{{missing}}{{/rows}}b{{^rows}}c{{/rows}}", PageData()), "abc");
}

TEST(PageSlots, ASlotWithoutATextIsAMistake) {
  EXPECT_THROW(fill_page("{{missing}}", PageData()), Error);
  EXPECT_THROW(fill_page("{{#open}}", PageData()), Error);
  EXPECT_THROW(fill_page("{{open", PageData()), Error);
}

}  // namespace
}  // namespace refrain::verbs::dedup
