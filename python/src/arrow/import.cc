#include "arrow/import.h"

#include <cstring>

#include "refrain/error.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

template <class T>
T& inside(const nb::object& capsule, const char* name) {
  auto* pointer = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (pointer == nullptr) throw nb::python_error();
  if (pointer->release == nullptr) throw Error(Errc::invalid_argument, "the Arrow data was read already");
  return *pointer;
}

std::vector<Chunk> import_array(nb::handle object) {
  const nb::object pair = object.attr("__arrow_c_array__")();
  struct Both {
    Held<ArrowSchema> schema;
    Held<ArrowArray> array;
  };
  const auto held = std::make_shared<Both>();
  held->schema.take(inside<ArrowSchema>(pair[0], "arrow_schema"));
  held->array.take(inside<ArrowArray>(pair[1], "arrow_array"));
  return {checked({&held->schema.it, &held->array.it, 0, held->array.it.length, held})};
}

void must_succeed(int failed, ArrowArrayStream& stream) {
  if (failed == 0) return;
  const char* said = stream.get_last_error != nullptr ? stream.get_last_error(&stream) : nullptr;
  throw Error(Errc::io, std::string("the Arrow stream failed: ") + (said != nullptr ? said : std::strerror(failed)));
}

std::vector<Chunk> import_stream(nb::handle object) {
  const nb::object capsule = object.attr("__arrow_c_stream__")();
  ArrowArrayStream& stream = inside<ArrowArrayStream>(capsule, "arrow_array_stream");
  const auto schema = std::make_shared<Held<ArrowSchema>>();
  must_succeed(stream.get_schema(&stream, &schema->it), stream);
  struct Next {
    std::shared_ptr<Held<ArrowSchema>> schema;
    Held<ArrowArray> array;
  };
  std::vector<Chunk> chunks;
  for (;;) {
    const auto next = std::make_shared<Next>();
    next->schema = schema;
    must_succeed(stream.get_next(&stream, &next->array.it), stream);
    if (next->array.it.release == nullptr) break;
    chunks.push_back(checked({&schema->it, &next->array.it, 0, next->array.it.length, next}));
  }
  if (chunks.empty()) {  // check the type even if there are no rows
    const auto none = std::make_shared<Next>();
    none->schema = schema;
    chunks.push_back(checked({&schema->it, &none->array.it, 0, 0, none}));
  }
  return chunks;
}

bool is_table(const Chunk& chunk) {
  return std::strcmp(chunk.schema->format, "+s") == 0 && chunk.schema->dictionary == nullptr;
}

std::int64_t place_of(const Chunk& chunk, std::string_view name) {
  for (std::int64_t i = 0; i < chunk.schema->n_children; ++i)
    if (name == name_of(*chunk.schema->children[i])) return i;
  return -1;
}

template <class T>
std::uint64_t number_at(const Chunk& chunk, std::int64_t i, std::string_view what) {
  const T value = static_cast<const T*>(chunk.array->buffers[1])[chunk.array->offset + chunk.first + i];
  if constexpr (std::is_signed_v<T>)
    if (value < 0) throw Error(Errc::invalid_argument, std::string(what) + ": a number below 0");
  return static_cast<std::uint64_t>(value);
}

using NumberAt = std::uint64_t (*)(const Chunk&, std::int64_t, std::string_view);

NumberAt number_reader(const char* format) {
  switch (format[0] != '\0' && format[1] == '\0' ? format[0] : '\0') {
    case 'c':
      return number_at<std::int8_t>;
    case 'C':
      return number_at<std::uint8_t>;
    case 's':
      return number_at<std::int16_t>;
    case 'S':
      return number_at<std::uint16_t>;
    case 'i':
      return number_at<std::int32_t>;
    case 'I':
      return number_at<std::uint32_t>;
    case 'l':
      return number_at<std::int64_t>;
    case 'L':
      return number_at<std::uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

bool exports_arrow(nb::handle object) {
  return nb::hasattr(object, "__arrow_c_stream__") || nb::hasattr(object, "__arrow_c_array__");
}

std::vector<Chunk> import_arrow(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_array__")) return import_array(object);
  if (nb::hasattr(object, "__arrow_c_stream__")) return import_stream(object);
  throw nb::type_error("expected a list of str, or an object with __arrow_c_stream__ or __arrow_c_array__");
}

bool has_column(const Chunk& chunk, std::string_view name) {
  return is_table(chunk) && place_of(chunk, name) >= 0;
}

Chunk column_of(const Chunk& chunk, std::string_view name) {
  if (!is_table(chunk)) return chunk;
  const std::int64_t place = place_of(chunk, name);
  if (place < 0) {
    std::string names;
    for (std::int64_t i = 0; i < chunk.schema->n_children; ++i)
      names.append(i == 0 ? "" : ", ").append(name_of(*chunk.schema->children[i]));
    throw Error(Errc::invalid_argument, "there is no column '" + std::string(name) + "'; the columns are: " + names);
  }
  Chunk column = chunk;
  column.schema = chunk.schema->children[place];
  if (chunk.length == 0) return checked(column);  // without rows the array may be missing
  if (chunk.array->null_count != 0 && chunk.array->n_buffers > 0 && chunk.array->buffers[0] != nullptr)
    throw Error(Errc::invalid_argument, "a table whose rows are null, as a whole, is not supported");
  column.array = chunk.array->children[place];
  column.first += chunk.array->offset;
  return checked(column);
}

bool is_valid(const Chunk& chunk, std::int64_t i) {
  const auto* bits = static_cast<const std::uint8_t*>(chunk.array->n_buffers > 0 ? chunk.array->buffers[0] : nullptr);
  const std::int64_t at = chunk.array->offset + chunk.first + i;
  return bits == nullptr || chunk.array->null_count == 0 || (bits[at / 8] >> at % 8 & 1) != 0;
}

std::vector<std::uint64_t> numbers_of(const Chunk& chunk, std::string_view what, std::vector<std::uint8_t>* valid) {
  const NumberAt number = number_reader(chunk.schema->format);
  if (number == nullptr || chunk.schema->dictionary != nullptr)
    throw Error(Errc::invalid_argument,
                std::string(what) + ": expected whole numbers, not Arrow's format '" + chunk.schema->format + "'");
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(chunk.length));
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    const bool is_there = is_valid(chunk, i);
    if (valid != nullptr) valid->push_back(is_there ? 1 : 0);
    if (!is_there && valid == nullptr)
      throw Error(Errc::invalid_argument, std::string(what) + ": nulls are not allowed");
    if (is_there) numbers[static_cast<std::size_t>(i)] = number(chunk, i, what);
  }
  return numbers;
}

std::vector<std::uint64_t> import_numbers(nb::handle object, std::string_view what, std::vector<std::uint8_t>* valid) {
  std::vector<std::uint64_t> all;
  for (const Chunk& chunk : import_arrow(object)) {
    const std::vector<std::uint64_t> some = numbers_of(chunk, what, valid);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace refrain::python
