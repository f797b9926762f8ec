// What one writer of a shuffle has written: blocks in memory, a list of them a partition, and a file of what was
// spilled.
//
// Blocks are cut from slabs, which stay with the part until reading needs their memory: after a spill the same blocks
// are filled again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "refrain/error.h"
#include "store/shuffle_plan.h"
#include "store/shuffle_spill.h"

namespace refrain::store {

// What the parts of a shuffle have in common.
struct PartsShare {
  MemoryBudget& budget;
  const std::string what;
  TempSpace* const temp;  // null: nothing is ever spilled
  const std::uint64_t expected_bytes;
  const ShufflePlan plan;
  std::atomic<std::uint64_t> common_bytes{0};  // taken of plan.common_bytes

  // From the first spill on. Under the lock until then.
  std::mutex mutex{};
  bool spilling = false;
  FrameFormat frames = plan.frames;
  double stored_fraction = 1;  // of a record's bytes, where compressing pays

  // Before the first spill, with some frames as they will be written: are they worth compressing, and will the disk do?
  // Returns how to write them. Thread-safe.
  template <class Sample>
  FrameFormat start_spilling(Sample sample) {
    constexpr double kPays = 0.75;
    const std::lock_guard lock(mutex);
    if (spilling) return frames;
    const double fraction = frames.compress ? compressed_fraction(frames, sample()) : 1;
    frames.compress = fraction <= kPays;
    if (frames.compress) stored_fraction = fraction;
    expect(expected_bytes);
    spilling = true;
    return frames;
  }

  // Refuses what the disk will not hold.
  void expect(std::uint64_t bytes) const {
    temp->expect(static_cast<std::uint64_t>(static_cast<double>(bytes) * stored_fraction), what);
  }
};

// Not thread-safe: of one writer, later of one reader or many.
template <class Layout>
class ShufflePart {
 public:
  using Element = typename Layout::Element;

  ShufflePart(PartsShare& share, const Layout& layout)
      : share_(share), layout_(layout), lists_(partitions()), open_(partitions()), spilled_(partitions()) {}

  // Where the next record of a partition goes, if next is not end; else new_block() first.
  struct Place {
    Element* next = nullptr;
    Element* end = nullptr;
  };
  Place& place(std::size_t partition) { return open_[partition]; }

  // Takes memory, or spills where the shuffle has taken its share of that.
  void new_block(std::size_t partition) {
    while (slab_ < slabs_.size() && slab_used_ == slabs_[slab_].size() / block_size()) {
      ++slab_;
      slab_used_ = 0;
    }
    if (slab_ == slabs_.size() && !add_slab()) spill();
    Element* block = slabs_[slab_].data() + slab_used_++ * block_size();
    lists_[partition].push_back(block);
    open_[partition] = {block, block + block_size()};
  }

  // Writes all records in memory to the file; the blocks are empty then.
  void spill() {
    if (!file_) {
      const FrameFormat frames = share_.start_spilling([this] { return sample(); });
      file_.emplace(*share_.temp, share_.budget, share_.what, frames, partitions());
    }
    file_->wake();
    for (std::size_t p = 0; p < partitions(); ++p) {
      spilled_[p] += held_count(p);
      for_each_block(p, [&](std::span<const Element> block) { file_->add(std::as_bytes(block)); });
      file_->end_partition();
      lists_[p].clear();
      open_[p] = {};
    }
    file_->end_spill();
    slab_ = slab_used_ = 0;
  }

  // Gives the memory of blocks back: those must be empty.
  void release() {
    slabs_.clear();
    by_address_.clear();
    slab_ = slab_used_ = 0;
    share_.common_bytes.fetch_sub(std::exchange(common_bytes_, 0));
    slab_bytes_ = 0;
  }
  // A partition that was read for the last time: its memory and disk are given back. Thread-safe for different ones.
  void discard(std::size_t partition) {
    {
      const std::lock_guard lock(giving_back_);
      for (Element* block : lists_[partition]) give_back(block);
    }
    forget(partition);
  }
  // The same but for its memory, which is kept until release().
  void forget(std::size_t partition) {
    lists_[partition] = {};
    open_[partition] = {};
    spilled_[partition] = 0;
    for (std::size_t spill = 0; file_ && spill < file_->spills(); ++spill)
      file_->discard(file_->region(spill, partition));
  }
  // Writing is over for now.
  void rest() {
    if (file_) file_->rest();
  }

