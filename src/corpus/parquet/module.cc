// The entry point of the module, and its only exported symbol.
#include <utility>

#include "corpus/files/parquet_module.h"
#include "corpus/parquet/arrow_file.h"
#include "corpus/parquet/copy.h"
#include "corpus/parquet/file.h"
#include "corpus/parquet/table.h"

namespace refrain::corpus {

namespace {

class Module final : public ParquetModule {
 public:
  std::shared_ptr<const ParquetFile> open(const std::string& path, const SourceOptions& options,
                                          MemoryBudget& budget) const override {
    return is_arrow(path) ? open_arrow(path, options, budget) : open_file(path, options, budget);
  }
  std::unique_ptr<ParquetCopy> copy(const std::string& from, const std::string& to, const InputOptions& options,
                                    const Annotations& annotations, MemoryBudget& budget) const override {
    return is_arrow(from) ? copy_arrow(from, to, options, annotations, budget)
                          : copy_file(from, to, options, annotations, budget);
  }
  std::unique_ptr<ParquetTable> make(const std::string& name, std::vector<TableColumn> columns, ByteWriter write,
                                     MemoryBudget& budget) const override {
    return make_table(name, std::move(columns), std::move(write), budget);
  }
};

}  // namespace

}  // namespace refrain::corpus

extern "C" __attribute__((visibility("default"))) const refrain::corpus::ParquetModule* refrain_parquet_module(
    std::uint32_t version) {
  static const refrain::corpus::Module module;
  return version == refrain::corpus::ParquetModule::kVersion ? &module : nullptr;
}
