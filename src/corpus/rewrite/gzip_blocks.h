// Compresses gzip on several cores, like pigz: blocks of a fixed size are compressed in parallel, each with the end
// of the previous block as its dictionary, and joined into one member. Compression is an order of magnitude slower
// than everything else that a rewriter does in input order.
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

// Compresses one file after the other, at level 6. The output depends only on the input bytes, not on threads or the
// division into calls. Only one call at a time.
class GzipBlocks {
 public:
  using Sink = std::function<void(std::string_view)>;

  static constexpr std::size_t kThreadBytes = std::size_t{600} << 10;

  // Compressed bytes go to `sink`. Reserves the memory, up to kThreadBytes per thread.
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
  Array<char> plain_;          // the last bytes written, as a dictionary, followed by bytes to compress
  std::size_t packed_to_ = 0;  // in plain_
  std::size_t plain_end_ = 0;
  uLong checksum_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace refrain::corpus
