// Converts names, spelled as the flags spell them, to enum values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "refrain/fingerprint.h"

namespace refrain::python {

// Returns the index of `name` in `names`. Throws Error(invalid_argument) with all names if it is not there.
std::size_t index_of_name(std::string_view option, std::string_view name, const std::vector<std::string_view>& names);

template <class Enum>
Enum named(std::string_view option, std::string_view name, const std::vector<std::string_view>& names) {
  return static_cast<Enum>(index_of_name(option, name, names));
}

TokenizerKind tokenizer_named(std::string_view name);
HashKind hash_named(std::string_view name);

}  // namespace refrain::python
