// Recomputes the sketches of documents without the windows that are left out.
#pragma once

#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// Writes all columns of the near method again; the values of documents that lose no windows are copied. Adds to
// `report` the number of documents that lose some, and sets the share of windows left out.
void recompute_sketches(DedupRun& run, TemplateReport& report);

}  // namespace refrain::verbs::dedup
