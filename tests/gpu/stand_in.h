// A device that computes on the CPU what a GPU would, for tests without a GPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engines/cuda/device.h"
#include "refrain/kernels.h"

namespace refrain::gpu_test {

// Leaves texts with a 'q' to the CPU.
class StandInLane final : public cuda::Lane {
 public:
  StandInLane(const cuda::SketchRule& rule, const cuda::LaneSize& size)
      : rule_(rule),
        fingerprinter_(windows()),
        minhasher_({.windows = windows()}),
        text_(size.text_bytes),
        offsets_(size.texts + 1),
        results_(size.texts * rule.result_bytes()),
        outcomes_(size.texts),
        digests_(size.texts) {}

  std::span<char> text() override { return text_; }
  std::span<std::uint64_t> offsets() override { return offsets_; }
  void start(std::size_t texts) override {
    started_ = texts;
    std::ranges::fill(results_, std::uint8_t{0xEE});
    std::ranges::fill(outcomes_, std::uint8_t{0xEE});
  }
  void wait() override {
    for (std::size_t i = 0; i < started_; ++i) {
      const std::string_view text(text_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]);
      const bool made = sketch(text, results_.data() + i * rule_.result_bytes());
      outcomes_[i] = text.find('q') != std::string_view::npos ? 2 : made ? 1 : 0;
      digests_[i] = digest(text);
    }
  }
  const std::uint8_t* results() const override { return results_.data(); }
  const std::uint8_t* outcomes() const override { return outcomes_.data(); }
  const Digest* digests() const override { return rule_.digests ? digests_.data() : nullptr; }
  Times times() const override { return {1, 2}; }

 private:
  FingerprintOptions windows() const {
    return {.tokenizer = rule_.tokenizer,
            .hash = rule_.hash,
            .window = rule_.window,
            .seed = rule_.seed,
            .tie_sets_bit = rule_.tie_sets_bit};
  }
  bool sketch(std::string_view text, std::uint8_t* result) const {
    if (rule_.factors.empty()) {
      const std::optional<std::uint64_t> hash = fingerprinter_(text);
      if (hash) std::memcpy(result, &*hash, sizeof *hash);
      return hash.has_value();
    }
    std::vector<std::uint32_t> signature(cuda::kSignatureLanes);
    std::vector<std::uint32_t> keys(rule_.bands);
    const bool made = minhasher_(text, signature.data());
    for (const std::uint32_t lane : signature) *result++ = static_cast<std::uint8_t>(lane);
    band_keys({rule_.bands, rule_.rows}, signature, keys.data());
    std::memcpy(result, keys.data(), keys.size() * sizeof keys[0]);
    return made;
  }

  cuda::SketchRule rule_;
  Fingerprinter fingerprinter_;
  MinHasher minhasher_;
  std::size_t started_ = 0;
  std::vector<char> text_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint8_t> results_;
  std::vector<std::uint8_t> outcomes_;
  std::vector<Digest> digests_;
};

class StandIn final : public cuda::Device {
 public:
  StandIn() {
    info_.name = "stand-in";
    info_.architecture = "0.0";
    info_.memory_bytes = info_.free_bytes = std::uint64_t{1} << 30;
  }
  const DeviceInfo& info() const override { return info_; }
  std::uint64_t device_bytes(const cuda::SketchRule&, const cuda::LaneSize& size) const override {
    return 2 * size.text_bytes;
  }
  std::uint64_t host_bytes(const cuda::SketchRule&, const cuda::LaneSize& size) const override {
    return size.text_bytes;
  }
  std::unique_ptr<cuda::Lane> lane(const cuda::SketchRule& rule, const cuda::LaneSize& size) const override {
    const std::lock_guard lock(mutex_);
    sizes.push_back(size);
    return std::make_unique<StandInLane>(rule, size);
  }

  // Hashes that agree in the first block form a long run; all other pairs are found one by one.
  bool join(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
            const cuda::JoinMemory& /*memory*/, const cuda::JoinReceiver& take) const override {
    take.step(0);
    std::vector<std::uint64_t> pairs;
    for (std::size_t i = 0; i < hashes.size(); ++i)
      for (std::size_t j = i + 1; j < hashes.size(); ++j)
        if (((hashes[i] ^ hashes[j]) & masks[0]) != 0 &&
            static_cast<unsigned>(std::popcount(hashes[i] ^ hashes[j])) <= distance)
          pairs.insert(pairs.end(), {hashes[j], hashes[i]});
    take.step(pairs.size() * sizeof pairs[0]);
    take.pairs(pairs);
    std::vector<std::uint64_t> sorted(hashes.begin(), hashes.end());
    const auto key = [&](std::uint64_t hash) { return hash & masks[0]; };
    std::ranges::sort(sorted, {}, key);
    for (auto begin = sorted.begin(); begin != sorted.end();) {
      const auto end = std::ranges::upper_bound(begin, sorted.end(), key(*begin), {}, key);
      take.run({begin, end}, {});
      begin = end;
    }
    return true;
  }

  mutable std::vector<cuda::LaneSize> sizes;  // the sizes of all lanes so far

 private:
  DeviceInfo info_;
  mutable std::mutex mutex_;
};

}  // namespace refrain::gpu_test
