// The decisions of people about the documents of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/overrides.h"
#include "refrain/text.h"
#include "verbs/overrides/targets.h"

namespace refrain::verbs::dedup {

// In the numbers by which targets name known documents; the rest is their number across all libraries.
inline constexpr DocId kKnownTarget = DocId{1} << 63U;

// Immutable; threads may share one.
class RunOverrides {
 public:
  // `file` holds the targets of the lines `live`, in order. It is not read if there are no such lines.
  RunOverrides(const std::vector<Override>& live, const std::filesystem::path& file, MemoryBudget& budget);

  bool removes(DocId document) const { return has(document, OverrideOp::remove); }
  // Whether it is kept even if it contains an item of the `against` set.
  bool keeps(DocId document) const { return has(document, OverrideOp::keep); }
  // Whether it is kept although other documents match it.
  bool pins(DocId document) const { return keeps(document) || has(document, OverrideOp::survivor); }
  // Whether the two do not match.
  bool separates(DocId a, DocId b) const;
  // The documents that rank before all others, in input order.
  std::vector<DocId> survivors() const;
  // The line that decided on the document: one that keeps or removes it, or else the first that separates it from
  // another. Null if there is none.
  const Override* decisive(DocId document) const;

 private:
  std::span<const overrides::Target> of(DocId document) const;
  bool has(DocId document, OverrideOp op) const;

  const std::vector<Override>& live_;
  Array<overrides::Target> targets_;
};

}  // namespace refrain::verbs::dedup
