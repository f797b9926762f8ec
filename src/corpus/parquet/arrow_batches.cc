#include "corpus/parquet/arrow_batches.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/ipc/message.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::uint64_t kArrowReaderBytes = std::uint64_t{512} << 10;
constexpr std::string_view kFileMagic = "ARROW1";
constexpr std::uint32_t kContinues = 0xFFFFFFFF;

// A field of a FlatBuffers table, which Arrow has verified; null if it is absent.
const std::uint8_t* table_field(const std::uint8_t* table, std::size_t field) {
  std::int32_t back = 0;
  std::memcpy(&back, table, sizeof back);
  const std::uint8_t* const offsets = table - back;
  std::uint16_t size = 0;
  std::memcpy(&size, offsets, sizeof size);
  const std::size_t at = 4 + 2 * field;
  if (at + 2 > size) return nullptr;
  std::uint16_t offset = 0;
  std::memcpy(&offset, offsets + at, sizeof offset);
  return offset == 0 ? nullptr : table + offset;
}

// The same values with strings as plain bytes, so that validation accepts texts that are not UTF-8 and still checks
// the rest.
std::shared_ptr<arrow::ArrayData> as_bytes(const arrow::ArrayData& values) {
  std::shared_ptr<arrow::ArrayData> bytes = values.Copy();
  for (std::shared_ptr<arrow::ArrayData>& child : bytes->child_data) child = as_bytes(*child);
  const auto child_field = [&](std::size_t i) {
    return values.type->field(static_cast<int>(i))->WithType(bytes->child_data[i]->type);
  };
  switch (values.type->id()) {
    case arrow::Type::STRING:
      bytes->type = arrow::binary();
      break;
    case arrow::Type::LARGE_STRING:
      bytes->type = arrow::large_binary();
      break;
    case arrow::Type::STRING_VIEW:
      bytes->type = arrow::binary_view();
      break;
    case arrow::Type::LIST:
      bytes->type = arrow::list(child_field(0));
      break;
    case arrow::Type::LARGE_LIST:
      bytes->type = arrow::large_list(child_field(0));
      break;
    case arrow::Type::FIXED_SIZE_LIST:
      bytes->type = arrow::fixed_size_list(child_field(0),
                                           static_cast<const arrow::FixedSizeListType&>(*values.type).list_size());
      break;
    case arrow::Type::MAP:
      bytes->type = std::make_shared<arrow::MapType>(child_field(0),
                                                     static_cast<const arrow::MapType&>(*values.type).keys_sorted());
      break;
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (std::size_t i = 0; i < bytes->child_data.size(); ++i) fields.push_back(child_field(i));
      bytes->type = arrow::struct_(std::move(fields));
      break;
    }
    case arrow::Type::DICTIONARY: {
      const auto& type = static_cast<const arrow::DictionaryType&>(*values.type);
      bytes->dictionary = as_bytes(*values.dictionary);
      bytes->type = arrow::dictionary(type.index_type(), bytes->dictionary->type, type.ordered());
      break;
    }
    case arrow::Type::EXTENSION:
      bytes->type = static_cast<const arrow::ExtensionType&>(*values.type).storage_type();
      return as_bytes(*bytes);
    default:
      break;
  }
  return bytes;
}

}  // namespace

ArrowKind arrow_kind(const RandomFile& file) {
  std::array<char, 8> start{};
  const std::size_t got = file.read_up_to(0, start);
  const std::string_view bytes(start.data(), got);
  if (bytes.starts_with(kFileMagic)) return ArrowKind::file;
  std::uint32_t mark = 0;
  if (got == start.size()) std::memcpy(&mark, start.data(), sizeof mark);
  return mark == kContinues ? ArrowKind::stream : ArrowKind::none;
}

std::vector<int> arrow_path(const arrow::Schema& schema, const std::string& name) {
  std::vector<int> path;
  std::string_view rest = name;
  const arrow::FieldVector* fields = &schema.fields();
  const auto find = [&](std::string_view wanted) {
    for (std::size_t i = 0; i < fields->size(); ++i)
      if ((*fields)[i]->name() == wanted) return static_cast<int>(i);
    return -1;
  };
  while (true) {
    if (const int whole = find(rest); whole >= 0) {
      path.push_back(whole);
      return path;
    }
    const std::size_t dot = rest.find('.');
    const int first = dot == std::string_view::npos ? -1 : find(rest.substr(0, dot));
    if (first < 0) return {};
    const auto& type = (*fields)[static_cast<std::size_t>(first)]->type();
    if (type->id() != arrow::Type::STRUCT) return {};
    path.push_back(first);
    fields = &type->fields();
    rest.remove_prefix(dot + 1);
  }
}

