// The source of a document, as far as templates go: what its documents share by where they come from.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/array.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/host.h"

namespace refrain::verbs::dedup {

using run::host_of;

// The numbers of sites: of a host, and of a source by its number.
std::uint64_t site_of_host(std::string_view host);
std::uint64_t site_of_source(std::uint32_t source);

// A number for every document, equal for those of one source: of its field, else of the host of its id, else of its file
// or folder. 0 for those that are not compared.
Array<std::uint64_t> site_of_each(DedupRun& run);

}  // namespace refrain::verbs::dedup
