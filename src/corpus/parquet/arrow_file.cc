#include "corpus/parquet/arrow_file.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/ipc/message.h>
#include <arrow/scalar.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

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
// the rest. Dictionaries in `valid` become nulls, which cost nothing to validate; all are added to `found`.
std::shared_ptr<arrow::ArrayData> as_bytes(const arrow::ArrayData& values, const ArrowDictionaries& valid,
                                           ArrowDictionaries& found) {
  std::shared_ptr<arrow::ArrayData> bytes = values.Copy();
  for (std::shared_ptr<arrow::ArrayData>& child : bytes->child_data) child = as_bytes(*child, valid, found);
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
      bytes->type = arrow::struct_(fields);
      break;
    }
    case arrow::Type::DICTIONARY: {
      const auto& type = static_cast<const arrow::DictionaryType&>(*values.type);
      found.push_back(values.dictionary);
      bytes->dictionary = std::ranges::find(valid, values.dictionary) == valid.end()
                              ? as_bytes(*values.dictionary, valid, found)
                              : arrow::NullArray(values.dictionary->length).data();
      bytes->type = arrow::dictionary(type.index_type(), bytes->dictionary->type, type.ordered());
      break;
    }
    case arrow::Type::EXTENSION:
      bytes->type = static_cast<const arrow::ExtensionType&>(*values.type).storage_type();
      return as_bytes(*bytes, valid, found);
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
    ArrowDictionaries found;
    for (const std::shared_ptr<arrow::ArrayData>& column : batch->column_data())
      check(arrow::MakeArray(as_bytes(*column, valid_, found))->ValidateFull());
    valid_ = std::move(found);
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

namespace {

bool is_text_type(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return true;
    case arrow::Type::DICTIONARY:
      return is_text_type(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return false;
  }
}

template <class Type>
std::string_view text_at(const arrow::Array& array, int64_t row) {
  return static_cast<const typename arrow::TypeTraits<Type>::ArrayType&>(array).GetView(row);
}

// One value, for which `made` is the buffer if needed.
ParquetValue value_at(const arrow::Array& array, int64_t row, std::string& made) {
  if (array.IsNull(row)) return {FieldKind::null, {}};
  const auto number = [&](auto value) {
    made = fmt::format("{}", value);
    return ParquetValue{FieldKind::number, made};
  };
  const auto real = [&](auto value) {
    return std::isfinite(value) ? number(value) : ParquetValue{FieldKind::null, {}};
  };
  const auto typed = [&]<class Type>(Type) {
    return static_cast<const typename arrow::TypeTraits<Type>::ArrayType&>(array).Value(row);
  };
  switch (array.type_id()) {
    case arrow::Type::NA:
      return {FieldKind::null, {}};
    case arrow::Type::STRING:
      return {FieldKind::string, text_at<arrow::StringType>(array, row)};
    case arrow::Type::LARGE_STRING:
      return {FieldKind::string, text_at<arrow::LargeStringType>(array, row)};
    case arrow::Type::STRING_VIEW:
      return {FieldKind::string, text_at<arrow::StringViewType>(array, row)};
    case arrow::Type::BINARY:
      return {FieldKind::string, text_at<arrow::BinaryType>(array, row)};
    case arrow::Type::LARGE_BINARY:
      return {FieldKind::string, text_at<arrow::LargeBinaryType>(array, row)};
    case arrow::Type::BINARY_VIEW:
      return {FieldKind::string, text_at<arrow::BinaryViewType>(array, row)};
    case arrow::Type::BOOL:
      return {FieldKind::boolean, typed(arrow::BooleanType()) ? "true" : "false"};
    case arrow::Type::INT8:
      return number(int{typed(arrow::Int8Type())});
    case arrow::Type::INT16:
      return number(typed(arrow::Int16Type()));
    case arrow::Type::INT32:
      return number(typed(arrow::Int32Type()));
    case arrow::Type::INT64:
      return number(typed(arrow::Int64Type()));
    case arrow::Type::UINT8:
      return number(unsigned{typed(arrow::UInt8Type())});
    case arrow::Type::UINT16:
      return number(typed(arrow::UInt16Type()));
    case arrow::Type::UINT32:
      return number(typed(arrow::UInt32Type()));
    case arrow::Type::UINT64:
      return number(typed(arrow::UInt64Type()));
    case arrow::Type::FLOAT:
      return real(typed(arrow::FloatType()));
    case arrow::Type::DOUBLE:
      return real(typed(arrow::DoubleType()));
    case arrow::Type::DICTIONARY: {
      const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
      return value_at(*coded.dictionary(), coded.GetValueIndex(row), made);
    }
    default:
      made = checked(array.GetScalar(row))->ToString();
      return {FieldKind::string, made};
  }
}

// The column that a path of fields leads to in a batch.
std::shared_ptr<arrow::Array> column_of(const arrow::RecordBatch& batch, const std::vector<int>& path,
                                        arrow::MemoryPool* pool) {
  std::shared_ptr<arrow::Array> array = batch.column(path.front());
  for (std::size_t i = 1; i < path.size(); ++i)
    array = checked(static_cast<const arrow::StructArray&>(*array).GetFlattenedField(path[i], pool));
  return array;
}

class ArrowRows final : public ParquetRows {
 public:
  // `paths`: of the text, of the id if there is one, of the other fields; an empty path: missing.
  ArrowRows(std::shared_ptr<const RandomFile> file, MemoryBudget& budget, std::vector<std::vector<int>> paths, bool id)
      : pool_(budget, fmt::format("a batch of {}", file->path())),
        batches_(std::move(file), budget, top_fields(paths)),
        paths_(std::move(paths)),
        id_(id),
        made_(paths_.size()) {}

