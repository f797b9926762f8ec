// The blot index: a collection of documents on disk to which documents can be added and from which they can be
// removed. It finds passages that recur, exactly or with edits.
//
// A *blot* is a hash of a few consecutive tokens; the index records, for every blot, roughly where it occurs. Shared
// blots only propose candidates, which are compared token by token before they are reported. A *passage* is a run of
// tokens that recurs; its occurrences may differ in some tokens (substituted, inserted, removed).
//
// An index is a folder (docs/format.md): immutable segments, and a manifest that lists them. There is one writer at a
// time, and any number of readers in any process; a reader sees the index as of one commit, whatever is written
// meanwhile. A damaged index is reported as Error(corrupt) before it can cause a wrong answer.
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
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

enum class BlotKind {
  ordered,  // a polynomial of the token hashes: depends on their order
  sum,      // their sum: ignores order
  xor_all,  // their exclusive or, named "xor": ignores order, and a token that occurs twice cancels out
};
enum class BlotSampling {
  syncmer,  // about a third of the windows, chosen so that every run of `window` tokens contains one
  all,      // every window: finds all that `syncmer` finds, and more, in an index twice as large
};
// The names of the enumerators in flags and files, in the order of the enums.
std::vector<std::string_view> blot_kind_names();
std::vector<std::string_view> blot_sampling_names();

// How much two passages may differ.
enum class Edits {
  none,   // not at all
  light,  // words replaced, removed, inserted or moved; found by the blots of windows, if a few unedited words in a
          // row remain
  heavy,  // hardly two neighbouring words remain: also found by pairs of neighbours that few documents contain; slower
};
std::vector<std::string_view> edits_names();

inline constexpr unsigned kMaxBlotWindow = 256;
inline constexpr unsigned kMaxInterleave = 16;
inline constexpr unsigned kMinBlotBits = 12;
inline constexpr unsigned kMaxBlotBits = 40;
inline constexpr unsigned kMaxShards = 64;

// Chosen when an index is created, and the same for everything added later.
struct IndexLayout {
  unsigned window = 10;  // tokens, 2 to kMaxBlotWindow: exact runs of this length are always found
  BlotKind blots = BlotKind::ordered;
  BlotSampling sampling = BlotSampling::syncmer;
  // If this is above 1, the tokens are divided into this many streams, each with every interleave-th token, and a
  // window is `window` tokens of one stream. Only exact runs of interleave * (window - 1) + 1 tokens are then always
  // found. Requires BlotSampling::all.
  unsigned interleave = 1;
  // The number of tokens in a blot. 0 means window / 2 + 1, or `window` if interleaved. In older indexes with
  // BlotSampling::all it is `window`.
  unsigned blot_tokens = 0;
  unsigned blot_bits = 0;  // 0: chosen from the size of the first input
  unsigned shards = 1;     // number of files that the posts are divided into, by blot; a power of two, up to kMaxShards
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  bool store_text = false;  // keep the texts in the index instead of reading them from their files
  // Also index a quarter of the pairs of neighbouring tokens, in either order: Edits::heavy looks for these. Ignored
  // if a token is a single character.
  bool pairs = true;
};

struct IndexCreateOptions {
  std::filesystem::path index = {};  // a folder that does not exist yet
  InputOptions input = {};           // texts of documents in memory (input.documents) are kept in the index
  IndexLayout layout = {};
};

struct IndexAddOptions {
  InputOptions input = {};
  bool replace = false;  // replace documents that have the same ids; otherwise equal ids are Error(bad_input)
};

// The result of creating, adding to, removing from or merging an index. The change is committed when they return.
struct IndexWriteReport {
  ReadReport read;
  std::uint64_t generation = 0;  // of the index; every commit increases it
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;  // added documents that replaced others
  std::uint64_t removed = 0;
  std::vector<std::string> unknown;  // ids that were to be removed, but are not in the index
  std::uint64_t tokens = 0;          // in the added documents
  std::uint64_t posts = 0;           // added posts: a post is a blot and one of its places
  // Documents whose texts are kept in the index, because they cannot be read from their files again.
  std::uint64_t stored_texts = 0;
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
  std::uint64_t documents = 0;  // that are not removed
  std::uint64_t removed = 0;    // removed documents that are not yet merged away
  // The following count all documents, including removed ones that are not yet merged away.
  std::uint64_t tokens = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t blots = 0;  // distinct blots of each segment, summed over the segments
  std::uint64_t posts = 0;
  std::uint64_t segments = 0;
  std::uint64_t posts_bytes = 0;
  std::uint64_t documents_bytes = 0;
  std::uint64_t texts_bytes = 0;
  std::uint64_t other_bytes = 0;  // the manifest and the lists of removed documents
};

