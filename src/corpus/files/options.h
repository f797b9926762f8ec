// The options of reading, with settings for callers that have read the input before or have saved standard input to a
// file.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "refrain/input.h"

namespace refrain::corpus {

struct Input;
struct InputFormat;

struct SourceOptions : InputOptions {
  SourceOptions() = default;
  SourceOptions(InputOptions options) : InputOptions(std::move(options)) {}  // NOLINT: public options are enough

  std::string standard_input = {};  // a file to read in place of "-"; empty: the standard input of this process
  // Paths that an earlier reading of the same input found unreadable, in byte order. They are skipped without being
  // opened, so that this reading finds the same documents.
  std::vector<std::string> known_unreadable = {};
  // If set, the input is read from copies, in the order of the input: this returns the path of a file's copy. Files
  // without a copy are skipped.
  std::function<std::string(const Input& input)> copy_of = {};
  // Formats besides those of format.cc; for tests.
  std::vector<const InputFormat*> more_formats = {};
  // In messages, the options of this input begin with this: "against_" for those of the set to compare with.
  std::string prefix = {};
};

}  // namespace refrain::corpus
