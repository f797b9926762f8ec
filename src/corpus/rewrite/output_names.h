// The names of the input files when they are written again.
#pragma once

#include <string>
#include <vector>

#include "corpus/files/walk.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Immutable. Names depend only on the paths, not on the content.
class OutputNames {
 public:
  explicit OutputNames(const InputOptions& options);

  // A relative path without "." and "..", so it never leaves the output folder. Two inputs of one run never have the
  // same name.
  std::string of(const Input& input) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> names_;  // one per path
};

}  // namespace refrain::corpus
