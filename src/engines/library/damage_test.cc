// Tests that damage to a library is detected and never leads to a wrong answer, that a killed writer leaves either
// the old state or the new one, and that files that do not belong to the library are never touched.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "base/files/path.h"
#include "engines/library/format.h"
#include "engines/library/test_library.h"
#include "flip.h"
#include "refrain/error.h"
#include "store/segments/folder.h"

namespace refrain::library {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCorrupt = "(corrupt)";

// A library of two segments. Documents were removed from one of them.
class LibraryDamage : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random(17);
    for (const std::size_t count : {180U, 90U}) {
      std::vector<TestDocument> documents;
      for (std::size_t i = 0; i < count; ++i) documents.push_back(random_document(random, kTestLayout, 60));
      library_.add(documents, "run " + std::to_string(count));
    }
    library_.change([&](LibraryWriter& writing) {
      writing.remove([](std::string_view id, std::string_view) { return id.ends_with('3'); }, library_.context(),
                     library_.budget());
    });
    std::erase_if(library_.expected(), [](const TestDocument& document) { return document.id.ends_with('3'); });
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file() && entry.file_size() > 0) files_.push_back(entry.path());
    std::sort(files_.begin(), files_.end());
    ASSERT_EQ(files_.size(), 2U * kSegmentFiles + 2 + 1);
    probes_ = probes_for(library_.expected(), kTestLayout);
    ASSERT_EQ(answers(), right());
  }

  std::vector<std::vector<std::string>> right() {
    return {library_.expected_lines(), found_by_map(library_.expected(), kTestLayout, probes_)};
  }
  // Lists all documents, and the documents found by all keys. An answer that cannot be given is replaced by
  // kCorrupt.
  std::vector<std::vector<std::string>> answers() {
    std::vector<std::vector<std::string>> all;
    const auto ask = [&](auto question) {
      try {
        all.push_back(question());
      } catch (const Error& error) {
        if (error.code() != Errc::corrupt) throw;
        all.push_back({kCorrupt});
      }
    };
    ask([&] { return library_.read_all(); });
    ask([&] {
      Reader reader(path_, library_.budget());
      return found_by_reader(reader, probes_);
    });
    return all;
  }
  // Expects each answer that is given to be the right one. Returns how many were given.
  std::size_t expect_right_or_corrupt(const std::string& what) {
    const std::vector<std::vector<std::string>> expected = right();
    const std::vector<std::vector<std::string>> found = answers();
    std::size_t given = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == std::vector<std::string>{kCorrupt}) continue;
      ++given;
      EXPECT_EQ(found[i], expected[i]) << what;
    }
    return given;
  }
  void expect_found(const fs::path& file, const std::string& what) {
    try {
      check(path_, library_.context(), library_.budget());
      ADD_FAILURE() << what << ": nothing found";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::corrupt) << what << ": " << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with(file.string())) << what << ": " << error.what();
    }
  }

  TestLibrary library_;
  const fs::path path_ = library_.path();
  std::vector<fs::path> files_;
  std::vector<Probe> probes_;
  std::mt19937_64 random_{23};
};

