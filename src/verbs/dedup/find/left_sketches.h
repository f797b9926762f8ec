// The sketches of documents, made anew of what is left of them.
#pragma once

#include <cstddef>

#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Windows of a document below which it is compared as a whole: more than a removal may lose at one place.
std::size_t least_left(const DedupOptions& options);

// Writes all columns of the near method again; those of documents of which nothing is left out are copied. Counts in
// `report` the documents of which something is, and the share.
void sketch_what_is_left(DedupRun& run, TemplateReport& report);

}  // namespace refrain::verbs::dedup
