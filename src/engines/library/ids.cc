#include "engines/library/ids.h"

#include <algorithm>
#include <limits>
#include <new>

#include "refrain/error.h"
#include "store/varint.h"

namespace refrain::library {

namespace {

constexpr int kIdsLevel = 3;
constexpr std::uint64_t kNoBlock = std::numeric_limits<std::uint64_t>::max();
// The largest number of bytes per compressed byte: a block of at most 128 KiB takes at least four bytes in a frame.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 15U;

std::uint64_t blocks_of(std::uint64_t documents) {
  return (documents + kBlockIds - 1) / kBlockIds;
}

}  // namespace

IdBlocks::IdBlocks() : packer_(ZSTD_createCCtx()) {
  if (!packer_) throw std::bad_alloc();
}

void IdBlocks::clear() {
  bytes_.clear();
  begins_.clear();
  documents_ = 0;
}

void IdBlocks::add(std::string_view id) {
  if (documents_ > 0 && documents_ % kBlockIds == 0) end_block();
  store::append_varint(sizes_, id.size());
  ids_ += id;
  ++documents_;
}

void IdBlocks::end() {
  if (documents_ > 0) end_block();
}

void IdBlocks::end_block() {
  begins_.push_back(bytes_.size());
  sizes_ += ids_;
  packed_.resize(ZSTD_compressBound(sizes_.size()));
  const std::size_t size =
      ZSTD_compressCCtx(packer_.get(), packed_.data(), packed_.size(), sizes_.data(), sizes_.size(), kIdsLevel);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // no other error is possible here
  bytes_.append(packed_, 0, size);
  sizes_.clear();
  ids_.clear();
}

IdsWriter::IdsWriter(const std::filesystem::path& folder, TempSpace& temp)
    : out_((folder / kIdsName).string(), kIdsMagic, kLibraryFormatVersion), blocks_(temp) {}

void IdsWriter::add(const IdBlocks& blocks) {
  for (const std::uint64_t begin : blocks.begins()) blocks_.add(out_.position() + begin);
  out_.write(blocks.bytes());
  documents_ += blocks.documents();
}

store::PageFileId IdsWriter::finish() {
  const std::uint64_t table = out_.position();
  blocks_.add(table);
  blocks_.write_to(out_);
  const std::uint64_t tail[] = {documents_, table};
  return out_.finish({reinterpret_cast<const char*>(tail), sizeof tail});
}

IdsReader::IdsReader(const std::filesystem::path& folder, const store::PageFileId& id, std::uint64_t documents)
    : file_((folder / kIdsName).string(), kIdsMagic, kLibraryFormatVersion),
      documents_(documents),
      blocks_(file_, store::tail_number(file_, 1), blocks_of(documents) + 1),
      loaded_(kNoBlock) {
  store::check_file_id(file_, id);
  if (store::tail_number(file_, 0) != documents) file_.corrupt("another number of ids than of documents");
}

void IdsReader::load(std::uint64_t block) {
  loaded_ = kNoBlock;
  const store::NumbersReader::Range range = blocks_.range(block);
  file_.read(range.begin, range.bytes, packed_);
  const std::uint64_t size = ZSTD_getFrameContentSize(packed_.data(), range.bytes);
  if (size > range.bytes * kMostUnpacked) file_.corrupt("invalid block of ids");  // unknown sizes are huge
  block_.resize(size);
  if (ZSTD_decompress(block_.data(), size, packed_.data(), range.bytes) != size) file_.corrupt("invalid block of ids");
  const std::uint64_t count = std::min(kBlockIds, documents_ - block * kBlockIds);
  const char* at = block_.data();
  ends_.assign(1, 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bytes = 0;
    if (!store::get_varint(at, block_.data() + size, bytes) || bytes > size) file_.corrupt("invalid block of ids");
    ends_.push_back(ends_.back() + bytes);
  }
  const auto begin = static_cast<std::size_t>(at - block_.data());
  for (std::size_t& end : ends_) end += begin;
  if (ends_.back() != size) file_.corrupt("invalid block of ids");
  loaded_ = block;
}

std::string_view IdsReader::id(std::uint64_t document) {
  if (document >= documents_) file_.corrupt("names a document that does not exist");
  if (document / kBlockIds != loaded_) load(document / kBlockIds);
  const std::size_t i = document % kBlockIds;
  return std::string_view(block_).substr(ends_[i], ends_[i + 1] - ends_[i]);
}

}  // namespace refrain::library
