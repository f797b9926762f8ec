#include "corpus/source/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "corpus/files/walk.h"
#include "corpus/source/join_hyphens.h"
#include "corpus/source/ledger.h"
#include "corpus/source/schedule.h"
#include "corpus/source/worker.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::uint64_t kMinPieceBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxPieceBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxShareBytes = std::uint64_t{16} << 20;
// The limit for results that hold almost nothing. Otherwise as many small results may wait as fit in memory.
constexpr std::size_t kMaxWaiting = std::size_t{1} << 16;
// The shortest records, with their line ends. A piece of them may be worked on by each thread.
constexpr std::uint64_t kShortRecordBytes = 2;

// The first bad record, or else the first file that is not a table of documents.
const BadRecord* first_bad(const ReadReport& read) {
  if (!read.examples.empty()) return &read.examples.front();
  const auto unusable = std::ranges::find(read.skipped, SkippedKind::kUnusable, &SkippedKind::kind);
  return unusable == read.skipped.end() ? nullptr : &unusable->examples.front();
}

// If no record could be read, the named fields or the format must be wrong.
void throw_if_none_read(const SourceOptions& options, const ReadReport& read) {
  if (read.documents == 0 && !read.unreadable.empty())
    throw Error(Errc::io, fmt::format("{}: {}; no input could be read", read.unreadable.front().path,
                                      read.unreadable.front().reason));
  const BadRecord* const first = first_bad(read);
  if (read.documents != 0 || first == nullptr) return;
  const std::string line = first->line == 0 ? std::string() : fmt::format(":{}", first->line);
  throw Error(
      Errc::bad_input,
      fmt::format("no record could be read; check the input, `{0}text_field`, `{0}id_field` and `{0}format`; first "
                  "error: {1}{2}: {3}",
                  options.prefix, first->path, line, first->reason));
}

}  // namespace

// A worker holds about 10 bytes per byte of its piece: 4 for raw and decoded bytes, ids and offsets, 6 for the JSON
// parser. So the pieces take at most a third of the budget, and records up to the share a sixth. Callers that request
// raw batches copy them: up to 4.5 bytes per byte of every waiting piece, which is another third. For them a worker
// holds two more bytes per byte, and its pieces are smaller accordingly, so that an input that could be read once can
// also be rewritten.
ReaderTuning complete(ReaderTuning tuning, unsigned threads, const MemoryBudget& budget, const ReadPurpose& purpose) {
  // The kept memory is included, so that the result is the same whether or not a library has been loaded meanwhile.
  const std::uint64_t available = (budget.available() + budget.kept()) / threads;
  const bool chosen = tuning.piece_bytes == 0;
  if (chosen) tuning.piece_bytes = std::clamp(available / (purpose.raw ? 40 : 32), kMinPieceBytes, kMaxPieceBytes);
  if (chosen && purpose.takes_long) tuning.piece_bytes = kMinPieceBytes;
  tuning.piece_bytes = std::max<std::size_t>(tuning.piece_bytes, 16);
  const bool large = purpose.raw || purpose.keeps_texts;
  if (tuning.max_waiting == 0) tuning.max_waiting = large ? 2 + std::size_t{threads} : kMaxWaiting;
  if (tuning.max_waiting_bytes == 0)
    tuning.max_waiting_bytes = large ? std::numeric_limits<std::uint64_t>::max() : available * threads / 16;
  if (chosen && purpose.record_bytes != 0 && large) {
    tuning.piece_bytes = std::min(tuning.piece_bytes,
                                  std::max(kMinPieceBytes, available / 4 / purpose.record_bytes * kShortRecordBytes));
    tuning.max_waiting_bytes = available * threads / 8;
  }
  // With plenty of memory, compressed files are read in parallel further ahead, because one stream cannot keep all
  // workers busy. A waiting piece takes up to four times the memory that is counted for it.
  constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30U;
  constexpr std::uint64_t kWaitingShare = 16;
  if (chosen && large && available * threads >= kPlenty) {
    tuning.max_waiting_bytes = available * threads / kWaitingShare;
    tuning.max_waiting = kMaxWaiting;
  }
  if (tuning.share_bytes == 0) tuning.share_bytes = std::min(available / 64, kMaxShareBytes);
  tuning.share_bytes = std::max(tuning.share_bytes, tuning.piece_bytes);
  return tuning;
}

ReadReport read_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                          const BatchWork& work, const ReadPurpose& purpose) {
  return read_documents(options, context, budget, work, ReaderTuning{}, purpose);
}

ReadReport read_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                          const BatchWork& work, const ReaderTuning& tuning, const ReadPurpose& purpose) {
  throw_if_stopped(context);
  check_named(options);
  const unsigned threads = thread_count(context);
  if (options.join_hyphens) {
    SourceOptions as_it_is = options;
    as_it_is.join_hyphens = false;
    return read_documents(as_it_is, context, budget, joining_hyphens(work, threads, budget), tuning, purpose);
  }
  const ReaderTuning completed = complete(tuning, threads, budget, purpose);
  if (options.documents) return read_stream(options, context, budget, work, completed, purpose);
  const bool to_be_counted = context.progress && purpose.bytes == 0;
  Progress progress(context, purpose.stage, "bytes",
                    to_be_counted ? total_bytes(options, context, budget) : purpose.bytes);
  std::mutex large;
  SkippedFiles skipped(purpose.skipped, context.spell);
  Schedule schedule(options, context, budget, completed, threads, skipped);
  const Reading reading{options, context, budget, work, completed, schedule, progress, large, purpose, skipped};
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned number = 0; number < threads; ++number) workers.push_back(std::make_unique<Worker>(number, reading));
  run_workers(threads, [&](unsigned number) {
    try {
      workers[number]->run();
    } catch (...) {
      schedule.fail();
      throw;
    }
  });
  progress.finish();
  ReadReport report = schedule.report();
  skipped.fill(report);
  if (!purpose.all_may_be_bad) throw_if_none_read(options, report);
  return report;
}

SourceOptions reread_options(SourceOptions options, const ReadReport& first) {
  options.skip_unreadable = false;
  options.skipped.clear();
  options.known_unreadable.clear();
  for (const BadRecord& file : first.unreadable) options.known_unreadable.push_back(file.path);
  std::sort(options.known_unreadable.begin(), options.known_unreadable.end());
  return options;
}

}  // namespace refrain::corpus
