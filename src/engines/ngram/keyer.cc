// The batch kernel that turns texts into the keys of their n-grams, with their places.
#include <fmt/format.h>

#include <algorithm>

#include "base/list_gather.h"
#include "engines/ngram/key_stream.h"
#include "engines/ngram/text_stream.h"
#include "refrain/error.h"
#include "refrain/kernels.h"
#include "refrain/ngrams.h"

namespace refrain {

namespace {

// The state of one thread.
struct Worker {
  Worker(const text::Tokenizer& tokenizer, unsigned tokens, MemoryBudget& budget)
      : n(tokens),
        keys(tokenizer, tokens),
        ranges(budget, "the tokens of a text"),
        reservation(budget.reserve(ngram::KeyStream::bytes(tokens), "the keys of a text")) {}

  void read(std::string_view text, Array<NgramPlace>& list) {
    keys.start(text);
    ranges.clear();
    for (std::span<const std::uint64_t> some; keys.next(some);) {
      ranges.reserve_more(keys.block().size());
      for (std::size_t i = 0; i < keys.block().size(); ++i) ranges.push_back(keys.block().range(i));
      list.reserve_more(some.size());
      for (std::size_t i = 0; i < some.size(); ++i) list.push_back({some[i], {ranges[i].begin, ranges[i + n - 1].end}});
      std::copy(ranges.begin() + some.size(), ranges.end(), ranges.begin());
      ranges.resize(ranges.size() - some.size());
    }
  }

  unsigned n;
  ngram::KeyStream keys;
  Array<ByteRange> ranges;  // ranges of the tokens, from the first token of the next n-gram on
  Reservation reservation;
};

}  // namespace

struct NgramKeyer::Impl {
  Impl(unsigned tokens, TokenizerKind kind) : n(tokens), tokenizer(text::make_tokenizer(kind)) {
    if (n == 0 || n > kMaxNgramTokens)
      throw Error(Errc::invalid_argument, fmt::format("`n` {}: must be from 1 to {} tokens", n, kMaxNgramTokens));
  }
  unsigned n;
  std::unique_ptr<const text::Tokenizer> tokenizer;
};

NgramKeyer::NgramKeyer(unsigned n, TokenizerKind tokenizer) : impl_(std::make_shared<const Impl>(n, tokenizer)) {}
NgramKeyer::~NgramKeyer() = default;
NgramKeyer::NgramKeyer(const NgramKeyer&) = default;
NgramKeyer& NgramKeyer::operator=(const NgramKeyer&) = default;

std::vector<NgramPlace> NgramKeyer::operator()(std::string_view text) const {
  const std::int64_t offsets[] = {0, static_cast<std::int64_t>(text.size())};
  return batch(TextColumn(text.data(), offsets, 1), {.threads = 1}).values;
}

ListColumn<NgramPlace> NgramKeyer::batch(const TextColumn& texts, const Context& context) const {
  MemoryBudget budget(context);
  ListCollector<NgramPlace> found(budget, context, texts.size(), "the n-grams");
  PerWorker<Worker> workers(context);
  for_each_piece(context, texts.size(), [&](unsigned worker, std::size_t begin, std::size_t end) {
    Worker& mine = workers.get(worker, *impl_->tokenizer, impl_->n, budget);
    Array<NgramPlace>& list = found.open(worker, begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (texts.valid(i)) mine.read(texts[i], list);
      found.close(worker, i);
    }
  });
  return found.take();
}

std::vector<std::string> NgramKeyer::texts(std::string_view text, std::span<const std::uint64_t> tokens) const {
  MemoryBudget budget({.threads = 1});
  ngram::TextStream stream(*impl_->tokenizer, impl_->n, budget);
  std::vector<std::string> found;
  found.reserve(tokens.size());
  for (stream.start(text); found.size() < tokens.size() && stream.next();)
    while (found.size() < tokens.size() && tokens[found.size()] >= stream.first() &&
           tokens[found.size()] < stream.last())
      found.emplace_back(stream.text(tokens[found.size()]));
  if (found.size() != tokens.size())
    throw Error(Errc::invalid_argument, fmt::format("n-grams: none begins with token {}", tokens[found.size()]));
  return found;
}

}  // namespace refrain
