// dedup, the main verb: decides which documents of a corpus to keep, says why, and writes a clean corpus.
//
// The kept set is well defined: documents are ranked by the keep policy, ties by input order, and each is kept unless
// a document that is already kept matches it: is similar to it, at or above the threshold, and covers it. B covers A if
// A has at most `max_loss` tokens in a row that B does not hold; B holds a token of A if some window of A that contains
// it is a window of B too. Two texts of up to 64 KiB must also be as similar as the threshold where symbols count, or a
// page about operator== would go for one about operator!=. So a match has a direction, nothing is removed through a
// chain, and every removed document names a kept one whose text it was compared with.
//
// With another set of texts (`against`, for example a test set), documents that contain an item of that set are removed
// first. Tokens are compared: line breaks, case and punctuation do not matter. A document contains an item of n tokens
//   whole    if some stretch of the document becomes the item by changing, inserting or deleting at most
//            n * (1 - against_share) tokens; for items of up to 4,096 tokens
//   in part  if `against_passage` consecutive tokens are the same in both
// Items of fewer than `against_min` tokens are not searched for: they would be found by chance.
//
// With libraries of what earlier runs kept (`known`, `library`) the kept set is that of one run over all: their documents
// rank before all others, and keep their places. The old texts are read where they lie, and only those that may match.
// Every run leaves a library of what it keeps, in its own directory, or adds that to `library`.
//
// It runs in stages, in a directory of its own. A finished stage is never repeated: an interrupted run continues where
// it stopped (`resume`) and gives the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/device.h"
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

// Which of two matching documents is kept: the better-ranked one.
enum class Rank {
  first,    // of the input
  longest,  // by bytes of text
  shortest,
  newest,    // by a field: an ISO 8601 date, or a number
  greatest,  // by a field that is a number
  least,
  source,  // by the order in which sources are named
};
struct KeepPolicy {
  Rank rank = Rank::first;
  std::string field = {};                 // for newest, greatest, least; documents without it rank last
  std::vector<std::string> sources = {};  // for source; all others rank last
};
// As the flag spells it: "longest", "newest:FIELD", "source:A,B". Error(invalid_argument) for anything else.
KeepPolicy parse_keep_policy(std::string_view text);
std::string to_string(const KeepPolicy& policy);

// What to do with a document that contains an item of the `against` set.
enum class AgainstAction {
  remove,
  mark,  // keep it, unless removed for another reason, and report it
};

// The decisions, written for other tools, one file per input file.
enum class Attributes {
  none,
  dolma,  // only JSONL with ids: one attribute file per document file, one line per document; docs/format.md
};

// What a run will need, estimated from the sizes of its files and their first records.
struct DedupEstimate {
  bool known = true;    // false: an input is standard input or a pipe, and only free disk space is known
  bool packed = false;  // some files are compressed; they are assumed to expand fourfold
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  // of the files
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t documents = 0;        // approximate
  std::uint64_t memory_bytes = 0;     // approximate; the limit if nothing is known
  std::uint64_t disk_bytes = 0;       // approximate peak in the output folder
  std::uint64_t disk_free_bytes = 0;  // on the disk of the output folder
  std::uint64_t temp_bytes = 0;       // approximate, in the folder for temporary files
  std::uint64_t temp_free_bytes = 0;
  bool one_disk = false;  // both folders are on the same disk

  bool disk_suffices() const {
    return disk_bytes + (one_disk ? temp_bytes : 0) <= disk_free_bytes && temp_bytes <= temp_free_bytes;
  }
};

inline constexpr double kDefaultThreshold = 0.8;
inline constexpr unsigned kDefaultLanes = 128;
inline constexpr std::uint32_t kDefaultMaxLoss = 16;
inline constexpr std::uint32_t kAnyLoss = ~std::uint32_t{0};

