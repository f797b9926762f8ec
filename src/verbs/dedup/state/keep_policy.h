// Which of two documents is kept: a key for every document, the least being the best.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "refrain/dedup.h"

namespace refrain::verbs::dedup {

// Of documents that have nothing to be ranked by.
inline constexpr std::uint64_t kLastKey = ~std::uint64_t{0};

class KeepRanker {
 public:
  explicit KeepRanker(const KeepPolicy& policy);

  bool in_input_order() const { return rank_ == Rank::first; }
  bool needs_field() const { return rank_ == Rank::newest || rank_ == Rank::greatest || rank_ == Rank::least; }

  // `field` is the value of the policy's field, empty where there is none; `number`: it is written as one, so that it is
  // no date.
  std::uint64_t key(std::uint64_t text_bytes, const std::string& source, std::string_view field, bool number) const;

 private:
  Rank rank_;
  std::unordered_map<std::string, std::uint64_t> sources_;
};

}  // namespace refrain::verbs::dedup
