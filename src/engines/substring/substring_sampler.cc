// The batch kernel: the samples of texts, for callers that group them by other means.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/list_gather.h"
#include "engines/substring/plan.h"
#include "engines/substring/sampler.h"
#include "refrain/error.h"
#include "refrain/kernels.h"
#include "refrain/substrings.h"

namespace refrain {

namespace {

// Use one per thread.
class Worker {
 public:
  Worker(const substring::SubstringPlan& plan, MemoryBudget& budget)
      : plan_(plan),
        sampler_(plan),
        core_(plan.core, plan.seed),
        context_(plan.length, plan.seed),
        copy_(budget, "the end of a text") {}

  // Memory before `readable` may be read, even if it is not part of the text.
  void read(std::string_view text, const char* readable, Array<SubstringSample>& samples, Array<SubstringFold>& folds) {
    core_.reset();
    context_.reset();
    if (text.size() < plan_.length) return;
    const std::size_t all = text.size() - plan_.length + 1;
    for (std::size_t at = 0; at < all; at += substring::Sampler::kMaxWindows) {
      const std::size_t windows = std::min(all - at, substring::Sampler::kMaxWindows);
      add(bytes_at(text, at, windows, readable), at, windows, samples, folds);
    }
  }

 private:
  // The sampler reads past the windows. If the memory may end there, this returns a copy.
  const char* bytes_at(std::string_view text, std::size_t at, std::size_t windows, const char* readable) {
    const char* const bytes = text.data() + at;
    const std::size_t size = windows + plan_.length - 1;
    if (static_cast<std::size_t>(readable - bytes) >= size + substring::Sampler::kPadding) return bytes;
    copy_.resize(size + substring::Sampler::kPadding);
    std::memcpy(copy_.data(), bytes, size);
    core_.reset();
    context_.reset();
    return copy_.data();
  }

  void add(const char* bytes, std::size_t at, std::size_t windows, Array<SubstringSample>& samples,
           Array<SubstringFold>& folds) {
    sampler_.sample(bytes, windows);
    samples.reserve_more(sampler_.samples().size());
    for (const substring::Sample& sample : sampler_.samples()) {
      const std::uint64_t core = core_.hash(bytes + sample.core, plan_.core);
      const std::uint64_t context = context_.hash(bytes + sample.first, sample.windows - 1 + plan_.length);
      samples.push_back({core, context, at + sample.core, at + sample.first, sample.windows});
    }
    for (const substring::Fold& fold : sampler_.folds()) folds.push_back({at + fold.first, fold.windows, fold.period});
  }

  const substring::SubstringPlan& plan_;
  substring::Sampler sampler_;
  substring::StretchHasher core_;
  substring::StretchHasher context_;
  Array<char> copy_;
};

}  // namespace

struct SubstringSampler::Impl {
  substring::SubstringPlan plan;
};

SubstringSampler::SubstringSampler(const SubstringOptions& options) {
  if (options.length < kMinSubstringLength || options.length > kMaxSubstringLength)
    throw Error(Errc::invalid_argument, fmt::format("`length` {}: must be from {} to {}", options.length,
                                                    kMinSubstringLength, kMaxSubstringLength));
  if (options.min_count < 2) throw Error(Errc::invalid_argument, "`min_count`: must be 2 or more");
  impl_ = std::make_shared<const Impl>(
      Impl{substring::SubstringPlan(options.length, options.min_count, false, options.seed)});
}
SubstringSampler::~SubstringSampler() = default;
SubstringSampler::SubstringSampler(const SubstringSampler&) = default;
SubstringSampler& SubstringSampler::operator=(const SubstringSampler&) = default;

SubstringSampler::Samples SubstringSampler::batch(const TextColumn& texts, const Context& context) const {
  MemoryBudget budget(context);
  ListCollector<SubstringSample> samples(budget, context, texts.size(), "the samples");
  ListCollector<SubstringFold> folds(budget, context, texts.size(), "the samples");
  PerWorker<Worker> workers(context);
  const char* const readable = texts.size() == 0 ? nullptr : texts.bytes() + texts.offset(texts.size());
  for_each_piece(context, texts.size(), [&](unsigned worker, std::size_t begin, std::size_t end) {
    Worker& mine = workers.get(worker, impl_->plan, budget);
    Array<SubstringSample>& to_samples = samples.open(worker, begin);
    Array<SubstringFold>& to_folds = folds.open(worker, begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (texts.valid(i)) mine.read(texts[i], readable, to_samples, to_folds);
      samples.close(worker, i);
      folds.close(worker, i);
    }
  });
  return {samples.take(), folds.take()};
}

ByteRange SubstringSampler::shared_windows(std::string_view text_a, const SubstringSample& a, std::string_view text_b,
                                           const SubstringSample& b) const {
  const std::size_t length = impl_->plan.length;
  // A window is identified by the number of bytes from its begin to the core: `least` to `most`, in both samples.
  const auto last = [](const SubstringSample& sample) { return sample.first + sample.windows - 1; };
  std::uint64_t least = std::max(a.core - last(a), b.core - last(b));
  std::uint64_t most = std::min(a.core - a.first, b.core - b.first);
  if (least > most) return {};
  const char* const core_a = text_a.data() + a.core;
  const char* const core_b = text_b.data() + b.core;
  const std::uint64_t right =
      static_cast<std::uint64_t>(std::mismatch(core_a, core_a + (length - least), core_b).first - core_a);
  if (right < length) least = std::max(least, length - right);
  std::uint64_t left = 0;
  while (left < most &&
         core_a[-1 - static_cast<std::ptrdiff_t>(left)] == core_b[-1 - static_cast<std::ptrdiff_t>(left)])
    ++left;
  most = left;
  if (least > most) return {};
  return {a.core - most, a.core - least + 1};
}

void SubstringSampler::window_hashes(std::string_view text, std::uint64_t first, std::uint64_t windows,
                                     std::uint64_t* hashes) const {
  if (windows == 0) return;
  const std::size_t length = impl_->plan.length;
  if (first > text.size() || windows > text.size() - first || length > text.size() - first - windows + 1)
    throw Error(Errc::invalid_argument, fmt::format("window_hashes: a text of {} bytes has no {} windows from {} on",
                                                    text.size(), windows, first));
  substring::StretchHasher hasher(length, impl_->plan.seed);
  for (std::uint64_t i = 0; i < windows; ++i) hashes[i] = hasher.hash(text.data() + first + i, length);
}

}  // namespace refrain
