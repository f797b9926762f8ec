// What a dedup run did with one document, and why.
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
  std::filesystem::path run;  // the directory of a finished run
  std::string id;
};

// A row of decisions.jsonl.
struct DecidedDocument {
  std::string id;
  bool keep = true;
  std::string reason;  // empty if it is kept and similar to no other
  std::string match;   // the one that it was removed for; of what is kept for its own text: the one that lacks it
  double similarity = 0;
  std::vector<ByteRange> spans;  // what is cut from its text, or where it contains an item of the `against` set
  std::optional<std::uint64_t> cluster;
  std::string known = {};          // the run or library that holds `match`; empty: it is a document of this run
  std::string known_digest = {};   // of its text, in hexadecimal
  bool verified = true;            // or else the text of `match` was gone, and its signature was believed
  std::string unverified = {};     // kept, because the text of this known document was gone
  std::string marked = {};         // the `against` item it contains, if such documents are only marked
  std::uint64_t lost = 0;          // tokens that `match` does not hold; of near removals and what has own text
  std::uint64_t longest_lost = 0;  // of them, in a row
  double as_written = 1;           // similarity where symbols count, if that is why it was kept
};

struct StoryReport {
  DecidedDocument document;
  std::uint64_t same_id = 0;  // other documents with this id; the first is reported

  std::uint64_t cluster_size = 0;  // 0: not in a cluster
  std::uint64_t cluster_kept = 0;
  std::vector<DecidedDocument> members;  // the first kMaxMembers of its cluster, in input order
  // For a kept document: those removed because of it.
  std::uint64_t removed_for_it = 0;
  std::optional<DecidedDocument> least_similar;  // of them

  double threshold = 0;
  unsigned window = 0;

  // The document (a) and the one it was removed for or, if kept, the least similar one removed for it (b). None if
  // there is nothing to compare it with, or the texts are not available.
  std::optional<ExplainReport> texts;
  // The document with its spans marked, if it has any, and the `against` item found there, if it was removed for
  // one.
  std::optional<ExplainedDocument> spanned;
  std::optional<ExplainedDocument> item;
  std::vector<std::string> problems;  // why texts are not available: an input is missing or has changed

  static constexpr std::size_t kMaxMembers = 10;
};

// Reads the run's files, and its inputs for the texts. A text that has changed since is not shown. Throws Error:
// not_found if the directory contains no finished run, or no document has this id; corrupt if the run's files are
// damaged.
StoryReport tell_story(const StoryOptions& options, const Context& context);

}  // namespace refrain
