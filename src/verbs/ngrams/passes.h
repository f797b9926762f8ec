// Reads the input several times. The first pass counts the tokens of every document, so that in later passes a
// worker knows the position of a document's first token among those of all documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "corpus/source/reader.h"
#include "engines/ngram/index/gram_output.h"
#include "refrain/context.h"
#include "refrain/input.h"
#include "verbs/run/input_identity.h"

namespace refrain::verbs::ngrams {

class TextPasses {
 public:
  // Copies standard input to a temporary file, because it can be read only once.
  TextPasses(const InputOptions& input, const Context& context, MemoryBudget& budget, TempSpace& temp);

  // The first pass. `tokens_of` counts a document's tokens and is called by many workers at a time. `on_document`
  // is called in input order, with the document's id unless that is its number; also for a bad record, which has no
  // tokens.
  using TokensOf = std::function<std::uint64_t(unsigned worker, std::string_view text)>;
  using OnDocument = std::function<void(std::optional<std::string_view> id, std::uint64_t tokens)>;
  ReadReport count(const std::string& stage, const TokensOf& tokens_of, const OnDocument& on_document);

  const ngram::DocumentTable& documents() const { return documents_; }
  // Memory to leave to a later pass for reading. The first pass measured it, but in a later pass other long
  // documents may be in memory at the same time.
  std::uint64_t reading_bytes() const;
  std::uint64_t passes() const { return passes_; }

  // A later pass. Calls `visit` for each document, with the position of its first token; it returns the number of
  // tokens that the document has now. Within a batch, positions ascend, and `begin_batch` is called before the
  // first document. Throws Error(bad_input) if the input has changed.
  using BeginBatch = std::function<void(unsigned worker, std::uint64_t position)>;
  using Visit = std::function<std::uint64_t(unsigned worker, std::uint64_t position, std::string_view text)>;
  void next_pass(const std::string& stage, const BeginBatch& begin_batch, const Visit& visit);

 private:
  struct KnownBatch {
    corpus::BatchPlace place;
    DocId first;
    std::uint64_t size;
  };

  ReadReport read(const std::string& stage, const corpus::BatchWork& work);
  DocId first_of(const corpus::Batch& batch) const;

  corpus::SourceOptions input_;
  const run::InputWatch watch_{input_};
  const Context& context_;
  MemoryBudget& budget_;
  std::optional<TempFile> standard_input_;
  std::size_t piece_bytes_;
  ngram::DocumentTable documents_;
  std::vector<KnownBatch> batches_;  // in input order, so sorted by place
  std::uint64_t first_bytes_ = 0;    // peak memory of reading in the first pass
  bool all_long_ = false;            // whether every thread may hold that much at once
  std::uint64_t all_bytes_ = 0;      // total of all files, as the progress reports it
  std::uint64_t passes_ = 0;
};

// Sums up the seconds of each stage, for stages that run several times.
class StageSeconds {
 public:
  explicit StageSeconds(std::vector<StageCost>& stages) : stages_(stages) {}

  void add(std::string_view stage, double seconds) { cost_of(stage).seconds += seconds; }
  double seconds(std::string_view stage) { return cost_of(stage).seconds; }

 private:
  StageCost& cost_of(std::string_view stage) {
    const auto known =
        std::find_if(stages_.begin(), stages_.end(), [&](const StageCost& cost) { return cost.stage == stage; });
    return known != stages_.end() ? *known : stages_.emplace_back(StageCost{std::string(stage), 0, 0});
  }

  std::vector<StageCost>& stages_;
};

}  // namespace refrain::verbs::ngrams
