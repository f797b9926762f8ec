// The rules by which a new document is compared with known ones: keys and signatures propose candidates, the texts
// decide, and of all matches the best-ranked one is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "engines/library/reader.h"
#include "engines/sketch/comparer.h"
#include "engines/sketch/minhash.h"
#include "refrain/dedup.h"
#include "refrain/digest.h"
#include "text/windows.h"

namespace refrain::verbs::known {

// The most known documents that are considered per band key, the best-ranked.
inline constexpr std::uint32_t kMostOfKey = 256;
// The most known documents that are compared with one document because they may be similar, the best-ranked. Copies
// of it, which have its digest, are compared first and do not count, so many similar documents never hide a copy.
inline constexpr std::size_t kMostMatches = 64;

// Appends the probes for a document. `keys` are its keys, beginning with that of its digest. All documents with its
// digest are found, however many there are.
inline void append_probes(std::span<const std::uint64_t> keys, std::uint32_t asker,
                          std::vector<library::Probe>& probes) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    probes.push_back({keys[i], asker, i == 0 ? library::kAllOfKey : kMostOfKey});
}
inline bool is_of_digest(const library::Probe& probe) {
  return probe.most == library::kAllOfKey;
}

// Adds a copy to those that are compared. Copies are added in order of rank; usually there is only one. If there
// are very many, the best-ranked ones and the last one are compared, because the last one was added when the texts
// of the others were gone.
inline void add_copy(library::KnownId copy, std::vector<library::KnownId>& copies) {
  if (copies.size() < kMostMatches)
    copies.push_back(copy);
  else
    copies.back() = copy;
}

// A known document that may match.
struct Proposal {
  bool exact = false;   // the digests are equal
  double estimate = 1;  // similarity, estimated from the signatures
};

// Immutable; threads may share one.
class Proposer {
 public:
  Proposer(unsigned lanes, double threshold)
      : lanes_(lanes), least_(lanes == 0 ? 0 : sketch::least_equal(threshold, lanes)) {}

  // Judges a known document that has a key in common with a new one. Returns nothing if it cannot match. A
  // signature is empty if the text is too short to have one.
  std::optional<Proposal> operator()(const Digest& text, std::span<const std::uint8_t> signature, const Digest& known,
                                     std::span<const std::uint8_t> known_signature) const {
    if (text == known) return Proposal{.exact = true};
    if (lanes_ == 0 || signature.size() != lanes_ || known_signature.size() != lanes_) return std::nullopt;
    const unsigned equal = sketch::equal_bytes(known_signature.data(), signature.data(), lanes_);
    if (equal < least_) return std::nullopt;
    return Proposal{.estimate = sketch::similarity_of(equal, lanes_)};
  }

 private:
  const unsigned lanes_;
  const unsigned least_;
};

// The result of comparing a document with a known one.
struct Verdict {
  enum Kind : std::uint32_t {
    exact,
    near,
    own_text,  // similar, but kept because of text that the known one lacks
    gone,      // the text of the known one is gone, so nothing can be verified
  };
  double similarity = 0;
  sketch::Loss loss = {};
  std::uint32_t kind = exact;
  std::uint32_t trusted = 0;  // 1: the text of the known one is gone, and its signature was trusted

  bool removes() const { return kind == exact || kind == near; }
  // Whether this verdict is more informative than `before`, whose known document ranks better.
  bool is_better_than(const Verdict& before) const {
    if (before.removes()) return kind == exact && before.kind != exact;
    if (kind != before.kind) return kind < before.kind;
    return kind == own_text ? loss.longest < before.loss.longest : similarity > before.similarity;
  }
};

struct JudgeRules {
  sketch::MatchRule match = {};
  bool exact = true;              // copies match
  bool trust_signatures = false;  // if the text of the known one is gone
};

// Judges a proposal: that `document` may match `known`, both keys of `texts`. `there` says whether the text of the
// known document still exists. `comparer` compares `texts` by the rule; if it is null, only copies match. Returns
// nothing if they do not match.
std::optional<Verdict> judge(const JudgeRules& rules, const Proposal& proposal, bool there, std::uint64_t document,
                             std::uint64_t known, sketch::KeyedTexts& texts, sketch::Comparer* comparer);

// A library records the templates of its sources: text that is left out when documents of a source are compared.
struct SourceTemplate {
  std::uint32_t source;  // its number in the segment
  std::string name;
  std::vector<std::uint64_t> windows;  // never empty
  text::LeftOut left_out;
};

// Immutable; threads may share one.
class Templates {
 public:
  // Reads the templates of all segments of `reader`. Segments that `before` contains are not read again; it may be
  // null.
  Templates(library::Reader& reader, const Templates* before, MemoryBudget& budget);

  // Returns the template for new documents of this source, from the first segment that has one, or null if there is
  // none.
  std::shared_ptr<const SourceTemplate> of(const std::string& source) const;
  // Returns what is left out of a document of that segment, or null if nothing is.
  const text::LeftOut* of(std::size_t segment, std::uint32_t source) const;

 private:
  struct OfSegment {
    Reservation memory;
    std::vector<SourceTemplate> sources;  // ascending by number
  };
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const OfSegment>>> segments_;  // with their numbers
  // Ordered, not hashed, because others choose the names and could make their hashes collide.
  std::map<std::string_view, std::shared_ptr<const SourceTemplate>> by_name_;
};

}  // namespace refrain::verbs::known
