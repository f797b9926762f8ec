// Keeps documents readable after cuts.
//
// The reader skips a file whose first 8 KiB are not text, for example because they contain a NUL byte or look like
// a PDF. A cut moves later bytes to the front, so the rest of a text could be taken for such a file. If that would
// happen, nothing is cut out of the first 8 KiB of the document.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "refrain/text.h"
#include "refrain/text_source.h"

namespace refrain::verbs::evidence {

// Receives the cuts of documents in order and passes on those that may be made. Holds a cut back until it is known
// what the document would begin with. Not thread-safe.
class CutGuard {
 public:
  explicit CutGuard(const TextSource& text) : text_(text) {}

  // Calls remove(range) for cuts of this document, or of the one before it.
  template <class Remove>
  void cut(ByteRange range, ByteRange document, Remove remove) {
    if (!document_ || document_->begin != document.begin) {
      finish(remove);
      document_ = document;
      kept_ = 0;
      at_ = document.begin;
    }
    if (!first_) {
      kept_ += range.begin - at_;
      at_ = range.end;
      if (!is_enough()) {
        held_.push_back(range);
        return;
      }
      release(remove);
    }
    hand_on(range, remove);
  }

  // Must be called after the last cut.
  template <class Remove>
  void finish(Remove remove) {
    if (document_ && !first_) release(remove);
    document_.reset();
    first_.reset();
  }

 private:
  template <class Remove>
  void release(Remove remove) {
    first_ = first_to_cut();
    for (const ByteRange& range : held_) hand_on(range, remove);
    held_.clear();
  }
  template <class Remove>
  void hand_on(ByteRange range, Remove remove) {
    if (range.begin < *first_) range.begin = *first_;
    if (range.begin < range.end) remove(range);
  }

  // Whether the bytes kept so far suffice to recognize the document.
  bool is_enough() const;
  // The first byte of the document that may be cut.
  std::uint64_t first_to_cut() const;

  const TextSource& text_;
  std::optional<ByteRange> document_;
  std::optional<std::uint64_t> first_;  // first byte that may be cut; nullopt: not known yet
  std::uint64_t kept_ = 0;              // bytes of the document before at_
  std::uint64_t at_ = 0;
  std::vector<ByteRange> held_;  // cuts that wait for is_enough()
};

}  // namespace refrain::verbs::evidence
