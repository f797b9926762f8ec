// Compares two texts: how similar they are, and what would be lost with one of them.
//
// All verbs and kernels that compare documents use it. Only the self-check of dedup has code of its own, to be
// independent.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "engines/sketch/loss.h"
#include "engines/sketch/written.h"
#include "text/windows.h"

namespace refrain::sketch {

// The texts that are compared. The caller chooses their keys. Not thread-safe.
class KeyedTexts {
 public:
  KeyedTexts() = default;
  KeyedTexts(const KeyedTexts&) = delete;
  KeyedTexts& operator=(const KeyedTexts&) = delete;
  virtual ~KeyedTexts() = default;

  virtual std::uint64_t bytes(std::uint64_t key) = 0;
  // Valid until `scratch` changes.
  virtual std::string_view get(std::uint64_t key, std::string& scratch) = 0;
  // Whether get() returns the texts where they are, without copying them to `scratch`.
  virtual bool in_memory() const { return false; }
  // The windows that are left out of a text; null: none.
  virtual const text::LeftOut* left_out(std::uint64_t /*key*/) const { return nullptr; }
};

// Caches the windows of as many texts as fit into a memory limit, so it is fastest if pairs of the same text are
// consecutive. Not thread-safe.
class Comparer {
 public:
  using Set = std::vector<std::uint64_t>;

  Comparer(const Comparer&) = delete;  // a stream refers to a plan that is held here
  Comparer& operator=(const Comparer&) = delete;
  // Keeps references to `texts` and `plan`. `memory_bytes` is for the cached windows. A long text may temporarily take
  // more, if the budget has it.
  Comparer(KeyedTexts& texts, const text::FeaturePlan& plan, const MatchRule& rule, MemoryBudget& budget,
           std::uint64_t memory_bytes);

  // The Jaccard similarity of the texts' sets of windows, or any value below the threshold if it is less than that.
  double similarity(std::uint64_t a, std::uint64_t b);
  // The loss if `removed` is removed and `kept` stays.
  Loss loss(std::uint64_t removed, std::uint64_t kept);
  // Whether the text is long enough to have a window.
  bool has_windows(std::uint64_t key) { return !set_of(key).empty(); }

  // Puts the windows of a text, which may be in any order, into the cache, so that they need not be found again.
  void cache_windows(std::uint64_t key, Set windows);
  // Forgets the cached windows.
  void forget();
  // Computes windows. The caller may use it between calls of the functions above.
  text::FeatureStream& stream() { return stream_; }

 private:
  struct Held {
    std::uint64_t key;
    Set set;
  };
  // The set of a text, ascending. It stays valid while one other set is requested.
  const Set& set_of(std::uint64_t key);
  const Set& remember(std::uint64_t key, Set set);
  void reserve_beside(std::uint64_t bytes);
  void reserve_texts(std::uint64_t bytes, std::uint64_t beside = 0);
  void forget_long_text();

  Loss lost_tokens(std::uint64_t removed, std::uint64_t kept, std::vector<LostRun>* runs = nullptr);
  bool is_heavy(std::uint64_t removed, std::uint64_t kept, const Loss& loss);
  // Weighs runs that are lost of `a` next to `b`, `lost` tokens in all.
  LossWeight weigh(std::uint64_t a, std::uint64_t b, std::span<const LostRun> runs, std::uint64_t lost);
  std::uint16_t lost_attachments(std::uint64_t removed, std::uint64_t kept);
  const std::vector<std::uint64_t>& windows_of(std::uint64_t key);
  const WrittenTokens& written(std::uint64_t key);

  KeyedTexts& texts_;
  const unsigned window_;
  const MatchRule rule_;
  const std::uint64_t memory_bytes_;
  Reservation reservation_;
  Reservation room_;  // memory for long texts
  text::FeatureStream stream_;
  std::string scratch_;
  // For weighing losses.
  const text::FeaturePlan token_plan_;
  std::optional<text::FeatureStream> tokens_;
  std::vector<LostRun> runs_;
  std::vector<LostRun> gained_runs_;
  LossScale scale_;

  std::list<Held> held_;  // most recently used first
  std::unordered_map<std::uint64_t, std::list<Held>::iterator> places_;
  std::uint64_t held_bytes_ = 0;

  std::vector<std::uint64_t> own_;
  std::vector<std::uint64_t> windows_;  // of one text, in order
  std::optional<std::uint64_t> windows_key_;
  std::optional<std::uint64_t> bare_;  // the last text that was found to have no attachments
  WrittenReader reader_;
  std::unordered_map<std::uint64_t, WrittenTokens> written_;  // cached for some texts
  std::size_t written_bytes_ = 0;
};

}  // namespace refrain::sketch
