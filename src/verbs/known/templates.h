// What is left out of the documents of a source when they are compared, according to a library.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "engines/library/reader.h"
#include "text/left_out.h"

namespace refrain::verbs::known {

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
