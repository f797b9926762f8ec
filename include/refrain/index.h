// The blot index: a collection of documents, on disk, that can be added to, removed from, and asked which passages it
// holds, also where there is noise in them.
//
// A *blot* is a hash of a few tokens in a row; the index knows, for every blot, roughly where it occurs. What shares
// blots is only a candidate: it is compared token by token before it is reported. A *passage* is a run of tokens that
// returns; the tokens of two of its places may differ here and there (substituted, inserted, lost).
//
// An index is a folder (docs/format.md): segments that never change, and a manifest that names them. There is one writer
// at a time, and any number of readers, in any process; a reader sees the index as one commit left it, whatever is
// written meanwhile. A damaged index is Error(corrupt), found before anything wrong is said.
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
  ordered,  // a polynomial of the tokens' hashes: their order counts
  sum,      // their sum: blind to order
  xor_all,  // their exclusive or, "xor": blind to order, and a token that occurs twice cancels itself
};
enum class BlotSampling {
  syncmer,  // about a third of the windows, chosen so that every run of `window` tokens holds a chosen one
  all,      // every window
};
// The names as flags and files spell them, in the order of the enums.
std::vector<std::string_view> blot_kind_names();
std::vector<std::string_view> blot_sampling_names();

inline constexpr unsigned kMaxBlotWindow = 256;
inline constexpr unsigned kMaxInterleave = 16;
inline constexpr unsigned kMinBlotBits = 12;
inline constexpr unsigned kMaxBlotBits = 40;
inline constexpr unsigned kMaxShards = 64;

// What is settled when an index is made, and holds for all that is added later.
struct IndexLayout {
  unsigned window = 10;  // tokens: an exact run of so many is always found. 2 to kMaxBlotWindow
  BlotKind blots = BlotKind::ordered;
  BlotSampling sampling = BlotSampling::syncmer;
  // Above 1: that many streams, of every interleave-th token each, and windows of `window` tokens of one stream. An
  // exact run then needs interleave * (window - 1) + 1 tokens. Goes with BlotSampling::all only.
  unsigned interleave = 1;
  unsigned blot_bits = 0;  // 0: from the size of what is indexed first
  unsigned shards = 1;     // files that the posts are spread over, by blot; a power of two, up to kMaxShards
  TokenizerKind tokenizer = TokenizerKind::words;
  bool store_text = false;  // keep the documents' texts in the index, instead of referring to their files
};

struct IndexCreateOptions {
  std::filesystem::path index = {};  // a folder that does not exist yet
  InputOptions input = {};           // of documents in memory (input.documents) the texts are kept in the index
  IndexLayout layout = {};
};

struct IndexAddOptions {
  InputOptions input = {};
  bool replace = false;  // documents with ids that are there already take their place; else that is Error(bad_input)
};

// What create, add, remove and merge did. When one returns, it is committed.
struct IndexWriteReport {
  ReadReport read;
  std::uint64_t generation = 0;  // of the index: one more with every commit
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;  // of the added ones
  std::uint64_t removed = 0;
  std::vector<std::string> unknown;  // ids that were to be removed, and are not there
  std::uint64_t tokens = 0;          // added
  std::uint64_t posts = 0;           // added: pairs of a blot and a place
  std::uint64_t stored_texts =
      0;                       // documents whose text went into the index, since their file cannot be read at a place
  std::uint64_t segments = 0;  // now
  std::uint64_t merged_segments = 0;
  std::uint64_t index_bytes = 0;  // on disk now
  std::uint64_t temp_peak_bytes = 0;
  std::vector<StageCost> stages;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
};

struct IndexStats {
  IndexLayout layout;  // with blot_bits settled
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;  // that can be found
  std::uint64_t removed = 0;    // that wait to be merged away
  // Of all documents, also of those that wait to be merged away.
  std::uint64_t tokens = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t blots = 0;  // distinct ones, segment by segment
  std::uint64_t posts = 0;
  std::uint64_t segments = 0;
  std::uint64_t posts_bytes = 0;
  std::uint64_t documents_bytes = 0;
  std::uint64_t texts_bytes = 0;
  std::uint64_t other_bytes = 0;  // the manifest, the lists of removed documents
};

// A document whose text can no longer be shown: its file has gone or is no longer what was indexed.
struct ChangedDocument {
  std::string id;
  std::string reason;  // "path: it has changed since it was indexed"
};

struct IndexCheckReport {
  std::uint64_t segments = 0;
  std::uint64_t documents = 0;
  std::uint64_t blots = 0;
  std::uint64_t posts = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> damages;      // what is wrong, "path: what"; empty where all is well
  std::uint64_t changed_documents = 0;   // not damage of the index: their files changed
  std::vector<ChangedDocument> changed;  // the first few
  bool repaired = false;
  std::uint64_t rebuilt_documents = 0;  // with `repair`: of damaged segments, read again from their texts
  std::uint64_t lost_documents = 0;     // with `repair`: no longer in the index
  double seconds = 0;
};

// ---- Passages

// One place of a passage.
struct Occurrence {
  std::string id;
  ByteRange bytes;                // of the document's text, which for a file is the file
  std::string text;               // those bytes
  std::vector<ByteRange> shared;  // inside `text`: what agrees, token for token, with the passage; sorted, disjoint
  double similarity = 1;          // tokens that agree, of the longer of the two
};

// What is said of a passage before its places are listed.
struct PassageHead {
  std::string text;              // at its earliest place; of a query, in the query
  std::uint64_t length = 0;      // its tokens
  double similarity = 0;         // the mean over its places (the earliest aside)
  std::uint64_t documents = 0;   // that hold it; of a query, those listed
  std::uint64_t unverified = 0;  // of a query: candidates beyond `max_occurrences`, which nobody compared
  std::string query;             // of a query: the id of the document that was asked about, and the bytes in it
  ByteRange bytes;
};

