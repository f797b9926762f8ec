// The verbs over documents in memory: a stream in, rows in memory out. No folder is named; what does not fit in the
// memory that the call may take goes to temporary files without a name.
//
// The options are those of the verbs over files; `input` of each must name nothing but limits (max_doc_bytes, strict),
// and `output`, `force`, `apply` and the like must be left alone. Documents are told by their places in the stream, from
// 0. The answers are those of the verbs over files, to the bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/dedup.h"
#include "refrain/documents.h"
#include "refrain/fingerprint.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/substrings.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

struct FingerprintResult {
  std::vector<std::uint64_t> fingerprints;  // one a document
  std::vector<std::uint8_t> valid;          // 0: too short to judge, or a null
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
  std::vector<std::int64_t> clusters;  // the first document of each one's cluster; -1 where it is in none
  NearReport report;
};
NearResult near(DocumentStream& documents, const NearOptions& options, const Context& context);

struct SubstringRange {
  DocId document = 0;
  ByteRange bytes;
  friend bool operator==(const SubstringRange&, const SubstringRange&) = default;
};
struct SubstringsResult {
  std::vector<SubstringRange> repeated;   // in order
  std::vector<SubstringRange> removable;  // what of it goes, by options.keep; never half a character
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
  std::vector<NgramOccurrence> places;  // in order
};
struct NgramsResult {
  std::vector<Ngram> ngrams;  // by text
  NgramsReport report;
};
NgramsResult ngrams(DocumentStream& documents, const NgramsOptions& options, const Context& context);

struct DedupDecision {
  bool keep = true;
  Reason reason = Reason::none;
  bool own_text = false;  // it is similar to `match`, and kept for what that does not hold
  // The kept document that it was removed for; of one that is kept for its own text, the one that lacks it.
  std::optional<DocId> match = {};
  double similarity = 0;              // to `match`
  std::uint64_t lost = 0;             // tokens that `match` does not hold
  std::uint64_t longest_lost = 0;     // of them, in a row
  double as_written = 1;              // with own_text: the similarity where symbols count, if they were looked at
  std::optional<DocId> cluster = {};  // the first document of its cluster
  std::vector<ByteRange> spans = {};  // what to cut out of it, which may be all; or where an `against` item is
};
struct DedupResult {
  std::vector<DedupDecision> decisions;  // one a document; a null is not kept, for no reason
  DedupReport report;
};
DedupResult dedup(DocumentStream& documents, const DedupOptions& options, const Context& context);

}  // namespace refrain
