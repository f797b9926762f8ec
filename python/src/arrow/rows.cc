// Columns as Python sequences: rows are selected, compared and pickled, and columns are made of Python values.
#include "arrow/rows.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>

#include "refrain/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

constexpr std::uint64_t kByte = 8;  // bits

bool is_valid(const Column& column, std::size_t row) {
  const auto* bits = static_cast<const std::uint8_t*>(column.buffers[0]);
  return bits == nullptr || (bits[row / kByte] >> row % kByte & 1) != 0;
}

std::span<const std::int64_t> offsets_of(const Column& column) {
  return {static_cast<const std::int64_t*>(column.buffers[1]), static_cast<std::size_t>(column.length) + 1};
}

// The bytes of a value, of formats whose values all have the same size; else 0.
std::size_t value_bytes(const Column& column) {
  const std::string_view format = column.format;
  if (format == "l" || format == "L" || format == "g") return 8;
  if (format == "I") return 4;
  return format.starts_with("w:") ? std::stoul(column.format.substr(2)) : 0;
}

std::size_t list_width(const Column& column) {
  return column.format.starts_with("+w:") ? std::stoul(column.format.substr(3)) : 0;
}

bool has_offsets(const Column& column) {
  return column.format == "U" || column.format == "Z" || column.format == "+L";
}

// The size of a buffer in bytes. The buffers before it must be set already.
std::size_t buffer_bytes(const Column& column, std::size_t buffer) {
  const auto rows = static_cast<std::size_t>(column.length);
  if (buffer == 0 || column.format == "b") return (rows + kByte - 1) / kByte;
  if (buffer == 2) return static_cast<std::size_t>(offsets_of(column).back());
  return has_offsets(column) ? (rows + 1) * sizeof(std::int64_t) : rows * value_bytes(column);
}

std::size_t buffers_of(const Column& column) {
  if (column.format == "U" || column.format == "Z") return 3;
  return column.format == "+s" || list_width(column) != 0 ? 1 : 2;
}

Column column_of_values(const std::string& format, const nb::list& values) {
  std::vector<std::uint8_t> valid;
  for (const nb::handle value : values) valid.push_back(value.is_none() ? 0 : 1);
  const auto numbers = [&]<class T>(T none) {
    std::vector<T> all;
    for (const nb::handle value : values) all.push_back(value.is_none() ? none : nb::cast<T>(value));
    return number_column(std::move(all), valid);
  };
  if (format == "l") return numbers(std::int64_t{0});
  if (format == "I") return numbers(std::uint32_t{0});
  if (format == "L") return numbers(std::uint64_t{0});
  if (format == "g") return numbers(double{0});
  if (format == "b") {
    std::vector<std::uint8_t> flags;
    for (const nb::handle value : values) flags.push_back(nb::cast<bool>(value) ? 1 : 0);
    return flag_column(flags);
  }
  TextBuilder texts;
  for (const nb::handle value : values) texts.add(value.is_none() ? std::string() : nb::cast<std::string>(value));
  return std::move(texts).column(valid);
}

void require(bool valid, const char* what) {
  if (!valid) throw Error(Errc::invalid_argument, what);
}

// A list per row, of which each has the next sizes[row] rows of `items`.
Column column_of_lists(const std::vector<std::int64_t>& sizes, const Column& items) {
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t size : sizes) {
    require(size >= 0 && size <= items.length - offsets.back(), "the lists have more items than there are");
    offsets.push_back(offsets.back() + size);
  }
  return list_column(std::move(offsets), items);
}

Column column_of_columns(const nb::dict& columns) {
  std::vector<Column> named;
  for (const auto& [name, column] : columns)
    named.push_back(Column(nb::cast<const Column&>(column)).named(nb::cast<std::string>(name)));
  require(!named.empty() &&
              std::ranges::all_of(named, [&](const Column& column) { return column.length == named.front().length; }),
          "the columns of a table must have the same length");
  return table(std::move(named));
}

