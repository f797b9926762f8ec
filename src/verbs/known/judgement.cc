#include "verbs/known/judgement.h"

#include <string>

#include "base/attachment.h"

namespace refrain::verbs::known {

std::optional<Verdict> judge(const JudgeRules& rules, const Proposal& proposal, bool there, std::uint64_t document,
                             std::uint64_t known, sketch::KeyedTexts& texts, sketch::Comparer* comparer) {
  std::string one;
  std::string other;
  Verdict verdict;
  if (!there) {
    if (!proposal.exact && proposal.estimate < rules.match.threshold) return std::nullopt;
    verdict.similarity = proposal.estimate;
    // Signatures contain no information about attachments.
    const bool trusts = rules.trust_signatures && (proposal.exact || !has_attachments(texts.get(document, one)));
    verdict.trusted = trusts ? 1 : 0;
    verdict.kind = !trusts ? Verdict::gone : proposal.exact ? Verdict::exact : Verdict::near;
    return verdict;
  }
  if (rules.exact && proposal.exact && texts.get(document, one) == texts.get(known, other)) {
    verdict.similarity = 1;
    return verdict;
  }
  if (comparer == nullptr) return std::nullopt;
  verdict.similarity = comparer->similarity(document, known);
  if (verdict.similarity < rules.match.threshold) return std::nullopt;
  verdict.loss = comparer->loss(document, known);
  verdict.kind = rules.match.covers(verdict.loss) ? Verdict::near : Verdict::own_text;
  return verdict;
}

}  // namespace refrain::verbs::known
