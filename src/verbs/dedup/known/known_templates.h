// What the libraries say is left out of the documents of a source.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/array.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Sites of this run that a library knows, with the windows that are left out of their documents; often none.
using KnownTemplates = std::map<std::uint64_t, std::vector<std::uint64_t>>;

// `sites` has that of every document. Where several segments know one, the first that has a template decides.
KnownTemplates known_templates(DedupRun& run, const Array<std::uint64_t>& sites);

}  // namespace refrain::verbs::dedup