nb::tuple state_of(const Column& column) {
  nb::list buffers, children;
  for (std::size_t i = 0; i < column.buffers.size(); ++i)
    buffers.append(column.buffers[i] == nullptr ? nb::none()
                                                : nb::object(nb::bytes(column.buffers[i], buffer_bytes(column, i))));
  for (const Column& child : column.children) children.append(state_of(child));
  return nb::make_tuple(column.format, column.name, nb::bytes(column.metadata.data(), column.metadata.size()),
                        column.length, column.null_count, buffers, children);
}

// The number after a prefix, if it is from 1 to a million; else 0.
std::size_t width_after(std::string_view format, std::string_view prefix) {
  constexpr std::size_t kMost = 1'000'000;
  std::size_t width = 0;
  if (!format.starts_with(prefix)) return 0;
  const auto [end, error] = std::from_chars(format.data() + prefix.size(), format.data() + format.size(), width);
  return error == std::errc() && end == format.data() + format.size() && width <= kMost ? width : 0;
}

bool is_known(std::string_view format) {
  constexpr std::string_view kFormats[] = {"b", "l", "L", "I", "g", "U", "Z", "+L", "+s"};
  return std::ranges::find(kFormats, format) != std::end(kFormats) || width_after(format, "w:") != 0 ||
         width_after(format, "+w:") != 0;
}

