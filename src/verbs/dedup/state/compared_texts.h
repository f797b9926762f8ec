// The texts that are compared with each other, and what is left out of them: the documents of the input, and the
// known documents that they may match.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/columns/template_file.h"

namespace refrain::verbs::dedup {

// Not thread-safe: use one per thread. Reading neighboring documents is cheap.
class ComparedTexts {
 public:
  explicit ComparedTexts(DedupRun& run);

  std::uint64_t bytes(DocId document);
  // Valid until `scratch` changes.
  std::string_view get(DocId document, std::string& scratch);
  // The beginning of the text, at most `most` bytes.
  std::string beginning(DocId document, std::uint64_t most);
  // Null if nothing is left out.
  const text::LeftOut* left_out(DocId document) const;

 private:
  bool known(DocId document) const { return known_ && known_->holds(document); }

  const std::shared_ptr<const run::StripedFile> file_;
  run::SliceFile texts_;
  const std::shared_ptr<const run::TemplateFile> templates_;  // may be null
  const std::shared_ptr<const KnownDocuments> known_;         // may be null
};

// The ids of documents, known documents included. Not thread-safe.
class MatchIds {
 public:
  explicit MatchIds(DedupRun& run);
  // Valid until the next call.
  std::string_view get(DocId document);
  // Null if it is a document of the input.
  const KnownDocuments* known(DocId document) const {
    return known_ && known_->holds(document) ? known_.get() : nullptr;
  }

 private:
  run::SliceFile ids_;
  const std::shared_ptr<const KnownDocuments> known_;
  std::string scratch_;
};

}  // namespace refrain::verbs::dedup
