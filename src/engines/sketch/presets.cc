// The named presets, and a list of English stop words.
#include "refrain/fingerprint.h"

namespace refrain {

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
