// Verifies candidates against the text: a key proposes, the text decides.
//
// In a pass over the text, whoever comes first to a place of a group claims the group and keeps the n-gram's text; all
// others compare theirs with it, byte for byte. A place whose text differs, because two n-grams have equal keys so far
// as keys were kept, is put aside as a *stray*, with its text. Who comes first depends on the threads, and what is
// written does not: a group with strays is sorted out afterwards, by full keys and texts.
//
// Texts that overlap in the document overlap in memory too: a run of n-grams that are all claimed takes the bytes of
// its tokens once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/ngram/candidates.h"
#include "engines/ngram/text_stream.h"

namespace refrain::ngram {

class Resolver {
 public:
  // Thrown by visit() where the texts do not fit: there were too many groups.
  struct TooManyTexts {};

  // For the groups [first, last) of `candidates`, which are sorted by position. Texts may take `text_bytes`.
  Resolver(const Candidates& candidates, std::uint64_t first, std::uint64_t last, std::uint64_t text_bytes,
           unsigned workers, MemoryBudget& budget);

  // Group `first` was begun by an earlier resolver: its n-gram is known. Before any visit.
  void preset(std::uint64_t key, std::string_view text);

  // Before positions fall, and for the first document.
  void seek(unsigned worker, std::uint64_t position);
  // The places of the n-grams that `texts` has at hand; the document's first token is at `position`. Within a worker
  // positions rise.
  void visit(unsigned worker, const TextStream& texts, std::uint64_t position);

  // ---- After the pass.

  struct Gram {
    std::uint64_t key;
    std::string_view text;
    bool strays;  // some places of the group belong to other n-grams
  };
  Gram gram(std::uint64_t group) const;
  // Its text will be asked for soon.
  void prefetch(std::uint64_t group) const {
    const char* text = arena_.data() + (slots_[group - first_].text & ((std::uint64_t{1} << kPlaceBits) - 1));
    __builtin_prefetch(text);
    __builtin_prefetch(text + 64);
  }

  struct Stray {
    std::uint64_t group;
    std::uint64_t key;
    std::string_view text;
    std::uint64_t position;
  };
  // All of them, by group, key, text and position.
  std::vector<Stray> strays() const;

  // What texts took, and what slots take a group: for sizing the next one.
  std::uint64_t text_bytes() const { return used_.load(std::memory_order_relaxed); }
  static constexpr std::uint64_t kGroupBytes = 16;
  // What it takes besides.
  static std::uint64_t working_bytes(unsigned workers);

 private:
  // A text in the arena, as one number: where it begins, and its length; 0 for none. The top bit: the group has strays.
  // A text too long for its bits has its length in eight bytes before it.
  static constexpr unsigned kPlaceBits = 40;
  static constexpr std::uint64_t kLengthMask = (std::uint64_t{1} << 23U) - 1;
  static constexpr std::uint64_t kHasStrays = std::uint64_t{1} << 63U;

  struct Slot {
    std::uint64_t text;
    std::uint64_t key;
  };
  struct PackedStray {
    std::uint64_t group;
    std::uint64_t key;
    std::uint64_t text;
    std::uint64_t position;
  };
  struct Found {
    std::uint64_t token;
    std::uint64_t group;
  };
  // A worker's end of the arena.
  struct alignas(64) Worker {
    explicit Worker(MemoryBudget& budget) : strays(budget, "n-grams with equal keys") {}
    Candidates::Cursor cursor;
    std::vector<std::uint64_t> groups;  // by token: the group that has a place there, + 1
    std::vector<Found> found;
    std::uint64_t next = 0;  // where the next text goes,
    std::uint64_t end = 0;   // and where it has to end
    // The tokens of the document that stand before `next`, ready to be gone on with.
    std::uint64_t kept_document = 0;
    std::uint64_t kept_first = 0;
    std::uint64_t kept_last = 0;
    Array<PackedStray> strays;
  };

  void meet(Worker& worker, const TextStream& texts, std::uint64_t position, const Found& found);
  std::uint64_t keep(Worker& worker, const TextStream& texts, std::uint64_t position, std::uint64_t token);
  std::uint64_t keep_alone(Worker& worker, std::string_view text);
  void make_room(Worker& worker, std::uint64_t bytes);
  std::string_view text_of(std::uint64_t packed) const;

  const Candidates& candidates_;
  const std::uint64_t first_;
  Reservation at_hand_;
  Array<Slot> slots_;
  Array<char> arena_;
  std::atomic<std::uint64_t> used_{1};  // 0 is no place
  std::uint64_t piece_bytes_;
  std::vector<Worker> workers_;
};

}  // namespace refrain::ngram
