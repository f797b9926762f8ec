// The input, read more than once. The first pass counts the tokens of every document; in later ones a worker knows, as
// soon as it has a document in hand, where its tokens stand among those of all documents.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "corpus/source/reader.h"
#include "engines/ngram/index/document_table.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::verbs::ngrams {

class TextPasses {
 public:
  // Standard input is copied to a temporary file, since it can be read only once.
  TextPasses(const InputOptions& input, const Context& context, MemoryBudget& budget, TempSpace& temp);

  // The first pass. `tokens_of` counts a document's tokens, on many workers at a time; `on_document` is called in input
  // order, with its id where that is not its number, also for a bad record, which has no tokens.
  using TokensOf = std::function<std::uint64_t(unsigned worker, std::string_view text)>;
  using OnDocument = std::function<void(std::optional<std::string_view> id, std::uint64_t tokens)>;
  ReadReport count(const std::string& stage, const TokensOf& tokens_of, const OnDocument& on_document);

  const ngram::DocumentTable& documents() const { return documents_; }
  // What of the budget should be left to a later pass. The first one tells what reading takes; but in a later one other
  // long documents may meet.
  std::uint64_t reading_bytes() const;
  std::uint64_t passes() const { return passes_; }

  // A later pass. Each document, at the position of its first token; the tokens it has now are returned. Within a batch
  // positions rise, and `begin_batch` comes before its first document. Throws Error(bad_input) where the input is no
  // longer what it was.
  using BeginBatch = std::function<void(unsigned worker, std::uint64_t position)>;
  using Visit = std::function<std::uint64_t(unsigned worker, std::uint64_t position, std::string_view text)>;
  void again(const std::string& stage, const BeginBatch& begin_batch, const Visit& visit);

 private:
  struct KnownBatch {
    corpus::BatchPlace place;
    DocId first;
    std::uint64_t size;
  };

  ReadReport read(const std::string& stage, const corpus::BatchWork& work);
  DocId first_of(const corpus::Batch& batch) const;

  corpus::SourceOptions input_;
  const Context& context_;
  MemoryBudget& budget_;
  std::optional<TempFile> standard_input_;
  std::size_t piece_bytes_;
  ngram::DocumentTable documents_;
  std::vector<KnownBatch> batches_;  // in input order, so by place
  std::uint64_t first_bytes_ = 0;    // what reading took at most in the first pass
  bool all_long_ = false;            // whether every thread may hold as much at once
  std::uint64_t all_bytes_ = 0;      // of all files, as the progress has it
  std::uint64_t passes_ = 0;
};

}  // namespace refrain::verbs::ngrams
