// skipped.tsv, the table of the files that were not read: path, kind and reason, in byte order of paths.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/budget.h"
#include "base/files/temp.h"
#include "corpus/source/reader.h"
#include "refrain/context.h"
#include "refrain/input.h"
#include "store/byte_sort.h"
#include "verbs/run/output_dir.h"

namespace refrain::verbs::run {

inline constexpr const char* kSkippedName = "skipped.tsv";

// Holds few rows in memory, however many there are; the others are in temporary files. Not thread-safe.
class SkippedTable {
 public:
  SkippedTable(const Context& context, MemoryBudget& budget);

  void add(const SkippedFile& file);

  // Writes the header and all rows. May be called once.
  void write(const std::function<void(std::string_view)>& out);

 private:
  const Context& context_;
  TempSpace temp_;
  store::ByteSort rows_;
  std::uint64_t count_ = 0;
};

// Reads as corpus::read_documents() does, and lists the skipped files in the file `input.skipped`, if that is set.
// The file is replaced when everything has been read. Throws Error(invalid_argument) if a file exists there that is
// not such a list.
ReadReport read_listed(const corpus::SourceOptions& input, const Context& context, MemoryBudget& budget,
                       const corpus::BatchWork& work, const corpus::ReadPurpose& purpose = {},
                       const corpus::ReaderTuning& tuning = {});

// Makes read_listed() list the skipped files in skipped.tsv of an output folder. The file exists even if nothing is
// read.
void list_skipped(InputOptions& input, OutputDir& output);

}  // namespace refrain::verbs::run
