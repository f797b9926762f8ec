// For the tests of this folder: a small index over files of their own, and the passages that it tells.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/files/tempdir.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "text/tokenizer.h"
#include "verbs/index/query/query.h"
#include "verbs/index/read/snapshot.h"

namespace refrain {

inline bool operator==(const Occurrence& a, const Occurrence& b) {
  return a.id == b.id && a.bytes == b.bytes && a.text == b.text && a.shared == b.shared && a.similarity == b.similarity;
}

}  // namespace refrain

namespace refrain::verbs::index {

struct Passage {
  PassageHead head;
  std::vector<Occurrence> occurrences;
};

class KeptPassages : public PassageSink {
 public:
  void begin(const PassageHead& head) override {
    EXPECT_TRUE(ended_);
    ended_ = false;
    passages.push_back({head, {}});
  }
  void occurrence(const Occurrence& occurrence) override { passages.back().occurrences.push_back(occurrence); }
  void end() override { ended_ = true; }

  std::vector<Passage> passages;

 private:
  bool ended_ = true;
};

inline bool operator==(const Passage& a, const Passage& b) {
  return a.head.text == b.head.text && a.head.query == b.head.query && a.head.bytes == b.head.bytes &&
         a.head.length == b.head.length && a.head.similarity == b.head.similarity &&
         a.head.documents == b.head.documents && a.head.unverified == b.head.unverified &&
         a.occurrences == b.occurrences;
}

// Documents "0000", "0001" and so on, each a file, and an index over them.
class TestIndex {
 public:
  explicit TestIndex(const std::vector<std::string>& texts, const IndexLayout& layout = {}) : texts_(texts) {
    std::filesystem::create_directory(folder_.path() / "in");
    for (std::size_t i = 0; i < texts.size(); ++i) std::ofstream(path(i), std::ios::binary) << texts[i];
    IndexCreateOptions options;
    options.index = folder();
    options.input.paths = {(folder_.path() / "in").string()};
    options.layout = layout;
    create_index(options, context());
  }

  std::filesystem::path folder() const { return folder_.path() / "index"; }
  std::string path(std::size_t document) const {
    std::string name = std::to_string(document);
    name.insert(0, 4 - name.size(), '0');
    return (folder_.path() / "in" / name).string();
  }
  const std::vector<std::string>& texts() const { return texts_; }
  static Context context() { return {.memory_bytes = std::uint64_t{256} << 20U, .threads = 2}; }

  QueryReport query(const QueryOptions& options, std::vector<Passage>& passages) const {
    Snapshot snapshot(folder());
    KeptPassages kept;
    const QueryReport report = query_index(snapshot, options, context(), kept);
    EXPECT_EQ(report.passages, kept.passages.size());
    passages.insert(passages.end(), kept.passages.begin(), kept.passages.end());
    return report;
  }
  // All passages of one text, each place of which is compared with the file that it is said to stand in.
  std::vector<Passage> query(const std::string& text, QueryOptions options = {}) const {
    options.documents = {{"query", text}};
    options.limit = 0;
    options.max_occurrences = 0;
    std::vector<Passage> passages;
    query(options, passages);
    for (const Passage& passage : passages) {
      EXPECT_EQ(passage.head.text, slice(text, passage.head.bytes));
      for (const Occurrence& occurrence : passage.occurrences) expect_true(occurrence);
    }
    return passages;
  }
  // The number of the document of this id.
  std::size_t number(const std::string& id) const {
    return static_cast<std::size_t>(std::stoul(std::filesystem::path(id).filename().string()));
  }

  static std::string slice(const std::string& text, const ByteRange& bytes) {
    return text.substr(bytes.begin, bytes.end - bytes.begin);
  }

 private:
  void expect_true(const Occurrence& occurrence) const {
    EXPECT_EQ(occurrence.text, slice(texts_[number(occurrence.id)], occurrence.bytes));
    std::uint64_t last = 0;
    for (const ByteRange& shared : occurrence.shared) {
      EXPECT_GE(shared.begin, last);
      EXPECT_GT(shared.end, shared.begin);
      last = shared.end;
    }
    EXPECT_EQ(last, occurrence.text.size()) << "an end that is not shared";
    EXPECT_TRUE(!occurrence.shared.empty() && occurrence.shared.front().begin == 0);
  }

  TempDir folder_{std::filesystem::temp_directory_path(), ".index_test.partial"};
  std::vector<std::string> texts_;
};

// Words out of so many different ones, and texts of them.
using Words = std::vector<std::string>;

inline Words words_out_of(std::mt19937_64& random, std::size_t count, std::size_t different) {
  Words words;
  for (std::size_t i = 0; i < count; ++i) words.push_back("w" + std::to_string(random() % different));
  return words;
}

inline std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

inline Words part(const Words& words, std::size_t first, std::size_t count) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

inline void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// So many words in a hundred, at random, are lost, replaced, or have another one put before them.
inline Words with_noise(std::mt19937_64& random, const Words& words, unsigned percent) {
  Words noisy;
  for (const std::string& word : words) {
    if (random() % 100 >= percent) {
      noisy.push_back(word);
      continue;
    }
    const std::uint64_t kind = random() % 3;
    if (kind != 0) noisy.push_back("n" + std::to_string(random() % 1000000));
    if (kind == 2) noisy.push_back(word);
  }
  return noisy;
}

}  // namespace refrain::verbs::index
