#include "engines/cuda/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "refrain/error.h"

namespace refrain::cuda {

namespace {

constexpr std::size_t kMostLaneBytes = std::size_t{2} << 20;  // several times the size of a reader's batch
constexpr std::size_t kLeastLaneBytes = std::size_t{256} << 10;

// Allows enough texts to fill a lane with short ones, unless their results would be much larger than the texts.
LaneSize lane_of(std::size_t text_bytes, const SketchRule& rule) {
  return {text_bytes, text_bytes / std::max<std::size_t>(32, rule.result_bytes() / 2)};
}

class Clock {
 public:
  // Adds the time since the last call, or since construction, to `seconds`.
  void add_to(double& seconds) {
    const auto now = std::chrono::steady_clock::now();
    seconds += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Copies the text, and returns whether all of it is ASCII.
bool copy_ascii(std::string_view from, char* to) {
  std::memcpy(to, from.data(), from.size());
  unsigned char any = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    any = static_cast<unsigned char>(any | static_cast<unsigned char>(to[i]));
  return any < 128;
}

}  // namespace

std::string bound_by(const DeviceReport& report, double seconds, unsigned threads) {
  const double reading = seconds * threads - report.staging_seconds - report.cpu_seconds - report.waiting_seconds;
  const double most = std::max({reading, report.staging_seconds, report.cpu_seconds, report.waiting_seconds});
  if (most == report.waiting_seconds) return report.copy_seconds > report.kernel_seconds ? "copy" : "kernel";
  return most == reading ? "reading" : most == report.cpu_seconds ? "cpu" : "staging";
}

Feed::Feed(std::shared_ptr<const Device> device, const SketchRule& rule, unsigned threads, std::uint64_t device_memory,
           MemoryBudget& budget)
    : Feed(device, rule, threads, LaneSize{}) {
  const std::uint64_t on_device = device_memory != 0 ? device_memory : device->info().free_bytes / 2;
  const std::uint64_t on_host = budget.available() / 4;
  std::size_t bytes = kMostLaneBytes;
  const auto fits = [&] {
    const LaneSize size = lane_of(bytes, rule);
    return threads * device->device_bytes(rule, size) <= on_device &&
           threads * device->host_bytes(rule, size) <= on_host;
  };
  while (bytes > kLeastLaneBytes && !fits()) bytes /= 2;
  size_ = lane_of(bytes, rule);
  if (threads * device->device_bytes(rule, size_) > on_device)
    throw Error(Errc::over_budget,
                fmt::format("`device_memory` {}: not enough for {} threads; use at least {}", human_bytes(on_device),
                            threads, human_bytes(threads * device->device_bytes(rule, size_))));
  reservation_ = budget.reserve(threads * device->host_bytes(rule, size_), "the texts on their way to the GPU");
}

Feed::Feed(std::shared_ptr<const Device> device, const SketchRule& rule, unsigned threads, const LaneSize& size)
    : device_(std::move(device)), rule_(rule), size_(size), workers_(threads) {}

std::size_t Feed::fill(Worker& worker, const TextBatch& texts, std::size_t first) const {
  worker.sent.clear();
  worker.kept.clear();
  const std::span<char> room = worker.lane->text();
  const std::span<std::uint64_t> offsets = worker.lane->offsets();
  std::size_t used = 0;
  offsets[0] = 0;
  for (; first < texts.size(); ++first) {
    const std::string_view text = texts[first];
    if (text.size() > room.size()) {
      worker.kept.push_back(first);
      continue;
    }
    if (text.size() > room.size() - used || worker.sent.size() + 1 == offsets.size()) break;
    if (!copy_ascii(text, room.data() + used) && rule_.ascii_only()) {
      worker.kept.push_back(first);
      continue;
    }
    used += text.size();
    worker.sent.push_back(first);
    offsets[worker.sent.size()] = used;
  }
  worker.report.bytes += used;
  worker.report.documents += worker.sent.size();
  return first;
}

void Feed::run(unsigned number, const TextBatch& texts, const Take& take, const OnCpu& on_cpu) {
  Worker& worker = workers_[number];
  if (!worker.lane) worker.lane = device_->lane(rule_, size_);
  Clock clock;
  for (std::size_t next = 0; next < texts.size();) {
    next = fill(worker, texts, next);
    if (!worker.sent.empty()) worker.lane->start(worker.sent.size());
    clock.add_to(worker.report.staging_seconds);
    for (const std::size_t text : worker.kept) on_cpu(text);
    clock.add_to(worker.report.cpu_seconds);
    worker.report.left_to_cpu += worker.kept.size();
    if (worker.sent.empty()) continue;
    worker.lane->wait();
    clock.add_to(worker.report.waiting_seconds);
    const std::uint8_t* results = worker.lane->results();
    const std::uint8_t* outcomes = worker.lane->outcomes();
    const Digest* digests = worker.lane->digests();
    for (std::size_t i = 0; i < worker.sent.size(); ++i) {
      if (outcomes[i] >= static_cast<std::uint8_t>(Outcome::for_cpu)) {
        on_cpu(worker.sent[i]);
        ++worker.report.left_to_cpu;
        --worker.report.documents;
      } else {
        take(worker.sent[i], outcomes[i] == 0 ? nullptr : results + i * rule_.result_bytes(),
             digests == nullptr ? nullptr : digests + i);
      }
    }
    clock.add_to(worker.report.cpu_seconds);
  }
}

DeviceReport Feed::report(double seconds) const {
  DeviceReport all;
  all.name = device_->info().name;
  for (const Worker& worker : workers_) {
    all.documents += worker.report.documents;
    all.bytes += worker.report.bytes;
    all.left_to_cpu += worker.report.left_to_cpu;
    all.staging_seconds += worker.report.staging_seconds;
    all.waiting_seconds += worker.report.waiting_seconds;
    all.cpu_seconds += worker.report.cpu_seconds;
    if (!worker.lane) continue;
    const Lane::Times times = worker.lane->times();
    all.copy_seconds += times.copy_seconds;
    all.kernel_seconds += times.kernel_seconds;
  }
  all.bound_by = bound_by(all, seconds, static_cast<unsigned>(workers_.size()));
  return all;
}

}  // namespace refrain::cuda
