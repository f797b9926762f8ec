// Computes how similar the texts of two documents are, and what would be lost with one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "engines/sketch/loss.h"
#include "engines/sketch/window_sets.h"
#include "engines/sketch/written.h"
#include "text/windows.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// The Jaccard similarity of two documents' sets of windows, without templates. Remembers the sets of some
// documents. Not thread-safe.
class Similarity {
 public:
  // `memory_bytes` limits the sets that are remembered.
  Similarity(DedupRun& run, const text::FeaturePlan& plan, std::uint64_t memory_bytes);

  // The similarity, or any value below `threshold` if it is less than that.
  double of(DocId a, DocId b, double threshold);
  // What is lost if `removed` is removed and `kept` stays.
  sketch::Loss loss(DocId removed, DocId kept);

 private:
  const sketch::WindowSets::Set& set_of(DocId document);

  const std::vector<std::uint64_t>& windows_of(DocId document);
  sketch::Loss lost_words(DocId removed, DocId kept);
  std::uint32_t lost_attachments(DocId removed, DocId kept);
  const sketch::WrittenTokens& written(DocId document);

  const unsigned window_;
  const bool symbols_;
  ComparedTexts texts_;
  sketch::WindowSets sets_;
  std::string scratch_;
  Reservation room_;  // memory for a long text
  std::vector<std::uint64_t> own_;
  std::vector<std::uint64_t> windows_;  // of one document, in order
  std::optional<DocId> windows_document_;
  std::optional<DocId> bare_;  // the last document found to have no attachments
  sketch::WrittenReader reader_;
  std::unordered_map<DocId, sketch::WrittenTokens> written_;  // remembered for some documents
  std::size_t written_bytes_ = 0;
};

}  // namespace refrain::verbs::dedup
