#include "corpus/source/turns.h"

#include <algorithm>

namespace refrain::corpus {

std::optional<PieceId> Turns::claim() {
  for (auto slot = open_.begin(); slot != open_.end(); ++slot) {
    if (is_full() && (slot->place != turn_.first || slot->next >= turn_.second + 2 * limits_.workers)) break;
    if (slot->busy) continue;
    const PieceId piece{slot->place, slot->next++};
    slot->busy = slot->pieces == 0;
    if (slot->next == slot->pieces) open_.erase(slot);
    return piece;
  }
  return std::nullopt;
}

PieceId Turns::open(bool whole) {
  const std::uint64_t place = slots_++;
  if (!whole) open_.push_back({.place = place, .next = 1, .pieces = 0, .busy = true});
  return {place, 0};
}

void Turns::read_done(PieceId piece, bool last) {
  const auto slot = find(piece.first);
  if (slot == open_.end()) return;
  slot->busy = false;
  if (last) open_.erase(slot);
}

void Turns::read_done_of(PieceId first, std::uint64_t pieces) {
  const auto slot = find(first.first);
  if (slot == open_.end()) return;
  slot->busy = false;
  slot->pieces = pieces;
  if (slot->next >= pieces) open_.erase(slot);
}

void Turns::end_from(std::uint64_t place) {
  std::erase_if(open_, [&](const Slot& slot) { return slot.place >= place; });
}

void Turns::hand_in(std::uint64_t bytes) {
  ++waiting_;
  waiting_bytes_ += bytes;
}

bool Turns::booked(std::uint64_t bytes, bool last) {
  const bool was_crowded = is_full();
  --waiting_;
  waiting_bytes_ -= bytes;
  turn_ = last ? PieceId{turn_.first + 1, 0} : PieceId{turn_.first, turn_.second + 1};
  return was_crowded && (last || !is_full());
}

std::deque<Turns::Slot>::iterator Turns::find(std::uint64_t place) {
  return std::find_if(open_.begin(), open_.end(), [&](const Slot& slot) { return slot.place == place; });
}

}  // namespace refrain::corpus
