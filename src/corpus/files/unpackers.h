// Decoders of the rarer ways to pack a file: xz, bzip2, lz4. A build has those whose libraries were there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace refrain::corpus {

enum class Packing : std::uint8_t { none, gzip, zstd, xz, bzip2, lz4 };

// Of one file: any number of streams, one behind the other. Not thread-safe.
class Unpacker {
 public:
  Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  virtual ~Unpacker() = default;

  struct Step {
    std::size_t taken = 0;  // of the packed bytes
    std::size_t given = 0;
    bool inside = true;       // a stream has begun and not ended
    std::string damage = {};  // not empty: what is wrong with the packed bytes
  };
  // `last`: no packed bytes follow these. Throws std::bad_alloc.
  virtual Step unpack(std::string_view packed, bool last, char* buffer, std::size_t size) = 0;
  // What it takes, about.
  virtual std::size_t memory() const = 0;
};

// By the first bytes of a file; none for gzip and zstd too, which are none of these.
Packing rare_packing(std::string_view start);

// "xz"; for messages.
std::string_view packing_name(Packing packing);

// Null where this build has none for it.
std::unique_ptr<Unpacker> make_unpacker(Packing packing);

}  // namespace refrain::corpus
