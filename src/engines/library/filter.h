// filter.bin: tells for most absent keys that no document has them, without reading the keys themselves.
//
// This is a Bloom filter of 8 bits per key, in blocks of 64 bytes. The upper bits of a key choose the block, so
// keys in ascending order fill one block after another and the filter can be written while it is built. A hash of
// the whole key chooses kFilterBits bits of the block. About 3 in 100 absent keys pass.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "store/page_file.h"

namespace refrain::library {

inline constexpr unsigned kFilterBits = 6;
using FilterBlock = std::array<std::uint64_t, 8>;

// A range of blocks in which some keys have set bits.
struct FilterPart {
  std::uint64_t first = 0;  // number of the first block
  std::vector<FilterBlock> blocks;
  std::uint64_t keys = 0;
};

// Not thread-safe, except for add_to().
class FilterWriter {
 public:
  FilterWriter(const std::filesystem::path& folder, unsigned key_bits, std::uint64_t keys);

  // Adds a key to `part`, which must be empty at first and must get its keys in ascending order.
  void add_to(FilterPart& part, std::uint64_t key) const;
  // Adds parts in ascending order of their keys. A part may begin with the block that the previous one ended with.
  void add(const FilterPart& part);
  store::PageFileId finish();

 private:
  void write_up_to(std::uint64_t block);

  store::PageWriter out_;
  const unsigned key_bits_;
  const std::uint64_t blocks_;
  FilterBlock block_{};
  std::uint64_t at_ = 0;  // number of block_
  std::uint64_t keys_ = 0;
};

// The filter on disk. It is fast if keys ascend. Not thread-safe.
class FilterFile {
 public:
  FilterFile(const std::filesystem::path& folder, const store::PageFileId& id, unsigned key_bits);

  bool may_hold(std::uint64_t key);
  std::uint64_t blocks() const { return blocks_; }
  store::PageReader& file() { return file_; }

 private:
  store::PageReader file_;
  const unsigned key_bits_;
  const std::uint64_t blocks_;
  std::string scratch_;
};

// The whole filter in memory. Threads may share one.
class Filter {
 public:
  Filter(const std::filesystem::path& folder, const store::PageFileId& id, unsigned key_bits, MemoryBudget& budget);

  bool may_hold(std::uint64_t key) const;

 private:
  const unsigned key_bits_;
  Array<FilterBlock> blocks_;
};

}  // namespace refrain::library