struct DedupOptions {
  // Of pages the content is compared; files are written unchanged.
  InputOptions input = {.html = HtmlPart::main};
  std::filesystem::path output = {};
  bool exact = true;
  NearMethod near = NearMethod::minhash;
  // Windows of tokens, the unit of similarity for either method.
  FingerprintOptions windows = {.window = 5};
  double threshold = kDefaultThreshold;  // minimum Jaccard similarity of the windows of two matching documents
  // Tokens in a row that a near-duplicate may have of its own, and still be removed.
  std::uint32_t max_loss = kDefaultMaxLoss;
  // Leave out what many otherwise different documents of one source share (navigation, legal notices) when documents are
  // compared. A document's source is `source_field`, else the host of its id if that is a URL, else its file; that of a
  // whole file is its folder.
  bool templates = true;
  double recall = 0.95;            // of pairs exactly at the threshold, before verification
  unsigned lanes = kDefaultLanes;  // of a MinHash signature
  unsigned distance = 3;           // simhash: maximum differing bits for the texts to be compared
  unsigned close = 63;             // simhash: with more differing bits, only texts of up to short_bytes match
  std::uint64_t short_bytes = 0;
  std::size_t substrings = 0;          // minimum bytes of a repeated range to be cut from kept documents; 0: off
  InputOptions against = {};           // no paths: off; pages are read as those of `input`
  std::uint64_t against_min = 8;       // tokens
  double against_share = 0.8;          // from 0.6 to 1
  std::uint64_t against_passage = 50;  // tokens, from 8 to 4,096
  AgainstAction against_action = AgainstAction::remove;
  // Runs, or libraries, whose kept documents rank before those of the input.
  std::vector<std::filesystem::path> known = {};
  // The same, and what this run keeps joins it, in one commit at the end. Made where there is none.
  std::filesystem::path library = {};
  // Where the text of a known document is gone or has changed: believe its digest, or the estimate of its signature.
  // Otherwise the new document is kept.
  bool trust_signatures = false;
  bool forget = false;  // leave no library
  KeepPolicy keep = {};
  std::string source_field = {};  // empty: a document's source is its file
  // In the next two, exact copies of known documents do not count as lost.
  double alarm = 0.5;                 // warn about sources that lose a larger share than this
  double max_removed_per_source = 1;  // refuse, before writing anything, if a source loses a larger share
  std::uint64_t sample = 2000;        // kept documents compared by brute force with all better-ranked ones
  bool apply = false;                 // also write the clean corpus
  bool read_back = false;             // with `apply`: read it back from disk and compare it with the decisions
  bool annotate = false;              // also write copies of the input with the decision added to each record
  Attributes attributes = Attributes::none;
  bool resume = false;
  bool force = false;  // write into an existing directory
  // Where signatures and fingerprints are computed; as NearOptions::device. A run may be resumed with another one.
  DeviceOptions device = {};
  // Called once, after all checks and before anything is read. May be empty.
  std::function<void(const DedupEstimate&)> estimated = {};
};

// Sets of options that replace the defaults; Error(invalid_argument) for an unknown name.
//   strict  threshold 0.7, and repeated ranges of 200 bytes are cut
//   report  SimHash of 6-word windows (MD5), up to 4 differing bits, or 3 for texts of more than 1,024 bytes; then
//           repeated ranges of 100 bytes
DedupOptions dedup_preset(std::string_view name);
std::vector<std::string_view> dedup_preset_names();

enum class Reason { none, exact, near, substring, against };
std::string_view reason_name(Reason reason);

// A source that lost many documents.
struct SourceLoss {
  std::string source;
  std::uint64_t documents = 0;
  std::uint64_t removed = 0;
};

// The self-check: `sampled` kept documents were compared by brute force with every better-ranked kept document.
struct SelfCheck {
  std::uint64_t sampled = 0;
  std::uint64_t missed = 0;    // of them: match a better-ranked kept document
  std::uint64_t removals = 0;  // removed documents that were compared with their match again
  std::uint64_t below = 0;     // of them: below the threshold, or lose more than was allowed
  double recall = 1;           // share of the documents to be removed that were removed
  double recall_low = 0;       // 95% confidence interval
  double recall_high = 1;
  double below_high = 1;  // upper 95% confidence bound of their share
};

