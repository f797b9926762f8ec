#include "verbs/dedup/report/page_data.h"

#include <gtest/gtest.h>

namespace refrain::verbs::dedup {
namespace {

const PageData& drawn(PageData& page, const Chart& chart) {
  add_chart(page, chart);
  return page.items("charts")->back();
}

double number(const PageData& data, std::string_view name) {
  return std::stod(*data.text(name));
}

TEST(ReportChart, ClassesDouble) {
  DoublingHistogram classes;
  for (const std::uint64_t value : {0, 1, 2, 3, 4, 5, 8, 9}) classes.add(value);
  EXPECT_EQ(classes.size(), 6U);
  const std::vector<std::uint64_t> expected{1, 1, 1, 2, 2, 1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(classes.count(i), expected[i]) << i;
  EXPECT_EQ(DoublingHistogram::label(0), "0");
  EXPECT_EQ(DoublingHistogram::label(3), "3–4");
  EXPECT_EQ(DoublingHistogram::label(5), "9–16");
  EXPECT_EQ(DoublingHistogram::label(20), "256K–512K");
  for (std::uint64_t value = 1; value < 5000; ++value) {
    const std::size_t place = DoublingHistogram::place(value);
    EXPECT_EQ(DoublingHistogram::place(value + 1) - place, (value & (value - 1)) == 0 ? 1U : 0U) << value;
  }
  EXPECT_EQ(DoublingHistogram::place(~std::uint64_t{0}), 65U);
}

TEST(ReportChart, UprightBarsGrowByTheSameForEveryFactorOfTen) {
  PageData page;
  const PageData& chart = drawn(page, {.name = "n",
                                       .title = "t",
                                       .note = "",
                                       .first = "size",
                                       .series = {"clusters"},
                                       .bars = {{"a", {1}}, {"b", {0}}, {"c", {10}}, {"d", {100}}}});
  const std::list<PageData>& rects = *chart.items("rects");
  ASSERT_EQ(rects.size(), 3U);  // an empty bar is not drawn
  std::vector<double> heights;
  for (const PageData& rect : rects) {
    heights.push_back(number(rect, "height"));
    EXPECT_GT(heights.back(), 0);
    EXPECT_NEAR(number(rect, "y") + heights.back(), 208, 0.11);  // all stand on the base line
  }
  EXPECT_NEAR(heights[1] - heights[0], heights[2] - heights[1], 0.21);
  EXPECT_EQ(*rects.back().text("value"), "100");
  EXPECT_EQ(*rects.back().text("tip"), "d: 100 clusters");
}

TEST(ReportChart, LyingBarsAreEndToEndAndTrueToTheirNumbers) {
  PageData page;
  const PageData& chart = drawn(page, {.name = "n",
                                       .title = "t",
                                       .note = "",
                                       .first = "source",
                                       .series = {"kept", "removed"},
                                       .bars = {{"a", {30, 10}}, {std::string(400, 'x'), {0, 20}}},
                                       .horizontal = true});
  const std::list<PageData>& rects = *chart.items("rects");
  ASSERT_EQ(rects.size(), 3U);
  const PageData& kept = rects.front();
  const PageData& removed = *std::next(rects.begin());
  EXPECT_NEAR(number(kept, "x") + number(kept, "width"), number(removed, "x"), 0.11);
  EXPECT_NEAR(number(kept, "width"), 3 * number(removed, "width"), 0.31);
  EXPECT_NEAR(number(rects.back(), "width"), 2 * number(removed, "width"), 0.31);
  for (const PageData& word : *chart.items("words")) EXPECT_LT(word.text("text")->size(), 40U);
}

TEST(ReportChart, TheTableSaysTheSame) {
  PageData page;
  const PageData& chart = drawn(page, {.name = "n",
                                       .title = "t",
                                       .note = "",
                                       .first = "bytes",
                                       .series = {"kept", "removed"},
                                       .bars = {{"1", {1234567, 0}}}});
  ASSERT_EQ(chart.items("head")->size(), 3U);
  const PageData& row = chart.items("rows")->front();
  EXPECT_EQ(*row.text("label"), "1");
  EXPECT_EQ(*row.items("cells")->front().text("text"), "1,234,567");
  EXPECT_EQ(*row.items("cells")->back().text("text"), "0");
}

TEST(ReportChart, NothingIsDrawnOfNothing) {
  PageData page;
  add_chart(page, {.name = "n", .title = "t", .note = "", .first = "", .series = {"a"}, .bars = {}});
  EXPECT_EQ(page.items("charts"), nullptr);
}

TEST(ReportChart, AShareIsNoneOrAllOnlyWhereItIs) {
  EXPECT_EQ(share_text(0, 10), "0%");
  EXPECT_EQ(share_text(10, 10), "100%");
  EXPECT_EQ(share_text(1, 100000), "under 0.1%");
  EXPECT_EQ(share_text(99999, 100000), "99.9%");
  EXPECT_EQ(share_text(1, 8), "12.5%");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(999), "999");
}

}  // namespace
}  // namespace refrain::verbs::dedup
