// Converts values of our own columns to Python objects, for callers without an Arrow library.
#include <nanobind/stl/string.h>

#include <cstring>

#include "arrow/export.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

template <class T>
T at(const Column& column, std::int64_t i) {
  return static_cast<const T*>(column.buffers[1])[i];
}

nb::object list_of(const Column& items, std::int64_t begin, std::int64_t end) {
  nb::list list;
  for (std::int64_t i = begin; i < end; ++i) list.append(value_at(items, i));
  return list;
}

std::string_view text_at(const Column& column, std::int64_t i) {
  const std::int64_t begin = at<std::int64_t>(column, i);
  const auto size = static_cast<std::size_t>(at<std::int64_t>(column, i + 1) - begin);
  return {static_cast<const char*>(column.buffers[2]) + begin, size};
}

nb::object decoded(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object bytes_of(std::string_view value) {
  return nb::bytes(value.data(), value.size());
}

}  // namespace

nb::object value_at(const Column& column, std::int64_t i) {
  const auto* validity = static_cast<const std::uint8_t*>(column.buffers[0]);
  if (validity != nullptr && (validity[i / 8] >> i % 8 & 1) == 0) return nb::none();
  const std::string_view format = column.format;
  if (format == "L") return nb::int_(at<std::uint64_t>(column, i));
  if (format == "l") return nb::int_(at<std::int64_t>(column, i));
  if (format == "I") return nb::int_(at<std::uint32_t>(column, i));
  if (format == "g") return nb::float_(at<double>(column, i));
  if (format == "b") return nb::bool_((at<std::uint8_t>(column, i / 8) >> i % 8 & 1) != 0);
  if (format == "U") return decoded(text_at(column, i));
  if (format == "Z") return bytes_of(text_at(column, i));
  if (format == "+L") return list_of(column.children[0], at<std::int64_t>(column, i), at<std::int64_t>(column, i + 1));
  if (format.starts_with("w:")) {
    const auto width = static_cast<std::size_t>(std::stol(column.format.substr(2)));
    const char* bytes = static_cast<const char*>(column.buffers[1]) + static_cast<std::size_t>(i) * width;
    const nb::object value = bytes_of({bytes, width});
    if (column.metadata.find("arrow.uuid") == std::string::npos) return value;
    return nb::module_::import_("uuid").attr("UUID")(nb::arg("bytes") = value);
  }
  if (format.starts_with("+w:")) {
    const std::int64_t width = std::stol(column.format.substr(3));
    return list_of(column.children[0], i * width, (i + 1) * width);
  }
  nb::dict row;
  for (const Column& child : column.children) row[child.name.c_str()] = value_at(child, i);
  return row;
}

}  // namespace refrain::python
