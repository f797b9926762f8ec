// Reading JSONL: a file in the page cache through read_documents, without processing the documents, compared with a
// plain loop of getline and unescaping. The texts of both are compared (count, bytes, checksum) before anything is
// timed.
//
//   build/release/bench/jsonl_bench       BENCH_SCALE=0.1: a tenth of 128 MB
//
//   read/1, read/2     with one and with two threads
//   read_plain         getline, find the field, unescape
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <xxhash.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "corpus/source/reader.h"
#include "twin/machine_text.h"

namespace {

// Equal for the same texts in any order.
struct Texts {
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;

  void add(std::string_view text) {
    ++documents;
    bytes += text.size();
    checksum += XXH3_64bits(text.data(), text.size());
  }
  friend bool operator==(const Texts&, const Texts&) = default;
};

// A file of JSONL that exists as long as this program runs.
class SampleFile {
 public:
  SampleFile()
      : path_(std::filesystem::temp_directory_path() / ("jsonl_bench." + std::to_string(getpid()) + ".jsonl")) {
    const char* scale = std::getenv("BENCH_SCALE");
    const auto wanted = static_cast<std::uint64_t>(128e6 * (scale != nullptr ? std::atof(scale) : 1));
    const std::string text = bench::machine_text(std::size_t{64} << 20);
    std::ofstream out(path_, std::ios::binary);
    while (bytes_ < wanted) {
      for (const std::string_view document : bench::cut(text, 4096)) {
        const std::string line = "{\"id\": " + std::to_string(bytes_) + ", \"text\": \"" + escaped(document) + "\"}\n";
        out << line;
        bytes_ += line.size();
        if (bytes_ >= wanted) break;
      }
    }
  }
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  ~SampleFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path() const { return path_.string(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  // Uses JSON's own escapes; all other control characters become spaces.
  static std::string escaped(std::string_view text) {
    std::string json;
    for (const char c : text) {
      if (c == '"' || c == '\\') json += '\\';
      if (c == '\n')
        json += "\\n";
      else if (c == '\t')
        json += "\\t";
      else
        json += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return json;
  }

  std::filesystem::path path_;
  std::uint64_t bytes_ = 0;
};

const SampleFile& sample() {
  static const SampleFile file;
  return file;
}

Texts plain() {
  constexpr std::string_view field = "\"text\": \"";
  Texts texts;
  std::ifstream in(sample().path(), std::ios::binary);
  std::string line;
  std::string text;
  while (std::getline(in, line)) {
    text.clear();
    for (std::size_t at = line.find(field) + field.size(); line[at] != '"'; ++at) {
      char c = line[at];
      if (c == '\\') {
        c = line[++at];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      text += c;
    }
    texts.add(text);
  }
  return texts;
}

refrain::ReadReport read_all(unsigned threads, const refrain::corpus::BatchWork& work) {
  refrain::Context context;
  context.threads = threads;
  context.memory_bytes = std::uint64_t{1} << 30;
  refrain::MemoryBudget budget(context);
  refrain::InputOptions options;
  options.paths = {sample().path()};
  return refrain::corpus::read_documents(options, context, budget, work);
}

Texts through_reader(unsigned threads) {
  std::atomic<std::uint64_t> checksum{0};
  const refrain::ReadReport report =
      read_all(threads, [&](unsigned, refrain::corpus::Batch& batch) -> refrain::corpus::InOrder {
        Texts texts;
        for (std::size_t i = 0; i < batch.texts.size(); ++i) texts.add(batch.texts[i]);
        checksum += texts.checksum;
        return [](refrain::DocId) {};
      });
  return {report.documents, report.text_bytes, checksum};
}

void read(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  if (through_reader(threads) != plain()) {
    state.SkipWithError("the texts differ from those of the plain loop");
    return;
  }
  const refrain::corpus::BatchWork nothing = [](unsigned, refrain::corpus::Batch&) -> refrain::corpus::InOrder {
    return [](refrain::DocId) {};
  };
  for (auto _ : state) benchmark::DoNotOptimize(read_all(threads, nothing));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * sample().bytes()));
}
BENCHMARK(read)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_plain(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(plain());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * sample().bytes()));
}
BENCHMARK(read_plain)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
