// The texts that are compared with each other, and what is left out of them: the documents of the input, and the
// known documents that they may match.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engines/sketch/comparer.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/columns/template_file.h"

namespace refrain::verbs::dedup {

// Not thread-safe: use one per thread. Reading neighboring documents is cheap.
class ComparedTexts final : public sketch::KeyedTexts {
 public:
  explicit ComparedTexts(DedupRun& run);

  std::uint64_t bytes(DocId document) override;
  std::string_view get(DocId document, std::string& scratch) override;
  // The beginning of the text, at most `most` bytes.
  std::string beginning(DocId document, std::uint64_t most);
  const text::LeftOut* left_out(DocId document) const override;

 private:
  bool known(DocId document) const { return known_ && known_->holds(document); }

  const std::shared_ptr<const run::StripedFile> file_;
  run::SliceFile texts_;
  const std::shared_ptr<const run::TemplateFile> templates_;  // may be null
  const std::shared_ptr<const KnownDocuments> known_;         // may be null
};

// Compares documents for one thread.
struct DocumentComparer {
  // `memory_bytes` is for cached windows.
  DocumentComparer(DedupRun& run, const text::FeaturePlan& plan, std::uint64_t memory_bytes)
      : texts(run), comparer(texts, plan, run.rule(), run.budget, memory_bytes) {}
  ComparedTexts texts;
  sketch::Comparer comparer;
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
