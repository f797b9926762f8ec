#include "engines/cuda/kernels/lane.cuh"

#include "engines/cuda/kernels/sketches.cuh"

namespace refrain::cuda {

namespace {

FeatureRule feature_rule(const SketchRule& rule) {
  FeatureRule made{rule.window, 1, rule.seed};
  for (unsigned i = 0; i < rule.window; ++i) made.oldest_weight *= kWindowBase;
  return made;
}

Members members_of(TokenizerKind tokenizer) {
  switch (tokenizer) {
    case TokenizerKind::whitespace:
      return Members::not_space;
    case TokenizerKind::alpha:
      return Members::letters;
    default:
      return Members::words;
  }
}

class Stream {
 public:
  explicit Stream(const CudaCheck& check_cuda) {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    for (cudaEvent_t& event : events_) check_cuda(cudaEventCreateWithFlags(&event, cudaEventBlockingSync), "an event");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    cudaStreamSynchronize(stream_);
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }
  void mark(unsigned which) const { cudaEventRecord(events_[which], stream_); }
  cudaEvent_t event(unsigned which) const { return events_[which]; }
  double seconds(unsigned from, unsigned to) const {
    float milliseconds = 0;
    return cudaEventElapsedTime(&milliseconds, events_[from], events_[to]) == cudaSuccess ? milliseconds / 1000 : 0;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t events_[4] = {};
};

class DeviceLane final : public Lane {
 public:
  DeviceLane(unsigned device, const SketchRule& rule, const LaneSize& size, const CudaCheck& check_cuda)
      : check_cuda_(check_cuda),
        device_(select(device, check_cuda)),
        rule_(rule),
        stream_(check_cuda),
        text_(size.text_bytes, check_cuda),
        offsets_(size.texts + 1, check_cuda),
        results_(size.texts * rule.result_bytes(), check_cuda),
        outcomes_(size.texts + 3, check_cuda),
        digests_(rule.digests ? size.texts : 0, check_cuda),
        device_text_(size.text_bytes + 2 * kReach, check_cuda),
        device_offsets_(size.texts + 1, check_cuda),
        device_results_(size.texts * rule.result_bytes(), check_cuda),
        device_outcomes_(size.texts + 3, check_cuda),
        device_digests_(digests_.size(), check_cuda),
        signatures_(size.texts * rule.factors.size(), check_cuda),
        firsts_(tiles_of(size.text_bytes), check_cuda),
        counts_(rule.factors.empty() ? 64 * tiles_of(size.text_bytes) : 0, check_cuda),
        features_(rule.factors.empty() ? tiles_of(size.text_bytes) : 0, check_cuda),
        factors_(rule.factors.size(), check_cuda),
        addends_(rule.addends.size(), check_cuda) {
    check_cuda(cudaMemset(device_text_.data(), 0, device_text_.size()), "memory on the device");
    const std::size_t bytes = rule.factors.size() * sizeof(std::uint32_t);
    check_cuda(cudaMemcpy(factors_.data(), rule.factors.data(), bytes, cudaMemcpyHostToDevice),
               "copying to the device");
    check_cuda(cudaMemcpy(addends_.data(), rule.addends.data(), bytes, cudaMemcpyHostToDevice),
               "copying to the device");
  }

  std::span<char> text() override { return {text_.data(), text_.size()}; }
  std::span<std::uint64_t> offsets() override { return {offsets_.data(), offsets_.size()}; }

