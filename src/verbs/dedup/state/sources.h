// The sources of documents, and how much each source loses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/host.h"

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

using run::host_of;

// The source of a document as far as templates are concerned: documents of one source may share a template.

// The number of a site: that of a host, and that of a source given by its number.
std::uint64_t site_of_host(std::string_view host);
std::uint64_t site_of_source(std::uint32_t source);

// A number for every document, equal for documents of one source: the value of the source field, else the host of
// the id, else the file or folder. 0 for documents that are not compared.
Array<std::uint64_t> site_of_each(DedupRun& run);

// Inserts a value into `list`, which is ordered by `before` and keeps the first `most`.
template <class T, class Before>
void keep_best(std::vector<T>& list, const T& one, std::size_t most, Before before) {
  if (list.size() == most && !before(one, list.back())) return;
  list.insert(std::upper_bound(list.begin(), list.end(), one, before), one);
  if (list.size() > most) list.pop_back();
}

}  // namespace refrain::verbs::dedup
