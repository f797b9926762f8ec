// The kernel that decides who is kept, match by match, as find/decide.cc does for all documents.
#include <algorithm>
#include <unordered_set>

#include "refrain/matches.h"

namespace refrain {

struct KeptSet::Impl {
  std::unordered_set<std::uint64_t> removed;
};

KeptSet::KeptSet() : impl_(new Impl) {}
KeptSet::~KeptSet() = default;

void KeptSet::add(std::span<const Match> matches, std::vector<std::uint64_t>& deciding) {
  for (auto now = matches.begin(); now != matches.end();) {
    const auto end = std::find_if(now, matches.end(), [&](const Match& match) { return match.later != now->later; });
    auto best = end;
    for (; now != end; ++now) {
      if (impl_->removed.contains(now->earlier)) continue;
      if (now->covered) {
        impl_->removed.insert(now->later);
        best = now;
        break;
      }
      if (best == end || now->longest_lost < best->longest_lost) best = now;
    }
    if (best != end) deciding.push_back(static_cast<std::uint64_t>(best - matches.begin()));
    now = end;
  }
}

}  // namespace refrain
