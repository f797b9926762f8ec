#include "base/checksum.h"

#include <xxhash.h>

#include <new>

#include "base/pieces.h"

namespace refrain {

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

RunningChecksum::RunningChecksum() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_.get()));
}

void RunningChecksum::Free::operator()(void* state) const {
  XXH3_freeState(static_cast<XXH3_state_t*>(state));
}

void RunningChecksum::add(std::string_view bytes) {
  XXH3_64bits_update(static_cast<XXH3_state_t*>(state_.get()), bytes.data(), bytes.size());
}

std::uint64_t RunningChecksum::value() const {
  return XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_.get()));
}

Digest digest(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

void digests(const TextColumn& texts, Digest* out, const Context& context) {
  for_each_piece(context, texts.size(), [&](unsigned /*worker*/, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = texts.valid(i) ? digest(texts[i]) : Digest();
  });
}

}  // namespace refrain