  std::uint64_t slab_bytes() const { return slab_bytes_; }
  std::uint64_t list_bytes() const { return file_ ? file_->list_bytes() : 0; }
  std::uint64_t spilled_bytes() const { return file_ ? file_->file().size() : 0; }
  std::size_t count(std::size_t p) const { return held_count(p) + spilled_[p]; }

  // fn(std::span<const Element>) for each block in memory.
  template <class Fn>
  void for_each_block(std::size_t partition, Fn fn) const {
    const std::vector<Element*>& blocks = lists_[partition];
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Element* end = b + 1 == blocks.size() ? open_[partition].next : blocks[b] + block_size();
      fn(std::span<const Element>(blocks[b], end));
    }
  }
  // fn(file, region) for each frame on disk; it takes the frame off the region.
  template <class Fn>
  void for_each_frame(std::size_t partition, Fn fn) const {
    for (std::size_t spill = 0; file_ && spill < file_->spills(); ++spill)
      for (FrameRegion region = file_->region(spill, partition); region.begin != region.end;) fn(file_->file(), region);
  }

 private:
  std::size_t partitions() const { return std::size_t{1} << share_.plan.partition_bits; }
  std::size_t block_size() const { return share_.plan.block_records * layout_.stride(); }

  // Full blocks, and the last one as far as it is filled.
  std::size_t held_count(std::size_t p) const {
    const auto unfilled = static_cast<std::size_t>(open_[p].end - open_[p].next);
    return lists_[p].size() * share_.plan.block_records - unfilled / layout_.stride();
  }

  void give_back(Element* block) {
    if (by_address_.size() != slabs_.size()) {
      by_address_.clear();
      for (Array<Element>& slab : slabs_) by_address_.push_back(&slab);
      std::sort(by_address_.begin(), by_address_.end(),
                [](const auto* a, const auto* b) { return a->data() < b->data(); });
    }
    const auto after =
        std::upper_bound(by_address_.begin(), by_address_.end(), block,
                         [](const Element* at, const Array<Element>* slab) { return at < slab->data(); });
    Array<Element>& slab = **(after - 1);
    slab_bytes_ -= slab.give_back(static_cast<std::size_t>(block - slab.data()), block_size());
  }

  // Whether there was memory for it. A writer always gets its first slab, or else throws. The first slabs are small, so
  // that a shuffle of a few records takes little.
  bool add_slab() {
    const std::size_t size = (slabs_.size() < 4 ? 16 : share_.plan.slab_blocks) * block_size();
    const std::uint64_t bytes = size * sizeof(Element);
    const bool may_spill = share_.temp != nullptr && !slabs_.empty();
    const bool common = may_spill && slab_bytes_ - common_bytes_ + bytes > share_.plan.writer_bytes;
    if (common && share_.common_bytes.fetch_add(bytes) + bytes > share_.plan.common_bytes) {
      share_.common_bytes.fetch_sub(bytes);
      return false;
    }
    try {
      slabs_.emplace_back(share_.budget, share_.what, size);
    } catch (const Error&) {
      if (!may_spill) throw;
      if (common) share_.common_bytes.fetch_sub(bytes);
      return false;
    }
    slab_bytes_ += bytes;
    if (common) common_bytes_ += bytes;
    return true;
  }

  // A frame each from four places.
  std::vector<std::byte> sample() const {
    constexpr std::size_t kPlaces = 4;
    std::vector<std::byte> taken;
    for (std::size_t s = 0; s < kPlaces; ++s) {
      const std::size_t enough = (s + 1) * share_.plan.frames.frame_bytes;
      for (std::size_t p = s * partitions() / kPlaces; p < (s + 1) * partitions() / kPlaces; ++p)
        for_each_block(p, [&](std::span<const Element> block) {
          const std::span<const std::byte> bytes = std::as_bytes(block);
          if (taken.size() < enough) taken.insert(taken.end(), bytes.begin(), bytes.end());
        });
    }
    return taken;
  }

  PartsShare& share_;
  const Layout layout_;
  std::vector<std::vector<Element*>> lists_;  // blocks a partition,
  std::vector<Place> open_;                   // the last of which is being filled
  std::vector<std::uint64_t> spilled_;        // records a partition
  std::deque<Array<Element>> slabs_;
  std::mutex giving_back_;
  std::vector<Array<Element>*> by_address_;  // for give_back()
  std::size_t slab_ = 0;                     // the next block is of this one,
  std::size_t slab_used_ = 0;                // after so many
  std::uint64_t slab_bytes_ = 0;             // of all slabs,
  std::uint64_t common_bytes_ = 0;           // and of those beyond the writer's own share
  std::optional<SpillFile> file_;
};

}  // namespace refrain::store
