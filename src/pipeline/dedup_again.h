// dedup: the input is read a second time, to be written again. What was decided of each record, and whether it is still
// the one that it was decided of.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/rewrite.h"
#include "pipeline/column.h"
#include "pipeline/dedup_run.h"

namespace refrain {

class SecondReading {
 public:
  explicit SecondReading(DedupRun& run) : run_(run), outcome_(run), digests_(run.dir.work("hashes")) {}

  // Documents in input order, some passed over. Error(bad_input) where `text` is not what was read the first time.
  const Decision& at(DocId document, std::string_view text);
  // What is cut out of that document.
  const std::vector<ByteRange>& spans() const { return spans_; }

  // Writes the input again into an output folder of the run, `name`, which is there whole or not at all.
  // Error(bad_input) where records are missing.
  RewriteReport write(const std::string& name, const CutDocument& cut, const Annotations& annotations = {});

 private:
  DedupRun& run_;
  DedupOutcome outcome_;
  ColumnReader<Digest> digests_;
  Decision decision_;
  Digest digest_;
  std::vector<ByteRange> spans_;
  DocId next_ = 0;
};

}  // namespace refrain
