// Where documents come from, and what each source loses.
#pragma once

#include <string>
#include <vector>

#include "base/array.h"
#include "pipeline/dedup_run.h"

namespace refrain {

// With fewer documents a share says little, and raises no alarm.
inline constexpr std::uint64_t kLeastOfSource = 10;

// The names of the sources, by number.
std::vector<std::string> source_names(const RunDir& dir);

// What every source loses, by number.
std::vector<SourceLoss> source_losses(const RunDir& dir, const Array<Decision>& decisions);

// Notes the sources that lose more than options.alarm among the facts. Error(bad_input) where one loses more than
// options.max_removed_per_source.
void judge_sources(DedupRun& run, const Array<Decision>& decisions);
// What was noted.
std::vector<SourceLoss> noted_alarms(const Facts& facts);

}  // namespace refrain
