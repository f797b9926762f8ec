// All the texts and ids of a run, to be read again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "corpus/source/reader.h"
#include "refrain/text.h"

namespace refrain::verbs::run {

// All the text of a run, end to end, to be read again: in memory while it fits, otherwise in a temporary file.
//
// One thread at a time fills it, except through fill(); then many may read it.
class TextStore : public TextSource {
 public:
  // At most `memory_bytes` of text stay in memory.
  TextStore(MemoryBudget& budget, TempSpace& temp, std::uint64_t memory_bytes);

  void append(std::string_view bytes);
  // Reserves `size` bytes at the end and returns their offset. Any thread may then fill them, once. Returns nullopt
  // if the text does not stay in memory: use append() instead.
  std::optional<std::uint64_t> reserve(std::size_t size);
  void fill(std::uint64_t begin, std::string_view bytes);
  // Marks the end of the document that was just appended.
  void end_document() { end_document(size_); }
  void end_document(std::uint64_t end) { ends_.push_back(end); }
  // Must be called after the last byte is appended and before the first read.
  void finish();

  // Releases the text. From here on, only the beginnings and ends of documents are known.
  void forget_text();

  std::uint64_t size() const override { return size_; }
  const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const override;
  bool in_memory() const { return !file_; }
  // The text of a document. Valid until `scratch` changes.
  std::string_view text(std::size_t document, std::string& scratch) const;

  // The bytes of each document. Documents are adjacent or, after one_string(), one byte apart.
  std::size_t documents() const { return ends_.size(); }
  ByteRange document(std::size_t i) const { return {i == 0 ? 0 : ends_[i - 1] + separator_, ends_[i]}; }
  // The document that holds the byte at `position`, or that ends just before it.
  std::size_t document_at(std::uint64_t position) const;

  // Makes the documents lines of one string: a separator of one byte is appended between two documents, and windows
  // may cross it. Must be called before the first byte is appended.
  void one_string() { separator_ = 1; }
  // The boundaries that windows may not cross.
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
  Array<char> bytes_;  // all of the text, or what has not been written to the file yet
  Array<std::uint64_t> ends_;
  std::optional<TempFile> file_;
  // Rooms are filled while others are being reserved, and growing may move the array.
  std::mutex mutex_;
  std::condition_variable filled_;
  std::size_t open_rooms_ = 0;
  std::size_t filling_ = 0;  // the number of fill() calls in progress
};

// Holds the texts of a batch until its turn comes and a TextStore takes them.
//
// The texts of a large batch wait in a temporary file, not in memory. Reusable for another batch: see Pool.
class WaitingTexts {
 public:
  explicit WaitingTexts(MemoryBudget& budget) : text_(budget, "the text being read") {}

  void hold(const TextBatch& texts, MemoryBudget& budget, TempSpace& temp);
  bool may_be_kept() const { return !aside_; }

  // append_to() is called in turn. Texts for which it found room in memory are copied there by fill(), after the
  // turn.
  void append_to(TextStore& store);
  void fill(TextStore& store) const;

 private:
  std::optional<std::uint64_t> room_;
  Array<char> text_;
  std::optional<TempFile> aside_;
  std::vector<std::uint64_t> ends_;
};

// The ids of all documents, in memory. Only ids from the input are stored; an ordinal that serves as id takes no
// space.
//
// One thread at a time fills it, in input order; then many may read it.
class IdStore {
 public:
  explicit IdStore(MemoryBudget& budget) : bytes_(budget, "the ids"), ends_(budget, "the ids") {}

  void add(const corpus::BatchIds& ids, DocId first);

  // Appends the id, escaped as in a TSV row.
  void append_escaped_id(std::string& out, DocId document) const;
  // The memory that the ids take.
  std::size_t bytes() const { return bytes_.size() + ends_.size() * sizeof(std::uint32_t); }
  // The id, unescaped.
  std::string id(DocId document) const;

 private:
  // The ids of one batch: either ordinals, or strings, where ends_[base + i] is the end of id i, counted from
  // bytes_[begin].
  struct Segment {
    DocId first;
    bool ordinals;
    std::size_t begin;
    std::size_t base;
  };
  std::vector<Segment> segments_;  // consecutive batches of ordinals share one
  Array<char> bytes_;
  Array<std::uint32_t> ends_;
};

}  // namespace refrain::verbs::run
