#include "verbs/near/hasher.h"

#include <cstring>
#include <string>

#include "refrain/digest.h"
#include "refrain/error.h"

namespace refrain::verbs::near {

Hasher::Hasher(const NearOptions& options, unsigned threads, MemoryBudget& budget)
    : digests_(options.verify), fingerprinter_(options.fingerprint) {
  if (options.device.kind != DeviceKind::cuda) return;  // `automatic` only joins on it: hashing is faster than reading
  std::string why;
  std::optional<cuda::SketchRule> rule = cuda::sketch_rule(options.fingerprint, why);
  if (!rule) throw Error(Errc::unsupported, why + "; use `device` cpu");
  rule->digests = digests_;
  feed_.emplace(cuda::open_device(options.device, true), *rule, threads, options.device.memory_bytes, budget);
}

void Hasher::operator()(unsigned worker, const TextBatch& texts, Hashed& made) {
  made.hashes.resize(texts.size());
  made.valid.resize(texts.size());
  if (digests_) made.texts.resize(texts.size());
  const auto digest_of = [&](std::size_t i) {
    if (digests_) made.texts[i] = digest(texts[i]).high;
  };
  if (!feed_) {
    fingerprinter_.batch(texts, made.hashes.data(), made.valid.data());
    for (std::size_t i = 0; i < texts.size(); ++i) digest_of(i);
    return;
  }
  feed_->run(
      worker, texts,
      [&](std::size_t i, const std::uint8_t* fingerprint, const Digest* text_digest) {
        made.valid[i] = fingerprint == nullptr ? 0 : 1;
        if (fingerprint != nullptr) std::memcpy(&made.hashes[i], fingerprint, sizeof made.hashes[i]);
        if (digests_) made.texts[i] = text_digest->high;
      },
      [&](std::size_t i) {
        fingerprinter_.batch({texts.text, texts.offsets.subspan(i, 2)}, &made.hashes[i], &made.valid[i]);
        digest_of(i);
      });
}

DeviceReport Hasher::report(double seconds) const {
  if (feed_) return feed_->report(seconds);
  DeviceReport none;
  none.name = "cpu";
  return none;
}

}  // namespace refrain::verbs::near
