#include "engines/ngram/literature/literature.h"

#include <gtest/gtest.h>

#include <optional>

#include "ngram_oracle.h"
#include "world.h"

namespace refrain::ngram {
namespace {

struct Algorithm {
  const char* name;
  RepeatCost (*build)(const RepeatTask&);
};
constexpr Algorithm kAlgorithms[] = {
    {"memory", memory_based}, {"disk", disk_based},          {"hash", hash_based},        {"spex", spex},
    {"spex-log", spex_log},   {"blocked", sequence_blocked}, {"location", location_based}};

struct Built {
  std::string bytes;
  RepeatCost cost;
};

class Literature : public testing::Test {
 protected:
  Built build(const Algorithm& way, const Documents& documents, unsigned n, unsigned m, unsigned threads) {
    const Context context{.memory_bytes = std::uint64_t{64} << 20U, .threads = threads};
    MemoryBudget budget(context);
    TempSpace temp(context);
    const World world;
    DocumentTable table(budget);
    Vocabulary vocabulary(budget);
    Sequence sequence(temp, table);
    IndexWriter writer(world.folder(), {.n = n, .m = m, .tokenizer = TokenizerKind::words});
    for (const auto& words : documents) {
      std::vector<std::uint32_t> numbers;
      for (const std::string& word : words)
        numbers.push_back(vocabulary.add(word, text::hash_token(HashKind::xxh3, word, 0)));
      sequence.append(numbers);
      table.add(words.size());
      writer.add_document(std::nullopt, words.size());
    }
    table.finish();
    GramOutput output(writer, table, m);
    const std::uint64_t grams = count_grams(documents, n);
    const RepeatCost cost = way.build({context, budget, temp, sequence, vocabulary, grams, n, m, output});
    writer.finish(grams);
    return {index_bytes(world.folder()), cost};
  }
  std::string oracle(const Documents& documents, unsigned n, unsigned m) {
    const World world;
    return oracle_index(documents, n, m, world.folder());
  }
};

TEST_F(Literature, EveryWayGivesTheBytesOfTheOracle) {
  std::mt19937 random(1);
  for (int round = 0; round < 24; ++round) {
    const unsigned n = round < 8 ? static_cast<unsigned>(round) + 1 : 1 + below(random, 30);
    const unsigned m = 2 + below(random, 4);
    const Documents documents =
        random_documents(random, random() % 40, round % 3 == 0 ? 40 : 400, 1 + below(random, n > 6 ? 2 : 6));
    const std::string expected = oracle(documents, n, m);
    for (const Algorithm& way : kAlgorithms)
      ASSERT_EQ(build(way, documents, n, m, 1 + below(random, 3)).bytes, expected)
          << way.name << " n " << n << " m " << m;
  }
}

TEST_F(Literature, PassesAndFilesAreAsTheFormulasSay) {
  std::mt19937 random(2);
  const Documents documents = random_documents(random, 30, 3000, 5);
  for (const unsigned n : {1U, 2U, 8U, 13U, 20U}) {
    const unsigned m = 3;
    const std::uint64_t grams = count_grams(documents, n);
    std::uint64_t repeated = 0;  // distinct n-grams that occur m times
    std::uint64_t places = 0;    // their places
    for (const auto& [gram, at] : all_grams(documents, n))
      if (at.size() >= m) {
        ++repeated;
        places += at.size();
      }
    const std::uint64_t row = 4 * n + 8;
    const auto cost = [&](std::size_t way) { return build(kAlgorithms[way], documents, n, m, 2).cost; };
    using Bytes = std::array<std::uint64_t, 3>;
    EXPECT_EQ(cost(0).passes, 1U);
    EXPECT_EQ(cost(0).file_bytes, (Bytes{0, 0, 0}));
    EXPECT_EQ(cost(1).passes, 1U);
    EXPECT_EQ(cost(1).file_bytes, (Bytes{0, 0, grams * row}));
    // Hashes of 40 or more bits do not collide here, so F2 is exact. F3 may contain false matches of the bit
    // vector.
    const RepeatCost hash = cost(2);
    EXPECT_EQ(hash.passes, 2U);
    EXPECT_EQ(hash.file_bytes[0], 8 * grams);
    EXPECT_EQ(hash.file_bytes[1], 8 * repeated);
    EXPECT_GE(hash.file_bytes[2], places * row);
    EXPECT_LE(hash.file_bytes[2], (places + grams / 16 + 8) * row);
    const RepeatCost multi = cost(3);
    EXPECT_EQ(multi.passes, n);
    EXPECT_GE(multi.file_bytes[2], places * row);
    EXPECT_LE(multi.file_bytes[2], grams * row);
    std::uint64_t lengths = 1;  // 1, 2, 3, 5, 8, 13, ... below n, and n
    for (unsigned k = 1, next = 2; k < n; k = std::exchange(next, k + next)) ++lengths;
    EXPECT_EQ(cost(4).passes, lengths);
    EXPECT_EQ(cost(5).passes, 2U);
    EXPECT_EQ(cost(5).file_bytes, (Bytes{8 * grams, 8 * repeated, places * row}));
    EXPECT_EQ(cost(6).passes, 2U);
    EXPECT_EQ(cost(6).file_bytes, (Bytes{12 * grams, 8 * places, places * row}));
  }
}

}  // namespace
}  // namespace refrain::ngram
