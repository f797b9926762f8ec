#include "verbs/dedup/state/overrides.h"

#include <algorithm>
#include <utility>

#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {
constexpr const char* kWhat = "the overrides";
}

RunOverrides::RunOverrides(const std::vector<Override>& live, const std::filesystem::path& file, MemoryBudget& budget)
    : live_(live),
      targets_(live.empty() ? Array<overrides::Target>(budget, kWhat)
                            : run::load_column<overrides::Target>(file, budget, kWhat)) {}

std::span<const overrides::Target> RunOverrides::of(DocId document) const {
  if (targets_.empty()) return {};
  const auto [first, last] = std::equal_range(targets_.begin(), targets_.end(), overrides::Target{.document = document},
                                              [](const auto& a, const auto& b) { return a.document < b.document; });
  return {first, last};
}

bool RunOverrides::has(DocId document, OverrideOp op) const {
  return std::ranges::any_of(of(document), [&](const auto& target) { return live_[target.line].op == op; });
}

bool RunOverrides::separates(DocId a, DocId b) const {
  std::span<const overrides::Target> few = of(a);
  if (few.empty()) return false;
  std::span<const overrides::Target> many = of(b);
  if (few.size() > many.size()) std::swap(few, many);
  return std::ranges::any_of(few, [&](const overrides::Target& target) {
    if (live_[target.line].op != OverrideOp::never) return false;
    const overrides::Target other{.document = many.front().document, .line = target.line, .side = 1 - target.side};
    return std::ranges::binary_search(many, other);
  });
}

std::vector<DocId> RunOverrides::survivors() const {
  std::vector<DocId> all;
  for (const overrides::Target& target : targets_)
    if (live_[target.line].op == OverrideOp::survivor && (target.document & kKnownTarget) == 0 &&
        (all.empty() || all.back() != target.document))
      all.push_back(target.document);
  return all;
}

const Override* RunOverrides::decisive(DocId document) const {
  const Override* first = nullptr;
  for (const overrides::Target& target : of(document)) {
    const Override& line = live_[target.line];
    if (first == nullptr || (first->op == OverrideOp::never && line.op != OverrideOp::never) ||
        (first->op == OverrideOp::keep && line.op == OverrideOp::survivor))
      first = &line;
  }
  return first;
}

}  // namespace refrain::verbs::dedup
