// Measures the throughput of 1, 2, 4, ... threads that share nothing: each runs a kernel of a verb over a private
// copy of the same text. A verb can hardly be expected to scale better; bench/scaling/run.py compares the two.
//
//   kernels FILE THREADS...      FILE: one text per line; 32 MB of it are used, repeated if necessary
//
// Prints a JSON object per line: {"kernel": .., "threads": .., "seconds": .., "bytes": ..}. A time counts only if
// every thread's answer equals that of the first run.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines/blot/blotter.h"
#include "engines/ngram/key_stream.h"
#include "engines/substring/plan.h"
#include "engines/substring/sampler.h"
#include "refrain/index.h"
#include "refrain/kernels.h"
#include "text/tokenizer.h"

namespace {

constexpr std::size_t kBytes = std::size_t{32} << 20U;

struct Texts {
  std::string bytes;
  std::vector<std::int64_t> offsets{0};
  refrain::TextColumn column() const { return {bytes.data(), offsets.data(), offsets.size() - 1}; }
};

Texts read_texts(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Texts texts;
  std::string line;
  while (texts.bytes.size() < kBytes) {
    if (!std::getline(file, line)) {
      if (texts.bytes.empty()) throw std::runtime_error(std::string(path) + ": no text");
      file.clear();
      file.seekg(0);
      continue;
    }
    texts.bytes += line;
    texts.offsets.push_back(static_cast<std::int64_t>(texts.bytes.size()));
  }
  return texts;
}

// One thread's work on its texts; returns a sum by which answers are compared.
using Kernel = std::function<std::uint64_t(const refrain::TextColumn&)>;

refrain::Context one_thread() {
  refrain::Context alone;
  alone.threads = 1;
  alone.memory_bytes = std::uint64_t{1} << 30U;
  return alone;
}

std::uint64_t fingerprints(const refrain::TextColumn& texts) {
  const refrain::Fingerprinter kernel{refrain::FingerprintOptions{}};
  std::vector<std::uint64_t> hashes(texts.size());
  std::vector<std::uint8_t> valid(texts.size());
  kernel.batch(texts, hashes.data(), valid.data(), one_thread());
  return std::accumulate(hashes.begin(), hashes.end(), std::uint64_t{0});
}

std::uint64_t signatures(const refrain::TextColumn& texts) {
  const refrain::MinHasher kernel;
  std::vector<std::uint32_t> lanes(kernel.lanes() * texts.size());
  std::vector<std::uint8_t> valid(texts.size());
  kernel.batch(texts, lanes.data(), valid.data(), one_thread());
  return std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0});
}

std::uint64_t ngrams(const refrain::TextColumn& texts) {
  const auto tokenizer = refrain::text::make_tokenizer(refrain::TokenizerKind::words);
  refrain::ngram::KeyStream kernel(*tokenizer, 8);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    kernel.start(texts[i]);
    for (std::span<const std::uint64_t> keys; kernel.next(keys);) sum = std::accumulate(keys.begin(), keys.end(), sum);
  }
  return sum;
}

std::uint64_t samples(const refrain::TextColumn& texts) {
  using refrain::substring::Sampler;
  const refrain::substring::SubstringPlan plan(100, 2, /*with_places=*/false, 0);
  Sampler kernel(plan);
  const auto windows = static_cast<std::size_t>(texts.offset(texts.size())) - plan.length - Sampler::kPadding;
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < windows; at += Sampler::kMaxWindows) {
    kernel.sample(texts.bytes() + at, std::min(Sampler::kMaxWindows, windows - at));
    for (const refrain::substring::Sample& sample : kernel.samples()) sum += sample.core + at;
  }
  return sum;
}

std::uint64_t blots(const refrain::TextColumn& texts) {
  refrain::IndexLayout layout;
  layout.blot_bits = 64;
  const auto tokenizer = refrain::text::make_tokenizer(layout.tokenizer);
  refrain::blot::BlotStream kernel(layout, *tokenizer);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    kernel.start(texts[i]);
    for (std::span<const refrain::blot::ChosenWindow> chosen; kernel.next(chosen);)
      for (const refrain::blot::ChosenWindow& window : chosen) sum += window.blot;
  }
  return sum;
}

// Returns the seconds until the last thread is done, if all start at once. Copies are made before.
double run(const Kernel& kernel, const Texts& texts, unsigned threads, std::uint64_t& answer) {
  std::barrier begin(threads + 1);
  std::vector<std::uint64_t> sums(threads);
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i)
    workers.emplace_back([&, i] {
      const Texts mine = texts;
      begin.arrive_and_wait();
      sums[i] = kernel(mine.column());
    });
  begin.arrive_and_wait();
  const auto start = std::chrono::steady_clock::now();
  for (std::thread& worker : workers) worker.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (answer == 0) answer = sums[0];
  for (const std::uint64_t sum : sums)
    if (sum != answer) throw std::runtime_error("threads differ in their answers");
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: kernels FILE THREADS...\n";
    return 2;
  }
  const Texts texts = read_texts(argv[1]);
  const std::vector<std::pair<const char*, Kernel>> kernels = {{"fingerprints", fingerprints},
                                                               {"signatures", signatures},
                                                               {"ngrams", ngrams},
                                                               {"samples", samples},
                                                               {"blots", blots}};
  for (const auto& [name, kernel] : kernels) {
    std::uint64_t answer = 0;
    for (int i = 2; i < argc; ++i) {
      const auto threads = static_cast<unsigned>(std::atoi(argv[i]));
      double best = run(kernel, texts, threads, answer);
      for (int again = 0; again < 2; ++again) best = std::min(best, run(kernel, texts, threads, answer));
      std::cout << fmt::format("{{\"kernel\":\"{}\",\"threads\":{},\"seconds\":{:.4f},\"bytes\":{}}}\n", name, threads,
                               best, texts.bytes.size() * threads)
                << std::flush;
    }
  }
  return 0;
}
