#include "refrain/documents.h"

#include <algorithm>
#include <utility>

namespace refrain {

namespace {

// A column, as a single batch.
class ColumnStream final : public DocumentStream {
 public:
  ColumnStream(TextColumn text, std::optional<TextColumn> ids) : text_(text), ids_(ids) {}

  bool next(DocumentBatch& batch) override {
    if (std::exchange(delivered_, true)) return false;
    batch = {.text = text_, .ids = ids_};
    return true;
  }
  bool rewindable() const override { return true; }
  void rewind() override { delivered_ = false; }

 private:
  const TextColumn text_;
  const std::optional<TextColumn> ids_;
  bool delivered_ = false;
};

// Separate strings in memory, which are concatenated batch by batch.
template <class String>
class StringStream final : public DocumentStream {
 public:
  explicit StringStream(std::span<const String> texts) : texts_(texts) {}

  bool next(DocumentBatch& batch) override {
    if (at_ == texts_.size()) return false;
    struct Buffer {
      std::string bytes;
      std::vector<std::int64_t> offsets = {0};
    };
    auto buffer = std::make_shared<Buffer>();
    do {
      buffer->bytes += texts_[at_++];
      buffer->offsets.push_back(static_cast<std::int64_t>(buffer->bytes.size()));
    } while (at_ != texts_.size() && buffer->bytes.size() + texts_[at_].size() <= kBatchBytes);
    batch = {.text = TextColumn(buffer->bytes.data(), buffer->offsets.data(), buffer->offsets.size() - 1)};
    batch.owner = std::move(buffer);
    return true;
  }
  bool rewindable() const override { return true; }
  void rewind() override { at_ = 0; }

 private:
  static constexpr std::size_t kBatchBytes = std::size_t{256} << 10U;

  const std::span<const String> texts_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<DocumentStream> documents_of(TextColumn text, std::optional<TextColumn> ids) {
  return std::make_unique<ColumnStream>(text, ids);
}

std::unique_ptr<DocumentStream> documents_of(std::span<const std::string> texts) {
  return std::make_unique<StringStream<std::string>>(texts);
}

std::unique_ptr<DocumentStream> documents_of(std::span<const std::string_view> texts) {
  return std::make_unique<StringStream<std::string_view>>(texts);
}

}  // namespace refrain
