// What is left out of the documents of a source when they are compared, as far as a library knows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "engines/library/reader.h"
#include "text/left_out.h"

namespace refrain::verbs::known {

struct SourceTemplate {
  std::uint32_t source;  // its number in the segment
  std::string name;
  std::vector<std::uint64_t> windows;  // never none
  text::LeftOut left_out;
};

// Immutable; threads may share one.
class Templates {
 public:
  // Of all segments of the reader; those that `before` knows, which may be null, are not read again.
  Templates(library::Reader& reader, const Templates* before, MemoryBudget& budget);

  // Of new documents of that source: the first segment that has a template decides. Null: there is none.
  std::shared_ptr<const SourceTemplate> of(const std::string& source) const;
  // Of a document of that segment. Null: nothing is left out.
  const text::LeftOut* of(std::size_t segment, std::uint32_t source) const;

 private:
  struct OfSegment {
    Reservation memory;
    std::vector<SourceTemplate> sources;  // ascending
  };
  std::vector<std::pair<std::uint64_t, std::shared_ptr<const OfSegment>>> segments_;  // with their numbers
  std::unordered_map<std::string_view, std::shared_ptr<const SourceTemplate>> by_name_;
};

}  // namespace refrain::verbs::known
