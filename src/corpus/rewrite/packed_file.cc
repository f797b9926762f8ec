#include "corpus/rewrite/packed_file.h"

#include <algorithm>
#include <span>

namespace refrain::corpus {

namespace {

constexpr std::size_t kPlainBytes = std::size_t{256} << 10;

}  // namespace

PackedFile::PackedFile(MemoryBudget& budget, unsigned threads)
    : budget_(budget), threads_(threads), plain_(budget, "what is to be packed") {}

void PackedFile::open(const std::string& path, Packing packing) {
  file_.emplace(path);
  packing_ = packing;
  in_part_ = any_part_ = false;
}

void PackedFile::begin_part() {
  in_part_ = any_part_ = true;
  if (packing_ != Packing::gzip) {
    plain_.clear();
    plain_.reserve_more(kPlainBytes);
    if (packer_of_ != packing_) {
      packer_.reset();
      packer_ = make_packer(packing_, threads_, budget_);
      packer_of_ = packing_;
    }
    return;
  }
  if (!gzip_) {
    const std::uint64_t room = budget_.available() / 8 / GzipBlocks::kThreadBytes;
    const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(room, 1, threads_));
    gzip_.emplace(budget_, threads, [this](std::string_view bytes) { file_->write(bytes); });
  }
  gzip_->begin();
}

void PackedFile::write(std::string_view bytes) {
  if (packing_ == Packing::none) return file_->write(bytes);
  if (bytes.empty()) return;
  if (!in_part_) begin_part();
  if (packing_ == Packing::gzip) return gzip_->write(bytes);
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), kPlainBytes - plain_.size());
    plain_.append(std::span(bytes.data(), taken));
    bytes.remove_prefix(taken);
    if (plain_.size() == kPlainBytes) pack(false);
  }
}

void PackedFile::split() {
  if (!in_part_) return;
  in_part_ = false;
  if (packing_ == Packing::gzip)
    gzip_->end();
  else
    pack(true);
}

std::uint64_t PackedFile::close() {
  if (packing_ != Packing::none && !any_part_) begin_part();
  split();
  file_->flush();
  const std::uint64_t bytes = file_->bytes();
  file_->close_unsynced();
  file_.reset();
  return bytes;
}

void PackedFile::pack(bool end) {
  packer_->pack({plain_.data(), plain_.size()}, end, [this](std::string_view bytes) { file_->write(bytes); });
  plain_.clear();
}

}  // namespace refrain::corpus
