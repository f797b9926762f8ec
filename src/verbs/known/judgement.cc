#include "verbs/known/judgement.h"

#include <algorithm>
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

namespace {

constexpr const char* kTemplatesOfLibrary = "the templates that the library knows";

}  // namespace

Templates::Templates(library::Reader& reader, const Templates* before, MemoryBudget& budget) {
  const std::vector<library::SegmentInfo>& segments = reader.manifest().segments;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::uint64_t number = segments[i].number;
    std::shared_ptr<const OfSegment> known;
    if (before != nullptr)
      for (const auto& [other, sources] : before->segments_)
        if (other == number) known = sources;
    if (!known) {
      auto made = std::make_shared<OfSegment>();
      made->memory = budget.reserve(0, kTemplatesOfLibrary);
      reader.for_each_source(i, [&](std::uint32_t source, const library::Source& of) {
        if (of.left_out.empty()) return;
        made->memory.resize(made->memory.bytes() + sizeof(SourceTemplate) + of.name.size() +
                                of.left_out.size() * sizeof(std::uint64_t) +
                                text::LeftOut::memory_bytes(of.left_out.size()),
                            kTemplatesOfLibrary);
        made->sources.push_back({source, of.name, of.left_out, text::LeftOut(of.left_out)});
      });
      known = std::move(made);
    }
    segments_.emplace_back(number, std::move(known));
    const std::shared_ptr<const OfSegment>& of = segments_.back().second;
    for (const SourceTemplate& source : of->sources)
      by_name_.try_emplace(source.name, std::shared_ptr<const SourceTemplate>(of, &source));
  }
}

std::shared_ptr<const SourceTemplate> Templates::of(const std::string& source) const {
  const auto found = by_name_.find(source);
  return found == by_name_.end() ? nullptr : found->second;
}

const text::LeftOut* Templates::of(std::size_t segment, std::uint32_t source) const {
  const std::vector<SourceTemplate>& sources = segments_.at(segment).second->sources;
  const auto found = std::ranges::lower_bound(sources, source, {}, &SourceTemplate::source);
  return found == sources.end() || found->source != source ? nullptr : &found->left_out;
}

}  // namespace refrain::verbs::known
