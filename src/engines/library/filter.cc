#include "engines/library/filter.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/hash.h"
#include "engines/library/format.h"
#include "store/segments/numbers.h"

namespace refrain::library {

namespace {

constexpr std::uint64_t kKeysPerBlock = 64;
constexpr unsigned kPlaceBits = 9;  // bits that give the position of a bit in a block

std::uint64_t filter_blocks(std::uint64_t keys) {
  return std::min<std::uint64_t>(keys / kKeysPerBlock + 1, std::numeric_limits<std::uint32_t>::max());
}

// Ascends with the key.
std::uint64_t filter_block(std::uint64_t key, unsigned key_bits, std::uint64_t blocks) {
  const std::uint64_t upper = key_bits >= 32 ? key >> (key_bits - 32) : key << (32 - key_bits);
  return (upper * blocks) >> 32U;
}

// Returns the bits that are set for a key.
FilterBlock filter_bits(std::uint64_t key) {
  FilterBlock bits{};
  std::uint64_t hash = mix(key, 0xD6E8FEB86659FD93U, 0x9E3779B97F4A7C15U);
  for (unsigned i = 0; i < kFilterBits; ++i) {
    bits[hash >> 6U & 7U] |= std::uint64_t{1} << (hash & 63U);
    hash >>= kPlaceBits;
  }
  return bits;
}

void set_bits(const FilterBlock& bits, FilterBlock& block) {
  for (std::size_t i = 0; i < bits.size(); ++i) block[i] |= bits[i];
}

bool holds_all(const FilterBlock& block, const FilterBlock& bits) {
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) missing |= bits[i] & ~block[i];
  return missing == 0;
}

}  // namespace

FilterWriter::FilterWriter(const std::filesystem::path& folder, unsigned key_bits, std::uint64_t keys)
    : out_((folder / kFilterName).string(), kFilterMagic, kLibraryFormatVersion),
      key_bits_(key_bits),
      blocks_(filter_blocks(keys)) {}

void FilterWriter::write_up_to(std::uint64_t block) {
  for (; at_ < block; ++at_) {
    out_.write({reinterpret_cast<const char*>(block_.data()), sizeof block_});
    block_ = {};
  }
}

void FilterWriter::add_to(FilterPart& part, std::uint64_t key) const {
  const std::uint64_t block = filter_block(key, key_bits_, blocks_);
  if (part.blocks.empty()) part.first = block;
  part.blocks.resize(block - part.first + 1);
  set_bits(filter_bits(key), part.blocks.back());
  ++part.keys;
}

void FilterWriter::add(const FilterPart& part) {
  for (std::uint64_t i = 0; i < part.blocks.size(); ++i) {
    write_up_to(part.first + i);
    set_bits(part.blocks[i], block_);
  }
  keys_ += part.keys;
}

store::PageFileId FilterWriter::finish() {
  write_up_to(blocks_);
  const std::uint64_t tail[] = {blocks_, key_bits_, keys_};
  return out_.finish({reinterpret_cast<const char*>(tail), sizeof tail});
}

FilterFile::FilterFile(const std::filesystem::path& folder, const store::PageFileId& id, unsigned key_bits)
    : file_((folder / kFilterName).string(), kFilterMagic, kLibraryFormatVersion),
      key_bits_(key_bits),
      blocks_(store::tail_number(file_, 0)) {
  store::check_file_id(file_, id);
  const std::uint64_t bytes = file_.size() - store::PageReader::kBegin;
  if (blocks_ == 0 || bytes % sizeof(FilterBlock) != 0 || bytes / sizeof(FilterBlock) != blocks_ ||
      store::tail_number(file_, 1) != key_bits)
    file_.corrupt("a filter of other keys");
}

bool FilterFile::may_hold(std::uint64_t key) {
  const std::uint64_t block = filter_block(key, key_bits_, blocks_);
  const std::string_view bytes =
      file_.read(store::PageReader::kBegin + block * sizeof(FilterBlock), sizeof(FilterBlock), scratch_);
  FilterBlock found;
  std::memcpy(found.data(), bytes.data(), sizeof found);
  return holds_all(found, filter_bits(key));
}

Filter::Filter(const std::filesystem::path& folder, const store::PageFileId& id, unsigned key_bits,
               MemoryBudget& budget)
    : key_bits_(key_bits), blocks_(budget, "the filter of the library's keys") {
  FilterFile filter(folder, id, key_bits);
  blocks_.resize(filter.blocks());
  const std::uint64_t bytes = blocks_.size() * sizeof(FilterBlock);
  auto* const to = reinterpret_cast<char*>(blocks_.data());
  for (std::uint64_t at = 0; at < bytes;) {
    const std::string_view rest = filter.file().rest_of_page(store::PageReader::kBegin + at);
    std::memcpy(to + at, rest.data(), rest.size());
    at += rest.size();
  }
}

bool Filter::may_hold(std::uint64_t key) const {
  return holds_all(blocks_[filter_block(key, key_bits_, blocks_.size())], filter_bits(key));
}

}  // namespace refrain::library
