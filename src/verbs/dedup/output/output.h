// The stages that write what was decided: rows for people and other programs, and the input again, cleaned or annotated.
#pragma once

#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Whether attributes can be written, where they are asked for; told before anything is read.
void check_attributes(const DedupOptions& options, const Context& context);

inline constexpr const char* kWriteStage = "write";
void dedup_write(DedupRun& run);
inline constexpr const char* kApplyStage = "apply";
void dedup_apply(DedupRun& run);
void dedup_read_back(DedupRun& run);
void dedup_annotate(DedupRun& run);
void dedup_attributes(DedupRun& run);

}  // namespace refrain::verbs::dedup