  void start(std::size_t texts) override {
    select(device_, check_cuda_);
    const std::uint64_t bytes = offsets_.data()[texts];
    stream_.mark(0);
    cudaMemcpyAsync(device_text_.data(), text_.data(), bytes, cudaMemcpyHostToDevice, stream_.get());
    cudaMemcpyAsync(device_offsets_.data(), offsets_.data(), (texts + 1) * sizeof(std::uint64_t),
                    cudaMemcpyHostToDevice, stream_.get());
    stream_.mark(1);
    const DeviceTexts view{device_text_.data(), device_offsets_.data(), texts, bytes};
    if (rule_.factors.empty()) {
      simhash(view,
              {members_of(rule_.tokenizer), rule_.hash == HashKind::sdbm, feature_rule(rule_), rule_.tie_sets_bit},
              {firsts_.data(), counts_.data(), features_.data()},
              reinterpret_cast<std::uint64_t*>(device_results_.data()), device_outcomes_.data(), stream_.get());
    } else {
      minhash(view, {members_of(rule_.tokenizer), feature_rule(rule_), factors_.data(), addends_.data()},
              firsts_.data(), signatures_.data(), device_outcomes_.data(), stream_.get());
      minhash_sketches(signatures_.data(), texts, rule_.bands, rule_.rows,
                       reinterpret_cast<std::uint32_t*>(device_results_.data()), stream_.get());
    }
    if (rule_.digests) cuda::digests(view, reinterpret_cast<std::uint64_t*>(device_digests_.data()), stream_.get());
    stream_.mark(2);
    cudaMemcpyAsync(results_.data(), device_results_.data(), texts * rule_.result_bytes(), cudaMemcpyDeviceToHost,
                    stream_.get());
    cudaMemcpyAsync(outcomes_.data(), device_outcomes_.data(), texts, cudaMemcpyDeviceToHost, stream_.get());
    if (rule_.digests)
      cudaMemcpyAsync(digests_.data(), device_digests_.data(), texts * sizeof(Digest), cudaMemcpyDeviceToHost,
                      stream_.get());
    stream_.mark(3);
    check_cuda_(cudaGetLastError(), "starting the kernels");
  }

  void wait() override {
    check_cuda_(cudaEventSynchronize(stream_.event(3)), "running the kernels");
    times_.copy_seconds += stream_.seconds(0, 1) + stream_.seconds(2, 3);
    times_.kernel_seconds += stream_.seconds(1, 2);
  }

  const std::uint8_t* results() const override { return results_.data(); }
  const std::uint8_t* outcomes() const override { return outcomes_.data(); }
  const Digest* digests() const override { return rule_.digests ? digests_.data() : nullptr; }
  Times times() const override { return times_; }

 private:
  static unsigned select(unsigned device, const CudaCheck& check_cuda) {
    check_cuda(cudaSetDevice(static_cast<int>(device)), "selecting the device");
    return device;
  }

  const CudaCheck check_cuda_;
  const unsigned device_;
  const SketchRule rule_;
  const Stream stream_;
  const PinnedMemory<char> text_;
  const PinnedMemory<std::uint64_t> offsets_;
  const PinnedMemory<std::uint8_t> results_;
  const PinnedMemory<std::uint8_t> outcomes_;
  const PinnedMemory<Digest> digests_;
  const DeviceMemory<std::uint8_t> device_text_;
  const DeviceMemory<std::uint64_t> device_offsets_;
  const DeviceMemory<std::uint8_t> device_results_;
  const DeviceMemory<std::uint8_t> device_outcomes_;
  const DeviceMemory<Digest> device_digests_;
  const DeviceMemory<std::uint32_t> signatures_;
  const DeviceMemory<std::uint64_t> firsts_;
  const DeviceMemory<std::uint32_t> counts_;
  const DeviceMemory<std::uint32_t> features_;
  const DeviceMemory<std::uint32_t> factors_;
  const DeviceMemory<std::uint32_t> addends_;
  Times times_;
};

}  // namespace

std::uint64_t lane_host_bytes(const SketchRule& rule, const LaneSize& size) {
  return size.text_bytes +
         size.texts * (sizeof(std::uint64_t) + rule.result_bytes() + 1 + (rule.digests ? sizeof(Digest) : 0));
}

std::uint64_t lane_device_bytes(const SketchRule& rule, const LaneSize& size) {
  constexpr std::uint64_t kRounding = std::uint64_t{2} << 20;  // every allocation takes whole pages
  return lane_host_bytes(rule, size) + size.texts * rule.factors.size() * sizeof(std::uint32_t) + 2 * kReach +
         tiles_of(size.text_bytes) * kSimHashTileBytes + kRounding;
}

std::unique_ptr<Lane> make_lane(unsigned device, const SketchRule& rule, const LaneSize& size,
                                const CudaCheck& check_cuda) {
  return std::make_unique<DeviceLane>(device, rule, size, check_cuda);
}

}  // namespace refrain::cuda
