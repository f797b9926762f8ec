// filter.bin: says of most keys that no document has them, without a look at the keys themselves.
//
// A Bloom filter of 8 bits a key, in blocks of 64 bytes. The upper bits of a key choose the block, so that keys in
// ascending order fill one block after the other, and the filter is written as it is made; kFilterBits bits of it are
// chosen by a hash of the whole key. About 3 in 100 keys that are not there pass.
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

// The blocks that some keys set bits in.
struct FilterPart {
  std::uint64_t first = 0;  // number of the first block
  std::vector<FilterBlock> blocks;
  std::uint64_t keys = 0;
};

// Not thread-safe, but for add_to().
class FilterWriter {
 public:
  FilterWriter(const std::filesystem::path& folder, unsigned key_bits, std::uint64_t keys);

  // A part is for keys in ascending order, and empty at first.
  void add_to(FilterPart& part, std::uint64_t key) const;
  // In ascending order of their keys; one may begin with the block that another ended with.
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

// On disk; fast where keys ascend. Not thread-safe.
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

// In memory, whole. Threads may share one.
class Filter {
 public:
  Filter(const std::filesystem::path& folder, const store::PageFileId& id, unsigned key_bits, MemoryBudget& budget);

  bool may_hold(std::uint64_t key) const;

 private:
  const unsigned key_bits_;
  Array<FilterBlock> blocks_;
};

}  // namespace refrain::library
