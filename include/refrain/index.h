// The blot index: a collection of documents on disk that can be added to and removed from, and that finds passages
// which recur, exact or edited.
//
// A *blot* is a hash of a few consecutive tokens; the index records, for every blot, roughly where it occurs. Shared
// blots only make candidates, which are compared token by token before they are reported. A *passage* is a token run
// that recurs; its occurrences may differ in some tokens (substituted, inserted, lost).
//
// An index is a folder (docs/format.md): immutable segments, and a manifest that lists them. There is one writer at a
// time, and any number of readers in any process; a reader sees the index as of one commit, whatever is written
// meanwhile. A damaged index is Error(corrupt), detected before any wrong answer is given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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

enum class BlotKind {
  ordered,  // a polynomial of the token hashes: depends on their order
  sum,      // their sum: ignores order
  xor_all,  // their exclusive or, "xor": ignores order, and a token that occurs twice cancels out
};
enum class BlotSampling {
  syncmer,  // about a third of the windows, chosen so that every run of `window` tokens contains one
  all,      // every window: finds all that `syncmer` finds, and more, in an index twice as large
};
// The names used in flags and files, in the order of the enums.
std::vector<std::string_view> blot_kind_names();
std::vector<std::string_view> blot_sampling_names();

// How much two passages may differ.
enum class Edits {
  none,   // not at all
  light,  // words replaced, lost, inserted or moved, as long as a few in a row are left: what the blots of windows show
  heavy,  // hardly two neighbours are left: also what pairs of neighbours show that few documents hold. Takes longer
};
std::vector<std::string_view> edits_names();

inline constexpr unsigned kMaxBlotWindow = 256;
inline constexpr unsigned kMaxInterleave = 16;
inline constexpr unsigned kMinBlotBits = 12;
inline constexpr unsigned kMaxBlotBits = 40;
inline constexpr unsigned kMaxShards = 64;

// Chosen when an index is created, and fixed for everything added later.
struct IndexLayout {
  unsigned window = 10;  // tokens, 2 to kMaxBlotWindow: exact runs of this length are always found
  BlotKind blots = BlotKind::ordered;
  BlotSampling sampling = BlotSampling::syncmer;
  // Above 1: that many streams, each of every interleave-th token, with windows of `window` tokens of one stream. An
  // exact run then needs interleave * (window - 1) + 1 tokens. Requires BlotSampling::all.
  unsigned interleave = 1;
  // Tokens that a blot is made of. 0: window / 2 + 1, or `window` if interleaved. Older indexes with BlotSampling::all
  // have `window`.
  unsigned blot_tokens = 0;
  unsigned blot_bits = 0;  // 0: chosen from the size of the first input
  unsigned shards = 1;     // number of files for the posts, by blot; a power of two, up to kMaxShards
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  bool store_text = false;  // keep the texts in the index instead of referring to their files
  // Also index pairs of neighbouring tokens, a quarter of them, whatever their order: what Edits::heavy looks for.
  // Never where a token is a character.
  bool pairs = true;
};

struct IndexCreateOptions {
  std::filesystem::path index = {};  // a folder that does not exist yet
  InputOptions input = {};           // of documents in memory (input.documents) the texts are kept in the index
  IndexLayout layout = {};
};

struct IndexAddOptions {
  InputOptions input = {};
  bool replace = false;  // replace documents with the same ids; otherwise those are Error(bad_input)
};

// What create, add, remove and merge did. Once they return, the change is committed.
struct IndexWriteReport {
  ReadReport read;
  std::uint64_t generation = 0;  // of the index; increases with every commit
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;  // of the added documents
  std::uint64_t removed = 0;
  std::vector<std::string> unknown;  // ids to be removed that are not in the index
  std::uint64_t tokens = 0;          // added
  std::uint64_t posts = 0;           // added; a post is a blot and a place
  std::uint64_t stored_texts =
      0;                       // documents whose text is kept in the index, because it cannot be read again in place
  std::uint64_t segments = 0;  // after the change
  std::uint64_t merged_segments = 0;
  std::uint64_t index_bytes = 0;  // on disk, after the change
  std::uint64_t temp_peak_bytes = 0;
  std::vector<StageCost> stages;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
};

