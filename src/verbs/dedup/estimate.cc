// dedup: estimates what a run will need, from the sizes of its files and the length of some of their records.
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/budget.h"
#include "base/files/path.h"
#include "base/files/temp.h"
#include "base/threads.h"
#include "corpus/files/decompress.h"
#include "corpus/files/walk.h"
#include "corpus/formats/recognize.h"
#include "engines/substring/plan.h"
#include "refrain/dedup.h"
#include "refrain/error.h"
#include "verbs/dedup/make_plan.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/places.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kUnpacked = 4;            // assumed growth of compressed text
constexpr std::uint64_t kAssumedDocument = 1000;  // bytes, for files that are not sampled
constexpr std::size_t kSampledFiles = 16;         // files sampled for the length of their records
constexpr std::size_t kSampledBytes = 64 << 10;   // read from each
constexpr std::uint64_t kAssumedId = 32;          // bytes
constexpr std::uint64_t kAssumedPairs = 4;        // candidate pairs per document
constexpr std::uint64_t kSmallFiles = 1 << 20;    // the report, markers, headers
constexpr std::uint64_t kSampleRecord = 32;       // bytes per sample of the search for repeated text
constexpr std::uint64_t kLinkRecord = 16;         // bytes per link between such samples

// For the memory estimate:
constexpr std::uint64_t kFixedMemory = 32 << 20;
constexpr std::uint64_t kMemoryPerThread = 12 << 20;  // pieces of the input, and what is computed from them
constexpr std::uint64_t kHeldForParquet = 64 << 20;
constexpr std::uint64_t kMemoryPerDocumentByte = 10;  // times the size of the document being read
constexpr std::uint64_t kMemoryPerDocument = 1280;    // per document, with all its candidates and matches
constexpr std::uint64_t kHeldOfOtherText = 5;         // per byte of the other set

bool is_packed(std::string_view path) {
  return corpus::without_packing(path).size() != path.size();
}

// The sizes of an input, and approximately how many documents it has.
class Sizes {
 public:
  Sizes(const InputOptions& options, const Context& context, MemoryBudget& budget) : stream_(budget) {
    known = options.documents == nullptr;
    for (const std::string& path : options.paths) {
      if (path == "-" || path_kind(path) == PathKind::other) known = false;
    }
    if (!known) return;
    const corpus::SourceOptions source = options;
    corpus::Walk walk(source, budget);
    for (corpus::Input input; walk.next(input);) {
      throw_if_stopped(context);
      if (input.failure.empty()) add(input);
    }
    const std::uint64_t document = looked_lines_ == 0 ? kAssumedDocument : looked_bytes_ / looked_lines_ + 1;
    documents = whole_files_ + line_bytes_ / document + other_bytes_ / kAssumedDocument;
  }

  bool known = true;
  bool packed = false;
  bool parquet = false;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;     // on disk
  std::uint64_t unpacked = 0;  // approximate
  std::uint64_t documents = 0;

 private:
  void add(const corpus::Input& input) {
    const bool is_table = input.format->storage == corpus::Storage::column;
    const bool grows = is_table || is_packed(input.path);
    const std::uint64_t plain = input.size * (grows ? kUnpacked : 1);
    ++files;
    bytes += input.size;
    unpacked += plain;
    packed = packed || grows;
    parquet = parquet || is_table;
    if (input.format->storage == corpus::Storage::file) {
      ++whole_files_;
    } else if (!input.format->is_literal()) {
      other_bytes_ += plain;
    } else {
      line_bytes_ += plain;
      if (input.size != 0 && looked_files_ < kSampledFiles) look_at(input.path);
    }
  }

  void look_at(const std::string& path) {
    ++looked_files_;
    beginning_.resize(kSampledBytes);
    try {
      stream_.open(path);
      const std::size_t got = stream_.read(beginning_.data(), beginning_.size());
      const auto lines = static_cast<std::uint64_t>(
          std::count(beginning_.begin(), beginning_.begin() + static_cast<std::ptrdiff_t>(got), '\n'));
      looked_bytes_ += got;
      looked_lines_ += std::max<std::uint64_t>(lines, 1);
    } catch (const Error&) {
      // The error will be reported when the file is read.
    }
    stream_.close();
  }

  corpus::ByteStream stream_;
  std::string beginning_;
  std::size_t looked_files_ = 0;
  std::uint64_t looked_bytes_ = 0;
  std::uint64_t looked_lines_ = 0;
  std::uint64_t whole_files_ = 0;
  std::uint64_t line_bytes_ = 0;
  std::uint64_t other_bytes_ = 0;
};

constexpr std::uint64_t kLibraryBytes = 300;  // per document

// Bytes per document in `work`; see verbs/dedup/state/run.h.
std::uint64_t column_bytes(const DedupOptions& options, const verbs::dedup::NearFinder* near) {
  std::uint64_t bytes = 8 + kAssumedId + 8 + 16 + 1 + 4;  // ends, id, digest, state, source
  if (options.keep.rank != Rank::first) bytes += 8;
  if (near != nullptr)
    bytes += near->width() + kAssumedPairs * (16 + sizeof(verbs::dedup::RankMatch));  // candidate pairs; matches
  if (!options.against.empty()) bytes += 8;
  if (verbs::dedup::updates_library(options)) bytes += sizeof(verbs::dedup::PlaceRow);
  return bytes + 8 + 8 + sizeof(verbs::dedup::Decision);  // head, cluster, decision
}