// Arrow's metadata: a number of pairs, and for each string its size and its bytes.
bool is_metadata(std::string_view bytes) {
  const auto number = [&] {
    std::int32_t value = -1;
    if (bytes.size() >= sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(std::min(bytes.size(), sizeof value));
    return value;
  };
  if (bytes.empty()) return true;
  std::int64_t strings = 2 * std::int64_t{number()};
  for (; strings > 0; --strings) {
    const std::int32_t size = number();
    if (size < 0 || static_cast<std::size_t>(size) > bytes.size()) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return strings == 0 && bytes.empty();
}

Column column_of_state(const nb::tuple& state) {
  const auto metadata = nb::cast<nb::bytes>(state[2]);
  Column column{.format = nb::cast<std::string>(state[0]),
                .name = nb::cast<std::string>(state[1]),
                .length = nb::cast<std::int64_t>(state[3]),
                .null_count = nb::cast<std::int64_t>(state[4]),
                .metadata = std::string(metadata.c_str(), metadata.size())};
  constexpr std::int64_t kMostPickledRows = std::int64_t{1} << 40U;
  const nb::list buffers(state[5]);
  const auto must_hold = [](bool valid) { require(valid, "the pickled column is malformed"); };
  must_hold(is_known(column.format) && is_metadata(column.metadata));
  must_hold(column.length >= 0 && column.length <= kMostPickledRows && buffers.size() == buffers_of(column));
  must_hold(column.null_count == 0 || (!buffers[0].is_none() && column.null_count > 0));
  for (const nb::handle buffer : buffers) {
    const std::size_t place = column.buffers.size();
    if (buffer.is_none()) {
      must_hold(place == 0 || (column.length == 0 && !has_offsets(column)));
      column.buffers.push_back(nullptr);
      continue;
    }
    const auto bytes = nb::cast<nb::bytes>(buffer);
    must_hold(bytes.size() == buffer_bytes(column, place));
    std::vector<char> copy(bytes.c_str(), bytes.c_str() + bytes.size());
    copy.push_back(0);  // so that data() is not null
    column.buffers.push_back(keep(column, std::move(copy)));
    if (place == 1 && has_offsets(column))
      must_hold(offsets_of(column).front() == 0 && std::ranges::is_sorted(offsets_of(column)));
  }
  for (const nb::handle child : nb::list(state[6]))
    column.children.push_back(column_of_state(nb::cast<nb::tuple>(child)));
  const auto rows_are = [&](std::int64_t rows) {
    return std::ranges::all_of(column.children, [&](const Column& child) { return child.length == rows; });
  };
  const auto width = static_cast<std::int64_t>(list_width(column));
  if (column.format == "+L" || width != 0)
    must_hold(column.children.size() == 1 && rows_are(width != 0 ? column.length * width : offsets_of(column).back()));
  else
    must_hold(column.format == "+s" ? rows_are(column.length) : column.children.empty());
  return column;
}

Column slice_of(const Column& column, const nb::slice& slice) {
  const auto [start, stop, step, count] = slice.compute(static_cast<std::size_t>(column.length));
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(start + static_cast<std::int64_t>(i) * step);
  return rows_of(column, rows);
}

// Counts negative numbers from the end.
std::int64_t existing_row(const Column& column, std::int64_t row) {
  if (row < 0) row += column.length;
  if (row < 0 || row >= column.length) throw nb::index_error("there is no such row");
  return row;
}

nb::object item_of(const Column& column, std::int64_t row) {
  return value_at(column, existing_row(column, row));
}

bool has_booleans(nb::handle rows) {
  if (nb::isinstance<Mask>(rows)) return true;
  if (!nb::hasattr(rows, "dtype")) return false;
  const nb::object kind = rows.attr("dtype");
  const std::string type = nb::cast<std::string>(nb::str(kind));
  return type == "bool" || type == "boolean" || type == "Boolean";
}

// The row of a number of any kind, the rows that a mask selects, or those with the given numbers.
nb::object selection_of(const Column& column, nb::handle rows) {
  const nb::object values = nb::hasattr(rows, "tolist") ? nb::object(rows.attr("tolist")()) : nb::borrow(rows);
  if (PyIndex_Check(values.ptr()) != 0) {
    const nb::object number = nb::steal(PyNumber_Index(values.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    return item_of(column, nb::cast<std::int64_t>(number));
  }
  const nb::list keys(values);
  const bool mask = keys.size() == 0
                        ? has_booleans(rows)
                        : std::ranges::all_of(keys, [](nb::handle key) { return nb::isinstance<nb::bool_>(key); });
  if (mask && keys.size() != static_cast<std::size_t>(column.length))
    throw nb::index_error(fmt::format("a mask of {} rows for {}", keys.size(), column.length).c_str());
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::int64_t row = static_cast<std::int64_t>(i);
    if (!mask && !nb::try_cast(keys[i], row)) throw nb::type_error("expected a row, a slice, rows, or a mask");
    if (!mask || nb::cast<bool>(keys[i])) chosen.push_back(existing_row(column, row));
  }
  return as_python(rows_of(column, chosen));
}

// NotImplemented if `other` is neither a column nor a list or tuple.
nb::object equals(const Column& column, nb::handle other) {
  const bool columns = nb::isinstance<Column>(other);
  if (!columns && !nb::isinstance<nb::list>(other) && !nb::isinstance<nb::tuple>(other))
    return nb::borrow(Py_NotImplemented);
  bool equal = nb::len(other) == static_cast<std::size_t>(column.length);
  for (std::int64_t row = 0; equal && row < column.length; ++row)
    equal = value_at(column, row)
                .equal(columns ? value_at(nb::cast<const Column&>(other), row)
                               : nb::object(other[static_cast<std::size_t>(row)]));
  return nb::bool_(equal);
}

std::int64_t index_of(const Column& column, nb::handle value, std::int64_t start, std::optional<std::int64_t> stop) {
  const auto place = [&](std::int64_t row) { return std::max<std::int64_t>(row < 0 ? row + column.length : row, 0); };
  const std::int64_t end = stop ? std::min(place(*stop), column.length) : column.length;
  for (std::int64_t row = place(start); row < end; ++row)
    if (value_at(column, row).equal(value)) return row;
  throw nb::value_error((nb::cast<std::string>(nb::repr(value)) + " is not in the column").c_str());
}

std::int64_t count_of(const Column& column, nb::handle value) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < column.length; ++row) count += value_at(column, row).equal(value) ? 1 : 0;
  return count;
}

bool flag_at(const Column& mask, std::int64_t row) {
  return (static_cast<const std::uint8_t*>(mask.buffers[1])[row / 8] >> row % 8 & 1) != 0;
}

nb::object inverted(const Mask& mask) {
  std::vector<std::uint8_t> flags;
  for (std::int64_t row = 0; row < mask.length; ++row) flags.push_back(flag_at(mask, row) ? 0 : 1);
  return as_python(flag_column(flags).named(std::string(mask.name)));
}

nb::object numpy_array(nb::handle self, nb::handle dtype = nb::none(), nb::handle copy = nb::none()) {
  return nb::module_::import_("pyrefrain._columns").attr("numpy_array")(self, dtype, copy);
}

// Combines two masks. Other things, such as a Series, are left to numpy.
template <class Operator>
nb::object combined(nb::handle self, nb::handle other) {
  if (!nb::isinstance<Mask>(other)) return nb::object(Operator()(numpy_array(self), nb::borrow(other)));
  const auto& a = nb::cast<const Mask&>(self);
  const auto& b = nb::cast<const Mask&>(other);
  if (a.length != b.length)
    throw nb::value_error(fmt::format("a mask of {} rows, and one of {}", a.length, b.length).c_str());
  std::vector<std::uint8_t> flags;
  for (std::int64_t row = 0; row < a.length; ++row)
    flags.push_back(Operator()(unsigned{flag_at(a, row)}, unsigned{flag_at(b, row)}) != 0 ? 1 : 0);
  return as_python(flag_column(flags));
}

std::string shown(const Column& column) {
  constexpr std::int64_t kShown = 10;
  std::string values;
  for (std::int64_t row = 0; row < std::min(column.length, kShown); ++row)
    values += (row == 0 ? "" : ", ") + std::string(nb::repr(value_at(column, row)).c_str());
  return fmt::format("<{} of {} rows: {}{}>", column.format == "b" ? "Mask" : "Column", column.length, values,
                     column.length > kShown ? ", ..." : "");
}

}  // namespace

