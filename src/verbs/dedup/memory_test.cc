// Tests that dedup of documents in memory decides the same as dedup of files, and leaves no files behind.
#include "refrain/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "random_text.h"
#include "refrain/error.h"
#include "refrain/overrides.h"
#include "world.h"

namespace refrain {

namespace {

// The line of decisions.jsonl for a decision.
std::string line_of(std::size_t document, const DedupDecision& decision) {
  std::string line = fmt::format(R"({{"id": "{}", "keep": {}, "reason": )", document, decision.keep);
  const bool own_text = decision.own_text;
  line += own_text                          ? R"("own_text")"
          : decision.reason == Reason::none ? "null"
                                            : fmt::format(R"("{}")", reason_name(decision.reason));
  if (decision.match)
    line += fmt::format(R"(, "match": "{}", "similarity": {:.6g})", *decision.match, decision.similarity);
  else
    line += R"(, "match": null, "similarity": null)";
  if (decision.reason == Reason::near || own_text)
    line += fmt::format(R"(, "lost": {}, "longest_lost": {})", decision.lost, decision.longest_lost);
  if (own_text && decision.as_written < 1) line += fmt::format(R"(, "as_written": {:.3g})", decision.as_written);
  if (!decision.differs_in.empty()) line += fmt::format(R"(, "differs_in": "{}")", decision.differs_in);
  line += R"(, "spans": [)";
  for (const ByteRange& span : decision.spans)
    line += fmt::format("{}[{}, {}]", &span == decision.spans.data() ? "" : ", ", span.begin, span.end);
  line += fmt::format(R"(], "cluster": {}}})", decision.cluster ? std::to_string(*decision.cluster) : "null");
  return line + "\n";
}

class DedupMemory : public testing::Test, public World {
 protected:
  Context context(unsigned threads) const { return temp_.context(threads, kMinMemoryBytes); }

  void expect_same(DedupOptions options) {
    DedupOptions files = options;
    files.input = {.paths = {write_lines("texts.txt", texts_)}, .format = Format::lines};
    files.output = at("out");
    files.force = true;
    const DedupReport expected = dedup(files, context(2));
    // Rows in memory do not name the decisions of people.
    const std::string decisions =
        std::regex_replace(read("out/decisions.jsonl"), std::regex(R"(, "override": \{[^}]*\})"), "");
    for (const unsigned threads : {1U, 3U, 8U}) {
      const auto documents = documents_of(std::span<const std::string>(texts_));
      const DedupResult result = dedup(*documents, options, context(threads));
      std::string lines;
      for (std::size_t i = 0; i < result.decisions.size(); ++i) lines += line_of(i, result.decisions[i]);
      EXPECT_EQ(lines, decisions);
      EXPECT_EQ(result.report.kept, expected.kept);
      EXPECT_EQ(result.report.kept_bytes, expected.kept_bytes);
      EXPECT_EQ(result.report.removed_near, expected.removed_near);
      EXPECT_EQ(result.report.check.sampled, expected.check.sampled);
      EXPECT_LT(result.report.kept, texts_.size());
    }
    EXPECT_TRUE(std::filesystem::is_empty(temp_.folder()));
  }

  const World temp_;  // used only for temporary files
  std::vector<std::string> texts_ = texts_with_copies(600, 80, 11);
};

TEST_F(DedupMemory, DecidesAsForFiles) {
  expect_same({});
}

TEST_F(DedupMemory, ObeysPeopleAsForFiles) {
  const auto documents = documents_of(std::span<const std::string>(texts_));
  const DedupResult before = dedup(*documents, {}, context(1));
  const auto named = [&](DocId document) {
    return OverrideDocument{.digest = digest(texts_[document]), .id = std::to_string(document)};
  };
  std::string lines;
  std::uint64_t seq = 0;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (before.decisions[i].reason != Reason::near) continue;
    Override line{.seq = ++seq};
    line.op = seq % 3 == 0 ? OverrideOp::never : seq % 3 == 1 ? OverrideOp::keep : OverrideOp::survivor;
    line.documents = {named(i)};
    if (seq % 3 == 0) line.documents.push_back(named(*before.decisions[i].match));
    lines += to_json(line);
  }
  ASSERT_GT(seq, 5U);
  DedupOptions options;
  options.overrides = write("people.jsonl", lines);
  expect_same(options);
}

TEST_F(DedupMemory, DecidesAsForFilesWhereSymbolsTellTextsApart) {
  for (const char* sign : {"==", "!="}) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += fmt::format("if (a{} {} b{}) return ", i, sign, i);
    texts_.push_back(std::move(text));
  }
  expect_same({});
  EXPECT_NE(read("out/decisions.jsonl").find("as_written"), std::string::npos);
}

