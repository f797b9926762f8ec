// Damage to an index is detected, and never leads to a wrong answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "engines/blot/format.h"
#include "engines/blot/manifest.h"
#include "flip.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "refrain/report_json.h"
#include "verbs/index/read/snapshot.h"
#include "world.h"

namespace refrain::verbs::index {
namespace {

namespace fs = std::filesystem;
using TextsById = std::map<std::string, std::string>;  // id to text

constexpr const char* kCorrupt = "(corrupt)";

// An index of three segments with stored texts. Documents were removed from two of them and replaced in one.
class IndexDamage : public testing::Test, public World {
 protected:
  void SetUp() override {
    const auto documents = [&](int first, int count) {
      std::vector<QueryDocument> made;
      for (int i = first; i < first + count; ++i) {
        // Every second document quotes the one before it.
        std::string text = i % 2 == 1 ? made.back().text : words(i % 10 == 0 ? 900 : 20);
        text += words(15);
        made.push_back({"id" + std::to_string(i), text});
        texts_[made.back().id] = text;
      }
      return made;
    };
    create_index(
        {path_, InputOptions{.paths = {write("empty.jsonl", "")}}, {.blot_bits = 16, .shards = 2, .store_text = true}},
        context_);
    Index index(path_);
    index.add(documents(0, 40), false, context_);
    index.add(documents(40, 20), false, context_);
    ids_ = {"none"};
    for (const auto& [id, text] : texts_) ids_.push_back(id);
    for (const char* id : {"id2", "id3", "id45"}) {
      removed_[id] = texts_[id];
      texts_.erase(id);
      index.remove({id}, context_);
    }
    texts_["id7"] = words(30);
    texts_["id8"] = texts_["id4"];
    index.add({{"id7", texts_["id7"]}, {"id8", texts_["id8"]}}, true, context_);
    ASSERT_EQ(Snapshot(path_).manifest().segments.size(), 3U);
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file() && entry.file_size() > 0) files_.push_back(entry.path());
    std::sort(files_.begin(), files_.end());
    ASSERT_EQ(files_.size(), 3U * 4 + 2 + 1);
    right_ = answers();
    for (const auto& [what, answer] : right_) ASSERT_NE(answer, kCorrupt) << what;
    ASSERT_FALSE(right_["extract"].empty());
    ASSERT_FALSE(right_["query"].empty());
  }

  std::string words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "w" + std::to_string(random_() % 5000) + " ";
    return text;
  }

