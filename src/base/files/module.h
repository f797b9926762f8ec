// Modules: parts of the program that are loaded when they are asked for, because what they need is large, or not
// everywhere.
#pragma once

#include <string>

namespace refrain {

// What open_module() found: the symbol, or why there is none.
struct ModuleEntry {
  void* entry = nullptr;
  std::string file = {};     // where the module was found; empty if it was not
  std::string missing = {};  // empty if `entry` is there
};

// Loads the module `name` ("librefrain_parquet.so") and looks up `symbol` in it. Modules lie beside the program or library
// that this code is part of, as in a build folder, or where installed ones keep theirs. A module stays loaded: libraries do
// not like to go.
ModuleEntry open_module(const std::string& name, const char* symbol);

}  // namespace refrain