// A document whose text cannot be shown, because its file is missing or has changed since it was indexed.
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
  std::uint64_t changed_documents = 0;   // documents whose files have changed; this is not damage of the index
  std::vector<ChangedDocument> changed;  // the first few
  bool repaired = false;
  std::uint64_t rebuilt_documents = 0;  // with `repair`: documents of damaged segments, which were rebuilt from their
                                        // texts
  std::uint64_t lost_documents = 0;     // with `repair`: documents that are no longer in the index
  double seconds = 0;

  // Whether the index has all its documents: there was no damage, or the repair lost none of them.
  bool whole() const { return damages.empty() || (repaired && lost_documents == 0); }
};

// ---- Passages

// One occurrence of a passage.
struct Occurrence {
  std::string id;
  ByteRange bytes;                // in the document's text (for a file, in the file)
  std::string text;               // those bytes
  std::vector<ByteRange> shared;  // ranges in `text` that match the passage token for token; sorted, disjoint
  // The number of matching tokens, divided by the length of the occurrence or of the passage (for a query, of
  // `query`), whichever is longer.
  double similarity = 1;
  double document_share = 0;  // tokens of this occurrence, divided by all tokens of the document
  // The following are set for a query:
  ByteRange query;         // the bytes of the query that match here
  double query_share = 0;  // the tokens in these bytes, divided by all tokens of the query
  // How unlikely the match is by chance, in bits: a sum over the matching tokens. A token counts more the rarer it is
  // in both passages, and less the more places of the index contain its phrase (GUIDE.md, "Repeated passages").
  double score = 0;
  std::vector<ByteRange> moved = {};  // those ranges in `shared`, or parts of them, that are at a different position
                                      // in the passage
};

// The properties of a passage that are reported before its occurrences.
struct PassageHead {
  std::string text;              // its text at its earliest place; for a query, in the query
  std::uint64_t length = 0;      // in tokens
  double similarity = 0;         // mean over its occurrences; extract() does not count the earliest
  double score = 0;              // for a query: the highest score of its occurrences
  std::uint64_t documents = 0;   // documents that contain it; for a query, only those listed
  std::uint64_t unverified = 0;  // for a query: candidates beyond `max_occurrences`, which were not compared
  std::string query;             // for a query: the id of the query document, and the bytes in it
  ByteRange bytes;
};

// Receives passages: for each, begin(), then occurrence() for each occurrence (earliest first), then end(). An
// exception thrown by a call ends the verb.
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
  // passes the results to write() in order, instead of calling begin() and occurrence().
  virtual bool formats() const { return false; }
  virtual void format(const PassageHead& /*head*/, std::string& /*out*/) const {}
  virtual void format(const Occurrence& /*occurrence*/, bool /*first*/, std::string& /*out*/) const {}
  virtual void write(std::string_view /*text*/) {}
};

// A sink that writes passages as JSON, one object per line, in pieces:
//   {"passage": text, "length": .., "similarity": .., "documents": .., "occurrences": [{"id", "begin", "end",
//   "similarity", "document_share", "text"}]}
// A passage of a query also has "query", "begin", "end", "score" and, if there are any, "unverified"; its occurrences
// also have "query_begin", "query_end", "query_share" and "score". Without `texts`, "passage" and "text" are left
// out.
std::unique_ptr<PassageSink> json_passages(std::function<void(std::string_view)> out, bool texts = true);

// A sink that writes passages as tab-separated rows after a header, one row per occurrence (docs/format.md). The
// columns for a query differ from those for passages that recur in an index.
enum class PassagesOf { query, index };
std::unique_ptr<PassageSink> tsv_passages(std::function<void(std::string_view)> out, PassagesOf of, bool texts = true);

struct PassageLimits {
  // With Edits::light, extract() finds edited passages only if their words are in order. In all other cases it finds
  // what a query finds.
  Edits edits = Edits::light;
  // The share of words that may differ, above 0 and below 1. extract() uses it only with Edits::heavy.
  double noise = 0.67;
  // Minimum number of matching tokens. 0 means the window of the index, or 15 if the matching words are scattered or
  // moved.
  std::uint64_t min_tokens = 0;
  // Maximum number of consecutive differing tokens between two matching stretches of one passage. If not set: 40, or
  // for extract() 8 unless edits are heavy.
  std::optional<unsigned> max_gap = {};
  std::uint64_t max_documents = 0;              // skip blots that occur in more documents than this; 0: no limit
  std::vector<std::string> exclude = {};        // texts; passages contained in one of them are not reported
  std::vector<std::string> exclude_files = {};  // more such texts, in files
};

struct QueryDocument {
  std::string id;
  std::string text;
};

// The number of places of a passage that are reported by default: more if all passages are requested (limit 0), but
// not all. If many documents share a passage, the number of places over all pairs is quadratic in the number of
// documents.
constexpr std::uint64_t default_max_occurrences(std::uint64_t limit) {
  return limit == 0 ? 1000 : 20;
}

