// Names as flags spell them, and the enums behind them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "refrain/fingerprint.h"

namespace refrain::python {

// The place of `name` among `names`; Error(invalid_argument) names them all.
std::size_t place_of_name(std::string_view option, std::string_view name, const std::vector<std::string_view>& names);

template <class Enum>
Enum named(std::string_view option, std::string_view name, const std::vector<std::string_view>& names) {
  return static_cast<Enum>(place_of_name(option, name, names));
}

TokenizerKind tokenizer_named(std::string_view name);
HashKind hash_named(std::string_view name);

}  // namespace refrain::python
