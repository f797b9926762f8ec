// Fingerprints: a 64-bit SimHash of every document, and its options.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/input.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

enum class TokenizerKind {
  words,
  whitespace,
  whitespace_lower,
  alpha,
  code,
  code_kinds,
  chars,
  bytes,
  dna,
  words_nfkc,
  code_bare,       // without comments
  code_kinds_bare  // without comments
};
enum class HashKind { xxh3, sdbm, jenkins, md5 };

// The names above as flags and files spell them ("code-kinds" for code_kinds), in the order of the enums.
std::vector<std::string_view> tokenizer_names();
// Those that users choose from. What they call code and code-kinds has no comments, unless they want them: with_comments().
std::vector<std::string_view> tokenizer_choices();
constexpr TokenizerKind with_comments(TokenizerKind tokenizer, bool comments) {
  switch (tokenizer) {
    case TokenizerKind::code:
    case TokenizerKind::code_bare:
      return comments ? TokenizerKind::code : TokenizerKind::code_bare;
    case TokenizerKind::code_kinds:
    case TokenizerKind::code_kinds_bare:
      return comments ? TokenizerKind::code_kinds : TokenizerKind::code_kinds_bare;
    default:
      return tokenizer;
  }
}
std::vector<std::string_view> hash_names();
// The version of fingerprints made with this tokenizer; the newest is kFingerprintVersion (refrain/version.h).
constexpr int fingerprint_version(TokenizerKind tokenizer) {
  return tokenizer == TokenizerKind::words_nfkc ? 2 : 1;
}

struct FingerprintOptions {
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  HashKind hash = HashKind::xxh3;
  // Tokens per window; a document with fewer tokens is too short and gets no fingerprint. md5 hashes the text of the
  // window, its tokens joined by one space; the other hashes hash each token, and windows combine those hashes.
  unsigned window = 3;
  std::uint64_t seed = 0;     // for xxh3 and jenkins
  bool tie_sets_bit = false;  // value of a bit whose weights sum to zero
  // Dropped before windows are formed; ASCII case is ignored.
  std::vector<std::string> stop_words = {};
};

// The preset's fingerprint, distance and blocks; nullopt for an unknown name.
//   fpga    whitespace, sdbm, single tokens, ties give 1; distance 3, 4 blocks
//   report  lower case, split at white space, md5, windows of 6; distance 4, 6 blocks
struct Preset {
  FingerprintOptions fingerprint;
  unsigned distance = 3;
  unsigned blocks = 0;
};
std::optional<Preset> preset(std::string_view name);
std::vector<std::string_view> preset_names();

// A small list of English function words ("a", "the", "is", ...), for FingerprintOptions::stop_words.
std::vector<std::string> english_stop_words();

class TextColumn;  // documents.h

// The batch kernel: text in, fingerprints out. Cheap to copy; immutable, threads may share one.
class Fingerprinter {
 public:
  explicit Fingerprinter(const FingerprintOptions& options);
  ~Fingerprinter();
  Fingerprinter(const Fingerprinter&);
  Fingerprinter& operator=(const Fingerprinter&);

  // nullopt: too short to judge.
  std::optional<std::uint64_t> operator()(std::string_view text) const;

  // Document i gives hashes[i]; valid[i] and hashes[i] are 0 if it is too short. Both arrays have batch.size() items.
  void batch(const TextBatch& batch, std::uint64_t* hashes, std::uint8_t* valid) const;
  // The same on context.threads threads. valid[i] is 0 for a null, too.
  void batch(const TextColumn& texts, std::uint64_t* hashes, std::uint8_t* valid, const Context& context) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

struct FingerprintReport {
  ReadReport read;
  int version = fingerprint_version(FingerprintOptions{}.tokenizer);
  std::uint64_t too_short = 0;
  double seconds = 0;
};

// Writes the rows "id<TAB>simhash" (in decimal, empty where too short) to `out`, in input order; before them a line that
// tells the options, and a header.
// Called from one thread at a time.
FingerprintReport fingerprint(const InputOptions& input, const FingerprintOptions& options, const Context& context,
                              const std::function<void(std::string_view)>& out);

}  // namespace refrain
