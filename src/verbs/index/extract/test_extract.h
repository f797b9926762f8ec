// Fixtures for the tests of extractions: a small index of documents made of random words, and all passages found in it.
#pragma once

#include "verbs/index/extract/extract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "random_text.h"
#include "verbs/index/test_index.h"
#include "world.h"

namespace refrain::verbs::index {

// Words from a vocabulary so large that two texts share none by chance.
inline Words rare_words(std::mt19937_64& random, std::size_t count) {
  return random_words(random, count, 1'000'000'000);
}

inline Words operator+(Words x, const Words& y) {
  append(x, y);
  return x;
}

// An index of some texts, one per line, so that their ids are 0, 1, 2 and so on.
class TestExtract : public World {
 public:
  static constexpr std::uint64_t kMemory = std::uint64_t{96} << 20U;

  explicit TestExtract(const std::vector<std::string>& texts, const IndexLayout& layout = {}) : texts_(texts) {
    IndexCreateOptions options;
    options.index = at("index");
    options.input.paths = {write_lines("texts", texts)};
    options.input.format = Format::lines;
    options.layout = layout;
    create_index(options, context(2, kMemory));
  }

  std::vector<Passage> extract(const ExtractOptions& options = {}, unsigned threads = 2,
                               std::uint64_t memory = kMemory) {
    Snapshot snapshot(at("index"));
    KeptPassages kept;
    report = extract_passages(snapshot, options, context(threads, memory), kept);
    EXPECT_EQ(kept.ended, kept.passages.size());
    EXPECT_EQ(report.passages, kept.passages.size());
    for (const Passage& passage : kept.passages) check(passage);
    return kept.passages;
  }

  ExtractReport report;

 private:
  // Checks what must hold for every passage: its bytes are those of the documents, and its places are in order.
  void check(const Passage& passage) const {
    ASSERT_GE(passage.occurrences.size(), 2U);
    std::set<std::string> ids;
    for (const Occurrence& occurrence : passage.occurrences) {
      const std::string& text = texts_[std::stoul(occurrence.id)];
      ASSERT_LE(occurrence.bytes.end, text.size());
      EXPECT_EQ(text.substr(occurrence.bytes.begin, occurrence.bytes.end - occurrence.bytes.begin), occurrence.text);
      for (const ByteRange& range : occurrence.shared) {
        EXPECT_LT(range.begin, range.end);
        EXPECT_LE(range.end, occurrence.text.size());
      }
      ids.insert(occurrence.id);
    }
    EXPECT_EQ(passage.head.documents, ids.size());
    EXPECT_EQ(passage.head.text, passage.occurrences.front().text);
    for (std::size_t i = 1; i < passage.occurrences.size(); ++i) {
      const Occurrence& before = passage.occurrences[i - 1];
      const Occurrence& here = passage.occurrences[i];
      EXPECT_LT(std::pair(std::stoul(before.id), before.bytes.begin), std::pair(std::stoul(here.id), here.bytes.begin));
    }
  }

  std::vector<std::string> texts_;
};

inline std::vector<std::string> ids_of(const Passage& passage) {
  std::vector<std::string> ids;
  for (const Occurrence& occurrence : passage.occurrences) ids.push_back(occurrence.id);
  return ids;
}

inline std::string all_of(const std::vector<Passage>& passages) {
  std::string out;
  for (const Passage& passage : passages) {
    out += passage.head.text + '|' + std::to_string(passage.head.length) + '|' +
           std::to_string(passage.head.similarity) + '|' + std::to_string(passage.head.documents) + '\n';
    for (const Occurrence& occurrence : passage.occurrences) {
      out += "  " + occurrence.id + ' ' + std::to_string(occurrence.bytes.begin) + ' ' + occurrence.text + ' ' +
             std::to_string(occurrence.similarity);
      for (const ByteRange& range : occurrence.shared)
        out += ' ' + std::to_string(range.begin) + '-' + std::to_string(range.end);
      out += '\n';
    }
  }
  return out;
}

}  // namespace refrain::verbs::index
