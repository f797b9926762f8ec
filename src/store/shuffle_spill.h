// Records on disk: frames, and the file that a writer of a shuffle spills to. Nothing here knows what a record is, only
// how many bytes it has.
//
// A frame is a header of 24 bytes and a payload, in the byte order of the machine: a temporary file never leaves it.
//
//   0  uint64  XXH3 of all that follows, payload included
//   8  uint32  magic
//  12  uint32  codec: 0 the records as they are, 1 columns, of which some are compressed
//  16  uint32  bytes of the records
//  20  uint32  bytes of the payload
//
// Transposed: the first bytes of all records, then all second bytes, and so on. Columns of records are alike (the high
// bytes of positions, the leading bits that a partition has in common) where neighbouring records are not. Columns that
// are noise, as those of hashes, are left as they are: zstd would take its time to find that out. Measured
// with 16-byte records of a random key and a position: zstd -1 makes 0.57 of them at 1.7 GB/s, and 0.60 at 0.24 GB/s
// without transposing; sorting the frame first takes longer than all else and saves nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace refrain::store {

struct FrameFormat {
  std::size_t record_bytes;
  std::size_t frame_bytes;  // that a frame holds at the most: whole records
  bool compress;            // try to
};

inline constexpr std::size_t kFrameHeaderBytes = 24;

// What stands in a file from `begin` to `end`: whole frames, one after the other.
struct FrameRegion {
  std::uint64_t begin;
  std::uint64_t end;
};

// The bytes that compressing leaves of records that are typical, as a fraction of 1.
double compressed_fraction(const FrameFormat& format, std::span<const std::byte> records);

// Appends frames to a file that nobody else writes to. Not thread-safe.
class FrameWriter {
 public:
  // Works in `room`, which must have room_bytes() and outlive it. The end of the room is not touched: it stands for the
  // tables that zstd takes from elsewhere, so that these are reserved too. The same holds for FrameReader.
  FrameWriter(TempFile& file, const FrameFormat& format, std::span<std::byte> room);
  FrameWriter(FrameWriter&&) noexcept;
  ~FrameWriter();

  static std::size_t room_bytes(const FrameFormat& format);

  // Whole records.
  void add(std::span<const std::byte> records);
  // Ends the frame at hand. Returns where in the file the next one will begin.
  std::uint64_t cut();
  // Now all that was cut can be read.
  void flush();

 private:
  void write_frame();

  TempFile* file_;
  FrameFormat format_;
  std::span<std::byte> raw_;
  std::span<std::byte> columns_;
  std::span<std::byte> out_;
  std::size_t raw_used_ = 0;
  std::size_t out_used_ = 0;
  std::uint64_t flushed_;
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> zstd_;
};

// Reads frames and checks them. One a thread.
class FrameReader {
 public:
  FrameReader(const FrameFormat& format, std::span<std::byte> room);
  FrameReader(FrameReader&&) noexcept;
  ~FrameReader();

  static std::size_t room_bytes(const FrameFormat& format);

  // Reads the first frame of `region`, which must not be empty, into `to`, and takes it off the region. Returns the
  // bytes of its records. Error(corrupt) where they are not what was written, or more than `to` has room for.
  std::size_t next(const TempFile& file, FrameRegion& region, std::span<std::byte> to);

 private:
  FrameFormat format_;
  std::span<std::byte> stored_;
  std::span<std::byte> columns_;
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> zstd_;
};

// What one writer of a shuffle has spilled: its records of partition 0, 1, ..., and again from 0 the next time. All
// that is kept in memory is where each partition ended.
class SpillFile {
 public:
  SpillFile(TempSpace& space, MemoryBudget& budget, const std::string& what, const FrameFormat& format,
            std::size_t partitions);

  // Once a partition, in order: add() its records, then end_partition(). After the last partition, end_spill().
  void add(std::span<const std::byte> records) { writer_->add(records); }
  void end_partition() { ends_.push_back(writer_->cut()); }
  void end_spill() { writer_->flush(); }
  // Gives the memory for writing back; the next spill takes it again.
  void rest();
  void wake();

  std::size_t spills() const { return ends_.size() / partitions_; }
  FrameRegion region(std::size_t spill, std::size_t partition) const {
    const std::size_t i = spill * partitions_ + partition;
    return {i == 0 ? 0 : ends_[i - 1], ends_[i]};
  }
  const TempFile& file() const { return *file_; }
  // A region that nobody reads again. Thread-safe.
  void discard(const FrameRegion& region) {
    if (region.begin != region.end) file_->discard(region.begin, region.end - region.begin);
  }
  std::uint64_t list_bytes() const { return ends_.size() * sizeof(std::uint64_t) * 5 / 4 + (std::uint64_t{64} << 10); }

 private:
  MemoryBudget& budget_;
  std::string what_;
  FrameFormat format_;
  std::size_t partitions_;
  std::unique_ptr<TempFile> file_;
  Array<std::uint64_t> ends_;
  Array<std::byte> room_;
  std::unique_ptr<FrameWriter> writer_;
};

}  // namespace refrain::store