struct IndexStats {
  IndexLayout layout;  // with the chosen blot_bits
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;  // not removed
  std::uint64_t removed = 0;    // not yet merged away
  // Of all documents, including removed ones not yet merged away.
  std::uint64_t tokens = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t blots = 0;  // distinct, per segment
  std::uint64_t posts = 0;
  std::uint64_t segments = 0;
  std::uint64_t posts_bytes = 0;
  std::uint64_t documents_bytes = 0;
  std::uint64_t texts_bytes = 0;
  std::uint64_t other_bytes = 0;  // the manifest, the lists of removed documents
};

// A document whose text can no longer be shown: its file is missing or has changed since it was indexed.
struct ChangedDocument {
  std::string id;
  std::string reason;  // "path: changed since it was indexed"
};

struct IndexCheckReport {
  std::uint64_t segments = 0;
  std::uint64_t documents = 0;
  std::uint64_t blots = 0;
  std::uint64_t posts = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> damages;      // "path: what"; empty if there is no damage
  std::uint64_t changed_documents = 0;   // their files changed; not damage of the index
  std::vector<ChangedDocument> changed;  // the first few
  bool repaired = false;
  std::uint64_t rebuilt_documents = 0;  // with `repair`: of damaged segments, rebuilt from their texts
  std::uint64_t lost_documents = 0;     // with `repair`: no longer in the index
  double seconds = 0;
};

// ---- Passages

// One occurrence of a passage.
struct Occurrence {
  std::string id;
  ByteRange bytes;                // of the document's text (for a file, the file)
  std::string text;               // those bytes
  std::vector<ByteRange> shared;  // ranges in `text` that match the passage token for token; sorted, disjoint
  // Matching tokens, divided by the length of the place or of the passage (for a query, of `query`), whichever is longer.
  double similarity = 1;
  double document_share = 0;  // tokens here, of all tokens of the document
  // For a query:
  ByteRange query;         // the bytes of the query that match here,
  double query_share = 0;  // and their tokens, of all tokens of the query
  // How unlikely the match is by chance, in bits: the sum over the matching tokens, of which each counts more the rarer it
  // is in both passages, and less the more places of the index contain its phrase (GUIDE.md, "Repeated passages").
  double score = 0;
  std::vector<ByteRange> moved = {};  // those of `shared`, or parts of them, that stand at another place in the passage
};

// What is reported about a passage before its occurrences.
struct PassageHead {
  std::string text;              // at its earliest place; for a query, in the query
  std::uint64_t length = 0;      // in tokens
  double similarity = 0;         // mean over its occurrences; for extract(), except the earliest
  double score = 0;              // for a query: the highest of its occurrences'
  std::uint64_t documents = 0;   // that contain it; for a query, those listed
  std::uint64_t unverified = 0;  // for a query: candidates beyond `max_occurrences`, not compared
  std::string query;             // for a query: the id of the query document, and the bytes in it
  ByteRange bytes;
};

// Receives passages: a head, its occurrences (earliest first), an end. A call that throws ends the verb.
class PassageSink {
 public:
  PassageSink() = default;
  PassageSink(const PassageSink&) = delete;
  PassageSink& operator=(const PassageSink&) = delete;
  virtual ~PassageSink() = default;
  virtual void begin(const PassageHead& head) = 0;
  virtual void occurrence(const Occurrence& occurrence) = 0;
  virtual void end() = 0;