// Each query document is answered independently of the others.
struct QueryOptions {
  std::vector<QueryDocument> documents = {};
  // More query documents. They are read while the query runs, on all threads. Standard input is one document if its
  // format is not given.
  InputOptions input = {};
  std::string id = {};  // in place of those: a document of the index; it does not match itself
  // In place of those: every document of the index, compared with the documents that were added after it, so that
  // every pair is compared once. With `with` or `pairs_file`: compared with the documents that these name.
  bool self = false;
  // Compare only with these documents of the index. Error(not_found) if one of them is not in the index.
  std::vector<std::string> with = {};
  // Or a file of rows, query id TAB document id: compare only these pairs. Query documents without a row are skipped.
  std::string pairs_file = {};
  PassageLimits limits = {};
  std::uint64_t limit = 60;                                              // passages per query document; 0: all
  std::uint64_t max_occurrences = default_max_occurrences(/*limit=*/1);  // per passage; 0: all
  // The cursor of an earlier report on a single document: continue after it. Error(outdated) if the index has changed
  // since.
  std::string cursor = {};
};

struct QueryReport {
  ReadReport read;  // of QueryOptions::input
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;  // query documents
  std::uint64_t shortened = 0;  // of them: those with more passages than `limit`
  std::uint64_t tokens = 0;
  std::uint64_t candidates = 0;  // chains of blots
  std::uint64_t compared = 0;    // candidates that were compared
  std::uint64_t unverified = 0;  // candidates beyond `max_occurrences`; they may or may not be places of passages
  std::uint64_t passages = 0;
  std::uint64_t occurrences = 0;
  // Empty if there are no more passages, or if there were several query documents. A page with a cursor can have
  // fewer passages than `limit` if many candidates did not match.
  std::string cursor;
  std::uint64_t unknown_documents = 0;  // rows of `pairs_file` that name documents that are not in the index
  std::vector<std::string> unknown;     // the first few
  std::uint64_t unknown_queries = 0;    // query ids in `pairs_file` that are not in the input
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
  std::uint64_t blots = 0;  // blots that occur in two or more documents
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

// ---- Raw blots: candidates, for which no text is compared.

struct BlotsOptions {
  std::uint64_t min_documents = 2;
  std::uint64_t max_documents = 0;            // 0: no limit
  std::uint64_t limit = 0;                    // rows; 0: all
  std::vector<std::string> unblot = {};       // blots in hexadecimal; unblot() shows the text behind them
  std::vector<QueryDocument> query = {};      // only blots of these documents,
  std::vector<std::string> query_files = {};  // and of these files; if both are empty: all blots
};

// Parses a blot as printed: hexadecimal digits of either case, leading zeros optional. Throws Error(invalid_argument)
// for anything else.
std::uint64_t parse_blot(std::string_view text);

// A blot and the ids of its documents, in order, without duplicates.
struct BlotRow {
  std::uint64_t blot = 0;
  unsigned digits = 0;  // hexadecimal digits of a printed blot
  std::vector<std::string> ids;
};
// A place of a blot and the text there.
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

// An open index. Threads may share one. Every call that reads sees only the commit that was newest when the call
// began. Every call that writes waits for other writers of this process, and throws Error(busy) while another process
// is writing.
class Index {
 public:
  // Throws Error(not_found) if there is no index.
  explicit Index(std::filesystem::path folder);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  IndexStats stats() const;
  std::uint64_t generation() const;
  // Identifies this state of this index: it changes with every commit, and also if the folder is replaced by another
  // index, whatever its generation.
  std::string identity() const;
  QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const;
  ExtractReport extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const;
  // Rows come in order of the number of documents, highest first, then by blot.
  void blots(const BlotsOptions& options, const Context& context, const std::function<void(const BlotRow&)>& row) const;
  void unblot(const BlotsOptions& options, const Context& context,
              const std::function<void(const BlotText&)>& row) const;
  // Returns nullopt if no document has this id. Throws Error(bad_input) if the document's file has changed, and
  // Error(over_budget) if reading it takes more memory than the context allows.
  std::optional<IndexDocument> document(std::string_view id, const Context& context = {}) const;

  IndexWriteReport add(const IndexAddOptions& options, const Context& context);
  // Adds documents in memory. Their texts are kept in the index.
  IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context& context);
  IndexWriteReport remove(const std::vector<std::string>& ids, const Context& context);
  IndexWriteReport merge(const Context& context);

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

IndexWriteReport create_index(const IndexCreateOptions& options, const Context& context);

// Verifies the index and the files it refers to. With `repair`, damaged segments are rebuilt from the texts of their
// documents; texts that are damaged themselves are lost, and counted. If a document's file cannot be read or has
// changed, the repair would lose the document: Error(bad_input) is thrown, and nothing is changed.
IndexCheckReport check_index(const std::filesystem::path& folder, bool repair, const Context& context);

// Computes the blots of files for the given layout, without an index.
ReadReport file_blots(const InputOptions& input, const IndexLayout& layout, const Context& context,
                      const std::function<void(const BlotText&)>& row);

}  // namespace refrain
