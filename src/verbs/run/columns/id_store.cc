#include "verbs/run/columns/id_store.h"

#include <algorithm>

#include "verbs/run/tsv.h"

namespace refrain::verbs::run {

void IdStore::add(const corpus::BatchIds& ids, DocId first) {
  if (ids.ordinals && !segments_.empty() && segments_.back().ordinals) return;
  segments_.push_back({first, ids.ordinals, bytes_.size(), ends_.size()});
  if (ids.ordinals) return;
  bytes_.append(std::span<const char>(ids.bytes));
  for (const std::uint64_t end : ids.ends) ends_.push_back(static_cast<std::uint32_t>(end));
}

std::string IdStore::id(DocId document) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), document,
                                      [](DocId value, const Segment& segment) { return value < segment.first; });
  const Segment& segment = *(after - 1);
  if (segment.ordinals) return std::to_string(document);
  const std::size_t i = document - segment.first;
  const std::uint32_t begin = i == 0 ? 0 : ends_[segment.base + i - 1];
  return {bytes_.data() + segment.begin + begin, ends_[segment.base + i] - begin};
}

void IdStore::append_escaped_id(std::string& out, DocId document) const {
  append_escaped(out, id(document));
}

}  // namespace refrain::verbs::run
