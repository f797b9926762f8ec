// The sketches of documents, made anew of what is left of them.
#pragma once

#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Writes all columns of the near method again; those of documents of which nothing is left out are copied. Counts in
// `report` the documents of which something is, and the share.
void sketch_what_is_left(DedupRun& run, TemplateReport& report);

}  // namespace refrain::verbs::dedup
