#include "text/tokenizer.h"

#include "refrain/error.h"

namespace refrain::text {

std::unique_ptr<const Tokenizer> make_tokenizer(TokenizerKind kind) {
  switch (kind) {
    case TokenizerKind::words:
      return make_words_tokenizer(false);
    case TokenizerKind::words_nfkc:
      return make_words_tokenizer(true);
    case TokenizerKind::whitespace:
      return make_whitespace_tokenizer(false);
    case TokenizerKind::whitespace_lower:
      return make_whitespace_tokenizer(true);
    case TokenizerKind::alpha:
      return make_alpha_tokenizer();
    case TokenizerKind::code:
      return make_code_tokenizer(false, true);
    case TokenizerKind::code_kinds:
      return make_code_tokenizer(true, true);
    case TokenizerKind::code_bare:
      return make_code_tokenizer(false, false);
    case TokenizerKind::code_kinds_bare:
      return make_code_tokenizer(true, false);
    case TokenizerKind::chars:
      return make_chars_tokenizer();
    case TokenizerKind::bytes:
      return make_bytes_tokenizer();
    case TokenizerKind::dna:
      return make_dna_tokenizer();
  }
  throw Error(Errc::invalid_argument, "`tokenizer`: unknown tokenizer");
}

}  // namespace refrain::text

namespace refrain {

std::vector<std::string_view> tokenizer_names() {
  return {"words", "whitespace", "whitespace-lower", "alpha",     "code",           "code-kinds", "chars",
          "bytes", "dna",        "words-nfkc",       "code-bare", "code-kinds-bare"};
}

std::vector<std::string_view> tokenizer_choices() {
  std::vector<std::string_view> names = tokenizer_names();
  names.resize(static_cast<std::size_t>(TokenizerKind::code_bare));
  return names;
}

std::string tokenizer_text(std::string_view name) {
  constexpr std::string_view kBare = "-bare";
  if (name.ends_with(kBare)) return std::string(name.substr(0, name.size() - kBare.size()));
  return std::string(name) + (name == "code" || name == "code-kinds" ? " with comments" : "");
}

}  // namespace refrain
