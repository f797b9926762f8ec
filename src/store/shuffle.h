// The shuffle: brings equal keys together.
//
// Every verb of Refrain takes the same three steps: make records that carry a key, bring those with equal keys
// together, and examine the groups. This is the step in the middle. Records go in from many threads, in any order;
// groups of equal keys come out, in the order of their keys, one group at a time, whether or not they fit in memory.
//
//   Shuffle<Record, KeyOf> shuffle(options, budget, key_of);
//   run_workers(threads, [&](unsigned) {
//     auto writer = shuffle.writer();                  // one per thread
//     for (...) writer.add(record);
//   });
//   shuffle.for_each_run(context, [&](unsigned worker, std::size_t partition, const Run<Record>& run) { ... });
//
// In memory. The range of keys is divided into 2^p partitions by the leading bits of the key, and a record goes to
// its partition as it is written, into a block that only this writer fills: no locks, no second copy, and only a few
// open blocks of memory are written to at a time. When reading, each partition is processed by one thread: a counting
// sort by the next bits scatters it into buckets that hold a few records each (or, if the key has no bits left,
// exactly one group), and each bucket is then sorted (shuffle_group.h). A partition is sized to fit in the cache, so
// only writing and gathering access main memory.
//
// Beyond memory. With a `temp` to spill to, a writer that finds the shuffle's share of memory used up writes its own
// blocks to a file of its own, partition by partition, and fills them again: still no locks, and no thread waits for
// another (shuffle_spill.h). Since records are partitioned before they are written, nothing on disk is sorted, merged
// or written twice: reading a partition means fetching its piece of every spill, and grouping it as in memory. The
// number of partitions is derived from the expected records, so that every worker has room for one.
//
// Beyond the plan. If a partition still does not fit, because a key is frequent or the estimate was too low, the
// worker sorts as much of it as fits, as often as necessary, and merges these runs into the consumer
// (shuffle_merge.h). This costs one more trip to the disk for this partition, whatever its keys. Dividing it by
// further bits of the key would never end if all keys are equal.
//
// Guarantees:
// - A group is complete: all records of a key come one after the other. They may come in several runs of at most
//   `run_records` records each, with the first and the last run marked. So a consumer must never need a group in one
//   piece, because a group can be larger than any buffer.
// - Within a partition, groups come in ascending order of key, and partitions are numbered in that order too.
//   Different partitions are consumed at the same time by different workers. With one thread, everything is in order.
// - Within a group, records come in their own order (operator<) if `order_values` is set. Otherwise their order
//   depends on the threads, and the consumer must not rely on it. Nothing else in the output depends on memory,
//   threads or disk, except where a group is divided into runs.
// - Memory is reserved from the budget before it is taken. Without `temp`: the records once, and while reading one
//   partition per thread; if that does not fit, Error(over_budget) is thrown. With `temp`: never more than
//   `memory_bytes`, from the first record to the last run.
// - Disk: the records once, less what compression saves. If `expected_records` will not fit on the disk, the first
//   spill throws an error with the figure before anything is written. Spilled data is verified when it is read
//   (Error(corrupt)). A full disk is Error(over_budget). The files have no names, so nothing is left of them, however
//   the process ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "base/threads.h"
#include "store/shuffle_group.h"
#include "store/shuffle_layout.h"
#include "store/shuffle_merge.h"
#include "store/shuffle_part.h"
#include "store/shuffle_plan.h"
#include "store/shuffle_spill.h"

