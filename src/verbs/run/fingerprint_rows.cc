#include "verbs/run/fingerprint_rows.h"

#include "refrain/options.h"

namespace refrain::verbs::run {

std::vector<std::string_view> normal_form_names() {
  return {"none", "nfkc"};
}

std::vector<std::string_view> stop_word_lists() {
  return {"english"};
}

void set_normal_form(TokenizerKind& tokenizer, bool nfkc) {
  if (tokenizer == TokenizerKind::words || tokenizer == TokenizerKind::words_nfkc)
    tokenizer = nfkc ? TokenizerKind::words_nfkc : TokenizerKind::words;
  else if (nfkc)
    throw Error(Errc::invalid_argument, fmt::format("`normalize` nfkc: only words are normalized, not `tokenizer` {}",
                                                    tokenizer_text(name_of(tokenizer))));
}

void set_comments(TokenizerKind& tokenizer, bool comments) {
  if (comments && with_comments(tokenizer, true) == with_comments(tokenizer, false))
    throw Error(
        Errc::invalid_argument,
        fmt::format("`comments`: only code has comments, not `tokenizer` {}; use `tokenizer` code or code-kinds",
                    name_of(tokenizer)));
  tokenizer = with_comments(tokenizer, comments);
}

}  // namespace refrain::verbs::run

namespace refrain {

template <>
std::span<const Option<DocumentMatchOptions>> option_table() {
  static const auto rows = [] {
    using M = DocumentMatchOptions;
    auto all = verbs::run::window_rows<M, &M::windows>("seed for the hashes", kSpark);
    verbs::run::append(all, verbs::run::threshold_rows<M>());
    verbs::run::append(all, verbs::run::signature_rows<M>());
    return all;
  }();
  return rows;
}

}  // namespace refrain
