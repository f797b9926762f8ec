// Modules: parts of the program that are loaded on request, because their dependencies are large, or not installed
// everywhere.
#pragma once

#include <string>

namespace refrain {

// The result of open_module(): the symbol, or the reason why there is none.
struct ModuleEntry {
  void* entry = nullptr;
  std::string file = {};     // where the module was found; empty if it was not
  std::string missing = {};  // the reason; empty if `entry` was found
};

// Loads the module `name` ("librefrain_parquet.so") and looks up `symbol` in it. Modules are searched for beside the
// program or library that contains this code, as in a build folder, and in the folder of installed modules. A module
// stays loaded, because unloading libraries is not reliable.
ModuleEntry open_module(const std::string& name, const char* symbol);

}  // namespace refrain
