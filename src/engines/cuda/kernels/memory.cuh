// Memory that frees itself, and errors as the rest of the program throws them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "refrain/error.h"

namespace refrain::cuda {

// Throws Error(io) that names the device and what it was asked for.
class Asker {
 public:
  explicit Asker(std::string device) : device_(std::move(device)) {}
  void operator()(cudaError_t error, const char* what) const {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // where it can be forgotten, it is
    throw Error(Errc::io, device_ + ": " + what + ": " + cudaGetErrorString(error) + "; run again with --device cpu");
  }

 private:
  std::string device_;
};

template <class T, bool on_device>
class Memory {
 public:
  Memory(std::size_t count, const Asker& ask) : count_(count) {
    const std::size_t bytes = (count + 1) * sizeof(T);
    if constexpr (on_device)
      ask(cudaMalloc(&data_, bytes), "memory on the device");
    else
      ask(cudaMallocHost(&data_, bytes), "pinned memory");
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if constexpr (on_device)
      cudaFree(data_);
    else
      cudaFreeHost(data_);
  }
  T* data() const { return data_; }
  std::size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

template <class T>
using DeviceMemory = Memory<T, true>;
template <class T>
using PinnedMemory = Memory<T, false>;

}  // namespace refrain::cuda
