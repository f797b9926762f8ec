// The rules for which piece may be read next, and whose turn it is. They are separate from threads and files, so that
// a test can simulate any number of workers.
//
// The input is a sequence of slots, and a slot a sequence of pieces. A piece is claimed, read, worked on, and handed
// in; it is booked when all earlier pieces have been booked. The pieces of a slot are read one after the other or, if
// their offsets are known, in parallel. A worker claims the earliest unclaimed piece.
//
// Finished pieces that wait for their turn take memory. When they take too much, only the slot whose turn it is
// continues, with all workers but only a little ahead, until less is waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace refrain::corpus {

using PieceId = std::pair<std::uint64_t, std::uint64_t>;  // slot, piece

// Not thread-safe.
class Turns {
 public:
  struct Limits {
    unsigned workers = 1;     // limits the number of open slots
    std::size_t waiting = 0;  // pieces,
    std::uint64_t bytes = 0;  // and what they hold
  };
  explicit Turns(const Limits& limits) : limits_(limits) {}

  // Claims a piece of an open slot, if any may be read now.
  std::optional<PieceId> claim();
  // Whether another slot may be opened, given that there is no piece to claim.
  bool may_open() const { return !is_full() && open_.size() < limits_.workers; }
  // Opens the next slot and claims its first piece. `whole`: the slot has only this piece.
  PieceId open(bool whole);

  // A piece has been read. If offsets are unknown, the next piece may now be read, unless this was the `last`.
  void read_done(PieceId piece, bool last);
  // The first piece of a slot has been read, and the slot has `pieces` pieces, which may be read in any order.
  void read_done_of(PieceId first, std::uint64_t pieces);
  // No more pieces of this slot and later ones may be claimed.
  void end_from(std::uint64_t slot);

  // The piece is done, and waits.
  void hand_in(std::uint64_t bytes);
  // The piece whose turn it was has been booked, and no longer waits. Returns whether workers that could not claim
  // now may.
  bool booked(std::uint64_t bytes, bool last);
  PieceId turn() const { return turn_; }

  bool none_open() const { return open_.empty(); }
  bool is_full() const { return waiting_ >= limits_.waiting || waiting_bytes_ >= limits_.bytes; }
  std::uint64_t waiting_bytes() const { return waiting_bytes_; }

 private:
  struct Slot {
    std::uint64_t place;
    std::uint64_t next;    // the next piece to claim
    std::uint64_t pieces;  // 0: not known before the last one has been read
    bool busy;             // a piece is being read, and the next one must wait for it
  };
  std::deque<Slot>::iterator find(std::uint64_t place);

  const Limits limits_;
  std::deque<Slot> open_;  // in input order: slots with more pieces to claim
  std::uint64_t slots_ = 0;
  std::size_t waiting_ = 0;
  std::uint64_t waiting_bytes_ = 0;
  PieceId turn_{0, 0};
};

}  // namespace refrain::corpus
