#include "base/files/module.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <climits>
#include <filesystem>
#include <system_error>

namespace refrain {

namespace {

namespace fs = std::filesystem;

// The folder of the file that this code was loaded from: the program, or a library that a program has loaded. Empty
// if it cannot be determined.
fs::path own_folder() {
  Dl_info info{};
  void* found = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&own_folder), &info, &found, RTLD_DL_LINKMAP) == 0) return {};
  const char* const name = static_cast<const link_map*>(found)->l_name;
  std::error_code error;
  // The program's own entry in the link map has an empty name.
  if (*name == '\0') return fs::read_symlink("/proc/self/exe", error).parent_path();
  // The name may be relative to a folder that the program has since left; the loader remembers that folder.
  void* const self = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (self == nullptr) return {};
  std::array<char, 2 * PATH_MAX + 1> origin{};  // room for that folder and a relative path
  const bool known = dlinfo(self, RTLD_DI_ORIGIN, origin.data()) == 0;
  dlclose(self);
  return known ? fs::path(origin.data()) : fs::path();
}

}  // namespace

ModuleEntry open_module(const std::string& name, const char* symbol) {
  static const fs::path here = own_folder();
  // A relative path would be resolved in the current folder of the program, and any file there would be executed.
  if (!here.is_absolute()) return {.missing = "the program cannot find its own path, because /proc is not mounted"};
  std::error_code error;
  for (const fs::path& folder : {here, here / "refrain", here.parent_path() / REFRAIN_MODULE_FOLDER}) {
    const fs::path file = folder / name;
    if (!fs::exists(file, error)) continue;
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (module == nullptr) return {.file = file.string(), .missing = dlerror()};
    void* const entry = dlsym(module, symbol);
    if (entry == nullptr) return {.file = file.string(), .missing = file.string() + " has a different version"};
    return {.entry = entry, .file = file.string()};
  }
  return {.missing = name + " is missing"};
}

}  // namespace refrain
