#include "faces/cli/view/progress.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "faces/cli/view/test_looks.h"

namespace refrain::cli {
namespace {

TEST(Progress, DrawsABarThatFits) {
  const ProgressUpdate update{.stage = "read", .unit = "bytes", .done = 620, .total = 1000};
  EXPECT_EQ(progress_bar(update, 2, kPlain, 120),
            "read  ##############----------   62%  620 bytes of 1,000 bytes  310 bytes/s  0:01 left");
  for (std::size_t columns = 4; columns < 120; ++columns) {
    EXPECT_LE(progress_bar(update, 2, kPlain, columns).size(), columns);
  }
  EXPECT_EQ(progress_line(update, 2), "read: 62%, 620 bytes of 1,000 bytes, 310 bytes/s, 0:01 left");
}

TEST(Progress, OfARunThatGoesByStagesTheWholeIsShown) {
  const ProgressUpdate update{
      .stage = "write",
      .unit = "bytes",
      .done = 900,
      .total = 1000,
      .run = {.stage = "apply", .number = 10, .stages = 12, .share = 0.25, .seconds_left = 61.4}};
  EXPECT_EQ(progress_line(update, 20), "apply: 25%, 1:01 left, stage 10 of 12");
  EXPECT_EQ(progress_bar(update, 20, kPlain, 70), "apply  ######------------------   25%  1:01 left  stage 10 of 12");
  for (std::size_t columns = 5; columns < 100; ++columns) {
    EXPECT_LE(progress_bar(update, 20, kPlain, columns).size(), columns);
  }
  ProgressUpdate begins{.stage = "cluster", .unit = "", .run = {.stage = "cluster", .number = 6, .stages = 12}};
  EXPECT_EQ(progress_line(begins, 20), "cluster: 0%, stage 6 of 12");
  begins.run.seconds_left = 5;
  EXPECT_EQ(progress_line(begins, 0.1), "cluster: 0%, stage 6 of 12") << "too early to tell";
}

TEST(Progress, SaysWhatIsDoneWhereTheTotalIsUnknown) {
  EXPECT_EQ(progress_line({.stage = "read", .unit = "documents", .done = 3000, .total = 0}, 1),
            "read: 3,000 documents, 3,000 documents/s");
  EXPECT_EQ(progress_line({.stage = "read", .unit = "bytes", .done = 0, .total = 0}, 0), "read: 0 bytes");
}

}  // namespace
}  // namespace refrain::cli
