// dedup: the input is read a second time, to be written again. What was decided of each record, and whether it is still
// the one that it was decided of.
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

class SecondReading {
 public:
  explicit SecondReading(DedupRun& run) : run_(run), outcome_(run), digests_(run.dir.work("hashes")) {}

  // Documents in input order, some passed over. Error(bad_input) where `text` is not that of what was
  // read the first time.
  const Decision& at(DocId document, const Digest& text);
  // What is cut out of that document.
  const std::vector<ByteRange>& spans() const { return spans_; }

  // The input, to be read as it was the first time.
  corpus::SourceOptions input() const;

  // Makes an output folder of the run, `name`, which is there whole or not at all. `fill` is given an empty one, and
  // returns how many documents it saw, the bad ones aside: Error(bad_input) where some are missing.
  void make(const std::string& name, const std::function<std::uint64_t(const std::filesystem::path& folder)>& fill);
  // Writes the input again into one.
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
