// The story of one document of a dedup run: what became of it, and why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/dedup.h"
#include "refrain/explain.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

struct StoryOptions {
  std::filesystem::path run;  // the directory of a run that has ended
  std::string id;
};

// A row of decisions.jsonl.
struct DecidedDocument {
  std::string id;
  bool keep = true;
  std::string reason;  // empty where it is kept
  std::string match;   // empty where it is kept, or goes for no single other
  double similarity = 0;
  std::vector<ByteRange> spans;  // what goes of its text; or where an item of the other set stands in it
  std::optional<std::uint64_t> cluster;
  std::string marked = {};  // the item of the other set that stands in it, where such documents are only marked
};

struct StoryReport {
  DecidedDocument document;
  std::uint64_t same_id = 0;  // further documents that have this id; the first is told of

  std::uint64_t cluster_size = 0;  // 0: it is in none
  std::uint64_t cluster_kept = 0;
  std::vector<DecidedDocument> members;  // the first kMaxMembers of its cluster, in input order
  // Of a kept document: those that were removed because of it.
  std::uint64_t removed_for_it = 0;
  std::optional<DecidedDocument> least_similar;  // of them

  double threshold = 0;
  unsigned window = 0;

  // The document (a) beside what it was removed for, or, where it is kept, beside the least similar one that was
  // removed for it (b). None where there is nothing to compare it with, or the texts are not to be had.
  std::optional<ExplainReport> texts;
  // The document with its spans marked, where it has any, and the item that stands there, of a document that was
  // removed for one.
  std::optional<ExplainedDocument> spanned;
  std::optional<ExplainedDocument> item;
  std::vector<std::string> problems;  // why there are no texts: an input is gone, or has changed since

  static constexpr std::size_t kMaxMembers = 10;
};

// Reads the run's files, and the inputs that it names, for the texts. What has changed since is not shown: a text must
// be the one that the run saw. Throws Error: not_found where the directory holds no run that has ended, or no document
// has this id; corrupt where the run's files are damaged.
StoryReport tell_story(const StoryOptions& options, const Context& context);

}  // namespace refrain
