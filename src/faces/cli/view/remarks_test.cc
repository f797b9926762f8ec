#include "faces/cli/view/remarks.h"

#include <gtest/gtest.h>

namespace refrain::cli {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(EstimateView, SaysWhatARunWillTake) {
  DedupEstimate estimate{.files = 3,
                         .bytes = 2 * kGiB,
                         .unpacked_bytes = 2 * kGiB,
                         .memory_bytes = kGiB,
                         .disk_bytes = 3 * kGiB,
                         .disk_free_bytes = 57 * kGiB,
                         .temp_free_bytes = kGiB};
  EXPECT_EQ(estimate_remarks(estimate, "run"),
            std::vector<std::string>{
                "2.0 GiB in 3 files; needs about 1.0 GiB of memory and 3.0 GiB of disk in run (57.0 GiB free)\n"});
  estimate.packed = true;
  estimate.unpacked_bytes = 8 * kGiB;
  estimate.temp_bytes = kGiB / 2;
  EXPECT_EQ(estimate_remarks(estimate, "run"),
            std::vector<std::string>{
                "2.0 GiB in 3 files, about 8.0 GiB uncompressed; needs about 1.0 GiB of memory and 3.0 GiB of disk in "
                "run (57.0 GiB free), and about 512 MiB for temporary files (1.0 GiB free)\n"});
}

TEST(EstimateView, WarnsWhereTheDiskMayNotSuffice) {
  DedupEstimate estimate{.memory_bytes = kGiB,
                         .disk_bytes = 3 * kGiB,
                         .disk_free_bytes = 4 * kGiB,
                         .temp_bytes = 2 * kGiB,
                         .temp_free_bytes = 4 * kGiB};
  EXPECT_EQ(estimate_remarks(estimate, "run").size(), 1U);
  estimate.one_disk = true;
  ASSERT_EQ(estimate_remarks(estimate, "run").size(), 2U);
  EXPECT_TRUE(estimate_remarks(estimate, "run")[1].starts_with("warning: "));
  estimate.one_disk = false;
  estimate.temp_free_bytes = kGiB;
  EXPECT_EQ(estimate_remarks(estimate, "run").size(), 2U);
  estimate.temp_free_bytes = 4 * kGiB;
  estimate.disk_free_bytes = 2 * kGiB;
  EXPECT_EQ(estimate_remarks(estimate, "run").size(), 2U);
}

TEST(EstimateView, SaysWhereNothingCanBeKnown) {
  const std::vector<std::string> lines =
      estimate_remarks({.known = false, .memory_bytes = kGiB, .disk_free_bytes = 2 * kGiB}, "run");
  EXPECT_EQ(
      lines,
      std::vector<std::string>{
          "input size unknown; needs up to 1.0 GiB of memory, and more disk in run than the text (2.0 GiB free)\n"});
}

}  // namespace
}  // namespace refrain::cli
