// The kernel that goes through the groups of a band as a round of dedup does (near/minhash.cc).
#include "refrain/matches.h"
#include "verbs/dedup/near/pairs.h"

namespace refrain {

struct MeetingPlan::Impl {
  verbs::dedup::Group<BandEntry> group;
  std::uint64_t now = 0;
  bool begun = false;
};

MeetingPlan::MeetingPlan(unsigned round) : impl_(new Impl{verbs::dedup::Group<BandEntry>(round)}) {}
MeetingPlan::~MeetingPlan() = default;

void MeetingPlan::add(std::span<const BandEntry> entries, std::vector<IndexPair>& pairs,
                      std::vector<BandEntry>& crowd) {
  for (const BandEntry& entry : entries) {
    const bool first = !impl_->begun || entry.group != impl_->now;
    impl_->begun = true;
    impl_->now = entry.group;
    impl_->group.add(
        entry, first,
        [&](std::uint64_t later, std::uint64_t earlier) {
          pairs.push_back({later, earlier});
        },
        [&](const BandEntry& one) { crowd.push_back(one); });
  }
}

std::uint64_t MeetingPlan::crowd_group(std::uint64_t group, std::uint32_t other) {
  return group >> 32U << 32U | verbs::dedup::crowd_key(static_cast<std::uint32_t>(group), other);
}

unsigned MeetingPlan::other_band(unsigned band, unsigned bands, unsigned round) {
  return verbs::dedup::other_band(band, bands, round);
}

}  // namespace refrain
