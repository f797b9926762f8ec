// Pairs of documents that met: made band by band, and listed in order without what was listed before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/array.h"
#include "store/shuffle.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/column.h"

namespace refrain::verbs::dedup {

// Which documents take part in a round.
struct RoundPlan {
  RoundPlan(MemoryBudget& budget, std::uint64_t documents)
      : alive(budget, "the documents that are kept", documents),
        crowded(budget, "the documents that met many", documents) {}
  unsigned round = 1;
  // By rank: 1 for a document that is kept so far. Nobody else is compared.
  Array<std::uint8_t> alive;
  // 1 for those that met more than could all be compared; from the second round on only these take part. The first round
  // fills it.
  Array<std::uint8_t> crowded;
};

// The pairs that meet in a round, ascending, each once, without those in `known` (files of pairs, ascending too). In a
// group of a few, all; in a larger one each document with the best-ranked, with the two before it, and with those that it
// also meets in another band, which is another one in every round. So a round is linear, whatever the groups.
void find_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan, const std::vector<std::filesystem::path>& known,
                run::RunFile& out);

// The same by SimHash: documents whose fingerprints differ in at most options.distance bits. One that is near many is
// paired with the best-ranked of them; all are looked at again in the next round. Of documents with the same fingerprint
// that do not match each other, the eight best-ranked meet what is near them.
void find_simhash_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan,
                        const std::vector<std::filesystem::path>& known, run::RunFile& out);

}  // namespace refrain::verbs::dedup