// Who takes passages: a head, its occurrences (the earliest first), an end. A call that throws ends the verb.
class PassageSink {
 public:
  PassageSink() = default;
  PassageSink(const PassageSink&) = delete;
  PassageSink& operator=(const PassageSink&) = delete;
  virtual ~PassageSink() = default;
  virtual void begin(const PassageHead& head) = 0;
  virtual void occurrence(const Occurrence& occurrence) = 0;
  virtual void end() = 0;
};

// Passages as JSON, an object a line, a piece at a time:
//   {"passage": text, "length": .., "similarity": .., "documents": .., "occurrences": [{"id", "begin", "end", "text"}]}
// and of a query also "query", "begin", "end" and, where there are any, "unverified".
std::unique_ptr<PassageSink> json_passages(std::function<void(std::string_view)> out);

struct PassageLimits {
  std::uint64_t min_tokens = 0;  // tokens that agree; 0: the window of the index
  // The most tokens in a row that may differ between two stretches that agree, for them to be one passage.
  unsigned max_gap = 8;
  std::uint64_t max_documents = 0;              // blots in more documents than this are passed over; 0: none is
  std::vector<std::string> exclude = {};        // texts; passages that lie inside one of them are left out
  std::vector<std::string> exclude_files = {};  // more of them, in files
};

struct QueryDocument {
  std::string id;
  std::string text;
};

// Files that are named are read when the query runs, inside its budget, each up to 64 MiB; "-" is standard input.
struct QueryOptions {
  std::vector<QueryDocument> documents = {};
  std::vector<std::string> files = {};  // more of them, a file each; its path is the id
  std::string id = {};  // in place of documents and files: a document of the index, which then is not its own answer
  PassageLimits limits = {};
  std::uint64_t limit = 20;            // passages; 0: all
  std::uint64_t max_occurrences = 20;  // of each; 0: all
  std::string cursor = {};             // of an earlier report: go on behind what it told
};

struct QueryReport {
  std::uint64_t generation = 0;
  std::uint64_t tokens = 0;
  std::uint64_t candidates = 0;  // chains of blots
  std::uint64_t compared = 0;    // of them
  std::uint64_t passages = 0;
  std::uint64_t occurrences = 0;
  // Empty: that was all. A page can be shorter than `limit`, and have a cursor all the same, where much was compared in vain.
  std::string cursor;
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
  std::string identity;  // as Index::identity() gives it, of the commit that was gone through
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t blots = 0;  // in two documents or more
  std::uint64_t links = 0;
  std::uint64_t grown_tokens = 0;  // that were taken when places were grown from links: what comparing has cost
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

// ---- Blots, as they are: candidates, nothing compared.

struct BlotsOptions {
  std::uint64_t min_documents = 2;
  std::uint64_t max_documents = 0;            // 0: any
  std::uint64_t limit = 0;                    // rows; 0: all
  std::vector<std::string> unblot = {};       // hexadecimal: show the text behind these blots instead
  std::vector<QueryDocument> query = {};      // only the blots of these,
  std::vector<std::string> query_files = {};  // and of these; none: all blots
};

// A blot as it is printed: hexadecimal digits of either case, leading zeros or not. Error(invalid_argument) where it is none.
std::uint64_t parse_blot(std::string_view text);

// A blot and where it occurs, a row: documents in order, each once.
struct BlotRow {
  std::uint64_t blot = 0;
  unsigned digits = 0;  // hexadecimal
  std::vector<std::string> ids;
};
// The text behind a blot: one row a place.
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

// An index that is kept open. Threads may share one. Every call that reads sees the newest commit at its beginning, and
// that one alone; every call that writes waits for other writers of this process, and is Error(busy) where another
// process writes.
class Index {
 public:
  // Error(not_found) where there is none.
  explicit Index(std::filesystem::path folder);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  IndexStats stats() const;
  std::uint64_t generation() const;
  // What tells this state of this index from every other: it changes with every commit, and when the folder is replaced
  // by another index, of whatever generation.
  std::string identity() const;
  QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const;
  ExtractReport extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const;
  // By falling number of documents, then by blot.
  void blots(const BlotsOptions& options, const Context& context, const std::function<void(const BlotRow&)>& row) const;
  void unblot(const BlotsOptions& options, const Context& context,
              const std::function<void(const BlotText&)>& row) const;
  // nullopt: there is none of that id. Error(bad_input) where its file has changed, Error(over_budget) where reading it
  // takes more than the context allows.
  std::optional<IndexDocument> document(std::string_view id, const Context& context = {}) const;

  IndexWriteReport add(const IndexAddOptions& options, const Context& context);
  // Documents at hand; their texts are kept in the index.
  IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context& context);
  IndexWriteReport remove(const std::vector<std::string>& ids, const Context& context);
  IndexWriteReport merge(const Context& context);

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

IndexWriteReport create_index(const IndexCreateOptions& options, const Context& context);

// Reads all of the index, and of the files it refers to. With `repair`, segments that are damaged are made anew from
// their documents' texts; what is damaged itself is lost, and counted. Error(bad_input), and nothing is changed, where a
// document's file cannot be read, or has changed: the repair would lose it.
IndexCheckReport check_index(const std::filesystem::path& folder, bool repair, const Context& context);

// The blots of some files, with nothing of an index but its layout.
void file_blots(const InputOptions& input, const IndexLayout& layout, const Context& context,
                const std::function<void(const BlotText&)>& row);

}  // namespace refrain
