#include "base/files/temp.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "refrain/error.h"

namespace refrain {
namespace {

namespace fs = std::filesystem;

TEST(TempSpace, CountsWhatItsFilesHoldAndKeepsThePeak) {
  TempSpace space({.temp_dir = testing::TempDir()});
  {
    TempFile file(space);
    EXPECT_EQ(file.append("refrain"), 0U);
    EXPECT_EQ(file.append(" again"), 7U);
    EXPECT_EQ(space.bytes(), 13U);
    std::array<char, 5> back{};
    file.read(8, back);
    EXPECT_EQ(std::string(back.begin(), back.end()), "again");
    EXPECT_THROW(file.read(9, back), Error);
  }
  EXPECT_EQ(space.bytes(), 0U);
  EXPECT_EQ(space.peak_bytes(), 13U);
}

TEST(TempSpace, LeavesNoNameInTheFolder) {
  const fs::path folder = fs::path(testing::TempDir()) / "temp_space_test";
  fs::create_directories(folder);
  TempSpace space({.temp_dir = folder.string()});
  TempFile file(space);
  file.append("text");
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST(TempSpace, RefusesWithTheFigureWhatTheDiskCannotHold) {
  const TempSpace space({.temp_dir = testing::TempDir()});
  EXPECT_NO_THROW(space.expect(1, "one byte"));
  try {
    space.expect(std::uint64_t{1} << 60U, "the samples");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
    EXPECT_NE(std::string(error.what()).find("the samples need about"), std::string::npos);
  }
}

TEST(TempSpace, NamesAFolderThatIsNotThere) {
  EXPECT_THROW(TempSpace({.temp_dir = "/nowhere/at/all"}), Error);
}

}  // namespace
}  // namespace refrain
