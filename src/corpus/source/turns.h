// Who may read what next, and whose turn it is: the rules alone, without threads or files, so that a test can play any
// number of workers through them.
//
// The input is a row of slots, and a slot a row of pieces. A piece is claimed, read, worked on, and handed in; it is
// booked when all before it have been. The pieces of a slot are read one after the other, or, where their places are
// known, side by side. Whoever claims takes the earliest piece that there is.
//
// What is done and waits for its turn takes memory. Once that is much, only the slot whose turn it is goes on, with all
// workers, and not far ahead: what waits then becomes less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace refrain::corpus {

using Turn = std::pair<std::uint64_t, std::uint64_t>;  // slot, piece

// Not thread-safe.
class Turns {
 public:
  struct Limits {
    unsigned workers = 1;     // no more slots are open at a time
    std::size_t waiting = 0;  // pieces,
    std::uint64_t bytes = 0;  // and what they hold
  };
  explicit Turns(const Limits& limits) : limits_(limits) {}

  // A piece of a slot that is open, if any may be read now.
  std::optional<Turn> claim();
  // Whether another slot may be opened, where there is none to claim from.
  bool may_open() const { return !crowded() && open_.size() < limits_.workers; }
  // Opens the next slot, and claims its first piece. `whole`: there is no other.
  Turn open(bool whole);

  // A piece has been read. Pieces of unknown places: the next one may be read, unless it was the `last`.
  void read_done(Turn piece, bool last);
  // The first piece of a slot has been read, and there are so many, which may be read at any time.
  void read_done_of(Turn first, std::uint64_t pieces);
  // Of this slot and all behind it nothing more is to be claimed.
  void end_from(std::uint64_t slot);

  // The piece is done, and waits.
  void hand_in(std::uint64_t bytes);
  // The piece whose turn it was has been booked, and waits no longer. True where some that could not claim now may.
  bool booked(std::uint64_t bytes, bool last);
  Turn turn() const { return turn_; }

  bool none_open() const { return open_.empty(); }
  bool crowded() const { return waiting_ >= limits_.waiting || waiting_bytes_ >= limits_.bytes; }
  std::uint64_t waiting_bytes() const { return waiting_bytes_; }

 private:
  struct Slot {
    std::uint64_t place;
    std::uint64_t next;    // piece
    std::uint64_t pieces;  // 0: known when the last has been read
    bool busy;             // one is being read, and the next one must wait for it
  };
  std::deque<Slot>::iterator find(std::uint64_t place);

  const Limits limits_;
  std::deque<Slot> open_;  // in input order: those of which there is more to claim
  std::uint64_t slots_ = 0;
  std::size_t waiting_ = 0;
  std::uint64_t waiting_bytes_ = 0;
  Turn turn_{0, 0};
};

}  // namespace refrain::corpus
