// For the tests of dedup: a small corpus, a run over it, and the decisions that follow from the definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engines/sketch/test_plain_loss.h"
#include "random_text.h"
#include "refrain/dedup.h"
#include "refrain/error.h"
#include "world.h"

namespace refrain::verbs::dedup {

// Slow and obvious: words and windows of five words as strings.
inline Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

inline std::set<std::string> windows(const std::string& text) {
  const Words words = words_of(text);
  std::set<std::string> all;
  for (std::size_t i = 0; i + 5 <= words.size(); ++i) all.insert(join(part(words, i, 5)));
  return all;
}

inline double similarity(const std::set<std::string>& first, const std::set<std::string>& second) {
  std::size_t common = 0;
  for (const std::string& window : first) common += second.count(window);
  return static_cast<double>(common) / static_cast<double>(first.size() + second.size() - common);
}

inline double similarity(const std::string& a, const std::string& b) {
  return similarity(windows(a), windows(b));
}

// The longest run of words of `text` that are in no window of five that `other` has, too.
inline std::size_t own_run(const std::string& text, const std::set<std::string>& other) {
  const Words words = words_of(text);
  std::vector<bool> held(words.size());
  for (std::size_t i = 0; i + 5 <= words.size(); ++i)
    if (other.contains(join(part(words, i, 5))))
      for (std::size_t k = 0; k < 5; ++k) held[i + k] = true;
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const bool one : held) longest = std::max(longest, run = one ? 0 : run + 1);
  return longest;
}

// A row of decisions.jsonl.
struct Decided {
  bool keep = true;
  std::string reason;
  std::string match;
  double similarity = 0;
  std::string cluster;
  friend bool operator==(const Decided&, const Decided&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Decided& d) {
    return out << d.keep << ' ' << d.reason << ' ' << d.match << ' ' << d.similarity << ' ' << d.cluster;
  }
};

inline std::string value_of(const std::string& line, const std::string& key) {
  const std::size_t at = line.find("\"" + key + "\": ");
  EXPECT_NE(at, std::string::npos) << line;
  const std::size_t begin = at + key.size() + 4;
  std::string value = line.substr(begin, line.find_first_of(",}", begin) - begin);
  if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
  return value == "null" ? "" : value;
}

struct Given {
  std::string text;
  std::string source = "a";
  std::string date = "";
};

class DedupTest : public testing::Test, public World {
 protected:
  std::string given(const std::vector<Given>& documents, const std::string& name = "in.jsonl") {
    std::vector<std::string> records;
    for (const Given& document : documents)
      records.push_back(json_record({{"text", document.text}, {"source", document.source}, {"date", document.date}}));
    return write_lines(name, records);
  }
  std::string given(const std::vector<std::string>& texts) {
    std::vector<Given> documents;
    for (const std::string& text : texts) documents.push_back({text});
    return given(documents);
  }

  DedupReport run(const DedupOptions& options, unsigned threads = 2, std::uint64_t memory = std::uint64_t{1} << 30) {
    return refrain::dedup(options, context(threads, memory));
  }
  DedupOptions options(const std::string& input, const std::string& output = "out") {
    DedupOptions options;
    options.input.paths = {input};
    options.output = at(output);
    options.force = true;
    return options;
  }

  std::vector<Decided> decided(const std::string& output = "out") {
    std::vector<Decided> rows;
    for (const std::string& line : lines(output + "/decisions.jsonl")) {
      Decided row;
      row.keep = value_of(line, "keep") == "true";
      row.reason = value_of(line, "reason");
      row.match = value_of(line, "match");
      const std::string number = value_of(line, "similarity");
      row.similarity = number.empty() ? 0 : std::stod(number);
      row.cluster = value_of(line, "cluster");
      EXPECT_EQ(value_of(line, "id"), std::to_string(rows.size()));
      rows.push_back(row);
    }
    return rows;
  }
  std::string kept(const std::string& output = "out") {
    std::string text;
    for (const Decided& row : decided(output)) text += row.keep ? 'k' : '-';
    return text;
  }
  std::string bytes(const std::string& output) {
    std::string all;
    for (const char* name : {"/decisions.jsonl", "/matches.tsv", "/clusters.tsv"}) all += read(output + name);
    return all;
  }
};

// Implements the definition: documents are taken in input order, and each is kept unless a kept one is similar to
// it and covers it; copies first.
inline std::vector<Decided> plain(const std::vector<std::string>& texts, double threshold,
                                  std::size_t max_loss = kAutoLoss) {
  const std::size_t count = texts.size();
  std::vector<Decided> rows(count);
  std::vector<std::vector<double>> like(count, std::vector<double>(count, 0));
  std::vector<std::set<std::string>> sets;
  for (const std::string& text : texts) sets.push_back(windows(text));
  std::vector<std::size_t> cluster(count);
  for (std::size_t i = 0; i < count; ++i) cluster[i] = i;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      like[i][j] = texts[i] == texts[j] ? 1 : sets[i].empty() || sets[j].empty() ? 0 : similarity(sets[i], sets[j]);
      if (like[i][j] < threshold) continue;
      const std::size_t from = std::max(cluster[i], cluster[j]);
      const std::size_t to = std::min(cluster[i], cluster[j]);
      for (std::size_t& c : cluster)
        if (c == from) c = to;
    }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0, least = ~std::size_t{0}; j < i && rows[i].keep; ++j) {
      if (!rows[j].keep || like[i][j] < threshold) continue;
      const std::size_t own = texts[i] == texts[j] ? 0 : own_run(texts[i], sets[j]);
      const bool covered =
          own == 0 ||
          (max_loss == kAutoLoss ? !sketch::plainly_heavy(words_of(texts[i]), words_of(texts[j]), 5) : own <= max_loss);
      if (covered)
        rows[i] = {false, texts[i] == texts[j] ? "exact" : "near", std::to_string(j), like[i][j], ""};
      else if (own < least)
        rows[i] = {true, "own_text", std::to_string(j), like[i][j], ""};
      least = std::min(least, own);
    }
  for (std::size_t i = 0; i < count; ++i)
    if (std::count(cluster.begin(), cluster.end(), cluster[i]) > 1) rows[i].cluster = std::to_string(cluster[i]);
  return rows;
}

}  // namespace refrain::verbs::dedup
