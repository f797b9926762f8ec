// The files of the input as slots and pieces, for many workers; by the rules of turns.h.
//
// A slot is one file of a record format, or a row group of a Parquet file, read piece by piece, or a handful of whole
// files, which are one piece. Plain files of lines are read by many workers at once; of a file that is compressed, a table
// or a web archive, one worker reads a piece at a time, and several files are read side by side.
// Whoever completes the next piece in input order books it, and those behind it that have waited.
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
#include "corpus/source/tuning.h"
#include "corpus/source/turns.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

struct Slot {
  std::uint64_t place = 0;  // among the slots
  std::vector<Input> inputs;
  bool whole_files = false;  // else one file of records
  // Of records; touched only by the worker that claimed a piece and is reading it.
  std::optional<RecordStream> stream;
  std::optional<LineRanges> ranges;  // in place of a stream; for many at once
  std::optional<ParquetStream> rows;
  std::shared_ptr<const ParquetFile> parquet;  // where another slot has opened it
  std::size_t group = 0;                       // of its row groups

  bool is_parquet() const { return inputs.front().format == Format::parquet; }
};

// A piece to read. `slot` stays alive as long as somebody works on a piece of it.
struct Task {
  std::shared_ptr<Slot> slot;
  std::uint64_t piece = 0;
};

// Thread-safe.
class Schedule {
 public:
  // Keeps references to all of them. `tuning` must be complete.
  Schedule(const SourceOptions& options, const Context& context, MemoryBudget& budget, const ReaderTuning& tuning,
           unsigned threads);

  // Waits for a piece that may be read now, and helps to book meanwhile. Nothing where all has been claimed and nothing
  // waits, or the run has failed. Throws Error(interrupted), and what closures throw.
  std::optional<Task> claim();

  // The piece has been read, and the next one of its slot may be. Not needed for whole files.
  void read_done(const Task& task, const PieceResult& result);

  // Books the piece when its turn has come, which may be in a later call by another worker. Throws what closures throw.
  void hand_in(const Task& task, PieceResult result);

  // Waits until everything before `task` has been booked; false where the run has failed. What is handed in then is
  // booked at once. No deadlock: whoever claims takes the earliest piece that there is.
  bool await_turn(const Task& task);

  // Books the batches that there are of a piece whose turn has come, by await_turn, and empties it of them. The others
  // wait for that piece, so nobody else is booking.
  void book_now(PieceResult& part) {
    ledger_.book_batches(part);
    part.do_after();
  }

  // Wakes all workers and ends their claims.
  void fail();

  // After the last piece.
  ReadReport report();

 private:
  bool may_open() const;
  bool may_book() const;
  void book_next(std::unique_lock<std::mutex>& lock);
  Task task_of(Turn piece);
  std::shared_ptr<Slot> open_next(std::unique_lock<std::mutex>& lock);
  std::shared_ptr<Slot> next_slot();
  bool next_input(Input& input);
  std::shared_ptr<Slot> next_group();

  const Context& context_;
  MemoryBudget& budget_;
  const ReaderTuning tuning_;
  const std::uint64_t available_;  // in the budget at the beginning

  std::mutex mutex_;
  std::condition_variable changed_;
  bool walking_ = false;  // some worker looks for the next files; the two below are its own meanwhile
  Walk walk_;
  std::optional<Input> put_back_;
  bool all_opened_ = false;
  // A Parquet file that is being opened, or of which there are row groups left.
  std::shared_ptr<Slot> opening_parquet_;
  std::shared_ptr<const ParquetFile> parquet_;
  Input parquet_input_;
  std::size_t next_group_ = 0;
  bool failed_ = false;
  unsigned opening_ = 0;  // slots whose first piece is being read
  Turns turns_;
  std::map<std::uint64_t, std::shared_ptr<Slot>> open_;  // by place; of which there is more to claim

  std::map<Turn, PieceResult> waiting_;
  unsigned awaiting_ = 0;  // workers inside await_turn,
  unsigned idle_ = 0;      // and those that wait for a piece
  bool booking_ = false;   // some worker is inside the ledger
  Ledger ledger_;
};

}  // namespace refrain::corpus
