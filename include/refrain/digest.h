// Digests: 128 bits of a text (XXH3), by which exact copies are told.
//
// dedup takes texts with equal digests for equal. Nobody can stumble on two texts that share one, but XXH3 is no
// cryptographic hash: whoever sets out to make such texts can.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "refrain/context.h"
#include "refrain/documents.h"

namespace [[gnu::visibility("default")]] refrain {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

Digest digest(std::string_view bytes);

// Text i gives out[i]; a null gives zeros, which the empty text does not.
void digests(const TextColumn& texts, Digest* out, const Context& context);

}  // namespace refrain
