// A module (engines/cuda/device.h) that forwards calls to another one, until it fails. The file `fault` beside it
// names the call that fails: "start 3" is the third batch that is sent, counted over all threads. Calls are open,
// lane, start, wait and join. Without the file nothing fails.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engines/cuda/device.h"

namespace refrain::gpu_test {

inline std::filesystem::path module_folder() {
  Dl_info info{};
  static const char here = 0;
  dladdr(&here, &info);
  return std::filesystem::path(info.dli_fname).parent_path();
}

class Faults {
 public:
  using Fail = std::function<void(const std::string& call)>;  // breaks the device, or throws
  Faults(std::string call, std::size_t number, Fail fail)
      : call_(std::move(call)), number_(number), fail_(std::move(fail)) {}
  explicit Faults(Fail fail) : fail_(std::move(fail)) {
    std::ifstream file(module_folder() / "fault");
    file >> call_ >> number_;
  }

  void count(const std::string& call) const {
    if (call == call_ && ++count_ == number_) fail_(call);
  }

 private:
  std::string call_;
  std::size_t number_ = 0;
  Fail fail_;
  mutable std::atomic<std::size_t> count_{0};
};

class FailingLane final : public cuda::Lane {
 public:
  FailingLane(std::unique_ptr<Lane> lane, const Faults& faults) : lane_(std::move(lane)), faults_(faults) {}
  std::span<char> text() override { return lane_->text(); }
  std::span<std::uint64_t> offsets() override { return lane_->offsets(); }
  void start(std::size_t texts) override {
    faults_.count("start");
    lane_->start(texts);
  }
  void wait() override {
    faults_.count("wait");
    lane_->wait();
  }
  const std::uint8_t* results() const override { return lane_->results(); }
  const std::uint8_t* outcomes() const override { return lane_->outcomes(); }
  const Digest* digests() const override { return lane_->digests(); }
  Times times() const override { return lane_->times(); }

 private:
  std::unique_ptr<Lane> lane_;
  const Faults& faults_;
};

class FailingDevice final : public cuda::Device {
 public:
  FailingDevice(std::unique_ptr<Device> device, const Faults& faults) : device_(std::move(device)), faults_(faults) {}
  const DeviceInfo& info() const override { return device_->info(); }
  std::uint64_t device_bytes(const cuda::SketchRule& rule, const cuda::LaneSize& size) const override {
    return device_->device_bytes(rule, size);
  }
  std::uint64_t host_bytes(const cuda::SketchRule& rule, const cuda::LaneSize& size) const override {
    return device_->host_bytes(rule, size);
  }
  std::unique_ptr<cuda::Lane> lane(const cuda::SketchRule& rule, const cuda::LaneSize& size) const override {
    faults_.count("lane");
    return std::make_unique<FailingLane>(device_->lane(rule, size), faults_);
  }
  bool join(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
            const cuda::JoinMemory& memory, const cuda::JoinReceiver& take) const override {
    faults_.count("join");
    return device_->join(hashes, masks, distance, memory, take);
  }

 private:
  std::unique_ptr<Device> device_;
  const Faults& faults_;
};

class FailingModule final : public cuda::Module {
 public:
  FailingModule(const Module& module, Faults::Fail fail) : module_(module), faults_(std::move(fail)) {}
  std::vector<DeviceInfo> devices(std::string& missing) const override { return module_.devices(missing); }
  std::unique_ptr<cuda::Device> open(unsigned number) const override {
    faults_.count("open");
    return std::make_unique<FailingDevice>(module_.open(number), faults_);
  }

 private:
  const Module& module_;
  const Faults faults_;
};

}  // namespace refrain::gpu_test