  // Moves to the first row of a group.
  void seek(std::size_t group) { batches_.seek(group); }

  bool next(ParquetRow& row) override {
    while (!batch_ || at_ == batch_->num_rows()) {
      columns_.clear();
      batch_.reset();
      batch_ = batches_.next();
      if (!batch_) return false;
      at_ = 0;
      batches_.guard([&] {
        for (const std::vector<int>& path : paths_)
          columns_.push_back(path.empty() ? nullptr : column_of(*batch_, path, &pool_));
      });
    }
    batches_.guard([&] {
      std::size_t column = 0;
      const auto take = [&] {
        const std::size_t i = column++;
        return columns_[i] ? value_at(*columns_[i], at_, made_[i]) : ParquetValue{};
      };
      row.text = take();
      if (id_) row.id = take();
      row.fields.resize(columns_.size() - column);
      for (ParquetValue& field : row.fields) field = take();
    });
    ++at_;
    return true;
  }

 private:
  // The columns to read. Changes `paths` to be relative to them rather than to all columns.
  static std::vector<int> top_fields(std::vector<std::vector<int>>& paths) {
    std::map<int, int> places;
    for (const std::vector<int>& path : paths)
      if (!path.empty()) places.emplace(path.front(), 0);
    std::vector<int> fields;
    for (auto& [field, place] : places) {
      place = static_cast<int>(fields.size());
      fields.push_back(field);
    }
    for (std::vector<int>& path : paths)
      if (!path.empty()) path.front() = places[path.front()];
    return fields;
  }

  BudgetPool pool_;
  ArrowBatches batches_;
  const std::vector<std::vector<int>> paths_;
  const bool id_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::vector<std::shared_ptr<arrow::Array>> columns_;
  std::vector<std::string> made_;
  int64_t at_ = 0;
};

// Readers that have finished a group. Each holds the dictionaries of the file, which may be large, so the next group
// is read by one of them.
class IdleReaders {
 public:
  std::unique_ptr<ArrowRows> take() {
    const std::lock_guard lock(mutex_);
    if (readers_.empty()) return nullptr;
    std::unique_ptr<ArrowRows> reader = std::move(readers_.back());
    readers_.pop_back();
    return reader;
  }
  void put(std::unique_ptr<ArrowRows> reader) {
    const std::lock_guard lock(mutex_);
    readers_.push_back(std::move(reader));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ArrowRows>> readers_;
};

// The rows of one group, from a reader that becomes idle at their end.
class GroupRows final : public ParquetRows {
 public:
  GroupRows(std::unique_ptr<ArrowRows> reader, std::shared_ptr<IdleReaders> idle)
      : reader_(std::move(reader)), idle_(std::move(idle)) {}

