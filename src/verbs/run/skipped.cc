#include "verbs/run/skipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/files/file.h"
#include "base/files/path.h"
#include "refrain/error.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::run {

namespace {

constexpr std::string_view kHeader = "path\tkind\treason\n";
constexpr std::size_t kNumberDigits = 20;

std::uint64_t sort_bytes(const MemoryBudget& budget) {
  constexpr std::uint64_t kLeast = std::uint64_t{256} << 10U;
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20U;
  return std::clamp(budget.available() / 64, kLeast, kMost);
}

// An empty file may be replaced, too: it holds nothing, and a temporary file begins as an empty one.
void check_replaceable(const std::string& path) {
  if (path == "-") refuse("`skipped`", "standard output is for the result; name a file");
  if (path_kind(path) != PathKind::file) return;
  const std::string beginning = read_file_part(path, 0, kHeader.size());
  if (!beginning.empty() && beginning != kHeader)
    refuse(path, "exists, but is not a list of skipped files; name another file with `skipped`");
}

}  // namespace

SkippedTable::SkippedTable(const Context& context, MemoryBudget& budget)
    : context_(context),
      temp_(context),
      rows_({.what = "the list of skipped files", .memory_bytes = sort_bytes(budget)}, budget, temp_) {}

void SkippedTable::add(const SkippedFile& file) {
  // A path has no zero byte, so a key sorts as its path does. The number keeps keys distinct, since an input may be
  // named twice.
  std::string key = file.path;
  key += '\0';
  append_escaped(key, file.path);
  key += '\t';
  append_escaped(key, file.kind);
  key += '\t';
  append_escaped(key, file.reason);
  fmt::format_to(std::back_inserter(key), "\n{:0{}}", count_++, kNumberDigits);
  rows_.add(key, {});
}

void SkippedTable::write(const std::function<void(std::string_view)>& out) {
  out(kHeader);
  rows_.drain(context_, [&](std::string_view key, std::string_view /*value*/) {
    key.remove_prefix(key.find('\0') + 1);
    out(key.substr(0, key.size() - kNumberDigits));
  });
}

ReadReport read_listed(const corpus::SourceOptions& input, const Context& context, MemoryBudget& budget,
                       const corpus::BatchWork& work, const corpus::ReadPurpose& purpose,
                       const corpus::ReaderTuning& tuning) {
  if (input.skipped.empty()) return corpus::read_documents(input, context, budget, work, tuning, purpose);
  check_replaceable(input.skipped);
  AtomicFile file(input.skipped);
  SkippedTable table(context, budget);
  corpus::ReadPurpose listing = purpose;
  listing.skipped = [&](const SkippedFile& skipped) { table.add(skipped); };
  ReadReport report = corpus::read_documents(input, context, budget, work, tuning, listing);
  table.write([&](std::string_view text) { file.out().write(text); });
  file.commit();
  return report;
}

void list_skipped(InputOptions& input, OutputDir& output) {
  OutputFile file = output.create(kSkippedName);
  file.write(kHeader);
  file.close();
  input.skipped = (output.staging() / kSkippedName).string();
}

}  // namespace refrain::verbs::run
