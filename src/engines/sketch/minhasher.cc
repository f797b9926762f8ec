// The batch kernel: from text to tokens to windows to MinHash.
#include <algorithm>

#include "base/pieces.h"
#include "engines/sketch/minhash.h"
#include "refrain/error.h"
#include "refrain/kernels.h"
#include "text/windows.h"

namespace refrain {

struct MinHasher::Impl {
  explicit Impl(const MinHashOptions& options) : plan(options.windows), minhash(options.lanes, options.windows.seed) {}

  bool compute(std::string_view text, text::FeatureStream& stream, std::uint32_t* signature) const {
    bool judged = false;
    minhash.start(signature);
    stream.start(text);
    for (std::span<const std::uint64_t> features; stream.next(features); judged = judged || !features.empty())
      minhash.add(features, signature);
    return judged;
  }

  text::FeaturePlan plan;
  sketch::MinHash minhash;
};

MinHasher::MinHasher(const MinHashOptions& options) : impl_(std::make_shared<const Impl>(options)) {}
MinHasher::~MinHasher() = default;
MinHasher::MinHasher(const MinHasher&) = default;
MinHasher& MinHasher::operator=(const MinHasher&) = default;

unsigned MinHasher::lanes() const {
  return impl_->minhash.lanes();
}

bool MinHasher::operator()(std::string_view text, std::uint32_t* signature) const {
  text::FeatureStream stream(impl_->plan);
  return impl_->compute(text, stream, signature);
}

void MinHasher::batch(const TextColumn& texts, std::uint32_t* signatures, std::uint8_t* valid,
                      const Context& context) const {
  PerWorker<text::FeatureStream> streams(context);
  for_each_piece(context, texts.size(), [&](unsigned worker, std::size_t begin, std::size_t end) {
    text::FeatureStream& stream = streams.get(worker, impl_->plan);
    for (std::size_t i = begin; i < end; ++i)
      valid[i] =
          impl_->compute(texts.valid(i) ? texts[i] : std::string_view(), stream, signatures + i * lanes()) ? 1 : 0;
  });
}

double estimated_similarity(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.empty() || a.size() != b.size())
    throw Error(Errc::invalid_argument, "estimated_similarity: signatures must have lanes, and equally many");
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

}  // namespace refrain
