// For the tests of this folder: a small index over files of its own, and a sink that keeps the passages it receives.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "random_text.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "verbs/index/query/query.h"
#include "verbs/index/read/snapshot.h"
#include "world.h"

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
    EXPECT_EQ(ended, passages.size());
    passages.push_back({head, {}});
  }
  void occurrence(const Occurrence& occurrence) override { passages.back().occurrences.push_back(occurrence); }
  void end() override { ++ended; }

  std::vector<Passage> passages;
  std::size_t ended = 0;
};

inline bool operator==(const Passage& a, const Passage& b) {
  return a.head.text == b.head.text && a.head.query == b.head.query && a.head.bytes == b.head.bytes &&
         a.head.length == b.head.length && a.head.similarity == b.head.similarity &&
         a.head.documents == b.head.documents && a.head.unverified == b.head.unverified &&
         a.occurrences == b.occurrences;
}

// Documents "0000", "0001" and so on, each a file, and an index over them.
class TestIndex : public World {
 public:
  explicit TestIndex(const std::vector<std::string>& texts, const IndexLayout& layout = {}) : texts_(texts) {
    std::filesystem::create_directory(at("in"));
    for (std::size_t i = 0; i < texts.size(); ++i) write(path(i), texts[i]);
    IndexCreateOptions options;
    options.index = path();
    options.input.paths = {at("in")};
    options.layout = layout;
    create_index(options, context());
  }

  std::string path() const { return at("index"); }
  std::string path(std::size_t document) const {
    std::string name = std::to_string(document);
    name.insert(0, 4 - name.size(), '0');
    return at("in/" + name);
  }
  const std::vector<std::string>& texts() const { return texts_; }

  QueryReport query(const QueryOptions& options, std::vector<Passage>& passages,
                    std::optional<unsigned> threads = {}) const {
    Snapshot snapshot(path());
    KeptPassages kept;
    Context how = context();
    how.threads = threads.value_or(how.threads);
    const QueryReport report = query_index(snapshot, options, how, kept);
    EXPECT_EQ(report.passages, kept.passages.size());
    passages.insert(passages.end(), kept.passages.begin(), kept.passages.end());
    return report;
  }
  // Returns all passages of one text, after comparing each place with the file that it names.
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
  // Calls check(report, passages) with the answer for each of several numbers of threads.
  template <class Check>
  void on_any_threads(const QueryOptions& options, Check check) const {
    for (const unsigned threads : {1U, 2U, 3U, 8U}) {
      SCOPED_TRACE(threads);
      std::vector<Passage> passages;
      const QueryReport report = query(options, passages, threads);
      check(report, passages);
    }
  }
  // The number of the document with this id.
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

  std::vector<std::string> texts_;
};

}  // namespace refrain::verbs::index
