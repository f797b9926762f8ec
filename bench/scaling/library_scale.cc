// Measures how fast a large library answers, how much memory that takes, and how large the library is. A library of N
// documents is made from keys alone: random digests, signatures and band keys, and ids that look like URLs. Then
// documents are looked up, by 14 keys each, in batches, as `dedup --library` does; one in a hundred is known. Every
// answer is checked.
//
//   build/release/bench/library_scale FOLDER [documents=1000000] [segments=1] [memory_mib=1024] [threads=2]
//       [seconds=20] [batch=4096]
//
// FOLDER is created if it does not exist. In an existing one, documents are only looked up.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/library/folder.h"
#include "engines/library/format.h"
#include "engines/library/reader.h"
#include "store/segments/folder.h"

namespace {

using namespace refrain;

constexpr std::uint64_t kKnownEvery = 100;      // one of this many documents is known
constexpr std::uint64_t kUnknown = 1ULL << 40;  // documents from this number on are in no library

const library::Layout kLayout = {.rules = {{"made", "from keys alone"}}, .lanes = 128, .bands = 13, .rows = 9};

std::uint64_t number(std::uint64_t of, std::uint64_t i) {
  std::uint64_t x = of * 0x9E3779B97F4A7C15ULL + i * 0xD1B54A32D192ED03ULL;
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBULL;
  return x ^ x >> 31U;
}

// Document number `of`, the same each time.
struct GeneratedDocument {
  explicit GeneratedDocument(std::uint64_t of) : digest{number(of, 1), number(of, 2)} {
    for (unsigned i = 0; i < kLayout.lanes; i += 8) {
      const std::uint64_t lanes = number(of, 100 + i);
      for (unsigned j = 0; j < 8; ++j) signature.push_back(static_cast<std::uint8_t>(lanes >> 8 * j));
    }
    for (unsigned i = 0; i < kLayout.bands; ++i) bands.push_back(static_cast<std::uint32_t>(number(of, 1000 + i)));
  }
  Digest digest;
  std::vector<std::uint8_t> signature;
  std::vector<std::uint32_t> bands;
};

std::string url_of(std::uint64_t of) {
  static constexpr const char* kWords[] = {"news", "sport", "2024", "article", "world", "the", "how", "market",
                                           "city", "a",     "new",  "review",  "of",    "in",  "who", "house"};
  std::string url = fmt::format("https://www.site-{}.example.com/", number(of / 8, 3) % 100'000);
  for (unsigned i = 0; i < 5; ++i) url += fmt::format("{}{}", kWords[number(of, 10 + i) % 16], i < 1 ? '/' : '-');
  return url + fmt::format("{}.html", number(of, 4) % 10'000'000);
}

void make(const std::string& folder, std::uint64_t documents, std::uint64_t segments, const Context& context) {
  MemoryBudget budget(context);
  TempSpace temp(context);
  const Stopwatch watch;
  for (std::uint64_t segment = 0; segment < segments; ++segment) {
    library::LibraryWriter writing(folder, kLayout);
    const std::uint64_t begin = documents * segment / segments;
    const std::uint64_t end = documents * (segment + 1) / segments;
    library::SegmentWriter& writer = writing.add(fmt::format("run {}", segment), end - begin, context, budget, temp);
    writer.add(library::Origin{"/data/run", "{}"});
    writer.add(library::TextFile{"/data/crawl.jsonl", 0, 3});
    for (unsigned i = 0; i < 100'000; ++i) writer.add(library::Source{fmt::format("www.site-{}.example.com", i), {}});
    std::uint64_t place = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      const GeneratedDocument made(i);
      const std::string id = url_of(i);
      const std::uint64_t bytes = 2000 + number(i, 5) % 4000;
      writer.add(library::NewDocument{.id = id,
                                      .digest = made.digest,
                                      .signature = made.signature,
                                      .bands = made.bands,
                                      .source = static_cast<std::uint32_t>(number(i / 8, 3) % 100'000),
                                      .place = {0, place, bytes + 30},
                                      .text_bytes = bytes,
                                      .rank = i});
      place += bytes + 200;
    }
    writing.commit();
  }
  fmt::print("made       {:.0f} s, {:.0f} documents/s, {:.1f} GiB of temporary disk at most\n", watch.seconds(),
             static_cast<double>(documents) / watch.seconds(),
             static_cast<double>(temp.peak_bytes()) / static_cast<double>(1U << 30U));
}

void tell_sizes(const library::Manifest& manifest, std::uint64_t documents) {
  static constexpr const char* kNames[] = {"documents", "ids", "names", "keys", "filter"};
  std::uint64_t all = 0;
  for (std::size_t file = 0; file < library::kSegmentFiles; ++file) {
    std::uint64_t bytes = 0;
    for (const library::SegmentInfo& segment : manifest.segments) bytes += segment.files[file].bytes;
    all += bytes;
    fmt::print("{:<10} {:.1f} bytes a document\n", kNames[file],
               static_cast<double>(bytes) / static_cast<double>(documents));
  }
  fmt::print("all        {:.1f} bytes a document\n", static_cast<double>(all) / static_cast<double>(documents));
}

// Reads the keys into the page cache, as far as they fit.
void warm(const std::string& folder, const library::Manifest& manifest) {
  std::vector<char> buffer(1 << 20);
  for (const library::SegmentInfo& segment : manifest.segments) {
    const RandomFile file(store::segment_path(folder, segment.number) / library::kKeysName);
    for (std::uint64_t at = 0; file.read_up_to(at, buffer) > 0;) at += buffer.size();
  }
}

struct Counts {
  std::uint64_t looked_up = 0;
  std::uint64_t false_hits = 0;
  bool right = true;
};

// Looks up the documents of one batch of `size`. Known documents must be found, and no others.
void look_up(library::Reader& reader, std::uint64_t documents, std::uint64_t size, std::uint64_t batch,
             Counts& counts) {
  std::vector<library::Probe> probes;
  std::vector<GeneratedDocument> made;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t of = batch * size + i;
    const bool is_known = of % kKnownEvery == 0;
    numbers.push_back(is_known ? number(of, 7) % documents : kUnknown + of);
    made.emplace_back(numbers.back());
    keys.clear();
    append_keys(kLayout, made.back().digest, made.back().signature, made.back().bands, keys);
    for (const std::uint64_t key : keys) probes.push_back({key, static_cast<std::uint32_t>(i), 100});
  }
  std::sort(probes.begin(), probes.end());
  std::vector<unsigned> hits(size);
  reader.find(probes, [&](std::size_t probe, library::KnownId document) {
    const std::uint32_t asker = probes[probe].asker;
    if (document == numbers[asker])
      ++hits[asker];
    else
      ++counts.false_hits;
  });
  for (std::uint64_t i = 0; i < size; ++i)
    if (hits[i] != (numbers[i] < kUnknown ? 1 + kLayout.bands : 0)) counts.right = false;
  counts.looked_up += size;
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int i, std::uint64_t otherwise) {
    return count > i ? static_cast<std::uint64_t>(std::strtoull(arguments[i], nullptr, 10)) : otherwise;
  };
  if (count < 2) return 2;
  const std::string folder = arguments[1];
  const std::uint64_t documents = argument(2, 1'000'000);
  const std::uint64_t segments = argument(3, 1);
  Context context;
  context.memory_bytes = argument(4, 1024) << 20U;
  context.threads = static_cast<unsigned>(argument(5, 2));
  context.temp_dir = std::filesystem::absolute(folder).parent_path().string();
  const auto seconds = static_cast<double>(argument(6, 20));
  const std::uint64_t batch = argument(7, 4096);
  if (!is_taken(folder)) make(folder, documents, segments, context);

  MemoryBudget budget(context);
  library::Reader reader(folder, budget);
  if (reader.documents() != documents) {
    fmt::print("{}: {} documents, and not {}\n", folder, reader.documents(), documents);
    return 1;
  }
  tell_sizes(reader.manifest(), documents);
  warm(folder, reader.manifest());
  std::vector<Counts> counts(context.threads);
  std::atomic<std::uint64_t> next = 0;
  const Stopwatch watch;
  run_workers(context.threads, [&](unsigned worker) {
    const std::unique_ptr<library::Reader> mine = reader.clone();
    while (watch.seconds() < seconds) look_up(*mine, documents, batch, next++, counts[worker]);
  });
  Counts all;
  for (const Counts& each : counts) {
    all.looked_up += each.looked_up;
    all.false_hits += each.false_hits;
    all.right &= each.right;
  }
  if (!all.right) {
    fmt::print("an answer is wrong\n");
    return 1;
  }
  fmt::print("looked up  {:.0f} documents/s on {} threads in batches of {}, {:.4f} false hits each\n",
             static_cast<double>(all.looked_up) / watch.seconds(), context.threads, batch,
             static_cast<double>(all.false_hits) / static_cast<double>(all.looked_up));
  fmt::print("memory     {} reserved, {} resident at most\n", human_bytes(budget.peak()),
             human_bytes(peak_rss_bytes()));
  return 0;
}
