// ngrams lookup: the rows of some phrases.
#include <fmt/format.h>

#include "base/progress.h"
#include "base/threads.h"
#include "engines/ngram/index/gram_key.h"
#include "refrain/error.h"
#include "text/token_hash.h"
#include "text/tokenizer.h"
#include "verbs/ngrams/index.h"

namespace refrain {

namespace {

struct Phrase {
  std::uint64_t key;
  std::string text;
};

// Returns `given` as an n-gram of the index, with its case and punctuation normalized.
Phrase make_phrase(const text::Tokenizer& tokenizer, text::TokenBlock& block, const std::string& given, unsigned n) {
  Phrase phrase{0, {}};
  std::vector<std::uint64_t> hashes;
  for (std::size_t position = 0; position < given.size();) {
    position = tokenizer.next(given, position, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (!hashes.empty()) phrase.text += ' ';
      phrase.text += block.normal(i);
      hashes.push_back(text::hash_token(HashKind::xxh3, block.normal(i), 0));
    }
  }
  if (hashes.size() != n)
    throw Error(Errc::invalid_argument, fmt::format("'{}': {} token{}, but the index has {}-grams; use {}", given,
                                                    hashes.size(), hashes.size() == 1 ? "" : "s", n, n));
  phrase.key = ngram::gram_key(hashes);
  return phrase;
}

}  // namespace

NgramsLookupReport lookup_ngrams(const std::filesystem::path& index, const std::vector<std::string>& phrases,
                                 const Context& context, const NgramRows& out) {
  const Stopwatch opening;
  const std::unique_ptr<ngram::IndexReader> reader = verbs::ngrams::open_ngrams(index, context);
  NgramsLookupReport report;
  report.open_seconds = opening.seconds();

  const Stopwatch looking;
  const std::unique_ptr<const text::Tokenizer> tokenizer = text::make_tokenizer(reader->head().tokenizer);
  text::TokenBlock block;
  std::vector<Phrase> made;
  made.reserve(phrases.size());
  for (const std::string& given : phrases) made.push_back(make_phrase(*tokenizer, block, given, reader->head().n));

  verbs::ngrams::NgramRowWriter rows(*reader, out);
  rows.header();
  for (std::size_t i = 0; i < made.size(); ++i) {
    throw_if_stopped(context);
    ngram::GramEntry entry;
    ++report.phrases;
    if (reader->find(made[i].key, made[i].text, entry)) {
      ++report.found;
      rows.row(entry);
    } else {
      report.missing.push_back(phrases[i]);
    }
  }
  rows.flush();
  report.lookup_seconds = looking.seconds();
  return report;
}

}  // namespace refrain
