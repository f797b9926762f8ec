// Tests the join with a stand-in for the GPU that computes on the CPU and can be made to fail.
#include "verbs/join/join.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "gpu/failing.h"
#include "gpu/stand_in.h"
#include "refrain/error.h"

namespace refrain::verbs::join {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

std::vector<std::uint64_t> near_hashes() {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t hash = random();
    hashes.insert(hashes.end(), {hash, hash ^ 1, hash ^ (std::uint64_t{1} << random() % 63 << 1)});
  }
  std::ranges::sort(hashes);
  const auto same = std::ranges::unique(hashes);
  hashes.erase(same.begin(), same.end());
  return hashes;
}

struct Joined {
  Pairs pairs;
  DeviceReport report;
};

Joined joined(DeviceKind kind, const OpenDevice& open, const Context& context = {}) {
  const std::vector<std::uint64_t> hashes = near_hashes();
  MemoryBudget budget(context);
  std::mutex mutex;
  Joined all;
  const auto emit = [&](unsigned, std::uint64_t a, std::uint64_t b) {
    const std::lock_guard lock(mutex);
    all.pairs.emplace_back(a, b);
  };
  join_fingerprints(hashes, {}, {.kind = kind}, context, budget, emit, all.report, open);
  std::ranges::sort(all.pairs);
  EXPECT_EQ(budget.reserved(), 0U);
  return all;
}

std::shared_ptr<const cuda::Device> stand_in() {
  return std::make_shared<gpu_test::StandIn>();
}

[[noreturn]] void fail(const std::string& call) {
  throw Error(Errc::io, "stand-in: " + call + ": unspecified launch failure");
}

TEST(DeviceJoin, HasThePairsOfTheCpu) {
  const Joined cpu = joined(DeviceKind::cpu, [] { return nullptr; });
  EXPECT_GT(cpu.pairs.size(), 500U);
  const Joined gpu = joined(DeviceKind::cuda, stand_in);
  EXPECT_EQ(gpu.pairs, cpu.pairs);
  EXPECT_EQ(gpu.report.joined, near_hashes().size());
  EXPECT_EQ(gpu.report.failed, "");
}

TEST(DeviceJoin, TheCpuGoesOnWhereAutoMeetsAGpuThatFails) {
  const Pairs expected = joined(DeviceKind::cpu, [] { return nullptr; }).pairs;
  const gpu_test::Faults faults("join", 1, fail);
  const OpenDevice broken = []() -> std::shared_ptr<const cuda::Device> { fail("open"); };
  const OpenDevice breaking = [&] {
    return std::make_shared<gpu_test::FailingDevice>(std::make_unique<gpu_test::StandIn>(), faults);
  };
  for (const OpenDevice& open : {broken, breaking}) {
    const Joined got = joined(DeviceKind::automatic, open);
    EXPECT_EQ(got.pairs, expected);
    EXPECT_EQ(got.report.joined, 0U);
    EXPECT_NE(got.report.failed.find("unspecified launch failure"), std::string::npos);
  }
  EXPECT_THROW(joined(DeviceKind::cuda, broken), Error);
}

// Emits some of the pairs, then fails.
class Halfway final : public cuda::Device {
 public:
  const DeviceInfo& info() const override { return inner_.info(); }
  std::uint64_t device_bytes(const cuda::SketchRule& rule, const cuda::LaneSize& size) const override {
    return inner_.device_bytes(rule, size);
  }
  std::uint64_t host_bytes(const cuda::SketchRule& rule, const cuda::LaneSize& size) const override {
    return inner_.host_bytes(rule, size);
  }
  std::unique_ptr<cuda::Lane> lane(const cuda::SketchRule& rule, const cuda::LaneSize& size) const override {
    return inner_.lane(rule, size);
  }
  bool join(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> /*masks*/, unsigned /*distance*/,
            const cuda::JoinMemory& /*memory*/, const cuda::JoinReceiver& take) const override {
    take.step(16);
    take.pairs(hashes.subspan(0, 2));
    fail("join");
  }

 private:
  gpu_test::StandIn inner_;
};

TEST(DeviceJoin, PairsThatWereEmittedAreNotEmittedAgain) {
  EXPECT_THROW(joined(DeviceKind::automatic, [] { return std::make_shared<Halfway>(); }), Error);
}

TEST(DeviceJoin, StopsWhenItIsTold) {
  std::stop_source source;
  source.request_stop();
  Context context;
  context.stop = source.get_token();
  try {
    joined(DeviceKind::cuda, stand_in, context);
    FAIL() << "not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
}

}  // namespace
}  // namespace refrain::verbs::join
