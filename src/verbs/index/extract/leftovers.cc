#include "verbs/index/extract/leftovers.h"

#include <memory>
#include <vector>

#include "base/threads.h"
#include "verbs/index/extract/bits.h"

namespace refrain::verbs::index {

void settle_leftovers(LeftoverShuffle& leftovers, const TokenTable& table, std::uint64_t span,
                      std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context, MatchShuffle& matches) {
  // By worker: the beginnings of windows that lie in one of the places of the current document.
  std::vector<std::unique_ptr<TokenBits>> reported(thread_count(context));
  for (auto& bits : reported) bits = std::make_unique<TokenBits>(budget, "the covered parts of a document");
  leftovers.drain(context, 0, leftovers.partitions(), memory_bytes,
                  [&](unsigned worker, std::size_t /*partition*/, const store::Run<PlaceOrLeftover>& run) {
                    TokenBits& bits = *reported[worker];
                    if (run.first) bits.reset(table.tokens(run.key));
                    MatchShuffle::Writer writer = matches.writer();
                    for (const PlaceOrLeftover& record : run.records) {
                      if (record.rest == 0)
                        bits.set_windows(record.first, record.length, span);
                      else if (bits.count(record.first, record.first + record.length) < record.length)
                        writer.add(record.match);
                    }
                  });
}

}  // namespace refrain::verbs::index