// Bytes per document in the files for people and other programs.
std::uint64_t row_bytes(const DedupOptions& options) {
  std::uint64_t bytes = 170 + 2 * kAssumedId;  // decisions.jsonl
  bytes += 32 + kAssumedId;                    // clusters.tsv
  bytes += 2 * (10 + 2 * kAssumedId);          // matches.tsv
  if (options.tables == Tables::parquet) bytes += 50 + 5 * kAssumedId;
  if (options.annotate) bytes += 110 + kAssumedId;
  if (options.attributes != Attributes::none) bytes += 200 + kAssumedId;
  if (verbs::dedup::updates_library(options)) bytes += kLibraryBytes;
  return bytes;
}

// The memory that the run would use without a limit.
std::uint64_t held_bytes(const DedupOptions& options, const Sizes& sizes, unsigned threads) {
  const std::uint64_t document = sizes.unpacked / std::max<std::uint64_t>(sizes.documents, 1);
  std::uint64_t bytes = kFixedMemory + threads * (kMemoryPerThread + kMemoryPerDocumentByte * document);
  if (sizes.parquet || options.tables == Tables::parquet) bytes += kHeldForParquet;
  if (options.substrings != 0) bytes += 2 * sizes.unpacked;
  return bytes + sizes.documents * kMemoryPerDocument;
}

// The temporary bytes that do not fit in memory at once.
std::uint64_t spilled_bytes(const DedupOptions& options, const Sizes& sizes, std::uint64_t memory) {
  std::uint64_t most = 0;
  if (const std::uint64_t pairs = sizes.documents * 16 * (1 + kAssumedPairs);
      options.near != NearMethod::off && pairs > memory / 3)
    most = pairs;
  if (options.substrings != 0) {
    const substring::SubstringPlan plan(options.substrings, 2, false, 0);
    const std::uint64_t records = 2 * sizes.unpacked / (plan.span + 1) + sizes.documents;
    if (const std::uint64_t bytes = records * (kSampleRecord + kLinkRecord); bytes > memory / 4)
      most = std::max(most, bytes);
  }
  return most;
}

// The folder, or its nearest parent that exists.
fs::path nearest_existing(const fs::path& folder) {
  std::error_code ignored;
  fs::path path = fs::absolute(folder, ignored);
  while (!fs::exists(path, ignored) && path.has_parent_path() && path != path.parent_path()) path = path.parent_path();
  return path;
}

std::uint64_t free_bytes(const fs::path& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

bool on_one_disk(const fs::path& a, const fs::path& b) {
  struct stat first {};
  struct stat second {};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev;
}

}  // namespace

DedupEstimate verbs::dedup::estimate(const Plan& plan, const Context& context) {
  const DedupOptions& options = plan.options;
  DedupEstimate estimate;
  MemoryBudget budget(context);
  const TempSpace temp(context);
  const fs::path output = nearest_existing(options.output);
  estimate.memory_bytes = budget.ceiling();
  estimate.disk_free_bytes = free_bytes(output);
  estimate.temp_free_bytes = free_bytes(temp.folder());
  estimate.one_disk = on_one_disk(output, temp.folder());
  const Sizes sizes(options.input, context, budget);
  estimate.known = sizes.known;
  if (!sizes.known) return estimate;
  estimate.packed = sizes.packed;
  estimate.files = sizes.files;
  estimate.bytes = sizes.bytes;
  estimate.unpacked_bytes = sizes.unpacked;
  estimate.documents = sizes.documents;
  std::uint64_t disk =
      kSmallFiles + sizes.unpacked + sizes.documents * (column_bytes(options, plan.near.get()) + row_bytes(options));
  // Compressing a file again may make it a little larger.
  const std::uint64_t copy = sizes.bytes + (sizes.packed ? sizes.bytes / 8 : 0);
  if (options.apply) disk += copy;
  if (options.annotate) disk += copy;
  // Rows, columns and spans of repeated ranges; most are longer than the minimum.
  if (options.substrings != 0) disk += sizes.unpacked * 50 / options.substrings;
  std::uint64_t memory = held_bytes(options, sizes, thread_count(context));
  if (!options.against.empty()) {
    const Sizes other(options.against, context, budget);
    disk += 2 * other.unpacked;
    memory += kHeldOfOtherText * other.unpacked;
  }
  estimate.memory_bytes = std::min(memory, estimate.memory_bytes);
  estimate.disk_bytes = disk;
  estimate.temp_bytes = spilled_bytes(options, sizes, budget.available());
  return estimate;
}

DedupEstimate dedup_estimate(const DedupOptions& options, const Context& context) {
  return verbs::dedup::estimate(verbs::dedup::make_plan(options, context), context);
}

}  // namespace refrain
