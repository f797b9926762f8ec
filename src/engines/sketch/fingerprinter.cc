// The batch kernel: from text to tokens to windows to SimHash; the presets of its options, and English stop words.
#include "refrain/fingerprint.h"

#include "base/pieces.h"
#include "engines/sketch/simhash.h"
#include "refrain/documents.h"
#include "text/windows.h"

namespace refrain {

struct Fingerprinter::Impl {
  explicit Impl(const FingerprintOptions& options) : plan(options), tie_sets_bit(options.tie_sets_bit) {}

  std::optional<std::uint64_t> compute(std::string_view text, text::FeatureStream& stream) const {
    sketch::SimHashCounter counter;
    stream.start(text);
    for (std::span<const std::uint64_t> features; stream.next(features);) counter.add(features);
    if (counter.count() == 0) return std::nullopt;
    return counter.fingerprint(tie_sets_bit);
  }

  text::FeaturePlan plan;
  bool tie_sets_bit;
};

Fingerprinter::Fingerprinter(const FingerprintOptions& options) : impl_(std::make_shared<const Impl>(options)) {}
Fingerprinter::~Fingerprinter() = default;
Fingerprinter::Fingerprinter(const Fingerprinter&) = default;
Fingerprinter& Fingerprinter::operator=(const Fingerprinter&) = default;

std::optional<std::uint64_t> Fingerprinter::operator()(std::string_view text) const {
  text::FeatureStream stream(impl_->plan);
  return impl_->compute(text, stream);
}

void Fingerprinter::batch(const TextBatch& batch, std::uint64_t* hashes, std::uint8_t* valid) const {
  text::FeatureStream stream(impl_->plan);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::optional<std::uint64_t> hash = impl_->compute(batch[i], stream);
    hashes[i] = hash.value_or(0);
    valid[i] = hash.has_value() ? 1 : 0;
  }
}

void Fingerprinter::batch(const TextColumn& texts, std::uint64_t* hashes, std::uint8_t* valid,
                          const Context& context) const {
  PerWorker<text::FeatureStream> streams(context);
  for_each_piece(context, texts.size(), [&](unsigned worker, std::size_t begin, std::size_t end) {
    text::FeatureStream& stream = streams.get(worker, impl_->plan);
    for (std::size_t i = begin; i < end; ++i) {
      const std::optional<std::uint64_t> hash = texts.valid(i) ? impl_->compute(texts[i], stream) : std::nullopt;
      hashes[i] = hash.value_or(0);
      valid[i] = hash.has_value() ? 1 : 0;
    }
  });
}

std::optional<Preset> preset(std::string_view name) {
  Preset preset;
  if (name == "fpga") {
    preset.fingerprint = {.tokenizer = TokenizerKind::whitespace,
                          .hash = HashKind::sdbm,
                          .window = 1,
                          .seed = 0,
                          .tie_sets_bit = true,
                          .stop_words = {}};
    preset.distance = 3;
    preset.blocks = 4;
    return preset;
  }
  if (name == "report") {
    preset.fingerprint = {.tokenizer = TokenizerKind::whitespace_lower,
                          .hash = HashKind::md5,
                          .window = 6,
                          .seed = 0,
                          .tie_sets_bit = false,
                          .stop_words = {}};
    preset.distance = 4;
    preset.blocks = 6;
    return preset;
  }
  return std::nullopt;
}

std::vector<std::string_view> preset_names() {
  return {"fpga", "report"};
}

std::vector<std::string> english_stop_words() {
  return {"a",     "about",  "above", "after", "again",   "all",   "also",   "am",    "an",    "and",     "any",
          "are",   "as",     "at",    "be",    "because", "been",  "before", "being", "below", "between", "both",
          "but",   "by",     "can",   "could", "did",     "do",    "does",   "doing", "down",  "during",  "each",
          "few",   "for",    "from",  "had",   "has",     "have",  "having", "he",    "her",   "here",    "hers",
          "him",   "his",    "how",   "i",     "if",      "in",    "into",   "is",    "it",    "its",     "just",
          "may",   "me",     "might", "more",  "most",    "must",  "my",     "no",    "nor",   "not",     "now",
          "of",    "off",    "on",    "once",  "only",    "or",    "other",  "our",   "ours",  "out",     "over",
          "own",   "same",   "shall", "she",   "should",  "so",    "some",   "such",  "than",  "that",    "the",
          "their", "theirs", "them",  "then",  "there",   "these", "they",   "this",  "those", "through", "to",
          "too",   "under",  "until", "up",    "us",      "very",  "was",    "we",    "were",  "what",    "when",
          "where", "which",  "while", "who",   "whom",    "why",   "will",   "with",  "would", "you",     "your"};
}

}  // namespace refrain
