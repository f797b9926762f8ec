// Small worlds for the tests of extracting: an index of a few documents made of words, and all that is told of it.
#pragma once

#include "verbs/index/extract/extract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/files/tempdir.h"
#include "refrain/error.h"

namespace refrain::verbs::index {

namespace fs = std::filesystem;

struct Passage {
  PassageHead head;
  std::vector<Occurrence> occurrences;
};

class Collector : public PassageSink {
 public:
  void begin(const PassageHead& head) override { passages.push_back({head, {}}); }
  void occurrence(const Occurrence& occurrence) override { passages.back().occurrences.push_back(occurrence); }
  void end() override { ++ended; }
  std::vector<Passage> passages;
  std::size_t ended = 0;
};

using Words = std::vector<std::string>;

inline std::string join(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

inline Words random_words(std::mt19937_64& random, std::size_t count, std::uint64_t vocabulary = 1'000'000'000) {
  Words words(count);
  for (std::string& word : words) word = "w" + std::to_string(random() % vocabulary);
  return words;
}

inline Words operator+(Words x, const Words& y) {
  x.insert(x.end(), y.begin(), y.end());
  return x;
}

// An index of some texts, a line each, so their ids are 0, 1, 2.
class World {
 public:
  explicit World(const std::vector<std::string>& texts, const IndexLayout& layout = {})
      : folder_(fs::temp_directory_path(), "extract-test"), texts_(texts) {
    std::ofstream out(input());
    for (const std::string& text : texts) out << text << '\n';
    out.close();
    IndexCreateOptions options;
    options.index = folder_.path() / "index";
    options.input.paths = {input()};
    options.input.format = Format::lines;
    options.layout = layout;
    create_index(options, context(2));
  }

  static Context context(unsigned threads) {
    Context context;
    context.memory_bytes = std::uint64_t{96} << 20U;
    context.threads = threads;
    return context;
  }
  std::string input() const { return (folder_.path() / "texts").string(); }

  std::vector<Passage> extract(const ExtractOptions& options = {}, unsigned threads = 2, std::uint64_t memory = 0) {
    Snapshot snapshot(folder_.path() / "index");
    Collector collector;
    Context run = context(threads);
    if (memory != 0) run.memory_bytes = memory;
    report = extract_passages(snapshot, options, run, collector);
    EXPECT_EQ(collector.ended, collector.passages.size());
    EXPECT_EQ(report.passages, collector.passages.size());
    for (const Passage& passage : collector.passages) check(passage);
    return collector.passages;
  }

  ExtractReport report;

 private:
  // What holds of every passage: its bytes are those of the documents, and it is in order.
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

  TempDir folder_;
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
