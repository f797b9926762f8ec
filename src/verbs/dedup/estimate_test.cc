#include <zlib.h>

#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

namespace fs = std::filesystem;

class EstimateTest : public DedupTest {
 protected:
  // Some megabytes: new texts, exact copies and near copies, and a passage that many of them contain.
  std::string corpus(std::size_t documents, std::size_t words, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::string passage = join(random_words(random, 40));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < documents; ++i) {
      if (i > 10 && random() % 3 == 0) {
        texts.push_back(texts[random() % texts.size()] + (random() % 2 == 0 ? "" : " more"));
      } else {
        texts.push_back(join(random_words(random, 1 + random() % (2 * words))));
        if (random() % 4 == 0) texts.back() += " " + passage;
      }
    }
    return given(texts);
  }

  std::uint64_t output_bytes() {
    std::uint64_t bytes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(at("out")))
      if (entry.is_regular_file()) bytes += entry.file_size();
    return bytes;
  }

  // Checks that the run took no more than estimated, and that the estimate was not far too high.
  void expect_kept(const DedupReport& report) {
    const DedupEstimate& said = report.estimate;
    EXPECT_TRUE(said.known);
    EXPECT_EQ(said.files, 1U);
    EXPECT_EQ(said.bytes, report.read.bytes);
    const std::uint64_t took = report.temp_peak_bytes + output_bytes();
    EXPECT_LE(took, said.disk_bytes + said.temp_bytes);
    EXPECT_GE(3 * took, said.disk_bytes + said.temp_bytes);
    EXPECT_LE(said.memory_bytes, report.memory_bytes);
    EXPECT_GE(2 * said.documents, report.read.documents);
    EXPECT_LE(said.documents, 2 * report.read.documents);
  }
};

TEST_F(EstimateTest, ARunStaysWithinIt) {
  for (const std::size_t words : {std::size_t{10}, std::size_t{100}, std::size_t{1000}}) {
    SCOPED_TRACE(words);
    DedupOptions wanted = options(corpus(600000 / words, words, 21));
    wanted.apply = true;
    expect_kept(run(wanted));
    wanted.substrings = 50;
    expect_kept(run(wanted));
  }
}

TEST_F(EstimateTest, ARunThatSpillsStaysWithinIt) {
  DedupOptions wanted = options(corpus(30000, 100, 22));
  wanted.apply = true;
  wanted.annotate = true;
  wanted.substrings = 30;
  const DedupReport report = run(wanted, 2, kMinMemoryBytes);
  EXPECT_GT(report.estimate.temp_bytes, 0U);
  expect_kept(report);
}

TEST_F(EstimateTest, IsToldAfterTheChecksAndBeforeReading) {
  DedupOptions wanted = options(given(std::vector<std::string>{"one", "two"}));
  std::vector<DedupEstimate> told;
  wanted.estimated = [&](const DedupEstimate& estimate) {
    told.push_back(estimate);
    EXPECT_FALSE(fs::exists(wanted.output / "work" / "text"));
  };
  run(wanted);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].bytes, fs::file_size(wanted.input.paths[0]));
  wanted.threshold = 7;
  EXPECT_THROW(run(wanted), Error);
  EXPECT_EQ(told.size(), 1U);
}

TEST_F(EstimateTest, PackedFilesAreTakenToHoldFourTimesTheirSize) {
  const fs::path path = at("in.jsonl.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  for (int i = 0; i < 1000; ++i) gzprintf(file, "{\"text\": \"%090d\"}\n", i);
  gzclose(file);
  const DedupEstimate estimate = dedup_estimate(options(path.string()), {.memory_bytes = kMinMemoryBytes});
  EXPECT_TRUE(estimate.packed);
  EXPECT_EQ(estimate.unpacked_bytes, 4 * fs::file_size(path));
  // Estimated from the length of the unpacked records: 103 bytes.
  EXPECT_EQ(estimate.documents, 4 * fs::file_size(path) / 104);
}

TEST_F(EstimateTest, OfStandardInputNothingIsKnown) {
  const DedupEstimate estimate = dedup_estimate(options("-"), {.memory_bytes = kMinMemoryBytes});
  EXPECT_FALSE(estimate.known);
  EXPECT_EQ(estimate.disk_bytes, 0U);
  EXPECT_EQ(estimate.memory_bytes, kMinMemoryBytes);
  EXPECT_GT(estimate.disk_free_bytes, 0U);
  EXPECT_TRUE(estimate.disk_suffices());
}

}  // namespace
}  // namespace refrain::verbs::dedup
