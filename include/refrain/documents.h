// Documents that are not in files: columns of text in memory, and streams of them.
//
// The layout is that of Arrow's string columns, so columns held by pyarrow, polars, DuckDB or Spark are read in
// place. Dictionary and view columns have to be unpacked first, a batch at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

// A column of strings: value i is bytes[offsets[i], offsets[i + 1]). This is a view: the memory belongs to the
// caller.
class TextColumn {
 public:
  TextColumn() = default;
  // Arrow's large_utf8. `offsets` has size + 1 entries. Bit i of `validity`, counted from the least significant bit
  // of each byte, is 0 if value i is null; without `validity`, no value is null.
  TextColumn(const char* bytes, const std::int64_t* offsets, std::size_t size, const std::uint8_t* validity = nullptr)
      : bytes_(bytes), wide_(offsets), validity_(validity), size_(size) {}
  // Arrow's utf8.
  TextColumn(const char* bytes, const std::int32_t* offsets, std::size_t size, const std::uint8_t* validity = nullptr)
      : bytes_(bytes), narrow_(offsets), validity_(validity), size_(size) {}

  std::size_t size() const { return size_; }
  bool valid(std::size_t i) const {
    return validity_ == nullptr || (validity_[(first_ + i) / 8] >> (first_ + i) % 8 & 1) != 0;
  }
  // The offset in bytes() where value i begins. `i` may be size(), for the end of the last value.
  std::int64_t offset(std::size_t i) const { return wide_ != nullptr ? wide_[first_ + i] : narrow_[first_ + i]; }
  // For a null, the result has no meaning.
  std::string_view operator[](std::size_t i) const {
    const std::int64_t begin = offset(i);
    return {bytes_ + begin, static_cast<std::size_t>(offset(i + 1) - begin)};
  }
  // The `count` values from `first` on.
  TextColumn slice(std::size_t first, std::size_t count) const {
    TextColumn part = *this;
    part.first_ += first;
    part.size_ = count;
    return part;
  }

  const char* bytes() const { return bytes_; }
  // The offsets from value 0 on; nullptr if the column has 32-bit offsets.
  const std::int64_t* wide_offsets() const { return wide_ == nullptr ? nullptr : wide_ + first_; }
  bool has_nulls() const { return validity_ != nullptr; }

 private:
  const char* bytes_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  const std::int32_t* narrow_ = nullptr;
  const std::uint8_t* validity_ = nullptr;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

// Consecutive documents. A null text is a bad record: it keeps its position, and is neither compared nor kept.
struct DocumentBatch {
  TextColumn text;
  std::optional<TextColumn> ids = {};      // none: a document's id is its position in the stream, from 0
  std::vector<TextColumn> fields = {};     // in the order of DocumentStream::field_names()
  std::shared_ptr<const void> owner = {};  // held as long as the batch is in use; may be empty
};

// A source of documents, a batch at a time. The functions are called by one thread at a time, but not always the same
// one.
class DocumentStream {
 public:
  DocumentStream() = default;
  DocumentStream(const DocumentStream&) = delete;
  DocumentStream& operator=(const DocumentStream&) = delete;
  virtual ~DocumentStream() = default;

  // Fills `batch` with the next documents; returns false at the end. The memory that the batch refers to must stay
  // valid until `batch.owner` is released or, if there is no owner, as long as the stream exists. Either all batches
  // have ids, or none has.
  virtual bool next(DocumentBatch& batch) = 0;

  // Whether rewind() may be called. A verb that reads its input twice copies a stream that cannot be rewound to
  // temporary disk.
  virtual bool rewindable() const { return false; }
  // Goes back to the beginning; next() then returns the same batches again.
  virtual void rewind() {}

  // The names of further fields of every document, which options may refer to: a field to rank by, for example.
  virtual std::vector<std::string> field_names() const { return {}; }
};

// Streams over memory that the caller holds, and must hold as long as the stream exists. They can be rewound.
std::unique_ptr<DocumentStream> documents_of(TextColumn text, std::optional<TextColumn> ids = {});
std::unique_ptr<DocumentStream> documents_of(std::span<const std::string> texts);
std::unique_ptr<DocumentStream> documents_of(std::span<const std::string_view> texts);

}  // namespace refrain