TEST_F(DedupMemory, DecidesAsForFilesWithSubstringsAndAnotherPolicy) {
  expect_same({.threshold = 0.7, .substrings = 60, .keep = {.rank = Rank::longest}});
}

TEST_F(DedupMemory, DecidesAsForFilesWhereAllOfATextIsRepeated) {
  texts_.push_back(texts_[0].substr(0, texts_[0].size() / 3));
  expect_same({.near = NearMethod::off, .substrings = 20});
  const auto documents = documents_of(std::span<const std::string>(texts_));
  const DedupResult result = dedup(*documents, {.near = NearMethod::off, .substrings = 20}, context(2));
  EXPECT_EQ(result.decisions.back().reason, Reason::substring);
  EXPECT_EQ(result.decisions.back().spans, (std::vector<ByteRange>{{0, texts_.back().size()}}));
}

TEST_F(DedupMemory, DecidesAsForFilesBySimHash) {
  expect_same({.near = NearMethod::simhash, .threshold = 0.5, .distance = 6});
}

TEST_F(DedupMemory, FindsItemsOfAnotherSetInMemory) {
  const std::vector<std::string> items = {texts_[3] + " " + texts_[4], "nothing of this is anywhere to be found in it"};
  std::vector<std::string> texts = texts_;
  texts.push_back("before " + items[0] + " behind");
  DedupOptions options;
  options.against.documents = documents_of(std::span<const std::string>(items));
  const auto documents = documents_of(std::span<const std::string>(texts));
  const DedupResult result = dedup(*documents, options, context(2));
  EXPECT_FALSE(result.decisions.back().keep);
  EXPECT_EQ(result.decisions.back().reason, Reason::against);
  EXPECT_EQ(result.decisions.back().match, 0U);
  EXPECT_EQ(result.report.against.found, 1U);

  options.against = {.paths = {write_lines("items.txt", items)}, .format = Format::lines};
  const DedupResult of_file = dedup(*documents, options, context(2));
  EXPECT_EQ(of_file.decisions.back().match, 0U);
  EXPECT_EQ(of_file.report.kept, result.report.kept);
}

TEST_F(DedupMemory, ANullIsNotKeptAndCountsAsBad) {
  const std::string bytes = "some words here and there";
  const std::vector<std::int64_t> offsets = {0, 25, 25};
  const std::uint8_t validity = 1;
  const auto documents = documents_of(TextColumn(bytes.data(), offsets.data(), 2, &validity));
  const DedupResult result = dedup(*documents, {}, context(1));
  ASSERT_EQ(result.decisions.size(), 2U);
  EXPECT_TRUE(result.decisions[0].keep);
  EXPECT_FALSE(result.decisions[1].keep);
  EXPECT_EQ(result.decisions[1].reason, Reason::none);
  EXPECT_EQ(result.report.read.bad_records, 1U);
}

TEST_F(DedupMemory, NoDocumentsGiveNoDecisions) {
  const auto none = documents_of(std::span<const std::string>());
  EXPECT_TRUE(dedup(*none, {}, context(2)).decisions.empty());
}

TEST_F(DedupMemory, WhatWritesFilesIsRefused) {
  const auto documents = documents_of(std::span<const std::string>(texts_));
  for (const DedupOptions& options : {DedupOptions{.output = at("out")}, DedupOptions{.apply = true},
                                      DedupOptions{.annotate = true}, DedupOptions{.attributes = Attributes::dolma},
                                      DedupOptions{.tables = Tables::parquet}, DedupOptions{.resume = true}})
    EXPECT_THROW(dedup(*documents, options, context(2)), Error);
}

}  // namespace

}  // namespace refrain