namespace refrain::store {

struct ShuffleOptions {
  std::string what = "records";      // for error messages about memory or disk: "the pairs"
  unsigned key_bits = 64;            // keys are below 2^key_bits
  std::size_t expected_records = 0;  // an estimate is enough: it sizes the partitions, and the disk space to check for
  std::size_t partition_records = std::size_t{1} << 15U;  // that a partition should hold, to fit in the cache
  bool order_values = false;
  std::size_t run_records = std::numeric_limits<std::size_t>::max();
  TempSpace* temp = nullptr;       // where to spill; null: never spill
  bool compress = true;            // compress spilled data if that pays; takes about as long as making the records
  std::uint64_t memory_bytes = 0;  // with `temp`: the memory for writing and reading (at least 512 KiB per thread); 0:
                                   // seven eighths of what the budget has left
};

// Record is trivially copyable and has operator<. KeyOf is a cheap pure function: uint64_t(const Record&).
template <class Record, class KeyOf, class Layout = FixedLayout<Record>>
class Shuffle {
 public:
  Shuffle(ShuffleOptions options, MemoryBudget& budget, KeyOf key_of = {}, Layout layout = {})
      : options_(std::move(options)),
        budget_(budget),
        order_{std::move(layout), std::move(key_of), options_.order_values},
        share_{budget, options_.what, options_.temp, options_.expected_records * order_.layout.record_bytes(),
               plan_shuffle(options_, order_.layout.record_bytes(), budget)},
        partition_shift_(options_.key_bits - partition_bits()) {}

