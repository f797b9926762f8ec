#include "cli/progress_view.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace refrain::cli {
namespace {

constexpr Look kPlain{};

TEST(Progress, DrawsABarThatFits) {
  const ProgressUpdate update{.stage = "read", .unit = "bytes", .done = 620, .total = 1000};
  EXPECT_EQ(progress_bar(update, 2, kPlain, 120),
            "read  ##############----------   62 %  620 bytes of 1,000 bytes  310 bytes/s  0:01 left");
  for (std::size_t columns = 4; columns < 120; ++columns) {
    EXPECT_LE(progress_bar(update, 2, kPlain, columns).size(), columns);
  }
  EXPECT_EQ(progress_line(update, 2), "read: 62 %, 620 bytes of 1,000 bytes, 310 bytes/s, 0:01 left");
}

TEST(Progress, SaysWhatIsDoneWhereTheTotalIsUnknown) {
  EXPECT_EQ(progress_line({.stage = "read", .unit = "documents", .done = 3000, .total = 0}, 1),
            "read: 3,000 documents, 3,000 documents/s");
  EXPECT_EQ(progress_line({.stage = "read", .unit = "bytes", .done = 0, .total = 0}, 0), "read: 0 bytes");
}

}  // namespace
}  // namespace refrain::cli
