// The tokenizers "whitespace" (unchanged text between ASCII white space), "whitespace-lower" (the same in lower case)
// and "alpha" (unchanged runs of ASCII letters).
#include <utf8proc.h>

#include "text/run_tokenizer.h"

namespace refrain::text {

namespace {

template <bool lower>
struct WhitespaceRules {
  static constexpr AsciiSet kMembers = AsciiSet{" \t\n\v\f\r"}.complement();
  static constexpr bool kLower = lower;
  static constexpr bool kAsciiOnly = false;

  static CharacterRole role(std::uint32_t /*c*/) { return CharacterRole::run; }
  static unsigned fold(std::uint32_t c, char* out) {
    return encode_utf8(lower ? static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))) : c, out);
  }
};

struct AlphaRules {
  static constexpr AsciiSet kMembers{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"};
  static constexpr bool kLower = false;
  static constexpr bool kAsciiOnly = true;
};

}  // namespace

std::unique_ptr<const Tokenizer> make_whitespace_tokenizer(bool lower) {
  if (lower) return std::make_unique<RunTokenizer<WhitespaceRules<true>>>();
  return std::make_unique<RunTokenizer<WhitespaceRules<false>>>();
}

std::unique_ptr<const Tokenizer> make_alpha_tokenizer() {
  return std::make_unique<RunTokenizer<AlphaRules>>();
}

}  // namespace refrain::text