TEST_F(LibraryDamage, AFlippedBitIsFoundAndNeverServed) {
  std::size_t given = 0;
  for (const fs::path& file : files_) {
    const std::uint64_t bytes = fs::file_size(file);
    std::vector<std::uint64_t> places;
    if (file.filename() == store::kManifestName) {
      for (std::uint64_t i = 0; i < bytes; i += 3) places.push_back(i);
    } else {
      for (std::uint64_t page = 0; page < bytes; page += store::kPageBytes) {
        places.insert(places.end(), {page, page + store::kPageContentBytes - 1, page + store::kPageBytes - 1});
        places.push_back(page + random_() % store::kPageBytes);
      }
    }
    for (const std::uint64_t place : places) {
      const auto bit = static_cast<unsigned>(random_() % 8);
      const std::string what = file.string() + ", byte " + std::to_string(place) + ", bit " + std::to_string(bit);
      flip(file, place, bit);
      expect_found(file, what);
      given += expect_right_or_corrupt(what);
      flip(file, place, bit);
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(given, 0U);  // damage in one place does not prevent all other answers
  EXPECT_EQ(answers(), right());
}

TEST_F(LibraryDamage, FilesThatAreCutOrGoneAreFoundAndNeverServed) {
  for (const fs::path& file : files_) {
    const std::string content = library_.read(file);
    std::set<std::size_t> sizes = {0, 1, content.size() / 2, content.size() - 1};
    if (content.size() > store::kPageBytes) sizes.insert({store::kPageBytes, content.size() - store::kPageBytes});
    for (const std::size_t size : sizes) {
      const std::string what = file.string() + ", cut to " + std::to_string(size);
      library_.write(file, content.substr(0, size));
      expect_found(file, what);
      expect_right_or_corrupt(what);
      ASSERT_FALSE(HasFailure());
    }
    fs::remove(file);
    expect_found(file, file.string() + " is gone");
    expect_right_or_corrupt(file.string() + " is gone");
    library_.write(file, content);
  }
  EXPECT_EQ(answers(), right());
}

TEST_F(LibraryDamage, AFileInTheWrongPlaceIsFoundAndNeverServed) {
  for (const fs::path& file : files_)
    for (const fs::path& other : files_) {
      if (file == other || file.extension() != other.extension()) continue;
      const std::string content = library_.read(file);
      library_.write(file, library_.read(other));
      const std::string what = other.string() + " as " + file.string();
      expect_found(file, what);
      expect_right_or_corrupt(what);
      library_.write(file, content);
    }
  EXPECT_EQ(answers(), right());
}

TEST_F(LibraryDamage, IsNeverMergedIntoWhatLooksWhole) {
  int refused = 0;
  const std::string saved = library_.at("saved");
  for (const fs::path& file : files_)
    for (std::uint64_t page = 0; page < fs::file_size(file); page += store::kPageBytes) {
      fs::copy(path_, saved, fs::copy_options::recursive);
      flip(file, page + random_() % std::min<std::uint64_t>(store::kPageBytes, fs::file_size(file)), 5);
      try {
        library_.change([&](LibraryWriter& writing) {
          writing.merge(0, 2, library_.context(), library_.budget(), library_.temp());
        });
        EXPECT_EQ(answers(), right()) << file << " " << page;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::corrupt) << error.what();
        ++refused;
      }
      fs::remove_all(path_);
      fs::rename(saved, path_);
    }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(answers(), right());
}

TEST_F(LibraryDamage, WhatWasNotCommittedLeavesNothing) {
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) found.insert(entry.path().string());
    return found;
  };
  const std::set<std::string> before = names();
  {
    LibraryWriter writing(path_);
    add_all(writing.add("new", 10, library_.context(), library_.budget(), library_.temp()), library_.expected(), "x");
    writing.merge(0, 3, library_.context(), library_.budget(), library_.temp());
    writing.remove([](std::string_view id, std::string_view) { return id.ends_with('5'); }, library_.context(),
                   library_.budget());
    EXPECT_NE(names(), before);
  }
  EXPECT_EQ(names(), before);
  EXPECT_EQ(answers(), right());
}

TEST_F(LibraryDamage, AWriterThatIsKilledLeavesTheOldStateOrTheNew) {
  const std::string before = identity_of(read_manifest(path_));
  const std::vector<TestDocument> old = library_.expected();
  const std::string saved = library_.at("saved");
  fs::copy(path_, saved, fs::copy_options::recursive);
  // Makes a change of every kind in one commit.
  const auto change = [&] {
    library_.change([&](LibraryWriter& writing) {
      add_all(writing.add("new", 10, library_.context(), library_.budget(), library_.temp()), old, "x");
      writing.remove([](std::string_view id, std::string_view) { return id.ends_with('5'); }, library_.context(),
                     library_.budget());
      writing.merge(0, 2, library_.context(), library_.budget(), library_.temp());
    });
  };
  const auto start = std::chrono::steady_clock::now();
  change();
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  std::vector<TestDocument> changed = old;
  changed.insert(changed.end(), old.begin(), old.end());
  std::erase_if(changed, [](const TestDocument& document) { return document.id.ends_with('5'); });
  std::size_t kept = 0;
  constexpr std::size_t kKills = 60;
  for (std::size_t i = 0; i < kKills; ++i) {
    fs::remove_all(path_);
    fs::copy(saved, path_, fs::copy_options::recursive);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      change();
      _exit(0);
    }
    std::this_thread::sleep_for(whole * i / (kKills * 3 / 4));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    const bool is_old = identity_of(read_manifest(path_)) == before;
    kept += is_old ? 1 : 0;
    library_.expected() = is_old ? old : changed;
    EXPECT_EQ(answers(), right());
    check(path_, library_.context(), library_.budget());
    const LibraryWriter next(path_);  // deletes what was never committed
    std::set<std::string> named = {store::kManifestName, store::kLockName};
    for (const SegmentInfo& segment : next.manifest().segments) {
      named.insert(store::segment_path({}, segment.number).string());
      if (segment.removed > 0)
        named.insert(store::removed_path({}, segment.number, segment.removed_generation).string());
    }
    std::set<std::string> names;
    for (const std::string& name : list_folder(path_))
      if (name.find(".partial-refrain-") == std::string::npos) names.insert(name);
    EXPECT_EQ(names, named);
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(kept, 0U);
}

