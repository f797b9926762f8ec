// The other direction of corpus/files/unpackers.h, and of zstd: encoders of what is written packed.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/budget.h"
#include "corpus/files/unpackers.h"

namespace refrain::corpus {

// One stream after the other. What comes out depends on the bytes alone where pack() is given them in parts of the same
// sizes. Not thread-safe.
class Packer {
 public:
  using Sink = std::function<void(std::string_view)>;

  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  virtual ~Packer() = default;
  // `end`: of the stream; what comes next begins another.
  virtual void pack(std::string_view plain, bool end, const Sink& sink) = 0;
};

// For zstd (level 3, with a checksum), xz (preset 2), bzip2 (level 9) and lz4 (with a checksum); zstd and xz on several
// cores. Memory comes from the budget. Error(unsupported) where this build has none for `packing`.
std::unique_ptr<Packer> make_packer(Packing packing, unsigned threads, MemoryBudget& budget);

}  // namespace refrain::corpus
