// Decides who is kept: documents are taken in order of rank, and each is kept unless a document that is already
// kept is similar to it and covers it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/array.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

// Merges the matches of several files, each in ascending order, into one sequence.
class MatchMerge {
 public:
  explicit MatchMerge(const std::vector<std::filesystem::path>& files);
  // Returns false at the end.
  bool next(RankMatch& match);

 private:
  struct Source {
    std::unique_ptr<run::ColumnReader<RankMatch>> reader;
    RankMatch next;
  };
  std::vector<Source> sources_;
};

// `kept`, indexed by rank, is 1 for every document that may be kept; this sets it to 0 for those that a kept
// document covers. Calls seen(match) whenever a document that is still kept is similar to a kept one, in order of
// rank. For a removed document, the last call is the match that covers it.
void decide_kept(const DedupRun& run, MatchMerge& matches, Array<std::uint8_t>& kept,
                 const std::function<void(const RankMatch&)>& seen = {});

}  // namespace refrain::verbs::dedup
