// All the text of a run, end to end, to be read again: in memory while it fits, else in a temporary file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "refrain/text.h"
#include "refrain/text_source.h"

namespace refrain::verbs::run {

// Filled by one thread at a time, but for fill(); then read by many.
class TextStore : public TextSource {
 public:
  // Up to `memory_bytes` of text stay in memory.
  TextStore(MemoryBudget& budget, TempSpace& temp, std::uint64_t memory_bytes);

  void append(std::string_view bytes);
  // Room at the end for so many bytes, which any thread may fill afterwards, each room once. Nothing where the text does
  // not stay in memory: append() it.
  std::optional<std::uint64_t> append_room(std::size_t size);
  void fill(std::uint64_t begin, std::string_view bytes);
  // The document that ends here has been appended.
  void end_document() { end_document(size_); }
  void end_document(std::uint64_t end) { ends_.push_back(end); }
  // After the last byte, before the first reading.
  void finish();

  // Gives back what the text takes. Only where documents begin and end is known from here on.
  void forget_text();

  std::uint64_t size() const override { return size_; }
  const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const override;
  bool in_memory() const { return !file_; }

  // The bytes of each document. Documents stand side by side, or, after one_string(), one byte apart.
  std::size_t documents() const { return ends_.size(); }
  ByteRange document(std::size_t i) const { return {i == 0 ? 0 : ends_[i - 1] + separator_, ends_[i]}; }
  // The document that holds the byte at `position`, or whose end it follows.
  std::size_t document_at(std::uint64_t position) const;

  // Documents are lines of one string: what is appended between the end of one and the first byte of the next is a
  // separator of one byte, and windows may cross it. Before the first byte.
  void one_string() { separator_ = 1; }
  // What windows may not cross.
  std::span<const std::uint64_t> bounds() const {
    return separator_ != 0 ? std::span<const std::uint64_t>(&size_, 1) : std::span(ends_.data(), ends_.size());
  }

 private:
  void flush();
  bool all_filled();
  void append_held(std::string_view bytes);

  TempSpace& temp_;
  const std::uint64_t memory_bytes_;
  std::uint64_t size_ = 0;
  std::uint64_t separator_ = 0;
  Array<char> bytes_;  // all of the text, or what is not in the file yet
  Array<std::uint64_t> ends_;
  std::optional<TempFile> file_;
  // Rooms are filled while others are made: what grows may move.
  std::mutex mutex_;
  std::condition_variable filled_;
  std::size_t open_rooms_ = 0;
  std::size_t filling_ = 0;  // just now
};

}  // namespace refrain::verbs::run