  // For sinks that write text. If formats() is true, extract() calls format() on its threads, several at once, and
  // passes the results to write(), in order, instead of calling begin() and occurrence().
  virtual bool formats() const { return false; }
  virtual void format(const PassageHead& /*head*/, std::string& /*out*/) const {}
  virtual void format(const Occurrence& /*occurrence*/, bool /*first*/, std::string& /*out*/) const {}
  virtual void write(std::string_view /*text*/) {}
};

// Passages as JSON, one object per line, written in pieces:
//   {"passage": text, "length": .., "similarity": .., "documents": .., "occurrences": [{"id", "begin", "end",
//   "similarity", "document_share", "text"}]}
// and for a query also "query", "begin", "end", "score" and, if there are any, "unverified"; its occurrences also have
// "query_begin", "query_end", "query_share" and "score". Without `texts`, there is no "passage" and no "text".
std::unique_ptr<PassageSink> json_passages(std::function<void(std::string_view)> out, bool texts = true);

// Passages as tab-separated rows behind a header, a row per occurrence (docs/format.md). The columns of a query are
// others than those of what recurs in an index.
enum class PassagesOf { query, index };
std::unique_ptr<PassageSink> tsv_passages(std::function<void(std::string_view)> out, PassagesOf of, bool texts = true);

struct PassageLimits {
  // extract() finds what is edited lightly only where the words are in order; otherwise as a query does.
  Edits edits = Edits::light;
  // The share of the words that may differ, above 0 and below 1. For extract(), only with Edits::heavy.
  double noise = 0.67;
  // Minimum matching tokens; 0: the window of the index, or 15 where words are scattered or moved.
  std::uint64_t min_tokens = 0;
  // Maximum run of differing tokens between two matching stretches of one passage. None: 40, or for extract() 8 unless
  // edits are heavy.
  std::optional<unsigned> max_gap = {};
  std::uint64_t max_documents = 0;              // skip blots that occur in more documents; 0: no limit
  std::vector<std::string> exclude = {};        // texts; passages contained in one of them are ignored
  std::vector<std::string> exclude_files = {};  // more such texts, in files
};

struct QueryDocument {
  std::string id;
  std::string text;
};

// Every document that is asked about gets its own answer, whatever else is asked about.
struct QueryOptions {
  std::vector<QueryDocument> documents = {};
  // More documents, which are read while the query runs, on all threads. Standard input is one document where nothing
  // is said of its format.
  InputOptions input = {};
  std::string id = {};  // instead of those: a document of the index, which does not match itself
  // Instead of those: every document of the index, against those that were added after it, so that every pair is compared
  // once. With `with` or `pairs_file`: against what these say.
  bool self = false;
  // Compare only with these documents of the index. Error(not_found) if one of them is unknown.
  std::vector<std::string> with = {};
  // Or a file of rows, query id TAB document id: compare only these pairs. Documents without a row are not asked about.
  std::string pairs_file = {};
  PassageLimits limits = {};
  std::uint64_t limit = 60;            // passages of a document; 0: all
  std::uint64_t max_occurrences = 20;  // of each; 0: all
  // Of an earlier report about one document: continue after it. Error(invalid_argument) once the index has changed.
  std::string cursor = {};
};

struct QueryReport {
  ReadReport read;  // of QueryOptions::input
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;  // asked about
  std::uint64_t shortened = 0;  // of them: those with more passages than `limit`
  std::uint64_t tokens = 0;
  std::uint64_t candidates = 0;  // chains of blots
  std::uint64_t compared = 0;    // of them
  std::uint64_t passages = 0;
  std::uint64_t occurrences = 0;
  // Empty: no more passages, or several documents were asked about. A page with a cursor can be shorter than `limit` if
  // many candidates did not match.
  std::string cursor;
  std::uint64_t unknown_documents = 0;  // rows of `pairs_file` with documents that are not in the index
  std::vector<std::string> unknown;     // the first few
  std::uint64_t unknown_queries = 0;    // ids of queries in `pairs_file` that were not in the input
  std::uint64_t changed_documents = 0;
  std::vector<ChangedDocument> changed;
  double seconds = 0;
};

