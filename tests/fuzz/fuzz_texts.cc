// Reads arbitrary bytes as a file of texts that a server left in a library's folder. The input may ask for checksums
// to be repaired, so that the checks behind them are tested.
//
// The input: a byte that says whether to repair, then the file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/temp.h"
#include "base/hash.h"
#include "refrain/error.h"
#include "require.h"
#include "verbs/known/text_records.h"

namespace {

using namespace refrain;
using verbs::known::TextRecords;
namespace fs = std::filesystem;

constexpr std::string_view kBeforeSum = R"({"texts":1,"checksum":")";
constexpr std::size_t kSumDigits = 16;

// Writes the correct checksum into each line that looks like a record.
std::string with_checksums(std::string file) {
  for (std::size_t begin = 0; begin < file.size();) {
    const std::size_t end = std::min(file.find('\n', begin), file.size());
    const std::size_t summed = begin + kBeforeSum.size() + kSumDigits + 2;
    if (summed <= end && std::string_view(file).substr(begin).starts_with(kBeforeSum))
      fmt::format_to_n(file.data() + begin + kBeforeSum.size(), kSumDigits, "{:016x}",
                       checksum(std::string_view(file).substr(summed, end - summed)));
    begin = end + 1;
  }
  return file;
}

void write_file(const fs::path& file, std::string_view bytes) {
  OutputFile out(file.string());
  out.write(bytes);
  out.close_unsynced();
}

struct All {
  std::vector<TextRecords::Record> records;
  bool whole = true;  // read to the end, without an Error
};

All read_all(const fs::path& file, MemoryBudget& budget) {
  All all;
  try {
    TextRecords records(file, budget);
    for (TextRecords::Record record; records.next(record);) all.records.push_back(record);
  } catch (const Error&) {
    all.whole = false;
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir folder(fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(),
                              "refrain-fuzz");
  static const Context context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1};
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 != 0) bytes = with_checksums(std::move(bytes));
  const fs::path file = folder.path() / "000001.jsonl";
  write_file(file, bytes);
  MemoryBudget budget(context);
  const All all = read_all(file, budget);
  std::vector<std::uint64_t> kept;
  std::string again;
  for (std::size_t i = 0; i < all.records.size(); ++i) {
    const TextRecords::Record& record = all.records[i];
    REQUIRE(record.begin > 0 && record.begin + record.bytes <= bytes.size());
    again += verbs::known::make_text_record(record.id, record.text).line;
    if (i % 2 == 0) kept.push_back(record.begin);
  }
  // Records that were read can be written and read again.
  const fs::path other = folder.path() / "000002.jsonl";
  write_file(other, again);
  const All same = read_all(other, budget);
  REQUIRE(same.whole && same.records.size() == all.records.size());
  for (std::size_t i = 0; i < all.records.size(); ++i)
    REQUIRE(same.records[i].id == all.records[i].id && same.records[i].text == all.records[i].text);
  if (!all.whole) return 0;
  verbs::known::blank_other_texts(file, kept, budget);
  REQUIRE(fs::file_size(file) == bytes.size() || kept.size() < all.records.size());
  const All left = read_all(file, budget);
  REQUIRE(left.whole && left.records.size() == kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) REQUIRE(left.records[i].begin == kept[i]);
  return 0;
}
