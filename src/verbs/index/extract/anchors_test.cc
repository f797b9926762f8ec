#include "verbs/index/extract/stages.h"

#include <vector>

#include "base/files/temp.h"
#include "verbs/index/extract/test_extract.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::index {
namespace {

// Some tokens stay in memory, and the others are appended behind them. Wherever the limit lies, none of them changes.
TEST(Anchors, TokensAreInOrderWhateverStaysInMemory) {
  std::mt19937_64 random(31);
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i)
    texts.push_back(join(rare_words(random, random() % 3 == 0 ? 20000 + random() % 40000 : 1 + random() % 2000)));
  TestExtract index(texts);
  const auto tokens_of = [&](std::uint64_t memory, unsigned threads) {
    Snapshot snapshot(index.at("index"));
    const Context context = index.context(threads);
    MemoryBudget budget(context);
    TempSpace temp(context);
    run::TextStore tokens(budget, temp, memory);
    TokenTable table(budget);
    lay_out(snapshot, table);
    const BlotFilter filter(budget, 1000, 1 << 20);
    AnchorShuffle anchors({.what = "the anchors", .temp = &temp, .memory_bytes = 16 << 20}, budget);
    ExtractReport report;
    find_anchors(snapshot, filter, context, table, tokens, anchors, report);
    std::vector<char> scratch;
    const char* all = tokens.read(0, static_cast<std::size_t>(tokens.size()), scratch);
    return std::string(all, static_cast<std::size_t>(tokens.size()));
  };
  const std::string expected = tokens_of(std::uint64_t{64} << 20U, 1);
  ASSERT_GT(expected.size(), 1'000'000U);
  for (std::uint64_t part = 0; part <= 24; ++part)
    for (const unsigned threads : {1U, 2U, 8U})
      EXPECT_TRUE(tokens_of(expected.size() * part / 24, threads) == expected) << part << ", " << threads << " threads";
}

}  // namespace
}  // namespace refrain::verbs::index
