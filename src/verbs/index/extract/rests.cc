#include "verbs/index/extract/rests.h"

#include <memory>
#include <vector>

#include "base/threads.h"
#include "verbs/index/extract/bits.h"

namespace refrain::verbs::index {

void settle_rests(RestShuffle& rests, const TokenTable& table, std::uint64_t span, std::uint64_t memory_bytes,
                  MemoryBudget& budget, const Context& context, MatchShuffle& matches) {
  // By worker: the windows of a document that lie in one of its places.
  std::vector<std::unique_ptr<TokenBits>> told(thread_count(context));
  for (auto& bits : told) bits = std::make_unique<TokenBits>(budget, "the covered parts of a document");
  rests.drain(context, 0, rests.partitions(), memory_bytes,
              [&](unsigned worker, std::size_t /*partition*/, const store::Run<PlaceOrRest>& run) {
                TokenBits& bits = *told[worker];
                if (run.first) bits.reset(table.tokens(run.key));
                MatchShuffle::Writer writer = matches.writer();
                for (const PlaceOrRest& record : run.records) {
                  if (record.rest == 0)
                    bits.set_windows(record.first, record.length, span);
                  else if (bits.count(record.first, record.first + record.length) < record.length)
                    writer.add(record.match);
                }
              });
}

}  // namespace refrain::verbs::index
