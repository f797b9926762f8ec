// The rule by which a new document is compared with known ones, for whoever has their texts: keys and signatures propose,
// the texts decide, and of all that match the best-ranked one is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engines/sketch/loss.h"
#include "engines/sketch/minhash.h"
#include "refrain/dedup.h"
#include "refrain/digest.h"

namespace refrain::verbs::known {

// Known documents of one key that are looked at, the best-ranked.
inline constexpr std::size_t kMostOfKey = 256;
// Of one document no more known ones are compared, the best-ranked.
inline constexpr std::size_t kMostMatches = 64;

// A known document that may match.
struct Proposal {
  bool exact = false;   // they have the same digest
  double estimate = 1;  // of their similarity, by their signatures
};

// Immutable; threads may share one.
class Proposer {
 public:
  Proposer(unsigned lanes, double threshold)
      : lanes_(lanes), least_(lanes == 0 ? 0 : sketch::least_equal(threshold, lanes)) {}

  // What is to be thought of a known document that has a key in common with a new one; nothing: it cannot match. A
  // signature is empty where the text is too short to have one.
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

// What came of comparing a document with a known one.
struct Verdict {
  enum Kind : std::uint32_t {
    exact,
    near,
    own_text,  // similar, but kept for what the known one does not hold
    gone,      // the text of the known one is: nobody can tell
  };
  double similarity = 0;
  sketch::Loss loss = {};
  std::uint32_t kind = exact;
  std::uint32_t trusted = 0;  // 1: the text of the known one is gone, and its signature was believed

  bool removes() const { return kind == exact || kind == near; }
  // Whether it says more of its document than `before`, whose known document ranks better.
  bool says_more(const Verdict& before) const {
    if (before.removes()) return kind == exact && before.kind != exact;
    if (kind != before.kind) return kind < before.kind;
    return kind == own_text && loss.longest < before.loss.longest;
  }
};

struct JudgeRules {
  double threshold = kDefaultThreshold;
  std::uint32_t max_loss = kDefaultMaxLoss;
  bool exact = true;              // copies count
  bool near = true;               // so do texts that are similar
  bool trust_signatures = false;  // where the text of the known one is gone
};

// `there`: whether the text of the known one is. same() compares the texts, similarity() is theirs (anything below the
// threshold where it is less), loss() is what would be lost. Nothing: no match.
template <class Same, class Similarity, class Lost>
std::optional<Verdict> judge(const JudgeRules& rules, const Proposal& proposal, bool there, Same same,
                             Similarity similarity, Lost loss) {
  Verdict verdict;
  if (!there) {
    if (!proposal.exact && proposal.estimate < rules.threshold) return std::nullopt;
    verdict.similarity = proposal.estimate;
    verdict.trusted = rules.trust_signatures ? 1 : 0;
    verdict.kind = !rules.trust_signatures ? Verdict::gone : proposal.exact ? Verdict::exact : Verdict::near;
    return verdict;
  }
  if (rules.exact && proposal.exact && same()) {
    verdict.similarity = 1;
    return verdict;
  }
  if (!rules.near) return std::nullopt;
  verdict.similarity = similarity();
  if (verdict.similarity < rules.threshold) return std::nullopt;
  verdict.loss = loss();
  verdict.kind = sketch::covers(verdict.loss, rules.max_loss, rules.threshold) ? Verdict::near : Verdict::own_text;
  return verdict;
}

}  // namespace refrain::verbs::known
