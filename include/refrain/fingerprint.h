// Fingerprints: the 64-bit SimHash of a document, and its options.
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

// The names of the enumerators in flags and files ("code-kinds" for code_kinds), in the order of the enums.
std::vector<std::string_view> tokenizer_names();
// The tokenizers that users choose from. For users, "code" and "code-kinds" mean the tokenizers without comments,
// unless they ask for comments; with_comments() does this mapping.
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
// A name as messages have it: "code" for "code-bare", and "code with comments" for "code".
std::string tokenizer_text(std::string_view name);
std::vector<std::string_view> hash_names();
// The version of the fingerprints made with this tokenizer; the newest is kFingerprintVersion (refrain/version.h).
constexpr int fingerprint_version(TokenizerKind tokenizer) {
  return tokenizer == TokenizerKind::words_nfkc ? 2 : 1;
}

struct FingerprintOptions {
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  HashKind hash = HashKind::xxh3;
  // The number of tokens in a window. A document with fewer tokens is too short and gets no fingerprint. md5 hashes
  // the text of the window, its tokens joined by one space; the other hashes hash each token, and a window combines
  // those hashes.
  unsigned window = 3;
  std::uint64_t seed = 0;     // for xxh3 and jenkins
  bool tie_sets_bit = false;  // the value of a bit whose weights sum to zero
  // Words that are dropped before windows are formed; ASCII case is ignored.
  std::vector<std::string> stop_words = {};
};

// A preset's fingerprint options, distance and blocks. preset() returns nullopt for an unknown name.
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

  // Returns nullopt if the text is too short to judge.
  std::optional<std::uint64_t> operator()(std::string_view text) const;

  // The fingerprint of document i goes to hashes[i]; valid[i] and hashes[i] are 0 if it is too short. Both arrays
  // must have room for batch.size() values.
  void batch(const TextBatch& batch, std::uint64_t* hashes, std::uint8_t* valid) const;
  // The same, on context.threads threads. valid[i] is 0 for a null, too.
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

// Writes a header and the rows "id<TAB>simhash<TAB>" (in decimal; empty if the document is too short) to `out`, in
// input order. The third column is empty; its name in the header states the options. `out` is called by one thread at
// a time.
FingerprintReport fingerprint(const InputOptions& input, const FingerprintOptions& options, const Context& context,
                              const std::function<void(std::string_view)>& out);

}  // namespace refrain
