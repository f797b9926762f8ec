// Records on disk: frames, and the file that a writer of a shuffle spills to. This code knows nothing about a record
// except its size in bytes.
//
// A frame is a header of 24 bytes and a payload, in the byte order of the machine: a temporary file never leaves it.
//
//   0  uint64  XXH3 of everything that follows, payload included
//   8  uint32  magic
//  12  uint32  codec: 0 the records unchanged, 1 columns, of which some are compressed
//  16  uint32  bytes of the records
//  20  uint32  bytes of the payload
//
// Columns are the transposed records: the first bytes of all records, then all second bytes, and so on. Bytes in a
// column are similar (the high bytes of positions, the leading bits that all records of a partition share) even if
// neighbouring records are not. Columns of noise, such as those of hashes, are stored unchanged: zstd would take time
// to find out that it cannot compress them. Measured with 16-byte records of a random key and a position: zstd -1
// reduces them to 0.57 of their size at 1.7 GB/s, and to 0.60 at 0.24 GB/s without transposing; sorting the frame
// first takes longer than everything else and saves nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace refrain::store {

struct FrameFormat {
  std::size_t record_bytes;
  std::size_t frame_bytes;  // maximum bytes of the records in a frame: whole records
  bool compress;            // try to compress
};

inline constexpr std::size_t kFrameHeaderBytes = 24;

// The bytes [begin, end) of a file: whole frames, one after the other.
struct FrameRegion {
  std::uint64_t begin;
  std::uint64_t end;
};

// The fraction of the bytes of typical records that is left after compression.
double compressed_fraction(const FrameFormat& format, std::span<const std::byte> records);

// Appends frames to a file that nobody else writes to. Not thread-safe.
class FrameWriter {
 public:
  // Works in `room`, which must have room_bytes() bytes and outlive this object. The end of the room is not used: it
  // accounts for the tables that zstd allocates itself, so that these are reserved too. The same applies to
  // FrameReader.
  FrameWriter(TempFile& file, const FrameFormat& format, std::span<std::byte> room);
  FrameWriter(FrameWriter&&) noexcept;
  ~FrameWriter();

  static std::size_t room_bytes(const FrameFormat& format);

  // Adds whole records.
  void add(std::span<const std::byte> records);
  // Ends the current frame. Returns the offset in the file where the next one will begin.
  std::uint64_t cut();
  // Writes the ended frames to the file, so that they can be read.
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

// Reads frames and verifies them. Not thread-safe: use one per thread.
class FrameReader {
 public:
  FrameReader(const FrameFormat& format, std::span<std::byte> room);
  FrameReader(FrameReader&&) noexcept;
  ~FrameReader();

  static std::size_t room_bytes(const FrameFormat& format);

  // Reads the first frame of `region`, which must not be empty, into `to`, and removes it from the region. Returns
  // the bytes of its records. Throws Error(corrupt) if the frame differs from what was written, or its records do not
  // fit in `to`.
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

// The records that one writer of a shuffle has spilled: those of partition 0, 1, ..., and again from 0 in the next
// spill. Only the end of each partition is kept in memory.
class SpillFile {
 public:
  SpillFile(TempSpace& space, MemoryBudget& budget, const std::string& what, const FrameFormat& format,
            std::size_t partitions);

  // For each partition in order: add() its records, then end_partition(). After the last partition: end_spill().
  void add(std::span<const std::byte> records) { writer_->add(records); }
  void end_partition() { ends_.push_back(writer_->cut()); }
  void end_spill() { writer_->flush(); }
  // rest() gives the memory for writing back; wake(), called before the next spill, takes it again.
  void pause_writing();
  void resume_writing();

  std::size_t spills() const { return ends_.size() / partitions_; }
  FrameRegion region(std::size_t spill, std::size_t partition) const {
    const std::size_t i = spill * partitions_ + partition;
    return {i == 0 ? 0 : ends_[i - 1], ends_[i]};
  }
  const TempFile& file() const { return *file_; }
  // Gives back the disk space of a region that will not be read again. Thread-safe.
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
