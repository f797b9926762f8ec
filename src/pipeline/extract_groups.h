// Matches become passages: those that agree with about the same stretch of one document are places of one passage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/temp_space.h"
#include "pipeline/extract_plan.h"
#include "refrain/index.h"

namespace refrain {

// Texts that nobody wants to be told about. Threads may share one, once it is made.
class ExcludedTexts {
 public:
  ExcludedTexts(const std::vector<std::string>& texts, const IndexLayout& layout, MemoryBudget& budget);
  bool empty() const { return windows_.empty(); }
  // Whether nearly all (nine in ten) windows of these tokens occur in the texts.
  bool hold(std::span<const std::uint32_t> tokens) const;

 private:
  std::vector<std::uint64_t> windows_of(std::span<const std::uint32_t> tokens) const;
  unsigned window_;
  Array<std::uint64_t> windows_;  // sorted
};

struct GroupRules {
  std::uint64_t min_documents;
  const ExcludedTexts& excluded;
};

// Takes the matches away. The places of a passage go to `places`, in the order of their documents; the passages come back
// as they are to be shown.
Array<FoundPassage> group_matches(MatchShuffle& matches, const TokenTable& table, const TextStore& tokens,
                                  const GroupRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                                  const Context& context, TempFile& places);

}  // namespace refrain
