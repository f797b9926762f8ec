// Kernels of dedup: what it keeps of a document, which documents meet, and whether one may go for another.
//
// For callers that shuffle by their own means and want the kept set of dedup, document by document: pyrefrain.spark is one.
// The plain kernels (kernels.h, pairs.h) do without templates, loss and crowds. The steps are those of dedup:
//
//   1. sketches() of all documents; group by `group` those that are judged, and walk each group in order of rank with a
//      MeetingPlan. Its crowd is grouped once more, by crowd_group(), and walked with another one.
//   2. Drop pairs that may_match() rules out; compare() the texts of the others.
//   3. Rank by rank: keep a document unless one that is kept is similar to it and covers it (KeptSet).
//   4. If there were crowds: the documents of the crowds that are kept meet again, in the next round, whose pairs are
//      others; and so on.
//
// Memory, threads and stopping work as kernels.h says.
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

// As DedupOptions has them.
struct DocumentMatchOptions {
  FingerprintOptions windows = {.window = 5};
  double threshold = kDefaultThreshold;
  double recall = 0.95;
  unsigned lanes = kDefaultLanes;
  std::uint32_t max_loss = kDefaultMaxLoss;
};

// The similarity of two texts, and what is lost if the later goes and the earlier stays.
struct TextMatch {
  double similarity = 0;  // 0 where it is below the threshold
  std::uint32_t lost = 0;
  std::uint32_t longest_lost = 0;
  float as_written = 1;  // the similarity where symbols count, if they were looked at
  bool covered = false;  // the later one may go: longest_lost is at most max_loss, and symbols do not tell them apart
  friend bool operator==(const TextMatch&, const TextMatch&) = default;
};

// Immutable and cheap to copy; threads may share one.
class DocumentMatcher {
 public:
  // `templates`: of each source that has one, what is not compared, as find_template() gives it. A document's template is
  // its number from 1, and 0 where nothing is left out.
  explicit DocumentMatcher(const DocumentMatchOptions& options,
                           std::span<const std::vector<std::uint64_t>> templates = {});
  ~DocumentMatcher();
  DocumentMatcher(const DocumentMatcher&);
  DocumentMatcher& operator=(const DocumentMatcher&);

  const Bands& bands() const;
  unsigned lanes() const;

  struct Sketches {
    std::vector<std::uint8_t> judged;  // 0: null, or too short to judge; the rest of it means nothing
    std::vector<std::uint8_t> lanes;   // lanes() for each document: the low bytes of its signature
    std::vector<std::uint32_t> keys;   // bands().bands for each
  };
  // `template_of` is empty, or has a number for each text.
  Sketches sketches(const TextColumn& texts, std::span<const std::uint32_t> template_of, const Context& context) const;

  // By the lanes of two documents. Hardly ever false for two that are similar.
  bool may_match(const std::uint8_t* a, const std::uint8_t* b) const;

  // Of pairs of rows, the later document first. Sort them: the windows of a text are remembered for the next ones, as far
  // as memory allows. A pair with a null gives 0. Error(invalid_argument) for a row that does not exist.
  std::vector<TextMatch> compare(const TextColumn& texts, std::span<const std::uint32_t> template_of,
                                 std::span<const IndexPair> pairs, const Context& context) const;

  // The template of a source: the windows that many of the otherwise different texts of a sample share, ascending. The
  // sample is in order of digests (digest.h), and drawn as TemplateSample says.
  std::vector<std::uint64_t> find_template(const TextColumn& sample, const Context& context) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

// The sample of a source are the documents with the least digests, each text once, of those that are judged, are no
// copies, and are not too long. Sources are drawn in order of size, those of equal size in order of their numbers, until
// there is no more room.
struct TemplateSample {
  static constexpr std::size_t kLeastDocuments = 8;           // of a source that has a template
  static constexpr std::size_t kMostDocuments = 100;          // of a sample
  static constexpr std::uint64_t kDocumentBytes = 256 << 10;  // of one that may be in a sample
  static constexpr std::uint64_t kSourceBytes = 2 << 20;      // of a sample: what comes after is left out
  static constexpr std::uint64_t kAllBytes = 16 << 20;        // of all samples together,
  static constexpr std::uint64_t kShareOfText = 64;           // or this part of all text where that is more
  static constexpr std::size_t kMostSources = 4096;           // the largest
  static constexpr std::size_t kMostWindows = 1 << 20;        // of all templates: one that is too much is left out
};

// The number of the source that a web address names: its host, without regard to case and "www.". 0 if `id` is none.
std::uint64_t site_of_address(std::string_view id);

// ---- Who meets whom.

// A document in a band.
struct BandEntry {
  std::uint64_t group = 0;  // the number of the band, shifted by 32, and the document's key there
  std::uint64_t rank = 0;   // 0 is the best
};

// Walks the groups of a round. Not thread-safe.
class MeetingPlan {
 public:
  explicit MeetingPlan(unsigned round);  // from 1
  ~MeetingPlan();
  MeetingPlan(const MeetingPlan&) = delete;
  MeetingPlan& operator=(const MeetingPlan&) = delete;

  // More entries, in order of group and then of rank. Appends pairs of ranks, the later one first; and to `crowd` the
  // entries of groups too large for all to meet.
  void add(std::span<const BandEntry> entries, std::vector<IndexPair>& pairs, std::vector<BandEntry>& crowd);

  // In which group an entry of the crowd meets others once more: `other` is its document's key in the band that
  // other_band() names.
  static std::uint64_t crowd_group(std::uint64_t group, std::uint32_t other);
  static unsigned other_band(unsigned band, unsigned bands, unsigned round);

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- Who is kept.

// Each document, unless one before it that is kept covers it. Not thread-safe.
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

  // More similar pairs in order of `later` and then `earlier`; those of one later document come in one call. Appends the
  // places of the pairs that decide: where a document is removed, the first that covers it; where it is kept although a
  // kept one is similar, the first of those that lack the least of it.
  void add(std::span<const Match> matches, std::vector<std::uint64_t>& deciding);

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace refrain