ArrowBatches::ArrowBatches(std::shared_ptr<const RandomFile> file, MemoryBudget& budget,
                           const std::vector<int>& columns)
    : file_(std::move(file)),
      small_(budget.reserve(kArrowReaderBytes, "reading Arrow")),
      pool_(budget, fmt::format("a batch of {}", file_->path())),
      kind_(arrow_kind(*file_)),
      source_(std::make_shared<Source>(file_, &pool_)),
      options_(arrow::ipc::IpcReadOptions::Defaults()) {
  options_.memory_pool = &pool_;
  options_.use_threads = false;
  guard([&] {
    if (kind_ == ArrowKind::file) {
      schema_ = checked(arrow::ipc::RecordBatchFileReader::Open(source_, options_))->schema();
      options_.included_fields = columns;
      batches_ = checked(arrow::ipc::RecordBatchFileReader::Open(source_, options_));
    } else {
      schema_ = checked(arrow::ipc::RecordBatchStreamReader::Open(source_, options_))->schema();
      options_.included_fields = columns;
    }
  });
}

std::size_t ArrowBatches::groups() const {
  return batches_ ? static_cast<std::size_t>(batches_->num_record_batches()) : 1;
}

void ArrowBatches::seek(std::size_t group) {
  next_ = static_cast<int>(group);
  if (batches_) return;
  guard([&] {
    check(source_->Seek(0));
    stream_ = checked(arrow::ipc::RecordBatchStreamReader::Open(source_, options_));
  });
}

std::shared_ptr<arrow::RecordBatch> ArrowBatches::next() {
  return guard([&]() -> std::shared_ptr<arrow::RecordBatch> {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (batches_) {
      if (next_ < 0) return nullptr;
      batch = checked(batches_->ReadRecordBatch(std::exchange(next_, -1)));
    } else {
      check(stream_->ReadNext(&batch));
    }
    if (!batch) return batch;
    check(batch->Validate());
    for (const std::shared_ptr<arrow::ArrayData>& column : batch->column_data())
      check(arrow::MakeArray(as_bytes(*column))->ValidateFull());
    return batch;
  });
}

std::vector<ArrowBatches::Head> ArrowBatches::heads(std::size_t most) {
  std::vector<Head> found;
  // A file is a stream after its magic and padding, and ends with its footer, which is not a message.
  std::uint64_t at = kind_ == ArrowKind::file ? 8 : 0;
  guard([&] {
    while (found.size() < most && at + 8 <= file_->size()) {
      std::array<std::uint32_t, 2> prefix{};
      char* const bytes = reinterpret_cast<char*>(prefix.data());
      if (file_->read_up_to(at, {bytes, 8}) != 8 || prefix[0] != kContinues || prefix[1] == 0) break;
      const std::uint64_t size = prefix[1];
      if (size > file_->size() - at - 8) throw std::runtime_error("it ends in the middle of a batch");
      const auto metadata = checked(source_->ReadAt(static_cast<int64_t>(at + 8), static_cast<int64_t>(size)));
      const auto message = checked(arrow::ipc::Message::Open(metadata, nullptr));
      if (message->type() == arrow::ipc::MessageType::RECORD_BATCH) {
        const auto* const batch = static_cast<const std::uint8_t*>(message->header());
        Head head{.rows = 0, .codec = arrow::Compression::UNCOMPRESSED};
        if (const std::uint8_t* rows = table_field(batch, 0)) std::memcpy(&head.rows, rows, sizeof head.rows);
        if (const std::uint8_t* packed = table_field(batch, 3)) {
          std::uint32_t offset = 0;
          std::memcpy(&offset, packed, sizeof offset);
          const std::uint8_t* const codec = table_field(packed + offset, 0);
          head.codec = codec != nullptr && *codec == 1 ? arrow::Compression::ZSTD : arrow::Compression::LZ4_FRAME;
        }
        found.push_back(head);
      }
      at += 8 + size + static_cast<std::uint64_t>(std::max<int64_t>(message->body_length(), 0));
    }
  });
  return found;
}

std::vector<std::uint64_t> ArrowBatches::rows_before() {
  std::vector<std::uint64_t> before = {0};
  const std::vector<Head> all = heads(std::numeric_limits<std::size_t>::max());
  if (!batches_) {
    before.push_back(0);
    for (const Head& head : all) before.back() += head.rows;
    return before;
  }
  if (all.size() != groups()) guard([] { throw std::runtime_error("its footer names other batches than it has"); });
  for (const Head& head : all) before.push_back(before.back() + head.rows);
  return before;
}

arrow::Compression::type ArrowBatches::codec() {
  const std::vector<Head> first = heads(1);
  return first.empty() ? arrow::Compression::UNCOMPRESSED : first.front().codec;
}

}  // namespace refrain::corpus
