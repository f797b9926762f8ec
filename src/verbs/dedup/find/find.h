// The stages that decide: what is read, who matches whom, who is kept, and whether that is right.
//
// Each reads what the stages before it left in the folder of the run, and leaves its own there (state/run.h).
#pragma once

#include "verbs/dedup/state/facts.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

inline constexpr const char* kReadStage = "read";
void dedup_read(DedupRun& run);
void dedup_exact(DedupRun& run);
void dedup_templates(DedupRun& run);
void dedup_known(DedupRun& run);
void dedup_candidates(DedupRun& run);  // "near"
void dedup_verify(DedupRun& run);
void dedup_cluster(DedupRun& run);
void dedup_decide(DedupRun& run);
void dedup_check(DedupRun& run);
void dedup_substrings(DedupRun& run);

// Finds out, at the end of the first stage, how many documents have the id of an earlier one.
void count_shared_ids(DedupRun& run, ReadFacts& facts);

}  // namespace refrain::verbs::dedup
