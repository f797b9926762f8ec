#include "base/files/path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "base/files/file.h"
#include "base/files/temp.h"
#include "refrain/error.h"
#include "world.h"

namespace refrain {
namespace {

namespace fs = std::filesystem;

class Paths : public testing::Test, public World {
 protected:
  template <class Call>
  static std::optional<Errc> code_of(Call call) {
    try {
      call();
      return std::nullopt;
    } catch (const Error& error) {
      return error.code();
    }
  }
};

TEST_F(Paths, KnowFilesFoldersAndNothing) {
  write("file", "x");
  fs::create_symlink("nowhere", at("link"));
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0666), 0);
  EXPECT_EQ(path_kind(at("file")), PathKind::file);
  EXPECT_EQ(path_kind(folder()), PathKind::folder);
  EXPECT_EQ(path_kind(at("pipe")), PathKind::other);
  for (const char* name : {"none", "link", "file/below"}) EXPECT_EQ(path_kind(at(name)), PathKind::none) << name;
  EXPECT_TRUE(is_taken(at("link")));
  EXPECT_FALSE(is_taken(at("none")));
}

TEST_F(Paths, OutOfReachAreNotTakenForMissing) {
  // A name that is too long cannot be examined, so it is unknown whether it exists.
  const fs::path unknown = at(std::string(300, 'x'));
  EXPECT_EQ(code_of([&] { path_kind(unknown); }), Errc::io);
  EXPECT_EQ(code_of([&] { is_taken(unknown); }), Errc::io);
  EXPECT_EQ(code_of([&] { list_folder(unknown); }), Errc::io);
  EXPECT_EQ(code_of([&] { InputFile{unknown.string()}; }), Errc::io);
  EXPECT_EQ(code_of([&] { RandomFile{unknown}; }), Errc::io);
  EXPECT_EQ(code_of([&] { RandomFile{at("none")}; }), Errc::not_found);
}

TEST_F(Paths, AnErrorNamesTheFileAndTheCall) {
  const fs::path unknown = at(std::string(300, 'x'));
  const auto message_of = [](auto call) -> std::string {
    try {
      call();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::io);
      return error.what();
    }
  };
  const std::string reason = unknown.string() + ": cannot ";
  EXPECT_TRUE(message_of([&] { is_link(unknown); }).starts_with(reason + "stat: "));
  EXPECT_TRUE(message_of([&] { file_bytes(unknown); }).starts_with(reason + "stat: "));
  EXPECT_TRUE(message_of([&] { for_each_file(unknown, [](const fs::path&) {}); }).starts_with(reason + "list: "));
  EXPECT_TRUE(message_of([&] { remove_checked(unknown); }).starts_with(reason + "remove: "));
  write("folder/file", "x");
  EXPECT_TRUE(message_of([&] { remove_checked(at("folder")); }).starts_with(at("folder") + ": cannot remove: "));
}

TEST_F(Paths, ACurrentFolderThatIsGoneIsAnError) {
  const fs::path before = current_folder();
  EXPECT_EQ(absolute_path("a"), before / "a");
  EXPECT_EQ(absolute_path("/a"), "/a");
  make_folder(at("gone"));
  fs::current_path(at("gone"));
  fs::remove(at("gone"));
  EXPECT_EQ(code_of([&] { absolute_path("a"); }), Errc::io);
  EXPECT_EQ(absolute_path("/a"), "/a");
  fs::current_path(before);
}

