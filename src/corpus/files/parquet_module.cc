#include "corpus/files/parquet_module.h"

#include <fmt/format.h>

#include <utility>

#include "base/files/module.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr const char* kFile = "librefrain_parquet.so";
// The memory of the library besides the buffers, which are reserved one by one: 21 MiB were measured, and the rest is
// for what its codecs allocate.
constexpr std::uint64_t kLibraryBytes = std::uint64_t{24} << 20;

constexpr const char* kConvert = "convert the file to jsonl";

// `where` and `remedy` are parts of the message if there is no module.
const ParquetModule& load(const std::string& where, MemoryBudget& budget, const char* remedy = kConvert) {
  const auto no_module = [&](const std::string& why) {
    return Error(Errc::unsupported,
                 fmt::format("{}: Parquet is not available: {}; install Arrow (the Python package pyarrow, or libarrow "
                             "and libparquet with their headers) and rebuild, or {}",
                             where, why, remedy));
  };
  budget.keep("parquet", kLibraryBytes, "the library for Parquet");
  const ModuleEntry module = open_module(kFile, ParquetModule::kEntry);
  if (module.entry == nullptr) throw no_module(module.missing);
  const ParquetModule* const found = reinterpret_cast<ParquetModule::Entry>(module.entry)(ParquetModule::kVersion);
  if (found == nullptr) throw no_module(fmt::format("{} has a different version", module.file));
  return *found;
}

}  // namespace

std::shared_ptr<const ParquetFile> open_parquet(const std::string& path, const SourceOptions& options,
                                                MemoryBudget& budget) {
  if (path == "-")
    throw Error(Errc::invalid_argument, "-: Parquet cannot be read from standard input; write it to a file first");
  return load(path, budget).open(path, options, budget);
}

std::unique_ptr<ParquetCopy> copy_parquet(const std::string& from, const std::string& to, const InputOptions& options,
                                          const Annotations& annotations, MemoryBudget& budget) {
  return load(from, budget).copy(from, to, options, annotations, budget);
}

namespace {

const ParquetModule& load_for_tables(MemoryBudget& budget) {
  return load("`tables` parquet", budget, "remove `tables`");
}

}  // namespace

void prepare_parquet(MemoryBudget& budget) {
  load_for_tables(budget);
}

std::unique_ptr<ParquetTable> make_parquet(const std::string& name, std::vector<TableColumn> columns, ByteWriter write,
                                           MemoryBudget& budget) {
  return load_for_tables(budget).make(name, std::move(columns), std::move(write), budget);
}

}  // namespace refrain::corpus
