// What to read, with what only those know who have read it before, or have put standard input into a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "refrain/input.h"

namespace refrain::corpus {

struct SourceOptions : InputOptions {
  SourceOptions() = default;
  SourceOptions(InputOptions options) : InputOptions(std::move(options)) {}  // NOLINT: what a caller asks for is enough

  std::string standard_input = {};  // a file to read for "-"; empty: the standard input of this process
  // Of an earlier reading of the same input: passed over unread, so that this one finds the same documents. In byte order.
  std::vector<std::string> known_unreadable = {};
};

}  // namespace refrain::corpus
