// Verbs over documents in memory give the same results as over files.
#include "refrain/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "random_text.h"
#include "refrain/error.h"
#include "refrain/pairs.h"
#include "verbs/test_kernels.h"
#include "world.h"

namespace refrain {

namespace {

class Memory : public testing::Test, public World {
 protected:
  std::string output() const { return at("out"); }
  std::string written(const std::string& name) const { return read("out/" + name); }
  std::unique_ptr<DocumentStream> documents() const { return documents_of(std::span<const std::string>(texts_)); }

  const std::vector<std::string> texts_ = texts_with_copies(400, 80, 11);
  const InputOptions files_{.paths = {write_lines("texts.txt", texts_)}, .format = Format::lines};
  const Context context_ = context(2, kMinMemoryBytes);
};

TEST_F(Memory, FingerprintsAreThoseOfFiles) {
  std::string rows;
  const FingerprintReport report = fingerprint(files_, {}, context_, [&](std::string_view part) { rows += part; });
  const FingerprintResult result = fingerprint(*documents(), {}, context_);
  std::string expected = rows.substr(0, rows.find("0\t"));
  for (std::size_t i = 0; i < texts_.size(); ++i)
    expected += fmt::format("{}\t{}\t\n", i, result.valid[i] != 0 ? std::to_string(result.fingerprints[i]) : "");
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(report.too_short, result.report.too_short);
}

TEST_F(Memory, NearTellsTheMatchesAndClustersOfFiles) {
  near({.input = files_, .output = output(), .distance = 6}, context_);
  for (const unsigned threads : {1U, 3U, 8U}) {
    const NearResult result =
        near(*documents(), {.distance = 6}, {.memory_bytes = kMinMemoryBytes, .threads = threads});
    std::string matches = "id1\tid2\tdiff\n";
    for (const NearMatch& match : result.matches)
      matches += fmt::format("{}\t{}\t{}\n", match.first, match.second, match.difference);
    EXPECT_EQ(written("matches.tsv"), matches);
    EXPECT_GT(result.matches.size(), 100U);
    std::string clusters;
    for (std::size_t i = 0; i < texts_.size(); ++i)
      clusters += fmt::format("{}\t{}\t{}\t\n", i, result.valid[i] != 0 ? std::to_string(result.fingerprints[i]) : "",
                              result.clusters[i]);
    EXPECT_TRUE(written("clusters.tsv").ends_with(clusters));
  }
}

TEST_F(Memory, NearVerifiesWhatSimilaritiesConfirms) {
  const NearResult candidates = near(*documents(), {.distance = 20}, context_);
  std::vector<IndexPair> pairs;
  for (const NearMatch& match : candidates.matches) pairs.push_back({match.first, match.second});
  const Column column(Texts(texts_.begin(), texts_.end()));
  const std::vector<double> similar =
      similarities(column.view(), pairs, {.windows = FingerprintOptions{}, .threshold = 0.9}, context_);
  std::vector<NearMatch> expected;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (similar[i] >= 0.9) {
      expected.push_back(candidates.matches[i]);
      expected.back().similarity = similar[i];
    }
  ASSERT_GT(expected.size(), 50U);
  ASSERT_LT(expected.size(), pairs.size());
  const NearOptions options{.distance = 20, .verify = true, .threshold = 0.9};
  for (const unsigned threads : {1U, 3U, 8U}) {
    const NearResult result = near(*documents(), options, {.memory_bytes = kMinMemoryBytes, .threads = threads});
    EXPECT_EQ(result.matches, expected);
    EXPECT_GE(result.report.candidates, pairs.size());  // equal fingerprints give some more candidates
  }
}

// Returns the texts without the ranges.
std::vector<std::string> without(std::vector<std::string> texts, const std::vector<SubstringRange>& ranges) {
  for (std::size_t i = ranges.size(); i-- > 0;)
    texts[ranges[i].document].erase(ranges[i].bytes.begin, ranges[i].bytes.end - ranges[i].bytes.begin);
  return texts;
}

TEST_F(Memory, SubstringsUntilCleanLeaveNothingToCut) {
  const SubstringsOptions options{.length = 14};
  SubstringsOptions repeated = options;
  repeated.until_clean = true;
  std::vector<std::string> texts;
  for (unsigned i = 0; i < 200; ++i) texts.push_back(random_text(i, 2, i));
  const SubstringsResult all = substrings(*documents_of(std::span<const std::string>(texts)), repeated, context_);
  ASSERT_GT(all.report.pass_bytes.size(), 2U);
  EXPECT_EQ(all.report.pass_bytes.back(), 0U);
  std::vector<std::string> left = texts;
  for (const std::uint64_t bytes : all.report.pass_bytes) {
    const SubstringsResult one = substrings(*documents_of(std::span<const std::string>(left)), options, context_);
    EXPECT_EQ(one.report.removable_bytes, bytes);
    left = without(left, one.removable);
  }
  EXPECT_EQ(without(texts, all.removable), left);
}

TEST_F(Memory, SubstringsTellsTheRangesOfFiles) {
  substrings({.input = files_, .output = output(), .length = 50}, context_);
  const SubstringsResult result = substrings(*documents(), {.length = 50}, context_);
  std::string rows = "id\tx\ty\n";
  for (const SubstringRange& range : result.repeated)
    rows += fmt::format("{}\t{}\t{}\n", range.document, range.bytes.begin, range.bytes.end);
  EXPECT_EQ(written("substring_bytes.tsv"), rows);
  EXPECT_GT(result.repeated.size(), 100U);
  // One copy of each repeated range is kept.
  std::uint64_t removable = 0;
  for (const SubstringRange& range : result.removable) removable += range.bytes.end - range.bytes.begin;
  EXPECT_EQ(removable, result.report.removable_bytes);
  EXPECT_LT(removable, result.report.repeated_bytes);
}

TEST_F(Memory, NgramsTellsTheRowsOfAnIndex) {
  const NgramsOptions built{.input = files_, .output = output(), .n = 4};
  build_ngrams(built, context_);
  std::string rows;
  show_ngrams({.index = output(), .sort = NgramSort::ngram}, context_, [&](std::string_view part) { rows += part; });
  const NgramsResult result = ngrams(*documents(), {.n = 4}, context_);
  std::string expected = rows.substr(0, rows.find('\n') + 1);
  for (const Ngram& row : result.ngrams) {
    expected += fmt::format("{}\t{}\t{}\t", row.text, row.count, row.documents);
    for (std::size_t i = 0; i < row.places.size(); ++i)
      expected += fmt::format("{}{}:{}", i == 0 ? "" : ",", row.places[i].document, row.places[i].token);
    expected += '\n';
  }
  EXPECT_EQ(rows, expected);
}

// A stream that cannot be rewound and returns one text at a time.
class Once final : public DocumentStream {
 public:
  explicit Once(const std::vector<std::string>& texts) : texts_(texts) {}
  bool next(DocumentBatch& batch) override {
    if (at_ == texts_.size()) return false;
    struct Offsets {
      std::int64_t of[2];
    };
    auto offsets = std::make_shared<Offsets>();
    offsets->of[0] = 0;
    offsets->of[1] = static_cast<std::int64_t>(texts_[at_].size());
    batch = {.text = TextColumn(texts_[at_].data(), offsets->of, 1)};
    batch.owner = offsets;
    ++at_;
    return true;
  }

