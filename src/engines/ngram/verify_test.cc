#include "engines/ngram/verify.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "base/threads.h"
#include "ngram_oracle.h"
#include "text/tokenizer.h"
#include "world.h"

namespace refrain::ngram {
namespace {

struct Setting {
  unsigned n;
  unsigned m;
  unsigned threads;
  unsigned key_bits;             // bits of the keys that are kept; the fewer, the more n-grams share a group
  std::uint64_t memory;          // for texts
  std::size_t places_at_a_time;  // candidates are verified once there are this many places, even within a group
};

// Groups all n-grams by the first bits of their keys, verifies and writes them as candidates. Returns the index's
// bytes.
std::string verified_index(const Documents& documents, const Setting& setting) {
  const Context context{.memory_bytes = std::uint64_t{64} << 20U, .threads = setting.threads};
  MemoryBudget budget(context);
  TempSpace temp(context);
  const World world;
  const auto tokenizer = text::make_tokenizer(TokenizerKind::words);
  DocumentTable table(budget);
  IndexWriter writer(world.folder(), {.n = setting.n, .m = setting.m, .tokenizer = TokenizerKind::words});
  std::vector<std::string> texts;
  for (const auto& words : documents) {
    table.add(words.size());
    writer.add_document(std::nullopt, words.size());
    texts.push_back(join(words));
  }
  table.finish();
  GramOutput output(writer, table, setting.m);
  std::uint64_t passes = 0;
  Verifier verifier(
      context, budget, temp, output,
      [&](Resolver& resolver) {
        ++passes;
        std::vector<std::unique_ptr<TextStream>> streams;
        for (unsigned i = 0; i < setting.threads; ++i)
          streams.push_back(std::make_unique<TextStream>(*tokenizer, setting.n, budget));
        parallel_for(setting.threads, texts.size(), [&](unsigned worker, std::size_t document) {
          resolver.seek(worker, table.first(document));
          streams[worker]->start(texts[document]);
          while (streams[worker]->next()) resolver.visit(worker, *streams[worker], table.first(document));
        });
      },
      [&] { return setting.memory; }, 10);
  const auto position_bits = static_cast<unsigned>(std::bit_width(table.tokens()));
  std::map<std::uint64_t, std::set<std::uint64_t>> groups;  // positions by the kept part of the key
  for (const auto& [gram, places] : all_grams(documents, setting.n))
    for (const auto& [document, token] : places)
      groups[setting.key_bits == 0 ? 0 : gram.first >> (64 - setting.key_bits)].insert(table.first(document) + token);
  // Segments are small, and four groups share a part.
  Candidates candidates(position_bits, 1, groups.size() / 4 + 2, 64, budget);
  std::size_t number = 0;
  for (const auto& [key, positions] : groups) {
    const std::size_t part = number++ / 4;
    candidates.begin_group(0, part);
    std::size_t left = positions.size();
    for (const std::uint64_t position : positions) {
      candidates.add(0, {&position, 1});
      if (--left != 0 && candidates.places() >= setting.places_at_a_time) {
        verifier.verify(candidates, true);
        candidates.begin_group(0, part);
      }
    }
    if (candidates.places() >= setting.places_at_a_time) verifier.verify(candidates, false);
  }
  if (candidates.places() != 0) verifier.verify(candidates, false);
  writer.finish(count_grams(documents, setting.n));
  return index_bytes(world.folder());
}

TEST(Verifier, SortsOutNGramsWhoseKeysAreEqualSoFarAsTheyWereKept) {
  std::mt19937 random(1);
  for (int round = 0; round < 12; ++round) {
    const Documents documents = random_documents(random, 20, 200, 3);
    const unsigned n = 1 + below(random, 6);
    const World world;
    const std::string expected = oracle_index(documents, n, 2 + round % 2, world.folder());
    for (const unsigned bits : {64U, 9U, 3U, 0U})
      for (const unsigned threads : {1U, 2U, 3U, 8U})
        ASSERT_EQ(verified_index(documents, {n, 2U + static_cast<unsigned>(round) % 2, threads, bits,
                                             std::uint64_t{8} << 20U, SIZE_MAX}),
                  expected)
            << n << " " << bits << " " << threads;
  }
}

TEST(Verifier, TakesAsManyPassesAsMemoryAsksFor) {
  std::mt19937 random(2);
  const Documents documents = random_documents(random, 40, 400, 4);
  const World world;
  const std::string expected = oracle_index(documents, 4, 2, world.folder());
  const std::uint64_t least = Resolver::working_bytes(2) + (std::uint64_t{4 * 64} << 10U);
  for (const std::uint64_t more : {4000U, 20000U, 1000000U})
    for (const unsigned bits : {64U, 5U})
      EXPECT_EQ(verified_index(documents, {4, 2, 2, bits, least + more + (bits == 5 ? 1U << 20U : 0), SIZE_MAX}),
                expected);
}

TEST(Verifier, GoesOnWithAGroupThatWasCut) {
  std::mt19937 random(3);
  const Documents documents = random_documents(random, 30, 300, 2);
  for (const unsigned n : {1U, 3U}) {
    const World world;
    const std::string expected = oracle_index(documents, n, 2, world.folder());
    for (const unsigned bits : {64U, 2U, 0U})
      for (const std::size_t at_a_time : {1U, 50U, 1000U})
        EXPECT_EQ(verified_index(documents, {n, 2, 2, bits, std::uint64_t{8} << 20U, at_a_time}), expected)
            << n << " " << bits << " " << at_a_time;
  }
}

}  // namespace
}  // namespace refrain::ngram
