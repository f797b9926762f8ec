#include "verbs/ngrams/build.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ngram_oracle.h"
#include "world.h"

namespace refrain::verbs::ngrams {
namespace {

class BuildAuto : public testing::Test, public World {
 protected:
  // Writes words that nearly all differ, so that most n-grams occur once in `half` and twice in the text.
  void write_text(std::size_t half) {
    std::mt19937 random(1);
    std::string line;
    for (std::size_t i = 0; i < half; ++i) line += std::to_string(random() % 100'000) + (i % 500 == 499 ? '\n' : ' ');
    write_lines("text", {line, line});
  }
  std::string build(unsigned least_position_bits, unsigned threads, NgramsReport& report) const {
    const Context context = World::context(threads);
    NgramsOptions options;
    options.input.paths = {at("text")};
    options.input.format = Format::lines;
    options.n = 3;
    MemoryBudget budget(context);
    TempSpace temp(context);
    const World index;
    ngram::IndexWriter writer(index.folder(), {.n = options.n, .m = options.m, .tokenizer = options.tokenizer});
    report = {};
    build_auto(options, context, budget, temp, writer, report, least_position_bits);
    report.entries = writer.finish(report.grams).entries;
    report.temp_peak_bytes = temp.peak_bytes();
    return index_bytes(index.folder());
  }
};

TEST_F(BuildAuto, VerifiesInPartsWhereGroupsAreMoreThanThereAreNumbersForThem) {
  write_text(150'000);
  NgramsReport report;
  const std::string expected = build(1, 2, report);
  ASSERT_EQ(report.temp_peak_bytes, 0U);
  ASSERT_GT(report.entries, 140'000U);
  for (const unsigned group_bits : {14U, 12U})
    for (const unsigned threads : {1U, 3U}) {
      EXPECT_TRUE(build(64 - group_bits, threads, report) == expected) << group_bits << " bits, " << threads;
      EXPECT_GT(report.temp_peak_bytes, 0U) << "there were numbers enough";
    }
}

}  // namespace
}  // namespace refrain::verbs::ngrams
