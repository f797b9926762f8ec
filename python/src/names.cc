#include "names.h"

#include "refrain/error.h"

namespace refrain::python {

std::size_t index_of_name(std::string_view option, std::string_view name, const std::vector<std::string_view>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
    all += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw Error(Errc::invalid_argument,
              std::string(option) + ": there is no '" + std::string(name) + "'; choose from " + all);
}

TokenizerKind tokenizer_named(std::string_view name) {
  return with_comments(named<TokenizerKind>("`tokenizer`", name, tokenizer_choices()), false);
}
HashKind hash_named(std::string_view name) {
  return named<HashKind>("`hash`", name, hash_names());
}

}  // namespace refrain::python
