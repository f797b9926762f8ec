// Memory that frees itself, and errors in the form that the rest of the program throws.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "refrain/error.h"

namespace refrain::cuda {

// Throws Error(io), which names the device and the failed action.
class CudaCheck {
 public:
  explicit CudaCheck(std::string device) : device_(std::move(device)) {}
  void operator()(cudaError_t error, const char* what) const {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // clears the error unless it is permanent
    throw Error(Errc::io, device_ + ": " + what + ": " + cudaGetErrorString(error) + "; run again with `device` cpu");
  }

 private:
  std::string device_;
};

template <class T, bool on_device>
class Memory {
 public:
  Memory(std::size_t count, const CudaCheck& check_cuda) : count_(count) {
    const std::size_t bytes = (count + 1) * sizeof(T);
    if constexpr (on_device)
      check_cuda(cudaMalloc(&data_, bytes), "memory on the device");
    else
      check_cuda(cudaMallocHost(&data_, bytes), "pinned memory");
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
