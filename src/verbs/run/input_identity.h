// By what an input is known again: names, sizes and times of all its files.
#pragma once

#include <string>

#include "refrain/input.h"

namespace refrain::verbs::run {

// A line a path of the input. What is below a folder is told by its number of files, their bytes and a checksum.
std::string input_identity(const InputOptions& input);

}  // namespace refrain::verbs::run
