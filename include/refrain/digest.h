// Digests: a 128-bit hash (XXH3) of a text, to find exact copies.
//
// Different texts do not share a digest by accident, but XXH3 is not a cryptographic hash: an adversary can construct
// texts that do. dedup groups by digest, and then compares the bytes.
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

// out[i] becomes the digest of text i, or all zero if it is null (the empty text has a nonzero digest). `out` has
// room for texts.size() digests.
void digests(const TextColumn& texts, Digest* out, const Context& context);

}  // namespace refrain
