// What the files of the input are called when they are written again.
#pragma once

#include <string>
#include <vector>

#include "corpus/files/walk.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Immutable. Names depend on the paths alone, not on what was read.
class OutputNames {
 public:
  explicit OutputNames(const InputOptions& options);

  // Relative, without "." and "..": it never leads out of the folder that it is put below. Two inputs of one run never
  // have the same.
  std::string of(const Input& input) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> names_;  // one a path
};

}  // namespace refrain::corpus
