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
#include "corpus/source/schedule.h"
#include "corpus/source/stream.h"
#include "corpus/source/tuning.h"
#include "corpus/source/worker.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::uint64_t kMinPieceBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxPieceBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxShareBytes = std::uint64_t{16} << 20;
// Small results may wait in any number that memory has room for; this is for those that hold nothing.
constexpr std::size_t kMaxWaiting = std::size_t{1} << 16;
// Half of the budget has room for what is held of records as short as this; of shorter ones it may be too much.
constexpr std::uint64_t kShortRecordBytes = 8;

// A wrong field was named, or a wrong format.
void throw_if_none_read(const ReadReport& read) {
  if (read.documents == 0 && !read.unreadable.empty())
    throw Error(Errc::io, fmt::format("{}: {}; no input could be read", read.unreadable.front().path,
                                      read.unreadable.front().reason));
  if (read.documents != 0 || read.bad_records == 0 || read.examples.empty()) return;
  const BadRecord& first = read.examples.front();
  const std::string line = first.line == 0 ? std::string() : fmt::format(":{}", first.line);
  throw Error(
      Errc::bad_input,
      fmt::format(
          "no record could be read; check the input, --text-field, --id-field and --format; first error: {}{}: {}",
          first.path, line, first.reason));
}

}  // namespace

// A worker holds about 10 bytes a byte of its piece: raw, decoded, ids and offsets 4, the JSON parser 6. So the pieces
// take a third of the budget at most, and records up to the share a sixth. Raw batches are copied by those who ask for
// them: up to 4.5 bytes a byte for every piece that waits, which is another third. With them a worker holds two bytes
// more; its pieces are the smaller for it, so that what was read once has room when it is read again to be rewritten.
ReaderTuning complete(ReaderTuning tuning, unsigned threads, const MemoryBudget& budget, const ReadPurpose& purpose) {
  // The same whether a library has been loaded since the last time or not.
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
    const std::uint64_t room = available * threads / 2 / (tuning.max_waiting + 2 * std::size_t{threads});
    tuning.piece_bytes =
        std::min(tuning.piece_bytes, std::max(kMinPieceBytes, room / purpose.record_bytes * kShortRecordBytes));
  }
  // Where memory is plenty, packed files are read side by side further ahead: one stream alone cannot keep all at work.
  // Whoever holds a piece takes up to four times what it counts.
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
  const ReaderTuning completed = complete(tuning, threads, budget, purpose);
  if (options.documents) return read_stream(options, context, budget, work, completed, purpose);
  const bool to_be_counted = context.progress && purpose.bytes == 0;
  Progress progress(context, purpose.stage, "bytes",
                    to_be_counted ? total_bytes(options, context, budget) : purpose.bytes);
  std::mutex large;
  Schedule schedule(options, context, budget, completed, threads);
  const Reading reading{options, context, budget, work, completed, schedule, progress, large, purpose};
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
  if (!purpose.all_may_be_bad) throw_if_none_read(report);
  return report;
}

SourceOptions again(SourceOptions options, const ReadReport& first) {
  options.skip_unreadable = false;
  options.known_unreadable.clear();
  for (const BadRecord& file : first.unreadable) options.known_unreadable.push_back(file.path);
  std::sort(options.known_unreadable.begin(), options.known_unreadable.end());
  return options;
}

}  // namespace refrain::corpus
