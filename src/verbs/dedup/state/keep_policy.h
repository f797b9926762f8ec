// Decides which of two documents is kept: gives every document a key, and the least key is best.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "refrain/dedup.h"

namespace refrain::verbs::dedup {

// The key of documents that lack the field, or are of a source that is not named.
inline constexpr std::uint64_t kLastKey = ~std::uint64_t{0};

class KeepRanker {
 public:
  explicit KeepRanker(const KeepPolicy& policy);

  bool in_input_order() const { return rank_ == Rank::first; }
  bool needs_field() const { return rank_ == Rank::newest || rank_ == Rank::greatest || rank_ == Rank::least; }

  // `field` is the value of the policy's field, empty if the document has none. `number` says that it was written
  // as a number and so is not a date.
  std::uint64_t key(std::uint64_t text_bytes, const std::string& source, std::string_view field, bool number) const;

 private:
  Rank rank_;
  std::unordered_map<std::string, std::uint64_t> sources_;
};

}  // namespace refrain::verbs::dedup
