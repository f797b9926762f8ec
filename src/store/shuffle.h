// The shuffle: bring equal keys together.
//
// Every rung of Refrain is the same three steps: make records that carry a key, bring those with equal keys together,
// look at what met. This is the step in the middle. Records go in from many threads, in any order; groups of equal keys
// come out, in the order of their keys, one group at a time.
//
//   Shuffle<Record, KeyOf> shuffle(options, budget, key_of);
//   run_workers(threads, [&](unsigned) {
//     auto writer = shuffle.writer();                  // one a thread
//     for (...) writer.add(record);
//   });
//   shuffle.for_each_run(context, [&](unsigned worker, std::size_t partition, const Run<Record>& run) { ... });
//
// How it works. The range of keys is cut into 2^p partitions by the leading bits of the key, and a record goes to its
// partition as it is written, into a block that only this writer fills: no locks, no second copy, and memory is touched
// a few open blocks at a time. To read, each partition is taken by one thread: a counting sort by the next bits
// scatters it into buckets that hold a few records each (or, where the key has no bits left, exactly one group), and
// what is left to sort is sorted there. A partition is sized to lie in the cache, so only the writing and the gathering
// go to memory.
//
// What it promises.
// - A group is whole: all records of a key come one after the other. It may come in several runs, each of at most
//   `run_records` records, the first and the last marked: a consumer must never need a group as one piece, for a group
//   can be larger than any buffer.
// - Within a partition, groups come in ascending order of key, and partitions are numbered in that order too; different
//   partitions are consumed at the same time by different workers. With one thread all of it is in order.
// - Within a group records come in their own order (operator<) if `order_values`, else in an order that depends on the
//   threads, so the consumer must not care.
// - Memory is reserved from the budget block by block: the records once, and one partition a thread while reading. A
//   skewed key makes a large partition, and costs memory for it, but no more time than the sort of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
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
#include "base/threads.h"

namespace refrain {

struct ShuffleOptions {
  std::string what = "records";      // for the message where memory does not suffice: "the pairs"
  unsigned key_bits = 64;            // keys are below 2^key_bits
  std::size_t expected_records = 0;  // a guess is enough: it sizes the partitions
  bool order_values = false;
  std::size_t run_records = std::numeric_limits<std::size_t>::max();
};

// A group of equal keys, or a piece of one.
template <class Record>
struct Run {
  std::uint64_t key;
  std::span<const Record> records;
  bool first;  // of its group
  bool last;
};

// Record: trivially copyable, with operator<. KeyOf: uint64_t(const Record&), cheap, pure.
template <class Record, class KeyOf>
class Shuffle {
 public:
  Shuffle(ShuffleOptions options, MemoryBudget& budget, KeyOf key_of = {})
      : options_(std::move(options)),
        budget_(budget),
        key_of_(std::move(key_of)),
        partition_bits_(choose_partition_bits(options_)),
        partition_shift_(options_.key_bits - partition_bits_) {}

  class Writer;
  // Thread-safe. The writer must be gone before for_each_run.
  Writer writer() {
    const std::lock_guard lock(mutex_);
    return Writer(*this, parts_.emplace_back(std::make_unique<Part>(partitions())).get());
  }

  std::size_t partitions() const { return std::size_t{1} << partition_bits_; }
  // Where each partition would begin if all records stood in one list in order; one more than there are partitions, the
  // last being the number of records.
  std::vector<std::size_t> partition_begins() const {
    std::vector<std::size_t> begins(partitions() + 1, 0);
    for (std::size_t p = 0; p < partitions(); ++p) {
      begins[p + 1] = begins[p];
      for (const auto& part : parts_) begins[p + 1] += part->count(p);
    }
    return begins;
  }

  // Calls consume(worker, partition, run) for every run. Partitions without records are passed over. May be called
  // again: reading changes nothing.
  template <class Consume>
  void for_each_run(const Context& context, Consume consume) const {
    struct Scratch {
      explicit Scratch(MemoryBudget& budget, const std::string& what) : records(budget, what) {}
      Array<Record> records;
      std::vector<std::size_t> begins;
    };
    std::vector<std::unique_ptr<Scratch>> scratch(thread_count(context));
    parallel_for(thread_count(context), partitions(), [&](unsigned worker, std::size_t partition) {
      throw_if_stopped(context);
      if (!scratch[worker]) scratch[worker] = std::make_unique<Scratch>(budget_, "a partition of " + options_.what);
      read_partition(partition, scratch[worker]->records, scratch[worker]->begins,
                     [&](const Run<Record>& run) { consume(worker, partition, run); });
    });
  }

 private:
  static constexpr std::size_t kBlockRecords = std::max<std::size_t>(4096 / sizeof(Record), 16);
  static constexpr std::size_t kSlabBlocks = 64;
  static constexpr std::size_t kPartitionRecords = std::size_t{1} << 15;  // what a partition should hold

  // What one writer has written.
  struct Part {
    explicit Part(std::size_t partitions) : blocks(partitions), open(partitions) {}
    // Records of a partition: full blocks, and the last one as far as it is filled.
    std::size_t count(std::size_t p) const {
      return blocks[p].size() * kBlockRecords - static_cast<std::size_t>(open[p].end - open[p].next);
    }
    // Where the next record of a partition goes.
    struct Place {
      Record* next = nullptr;
      Record* end = nullptr;
    };
    std::vector<std::vector<Record*>> blocks;
    std::vector<Place> open;
    std::deque<Array<Record>> slabs;
    std::size_t slab_used = 0;
  };

