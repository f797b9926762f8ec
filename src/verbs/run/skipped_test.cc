#include "verbs/run/skipped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace refrain::verbs::run {
namespace {

constexpr std::string_view kTop = "path\tkind\treason\n";

std::string written(const std::vector<SkippedFile>& files, std::uint64_t memory_bytes) {
  const Context context{.memory_bytes = memory_bytes, .threads = 1};
  MemoryBudget budget(context);
  SkippedTable table(context, budget);
  for (const SkippedFile& file : files) table.add(file);
  std::string text;
  table.write([&](std::string_view part) { text += part; });
  return text;
}

TEST(SkippedTable, RowsAreInByteOrderOfPathsAndEscaped) {
  const std::vector<SkippedFile> files = {{"a/b", "link", "r"},
                                          {"a.txt", "link", "r"},
                                          {"\xff", "link", "r"},
                                          {"a", "folder", "r"},
                                          {"a\tb\n", "link", "back\\slash"},
                                          {"a.txt", "device", "r"},
                                          {"a.txt", "link", "r"}};
  EXPECT_EQ(written(files, std::uint64_t{64} << 20U), std::string(kTop) +
                                                          "a\tfolder\tr\n"
                                                          "a\\tb\\n\tlink\tback\\\\slash\n"
                                                          "a.txt\tdevice\tr\n"
                                                          "a.txt\tlink\tr\n"
                                                          "a.txt\tlink\tr\n"
                                                          "a/b\tlink\tr\n"
                                                          "\xff\tlink\tr\n");
  EXPECT_EQ(written({}, std::uint64_t{64} << 20U), kTop);
}

TEST(SkippedTable, ManyRowsTakeLittleMemoryAndAreTheSameInAnyOrder) {
  std::vector<SkippedFile> files;
  for (int i = 0; i < 20'000; ++i)
    files.push_back({"in/deep/folder/" + std::to_string(i * 7919 % 20'000), "image", "not text"});
  const std::string plenty = written(files, std::uint64_t{1} << 30U);
  std::shuffle(files.begin(), files.end(), std::mt19937(3));
  EXPECT_TRUE(written(files, std::uint64_t{64} << 20U) == plenty);
  EXPECT_EQ(std::count(plenty.begin(), plenty.end(), '\n'), 20'001);
}

}  // namespace
}  // namespace refrain::verbs::run
