// The source of a document as far as templates are concerned: documents of one source may share a template.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/array.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/host.h"

namespace refrain::verbs::dedup {

using run::host_of;

// The number of a site: that of a host, and that of a source given by its number.
std::uint64_t site_of_host(std::string_view host);
std::uint64_t site_of_source(std::uint32_t source);

// A number for every document, equal for documents of one source: the value of the source field, else the host of
// the id, else the file or folder. 0 for documents that are not compared.
Array<std::uint64_t> site_of_each(DedupRun& run);

}  // namespace refrain::verbs::dedup
