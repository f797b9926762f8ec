#include "corpus/source/parquet_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

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
          fmt::format("{}: Parquet cannot be read here: {}; install Arrow (the Python package pyarrow, or libarrow and "
                      "libparquet with their headers) and build again, or convert the file to jsonl",
                      path, why)};
}

// Beside the program, or where programs are installed with their libraries. Stays loaded: the library does not like to
// go.
const ParquetModule& load(const std::string& path, MemoryBudget& budget) {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  // A relative path would be looked for where the program happens to run, and whatever lies there would be run.
  if (!here.is_absolute()) throw no_module(path, "the program cannot tell where it is, because /proc is not mounted");
  for (const fs::path& folder : {here, here.parent_path() / "lib"}) {
    const fs::path file = folder / kFile;
    if (!fs::exists(file, error)) continue;
    budget.keep("parquet", kLibraryBytes, "the library that reads Parquet");
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (module == nullptr) throw no_module(path, dlerror());
    const auto entry = reinterpret_cast<ParquetModule::Entry>(dlsym(module, ParquetModule::kEntry));
    const ParquetModule* const found = entry == nullptr ? nullptr : entry(ParquetModule::kVersion);
    if (found == nullptr) throw no_module(path, fmt::format("{} is of another version", file.string()));
    return *found;
  }
  throw no_module(path, fmt::format("there is no {}", kFile));
}

}  // namespace

std::shared_ptr<const ParquetFile> open_parquet(const std::string& path, const InputOptions& options,
                                                MemoryBudget& budget) {
  if (path == "-") throw Error(Errc::invalid_argument, "-: Parquet is read from its end; write it to a file first");
  return load(path, budget).open(path, options, budget);
}

std::unique_ptr<ParquetCopy> copy_parquet(const std::string& from, const std::string& to, const InputOptions& options,
                                          const Annotations& annotations, MemoryBudget& budget) {
  return load(from, budget).copy(from, to, options, annotations, budget);
}

}  // namespace refrain::corpus
