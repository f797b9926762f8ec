// The answer to one query document: the passages that the index holds too, best first.
//
// Blots propose, tokens decide. The chosen windows of the query, and for heavy edits its rare pairs, are looked up;
// hits form chains and chains form candidates (engines/blot/chains.h) without any document being read. Then the
// candidates are taken in the order of their rank, the documents are read around their chains and compared
// (compare.h), and passages that hold are reported at once.
//
// The results of a candidate do not depend on what was reported before, so consecutive pages are one long answer. If
// noise splits a place into two chains, the chain of the better rank reports it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "engines/blot/chains.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/query/query_workers.h"
#include "verbs/index/query/wanted.h"
#include "verbs/index/read/given_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// The report names at most this many documents that have changed.
inline constexpr std::size_t kChangedNamed = 10;

// A query document. Keeps references to the id and the text.
struct AskedRecord {
  std::string_view id;
  std::string_view text;
  std::optional<DocId> own;                 // set if it is a document of the index, which is no answer
  std::optional<WantedBlocks> wanted = {};  // what it is compared with; nullopt: everything

  bool has_no_documents() const { return wanted && wanted->empty(); }
};

// The id is only copied to the passages and hashed into cursors. A caller that learns it later may set it there.
QueryReport query_record(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options,
                         const ExcludedTexts& excluded, const Context& context, MemoryBudget& budget, IdleThreads& idle,
                         PassageSink& sink);

// A cursor marks where a query stopped, so that another call can continue from there. It is opaque and printable:
// hexadecimal digits of a version, a hash of the query, a hash of the commit that answered, the last candidate that
// was reported, and a checksum.
//
// It belongs to one commit: with other documents, candidates would rank differently, and pages would repeat or lose
// passages.
struct QueryCursor {
  static constexpr std::uint32_t kAllReported = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t query = 0;   // a hash of the query and its options,
  std::uint64_t commit = 0;  // and of the identity of the index
  blot::Candidate last;      // its begin, end and chains
  std::uint32_t reported =
      0;  // passages of it and those compared with it; kAllReported: all of them, and it was the last
};

std::string encode_cursor(const QueryCursor& cursor);
// Throws Error(invalid_argument) if it is not a cursor, and Error(outdated) if it belongs to another commit. Call
// it before looking up documents of the query: the newer commit may no longer have them.
void check_cursor(std::string_view text, std::uint64_t commit);
// Throws Error(invalid_argument) if it belongs to another query, too.
QueryCursor decode_cursor(std::string_view text, std::uint64_t query, std::uint64_t commit);

}  // namespace refrain::verbs::index
