// Reads arbitrary bytes as a Parquet or Arrow file with the Parquet module: its rows are the same each time, and a
// copy has the same rows, also if columns are added to it. Every problem is an Error.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "corpus/files/parquet_module.h"
#include "refrain/error.h"
#include "require.h"

extern "C" const refrain::corpus::ParquetModule* refrain_parquet_module(std::uint32_t version);

namespace {

using namespace refrain;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostRows = 20'000;

class Edits final : public corpus::ParquetEdits {
 public:
  std::string_view next_text(std::string_view text, bool /*utf8*/) override { return text.substr(0, text.size() / 2); }
  // A column of each type is given values of every type.
  corpus::AddedValue added(std::size_t name, std::uint64_t row) override {
    switch ((name + row) % 5) {
      case 0:
        return true;
      case 1:
        return std::int64_t{-7};
      case 2:
        return 0.5;
      case 3:
        return std::string_view("added");
      default:
        return {};
    }
  }
  void pause() override {}
};

enum class Fields { none, named, nested };

InputOptions options_for(Fields fields) {
  InputOptions options;
  if (fields == Fields::named) {
    options.id_field = "id";
    options.extra_fields = {"n", "when", "s.u", "flag"};
  }
  if (fields == Fields::nested) {
    options.text_field = "s.u";
    options.id_field = "id";
    options.id_optional = true;
    options.extra_fields = {"a", "b", "c", "d", "e", "f", "g", "h", "s.t.v", "no"};
  }
  return options;
}

enum class Added { nothing, columns, same_name };

corpus::Annotations annotations_for(Added added) {
  using corpus::AddedType;
  corpus::Annotations annotations;
  if (added == Added::columns) {
    annotations.names = {"added text", "added truth", "added integer", "added number"};
    annotations.types = {AddedType::text, AddedType::boolean, AddedType::integer, AddedType::real};
  }
  if (added == Added::same_name) annotations.names = {"text"};
  return annotations;
}

struct Rows {
  std::vector<std::string> texts;
  std::uint64_t count = 0;
  std::string error;
};

Rows rows_of(const corpus::ParquetModule& module, const std::string& path, Fields fields, MemoryBudget& budget) {
  Rows rows;
  try {
    const std::shared_ptr<const corpus::ParquetFile> file = module.open(path, options_for(fields), budget);
    corpus::ParquetRow row;
    for (std::size_t group = 0; group < file->groups(); ++group) {
      const std::unique_ptr<corpus::ParquetRows> all = file->read(group);
      while (rows.count < kMostRows && all->next(row)) {
        ++rows.count;
        if (rows.texts.size() < 100) rows.texts.emplace_back(row.text.value);
      }
    }
  } catch (const Error& error) {
    REQUIRE(error.code() != Errc::io);
    rows.error = error.what();
    REQUIRE(!rows.error.empty());
  }
  return rows;
}

void copy(const corpus::ParquetModule& module, const std::string& from, const std::string& to, Fields fields, bool drop,
          Added added, MemoryBudget& budget) {
  try {
    const InputOptions options = options_for(fields);
    const std::shared_ptr<const corpus::ParquetFile> file = module.open(from, options, budget);
    if (file->rows_before(file->groups()) > kMostRows) return;
    const corpus::Annotations annotations = annotations_for(added);  // the copy keeps a reference
    const std::unique_ptr<corpus::ParquetCopy> out = module.copy(from, to, options, annotations, budget);
    REQUIRE(added != Added::same_name);
    for (std::size_t group = 0; group < file->groups(); ++group) {
      Edits edits;
      const std::uint64_t rows = file->rows_before(group + 1) - file->rows_before(group);
      std::vector<corpus::RowFate> fates;
      for (std::uint64_t i = 0; drop && i < rows; ++i) fates.push_back(static_cast<corpus::RowFate>(i % 3));
      edits.fates = fates;
      out->write(group, edits);
    }
    out->close();
    if (!drop) REQUIRE(rows_of(module, to, fields, budget).texts == rows_of(module, from, fields, budget).texts);
  } catch (const Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir folder(fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(),
                              "refrain-fuzz");
  static const Context context{.memory_bytes = std::uint64_t{256} << 20U, .threads = 1};
  const corpus::ParquetModule& module = *refrain_parquet_module(corpus::ParquetModule::kVersion);
  const std::string from = (folder.path() / "from").string();
  std::ofstream(from, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  MemoryBudget budget(context);
  for (const Fields fields : {Fields::none, Fields::named, Fields::nested}) {
    const Rows rows = rows_of(module, from, fields, budget);
    const Rows again = rows_of(module, from, fields, budget);
    REQUIRE(rows.texts == again.texts && rows.count == again.count && rows.error == again.error);
  }
  const std::string to = (folder.path() / "to").string();
  for (const bool drop : {false, true})
    for (const Added added : {Added::nothing, Added::columns, Added::same_name})
      copy(module, from, to, Fields::none, drop, added, budget);
  copy(module, from, to, Fields::nested, true, Added::nothing, budget);
  return 0;
}
