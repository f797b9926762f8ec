// Who is kept: each document, in order of rank, unless one that is kept already is similar to it and covers it.
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

// `kept`, by rank, is 1 for all who may be kept; those that a kept one covers become 0. Calls seen(match) where a
// document that is kept so far is similar to a kept one, by their ranks; the last call for a removed document is the match
// that covers it.
void decide_kept(const DedupRun& run, MatchMerge& matches, Array<std::uint8_t>& kept,
                 const std::function<void(const RankMatch&)>& seen = {});

}  // namespace refrain::verbs::dedup
