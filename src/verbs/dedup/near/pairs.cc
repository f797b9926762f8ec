#include "verbs/dedup/near/pairs.h"

#include <bit>
#include <memory>

#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {
constexpr std::size_t kHeldPairs = 8192;  // written at once
}

store::ShuffleOptions pair_options(DedupRun& run, std::uint64_t documents) {
  return {.what = "the candidate pairs",
          .key_bits = static_cast<unsigned>(std::bit_width(documents | 1)),
          .expected_records = static_cast<std::size_t>(documents),
          .order_values = true,
          .temp = &run.temp,
          .memory_bytes = run.budget.available() / 3};
}

void list_pairs(DedupRun& run, Pairs& pairs, const std::vector<std::filesystem::path>& known, run::RunFile& out,
                std::uint64_t most) {
  std::vector<std::unique_ptr<run::ColumnReader<RankPair>>> before;
  std::vector<RankPair> next;
  for (const std::filesystem::path& path : known) {
    before.push_back(std::make_unique<run::ColumnReader<RankPair>>(path));
    next.emplace_back();
    if (!before.back()->next(next.back())) before.pop_back(), next.pop_back();
  }
  const auto is_known = [&](const RankPair& pair) {
    bool found = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      bool more = true;
      while (more && next[i] < pair) more = before[i]->next(next[i]);
      if (!more) {
        before.erase(before.begin() + static_cast<std::ptrdiff_t>(i));
        next.erase(next.begin() + static_cast<std::ptrdiff_t>(i--));
      } else if (next[i] == pair) {
        found = true;
      }
    }
    return found;
  };
  Context in_order = run.context;
  in_order.threads = 1;
  std::vector<RankPair> held;
  std::uint64_t of_later = 0;
  RankPair last{~std::uint64_t{0}, 0};
  pairs.drain(in_order, 0, pairs.partitions(), run.budget.available() / 2,
              [&](unsigned, std::size_t, const store::Run<RankPair>& records) {
                for (const RankPair& pair : records.records) {
                  if (pair == last) continue;
                  if (pair.later != last.later) of_later = 0;
                  last = pair;
                  if (is_known(pair) || ++of_later > most) continue;
                  held.push_back(pair);
                  if (held.size() < kHeldPairs) continue;
                  out.write_values(std::span<const RankPair>(held));
                  held.clear();
                }
              });
  out.write_values(std::span<const RankPair>(held));
}

}  // namespace refrain::verbs::dedup
