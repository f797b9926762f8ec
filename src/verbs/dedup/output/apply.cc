// dedup: writes the input again without what was removed.
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/state/facts.h"
#include "verbs/dedup/state/second_reading.h"

namespace refrain::verbs::dedup {

void dedup_apply(DedupRun& run) {
  SecondReading reading(run);
  const corpus::RewriteReport report =
      reading.write("clean", [&](DocId document, const corpus::DigestedText& text) -> corpus::TextCuts {
        const Decision& decision = reading.at(document, text.digest);
        return {.ranges = reading.spans(), .offset = 0, .drop = !decision.kept()};
      });
  run.report.written_bytes = report.written_bytes;
}

}  // namespace refrain::verbs::dedup
