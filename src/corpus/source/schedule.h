// Assigns the files of the input as slots and pieces to many workers, by the rules of turns.h.
//
// A slot is one file of a record format, or a row group of a Parquet file, read piece by piece, or a handful of whole
// files, which form one piece. Plain files of lines are read by many workers at once. A compressed file, a table or a
// web archive is read by one worker at a time, and several such files are read in parallel. The worker that completes
// the next piece in input order books it, and the completed pieces after it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "corpus/files/line_ranges.h"
#include "corpus/files/parquet_stream.h"
#include "corpus/files/records.h"
#include "corpus/files/walk.h"
#include "corpus/source/ledger.h"
#include "corpus/source/reader.h"
#include "corpus/source/turns.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

struct Slot {
  std::uint64_t place = 0;  // index of the slot
  std::vector<Input> inputs;
  bool whole_files = false;  // otherwise one file of records
  RecordFile file;           // of records
  // For records. Used only by the worker that has claimed a piece and is reading it.
  std::optional<RecordStream> stream;
  std::optional<LineRanges> ranges;  // instead of a stream; used by many workers at once
  std::optional<ParquetStream> rows;
  std::shared_ptr<const ParquetFile> parquet;  // set if another slot has opened it
  std::size_t group = 0;                       // index of its row group

  bool is_parquet() const { return inputs.front().format->storage == Storage::column; }
};

// A piece to read. `slot` stays alive as long as a worker works on one of its pieces.
struct Task {
  std::shared_ptr<Slot> slot;
  std::uint64_t piece = 0;
};

// Thread-safe.
class Schedule {
 public:
  // Keeps references to all arguments except `tuning`, which must be complete.
  Schedule(const SourceOptions& options, const Context& context, MemoryBudget& budget, const ReaderTuning& tuning,
           unsigned threads, SkippedFiles& skipped);

  // Waits for a piece that may be read now, and books pieces meanwhile. Returns nullopt if everything is claimed and
  // nothing waits to be booked, or if the run has failed. Throws Error(interrupted), and exceptions of closures.
  std::optional<Task> claim();

  // The piece has been read, so the next one of its slot may be read. Not needed for whole files.
  void read_done(const Task& task, const PieceResult& result);

  // Books the piece in its turn, which may be in a later call by another worker. Throws exceptions of closures.
  void hand_in(const Task& task, PieceResult result);

  // Waits until everything before `task` has been booked; false if the run has failed. The piece is then booked as
  // soon as it is handed in. This cannot deadlock, because workers always claim the earliest piece available.
  bool await_turn(const Task& task);

  // Books the finished batches of a piece whose turn has come, according to await_turn, and removes them from it. No
  // other thread books meanwhile, because all others wait for this piece.
  void book_now(PieceResult& part) {
    ledger_.book_batches(part);
    part.do_after();
  }

  // Wakes all workers and makes claim() return nullopt.
  void fail();

  // To be called after the last piece. Does not include skipped files.
  ReadReport report() { return std::move(ledger_.report()); }

 private:
  bool may_open() const;
  bool may_book() const;
  void book_next(std::unique_lock<std::mutex>& lock);
  Task task_of(PieceId piece);
  std::shared_ptr<Slot> open_next(std::unique_lock<std::mutex>& lock);
  std::shared_ptr<Slot> next_slot();
  bool next_input(Input& input);
  std::shared_ptr<Slot> next_group();

  const Context& context_;
  MemoryBudget& budget_;
  const ReaderTuning tuning_;
  const std::uint64_t available_;  // initially available in the budget

  std::mutex mutex_;
  std::condition_variable changed_;
  bool walking_ = false;  // a worker is looking for the next files; meanwhile only it uses the next two members
  Walk walk_;
  std::optional<Input> put_back_;
  bool all_opened_ = false;
  // A Parquet file that is being opened, and one with row groups that are not claimed yet.
  std::shared_ptr<Slot> opening_parquet_;
  std::shared_ptr<const ParquetFile> parquet_;
  Input parquet_input_;
  std::size_t next_group_ = 0;
  bool failed_ = false;
  unsigned opening_ = 0;  // slots whose first piece is being read
  Turns turns_;
  std::map<std::uint64_t, std::shared_ptr<Slot>> open_;  // by index; those with more pieces to claim

  std::map<PieceId, PieceResult> waiting_;
  unsigned awaiting_ = 0;  // workers inside await_turn,
  unsigned idle_ = 0;      // and those that wait for a piece
  bool booking_ = false;   // a worker is inside the ledger
  Ledger ledger_;
};

}  // namespace refrain::corpus
