// dedup: the main job. A corpus in; which documents to keep, and why each other one is not; a clean corpus out.
//
// The kept set has one right answer: documents are ranked by the keep policy, ties by input order, and each is kept
// unless it matches, at or above the threshold, one that is kept already. So nothing is removed through a chain, and
// every document that is removed names a kept one that it was compared with, text against text.
//
// Held against another set of texts (`against`: a test set, say), documents that hold an item of that set go first. What
// counts are tokens, so line breaks, case and punctuation do not matter. An item of n tokens *stands* in a document
//   whole    where some stretch of the document becomes the item by changing, inserting or taking out at most
//            n * (1 - against_share) tokens; for items of up to 4,096 tokens
//   in part  where `against_passage` tokens in a row are the same in both
// Items of fewer than `against_min` tokens are not looked for: so few return by chance.
//
// It runs in stages, in a directory of its own. A stage that has ended is never done again: a run that was interrupted
// goes on where it was (`resume`), and gives the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "refrain/stage_cost.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

enum class NearMethod { minhash, simhash, off };
struct NearMethodInfo {
  std::string_view name;
  double threshold;            // where none is asked for
  bool uses_distance = false;  // or else DedupOptions::distance means nothing
};
const NearMethodInfo& near_method_info(NearMethod method);
// In the order of NearMethod.
std::vector<std::string_view> near_method_names();

// Which of two documents that match is kept: the better-ranked one.
enum class Rank {
  first,    // of the input
  longest,  // by bytes of text
  shortest,
  newest,    // by a field: a date as in ISO 8601, or a number
  greatest,  // by a field that is a number
  least,
  source,  // by the order in which sources are named
};
struct KeepPolicy {
  Rank rank = Rank::first;
  std::string field = {};                 // newest, greatest, least; a document without it ranks last
  std::vector<std::string> sources = {};  // source; those that are not named rank last
};
// "longest", "newest:FIELD", "source:A,B": as the flag spells it. Error(invalid_argument) for what is none.
KeepPolicy parse_keep_policy(std::string_view text);
std::string to_string(const KeepPolicy& policy);

// What becomes of a document in which an item of the other set stands.
enum class AgainstAction {
  remove,
  mark,  // it is kept, if nothing else speaks against it, and told
};

// What was decided, written for other tools, beside the files of the input.
enum class Attributes {
  none,
  dolma,  // JSONL with ids alone: a file of attributes a file of documents, with a line a document; docs/format.md
};

// What a run will take, as far as that can be told from the sizes of its files and their first records.
struct DedupEstimate {
  bool known = true;    // false: an input is standard input or a pipe. Of disk only what is free is told then
  bool packed = false;  // some files are compressed: they are taken to hold four times their size
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  // of the files
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t documents = 0;        // about
  std::uint64_t memory_bytes = 0;     // about; where nothing is known, what it may take
  std::uint64_t disk_bytes = 0;       // about, in the output folder, all that it holds at a time
  std::uint64_t disk_free_bytes = 0;  // of what the output folder lies on
  std::uint64_t temp_bytes = 0;       // about, in the folder for temporary files
  std::uint64_t temp_free_bytes = 0;
  bool one_disk = false;  // both folders lie on the same

  bool disk_suffices() const {
    return disk_bytes + (one_disk ? temp_bytes : 0) <= disk_free_bytes && temp_bytes <= temp_free_bytes;
  }
};

inline constexpr double kDefaultThreshold = 0.8;
inline constexpr unsigned kDefaultLanes = 128;

struct DedupOptions {
  InputOptions input = {};
  std::filesystem::path output = {};
  bool exact = true;
  NearMethod near = NearMethod::minhash;
  // Windows of tokens: what similarity is counted in, by either method.
  FingerprintOptions windows = {.window = 5};
  double threshold = kDefaultThreshold;  // the Jaccard similarity of their windows from which two documents match
  double recall = 0.95;                  // with which documents just as similar as that meet
  unsigned lanes = kDefaultLanes;        // of a MinHash signature
  unsigned distance = 3;                 // simhash: the most bits that may differ before the texts are compared
  unsigned close = 63;                   // simhash: with more, only texts of short_bytes at most match
  std::uint64_t short_bytes = 0;
  std::size_t substrings = 0;          // bytes from which on a repeated range is cut out of what is kept; 0: off
  InputOptions against = {};           // no paths: there is no other set
  std::uint64_t against_min = 8;       // tokens
  double against_share = 0.8;          // from 0.6 to 1
  std::uint64_t against_passage = 50;  // tokens, from 8 to 4,096
  AgainstAction against_action = AgainstAction::remove;
  KeepPolicy keep = {};
  std::string source_field = {};      // empty: a document's source is its file
  double alarm = 0.5;                 // warn of a source that loses a larger share than this
  double max_removed_per_source = 1;  // refuse where one loses a larger share than this, before anything is written
  std::uint64_t sample = 2000;  // kept documents that are held against all that rank better at the end, by brute force
  bool apply = false;           // also write the clean corpus
  bool read_back = false;       // with `apply`: read it again from the disk, and compare it with the decisions
  bool annotate = false;        // also write copies of the input with what was decided added to each record
  Attributes attributes = Attributes::none;
  bool resume = false;
  bool force = false;  // an existing directory is written into
  // Told once, when all that can be checked has been, and before anything is read. May be empty.
  std::function<void(const DedupEstimate&)> estimated = {};
};