Column rows_of(const Column& column, std::span<const std::int64_t> rows) {
  std::vector<std::uint8_t> valid;
  if (column.null_count != 0)
    for (const std::int64_t row : rows) valid.push_back(is_valid(column, static_cast<std::size_t>(row)) ? 1 : 0);
  Column taken{.format = column.format,
               .name = column.name,
               .length = static_cast<std::int64_t>(rows.size()),
               .buffers = {nullptr},
               .metadata = column.metadata};
  if (column.format == "b") {
    std::vector<std::uint8_t> flags;
    for (const std::int64_t row : rows) flags.push_back(flag_at(column, row) ? 1 : 0);
    return flag_column(flags).named(std::string(column.name));
  }
  if (has_offsets(column)) {
    const std::span<const std::int64_t> offsets = offsets_of(column);
    std::vector<std::int64_t> ends = {0}, items;
    std::vector<char> bytes;
    for (const std::int64_t row : rows) {
      const std::int64_t begin = offsets[static_cast<std::size_t>(row)];
      const std::int64_t end = offsets[static_cast<std::size_t>(row) + 1];
      ends.push_back(ends.back() + end - begin);
      if (column.format == "+L")
        for (std::int64_t item = begin; item < end; ++item) items.push_back(item);
      else
        bytes.insert(bytes.end(), static_cast<const char*>(column.buffers[2]) + begin,
                     static_cast<const char*>(column.buffers[2]) + end);
    }
    taken.buffers.push_back(keep(taken, std::move(ends)));
    if (column.format == "+L") {
      taken.children.push_back(rows_of(column.children[0], items));
    } else {
      bytes.push_back(0);  // so that data() is not null
      taken.buffers.push_back(keep(taken, std::move(bytes)));
    }
  } else if (const std::size_t width = list_width(column); width != 0) {
    std::vector<std::int64_t> items;
    for (const std::int64_t row : rows)
      for (std::size_t i = 0; i < width; ++i)
        items.push_back(row * static_cast<std::int64_t>(width) + static_cast<std::int64_t>(i));
    taken.children.push_back(rows_of(column.children[0], items));
  } else if (const std::size_t size = value_bytes(column); size != 0) {
    std::vector<char> bytes(rows.size() * size + 1);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::memcpy(&bytes[i * size],
                  static_cast<const char*>(column.buffers[1]) + static_cast<std::size_t>(rows[i]) * size, size);
    taken.buffers.push_back(keep(taken, std::move(bytes)));
  } else {
    for (const Column& child : column.children) taken.children.push_back(rows_of(child, rows));
  }
  set_validity(taken, valid);
  return taken;
}

