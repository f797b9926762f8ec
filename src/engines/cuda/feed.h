// Texts on their way to a device and back: what is copied there, what is cut so that it fits, and what is left to the CPU.
//
// Every thread has a lane. It copies texts into it, as many as fit, and while the device works on them it sees to those
// that are for the CPU; meanwhile other threads read, parse and copy. So the copies of some run while the kernels of others
// do.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/budget.h"
#include "engines/cuda/device.h"
#include "refrain/text.h"

namespace refrain::cuda {

// What took longest, of `seconds` on `threads` threads.
std::string bound_by(const DeviceReport& report, double seconds, unsigned threads);

// Threads may share one; each calls with its own number.
class Feed {
 public:
  // Lanes for `threads` threads within `device_memory` (0: half of what is free) and a quarter of the budget that is left.
  // Error(over_budget) where that is not enough for lanes worth having.
  Feed(std::shared_ptr<const Device> device, const SketchRule& rule, unsigned threads, std::uint64_t device_memory,
       MemoryBudget& budget);

  // For tests: lanes of a given size.
  Feed(std::shared_ptr<const Device> device, const SketchRule& rule, unsigned threads, const LaneSize& size);

  // `result` is null where the text is too short to have one, `digest` where the rule wants none.
  using Take = std::function<void(std::size_t text, const std::uint8_t* result, const Digest* digest)>;
  using OnCpu = std::function<void(std::size_t text)>;
  // Calls, for every text, either take() or on_cpu(), in any order.
  void run(unsigned worker, const TextBatch& texts, const Take& take, const OnCpu& on_cpu);

  // Of all that was done so far, in so many seconds. No thread may be at work.
  DeviceReport report(double seconds) const;

 private:
  struct Worker {
    std::unique_ptr<Lane> lane;
    DeviceReport report;
    std::vector<std::size_t> sent;
    std::vector<std::size_t> kept;
  };
  // As many of the texts from `first` on as the lane has room for. Returns the first that is not among them.
  std::size_t fill(Worker& worker, const TextBatch& texts, std::size_t first) const;

  std::shared_ptr<const Device> device_;
  SketchRule rule_;
  LaneSize size_;
  Reservation reservation_;  // the lanes' memory of the host
  std::vector<Worker> workers_;
};

}  // namespace refrain::cuda