// Options that go together, over defaults; Error(invalid_argument) for a name that is none.
//   strict  similar from 0.7 on, and repeated ranges of 200 bytes are cut out
//   report  SimHash of windows of 6 words (MD5), up to 4 bits apart; texts of more than 1,024 bytes up to 3; then
//           repeated ranges of 100 bytes
DedupOptions dedup_preset(std::string_view name);
std::vector<std::string_view> dedup_preset_names();

enum class Reason { none, exact, near, substring, against };
std::string_view reason_name(Reason reason);

// A source that lost much.
struct SourceLoss {
  std::string source;
  std::uint64_t documents = 0;
  std::uint64_t removed = 0;
};

// What the run found out about itself: `sampled` kept documents were compared with every other document by brute force.
struct SelfCheck {
  std::uint64_t sampled = 0;
  std::uint64_t missed = 0;    // of them match a better-ranked kept one
  std::uint64_t removals = 0;  // removed documents that were compared with their match anew
  std::uint64_t wrongful = 0;  // of them do not match it
  double recall = 1;           // of removals: removed, of those that should have been
  double recall_low = 0;       // 95 %, both
  double recall_high = 1;
  double wrongful_high = 1;  // 95 %: at most this share is wrongful
};

// What was found of the other set.
struct AgainstReport {
  ReadReport read;
  std::uint64_t items = 0;                   // that could be read
  std::uint64_t found = 0;                   // of them stand in some document
  std::uint64_t too_short = 0;               // to be looked for
  std::vector<std::string> too_short_items;  // the ids of the first 20 of them
  // Items that share their words with very many others: where they were changed they may be missed.
  std::uint64_t common = 0;
  std::uint64_t documents = 0;  // in which some item stands
};

struct DedupReport {
  ReadReport read;
  std::uint64_t kept = 0;
  std::uint64_t kept_bytes = 0;  // of text
  std::uint64_t removed_exact = 0;
  std::uint64_t removed_near = 0;
  std::uint64_t removed_against = 0;
  AgainstReport against;
  std::uint64_t removed_substring = 0;  // with `substrings`: nothing is left of them
  std::uint64_t ranges = 0;             // of bytes that kept documents repeat; rows of substring_bytes.tsv
  std::uint64_t repeated_bytes = 0;     // in them
  std::uint64_t cut_bytes = 0;          // what goes where a first copy stays
  std::uint64_t cut_documents = 0;      // that are kept without some of it
  std::uint64_t too_short = 0;          // to be judged by their windows; kept, unless they are exact copies
  std::uint64_t unranked = 0;           // without what the keep policy ranks by; they rank last
  std::string absent_sources;           // of those that the keep policy names: no document is of them
  std::uint64_t unsourced = 0;          // without the field of `source_field`; they are one source
  std::uint64_t shared_ids = 0;         // documents with the id of an earlier one
  std::string shared_id;                // of the first of them
  std::uint64_t candidates = 0;         // pairs that met
  std::uint64_t compared = 0;           // of them: text against text
  std::uint64_t matches = 0;            // of them: at or above the threshold; rows of matches.tsv
  std::uint64_t rounds = 0;
  std::uint64_t clusters = 0;  // of two documents or more
  std::uint64_t clustered = 0;
  std::uint64_t largest_cluster = 0;
  std::string largest_representative;
  unsigned bands = 0;
  unsigned rows = 0;
  SelfCheck check;
  std::uint64_t sources = 0;
  std::vector<SourceLoss> alarms;    // the worst first
  std::uint64_t written_bytes = 0;   // with `apply`
  std::uint64_t read_back = 0;       // documents that were read again and compared
  std::vector<std::string> resumed;  // stages that an earlier run had ended
  DedupEstimate estimate;
  std::uint64_t temp_peak_bytes = 0;
  std::vector<StageCost> stages;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
};

// Lists all folders, and looks into a few files. Error where the memory is too little or the folder for temporary files
// is not there; an input that cannot be read counts for nothing.
DedupEstimate dedup_estimate(const DedupOptions& options, const Context& context);

DedupReport dedup(const DedupOptions& options, const Context& context);

}  // namespace refrain