 private:
  const std::vector<std::string>& texts_;
  std::size_t at_ = 0;
};

TEST_F(Memory, AStreamThatCannotGoBackIsCopiedForVerbsThatReadTwice) {
  Once once(texts_);
  const NgramsResult result = ngrams(once, {.n = 4}, context_);
  EXPECT_EQ(result.ngrams.size(), ngrams(*documents(), {.n = 4}, context_).ngrams.size());
}

TEST_F(Memory, NoDocumentsGiveNoRows) {
  const auto none = documents_of(std::span<const std::string>());
  EXPECT_TRUE(near(*none, {}, context_).matches.empty());
  EXPECT_TRUE(substrings(*none, {}, context_).repeated.empty());
  EXPECT_TRUE(ngrams(*none, {}, context_).ngrams.empty());
  EXPECT_TRUE(fingerprint(*none, {}, context_).fingerprints.empty());
}

TEST_F(Memory, AnOutputOrPathsAreRefused) {
  EXPECT_THROW(near(*documents(), {.output = output()}, context_), Error);
  EXPECT_THROW(near(*documents(), {.input = files_}, context_), Error);
  EXPECT_THROW(substrings(*documents(), {.apply = true}, context_), Error);
  EXPECT_FALSE(std::filesystem::exists(output()));
}

}  // namespace

}  // namespace refrain