TEST_F(Paths, HaveFilesBelowThem) {
  for (const char* name : {"top/b", "top/a/c", "top/a/b/d", "top/c/e"}) write(name, "12345");
  fs::create_symlink("b", at("top/link"));
  fs::create_directory_symlink("a", at("top/again"));
  std::vector<std::string> found;
  for_each_file(at("top"), [&](const fs::path& below) { found.push_back(below.string()); });
  EXPECT_EQ(found, (std::vector<std::string>{"b", "a/c", "a/b/d", "c/e"}));
  EXPECT_EQ(file_bytes(at("top/link")), 5U);
  EXPECT_TRUE(is_link(at("top/again")));
  EXPECT_FALSE(is_link(at("top/b")));
  EXPECT_FALSE(is_link(at("top/none")));
  EXPECT_EQ(code_of([&] { file_bytes(at("top/none")); }), Errc::not_found);
  remove_checked(at("top/b"));
  remove_checked(at("top/b"));
  EXPECT_FALSE(is_taken(at("top/b")));
}

TEST_F(Paths, AreListedInOrder) {
  for (const char* name : {"b", "a", ".c"}) write(name, "");
  EXPECT_EQ(list_folder(folder()), (std::vector<std::string>{".c", "a", "b"}));
  EXPECT_TRUE(list_folder(at("none")).empty());
}

TEST_F(Paths, LieInEachOtherHoweverTheyAreSpelled) {
  fs::create_directories(at("a/b"));
  fs::create_directory_symlink(at("a"), at("link"));
  EXPECT_TRUE(is_within(at("a/b"), at("a")));
  EXPECT_TRUE(is_within(at("a"), at("a/")));
  EXPECT_TRUE(is_within(at("link/b/none"), at("a/b")));
  EXPECT_TRUE(is_within(at("a/../a/b"), at("link")));
  EXPECT_FALSE(is_within(at("a"), at("a/b")));
  EXPECT_FALSE(is_within(at("ab"), at("a")));
}

TEST_F(Paths, FoldersAreMadeAndFilesAboveThemRefused) {
  make_folders(at("x/y/z/"));
  EXPECT_TRUE(fs::is_directory(at("x/y/z")));
  make_folders(at("x/y"));
  write("file", "x");
  fs::create_symlink("nowhere", at("link"));
  EXPECT_EQ(code_of([&] { make_folders(at("file/below")); }), Errc::invalid_argument);
  EXPECT_EQ(code_of([&] { make_folders(at("link/below")); }), Errc::invalid_argument);
}

TEST_F(Paths, APipeInThePlaceOfAFileIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0666), 0);
  EXPECT_EQ(code_of([&] { read_file(at("pipe")); }), Errc::unsupported);
  EXPECT_EQ(code_of([&] { FileLock{at("pipe")}; }), std::nullopt);
}

TEST_F(Paths, AFileThatLosesItsEndIsNoticedWhereItIsRead) {
  const fs::path path = write("file", "0123456789");
  const RandomFile file(path);
  char bytes[10];
  file.read(0, bytes);
  ASSERT_EQ(truncate(path.c_str(), 4), 0);
  EXPECT_EQ(code_of([&] { file.read(0, bytes); }), Errc::corrupt);
  EXPECT_EQ(file.read_up_to(2, bytes), 2U);
  EXPECT_EQ(read_file_part(path, 1, 100), "123");
}

TEST_F(Paths, WhatIsWrittenAsideIsNewAndAbandonedPartsOfOursGo) {
  const std::string target = at("file");
  // The names of a killed program's file, and of files of other owners.
  const std::string ours = target + ".partial-refrain-99999999-0";
  write("file.partial-refrain-99999999-0", "half");
  write("file.partial-notes", "mine");
  write("file.partial-2024-01-05", "mine");
  // A link with the next name must not be followed.
  write("victim", "mine");
  fs::create_symlink("victim", aside_name(target, 0));
  AtomicFile file(target);
  file.out().write("whole");
  AtomicFile beside(target);  // another writer does not take this file for abandoned
  file.commit();
  EXPECT_EQ(read_file(target), "whole");
  EXPECT_EQ(read_file(at("victim")), "mine");
  EXPECT_FALSE(is_taken(ours));
  EXPECT_TRUE(is_taken(at("file.partial-notes")));
  EXPECT_TRUE(is_taken(at("file.partial-2024-01-05")));
}

}  // namespace
}  // namespace refrain