  bool next(ParquetRow& row) override {
    if (!reader_) return false;
    if (reader_->next(row)) return true;
    idle_->put(std::move(reader_));
    return false;
  }

 private:
  std::unique_ptr<ArrowRows> reader_;
  const std::shared_ptr<IdleReaders> idle_;
};

class ArrowFile final : public ParquetFile {
 public:
  ArrowFile(const std::string& path, const SourceOptions& options, MemoryBudget& budget)
      : budget_(budget), file_(std::make_shared<RandomFile>(path)) {
    ArrowBatches batches(file_, budget);
    const arrow::Schema& schema = *batches.schema();
    paths_.push_back(find(schema, options.text_name(), true));
    const arrow::DataType& type = *type_at(schema, paths_.front());
    if (!is_text_type(type))
      throw Error(Errc::bad_input, fmt::format("{}: column '{}' is {}, not a string; name another with `{}text_field`",
                                               path, options.text_name(), type.ToString(), options.prefix));
    id_ = !options.id_field.empty();
    if (id_) paths_.push_back(find(schema, options.id_field, !options.id_optional));
    for (const std::string& name : options.extra_fields) paths_.push_back(find(schema, name, false));
    rows_before_ = batches.rows_before();
  }

  std::size_t groups() const override { return rows_before_.size() - 1; }
  std::uint64_t rows_before(std::size_t group) const override { return rows_before_[group]; }
  std::unique_ptr<ParquetRows> read(std::size_t group) const override {
    std::unique_ptr<ArrowRows> reader = idle_->take();
    if (!reader) reader = std::make_unique<ArrowRows>(file_, budget_, paths_, id_);
    reader->seek(group);
    return std::make_unique<GroupRows>(std::move(reader), idle_);
  }

 private:
  static std::shared_ptr<arrow::DataType> type_at(const arrow::Schema& schema, const std::vector<int>& path) {
    std::shared_ptr<arrow::DataType> type = schema.field(path.front())->type();
    for (std::size_t i = 1; i < path.size(); ++i) type = type->field(path[i])->type();
    return type;
  }

  std::vector<int> find(const arrow::Schema& schema, const std::string& name, bool must) const {
    std::vector<int> path = arrow_path(schema, name);
    if (path.empty() && must) {
      std::string names;
      for (const auto& field : schema.fields())
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", field->name());
      throw Error(Errc::bad_input, fmt::format("{}: no column '{}'; columns are {}", file_->path(), name, names));
    }
    if (path.empty() || !type_at(schema, path)->num_fields()) return path;
    throw Error(Errc::invalid_argument, fmt::format("{}: column '{}' is {}; name one with a single value per row",
                                                    file_->path(), name, type_at(schema, path)->ToString()));
  }

  MemoryBudget& budget_;
  const std::shared_ptr<const RandomFile> file_;
  std::vector<std::vector<int>> paths_;
  bool id_ = false;
  std::vector<std::uint64_t> rows_before_;
  const std::shared_ptr<IdleReaders> idle_ = std::make_shared<IdleReaders>();
};

}  // namespace

bool is_arrow(const std::string& path) {
  return arrow_kind(RandomFile(path)) != ArrowKind::none;
}

std::shared_ptr<const ParquetFile> open_arrow(const std::string& path, const SourceOptions& options,
                                              MemoryBudget& budget) {
  return std::make_shared<ArrowFile>(path, options, budget);
}

}  // namespace refrain::corpus
