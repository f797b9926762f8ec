// Decoders for the less common compressions: xz, bzip2, lz4. A build contains those whose libraries were available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace refrain::corpus {

enum class Packing : std::uint8_t { none, gzip, zstd, xz, bzip2, lz4 };

// Decodes one file: any number of concatenated streams. Not thread-safe.
class Unpacker {
 public:
  Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  virtual ~Unpacker() = default;

  struct Step {
    std::size_t taken = 0;  // bytes of the packed input
    std::size_t given = 0;
    bool inside = true;            // a stream has begun and not ended
    std::string damage = {};       // if not empty: why the packed bytes are damaged
    std::string unsupported = {};  // if not empty: why they cannot be unpacked although they may be intact
  };
  // `last`: no packed bytes follow these. Throws std::bad_alloc.
  virtual Step unpack(std::string_view packed, bool last, char* buffer, std::size_t size) = 0;
  // The approximate memory that it has allocated. That of a dictionary becomes resident only as text fills it.
  virtual std::size_t memory() const = 0;
};

// The packing by the first bytes of a file: one of xz, bzip2 and lz4, or `none`, also for gzip and zstd.
Packing library_packing(std::string_view start);

// A name for messages, such as "xz".
std::string_view packing_name(Packing packing);

// Null if this build has no decoder for the packing.
std::unique_ptr<Unpacker> make_unpacker(Packing packing);

}  // namespace refrain::corpus
