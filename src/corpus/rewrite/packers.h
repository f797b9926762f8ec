// The inverse of corpus/files/unpackers.h, and of the zstd decoder: encoders for compressed output.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/budget.h"
#include "corpus/files/unpackers.h"

namespace refrain::corpus {

// Encodes one stream after the other. The output depends only on the input bytes, as long as they are passed to
// pack() in parts of the same sizes. Not thread-safe.
class Packer {
 public:
  using Sink = std::function<void(std::string_view)>;

  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  virtual ~Packer() = default;
  // `end`: ends the stream; the next call begins another one.
  virtual void pack(std::string_view plain, bool end, const Sink& sink) = 0;
};

// Makes an encoder for zstd (level 3, with a checksum), xz (preset 2), bzip2 (level 9) or lz4 (with a checksum); zstd
// and xz use several cores. Memory comes from the budget. Throws Error(unsupported) if this build has no encoder for
// `packing`.
std::unique_ptr<Packer> make_packer(Packing packing, unsigned threads, MemoryBudget& budget);

}  // namespace refrain::corpus
