// Checks that a column of another library is laid out as the Arrow C data interface requires.
//
// The interface does not give the sizes of buffers, so an array with fewer values in its buffers than it claims
// cannot be detected.
#include <algorithm>
#include <cstring>

#include "arrow/import.h"
#include "refrain/error.h"

namespace refrain::python {

namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

[[noreturn]] void malformed(const std::string& what) {
  throw Error(Errc::invalid_argument, "the Arrow data is malformed: " + what);
}

void check_schema(const ArrowSchema* schema) {
  if (schema == nullptr) malformed("a column has no schema");
  if (schema->release == nullptr) malformed("a schema was released");
  if (schema->format == nullptr) malformed("a column has no format");
  if (schema->n_children < 0 || (schema->n_children > 0 && schema->children == nullptr))
    malformed("the children of a schema are missing");
}

// The number of buffers that are read for a column of this format; 0 for nested columns and for formats that are not
// read.
std::int64_t buffers_of(std::string_view format) {
  if (format == "u" || format == "z" || format == "U" || format == "Z") return 3;
  if (format == "vu" || format == "vz") return 3;  // besides the data buffers; the last buffer has the sizes of those
  const bool number = format.size() == 1 && std::string_view("cCsSiIlLfg").find(format[0]) != std::string_view::npos;
  return number || format.starts_with("td") || format.starts_with("ts") || format.starts_with("w:") ? 2 : 0;
}

}  // namespace

std::string_view name_of(const ArrowSchema& schema) {
  return schema.name != nullptr ? schema.name : "";
}

// Metadata is a number of pairs, and each string of a pair follows its size.
std::string metadata_of(const ArrowSchema& schema) {
  if (schema.metadata == nullptr) return {};
  const char* at = schema.metadata;
  const auto next = [&] {
    std::int32_t number = 0;
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
    return number;
  };
  for (std::int32_t left = 2 * next(); left > 0; --left) at += std::max(next(), 0);
  return {schema.metadata, at};
}

std::int64_t width_of(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  const std::string_view digits = format.substr(std::min(format.find(':'), format.size() - 1) + 1);
  std::int64_t width = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9' || width > 1'000'000) malformed("format '" + std::string(format) + "'");
    width = 10 * width + (digit - '0');
  }
  return width;
}

Chunk checked(Chunk chunk) {
  check_schema(chunk.schema);
  for (std::int64_t i = 0; i < chunk.schema->n_children; ++i) check_schema(chunk.schema->children[i]);
  if (chunk.length == 0) return chunk;  // without rows the array may be missing
  if (chunk.array == nullptr) malformed("a column is missing");
  const ArrowArray& array = *chunk.array;
  if (array.release == nullptr) malformed("a column was released");
  if (array.length < 0 || array.offset < 0 || array.length > kMostRows || array.offset > kMostRows)
    malformed("a length or an offset is out of range");
  if (chunk.length < 0 || chunk.first < 0 || chunk.first > array.length || chunk.length > array.length - chunk.first)
    malformed("a column has fewer rows than its table");
  if (array.n_children != chunk.schema->n_children || (array.n_children > 0 && array.children == nullptr))
    malformed("a column has other children than its schema");
  if ((array.dictionary == nullptr) != (chunk.schema->dictionary == nullptr))
    malformed("a dictionary or its type is missing");
  const std::int64_t buffers = buffers_of(chunk.schema->format);
  if (array.n_buffers < buffers || (array.n_buffers > 0 && array.buffers == nullptr))
    malformed("a column of format '" + std::string(chunk.schema->format) + "' has too few buffers");
  if (buffers > 0 && array.buffers[1] == nullptr) malformed("a column has rows, but no values");
  if (array.null_count > 0 && array.n_buffers > 0 && array.buffers[0] == nullptr)
    malformed("a column has nulls, but no validity");
  return chunk;
}

}  // namespace refrain::python