// What near removals lose: tokens of the removed documents that their matches do not hold.
struct LossReport {
  std::uint64_t documents = 0;  // removed that lose some
  std::uint64_t tokens = 0;     // of all of them
  std::uint32_t longest = 0;    // in a row
  std::uint32_t median = 0;     // longest run of a near removal: half lose at most this many
  std::uint32_t high = 0;       // 99% lose at most this many
};

// What was left out when documents were compared.
struct TemplateReport {
  std::uint64_t sources = 0;    // that have templates
  std::uint64_t windows = 0;    // in them, of all sources
  std::uint64_t documents = 0;  // of which something is left out
  double share = 0;             // of the windows of all documents of those sources
};

// What was found in libraries of earlier runs.
struct KnownReport {
  std::uint64_t libraries = 0;   // that were looked into
  std::uint64_t documents = 0;   // in them
  std::uint64_t candidates = 0;  // of them: were compared, text against text
  std::uint64_t bytes_read = 0;  // of files, for their texts
  std::uint64_t gone = 0;        // candidates whose text is gone, or has changed
  std::uint64_t exact = 0;       // documents of the input that are copies of a known one
  std::uint64_t near = 0;        // that match a known one
  std::uint64_t unverified = 0;  // kept, or with trust_signatures removed, because the text of the known one is gone
  std::uint64_t added = 0;       // documents that joined the library
};

// What was found of the `against` set.
struct AgainstReport {
  ReadReport read;
  std::uint64_t items = 0;                   // readable
  std::uint64_t found = 0;                   // of them: in some document
  std::uint64_t too_short = 0;               // to be searched for
  std::vector<std::string> too_short_items;  // the ids of the first 20 of them
  // Items that share their words with very many others; edited copies of them may be missed.
  std::uint64_t common = 0;
  std::uint64_t documents = 0;  // that contain some item
};

struct DedupReport {
  ReadReport read;
  std::uint64_t kept = 0;
  std::uint64_t kept_bytes = 0;  // of text
  std::uint64_t removed_exact = 0;
  std::uint64_t removed_near = 0;
  std::uint64_t own_text = 0;  // similar to a kept document, and kept for text of their own
  LossReport loss;             // of what is removed as near
  TemplateReport templates;
  KnownReport known;  // the documents of the input among them are in removed_exact and removed_near too
  std::uint64_t removed_against = 0;
  AgainstReport against;
  std::uint64_t removed_substring = 0;  // with `substrings`: nothing was left of them
  std::uint64_t ranges = 0;             // byte ranges that kept documents repeat; rows of substring_bytes.tsv
  std::uint64_t repeated_bytes = 0;     // in them
  std::uint64_t cut_bytes = 0;          // cut, with the first copies kept
  std::uint64_t cut_documents = 0;      // kept documents that were cut
  std::uint64_t too_short = 0;          // to judge; kept unless they are exact copies
  std::uint64_t unranked = 0;           // without the field of the keep policy; they rank last
  std::string absent_sources;           // sources named by the keep policy that no document has
  std::uint64_t unsourced = 0;          // without the field of `source_field`; they count as one source
  std::uint64_t shared_ids = 0;         // documents with the id of an earlier one
  std::string shared_id;                // of the first of them
  std::uint64_t candidates = 0;         // candidate pairs
  std::uint64_t compared = 0;           // of them: texts compared
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
  std::vector<SourceLoss> alarms;    // worst first
  std::uint64_t written_bytes = 0;   // with `apply`
  std::uint64_t read_back = 0;       // documents read back and compared
  std::vector<std::string> resumed;  // stages finished by an earlier run
  DedupEstimate estimate;
  std::uint64_t temp_peak_bytes = 0;
  std::vector<StageCost> stages;
  DeviceReport device;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
};

// Lists all folders and looks into a few files. Error if memory is too small or the folder for temporary files does not
// exist; unreadable inputs are ignored.
DedupEstimate dedup_estimate(const DedupOptions& options, const Context& context);

DedupReport dedup(const DedupOptions& options, const Context& context);

}  // namespace refrain
