// The sources of documents, and how much each source loses.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// With fewer documents than this, the share that a source loses says little and raises no alarm.
inline constexpr std::uint64_t kLeastOfSource = 10;

// The memory that one more source takes while the input is read.
std::uint64_t source_bytes(const std::string& name);

// Calls each(number, name) for all sources, in the order of their numbers.
void for_each_source_name(const run::RunDir& dir, const std::function<void(std::size_t, std::string&&)>& each);
// The names of the sources with these numbers.
std::vector<std::string> source_names(const run::RunDir& dir, std::span<const std::size_t> numbers);

// Records in the facts which sources lose more than options.alarm. Throws Error(bad_input) if a source loses more
// than options.max_removed_per_source.
void judge_sources(DedupRun& run, DedupOutcome outcome);

}  // namespace refrain::verbs::dedup