  // The answers to all questions that an index takes, as text.
  std::map<std::string, std::string> answers() {
    std::map<std::string, std::string> found;
    const auto ask = [&](const std::string& what, const std::function<void(Index&, std::string&)>& question) {
      std::string answer;
      try {
        Index index(path_);
        question(index, answer);
      } catch (const Error& error) {
        if (error.code() != Errc::corrupt) throw;
        answer = kCorrupt;
      }
      found[what] = answer;
    };
    ask("stats", [](Index& index, std::string& out) {
      const IndexStats stats = index.stats();
      for (const std::uint64_t value : {stats.generation, stats.documents, stats.removed, stats.tokens, stats.blots,
                                        stats.posts, stats.segments, stats.posts_bytes, stats.texts_bytes})
        out += std::to_string(value) + " ";
    });
    for (std::size_t i = 0; i < ids_.size(); ++i)
      ask("document " + ids_[i], [&](Index& index, std::string& out) {
        const std::optional<IndexDocument> document = index.document(ids_[i]);
        out = document ? document->text : "(none)";
      });
    ask("query", [&](Index& index, std::string& out) {
      const auto sink = json_passages([&](std::string_view piece) { out += piece; });
      index.query({.documents = {{"q", texts_["id4"] + texts_["id11"]}}, .limits = {}}, context_, *sink);
    });
    ask("extract", [&](Index& index, std::string& out) {
      const auto sink = json_passages([&](std::string_view piece) { out += piece; });
      index.extract({}, context_, *sink);
    });
    ask("blots", [&](Index& index, std::string& out) {
      index.blots({.min_documents = 1}, context_, [&](const BlotRow& row) {
        out += std::to_string(row.blot);
        for (const std::string& id : row.ids) out += " " + id;
        out += "\n";
      });
    });
    return found;
  }
  // Expects every answer that is given to be right. Returns their number.
  std::size_t expect_right_or_corrupt(const std::string& what) {
    std::size_t given = 0;
    for (const auto& [question, answer] : answers()) {
      if (answer == kCorrupt) continue;
      ++given;
      EXPECT_EQ(answer, right_[question]) << what << ": " << question;
    }
    return given;
  }
  void expect_found(const fs::path& file, const std::string& what) {
    std::vector<std::string> damages;
    try {
      damages = check_index(path_, false, context_).damages;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::corrupt) << what;
      damages = {error.what()};
    }
    EXPECT_TRUE(std::any_of(damages.begin(), damages.end(),
                            [&](const std::string& damage) { return damage.find(file.string()) == 0; }))
        << what << (damages.empty() ? ": nothing found" : ": " + damages[0]);
  }
  // Repairs the index and checks the result: it is intact, and each document has its own text.
  void expect_repaired(const fs::path& file, const std::string& what) {
    const IndexCheckReport report = check_index(path_, true, context_);
    EXPECT_TRUE(report.repaired) << what;
    EXPECT_EQ(check_index(path_, false, context_).damages, std::vector<std::string>()) << what;
    TextsById left;
    Snapshot snapshot(path_);
    for (DocId i = 0; i < snapshot.documents(); ++i) {
      if (snapshot.removed(i)) continue;
      EXPECT_TRUE(left.emplace(snapshot.id(i), snapshot.text(i)).second) << what << ": two of one id";
    }
    const std::string name = file.filename().string();
    std::uint64_t lost = 0;
    for (const auto& [id, text] : texts_) {
      const auto found = left.find(id);
      if (found == left.end())
        ++lost;
      else
        EXPECT_EQ(found->second, text) << what << ": " << id;
    }
    EXPECT_EQ(lost, report.lost_documents) << what;
    EXPECT_EQ(report.whole(), lost == 0) << what;
    EXPECT_NE(to_json(report).find(lost == 0 ? R"("whole": true)" : R"("whole": false)"), std::string::npos) << what;
    if (name.starts_with("posts-") || name.ends_with(".removed")) {
      EXPECT_EQ(lost, 0U) << what;
    }
    for (const auto& [id, text] : left) {
      if (texts_.contains(id)) continue;
      EXPECT_TRUE(name.ends_with(".removed") && removed_[id] == text) << what << ": " << id;
    }
    std::set<std::string> expected = {store::kManifestName, store::kLockName};
    for (const blot::SegmentInfo& segment : snapshot.manifest().segments) {
      expected.insert(store::segment_path(path_, segment.number).filename().string());
      if (segment.removed > 0)
        expected.insert(store::removed_path({}, segment.number, segment.removed_generation).string());
    }
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) names.insert(entry.path().filename().string());
    EXPECT_EQ(names, expected) << what;
  }
  // Runs `work`, and then restores the index from a copy.
  void with_copy(const std::function<void()>& work) {
    const std::string saved = at("saved");
    fs::copy(path_, saved, fs::copy_options::recursive);
    work();
    fs::remove_all(path_);
    fs::rename(saved, path_);
  }

  std::mt19937 random_{7};
  const fs::path path_ = at("index");
  const Context context_{.memory_bytes = std::uint64_t{128} << 20U, .threads = 1};
  TextsById texts_;
  TextsById removed_;
  std::vector<std::string> ids_;
  std::vector<fs::path> files_;
  std::map<std::string, std::string> right_;
};

TEST_F(IndexDamage, AFlippedBitIsFoundAndNeverServed) {
  std::size_t flips = 0;
  std::size_t given = 0;
  for (const fs::path& file : files_) {
    const std::uint64_t bytes = fs::file_size(file);
    std::vector<std::uint64_t> places;
    if (file.filename() == store::kManifestName) {
      for (std::uint64_t i = 0; i < bytes; ++i) places.push_back(i);
    } else {
      // The first and the last byte of every page, the last byte of its content, and some others.
      for (std::uint64_t page = 0; page < bytes; page += store::kPageBytes) {
        places.insert(places.end(), {page, page + store::kPageContentBytes - 1, page + store::kPageBytes - 1});
        for (int i = 0; i < 4; ++i) places.push_back(page + random_() % store::kPageBytes);
      }
    }
    for (const std::uint64_t place : places) {
      const auto bit = static_cast<unsigned>(random_() % 8);
      const std::string what = file.string() + ", byte " + std::to_string(place) + ", bit " + std::to_string(bit);
      flip(file, place, bit);
      expect_found(file, what);
      given += expect_right_or_corrupt(what);
      flip(file, place, bit);
      ++flips;
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(flips, 800U);
  EXPECT_GT(given, 0U);  // damage in one place does not hide all others
  EXPECT_EQ(answers(), right_);
}

TEST_F(IndexDamage, FilesThatAreCutOrGoneAreFoundAndNeverServed) {
  for (const fs::path& file : files_) {
    const std::string content = read(file);
    std::set<std::size_t> sizes = {0, 1, content.size() / 2, content.size() - 1};
    if (content.size() > store::kPageBytes) sizes.insert({store::kPageBytes, content.size() - store::kPageBytes});
    for (const std::size_t size : sizes) {
      const std::string what = file.string() + ", cut to " + std::to_string(size);
      write(file, content.substr(0, size));
      expect_found(file, what);
      expect_right_or_corrupt(what);
      ASSERT_FALSE(HasFailure());
    }
    fs::remove(file);
    expect_found(file, file.string() + " is gone");
    expect_right_or_corrupt(file.string() + " is gone");
    write(file, content);
  }
  EXPECT_EQ(answers(), right_);
}

TEST_F(IndexDamage, AFileInTheWrongPlaceIsFoundAndNeverServed) {
  for (const fs::path& file : files_)
    for (const fs::path& other : files_) {
      if (file == other || file.extension() != other.extension()) continue;
      const std::string content = read(file);
      write(file, read(other));
      const std::string what = other.string() + " as " + file.string();
      expect_found(file, what);
      expect_right_or_corrupt(what);
      write(file, content);
    }
  EXPECT_EQ(answers(), right_);
}

TEST_F(IndexDamage, IsNeverMergedIntoWhatLooksWhole) {
  int refused = 0;
  for (const fs::path& file : files_)
    for (std::uint64_t page = 0; page < fs::file_size(file); page += store::kPageBytes)
      with_copy([&] {
        flip(file, page + random_() % std::min<std::uint64_t>(store::kPageBytes, fs::file_size(file)), 5);
        try {
          Index(path_).merge(context_);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), Errc::corrupt) << error.what();
          ++refused;
          return;
        }
        std::map<std::string, std::string> found = answers();
        found["stats"] = right_["stats"];
        EXPECT_EQ(found, right_) << file << " " << page;
      });
  EXPECT_GT(refused, 0);
  EXPECT_EQ(answers(), right_);
}

