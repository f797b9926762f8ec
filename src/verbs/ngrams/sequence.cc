#include "verbs/ngrams/build.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "engines/ngram/index/gram_output.h"
#include "engines/ngram/literature/literature.h"
#include "text/token_hash.h"
#include "text/tokenizer.h"
#include "verbs/run/skipped.h"

namespace refrain::verbs::ngrams {

namespace {

// A batch whose words are numbered independently. They get the numbers of the whole text later, in input order.
struct NumberedBatch {
  explicit NumberedBatch(MemoryBudget& budget) : vocabulary(budget), words(budget, "the words of a batch") {}
  ngram::Vocabulary vocabulary;
  Array<std::uint32_t> words;
  std::vector<std::uint64_t> tokens;  // per document
  corpus::BatchIds ids;
};

struct Numberer {
  text::TokenBlock block;
  std::vector<std::uint64_t> hashes;
};

void number(const text::Tokenizer& tokenizer, std::string_view text, Numberer& numberer, NumberedBatch& batch) {
  for (std::size_t position = 0; position < text.size();) {
    position = tokenizer.next(text, position, numberer.block);
    const std::size_t size = numberer.block.size();
    numberer.hashes.resize(std::max(numberer.hashes.size(), size));
    text::hash_tokens(HashKind::xxh3, numberer.block, 0, numberer.hashes.data());
    for (std::size_t i = 0; i < size; ++i)
      batch.words.push_back(batch.vocabulary.add(numberer.block.normal(i), numberer.hashes[i]));
  }
}

// Reads the input and makes S.
class SequenceBuilder {
 public:
  SequenceBuilder(MemoryBudget& budget, TempSpace& temp)
      : budget_(budget), documents_(budget), vocabulary_(budget), sequence_(temp, documents_) {}

  void read(const NgramsOptions& options, const Context& context, ngram::IndexWriter& writer, NgramsReport& report) {
    const std::unique_ptr<const text::Tokenizer> tokenizer = text::make_tokenizer(options.tokenizer);
    std::vector<Numberer> numberers(thread_count(context));
    report.read = run::read_listed(options.input, context, budget_,
                                   [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
                                     auto done = std::make_shared<NumberedBatch>(budget_);
                                     for (std::size_t i = 0; i < batch.texts.size(); ++i) {
                                       const std::size_t before = done->words.size();
                                       if (batch.bad[i] == 0)
                                         number(*tokenizer, batch.texts[i], numberers[worker], *done);
                                       done->tokens.push_back(done->words.size() - before);
                                     }
                                     done->ids = std::move(batch.ids);
                                     return [&, done](DocId) { append(*done, options.n, writer, report); };
                                   });
    documents_.finish();
    report.documents = documents_.size();
    report.tokens = documents_.tokens();
    report.sequence_bytes = sequence_.bytes();
  }

  const ngram::DocumentTable& documents() const { return documents_; }
  const ngram::Vocabulary& vocabulary() const { return vocabulary_; }
  const ngram::Sequence& sequence() const { return sequence_; }

 private:
  void append(NumberedBatch& batch, unsigned n, ngram::IndexWriter& writer, NgramsReport& report) {
    const ngram::Vocabulary& theirs = batch.vocabulary;
    std::vector<std::uint32_t> numbers(theirs.size());
    for (std::uint32_t id = 0; id < theirs.size(); ++id)
      numbers[id] = vocabulary_.add(theirs.word(id), theirs.hash(id), theirs.count(id));
    for (std::uint32_t& word : batch.words) word = numbers[word];
    sequence_.append({batch.words.data(), batch.words.size()});
    for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
      const std::uint64_t tokens = batch.tokens[i];
      documents_.add(tokens);
      if (batch.ids.ordinals)
        writer.add_document(std::nullopt, tokens);
      else
        writer.add_document(batch.ids[i], tokens);
      if (tokens >= n) report.grams += tokens - n + 1;
    }
  }

  MemoryBudget& budget_;
  ngram::DocumentTable documents_;
  ngram::Vocabulary vocabulary_;
  ngram::Sequence sequence_;
};

ngram::RepeatCost build(NgramAlgorithm algorithm, const ngram::RepeatTask& task) {
  switch (algorithm) {
    case NgramAlgorithm::automatic:  // not one of these algorithms
    case NgramAlgorithm::memory:
      return ngram::memory_based(task);
    case NgramAlgorithm::disk:
      return ngram::disk_based(task);
    case NgramAlgorithm::hash:
      return ngram::hash_based(task);
    case NgramAlgorithm::spex:
      return ngram::spex(task);
    case NgramAlgorithm::spex_log:
      return ngram::spex_log(task);
    case NgramAlgorithm::blocked:
      return ngram::sequence_blocked(task);
    case NgramAlgorithm::location:
      return ngram::location_based(task);
  }
  return {};
}

}  // namespace

void build_by_literature(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
                         ngram::IndexWriter& writer, NgramsReport& report) {
  const Stopwatch reading;
  SequenceBuilder builder(budget, temp);
  builder.read(options, context, writer, report);
  report.stages.push_back({"read", reading.seconds(), report.read.bytes});
  const Stopwatch building;
  ngram::GramOutput output(writer, builder.documents(), options.m);
  const ngram::RepeatCost cost = build(options.algorithm, {.context = context,
                                                           .budget = budget,
                                                           .temp = temp,
                                                           .sequence = builder.sequence(),
                                                           .vocabulary = builder.vocabulary(),
                                                           .grams = report.grams,
                                                           .n = options.n,
                                                           .m = options.m,
                                                           .output = output});
  report.passes = cost.passes;
  for (std::size_t i = 0; i < cost.file_bytes.size(); ++i) report.file_bytes[i] = cost.file_bytes[i];
  report.stages.push_back({"build", building.seconds(), cost.file_bytes[0] + cost.file_bytes[1] + cost.file_bytes[2]});
}

}  // namespace refrain::verbs::ngrams
