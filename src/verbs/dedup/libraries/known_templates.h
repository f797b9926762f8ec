// What the libraries leave out of the documents of each source.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/array.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// The sites of this run that a library knows, with the windows left out of their documents, which may be none.
using KnownTemplates = std::map<std::uint64_t, std::vector<std::uint64_t>>;

// `sites` holds the site of every document. If several segments know a site, the first one with a template decides.
KnownTemplates known_templates(DedupRun& run, const Array<std::uint64_t>& sites);

}  // namespace refrain::verbs::dedup
