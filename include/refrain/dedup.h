// dedup, the main verb: decides which documents of a corpus to keep, says why, and writes a clean corpus.
//
// The kept set is well defined: documents are ranked by the keep policy, and in input order if they tie. Each one is
// kept unless a document that is already kept matches it: that document is similar to it, at or above the threshold,
// and covers it. B covers A if what B does not hold of A weighs little (kAutoLoss), or is at most `max_loss` tokens in
// a row; B holds a token of A if some window of A that contains it is also a window of B. In addition, two texts of up
// to 64 KiB must be as similar as the threshold with symbols counted, so that a page about operator== is not removed
// because of one about operator!=. And every attachment of A must be one of B, whatever `max_loss` is: when messages
// are read, their text names each attachment in a line of its own. So a match has a direction, nothing is removed
// through a chain of matches, and every removed document names a kept one whose text it was compared with.
//
// With another set of texts (`against`, for example a test set), documents that contain an item of that set are
// removed first. Tokens are compared: line breaks, case and punctuation do not matter. A document contains an item of
// n tokens
//   whole    if some stretch of the document becomes the item by changing, inserting or deleting at most
//            n * (1 - against_share) tokens; for items of up to 4,096 tokens
//   in part  if `against_passage` consecutive tokens are the same in both
// Items of fewer than `against_min` tokens are skipped, because they occur by chance.
//
// With libraries of the documents that earlier runs kept (`known`, `library`), the kept set is that of a single run
// over everything: known documents rank before all others, and stay kept. Their texts are read from where they are
// stored, and only those that may match. Every run creates a library of the documents that it keeps, in its own
// directory, or adds them to `library`.
//
// With `overrides`, people have decided about some documents (overrides.h). Documents that they removed are out before
// anything is compared. Of the others, those that they made survivors rank before all others. Each document is then
// kept if a person kept it or made it a survivor, or unless a kept one matches it, where a pair that a person separated
// does not match. Only two things come before a person: a copy of a text that a library holds is removed, because the
// text is kept already; and a survivor that contains an item of the `against` set is, because that is about matches.
//
// A run works in stages, in a directory of its own. A finished stage is never repeated: an interrupted run continues
// where it stopped (`resume`) and produces the same bytes.
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
#include "refrain/tables.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

enum class NearMethod { minhash, simhash, off };
struct NearMethodInfo {
  std::string_view name;
  double threshold;            // used if none is given
  bool uses_distance = false;  // false: DedupOptions::distance has no effect
};
const NearMethodInfo& near_method_info(NearMethod method);
// The names of the methods, in the order of NearMethod.
std::vector<std::string_view> near_method_names();

// Decides which of two matching documents is kept: the better-ranked one. Each enumerator names what ranks best.
enum class Rank {
  first,    // the first in the input
  longest,  // by bytes of text
  shortest,
  newest,    // by a field with an ISO 8601 date or a number
  greatest,  // by a field with a number
  least,
  source,  // by source, in the order in which KeepPolicy names them
};
struct KeepPolicy {
  Rank rank = Rank::first;
  std::string field = {};                 // for newest, greatest and least; documents without it rank last
  std::vector<std::string> sources = {};  // for source; all other sources rank last
};
// Parses a policy as the option `keep` spells it: "longest", "newest:FIELD", "source:A,B". Throws
// Error(invalid_argument) for anything else.
KeepPolicy parse_keep_policy(std::string_view text);
std::string to_string(const KeepPolicy& policy);

// The treatment of documents that contain an item of the `against` set.
enum class AgainstAction {
  remove,
  mark,  // keep the document, unless it is removed for another reason, and report it
};

// The format in which decisions are also written for other tools, with one file per input file.
enum class Attributes {
  none,
  dolma,  // JSONL with ids only: an attribute file per document file, with a line per document; docs/format.md
};

