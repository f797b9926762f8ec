// A piece of a file: whole records that a worker has taken of it, to be parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/batch_builder.h"
#include "refrain/error.h"
#include "refrain/input.h"

namespace refrain::corpus {

// With which a file of records may begin, and which is no part of the first.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The right to hold more than a worker's share of memory. One worker has it at a time, until all is done with the
// bytes, so that T long records at once do not need T times the memory of one.
class LargeTurn {
 public:
  // `before`, where there is one, is called before the turn is taken.
  LargeTurn(std::mutex& mutex, std::size_t share_bytes, std::stop_token stop, std::function<void()> before = {})
      : lock_(mutex, std::defer_lock), share_bytes_(share_bytes), stop_(std::move(stop)), before_(std::move(before)) {}
  // Waits for the turn where `bytes` are more than the share. Error(interrupted) where the run is to stop: whoever works
  // on something long asks for its memory, or that it has, again and again.
  void need(std::size_t bytes) {
    if (stop_.stop_requested()) throw Error(Errc::interrupted, "interrupted");
    if (bytes <= share_bytes_ || lock_.owns_lock()) return;
    if (before_) before_();
    lock_.lock();
  }
  bool taken() const { return lock_.owns_lock(); }
  // Ends the turn, if it was taken, when it goes out of scope.
  struct End {
    explicit End(LargeTurn& of) : turn(of) {}
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() {
      if (turn.lock_.owns_lock()) turn.lock_.unlock();
    }
    LargeTurn& turn;
  };

 private:
  std::unique_lock<std::mutex> lock_;
  std::size_t share_bytes_;
  std::stop_token stop_;
  std::function<void()> before_;
};

// What a worker has taken of a file and not parsed yet: bytes[begin, end), with kPadding behind them.
struct RawPiece {
  RawPiece(MemoryBudget& budget, std::size_t piece_bytes);
  // Gives back what a long record did not need of the room that was made for it.
  void trim();
  // Back to the memory it was made with; what it held is gone.
  void shrink();

  const std::size_t piece_bytes;
  Array<char> bytes;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t offset = 0;          // of bytes[0] in the file, unpacked
  std::uint64_t line = 0;            // line breaks between the beginning of the piece and `begin`
  std::uint64_t records_before = 0;  // in the file, of a mailbox
  // Where the bytes are not to be parsed: the beginning of a record that is too long, or more of it.
  enum class Kind { records, too_long, more };
  Kind kind = Kind::records;
};

// A record with more raw bytes than this, its line break aside, is not read at all. More than a document may have,
// since escapes, quotes and other fields take room too.
std::uint64_t max_raw_bytes(Format format, std::uint64_t max_doc_bytes);

std::string too_long_reason(std::uint64_t max_doc_bytes);

// The names of fields for a message: 'a', 'b', ...; control characters spelled out.
std::string quoted_names(std::span<const std::string> names);

// Parses from piece.begin on until the piece or the room in `builder` ends, and moves piece.begin and piece.line there.
void parse_lines(RawPiece& piece, const std::string& path, const InputOptions& options, BatchBuilder& builder);

}  // namespace refrain::corpus
