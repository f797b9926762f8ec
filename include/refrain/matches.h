// The kernels of dedup: what it stores about a document, which documents meet, and whether one document makes another
// redundant.
//
// They are for callers that bring equal keys together by their own means and want the same kept set as dedup,
// document for document, such as pyrefrain.spark. The simpler kernels (kernels.h, pairs.h) work without templates,
// loss and crowds. The steps are those of dedup:
//
//   1. Compute the sketches() of all documents. Group those that are judged by BandEntry::group, and walk each group
//      in order of rank with a MeetingPlan. Group its crowd once more, by crowd_group(), and walk that with another
//      plan.
//   2. Drop the pairs that may_match() rules out, and compare() the texts of the others.
//   3. In order of rank, keep a document unless a kept one is similar to it and covers it (KeptSet).
//   4. If there were crowds: those of their documents that are kept meet again in the next round, in other pairs; and
//      so on.
//
// The rules of kernels.h for memory, threads and stopping apply here too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/dedup.h"
#include "refrain/documents.h"
#include "refrain/fingerprint.h"
#include "refrain/kernels.h"
#include "refrain/pairs.h"

namespace [[gnu::visibility("default")]] refrain {

// The similarity of two texts, and what is lost if the later one is removed and the earlier one is kept.
struct TextMatch {
  double similarity = 0;  // 0 if it is below the threshold
  // Tokens of the later text that the earlier one does not hold, and the longest run of them.
  std::uint32_t lost = 0;
  std::uint32_t longest_lost = 0;
  float as_written = 1;  // the similarity with symbols counted; 1 if they were not compared
  // Whether the later text may be removed: no more is lost than is allowed, symbols do not tell the texts
  // apart, and the earlier one names all attachments of the later one (see refrain/dedup.h).
  bool covered = false;
  friend bool operator==(const TextMatch&, const TextMatch&) = default;
};

// Immutable and cheap to copy; threads may share one.
class DocumentMatcher {
 public:
  // `templates` holds the template of each source that has one: the windows that are left out, as find_template()
  // returns them. Elsewhere, a template is identified by its number in this list, counted from 1; 0 means that
  // nothing is left out.
  explicit DocumentMatcher(const DocumentMatchOptions& options,
                           std::span<const std::vector<std::uint64_t>> templates = {});
  ~DocumentMatcher();
  DocumentMatcher(const DocumentMatcher&);
  DocumentMatcher& operator=(const DocumentMatcher&);

  const Bands& bands() const;
  unsigned lanes() const;

  struct Sketches {
    std::vector<std::uint8_t> judged;  // 0: null, or too short to judge; its lanes and keys have no meaning
    std::vector<std::uint8_t> lanes;   // lanes() bytes per document: the low bytes of its signature
    std::vector<std::uint32_t> keys;   // bands().bands keys per document
  };
  // `template_of` is empty, or has the number of a template for each text.
  Sketches sketches(const TextColumn& texts, std::span<const std::uint32_t> template_of, const Context& context) const;

  // Judges by the lanes of two documents, lanes() bytes each. Very rarely false for two that are similar.
  bool may_match(const std::uint8_t* a, const std::uint8_t* b) const;

  // Compares pairs of rows, the later document first. Sort the pairs: the windows of a text are cached for the pairs
  // that follow, as far as memory allows. The similarity of a pair with a null is 0. Throws Error(invalid_argument)
  // for a row that does not exist.
  std::vector<TextMatch> compare(const TextColumn& texts, std::span<const std::uint32_t> template_of,
                                 std::span<const IndexPair> pairs, const Context& context) const;

  // Computes the template of a source: the windows, in ascending order, that many of the otherwise different texts of
  // a sample share. The texts of the sample must be in order of their digests (digest.h), chosen as TemplateSample
  // says.
  std::vector<std::uint64_t> find_template(const TextColumn& sample, const Context& context) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

// The sample of a source consists of its documents with the least digests, each text once. Documents that are not
// judged, are exact copies, or are too long are not in it. Samples are drawn in order of the sources' sizes, largest
// first, and of their numbers if the sizes are equal, until there is no more room.
struct TemplateSample {
  static constexpr std::size_t kLeastDocuments = 8;           // a source with fewer documents has no template
  static constexpr std::size_t kMostDocuments = 100;          // in a sample
  static constexpr std::uint64_t kDocumentBytes = 256 << 10;  // of a document that may be in a sample
  static constexpr std::uint64_t kSourceBytes = 2 << 20;      // of a sample: the documents after these are not in it
  static constexpr std::uint64_t kAllBytes = 16 << 20;        // of all samples together,
  static constexpr std::uint64_t kShareOfText = 64;           // or this fraction of all text, if that is more
  static constexpr std::size_t kMostSources = 4096;           // that have samples: the largest
  static constexpr std::size_t kMostWindows = 1 << 20;        // of all templates together: one that exceeds this is
                                                              // ignored
};

// The number of the source that a web address names: its host, ignoring case and "www.". 0 if `id` is not a web
// address.
std::uint64_t site_of_address(std::string_view id);

// ---- Which documents meet.

// A document in a band.
struct BandEntry {
  std::uint64_t group = 0;  // the number of the band, shifted left by 32, plus the document's key in it
  std::uint64_t rank = 0;   // 0 is the best rank
};

// Walks the groups of one round. Not thread-safe.
class MeetingPlan {
 public:
  explicit MeetingPlan(unsigned round);  // from 1
  ~MeetingPlan();
  MeetingPlan(const MeetingPlan&) = delete;
  MeetingPlan& operator=(const MeetingPlan&) = delete;

  // Adds more entries, which must come in order of group and then of rank; a group may continue in the next call.
  // Appends to `pairs` the ranks of the documents to compare, the later one first, and to `crowd` the entries of
  // groups that are too large for all their members to be compared.
  void add(std::span<const BandEntry> entries, std::vector<IndexPair>& pairs, std::vector<BandEntry>& crowd);

  // The group in which an entry of the crowd meets others once more: `other` is its document's key in the band that
  // other_band() returns.
  static std::uint64_t crowd_group(std::uint64_t group, std::uint32_t other);
  static unsigned other_band(unsigned band, unsigned bands, unsigned round);

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- Which documents are kept.

// Decides which documents are kept: each one, unless a better-ranked kept document covers it. Not thread-safe.
class KeptSet {
 public:
  struct Match {
    std::uint64_t later = 0;
    std::uint64_t earlier = 0;
    std::uint32_t longest_lost = 0;
    bool covered = false;
  };

  KeptSet();
  ~KeptSet();
  KeptSet(const KeptSet&) = delete;
  KeptSet& operator=(const KeptSet&) = delete;

  // Adds more similar pairs, in order of `later` and then `earlier`; all pairs of one later document must come in one
  // call. Appends the positions in `matches` of the pairs that decide: for a removed document, the first pair whose
  // earlier document is kept and covers it; for one that is kept although a kept document is similar to it, the first
  // pair with the least longest_lost.
  void add(std::span<const Match> matches, std::vector<std::uint64_t>& deciding);

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace refrain
