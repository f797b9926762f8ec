#include "verbs/ngrams/passes.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/files/file.h"
#include "base/threads.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/run/skipped.h"

namespace refrain::verbs::ngrams {

namespace {

constexpr std::uint64_t kHeldPieces = 11;  // memory of a worker per byte of its piece; complete() assumes ten

TempFile copy_of_standard_input(const Context& context, TempSpace& temp) {
  InputFile in("-", context.stop);
  TempFile copy(temp);
  std::string buffer(std::size_t{1} << 18U, '\0');
  while (const std::size_t got = in.read(buffer.data(), buffer.size())) {
    throw_if_stopped(context);
    copy.append(std::string_view(buffer).substr(0, got));
  }
  return copy;
}

}  // namespace

TextPasses::TextPasses(const InputOptions& input, const Context& context, MemoryBudget& budget, TempSpace& temp)
    : input_(input),
      context_(context),
      budget_(budget),
      piece_bytes_(corpus::complete({}, thread_count(context), budget).piece_bytes),
      documents_(budget) {
  if (input.documents && !input.documents->rewindable())
    input_.documents = corpus::spooled(*input.documents, context, temp);
  if (std::count(input.paths.begin(), input.paths.end(), "-") != 1) return;
  standard_input_ = copy_of_standard_input(context, temp);
  input_.standard_input = standard_input_->path();
}

ReadReport TextPasses::read(const std::string& stage, const corpus::BatchWork& work) {
  Context named = context_;
  if (context_.progress)
    named.progress = [&](ProgressUpdate update) {
      update.stage = stage;
      all_bytes_ = update.total;
      context_.progress(update);
    };
  ++passes_;
  // Long documents wait for each other only if they might not all fit in memory.
  const std::size_t share = all_long_ ? std::numeric_limits<std::size_t>::max() : 0;
  return run::read_listed(input_, named, budget_, work, {.bytes = all_bytes_},
                          {.piece_bytes = piece_bytes_, .share_bytes = share});
}

ReadReport TextPasses::count(const std::string& stage, const TokensOf& tokens_of, const OnDocument& on_document) {
  budget_.reset_peak();
  const std::uint64_t before = budget_.reserved();
  ReadReport report = read(stage, [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
    struct Done {
      std::vector<std::uint64_t> tokens;
      corpus::BatchIds ids;
      corpus::BatchPlace place;
    };
    auto done = std::make_shared<Done>();
    done->tokens.resize(batch.texts.size());
    for (std::size_t i = 0; i < batch.texts.size(); ++i)
      if (batch.bad[i] == 0) done->tokens[i] = tokens_of(worker, batch.texts[i]);
    done->ids = std::move(batch.ids);
    done->place = batch.place;
    return [this, &on_document, done](DocId first) {
      batches_.push_back({done->place, first, done->tokens.size()});
      for (std::size_t i = 0; i < done->tokens.size(); ++i) {
        documents_.add(done->tokens[i]);
        if (done->ids.ordinals)
          on_document(std::nullopt, done->tokens[i]);
        else
          on_document(done->ids[i], done->tokens[i]);
      }
    };
  });
  input_ = refrain::corpus::reread_options(std::move(input_), report);
  // This includes the growth of the table of documents, which later passes do not repeat.
  first_bytes_ = budget_.peak() - before;
  documents_.finish();
  const std::uint64_t threads = thread_count(context_);
  all_long_ = threads * first_bytes_ <= first_bytes_ + budget_.available() / 16;
  return report;
}

std::uint64_t TextPasses::reading_bytes() const {
  // In the first pass, the workers may not have held their largest pieces at the same time; in a later pass they
  // may.
  const std::uint64_t first = std::max(first_bytes_, thread_count(context_) * kHeldPieces * piece_bytes_);
  const std::uint64_t margin = first / 8 + (std::uint64_t{1} << 20U);
  if (all_long_) return std::max(first_bytes_ * thread_count(context_), first) + margin;
  // If there is plenty of memory, leave more.
  return first + std::max(margin, std::min(2 * first_bytes_, budget_.available() / 16));
}

void TextPasses::next_pass(const std::string& stage, const BeginBatch& begin_batch, const Visit& visit) {
  const ReadReport report = read(stage, [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
    const DocId first = first_of(batch);
    begin_batch(worker, documents_.first(first));
    for (std::size_t i = 0; i < batch.texts.size(); ++i) {
      const std::uint64_t tokens = batch.bad[i] != 0 ? 0 : visit(worker, documents_.first(first + i), batch.texts[i]);
      if (tokens != documents_.tokens(first + i)) watch_.check(true);
    }
    return {};
  });
  watch_.check(report.documents + report.bad_records != documents_.size());
}

DocId TextPasses::first_of(const corpus::Batch& batch) const {
  const auto known =
      std::lower_bound(batches_.begin(), batches_.end(), batch.place,
                       [](const KnownBatch& a, const corpus::BatchPlace& place) { return a.place < place; });
  if (known == batches_.end() || known->place != batch.place || known->size != batch.texts.size()) watch_.check(true);
  return known->first;
}

}  // namespace refrain::verbs::ngrams
