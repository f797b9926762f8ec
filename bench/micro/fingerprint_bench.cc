// Fingerprints of text in memory, on one core: the batch kernel compared with plain twins. 64 MB of the machine's
// text in documents of 4 KB; every fingerprint is compared with the twin's before anything is timed.
//
//   build/release/bench/fingerprint_bench [--benchmark_filter=fpga|words3]       BENCH_SCALE=0.1: a tenth of the text
//
//   fpga, fpga_plain         --preset fpga: white space, sdbm, single words
//   words3, words3_plain     the default: words, XXH3, windows of 3. Only documents that are all ASCII, because the
//                            twin supports no other characters
//   words3_all               the same with all documents
#include <benchmark/benchmark.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/sketch/simhash.h"
#include "refrain/fingerprint.h"
#include "twin/machine_text.h"

namespace {

using refrain::Fingerprinter;
using refrain::FingerprintOptions;
using Fingerprint = std::optional<std::uint64_t>;
using Twin = Fingerprint (*)(std::string_view);

constexpr std::size_t kDocumentBytes = 4096;

// ---- plain twins

std::uint64_t simhash(const std::vector<std::uint64_t>& features, bool tie_sets_bit) {
  int counters[64] = {};
  for (const std::uint64_t feature : features)
    for (unsigned bit = 0; bit < 64; ++bit) counters[bit] += (feature >> bit & 1U) != 0 ? 1 : -1;
  std::uint64_t fingerprint = 0;
  for (unsigned bit = 0; bit < 64; ++bit)
    if (counters[bit] > 0 || (counters[bit] == 0 && tie_sets_bit)) fingerprint |= std::uint64_t{1} << bit;
  return fingerprint;
}

Fingerprint fpga_plain(std::string_view text) {
  std::vector<std::uint64_t> features;
  std::uint64_t sdbm = 0;
  bool in_token = false;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space) sdbm = sdbm * 65599 + static_cast<unsigned char>(c);
    if (space && in_token) {
      features.push_back(sdbm);
      sdbm = 0;
    }
    in_token = !space;
  }
  if (in_token) features.push_back(sdbm);
  if (features.empty()) return std::nullopt;
  return simhash(features, true);
}

// The formula of src/text/windows.h, computed separately for each window.
std::uint64_t window_feature(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
  constexpr std::uint64_t base = 0xD6E8FEB86659FD93ULL;
  std::uint64_t x = first * base * base + second * base + third;
  x = (x ^ x >> 32U) * 0x9FB21C651E98DF25ULL;
  x = (x ^ x >> 29U) * 0xA24BAED4963EE407ULL;
  return x ^ x >> 32U;
}

Fingerprint words3_plain(std::string_view text) {
  std::vector<std::uint64_t> tokens;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) tokens.push_back(XXH3_64bits(word.data(), word.size()));
    word.clear();
  };
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word += c;
    else if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c + ('a' - 'A'));
    else
      end_word();
  }
  end_word();
  if (tokens.size() < 3) return std::nullopt;
  std::vector<std::uint64_t> features;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    features.push_back(window_feature(tokens[i], tokens[i + 1], tokens[i + 2]));
  return simhash(features, false);
}

// ---- text

// Concatenated documents, as the pipeline passes them to the kernel.
struct Documents {
  std::string text;
  std::vector<std::int64_t> offsets{0};

  void add(std::string_view document) {
    text += document;
    offsets.push_back(static_cast<std::int64_t>(text.size()));
  }
  refrain::TextBatch batch() const { return {text.data(), offsets}; }
};

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 128; });
}

Documents make_documents(bool only_ascii) {
  const char* scale = std::getenv("BENCH_SCALE");
  const double bytes = 64e6 * (scale != nullptr ? std::atof(scale) : 1);
  Documents documents;
  const std::string text = bench::machine_text(static_cast<std::size_t>(bytes));
  for (const std::string_view document : bench::cut(text, kDocumentBytes))
    if (!only_ascii || is_ascii(document)) documents.add(document);
  return documents;
}

const Documents& all_documents() {
  static const Documents documents = make_documents(false);
  return documents;
}
const Documents& ascii_documents() {
  static const Documents documents = make_documents(true);
  return documents;
}

// ---- benchmarks

void count_bytes(benchmark::State& state, const Documents& documents) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * documents.text.size()));
  state.counters["documents"] = static_cast<double>(documents.batch().size());
}

// Whether all ASCII documents and, with `any_text`, also the others have the twin's fingerprint.
bool agrees(const refrain::TextBatch& batch, Twin twin, bool any_text, const std::vector<std::uint64_t>& hashes,
            const std::vector<std::uint8_t>& valid) {
  std::size_t checked = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!any_text && !is_ascii(batch[i])) continue;
    const Fingerprint expected = twin(batch[i]);
    if (expected.has_value() != (valid[i] != 0) || expected.value_or(0) != hashes[i]) return false;
    ++checked;
  }
  return checked > batch.size() / 2;
}

void run_kernel(benchmark::State& state, const FingerprintOptions& options, const Documents& documents, Twin twin,
                bool any_text) {
  const Fingerprinter fingerprinter(options);
  const refrain::TextBatch batch = documents.batch();
  std::vector<std::uint64_t> hashes(batch.size());
  std::vector<std::uint8_t> valid(batch.size());
  fingerprinter.batch(batch, hashes.data(), valid.data());
  if (!agrees(batch, twin, any_text, hashes, valid)) {
    state.SkipWithError("a fingerprint differs from the plain twin's");
    return;
  }
  for (auto _ : state) {
    fingerprinter.batch(batch, hashes.data(), valid.data());
    benchmark::DoNotOptimize(hashes.data());
    benchmark::ClobberMemory();
  }
  count_bytes(state, documents);
}

void run_twin(benchmark::State& state, const Documents& documents, Twin twin) {
  const refrain::TextBatch batch = documents.batch();
  for (auto _ : state)
    for (std::size_t i = 0; i < batch.size(); ++i) benchmark::DoNotOptimize(twin(batch[i]));
  count_bytes(state, documents);
}

void fpga(benchmark::State& state) {
  run_kernel(state, refrain::preset("fpga")->fingerprint, all_documents(), fpga_plain, true);
}
void words3(benchmark::State& state) {
  run_kernel(state, {}, ascii_documents(), words3_plain, true);
}
void words3_all(benchmark::State& state) {
  run_kernel(state, {}, all_documents(), words3_plain, false);
}
void fpga_twin(benchmark::State& state) {
  run_twin(state, all_documents(), fpga_plain);
}
void words3_twin(benchmark::State& state) {
  run_twin(state, ascii_documents(), words3_plain);
}

BENCHMARK(fpga)->Unit(benchmark::kMillisecond);
BENCHMARK(fpga_twin)->Name("fpga_plain")->Unit(benchmark::kMillisecond);
BENCHMARK(words3)->Unit(benchmark::kMillisecond);
BENCHMARK(words3_all)->Unit(benchmark::kMillisecond);
BENCHMARK(words3_twin)->Name("words3_plain")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
