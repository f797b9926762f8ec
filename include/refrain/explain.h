// explain: shows why two documents match, or why they do not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/dedup.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "refrain/near.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

struct ExplainOptions {
  std::string a = {};  // a file; or, if `input` names any input, the id of a document in it
  std::string b = {};
  InputOptions input = {};
  FingerprintOptions fingerprint = {};             // of `near`
  unsigned distance = kNearDistance;               // as in NearOptions
  unsigned verified_distance = kVerifiedDistance;  // the same with `verify`
  // The tokens in a window of `dedup`, which has its other options from `fingerprint`.
  unsigned dedup_window = DocumentMatchOptions{}.windows.window;
  double threshold = kDefaultThreshold;  // of `dedup`, and of `near` with `verify`
  std::uint32_t max_loss = kAutoLoss;    // as in DocumentMatchOptions
};

// One of the two documents.
struct ExplainedDocument {
  std::string id;
  std::string text;
  std::uint64_t tokens = 0;
  std::uint64_t windows = 0;                 // distinct windows
  std::optional<std::uint64_t> fingerprint;  // empty if the document is too short
  std::vector<ByteRange> shared;             // ranges of windows that the other document also has; sorted, disjoint
};

// Options that would change the decision on two documents, each by itself. Empty if none would.
struct ChangingOptions {
  std::optional<double> threshold = {};
  std::optional<std::uint32_t> max_loss = {};  // kAnyLoss: any
};

// The decision of dedup on one of two similar documents if the other one is kept.
struct ExplainedRemoval {
  bool removed = false;
  std::uint64_t lost = 0;  // as in DecidedDocument
  std::uint64_t longest_lost = 0;
  std::uint64_t lost_attachments = 0;
  double as_written = 1;
  std::string differs_in = {};
  ChangingOptions change = {};
};

// The verdict of dedup on two documents, if no template is left out.
struct ExplainedMatch {
  unsigned window = 0;
  double threshold = 0;
  std::optional<double> similarity = {};  // empty if a document is too short
  bool same_text = false;                 // byte for byte
  ChangingOptions change = {};            // what would make them similar, if they are not
  // If they are similar.
  ExplainedRemoval b_for_a = {};
  ExplainedRemoval a_for_b = {};

  bool is_match() const { return same_text || (similarity && *similarity >= threshold); }
};

struct ExplainReport {
  ExplainedDocument a;
  ExplainedDocument b;
  std::optional<unsigned> difference;  // differing bits; empty if either document is too short
  std::uint64_t shared_windows = 0;    // distinct windows in both
  double similarity = 0;               // Jaccard similarity of the window sets; compares tokens, not only their hashes
  // The verdicts of the verbs, if two documents were to be explained.
  bool near = false;           // the fingerprints differ in at most `distance` bits
  bool near_verified = false;  // at most `verified_distance`, and the similarity is at least the threshold
  ExplainedMatch dedup;
};

ExplainReport explain(const ExplainOptions& options, const Context& context);

// Explains what a dedup run decided about one document, and why.

struct StoryOptions {
  std::filesystem::path run;  // the directory of a finished run
  std::string id;
};

// A row of decisions.jsonl. `lost`, `longest_lost`, `lost_attachments` and `as_written` compare the document with
// `match`.
struct DecidedDocument {
  std::string id;
  bool keep = true;
  std::string reason;  // empty if it is kept and similar to no other document
  std::string match;   // the document because of which it was removed, or, if kept for its own text, the one that
                       // lacks it
  double similarity = 0;
  std::vector<ByteRange> spans;  // ranges cut from its text, or where it contains an item of the `against` set
  std::optional<std::uint64_t> cluster;
  std::string known = {};          // the run or library that holds `match`; empty: `match` is in this run
  std::string known_digest = {};   // the digest of the text of `match`, in hexadecimal
  bool verified = true;            // false: the text of `match` was gone, and its signature was trusted
  std::string unverified = {};     // a known document whose text was gone, for which this one was therefore not removed
  std::string marked = {};         // the `against` item that it contains, if such documents are only marked
  std::uint64_t lost = 0;          // tokens that `match` does not hold; for near removals, and documents kept for
                                   // their own text
  std::uint64_t longest_lost = 0;  // the longest run of such tokens
  // Attachments of this message that `match` does not have. If there are any, the message is kept.
  std::uint64_t lost_attachments = 0;
  double as_written = 1;         // the similarity with symbols counted, if it was kept for that reason
  std::string differs_in = {};   // for near removals: "number, negation, symbol", or those that differ
  std::string override_op = {};  // what a person decided about it (overrides.h); empty: nothing
  std::uint64_t override_seq = 0;
  std::string override_by = {};
};

// A header that differs between two messages. A value is empty if the message does not have the header.
struct DifferingHeader {
  std::string name;
  std::string a;
  std::string b;
};

struct StoryReport {
  DecidedDocument document;
  // Options that would change the decision on the document and its match. Another match may still remove the document.
  ChangingOptions change;
  std::uint64_t same_id = 0;  // further documents with this id; this report is about the first

  std::uint64_t cluster_size = 0;  // 0: it is in no cluster
  std::uint64_t cluster_kept = 0;
  std::vector<DecidedDocument> members;  // the first kMaxMembers documents of its cluster, in input order
  // For a kept document: the number of documents that were removed because of it.
  std::uint64_t removed_for_it = 0;
  std::optional<DecidedDocument> least_similar;  // of these, the one least similar to it

  double threshold = 0;
  unsigned window = 0;

  // A comparison of the document (a) with the one because of which it was removed or, if it is kept, with the least
  // similar document that was removed because of it (b). Empty if there is nothing to compare it with, or if the
  // texts are not available.
  std::optional<ExplainReport> texts;
  // Whether these are messages whose headers were not compared (InputOptions::compare), and which of From, To, Cc and
  // Date differ. The headers of a message in a library are not known.
  bool mail = false;
  std::vector<DifferingHeader> headers;
  // The document with its spans marked, if it has any; and the `against` item found there, if it was removed because
  // of one.
  std::optional<ExplainedDocument> spanned;
  std::optional<ExplainedDocument> item;
  std::vector<std::string> problems;  // why texts are not available: an input is missing or has changed

  static constexpr std::size_t kMaxMembers = 10;
};

// Reads the run's files, and its inputs for the texts. A text that has changed since the run is not shown. Throws
// Error: not_found if the directory contains no finished run, or if no document has this id; corrupt if the run's
// files are damaged.
StoryReport tell_story(const StoryOptions& options, const Context& context);

}  // namespace refrain
