// Verifies candidates against the text: keys only propose, texts decide.
//
// In a pass over the text, the first worker to reach a place of a group claims the group and keeps the n-gram's
// text; the texts of all other places are compared with it, byte for byte. If a text differs, because two n-grams
// have equal keys as far as keys were kept, the place is set aside as a *stray*, with its text. Which place comes
// first depends on the threads, but the output does not: groups with strays are sorted out afterwards, by full keys
// and texts.
//
// Texts that overlap in the document also overlap in memory: if all n-grams of a run of tokens are claimed, the
// bytes of these tokens are stored once.
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
  // Thrown by visit() if the texts do not fit into memory, because there were too many groups.
  struct TooManyTexts {};

  // Resolves the groups [first, last) of `candidates`, which must be sorted by position. Texts may take
  // `text_bytes`.
  Resolver(const Candidates& candidates, std::uint64_t first, std::uint64_t last, std::uint64_t text_bytes,
           unsigned workers, MemoryBudget& budget);

  // Sets the n-gram of group `first`, if an earlier resolver has begun that group. Call before any visit.
  void preset(std::uint64_t key, std::string_view text);

  // Call for a worker's first document, and whenever positions do not ascend.
  void seek(unsigned worker, std::uint64_t position);
  // Visits the places of the current n-grams of `texts`. `position` is that of the document's first token. Within a
  // worker, positions ascend.
  void visit(unsigned worker, const TextStream& texts, std::uint64_t position);

  // ---- After the pass.

  struct Gram {
    std::uint64_t key;
    std::string_view text;
    bool strays;  // some places of the group belong to other n-grams
  };
  Gram gram(std::uint64_t group) const;
  // Prefetches the text of a group that will be needed soon.
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
  // Returns all strays, sorted by group, key, text and position.
  std::vector<Stray> strays() const;

  // The memory that texts took, and that slots take per group, for choosing the size of the next resolver.
  std::uint64_t text_bytes() const { return used_.load(std::memory_order_relaxed); }
  static constexpr std::uint64_t kGroupBytes = 16;
  // The memory that it takes in addition.
  static std::uint64_t working_bytes(unsigned workers);

 private:
  // A text in the arena, packed into one number: its offset and its length, or 0 for none. The top bit is set if
  // the group has strays. If the length does not fit, it is stored in the eight bytes before the text.
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
  // The state of a worker, with its current piece of the arena.
  struct alignas(64) Worker {
    explicit Worker(MemoryBudget& budget) : strays(budget, "n-grams with equal keys") {}
    Candidates::Cursor cursor;
    std::vector<std::uint64_t> groups;  // by token: 1 + the group that has a place there
    std::vector<Found> found;
    std::uint64_t next = 0;  // where the next text begins
    std::uint64_t end = 0;   // where the piece ends
    // The document and the tokens whose text ends at `next` and can be continued.
    std::uint64_t kept_document = 0;
    std::uint64_t kept_first = 0;
    std::uint64_t kept_last = 0;
    Array<PackedStray> strays;
  };

  void meet(Worker& worker, const TextStream& texts, std::uint64_t position, const Found& found);
  std::uint64_t keep(Worker& worker, const TextStream& texts, std::uint64_t position, std::uint64_t token);
  std::uint64_t keep_separately(Worker& worker, std::string_view text);
  void make_room(Worker& worker, std::uint64_t bytes);
  std::string_view text_of(std::uint64_t packed) const;

  const Candidates& candidates_;
  const std::uint64_t first_;
  Reservation at_hand_;
  Array<Slot> slots_;
  Array<char> arena_;
  std::atomic<std::uint64_t> used_{1};  // offset 0 is never used
  std::uint64_t piece_bytes_;
  std::vector<Worker> workers_;
};

}  // namespace refrain::ngram
