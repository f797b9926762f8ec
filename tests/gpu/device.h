// Shared by the checks and the benchmarks of the kernels: device memory that is freed automatically, and texts in it.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/cuda/kernels/sketches.cuh"
#include "refrain/fingerprint.h"

namespace refrain::gpu_test {

inline void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) {
    check_cuda(cudaMalloc(&data_, (count * sizeof(T) + 31) / 32 * 32 + 32), "cudaMalloc");
  }
  OnDevice(const T* from, std::size_t count) : OnDevice(count) {
    check_cuda(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice), "copy to the device");
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }

  T* data() const { return data_; }
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    check_cuda(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

struct Texts {
  std::string bytes;
  std::vector<std::uint64_t> offsets{0};

  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(bytes.size());
  }
  std::size_t size() const { return offsets.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// Texts in device memory, repeated `copies` times.
class DeviceCopy {
 public:
  explicit DeviceCopy(const Texts& texts, std::size_t copies = 1)
      : bytes_(copies * texts.bytes.size() + 2 * cuda::kReach), offsets_(copies * texts.size() + 1) {
    check_cuda(cudaMemset(bytes_.data() + copies * texts.bytes.size(), 'z', 2 * cuda::kReach), "cudaMemset");
    std::vector<std::uint64_t> offsets{0};
    for (std::size_t copy = 0; copy < copies; ++copy) {
      check_cuda(cudaMemcpy(bytes_.data() + copy * texts.bytes.size(), texts.bytes.data(), texts.bytes.size(),
                            cudaMemcpyHostToDevice),
                 "copy to the device");
      for (std::size_t i = 1; i < texts.offsets.size(); ++i)
        offsets.push_back(copy * texts.bytes.size() + texts.offsets[i]);
    }
    check_cuda(cudaMemcpy(offsets_.data(), offsets.data(), offsets.size() * 8, cudaMemcpyHostToDevice),
               "copy to the device");
    view = {bytes_.data(), offsets_.data(), copies * texts.size(), copies * texts.bytes.size()};
  }

  cuda::DeviceTexts view{};

 private:
  OnDevice<std::uint8_t> bytes_;
  OnDevice<std::uint64_t> offsets_;
};

// The scratch memory that a kernel over texts needs.
struct Scratch {
  explicit Scratch(const cuda::DeviceTexts& texts)
      : tiles(cuda::tiles_of(texts.size) + 1), firsts(tiles), counts(tiles * 64), features(tiles) {}
  cuda::SimHashBuffers simhash() const { return {firsts.data(), counts.data(), features.data()}; }
  std::size_t tiles;
  OnDevice<std::uint64_t> firsts;
  OnDevice<std::uint32_t> counts;
  OnDevice<std::uint32_t> features;
};

inline cuda::FeatureRule feature_rule(const FingerprintOptions& options) {
  cuda::FeatureRule rule{options.window, 1, options.seed};
  for (unsigned i = 0; i < options.window; ++i) rule.oldest_weight *= cuda::kWindowBase;
  return rule;
}
inline cuda::Members members_of(TokenizerKind kind) {
  return kind == TokenizerKind::whitespace ? cuda::Members::not_space
         : kind == TokenizerKind::alpha    ? cuda::Members::letters
                                           : cuda::Members::words;
}
inline cuda::SimHashRule simhash_rule(const FingerprintOptions& options) {
  return {members_of(options.tokenizer), options.hash == HashKind::sdbm, feature_rule(options), options.tie_sets_bit};
}

// Words with the frequencies of a language: few frequent ones, many rare ones.
inline std::string prose(std::mt19937_64& random, std::size_t size) {
  static const std::vector<std::string> words = [] {
    std::mt19937_64 source(7);
    std::vector<std::string> made(20000);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const std::size_t length = 1 + (i < 50 ? source() % 4 : i < 1000 ? 2 + source() % 6 : 3 + source() % 9);
      for (std::size_t c = 0; c < length; ++c) made[i] += static_cast<char>('a' + source() % 26);
    }
    return made;
  }();
  std::string text;
  text.reserve(size + 64);
  while (text.size() < size) {
    const double uniform = static_cast<double>(random() >> 11U) * 0x1.0p-53;
    std::string word = words[static_cast<std::size_t>(uniform * uniform * uniform * 19999)];
    if (random() % 12 == 0) word[0] = static_cast<char>(word[0] - 32);
    text += word;
    if (random() % 9 == 0) text += ",.;"[random() % 3];
    text += random() % 16 == 0 ? '\n' : ' ';
  }
  text.resize(size);
  return text;
}

}  // namespace refrain::gpu_test
