#include "faces/cli/table/spelling.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace refrain::cli {
namespace {

TEST(EditDistance, CountsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("near", "near"), 0U);
  EXPECT_EQ(edit_distance("naer", "near"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Closest, NamesWhatWasMeantOrNothing) {
  const std::vector<std::string_view> words = {"distance", "blocks", "text-field", "temp-dir", "tie", "in"};
  EXPECT_EQ(closest("distanc", words), "distance");
  EXPECT_EQ(closest("dsitance", words), "distance");
  EXPECT_EQ(closest("block", words), "blocks");
  EXPECT_EQ(closest("te", words), "tie");
  EXPECT_EQ(closest("tex", words), "text-field");
  EXPECT_EQ(closest("zzz", words), "");
  EXPECT_EQ(closest("", words), "");
  EXPECT_EQ(closest("xy", words), "");
  EXPECT_EQ(closest(std::string(100000, 'x'), words), "");
}

}  // namespace
}  // namespace refrain::cli
