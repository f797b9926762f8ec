// Documents that do not lie in files: columns of text in memory, and streams of them.
//
// The layout is that of Arrow's string columns, so what pyarrow, polars, DuckDB or Spark hold is read where it lies.
// Dictionary and view columns have to be unpacked first, a batch at a time.
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

// A column of strings: value i is bytes[offsets[i], offsets[i + 1]). A view: whoever made it owns the memory.
class TextColumn {
 public:
  TextColumn() = default;
  // Arrow's large_utf8. `offsets` has size + 1 entries. Bit i of `validity`, least first in each byte, is 0 where value i
  // is null; without it none is.
  TextColumn(const char* bytes, const std::int64_t* offsets, std::size_t size, const std::uint8_t* validity = nullptr)
      : bytes_(bytes), wide_(offsets), validity_(validity), size_(size) {}
  // Arrow's utf8.
  TextColumn(const char* bytes, const std::int32_t* offsets, std::size_t size, const std::uint8_t* validity = nullptr)
      : bytes_(bytes), narrow_(offsets), validity_(validity), size_(size) {}

  std::size_t size() const { return size_; }
  bool valid(std::size_t i) const {
    return validity_ == nullptr || (validity_[(first_ + i) / 8] >> (first_ + i) % 8 & 1) != 0;
  }
  // Where value i begins in bytes(); i may be size(), for the end of the last.
  std::int64_t offset(std::size_t i) const { return wide_ != nullptr ? wide_[first_ + i] : narrow_[first_ + i]; }
  // What is null has a value too, which means nothing.
  std::string_view operator[](std::size_t i) const {
    const std::int64_t begin = offset(i);
    return {bytes_ + begin, static_cast<std::size_t>(offset(i + 1) - begin)};
  }
  // `count` values from `first` on.
  TextColumn slice(std::size_t first, std::size_t count) const {
    TextColumn part = *this;
    part.first_ += first;
    part.size_ = count;
    return part;
  }

  const char* bytes() const { return bytes_; }
  // Of value 0 and on; null where they have 32 bits.
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

// Consecutive documents. A null text is a bad record: it keeps its place, and is neither compared nor kept.
struct DocumentBatch {
  TextColumn text;
  std::optional<TextColumn> ids = {};      // none: a document's id is its place in the stream, from 0
  std::vector<TextColumn> fields = {};     // as DocumentStream::field_names() says
  std::shared_ptr<const void> owner = {};  // held as long as the batch is in use; may be empty
};

// Documents, a batch at a time. Called by one thread at a time, from any.
class DocumentStream {
 public:
  DocumentStream() = default;
  DocumentStream(const DocumentStream&) = delete;
  DocumentStream& operator=(const DocumentStream&) = delete;
  virtual ~DocumentStream() = default;

  // The next batch; false at the end. What it shows must stay there until `batch.owner` is let go or, where there is no
  // owner, as long as the stream. All batches have ids, or none has.
  virtual bool next(DocumentBatch& batch) = 0;

  // Whether rewind() can be called. A verb that reads twice copies a stream that cannot go back to temporary disk.
  virtual bool rewindable() const { return false; }
  // Back to the beginning, for the same batches once more.
  virtual void rewind() {}

  // What else there is of every document, for whoever asks for it by name: a field to rank by, say.
  virtual std::vector<std::string> field_names() const { return {}; }
};

// Streams over what the caller holds, and must hold until the stream is gone. Rewindable.
std::unique_ptr<DocumentStream> documents_of(TextColumn text, std::optional<TextColumn> ids = {});
std::unique_ptr<DocumentStream> documents_of(std::span<const std::string> texts);
std::unique_ptr<DocumentStream> documents_of(std::span<const std::string_view> texts);

}  // namespace refrain
