// Who is kept: each document, in order of rank, unless it matches one that is kept already.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/array.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

// Matches of several files, each ascending, as one.
class MatchMerge {
 public:
  explicit MatchMerge(const std::vector<std::filesystem::path>& files);
  // False at the end.
  bool next(RankMatch& match);

 private:
  struct Source {
    std::unique_ptr<run::ColumnReader<RankMatch>> reader;
    RankMatch next;
  };
  std::vector<Source> sources_;
};

// `kept`, by rank, is 1 for all who may be kept; those that match a kept one become 0. Calls removed(match) for each of
// them, with the best-ranked of the kept ones that it matches.
void decide_kept(MatchMerge& matches, Array<std::uint8_t>& kept,
                 const std::function<void(const RankMatch&)>& removed = {});

}  // namespace refrain::verbs::dedup
