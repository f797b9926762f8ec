#include "corpus/files/parquet_module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <climits>
#include <filesystem>
#include <system_error>

#include "refrain/error.h"

namespace refrain::corpus {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "librefrain_parquet.so";
// What the library takes beside the buffers that are reserved one by one: 21 MiB were measured, and some more for what
// its codecs allocate.
constexpr std::uint64_t kLibraryBytes = std::uint64_t{24} << 20;

Error no_module(const std::string& path, const std::string& why) {
  return {Errc::unsupported,
          fmt::format("{}: Parquet is not available: {}; install Arrow (the Python package pyarrow, or libarrow and "
                      "libparquet with their headers) and rebuild, or convert the file to jsonl",
                      path, why)};
}

// The folder of the file that this code was loaded from: the program, or the library where a program has loaded that.
// Empty where it cannot be told.
fs::path own_folder() {
  Dl_info info{};
  void* found = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&own_folder), &info, &found, RTLD_DL_LINKMAP) == 0) return {};
  const char* const name = static_cast<const link_map*>(found)->l_name;
  std::error_code error;
  if (*name == '\0') return fs::read_symlink("/proc/self/exe", error).parent_path();  // the program has no name there
  // The name may be relative to a folder that the program has since left; the loader remembers which that was.
  void* const self = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (self == nullptr) return {};
  std::array<char, 2 * PATH_MAX + 1> origin{};  // that folder and a relative path
  const bool known = dlinfo(self, RTLD_DI_ORIGIN, origin.data()) == 0;
  dlclose(self);
  return known ? fs::path(origin.data()) : fs::path();
}

// Beside the program or library, as in a build folder, or where the installed ones keep their modules. Stays loaded: the
// library does not like to go.
const ParquetModule& load(const std::string& path, MemoryBudget& budget) {
  static const fs::path here = own_folder();
  // A relative path would be looked for where the program happens to run, and whatever lies there would be run.
  if (!here.is_absolute()) throw no_module(path, "the program cannot find its own path, because /proc is not mounted");
  std::error_code error;
  for (const fs::path& folder : {here, here / "refrain", here.parent_path() / REFRAIN_MODULE_FOLDER}) {
    const fs::path file = folder / kFile;
    if (!fs::exists(file, error)) continue;
    budget.keep("parquet", kLibraryBytes, "the library that reads Parquet");
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (module == nullptr) throw no_module(path, dlerror());
    const auto entry = reinterpret_cast<ParquetModule::Entry>(dlsym(module, ParquetModule::kEntry));
    const ParquetModule* const found = entry == nullptr ? nullptr : entry(ParquetModule::kVersion);
    if (found == nullptr) throw no_module(path, fmt::format("{} has a different version", file.string()));
    return *found;
  }
  throw no_module(path, fmt::format("{} is missing", kFile));
}

}  // namespace

std::shared_ptr<const ParquetFile> open_parquet(const std::string& path, const InputOptions& options,
                                                MemoryBudget& budget) {
  if (path == "-")
    throw Error(Errc::invalid_argument, "-: Parquet cannot be read from standard input; write it to a file first");
  return load(path, budget).open(path, options, budget);
}

std::unique_ptr<ParquetCopy> copy_parquet(const std::string& from, const std::string& to, const InputOptions& options,
                                          const Annotations& annotations, MemoryBudget& budget) {
  return load(from, budget).copy(from, to, options, annotations, budget);
}

}  // namespace refrain::corpus