  class Writer;
  // Thread-safe. The writer must be destroyed before for_each_run() is called.
  Writer writer() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) idle_.push_back(parts_.emplace_back(std::make_unique<Part>(share_, order_.layout)).get());
    Part* part = idle_.back();
    idle_.pop_back();
    return Writer(*this, part);
  }

  unsigned partition_bits() const { return share_.plan.partition_bits; }
  std::size_t partitions() const { return std::size_t{1} << partition_bits(); }
  std::size_t partition_of(std::uint64_t key) const {
    // A shift by 64 is undefined; a shuffle with 64-bit keys and a single partition would need one.
    return partition_shift_ >= 64 ? 0 : static_cast<std::size_t>(key >> partition_shift_);
  }

  // The position at which each partition would begin if all records were in one ordered list. There is one value more
  // than there are partitions: the last is the number of records.
  std::vector<std::size_t> partition_begins() const {
    std::vector<std::size_t> begins(partitions() + 1, 0);
    for (std::size_t p = 0; p < partitions(); ++p) begins[p + 1] = begins[p] + count(p);
    return begins;
  }

  std::uint64_t size() const { return partition_begins().back(); }
  // The bytes on disk, as stored.
  std::uint64_t spilled_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& part : parts_) bytes += part->spilled_bytes();
    return bytes;
  }

  // Calls consume(worker, partition, run) for every run. Empty partitions are skipped. May be called repeatedly, with
  // the same result, but not by two threads at once.
  template <class Consume>
  void for_each_run(const Context& context, Consume consume) const {
    const auto around = [](unsigned /*worker*/, std::size_t /*partition*/, auto read_it) { read_it(); };
    read(context, {0, partitions(), share_.plan.memory_bytes}, consume, false, around);
  }

  // Whether for_each_run() would read nothing from disk.
  bool in_memory(const Context& context) const {
    return spilled_bytes() == 0 && fits({0, partitions(), share_.plan.memory_bytes}, thread_count(context));
  }
  // Writes all records to disk and gives their memory back. Requires a `temp`.
  void spill(const Context& context) { spill_parts(context); }

  // Like for_each_run(), for the partitions [first, last), and for the last time: the memory and disk space of each
  // partition are given back as soon as it is consumed. If records were spilled, reading takes at most
  // `memory_bytes`.
  template <class Consume>
  void drain(const Context& context, std::size_t first, std::size_t last, std::uint64_t memory_bytes, Consume consume) {
    const auto around = [](unsigned /*worker*/, std::size_t /*partition*/, auto read_it) { read_it(); };
    read(context, {first, last, std::min(memory_bytes, share_.plan.memory_bytes)}, consume, true, around);
  }
  // The same for all partitions. Calls around(worker, partition, read_it) for each, starting in ascending order; it
  // must call read_it(), which consumes the partition.
  template <class Consume, class Around>
  void drain_each(const Context& context, std::uint64_t memory_bytes, Consume consume, Around around) {
    read(context, {0, partitions(), std::min(memory_bytes, share_.plan.memory_bytes)}, consume, true, around);
  }

 private:
  using Element = typename Layout::Element;
  using Part = ShufflePart<Layout>;

  // An Array takes multiples of this, or less than one.
  static constexpr std::uint64_t kArrayBytes = std::uint64_t{64} << 10;
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  // The partitions to read, and the memory for it.
  struct Range {
    std::size_t first;
    std::size_t last;
    std::uint64_t memory_bytes;
    std::size_t size() const { return last - first; }
  };

  // The only part of reading that is compiled for each consumer. `drained`: the partitions will not be read again.
  template <class Consume, class Around>
  void read(const Context& context, const Range& range, Consume& consume, bool drained, const Around& around) const {
    // If many threads give pages back one by one, that costs more than grouping their contents. So all are given back
    // at once, at the end, unless the memory is needed earlier.
    const bool at_once =
        drained && range.size() == partitions() && spilled_bytes() == 0 && share_.budget.available() > 2 * held_bytes();
    Reading reading(*this, context, range);
    const auto read_one = [&](unsigned worker, std::size_t partition) {
      throw_if_stopped(context);
      if (count(partition) == 0) return;
      const auto emit = [&](const typename Layout::Run& run) { consume(worker, partition, run); };
      GroupingRoom<Element> room;
      if (const std::optional<Buckets> buckets = reading.sort(worker, partition, room))
        emit_groups(order_, *buckets, room, options_.run_records, emit);
      else
        reading.merge(worker, partition, emit);
      for (std::size_t p = 0; drained && p < parts_.size(); ++p) {
        Part& part = *parts_[(worker + p) % parts_.size()];  // so that not all workers use the same part
        at_once ? part.forget(partition) : part.discard(partition);
      }
    };
    parallel_for(reading.workers(), range.size(), [&](unsigned worker, std::size_t i) {
      around(worker, range.first + i, [&] { read_one(worker, range.first + i); });
    });
    if (at_once) parallel_for(reading.workers(), parts_.size(), [&](unsigned, std::size_t p) { parts_[p]->release(); });
  }

  struct Workers {
    unsigned count;
    std::uint64_t bytes;  // for each
  };

  // The memory of one worker for reading spilled records.
  struct Workspace {
    Workspace(MemoryBudget& budget, const std::string& what, std::uint64_t bytes, const FrameFormat& frames)
        : memory(budget, what, bytes),
          reader(frames, {memory.data(), FrameReader::room_bytes(frames)}),
          room(std::span(memory.data(), bytes).subspan(reader_bytes(frames))) {}
    static std::size_t reader_bytes(const FrameFormat& frames) { return aligned(FrameReader::room_bytes(frames)); }
    // The minimum for a worker: room to sort a frame or two, or to merge a few runs.
    static std::uint64_t min_bytes(const FrameFormat& frames) {
      const std::uint64_t bytes = reader_bytes(frames) + RunMerger<Layout, KeyOf>::writing_bytes(frames) +
                                  8 * static_cast<std::uint64_t>(frames.frame_bytes);
      return (bytes + kArrayBytes - 1) / kArrayBytes * kArrayBytes;
    }
    Array<std::byte> memory;
    FrameReader reader;
    std::span<std::byte> room;
  };

  // The memory of one worker for reading records that are all in memory.
  struct Scratch {
    Scratch(MemoryBudget& budget, const std::string& what)
        : sorted(budget, what), begins(budget, what), order(budget, what) {}
    template <class T>
    static void grow(Array<T>& array, std::size_t size) {
      if (array.size() >= size) return;
      array.clear();
      array.resize(size);
    }
    Array<Element> sorted;
    Array<std::size_t> begins;
    Array<std::uint32_t> order;
  };

  // Reads partitions: any worker sorts one in memory of its own.
  class Reading {
   public:
    Reading(const Shuffle& shuffle, const Context& context, const Range& range)
        : shuffle_(shuffle),
          context_(context),
          what_("a partition of " + shuffle.options_.what),
          in_memory_(shuffle.fits(range, thread_count(context))),
          workers_(in_memory_ ? Workers{thread_count(context), 0} : shuffle.prepare_disk_read(context, range)),
          scratch_(in_memory_ ? workers_.count : 0),
          workspaces_(in_memory_ ? 0 : workers_.count),
          blocks_(workers_.count) {}

    unsigned workers() const { return workers_.count; }

    // Returns nothing if the partition is too large to be sorted at once; see merge().
    std::optional<Buckets> sort(unsigned worker, std::size_t partition, GroupingRoom<Element>& room) {
      const std::size_t records = shuffle_.count(partition);
      RecordBlocks<Element>& blocks = blocks_[worker];
      blocks.clear();
      if (in_memory_) {
        for (const auto& part : shuffle_.parts_)
          part->for_each_block(partition, [&](std::span<const Element> block) {
            if (!block.empty()) blocks.push_back(block);
          });
        room = scratch(worker, records);
      } else {
        Workspace& mine = workspace(worker);
        if (shuffle_.grouping_bytes(records) > mine.room.size()) return std::nullopt;
        blocks.push_back(shuffle_.load(partition, records, mine));
        room = shuffle_.carve(mine.room, records);
      }
      return sort_into_buckets(shuffle_.order_, records, blocks, room);
    }

    void merge(unsigned worker, std::size_t partition, const std::function<void(const typename Layout::Run&)>& emit) {
      shuffle_.read_in_runs(partition, workspace(worker), context_, emit);
    }

   private:
    GroupingRoom<Element> scratch(unsigned worker, std::size_t records) {
      if (!scratch_[worker]) scratch_[worker] = std::make_unique<Scratch>(shuffle_.budget_, what_);
      Scratch& mine = *scratch_[worker];
      Scratch::grow(mine.sorted, records * shuffle_.order_.layout.stride());
      Scratch::grow(mine.begins, max_buckets(records) + 1);
      if (Layout::kOrderBytes != 0) Scratch::grow(mine.order, records);
      return {mine.sorted.data(), mine.begins.data(), mine.order.data()};
    }
    Workspace& workspace(unsigned worker) {
      if (!workspaces_[worker])
        workspaces_[worker] =
            std::make_unique<Workspace>(shuffle_.budget_, what_, workers_.bytes, shuffle_.share_.frames);
      return *workspaces_[worker];
    }

    const Shuffle& shuffle_;
    const Context& context_;
    const std::string what_;
    const bool in_memory_;
    const Workers workers_;
    std::vector<std::unique_ptr<Scratch>> scratch_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
    std::vector<RecordBlocks<Element>> blocks_;
  };

  bool fits(const Range& range, unsigned threads) const {
    return options_.temp == nullptr || (spilled_bytes() == 0 && fits_in_memory(range, threads));
  }

  // Whether the largest partitions can be grouped at the same time, in addition to all memory that is held.
  bool fits_in_memory(const Range& range, unsigned threads) const {
    std::vector<std::size_t> largest(range.size());
    for (std::size_t i = 0; i < range.size(); ++i) largest[i] = count(range.first + i);
    std::sort(largest.begin(), largest.end(), std::greater<>());
    std::uint64_t reading = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(largest.size(), threads); ++i)
      reading += grouping_bytes(largest[i]) - largest[i] * order_.layout.record_bytes() + 3 * kArrayBytes;
    return held_bytes() + reading <= share_.plan.memory_bytes && reading <= budget_.available();
  }

  void spill_parts(const Context& context) const {
    parallel_for(thread_count(context), parts_.size(), [&](unsigned /*worker*/, std::size_t i) {
      throw_if_stopped(context);
      if (parts_[i]->slab_bytes() == 0) return;
      parts_[i]->spill();
      parts_[i]->pause_writing();
      parts_[i]->release();
    });
  }

  // The number of workers for which there is memory beside what is held now, and the memory for each.
  Workers workers(const Range& range, unsigned threads) const {
    const std::uint64_t memory =
        std::min(range.memory_bytes - std::min(held_bytes(), range.memory_bytes), budget_.available());
    const auto count =
        static_cast<unsigned>(std::clamp<std::uint64_t>(memory / Workspace::min_bytes(share_.frames), 1, threads));
    return {count, memory / count / kArrayBytes * kArrayBytes};
  }

  // Prepares for reading from disk: records that are still in memory stay there if all threads have room beside them
  // for any partition, and are spilled otherwise.
  Workers prepare_disk_read(const Context& context, const Range& range) const {
    const unsigned threads = thread_count(context);
    std::size_t largest = 0;
    for (std::size_t p = 0; p < partitions(); ++p) largest = std::max(largest, count(p));
    for (const auto& part : parts_) part->pause_writing();
    const Workers beside = workers(range, threads);
    if (beside.count == threads && beside.bytes >= Workspace::reader_bytes(share_.frames) + grouping_bytes(largest))
      return beside;
    spill_parts(context);
    const Workers alone = workers(range, threads);
    return {alone.count, std::max(alone.bytes, Workspace::min_bytes(share_.frames))};
  }

  // Loads a partition as one block at the beginning of the room.
  std::span<const Element> load(std::size_t partition, std::size_t records, Workspace& mine) const {
    Element* const loaded = reinterpret_cast<Element*>(mine.room.data());
    Element* end = loaded;
    for_each_frame(partition, [&](const TempFile& file, FrameRegion& region) {
      end +=
          mine.reader.next(file, region,
                           mine.room.first(records * share_.frames.record_bytes).subspan(bytes_between(loaded, end))) /
          sizeof(Element);
    });
    for (const auto& part : parts_)
      part->for_each_block(partition,
                           [&](std::span<const Element> block) { end = std::copy(block.begin(), block.end(), end); });
    return {loaded, end};
  }

  // Reads a partition that is too large: see "Beyond the plan" above.
  void read_in_runs(std::size_t partition, Workspace& mine, const Context& context,
                    const std::function<void(const typename Layout::Run&)>& emit) const {
    share_.expect(count(partition) * order_.layout.record_bytes());
    RunMerger<Layout, KeyOf> merger(order_, share_.frames, *options_.temp, mine.reader, mine.room, context);
    const std::span<std::byte> room = mine.room.subspan(merger.writing_bytes(share_.frames));
    const std::size_t most = grouping_records(room.size());
    Element* const loaded = reinterpret_cast<Element*>(room.data());
    const Element* const full = loaded + most * order_.layout.stride();
    Element* end = loaded;
    const auto write_run = [&] {
      const auto size = static_cast<std::size_t>(end - loaded) / order_.layout.stride();
      const GroupingRoom<Element> sorting = carve(room, size);
      sort_into_buckets(order_, size, {{loaded, end}}, sorting);
      merger.add(sorting.sorted, size);
      end = loaded;
    };
    for_each_frame(partition, [&](const TempFile& file, FrameRegion& region) {
      throw_if_stopped(context);
      if (bytes_between(end, full) < share_.frames.frame_bytes) write_run();
      end += mine.reader.next(file, region, room.subspan(bytes_between(loaded, end), share_.frames.frame_bytes)) /
             sizeof(Element);
    });
    if (end != loaded) write_run();
    merger.merge(options_.run_records, emit);
  }

  // ---- memory for grouping: the records as they were loaded, the sorted records, the buckets

  static std::size_t bytes_between(const Element* begin, const Element* end) {
    return static_cast<std::size_t>(end - begin) * sizeof(Element);
  }
  std::size_t grouping_bytes(std::size_t records) const {
    return 2 * aligned(records * order_.layout.record_bytes()) +
           aligned((max_buckets(records) + 1) * sizeof(std::size_t)) + records * Layout::kOrderBytes;
  }
  // The maximum number of records for which `bytes` are enough. There are two buckets per record, but at most 2^16.
  std::size_t grouping_records(std::size_t bytes) const {
    const std::size_t record = 2 * order_.layout.record_bytes() + Layout::kOrderBytes;
    const std::size_t slack = 4 * 64;
    const std::size_t all_buckets = ((std::size_t{1} << 16) + 1) * sizeof(std::size_t) + slack;
    const std::size_t many = bytes > all_buckets ? (bytes - all_buckets) / record : 0;
    return std::max(many, (bytes - slack) / (record + 2 * sizeof(std::size_t)));
  }
  GroupingRoom<Element> carve(std::span<std::byte> room, std::size_t records) const {
    std::byte* const sorted = room.data() + aligned(records * order_.layout.record_bytes());
    std::byte* const begins = sorted + aligned(records * order_.layout.record_bytes());
    std::byte* const order = begins + aligned((max_buckets(records) + 1) * sizeof(std::size_t));
    return {reinterpret_cast<Element*>(sorted), reinterpret_cast<std::size_t*>(begins),
            reinterpret_cast<std::uint32_t*>(order)};
  }

  // ---- totals over all parts

  std::size_t count(std::size_t p) const {
    std::size_t records = 0;
    for (const auto& part : parts_) records += part->count(p);
    return records;
  }
  std::uint64_t held_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& part : parts_) bytes += part->slab_bytes() + part->list_bytes();
    return bytes;
  }

  template <class Fn>
  void for_each_frame(std::size_t partition, Fn fn) const {
    for (const auto& part : parts_) part->for_each_frame(partition, fn);
  }

  const ShuffleOptions options_;
  MemoryBudget& budget_;
  const RecordOrder<Layout, KeyOf> order_;
  mutable PartsShare share_;  // the location of records changes while they are read, their contents do not
  const unsigned partition_shift_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Part*> idle_;  // parts whose writer is gone; the next writer reuses one
};

