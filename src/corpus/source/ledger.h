// Keeps account of the input while many threads read it: what must be done in input order, and what was skipped.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "corpus/files/walk.h"
#include "corpus/formats/recognize.h"
#include "corpus/formats/record_parser.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Collects the files of the input that are not read: their number by kind and some examples for the report. Passes
// every file to a callback that may list it.
//
// Thread-safe. The report does not depend on the order in which files are added.
class SkippedFiles {
 public:
  // `take` is called for every file, one at a time. It may be empty, as may `spell`.
  SkippedFiles(std::function<void(const SkippedFile&)> take, SpellOption spell)
      : take_(std::move(take)), spell_(std::move(spell)) {}

  // `total`: the field of the report that counts such files, or null.
  void add(SkipTotal total, SkippedFile file);
  // Adds a file that is not text, with what was recognized.
  void add_binary(const std::string& path, const Recognized& recognized);

  // Fills in the fields about skipped files.
  void fill(ReadReport& report) const;

 private:
  std::mutex mutex_;
  const std::function<void(const SkippedFile&)> take_;
  const SpellOption spell_;
  ReadReport totals_;
  std::map<std::string, SkippedKind> kinds_;
};

// Work that is done in input order: assigns ordinals, calls closures, counts bad records, and throws errors.

struct BatchResult {
  InOrder in_order;
  std::uint64_t records = 0;
  std::uint64_t bad_records = 0;
  std::uint64_t text_bytes = 0;
  std::vector<BadRecord> examples;  // the first bad records; their lines count from the beginning of the piece
};

struct PieceResult : ParseCounts {
  std::vector<BatchResult> batches;
  std::uint64_t lines = 0;  // line breaks in the piece
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pages = 0;
  std::uint64_t manual_pages = 0;
  std::vector<RecodedFiles> recoded;
  std::vector<BadRecord> unreadable;
  std::uint64_t held_bytes = 0;              // approximate memory that it takes while it waits
  bool last = false;                         // of its slot
  std::exception_ptr error;                  // the error that ended the slot early, after these batches
  std::vector<std::function<void()>> after;  // remaining work of the batches that were booked

  // Records the charset of a file that was converted to UTF-8. Does nothing for UTF-8.
  void note_charset(const std::string& charset);
  // Counts the memory of a batch. Must be called before its ids are moved from.
  void hold(const Batch& batch, const ReadPurpose& purpose);
  void do_after() {
    for (const std::function<void()>& work : after) work();
    after.clear();
  }
};

// Pieces must be booked one at a time, in input order. Not thread-safe.
class Ledger {
 public:
  // The memory for the list of unreadable files is reserved from `budget`. `spell` may be empty.
  Ledger(bool strict, SpellOption spell, MemoryBudget& budget)
      : strict_(strict), spell_(std::move(spell)), noted_(budget.reserve(0, "the names of unreadable files")) {}

  // Throws the error of the piece, exceptions of its closures, and, if `strict`, Error(bad_input) for its first bad
  // record.
  void book(PieceResult& piece);

  // Books the finished batches of an incomplete piece, and removes them from it. Throws the same.
  void book_batches(PieceResult& piece);

  ReadReport& report() { return report_; }

 private:
  void book_bad(BatchResult& batch);

  const bool strict_;
  const SpellOption spell_;
  Reservation noted_;
  ReadReport report_;
  DocId next_ordinal_ = 0;
  std::uint64_t lines_before_ = 0;  // in the current file
};

}  // namespace refrain::corpus
