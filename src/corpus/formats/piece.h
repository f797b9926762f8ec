// A piece of a file: whole records that a worker has taken from it, to be parsed.
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

namespace refrain::corpus {

// A file of records may begin with this. It is not part of the first record.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The right to hold more memory than a worker's share. One worker at a time has it, and keeps it until the bytes are
// processed, so that T long records at once do not need T times the memory of one.
class LargeTurn {
 public:
  // `before`, if set, is called before the turn is taken.
  LargeTurn(std::mutex& mutex, std::size_t share_bytes, std::stop_token stop, std::function<void()> before = {})
      : lock_(mutex, std::defer_lock), share_bytes_(share_bytes), stop_(std::move(stop)), before_(std::move(before)) {}
  // Waits for the turn if `bytes` exceed the share. Throws Error(interrupted) if the run is to stop. Code that works
  // on long data calls this repeatedly with its current memory, so that it can be interrupted.
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

// Bytes that a worker has taken from a file and not parsed yet: bytes[begin, end), followed by kPadding.
struct RawPiece {
  RawPiece(MemoryBudget& budget, std::size_t piece_bytes);
  // Releases memory that a long record reserved but did not need.
  void trim();
  // Returns to the initial memory. The content is lost.
  void shrink();

  const std::size_t piece_bytes;
  Array<char> bytes;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t offset = 0;          // of bytes[0] in the unpacked file
  std::uint64_t line = 0;            // line breaks between the beginning of the piece and `begin`
  std::uint64_t records_before = 0;  // for a mailbox: in the file before the piece
  // too_long, more: the bytes are not to be parsed, but are the beginning, or a later part, of a record that is too
  // long.
  enum class Kind { records, too_long, more };
  Kind kind = Kind::records;
};

// The maximum size of a record's raw bytes, without its line break. Longer records are not parsed at all. It is
// larger than the limit for a document, because escapes, quotes and other fields take room, too.
std::uint64_t max_raw_bytes(std::uint64_t max_doc_bytes);

std::string too_long_reason(std::uint64_t max_doc_bytes);

std::uint64_t line_breaks(std::string_view bytes);

// Makes room for a text. Returns false if there is none, and the batch must be used first.
bool make_room(BatchBuilder& builder, std::size_t text_bytes, LargeTurn& turn);

bool is_integer(std::string_view digits);
// Whether the value of a field can be an id: a string, or an integer. If not, why.
bool is_id(FieldKind kind, std::string_view value);
std::string no_id(std::string_view field, FieldKind kind);

// Formats field names for a message: 'a', 'b', ...; control characters are escaped. Shows the first kShownNames.
inline constexpr std::size_t kShownNames = 20;
std::string quoted_names(std::span<const std::string> names);

}  // namespace refrain::corpus
