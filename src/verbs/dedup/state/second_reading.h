// Reads the input of a dedup run a second time, to write it again, and checks that every record is still the one
// that was decided on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/rewrite/rewrite.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

// Called when a run is resumed after its input has been read. If the times of the input files say that they may
// have changed since, the texts are compared with those that were read; Error(bad_input) names the file if they
// differ. If the set to search for (`against`) may have changed, its stage will run again.
void check_unchanged(DedupRun& run);

class SecondReading {
 public:
  explicit SecondReading(DedupRun& run) : run_(run), outcome_(run), digests_(run.dir.work("hashes")) {}

  // The decision on `document`, whose text has the digest `text`. Ask in input order; documents may be skipped.
  // Throws Error(bad_input) if the text is not the one that was read the first time.
  const Decision& at(DocId document, const Digest& text);
  // The byte ranges cut out of that document.
  const std::vector<ByteRange>& spans() const { return spans_; }

  // Options that read the input the same way as the first time.
  corpus::SourceOptions input() const;

  // Makes the output folder `name` of the run, which appears complete or not at all. `fill` receives an empty
  // folder and returns how many documents it saw, without the bad ones. Throws Error(bad_input) if some are
  // missing.
  void make(const std::string& name, const std::function<std::uint64_t(const std::filesystem::path& folder)>& fill);
  // The same, filled with the rewritten input.
  corpus::RewriteReport write(const std::string& name, const corpus::CutDocument& cut,
                              const corpus::Annotations& annotations = {});

 private:
  DedupRun& run_;
  DedupOutcome outcome_;
  run::ColumnReader<Digest> digests_;
  Decision decision_;
  Digest digest_;
  std::vector<ByteRange> spans_;
  DocId next_ = 0;
};

}  // namespace refrain::verbs::dedup