nb::object as_python(Column column) {
  return column.format == "b" ? nb::cast(Mask{std::move(column)}) : nb::cast(std::move(column));
}

void bind_rows(nb::module_& module, nb::class_<Column>& type) {
  type.def("__getitem__", item_of, "row"_a, nb::sig("def __getitem__(self, row: int, /) -> typing.Any"))
      .def(
          "__getitem__", [](const Column& self, const nb::slice& rows) { return as_python(slice_of(self, rows)); },
          "rows"_a, nb::sig("def __getitem__(self, rows: slice, /) -> typing.Self"))
      .def("__getitem__", selection_of, "rows"_a,
           nb::sig("def __getitem__(self, rows: collections.abc.Iterable[int], /) -> typing.Self"))
      .def(
          "__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Any]"))
      .def("__eq__", equals, "other"_a.none(), nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("index", index_of, "value"_a.none(), "start"_a = 0, "stop"_a = nb::none(),
           nb::sig("def index(self, value: object, start: int = 0, stop: int | None = None) -> int"))
      .def("count", count_of, "value"_a.none())
      .def(
          "to_pylist",
          [](const Column& self) {
            nb::list values;
            for (std::int64_t row = 0; row < self.length; ++row) values.append(value_at(self, row));
            return values;
          },
          nb::sig("def to_pylist(self) -> list[typing.Any]"))
      .def("__array__", numpy_array, "dtype"_a = nb::none(), "copy"_a = nb::none(),
           nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any"))
      .def("__repr__", shown)
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(nb::module_::import_("pyrefrain._columns").attr("column_of_state"),
                                  nb::make_tuple(state_of(nb::cast<const Column&>(self))));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  type.def_prop_ro(
      "format", [](const Column& self) { return self.format; }, "The type, as the Arrow C interface says it.");
  type.attr("__hash__") = nb::none();
  nb::class_<Mask, Column>(module, "Mask",
                           "A column of booleans, which selects rows of pandas, polars and numpy: df[mask], "
                           "df.filter(mask), array[mask].")
      .def("__invert__", inverted, nb::sig("def __invert__(self) -> Mask"))
      .def("__and__", combined<std::bit_and<>>, "other"_a, nb::is_operator(),
           nb::sig("def __and__(self, other: typing.Any, /) -> typing.Any"))
      .def("__or__", combined<std::bit_or<>>, "other"_a, nb::is_operator(),
           nb::sig("def __or__(self, other: typing.Any, /) -> typing.Any"))
      .def(
          "__call__", [](nb::handle self, nb::handle /*frame*/) { return numpy_array(self); }, "frame"_a,
          "The mask as an array: pandas calls an index that is a function with the frame that it indexes.",
          nb::sig("def __call__(self, frame: typing.Any) -> typing.Any"));
  module.def(
      "column_of_state", [](const nb::tuple& state) { return as_python(column_of_state(state)); }, "state"_a);
  module.def(
      "column_of_values",
      [](const std::string& format, const nb::list& values) { return as_python(column_of_values(format, values)); },
      "format"_a, "values"_a);
  module.def("column_of_lists", column_of_lists, "sizes"_a, "items"_a);
  module.def("column_of_columns", column_of_columns, "columns"_a);
}

}  // namespace refrain::python
