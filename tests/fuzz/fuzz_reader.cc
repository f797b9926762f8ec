// Any bytes as a file of every format (and of every compression, where they begin like one): no crash, only Errors, and
// the same documents for one thread and for three.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "require.h"

namespace {

using namespace refrain;

std::vector<std::string> documents(const std::string& path, Format format, unsigned threads) {
  Context context;
  context.threads = threads;
  context.memory_bytes = std::uint64_t{256} << 20U;
  MemoryBudget budget(context);
  InputOptions options;
  options.paths = {path};
  options.format = format;
  options.max_doc_bytes = 1 << 16;
  std::vector<std::string> result;
  try {
    const auto work = [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < batch.texts.size(); ++i)
        texts.emplace_back(batch.bad[i] != 0 ? "bad" : batch.texts[i]);
      return [&result, texts](DocId first) {
        REQUIRE(first == result.size());
        result.insert(result.end(), texts.begin(), texts.end());
      };
    };
    const ReadReport report = corpus::read_documents(options, context, budget, work, {.all_may_be_bad = true});
    REQUIRE(report.documents + report.bad_records == result.size());
  } catch (const Error& error) {
    REQUIRE(std::string(error.what()).find(path) != std::string::npos);
    result.emplace_back(error.what());
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("input", 0);
  REQUIRE(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  for (const Format format :
       {Format::files, Format::lines, Format::jsonl, Format::csv, Format::tsv, Format::warc, Format::mbox})
    REQUIRE(documents(path, format, 1) == documents(path, format, 3));
  close(file);
  return 0;
}