  static unsigned choose_partition_bits(const ShuffleOptions& options) {
    const auto wanted = static_cast<unsigned>(std::bit_width(options.expected_records / kPartitionRecords));
    return std::min({wanted, 11U, options.key_bits});
  }

  void new_block(Part& part, std::size_t partition) {
    // The first slabs are small, so that a shuffle of a few records takes little.
    const std::size_t slab_blocks =
        std::min(kSlabBlocks, std::size_t{1} << std::min<std::size_t>(part.slabs.size(), 10));
    if (part.slabs.empty() || part.slab_used == part.slabs.back().size() / kBlockRecords) {
      part.slabs.emplace_back(budget_, options_.what, slab_blocks * kBlockRecords);
      part.slab_used = 0;
    }
    Record* block = part.slabs.back().data() + part.slab_used++ * kBlockRecords;
    part.blocks[partition].push_back(block);
    part.open[partition] = {block, block + kBlockRecords};
  }

  template <class Emit>
  void read_partition(std::size_t partition, Array<Record>& sorted, std::vector<std::size_t>& begins, Emit emit) const {
    std::size_t count = 0;
    for (const auto& part : parts_) count += part->count(partition);
    if (count == 0) return;
    if (sorted.size() < count) {
      sorted.clear();
      sorted.resize(count);
    }
    // Buckets for the next bits of the key that vary at all here: as many as there are records, within reason.
    std::uint64_t varying = 0;
    std::optional<std::uint64_t> first_key;
    for_each_record(partition, [&](const Record& record) {
      const std::uint64_t key = key_of_(record);
      if (!first_key) first_key = key;
      varying |= key ^ *first_key;
    });
    const auto width = static_cast<unsigned>(std::bit_width(varying));
    const unsigned bits = std::min({width, static_cast<unsigned>(std::bit_width(count)), 16U});
    const unsigned shift = width - bits;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const auto bucket_of = [&](const Record& record) {
      return static_cast<std::size_t>(shifted(record, shift) & mask);
    };
    begins.assign((std::size_t{1} << bits) + 1, 0);
    for_each_record(partition, [&](const Record& record) { ++begins[bucket_of(record) + 1]; });
    for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
    // begins[b] runs ahead to the end of its bucket, which is the begin of the next.
    for_each_record(partition, [&](const Record& record) { sorted[begins[bucket_of(record)]++] = record; });
    std::size_t begin = 0;
    for (std::size_t b = 0; b + 1 < begins.size(); ++b) {
      const std::size_t end = begins[b];
      if (begin != end) read_bucket({sorted.data() + begin, end - begin}, shift != 0, emit);
      begin = end;
    }
  }

  template <class Emit>
  void read_bucket(std::span<Record> bucket, bool several_keys, Emit& emit) const {
    const auto by_key = [&](const Record& a, const Record& b) { return key_of_(a) < key_of_(b); };
    if (bucket.size() > 1) {
      if (options_.order_values) {
        std::sort(bucket.begin(), bucket.end(), [&](const Record& a, const Record& b) {
          const std::uint64_t key_a = key_of_(a);
          const std::uint64_t key_b = key_of_(b);
          return key_a != key_b ? key_a < key_b : a < b;
        });
      } else if (several_keys) {
        std::sort(bucket.begin(), bucket.end(), by_key);
      }
    }
    while (!bucket.empty()) {
      const std::uint64_t key = key_of_(bucket.front());
      std::size_t size = bucket.size();
      if (several_keys) {
        size = 1;
        while (size < bucket.size() && key_of_(bucket[size]) == key) ++size;
      }
      emit_group(key, bucket.first(size), emit);
      bucket = bucket.subspan(size);
    }
  }

  template <class Emit>
  void emit_group(std::uint64_t key, std::span<const Record> group, Emit& emit) const {
    bool first = true;
    while (!group.empty()) {
      const std::size_t size = std::min(group.size(), options_.run_records);
      emit(Run<Record>{key, group.first(size), std::exchange(first, false), size == group.size()});
      group = group.subspan(size);
    }
  }

  template <class Fn>
  void for_each_record(std::size_t partition, Fn fn) const {
    for (const auto& part : parts_) {
      const std::vector<Record*>& blocks = part->blocks[partition];
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Record* end = b + 1 == blocks.size() ? part->open[partition].next : blocks[b] + kBlockRecords;
        for (const Record* record = blocks[b]; record != end; ++record) fn(*record);
      }
    }
  }

  // A shift by 64 is not defined, and a shuffle with key_bits 0 and no partitions would ask for it.
  std::uint64_t shifted(const Record& record, unsigned shift) const {
    return shift >= 64 ? 0 : key_of_(record) >> shift;
  }

  const ShuffleOptions options_;
  MemoryBudget& budget_;
  const KeyOf key_of_;
  const unsigned partition_bits_;
  const unsigned partition_shift_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
};

template <class Record, class KeyOf>
class Shuffle<Record, KeyOf>::Writer {
 public:
  void add(const Record& record) {
    const auto partition = static_cast<std::size_t>(shuffle_->shifted(record, shuffle_->partition_shift_));
    typename Part::Place& place = part_->open[partition];
    if (place.next == place.end) shuffle_->new_block(*part_, partition);
    *place.next++ = record;
  }

 private:
  friend class Shuffle;
  Writer(Shuffle& shuffle, Part* part) : shuffle_(&shuffle), part_(part) {}
  Shuffle* shuffle_;
  Part* part_;
};

}  // namespace refrain