TEST_F(LibraryDamage, AStrangersFilesStay) {
  for (const char* name : {"000001/notes.txt", "000007/documents.bin", "000003/keys.bin", "notes.txt", "000009.removed",
                           "000001-000002.removed", "manifest.old"})
    library_.write((path_ / name).string(), "somebody's");
  const auto strangers = [&] {
    std::size_t found = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file() && fs::file_size(entry) == 10) found += read_file(entry.path()) == "somebody's";
    return found;
  };
  ASSERT_EQ(strangers(), 7U);
  library_.change([&](LibraryWriter& writing) {
    add_all(writing.add("", 10, library_.context(), library_.budget(), library_.temp()), {}, "x");
    writing.merge(0, 2, library_.context(), library_.budget(), library_.temp());
  });
  library_.add({});
  EXPECT_EQ(strangers(), 7U);
  EXPECT_EQ(answers(), right());
}

TEST_F(LibraryDamage, TwoWritersAreOneTooMany) {
  const LibraryWriter writing(path_);
  try {
    const LibraryWriter other(path_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::busy);
  }
  EXPECT_EQ(answers(), right());  // readers are not affected
}

TEST_F(LibraryDamage, TheCommitOfAWriterThatSawNoLockIsNotUndone) {
  std::mt19937_64 random(29);
  std::vector<TestDocument> ours;
  std::vector<TestDocument> theirs;
  for (int i = 0; i < 20; ++i) ours.push_back(random_document(random, kTestLayout, 60));
  for (int i = 0; i < 20; ++i) theirs.push_back(random_document(random, kTestLayout, 60));
  {
    LibraryWriter writing(path_);
    fs::remove(path_ / store::kLockName);
    library_.add(theirs, "theirs");
    add_all(writing.add("ours", ours.size(), library_.context(), library_.budget(), library_.temp()), ours, "run-ours");
    try {
      writing.commit();
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::busy) << error.what();
    }
    EXPECT_EQ(library_.read_all(), library_.expected_lines());
    writing.restart();
    add_all(writing.add("ours", ours.size(), library_.context(), library_.budget(), library_.temp()), ours, "run-ours");
    writing.commit();
    library_.expected().insert(library_.expected().end(), ours.begin(), ours.end());
  }
  EXPECT_EQ(library_.read_all(), library_.expected_lines());
  // A writer that commits nothing does not delete it either.
  {
    const LibraryWriter writing(path_);
    fs::remove(path_ / store::kLockName);
    for (TestDocument& document : theirs) document.id += " again";
    library_.add(theirs, "theirs, too");
  }
  EXPECT_EQ(library_.read_all(), library_.expected_lines());
  check(path_, library_.context(), library_.budget());
}

TEST(LibraryFolder, AppearsWithItsFirstCommit) {
  TestLibrary library;
  {
    const LibraryWriter writing(library.path(), kTestLayout);
    EXPECT_FALSE(fs::exists(library.path()));
  }
  EXPECT_FALSE(fs::exists(library.path()));
  library.add({});
  EXPECT_EQ(read_manifest(library.path()).layout, kTestLayout);
  EXPECT_EQ(read_manifest(library.path()).generation, 1U);
  // An existing library keeps its layout.
  EXPECT_EQ(LibraryWriter(library.path(), Layout{}).manifest().layout, kTestLayout);
}

TEST(LibraryFolder, IsNotMadeOfSomethingElse) {
  const TestLibrary library;
  library.write("library/notes.txt", "mine");
  try {
    const LibraryWriter writing(library.path(), kTestLayout);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument) << error.what();
  }
  try {
    const LibraryWriter writing(library.path());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_found) << error.what();
  }
  EXPECT_EQ(library.read("library/notes.txt"), "mine");
}

}  // namespace
}  // namespace refrain::library
