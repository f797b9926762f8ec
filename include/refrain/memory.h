// The verbs over documents in memory: they read a stream, and return rows in memory. No folder is named; data that
// does not fit in the memory that the call may take goes to nameless temporary files.
//
// The options are those of the verbs over files, with two restrictions: `input` may set nothing but limits
// (max_doc_bytes, strict), and `output`, `force`, `apply` and the like must keep their defaults. Documents are
// identified by their positions in the stream, from 0. The results are those of the verbs over files, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/dedup.h"
#include "refrain/documents.h"
#include "refrain/error.h"
#include "refrain/fingerprint.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/substrings.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

struct FingerprintResult {
  std::vector<std::uint64_t> fingerprints;  // one per document
  std::vector<std::uint8_t> valid;          // one per document; 0: too short to judge, or null
  FingerprintReport report;
};
FingerprintResult fingerprint(DocumentStream& documents, const FingerprintOptions& options, const Context& context);

struct NearMatch {
  DocId first = 0;
  DocId second = 0;  // later than `first`
  unsigned difference = 0;
  double similarity = 0;  // with verify
  friend bool operator==(const NearMatch&, const NearMatch&) = default;
};
struct NearResult {
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::uint8_t> valid;     // as in FingerprintResult
  std::vector<NearMatch> matches;      // by `first`, then `second`
  std::vector<std::int64_t> clusters;  // per document: the first document of its cluster; -1 if it is in none
  NearReport report;
};
NearResult near(DocumentStream& documents, const NearOptions& options, const Context& context);

struct SubstringRange {
  DocId document = 0;
  ByteRange bytes;
  friend bool operator==(const SubstringRange&, const SubstringRange&) = default;
};
struct SubstringsResult {
  std::vector<SubstringRange> repeated;   // in document and text order
  std::vector<SubstringRange> removable;  // the parts to remove, by options.keep; never part of a character
  SubstringsReport report;
};
SubstringsResult substrings(DocumentStream& documents, const SubstringsOptions& options, const Context& context);

struct NgramOccurrence {
  DocId document = 0;
  std::uint64_t token = 0;
  friend bool operator==(const NgramOccurrence&, const NgramOccurrence&) = default;
};
struct Ngram {
  std::string text;  // its tokens' normal forms, joined by one space
  std::uint64_t count = 0;
  std::uint64_t documents = 0;
  std::vector<NgramOccurrence> places;  // in document and token order
};
struct NgramsResult {
  std::vector<Ngram> ngrams;  // by text
  NgramsReport report;
};
NgramsResult ngrams(DocumentStream& documents, const NgramsOptions& options, const Context& context);

struct DedupDecision {
  bool keep = true;
  Reason reason = Reason::none;
  bool own_text = false;  // kept although it is similar to `match`, because `match` does not hold all of its text
  // If it was removed: the kept document because of which it was. If it is kept for its own text: the kept document
  // that lacks this text.
  std::optional<DocId> match = {};
  double similarity = 0;              // to `match`
  std::uint64_t lost = 0;             // tokens that `match` does not hold
  std::uint64_t longest_lost = 0;     // the longest run of such tokens
  double as_written = 1;              // with own_text: the similarity with symbols counted; 1 if they were not compared
  std::string differs_in = {};        // with Reason::near: "number", "negation", "symbol", if the two differ in these
  std::optional<DocId> cluster = {};  // the first document of its cluster
  std::vector<ByteRange> spans = {};  // ranges to cut out of its text, possibly all of it; or where it contains an
                                      // `against` item
};
struct DedupResult {
  std::vector<DedupDecision> decisions;  // one per document; a null is not kept, and has Reason::none
  DedupReport report;
};
DedupResult dedup(DocumentStream& documents, const DedupOptions& options, const Context& context);

}  // namespace refrain
