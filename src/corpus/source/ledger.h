// What happens in input order: ordinals are given out, closures called, bad records counted, errors thrown.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "corpus/source/reader.h"
#include "refrain/input.h"

namespace refrain::corpus {

struct BatchResult {
  InOrder in_order;
  std::uint64_t records = 0;
  std::uint64_t bad_records = 0;
  std::uint64_t text_bytes = 0;
  std::vector<BadRecord> examples;  // the first bad records; their lines count from the beginning of the piece
};

// A file that was passed over, being no text.
struct BinaryFile {
  std::string path;
  std::string_view kind;  // as in Recognized
  std::string_view advice;
};

struct PieceResult {
  std::vector<BatchResult> batches;
  std::uint64_t lines = 0;  // line breaks in the piece
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<BinaryFile> binary;
  std::uint64_t pages = 0;
  std::uint64_t mails = 0;
  std::uint64_t manual_pages = 0;
  std::vector<RecodedFiles> recoded;
  std::uint64_t replaced = 0;
  std::uint64_t surrogates = 0;
  std::uint64_t other_skipped = 0;
  std::vector<BadRecord> unreadable;
  std::uint64_t held_bytes = 0;              // that it takes while it waits, about
  bool last = false;                         // of its slot
  std::exception_ptr error;                  // what ended the slot early, after these batches
  std::vector<std::function<void()>> after;  // what is left of the batches that were booked

  // A file that was read as UTF-8 or made that.
  void note_charset(const std::string& charset);
  // Counts a batch that has been made, before its ids are taken.
  void hold(const Batch& batch, const ReadPurpose& purpose);
  void do_after() {
    for (const std::function<void()>& work : after) work();
    after.clear();
  }
};

// Pieces must come one at a time, in input order. Not thread-safe.
class Ledger {
 public:
  // What it notes of unreadable files is reserved from `budget`.
  Ledger(bool strict, MemoryBudget& budget)
      : strict_(strict), noted_(budget.reserve(0, "the names of unreadable files")) {}

  // Throws the piece's error, what its closures throw, and, where `strict`, Error(bad_input) for its first bad record.
  void book(PieceResult& piece);

  // The batches of a piece, which is emptied of them, before there is the rest of it. Throws the same.
  void book_batches(PieceResult& piece);

  ReadReport& report() { return report_; }

 private:
  void book_bad(BatchResult& batch);
  void book_binary(BinaryFile& file);

  const bool strict_;
  Reservation noted_;
  ReadReport report_;
  DocId next_ordinal_ = 0;
  std::uint64_t lines_before_ = 0;  // in the file that is being booked
};

}  // namespace refrain::corpus
