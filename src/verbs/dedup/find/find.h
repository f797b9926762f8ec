// The stages that decide: they read the input, find the matches, decide who is kept, and check the result.
//
// Each stage reads what earlier stages left in the folder of the run, and leaves its own files there (state/run.h).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/array.h"
#include "verbs/dedup/state/facts.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

inline constexpr const char* kReadStage = "read";
void dedup_read(DedupRun& run);
void dedup_overrides(DedupRun& run);
void dedup_exact(DedupRun& run);
void dedup_templates(DedupRun& run);
void dedup_known(DedupRun& run);
void dedup_candidates(DedupRun& run);  // the stage "near"
void dedup_verify(DedupRun& run);
void dedup_cluster(DedupRun& run);
void dedup_decide(DedupRun& run);
void dedup_check(DedupRun& run);
void dedup_substrings(DedupRun& run);

// Marks the documents, by rank, that are compared at all: the first of each text, and those that people told apart from
// it, if they can be judged and are not removed anyway.
void mark_nodes(DedupRun& run, const Ranks& ranks, Array<std::uint8_t>& alive);

// Writes all columns of the near method again, without the windows that are left out. The values of documents that lose
// no windows are copied. Adds to `report` the number of documents that lose some, and sets the share of windows that
// are left out.
void recompute_sketches(DedupRun& run, TemplateReport& report);

// At the end of the first stage, counts the documents that share the id of an earlier one.
void count_shared_ids(DedupRun& run);

// Decides who is kept: documents are taken in order of rank, and each is kept unless a document that is already
// kept is similar to it and covers it.

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

// `kept`, indexed by rank, is 1 for every document that may be kept; this sets it to 0 for those that a kept document
// covers, unless a person keeps them (state/overrides.h). Of the others, calls seen(match) whenever a document that is
// still kept is similar to a kept one, in order of rank. For a removed document, the last call is the match that
// covers it.
void decide_kept(DedupRun& run, const Ranks& ranks, MatchMerge& matches, Array<std::uint8_t>& kept,
                 const std::function<void(const RankMatch&)>& seen = {});

}  // namespace refrain::verbs::dedup
