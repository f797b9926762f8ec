// The stages that write the decisions: as rows for people and other programs, and as a cleaned or annotated copy of
// the input.
#pragma once

#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// If attributes are requested, checks that they can be written, before anything is read. Throws
// Error(invalid_argument).
void check_attributes(const DedupOptions& options, const Context& context);

inline constexpr const char* kWriteStage = "write";
void dedup_write(DedupRun& run);
void dedup_tables(DedupRun& run);
inline constexpr const char* kApplyStage = "apply";
void dedup_apply(DedupRun& run);
void dedup_read_back(DedupRun& run);
void dedup_annotate(DedupRun& run);
void dedup_attributes(DedupRun& run);

}  // namespace refrain::verbs::dedup
