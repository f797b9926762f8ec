// Reads the options of an input back from JSON: the counterpart of write_input() (verbs/run/json_parts.h).
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "refrain/input.h"

namespace refrain::verbs::run {

// The index of `name` in `names`. Throws simdjson_error if it is not one of them.
template <class Names>
std::size_t place_of(std::string_view name, const Names& names) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
  return static_cast<std::size_t>(found - std::begin(names));
}

// Throws simdjson_error if a field is missing or is not what write_input() writes.
void read_input(const simdjson::dom::element& options, InputOptions& input);

}  // namespace refrain::verbs::run