// Adds records for one thread.
template <class Record, class KeyOf, class Layout>
class Shuffle<Record, KeyOf, Layout>::Writer {
 public:
  Writer(Writer&& other) noexcept : shuffle_(std::exchange(other.shuffle_, nullptr)), part_(other.part_) {}
  Writer& operator=(Writer&& other) noexcept {
    std::swap(shuffle_, other.shuffle_);
    std::swap(part_, other.part_);
    return *this;
  }
  ~Writer() {
    if (shuffle_ == nullptr) return;
    const std::lock_guard lock(shuffle_->mutex_);
    shuffle_->idle_.push_back(part_);
  }

  void add(typename Layout::View record) { add_to(shuffle_->partition_of(shuffle_->order_.key_of(record)), record); }

  // For records whose key does not include the part that the partition stands for: within a partition, records are
  // grouped by key_of alone.
  void add_to(std::size_t partition, typename Layout::View record) {
    typename Part::Place& place = part_->place(partition);
    if (place.next == place.end) part_->new_block(partition);
    shuffle_->order_.layout.write(place.next, record);
    place.next += shuffle_->order_.layout.stride();
  }

 private:
  friend class Shuffle;
  Writer(Shuffle& shuffle, Part* part) : shuffle_(&shuffle), part_(part) {}
  Shuffle* shuffle_;
  Part* part_;
};

// A shuffle for rows of `row_bytes` each, a width that is known only at run time. KeyOf is uint64_t(std::span<const
// std::byte>). If `order_values` is set, rows of a key are ordered as bytes. The consumer receives RowRun.
template <class KeyOf = std::function<std::uint64_t(std::span<const std::byte>)>>
class RowShuffle : public Shuffle<std::byte, KeyOf, RowLayout> {
 public:
  RowShuffle(std::size_t row_bytes, ShuffleOptions options, MemoryBudget& budget, KeyOf key_of = {})
      : Shuffle<std::byte, KeyOf, RowLayout>(std::move(options), budget, std::move(key_of), RowLayout(row_bytes)) {}
};

}  // namespace refrain::store