// The needs of a run, estimated from the sizes of its files and their first records.
struct DedupEstimate {
  bool known = true;    // false: some input is standard input or a pipe, and only the free disk space is known
  bool packed = false;  // some files are compressed; they are assumed to expand fourfold
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  // of the files, as stored
  std::uint64_t unpacked_bytes = 0;
  std::uint64_t documents = 0;        // approximate
  std::uint64_t memory_bytes = 0;     // approximate; the memory limit if nothing is known
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
// What max_loss may be besides a number.
inline constexpr std::uint32_t kAnyLoss = ~std::uint32_t{0};
inline constexpr std::uint32_t kAutoLoss = kAnyLoss - 1;  // weighs what is lost, and how long the document is

// When one document makes another redundant.
struct DocumentMatchOptions {
  // Windows of tokens: similarity is computed over sets of them, with either method.
  FingerprintOptions windows = {.window = 5};
  double threshold = kDefaultThreshold;  // minimum Jaccard similarity of the windows of two matching documents
  double recall = 0.95;                  // the share of pairs exactly at the threshold that become candidates
  unsigned lanes = kDefaultLanes;        // in a MinHash signature
  // The most tokens in a row that a near-duplicate may have of its own and still be removed, kAutoLoss or kAnyLoss.
  std::uint32_t max_loss = kAutoLoss;
};

struct DedupOptions {
  // For HTML pages, the main content is compared; files are written unchanged.
  InputOptions input = {.html = HtmlPart::main};
  std::filesystem::path output = {};
  bool exact = true;
  NearMethod near = NearMethod::minhash;
  // These decide which documents match, as in DocumentMatchOptions.
  FingerprintOptions windows = DocumentMatchOptions{}.windows;
  double threshold = kDefaultThreshold;
  double recall = DocumentMatchOptions{}.recall;
  unsigned lanes = kDefaultLanes;
  std::uint32_t max_loss = kAutoLoss;
  DocumentMatchOptions match() const { return {windows, threshold, recall, lanes, max_loss}; }
  // When documents are compared, leave out text that many otherwise different documents of one source share
  // (navigation, legal notices). Here, a document's source is `source_field`, else the host of its id if that is a
  // URL, else its file; that of a whole file is its folder.
  bool templates = true;
  unsigned distance = 3;  // simhash: maximum number of differing bits for the texts to be compared
  unsigned close = 63;    // simhash: with more differing bits than this, only texts of up to short_bytes match
  std::uint64_t short_bytes = 0;
  std::size_t substrings = 0;          // minimum bytes of repeated ranges to cut from kept documents; 0: off
  InputOptions against = {};           // no paths: off; HTML pages are read in the same way as in `input`
  std::uint64_t against_min = 8;       // in tokens
  double against_share = 0.8;          // from 0.6 to 1
  std::uint64_t against_passage = 50;  // tokens, from 8 to 4,096
  AgainstAction against_action = AgainstAction::remove;
  // Directories of runs, or libraries: the documents that they kept rank before those of the input.
  std::vector<std::filesystem::path> known = {};
  // A library that is used in the same way. The documents that this run keeps are added to it, in one commit at the
  // end. It is created if it does not exist.
  std::filesystem::path library = {};
  // If the text of a known document is gone or has changed: trust its digest, or the estimate of its signature.
  // Otherwise the new document is kept.
  bool trust_signatures = false;
  bool forget = false;  // do not leave a library
  KeepPolicy keep = {};
  std::filesystem::path overrides = {};  // a file of decisions by people; empty: none
  std::string source_field = {};  // the field with a document's source; empty: its file, or the folder of a whole file
  // For the next two options, exact copies of known documents do not count as lost.
  double alarm = 0.5;                 // warn about sources of ten or more documents that lose a larger share than this
  double max_removed_per_source = 1;  // fail, before writing anything, if a source loses a larger share
  std::uint64_t sample = 2000;        // number of kept documents to compare by brute force with all better-ranked ones
  bool apply = false;                 // also write the clean corpus
  bool read_back = false;             // with `apply`: read it from disk again and compare it with the decisions
  bool annotate = false;              // also write copies of the input with the decision added to each record
  Attributes attributes = Attributes::none;
  Tables tables = Tables::tsv;  // of decisions, matches and clusters; a run may be resumed with another one
  bool resume = false;
  bool force = false;  // write into an existing directory
  // The device that computes signatures and fingerprints, as in NearOptions. A run may be resumed with another one.
  DeviceOptions device = {};
  // Called once, after all checks and before anything is read. May be empty.
  std::function<void(const DedupEstimate&)> estimated = {};
};

// Returns options that replace the defaults. Throws Error(invalid_argument) for an unknown name.
//   strict  threshold 0.7, and repeated ranges of 200 bytes are cut
//   report  SimHash of 6-word windows (MD5), up to 4 differing bits, or 3 for texts of more than 1,024 bytes; then
//           repeated ranges of 100 bytes are cut
DedupOptions dedup_preset(std::string_view name);
std::vector<std::string_view> dedup_preset_names();

enum class Reason { none, exact, near, substring, against, overridden };
std::string_view reason_name(Reason reason);

// A source that lost many documents.
struct SourceLoss {
  std::string source;
  std::uint64_t documents = 0;
  std::uint64_t removed = 0;
};

// The self-check: `sampled` kept documents were compared by brute force with every better-ranked kept document, and
// some removed documents were compared with their match again.
struct SelfCheck {
  std::uint64_t sampled = 0;
  std::uint64_t missed = 0;    // of these: match a better-ranked kept document
  std::uint64_t removals = 0;  // removed documents that were compared again
  std::uint64_t below = 0;     // of these: below the threshold, or lose more than was allowed
  double recall = 1;           // estimated share of the documents that should be removed that were removed
  double recall_low = 0;       // 95% confidence interval
  double recall_high = 1;
  double below_high = 1;  // upper 95% confidence bound of the share of `below` in `removals`
};

// The tokens that are lost with removed near-duplicates, because their matches do not hold them.
struct LossReport {
  std::uint64_t documents = 0;  // removed documents that lose any tokens
  std::uint64_t tokens = 0;     // lost tokens of all of them
  std::uint32_t longest = 0;    // longest run of lost tokens
  std::uint32_t median = 0;     // longest runs: half of the removed documents lose at most this many tokens in a row
  std::uint32_t high = 0;       // and 99% of them at most this many
  // Removed documents that differ from their match in numbers, negations or symbols, and in each of these. Only texts
  // of up to 64 KiB are compared in this way, and only with tokenizers of words.
  std::uint64_t in_details = 0;
  std::uint64_t in_numbers = 0;
  std::uint64_t in_negations = 0;
  std::uint64_t in_symbols = 0;
};

// Why documents stay although a kept document, their match, is similar to them. Each is counted once.
struct OwnTextReport {
  std::uint64_t attachments = 0;  // their match lacks attachments of them
  std::uint64_t symbols = 0;      // of the others: they are less similar than the threshold where symbols count
  std::uint64_t loss = 0;         // of the others: only the loss of text keeps them
  // With a `max_loss` of this many tokens, half of those that only the loss keeps could be removed; and all of them.
  std::uint32_t loss_median = 0;
  std::uint32_t loss_longest = 0;
};

// The templates that were left out when documents were compared.
struct TemplateReport {
  std::uint64_t sources = 0;    // sources that have templates
  std::uint64_t windows = 0;    // in the templates of all sources
  std::uint64_t documents = 0;  // documents of which something is left out
  double share = 0;             // share of the windows of all documents of those sources that is left out
};

// The findings in the libraries of earlier runs.
struct KnownReport {
  std::uint64_t libraries = 0;   // libraries that were searched
  std::uint64_t documents = 0;   // documents in these libraries
  std::uint64_t candidates = 0;  // of these: their texts were compared
  std::uint64_t bytes_read = 0;  // of files, to get these texts
  std::uint64_t gone = 0;        // candidates whose text is gone or has changed
  std::uint64_t exact = 0;       // documents of the input that are copies of a known one
  std::uint64_t near = 0;        // documents of the input that match a known one
  std::uint64_t unverified = 0;  // kept, or with trust_signatures removed, because the text of a known document is gone
  std::uint64_t added = 0;       // documents that were added to the library
};

// Describes the `against` set, and how much of it was found.
struct AgainstReport {
  ReadReport read;
  std::uint64_t items = 0;                   // items that could be read
  std::uint64_t found = 0;                   // of these: found in some document
  std::uint64_t too_short = 0;               // items that are too short to be searched for
  std::vector<std::string> too_short_items;  // the ids of the first 20 of these
  // Items that share their wording with very many others; edited copies of these may be missed.
  std::uint64_t common = 0;
  std::uint64_t documents = 0;  // documents that contain some item
};

// A decision by a person that was not obeyed because its text does not occur.
struct MissedOverride {
  std::uint64_t seq = 0;
  std::string op;
  std::string id;      // of the first document that it names; empty: none was given
  std::string status;  // "stale" or "not_found"
};

// The decisions of people, in lines that are not undone.
struct OverridesReport {
  std::uint64_t decisions = 0;
  std::uint64_t applied = 0;
  std::uint64_t stale = 0;             // their text does not occur, but another one has the id
  std::uint64_t not_found = 0;         // neither occurs
  std::uint64_t kept = 0;              // documents that a person kept or made a survivor
  std::uint64_t removed = 0;           // documents that a person removed
  std::vector<MissedOverride> missed;  // the first 100
};

struct DedupReport {
  ReadReport read;
  std::uint64_t kept = 0;
  std::uint64_t kept_bytes = 0;  // of their text
  std::uint64_t removed_exact = 0;
  std::uint64_t removed_near = 0;
  std::uint64_t own_text = 0;  // documents that are similar to a kept one, and kept for their own text
  OwnTextReport own_text_by;   // why, next to their match
  LossReport loss;             // for documents removed as near-duplicates
  TemplateReport templates;
  KnownReport known;  // documents counted here as exact or near also count in removed_exact and removed_near
  OverridesReport overrides;
  std::uint64_t removed_against = 0;
  AgainstReport against;
  std::uint64_t removed_substring = 0;  // with `substrings`: documents of which nothing was left
  std::uint64_t ranges = 0;             // byte ranges repeated in kept documents; rows of substring_bytes.tsv
  std::uint64_t repeated_bytes = 0;     // bytes in these ranges
  std::uint64_t cut_bytes = 0;          // bytes that are cut; first copies are kept
  std::uint64_t cut_documents = 0;      // kept documents that were cut
  // Documents too short to judge, and pages that are little else than links; kept unless they are exact copies.
  std::uint64_t too_short = 0;
  std::uint64_t unranked = 0;    // documents without the field of the keep policy; they rank last
  std::string absent_sources;    // sources named by the keep policy that no document has
  std::uint64_t unsourced = 0;   // documents without the field of `source_field`; they count as one source
  std::uint64_t shared_ids = 0;  // documents with the id of an earlier one
  std::string shared_id;         // the id of the first of these
  std::uint64_t candidates = 0;  // candidate pairs
  std::uint64_t compared = 0;    // of these: their texts were compared
  std::uint64_t matches = 0;     // of these: at or above the threshold; rows of matches.tsv
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
  std::uint64_t read_back = 0;       // documents that were read back and compared
  std::vector<std::string> resumed;  // stages finished by an earlier run
  DedupEstimate estimate;
  std::uint64_t temp_peak_bytes = 0;
  std::vector<StageCost> stages;
  DeviceReport device;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
};

// Lists all folders and reads the beginnings of a few files. Throws Error if the memory is too small or the folder
// for temporary files does not exist; ignores unreadable inputs.
DedupEstimate dedup_estimate(const DedupOptions& options, const Context& context);

DedupReport dedup(const DedupOptions& options, const Context& context);

}  // namespace refrain