TEST_F(IndexDamage, IsRepairedFromWhatCanBeRead) {
  for (const fs::path& file : files_) {
    if (file.filename() == store::kManifestName) continue;
    const std::string content = read(file);
    for (std::uint64_t page = 0; page < content.size(); page += store::kPageBytes)
      with_copy([&] {
        flip(file, page + random_() % store::kPageBytes, 3);
        expect_repaired(file, file.string() + ", page " + std::to_string(page / store::kPageBytes));
      });
    with_copy([&] {
      write(file, content.substr(0, content.size() / 2));
      expect_repaired(file, file.string() + ", cut");
    });
    with_copy([&] {
      fs::remove(file);
      expect_repaired(file, file.string() + " is gone");
    });
    ASSERT_FALSE(HasFailure());
  }
}

// Without its list of removed documents, a segment gets those back: they do not make up for the documents that are
// lost.
TEST_F(IndexDamage, ARepairCountsWhatIsLostAlsoWhereRemovedDocumentsComeBack) {
  for (const fs::path& file : files_)
    if (file.extension() == ".removed") fs::remove(file);
  const fs::path texts = path_ / "000001" / "texts.bin";
  const std::string content = read(texts);
  for (std::uint64_t page = 0; page < content.size(); page += store::kPageBytes) {
    with_copy([&] {
      flip(texts, page + store::kPageContentBytes / 2, 3);
      const IndexCheckReport report = check_index(path_, true, context_);
      Snapshot snapshot(path_);
      std::set<std::string> left;
      for (DocId i = 0; i < snapshot.documents(); ++i) left.insert(snapshot.id(i));
      const auto lost = static_cast<std::uint64_t>(
          std::count_if(texts_.begin(), texts_.end(), [&](const auto& one) { return !left.contains(one.first); }));
      EXPECT_GE(report.lost_documents, lost) << page;
      EXPECT_EQ(report.whole(), report.lost_documents == 0) << page;
      EXPECT_GT(report.lost_documents, 0U) << page;
    });
  }
}

TEST_F(IndexDamage, WithoutItsManifestItIsLeftAsItIs) {
  const fs::path manifest = path_ / store::kManifestName;
  const std::string content = read(manifest);
  const auto refused = [&] {
    for (const bool repair : {false, true}) try {
        check_index(path_, repair, context_);
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::corrupt) << error.what();
        EXPECT_NE(std::string(error.what()).find(manifest.string()), std::string::npos) << error.what();
      }
  };
  flip(manifest, content.size() / 2, 0);
  refused();
  fs::remove(manifest);
  refused();
  write(manifest, content);
  EXPECT_EQ(answers(), right_);
}

TEST_F(IndexDamage, WithoutItsLockItGoesOn) {
  fs::remove(path_ / store::kLockName);
  EXPECT_EQ(answers(), right_);
  EXPECT_EQ(check_index(path_, true, context_).damages, std::vector<std::string>());
  EXPECT_TRUE(fs::exists(path_ / store::kLockName));
  fs::remove(path_ / store::kLockName);
  Index index(path_);
  index.add({{"more", "one more document"}}, false, context_);
  EXPECT_EQ(index.document("more")->text, "one more document");
}

}  // namespace
}  // namespace refrain::verbs::index
