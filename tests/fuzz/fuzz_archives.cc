// Reads arbitrary bytes as a tar or ZIP archive: its files are the same each time, and its documents are the same
// with one thread and with three. Every problem is an Error that names the archive.
//
// The input: a byte that selects .tar or .zip, and whether the checksums of tar headers are repaired, so that the
// parsing behind them is reached; then the archive.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/temp.h"
#include "corpus/files/archive.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "require.h"

namespace {

using namespace refrain;
namespace fs = std::filesystem;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kSumAt = 148;
constexpr std::size_t kSumSize = 8;
constexpr std::uint64_t kMemory = std::uint64_t{256} << 20U;
// An archive may expand to much more than its own size.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;

// Writes the correct checksum into every block that looks like a header.
void repair_sums(std::string& tar) {
  for (std::size_t at = 0; at + kBlock <= tar.size(); at += kBlock) {
    const std::string_view block = std::string_view(tar).substr(at, kBlock);
    if (block.substr(257, 5) != "ustar") continue;
    unsigned sum = kSumSize * ' ';
    for (std::size_t i = 0; i < kBlock; ++i)
      if (i < kSumAt || i >= kSumAt + kSumSize) sum += static_cast<unsigned char>(block[i]);
    char digits[kSumSize + 1];
    std::snprintf(digits, sizeof digits, "%06o", sum);
    std::copy_n(digits, 7, tar.begin() + static_cast<std::ptrdiff_t>(at + kSumAt));
    tar[at + kSumAt + 7] = ' ';
  }
}

struct TooMuch {};

// Returns the names and contents of all files, and how reading ended.
std::vector<std::string> files_in(const std::string& path, bool contents) {
  Context context;
  context.memory_bytes = kMemory;
  MemoryBudget budget(context);
  std::vector<std::string> found;
  try {
    const std::unique_ptr<corpus::Archive> archive = corpus::open_archive(path, budget, [] {});
    if (!archive) return {"none"};
    std::uint64_t bytes = 0;
    for (std::string name; archive->next(name);) {
      found.push_back(name);
      if (archive->kind() != corpus::Archive::Kind::file) {
        found.emplace_back("no file");
        continue;
      }
      if (!contents) continue;
      std::string content;
      archive->read([&](std::string_view part) {
        if ((bytes += part.size()) > kMostBytes) throw TooMuch();
        content += part;
      });
      found.push_back(content);
    }
    found.emplace_back("end");
  } catch (const TooMuch&) {
    found.emplace_back("too much");
  } catch (const Error& error) {
    REQUIRE(error.code() == Errc::bad_input || error.code() == Errc::unsupported || error.code() == Errc::over_budget);
    REQUIRE(error.code() == Errc::over_budget || std::string(error.what()).find(path) != std::string::npos);
    found.emplace_back(error.what());
  }
  return found;
}

std::vector<std::string> documents_in(const std::string& path, unsigned threads) {
  Context context;
  context.threads = threads;
  context.memory_bytes = kMemory;
  MemoryBudget budget(context);
  InputOptions options;
  options.paths = {path};
  options.max_doc_bytes = 1 << 16;
  std::vector<std::string> result;
  try {
    const auto work = [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < batch.texts.size(); ++i)
        texts.emplace_back(batch.bad[i] != 0 ? "bad" : batch.texts[i]);
      return [&result, texts](DocId) { result.insert(result.end(), texts.begin(), texts.end()); };
    };
    corpus::read_documents(options, context, budget, work, {.all_may_be_bad = true});
  } catch (const Error& error) {
    result.emplace_back(error.what());
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir folder(fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(),
                              "refrain-fuzz");
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] / 2 % 2 != 0) repair_sums(bytes);
  const std::string path = (folder.path() / (data[0] % 2 != 0 ? "a.zip" : "a.tar")).string();
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const std::vector<std::string> all = files_in(path, true);
  REQUIRE(all == files_in(path, true));
  files_in(path, false);
  if (all.back() != "too much") REQUIRE(documents_in(path, 1) == documents_in(path, 3));
  return 0;
}
