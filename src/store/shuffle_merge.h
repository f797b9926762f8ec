// Groups a partition that is too large for memory: sorted runs on disk are merged directly into the consumer.
//
// The method does not depend on how keys are distributed, so it never recurses: one key with a billion records is a
// long stream like any other. If there are more runs than buffers, they are merged in several rounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "base/files/temp.h"
#include "base/threads.h"
#include "store/shuffle_group.h"
#include "store/shuffle_spill.h"

namespace refrain::store {

template <class Layout, class KeyOf>
class RunMerger {
 public:
  using Element = typename Layout::Element;

  // Works in `room`. While add() is called, the caller may use the part of it after the first writing_bytes() bytes.
  RunMerger(const RecordOrder<Layout, KeyOf>& order, const FrameFormat& format, TempSpace& space, FrameReader& reader,
            std::span<std::byte> room, const Context& context)
      : order_(order),
        format_(format),
        reader_(reader),
        context_(context),
        file_(space),
        writer_(file_, format, room.first(FrameWriter::room_bytes(format))),
        buffers_(room.subspan(writing_bytes(format))) {}

  static std::size_t writing_bytes(const FrameFormat& format) {
    return (FrameWriter::room_bytes(format) + 63) / 64 * 64;
  }

  // Adds a run of sorted records.
  void add(const Element* sorted, std::size_t count) {
    writer_.add(std::as_bytes(std::span(sorted, count * order_.layout.stride())));
    end_run();
  }

  // Merges all runs, and emits the result as for_each_run() does.
  void merge(std::size_t run_records, const std::function<void(const typename Layout::Run&)>& emit) {
    writer_.flush();
    const std::size_t buffers = buffers_.size() / buffer_bytes();
    const std::size_t most = std::max<std::size_t>(buffers - 1, 2);  // one buffer is for the outgoing run
    while (runs_.size() > most) {
      const std::size_t count = std::min(most, runs_.size() - most + 1);
      const std::vector<FrameRegion> some(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
      merge_some(some, [&](const Element* record, std::uint64_t /*key*/) {
        writer_.add(std::as_bytes(std::span(record, order_.layout.stride())));
      });
      end_run();
      writer_.flush();
      runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
      for (const FrameRegion& region : some) file_.discard(region.begin, region.end - region.begin);
    }
    // A run is emitted when the record after it is known: only then is it certain whether it is the last of its
    // group.
    const std::size_t stride = order_.layout.stride();
    const std::size_t longest = std::min(run_records, format_.frame_bytes / format_.record_bytes);
    Element* const run = buffer(buffers - 1);
    std::size_t size = 0;
    std::uint64_t run_key = 0;
    bool first = true;
    merge_some({runs_.begin(), runs_.end()}, [&](const Element* record, std::uint64_t key) {
      const bool same = size != 0 && key == run_key;
      if (size == longest || (size != 0 && !same)) {
        emit(order_.layout.run(run_key, run, size, first, !same));
        first = !same;
        size = 0;
      }
      run_key = key;
      order_.layout.write(run + size++ * stride, order_.layout.view(record));
    });
    if (size != 0) emit(order_.layout.run(run_key, run, size, first, true));
  }

 private:
  // The position of the merge in one run.
  struct Source {
    const Element* at;
    const Element* end;
    Element* buffer;
    FrameRegion left;
  };

  std::size_t buffer_bytes() const { return (format_.frame_bytes + 63) / 64 * 64; }
  Element* buffer(std::size_t i) { return reinterpret_cast<Element*>(buffers_.data() + i * buffer_bytes()); }

  void end_run() {
    const std::uint64_t end = writer_.cut();
    runs_.push_back({end_, end});
    end_ = end;
  }

  bool fill(Source& source) {
    if (source.left.begin == source.left.end) return false;
    throw_if_stopped(context_);
    const std::size_t bytes =
        reader_.next(file_, source.left, {reinterpret_cast<std::byte*>(source.buffer), format_.frame_bytes});
    source.at = source.buffer;
    source.end = source.buffer + bytes / sizeof(Element);
    return true;
  }

  // An entry of the heap.
  struct Next {
    std::uint64_t key;
    Source* source;
  };
  bool before(const Next& a, const Next& b) const {
    if (a.key != b.key) return a.key < b.key;
    return order_.order_values && order_.layout.less(a.source->at, b.source->at);
  }

  // Merges some runs with a heap of sources, whose least record is on top.
  void merge_some(const std::vector<FrameRegion>& runs,
                  const std::function<void(const Element* record, std::uint64_t key)>& out) {
    std::vector<Source> sources;
    for (const FrameRegion& run : runs) sources.push_back({nullptr, nullptr, buffer(sources.size()), run});
    std::vector<Next> heap;
    for (Source& source : sources)
      if (fill(source)) heap.push_back({order_.key(source.at), &source});
    std::make_heap(heap.begin(), heap.end(), [&](const Next& a, const Next& b) { return before(b, a); });
    while (!heap.empty()) {
      Next& top = heap.front();
      Source& source = *top.source;
      out(source.at, top.key);
      source.at += order_.layout.stride();
      if (source.at != source.end || fill(source)) {
        top.key = order_.key(source.at);
      } else {
        top = heap.back();
        heap.pop_back();
      }
      sink(heap);
    }
  }

  // Moves the top of the heap, whose key may have increased, to its place.
  void sink(std::vector<Next>& heap) const {
    std::size_t i = 0;
    for (std::size_t child = 1; child < heap.size(); child = 2 * i + 1) {
      if (child + 1 < heap.size() && before(heap[child + 1], heap[child])) ++child;
      if (!before(heap[child], heap[i])) return;
      std::swap(heap[child], heap[i]);
      i = child;
    }
  }

  const RecordOrder<Layout, KeyOf>& order_;
  const FrameFormat format_;
  FrameReader& reader_;
  const Context& context_;
  TempFile file_;
  FrameWriter writer_;
  std::span<std::byte> buffers_;
  std::deque<FrameRegion> runs_;
  std::uint64_t end_ = 0;
};

}  // namespace refrain::store
