// gzip on several cores: blocks of a fixed size are packed side by side, each with the end of the one before it as its
// dictionary, and put together into one member, as pigz does. Packing is an order of magnitude slower than everything
// else that a rewriter does in input order.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::corpus {

// One file after the other; level 6. What comes out depends on the bytes alone, not on threads and calls. One call at a
// time.
class GzipBlocks {
 public:
  using Sink = std::function<void(std::string_view)>;

  static constexpr std::size_t kThreadBytes = std::size_t{600} << 10;

  // Packed bytes go to `sink`. Memory, up to kThreadBytes a thread, is reserved here.
  GzipBlocks(MemoryBudget& budget, unsigned threads, Sink sink);

  void begin();
  void write(std::string_view bytes);
  void end();

 private:
  struct EndDeflate {
    void operator()(z_stream* stream) const;
  };
  struct Lane {
    std::unique_ptr<z_stream, EndDeflate> stream;
    Array<char> packed;
    std::size_t packed_bytes = 0;
    uLong checksum = 0;
  };

  void pack(bool end);
  void pack_block(Lane& lane, std::size_t begin, std::size_t size, bool last);

  const Sink sink_;
  Reservation reservation_;
  std::vector<Lane> lanes_;
  Array<char> plain_;          // what was written last, as a dictionary, and what is to be packed
  std::size_t packed_to_ = 0;  // in plain_
  std::size_t plain_end_ = 0;
  uLong checksum_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace refrain::corpus
