// The records of one writer of a shuffle: blocks in memory, with a list of them per partition, and a file of spilled
// records.
//
// Blocks are cut from slabs, which stay with the part until their memory is needed for reading: after a spill, the
// same blocks are filled again.
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
#include "base/files/temp.h"
#include "refrain/error.h"
#include "store/shuffle_plan.h"
#include "store/shuffle_spill.h"

namespace refrain::store {

// The data that all parts of a shuffle share.
struct PartsShare {
  MemoryBudget& budget;
  const std::string what;
  TempSpace* const temp;  // null: nothing is ever spilled
  const std::uint64_t expected_bytes;
  const ShufflePlan plan;
  std::atomic<std::uint64_t> shared_bytes{0};  // taken from plan.shared_bytes

  // Constant from the first spill on. Guarded by the mutex until then.
  std::mutex mutex{};
  bool spilling = false;
  FrameFormat frames = plan.frames;
  double stored_fraction = 1;  // the fraction of a record's bytes that is stored, if compression pays

  // Called before the first spill, with a sample of frames. Decides whether they are worth compressing, and checks
  // that the disk has room. Returns the format of frames. Thread-safe.
  template <class Sample>
  FrameFormat start_spilling(Sample sample) {
    constexpr double kMaxPayingFraction = 0.75;
    const std::lock_guard lock(mutex);
    if (spilling) return frames;
    const double fraction = frames.compress ? compressed_fraction(frames, sample()) : 1;
    frames.compress = fraction <= kMaxPayingFraction;
    if (frames.compress) stored_fraction = fraction;
    expect(expected_bytes);
    spilling = true;
    return frames;
  }

  // Throws an error if the disk does not have room for this many bytes of records.
  void expect(std::uint64_t bytes) const {
    temp->expect(static_cast<std::uint64_t>(static_cast<double>(bytes) * stored_fraction), what);
  }
};

// Not thread-safe while it is written by its one writer; afterwards, many threads may read it.
template <class Layout>
class ShufflePart {
 public:
  using Element = typename Layout::Element;

  ShufflePart(PartsShare& share, const Layout& layout)
      : share_(share), layout_(layout), lists_(partitions()), open_(partitions()), spilled_(partitions()) {}

  // The place for the next record of a partition. If next equals end, call new_block() first.
  struct Place {
    Element* next = nullptr;
    Element* end = nullptr;
  };
  Place& place(std::size_t partition) { return open_[partition]; }

  // Begins a new block. Takes memory for it, or spills if the shuffle has used up its share.
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

  // Writes all records in memory to the file; the blocks are then empty.
  void spill() {
    if (!file_) {
      const FrameFormat frames = share_.start_spilling([this] { return sample(); });
      file_.emplace(*share_.temp, share_.budget, share_.what, frames, partitions());
    }
    file_->resume_writing();
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

  // Gives the memory of the blocks back; they must be empty.
  void release() {
    slabs_.clear();
    by_address_.clear();
    slab_ = slab_used_ = 0;
    share_.shared_bytes.fetch_sub(std::exchange(common_bytes_, 0));
    slab_bytes_ = 0;
  }
  // Gives back the memory and disk space of a partition that was read for the last time. Thread-safe for different
  // partitions.
  void discard(std::size_t partition) {
    {
      const std::lock_guard lock(give_back_mutex_);
      for (Element* block : lists_[partition]) give_back(block);
    }
    forget(partition);
  }
  // The same, except for the memory, which is kept until release().
  void forget(std::size_t partition) {
    lists_[partition] = {};
    open_[partition] = {};
    spilled_[partition] = 0;
    for (std::size_t spill = 0; file_ && spill < file_->spills(); ++spill)
      file_->discard(file_->region(spill, partition));
  }
  // To be called when writing pauses: gives back the memory of the spill writer.
  void pause_writing() {
    if (file_) file_->pause_writing();
  }

  std::uint64_t slab_bytes() const { return slab_bytes_; }
  std::uint64_t list_bytes() const { return file_ ? file_->list_bytes() : 0; }
  std::uint64_t spilled_bytes() const { return file_ ? file_->file().size() : 0; }
  std::size_t count(std::size_t p) const { return held_count(p) + spilled_[p]; }

  // Calls fn(std::span<const Element>) for each block in memory.
  template <class Fn>
  void for_each_block(std::size_t partition, Fn fn) const {
    const std::vector<Element*>& blocks = lists_[partition];
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Element* end = b + 1 == blocks.size() ? open_[partition].next : blocks[b] + block_size();
      fn(std::span<const Element>(blocks[b], end));
    }
  }
  // Calls fn(file, region) for each frame on disk; fn must remove the frame from the beginning of the region.
  template <class Fn>
  void for_each_frame(std::size_t partition, Fn fn) const {
    for (std::size_t spill = 0; file_ && spill < file_->spills(); ++spill)
      for (FrameRegion region = file_->region(spill, partition); region.begin != region.end;) fn(file_->file(), region);
  }

 private:
  std::size_t partitions() const { return std::size_t{1} << share_.plan.partition_bits; }
  std::size_t block_size() const { return share_.plan.block_records * layout_.stride(); }

  // Counts full blocks, and the filled part of the last one.
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

  // Returns whether there was memory for it. A writer always gets its first slab, or else this throws. The first
  // slabs are small, so that a shuffle of a few records takes little memory.
  bool add_slab() {
    const std::size_t size = (slabs_.size() < 4 ? 16 : share_.plan.slab_blocks) * block_size();
    const std::uint64_t bytes = size * sizeof(Element);
    const bool may_spill = share_.temp != nullptr && !slabs_.empty();
    const bool common = may_spill && slab_bytes_ - common_bytes_ + bytes > share_.plan.writer_bytes;
    if (common && share_.shared_bytes.fetch_add(bytes) + bytes > share_.plan.shared_bytes) {
      share_.shared_bytes.fetch_sub(bytes);
      return false;
    }
    try {
      slabs_.emplace_back(share_.budget, share_.what, size);
    } catch (const Error&) {
      if (!may_spill) throw;
      if (common) share_.shared_bytes.fetch_sub(bytes);
      return false;
    }
    slab_bytes_ += bytes;
    if (common) common_bytes_ += bytes;
    return true;
  }

  // Returns a frame from each of four places.
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
  std::vector<std::vector<Element*>> lists_;  // the blocks of each partition;
  std::vector<Place> open_;                   // the last of them is being filled
  std::vector<std::uint64_t> spilled_;        // spilled records of each partition
  std::deque<Array<Element>> slabs_;
  std::mutex give_back_mutex_;
  std::vector<Array<Element>*> by_address_;  // for give_back()
  std::size_t slab_ = 0;                     // the slab of the next block,
  std::size_t slab_used_ = 0;                // and the number of blocks already taken from it
  std::uint64_t slab_bytes_ = 0;             // of all slabs
  std::uint64_t common_bytes_ = 0;           // of the slabs beyond the writer's own share
  std::optional<SpillFile> file_;
};

}  // namespace refrain::store