struct ExtractOptions {
  PassageLimits limits = {};
  std::uint64_t min_documents = 2;
  std::uint64_t limit = 0;  // passages; 0: all
};

struct ExtractReport {
  std::uint64_t generation = 0;
  std::string identity;  // Index::identity() of the commit that was read
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t blots = 0;  // in two or more documents
  std::uint64_t links = 0;
  std::uint64_t grown_tokens = 0;  // tokens compared while extending links to passages
  std::uint64_t passages = 0;
  std::uint64_t occurrences = 0;
  std::uint64_t changed_documents = 0;
  std::vector<ChangedDocument> changed;
  std::uint64_t temp_peak_bytes = 0;
  std::vector<StageCost> stages;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
};

// ---- Raw blots: candidates, without comparing any text.

struct BlotsOptions {
  std::uint64_t min_documents = 2;
  std::uint64_t max_documents = 0;            // 0: no limit
  std::uint64_t limit = 0;                    // rows; 0: all
  std::vector<std::string> unblot = {};       // hexadecimal: show the text behind these blots instead
  std::vector<QueryDocument> query = {};      // only blots of these documents,
  std::vector<std::string> query_files = {};  // and of these files; none: all blots
};

// A blot as printed: hexadecimal digits of either case, leading zeros optional. Error(invalid_argument) otherwise.
std::uint64_t parse_blot(std::string_view text);

// A blot and its documents, in order, each once.
struct BlotRow {
  std::uint64_t blot = 0;
  unsigned digits = 0;  // hexadecimal
  std::vector<std::string> ids;
};
// The text behind a blot: one row per place.
struct BlotText {
  std::uint64_t blot = 0;
  unsigned digits = 0;
  std::string id;
  ByteRange bytes;
  std::string text;
};

// A document of the index.
struct IndexDocument {
  std::string id;
  std::string text;
  std::uint64_t tokens = 0;
};

// An open index. Threads may share one. Every call that reads sees only the commit that was newest when it began; every
// call that writes waits for other writers of this process, and is Error(busy) while another process
// is writing.
class Index {
 public:
  // Error(not_found) if there is none.
  explicit Index(std::filesystem::path folder);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  IndexStats stats() const;
  std::uint64_t generation() const;
  // Identifies this state of this index: it changes with every commit, and when the folder is replaced by another index
  // of any generation.
  std::string identity() const;
  QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const;
  ExtractReport extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const;
  // Most documents first, then by blot.
  void blots(const BlotsOptions& options, const Context& context, const std::function<void(const BlotRow&)>& row) const;
  void unblot(const BlotsOptions& options, const Context& context,
              const std::function<void(const BlotText&)>& row) const;
  // nullopt: no such id. Error(bad_input) if its file has changed, Error(over_budget) if reading it takes more memory
  // than the context allows.
  std::optional<IndexDocument> document(std::string_view id, const Context& context = {}) const;

  IndexWriteReport add(const IndexAddOptions& options, const Context& context);
  // Documents in memory; their texts are kept in the index.
  IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context& context);
  IndexWriteReport remove(const std::vector<std::string>& ids, const Context& context);
  IndexWriteReport merge(const Context& context);

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

IndexWriteReport create_index(const IndexCreateOptions& options, const Context& context);

// Verifies the index and the files it refers to. With `repair`, damaged segments are rebuilt from the documents' texts;
// texts that are damaged themselves are lost, and counted. Error(bad_input), and nothing is changed, if a document's
// file cannot be read or has changed: the repair would lose it.
IndexCheckReport check_index(const std::filesystem::path& folder, bool repair, const Context& context);

// The blots of files, for a layout, without an index.
void file_blots(const InputOptions& input, const IndexLayout& layout, const Context& context,
                const std::function<void(const BlotText&)>& row);

}  // namespace refrain
