// Feeds texts to a device: copies them there in portions that fit, and leaves the others to the CPU.
//
// Every thread has a lane. It fills the lane with texts and, while the device works on them, processes the texts
// that are for the CPU; meanwhile other threads read, parse and copy. So copies of some lanes overlap with kernels
// of others.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/budget.h"
#include "engines/cuda/device.h"
#include "refrain/text.h"

namespace refrain::cuda {

// Names the stage that took longest in a run of `seconds` seconds on `threads` threads.
std::string bound_by(const DeviceReport& report, double seconds, unsigned threads);

// Threads may share one object; each uses its own worker number.
class Feed {
 public:
  // Makes lanes for `threads` threads that fit into `device_memory` (0: half of the free device memory) and a
  // quarter of the available budget. Throws Error(over_budget) if that is too little for lanes of a useful size.
  Feed(std::shared_ptr<const Device> device, const SketchRule& rule, unsigned threads, std::uint64_t device_memory,
       MemoryBudget& budget);

  // For tests: uses lanes of the given size.
  Feed(std::shared_ptr<const Device> device, const SketchRule& rule, unsigned threads, const LaneSize& size);

  // `result` is null if the text is too short for one, `digest` if the rule does not ask for digests.
  using Take = std::function<void(std::size_t text, const std::uint8_t* result, const Digest* digest)>;
  using OnCpu = std::function<void(std::size_t text)>;
  // Calls either take() or on_cpu() once for every text, in any order.
  void run(unsigned worker, const TextBatch& texts, const Take& take, const OnCpu& on_cpu);

  // Reports all work so far, which took `seconds` seconds. No thread may be working.
  DeviceReport report(double seconds) const;

 private:
  struct Worker {
    std::unique_ptr<Lane> lane;
    DeviceReport report;
    std::vector<std::size_t> sent;
    std::vector<std::size_t> kept;
  };
  // Copies texts into the lane, from `first` on, until it is full. Returns the first text that it did not consider.
  std::size_t fill(Worker& worker, const TextBatch& texts, std::size_t first) const;

  std::shared_ptr<const Device> device_;
  SketchRule rule_;
  LaneSize size_;
  Reservation reservation_;  // the host memory of the lanes
  std::vector<Worker> workers_;
};

}  // namespace refrain::cuda
