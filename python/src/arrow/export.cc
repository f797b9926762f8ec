#include "arrow/export.h"

#include <nanobind/stl/string.h>

#include <cerrno>

#include "arrow/rows.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

std::vector<std::uint8_t> packed_bits(std::span<const std::uint8_t> flags) {
  std::vector<std::uint8_t> bits((flags.size() + 7) / 8);
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] != 0) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1U << i % 8);
  return bits;
}

// Owned by an exported struct: the structs of its children, and the column whose memory it exposes.
template <class T>
struct Holder {
  std::shared_ptr<const Column> root;
  std::vector<T> children;
  std::vector<T*> pointers;
  std::vector<const void*> buffers = {};
};

template <class T>
void release(T* exported) {
  auto* holder = static_cast<Holder<T>*>(exported->private_data);
  for (T& child : holder->children)
    if (child.release != nullptr) child.release(&child);  // otherwise the consumer has moved it
  delete holder;
  exported->release = nullptr;
}

template <class T, class Export>
Holder<T>* make_holder(const std::shared_ptr<const Column>& root, const Column& column, const Export& export_child) {
  auto* holder = new Holder<T>{.root = root, .children = std::vector<T>(column.children.size()), .pointers = {}};
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    export_child(root, column.children[i], holder->children[i]);
    holder->pointers.push_back(&holder->children[i]);
  }
  return holder;
}

void export_schema(const std::shared_ptr<const Column>& root, const Column& column, ArrowSchema& schema) {
  auto* holder = make_holder<ArrowSchema>(root, column, export_schema);
  schema = {.format = column.format.c_str(),
            .name = column.name.c_str(),
            .metadata = column.metadata.empty() ? nullptr : column.metadata.data(),
            .flags = kArrowNullable,
            .n_children = static_cast<std::int64_t>(column.children.size()),
            .children = holder->pointers.data(),
            .dictionary = nullptr,
            .release = release<ArrowSchema>,
            .private_data = holder};
}

void export_array(const std::shared_ptr<const Column>& root, const Column& column, ArrowArray& array) {
  auto* holder = make_holder<ArrowArray>(root, column, export_array);
  holder->buffers = column.buffers;
  array = {.length = column.length,
           .null_count = column.null_count,
           .offset = 0,
           .n_buffers = static_cast<std::int64_t>(holder->buffers.size()),
           .n_children = static_cast<std::int64_t>(column.children.size()),
           .buffers = holder->buffers.data(),
           .children = holder->pointers.data(),
           .dictionary = nullptr,
           .release = release<ArrowArray>,
           .private_data = holder};
}

// The state of a stream that yields one array.
struct OneArray {
  std::shared_ptr<const Column> column;
  bool given = false;
};

void export_stream(const std::shared_ptr<const Column>& root, ArrowArrayStream& stream) {
  stream = {.get_schema =
                [](ArrowArrayStream* self, ArrowSchema* schema) {
                  const auto& column = static_cast<OneArray*>(self->private_data)->column;
                  export_schema(column, *column, *schema);
                  return 0;
                },
            .get_next =
                [](ArrowArrayStream* self, ArrowArray* array) {
                  auto& state = *static_cast<OneArray*>(self->private_data);
                  if (state.given) {
                    array->release = nullptr;
                  } else {
                    export_array(state.column, *state.column, *array);
                    state.given = true;
                  }
                  return 0;
                },
            .get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; },
            .release =
                [](ArrowArrayStream* self) {
                  delete static_cast<OneArray*>(self->private_data);
                  self->release = nullptr;
                },
            .private_data = new OneArray{root}};
}

// Makes a capsule that owns the struct until a consumer takes it over.
template <class T>
nb::object capsule(Held<T>* held, const char* name) {
  return nb::capsule(held, name, [](void* pointer) noexcept { delete static_cast<Held<T>*>(pointer); });
}

}  // namespace

void set_validity(Column& column, std::span<const std::uint8_t> valid) {
  for (const std::uint8_t flag : valid) column.null_count += flag == 0 ? 1 : 0;
  if (column.null_count != 0) column.buffers[0] = keep(column, packed_bits(valid));
}

Column flag_column(std::span<const std::uint8_t> flags) {
  Column column{.format = "b", .length = static_cast<std::int64_t>(flags.size())};
  column.buffers = {nullptr, keep(column, packed_bits(flags))};
  return column;
}

Column TextBuilder::column(std::span<const std::uint8_t> valid) && {
  Column column{.format = "U", .length = static_cast<std::int64_t>(offsets_.size()) - 1};
  bytes_.push_back(0);  // so that data() is not null
  column.buffers = {nullptr, keep(column, std::move(offsets_)), keep(column, std::move(bytes_))};
  set_validity(column, valid);
  return column;
}

Column fixed_bytes_column(std::vector<char> bytes, std::size_t width, std::span<const std::uint8_t> valid) {
  Column column{.format = "w:" + std::to_string(width), .length = static_cast<std::int64_t>(valid.size())};
  bytes.push_back(0);  // so that data() is not null
  column.buffers = {nullptr, keep(column, std::move(bytes))};
  set_validity(column, valid);
  return column;
}

Column list_column(std::vector<std::int64_t> offsets, Column items) {
  Column column{.format = "+L", .length = static_cast<std::int64_t>(offsets.size()) - 1};
  column.buffers = {nullptr, keep(column, std::move(offsets))};
  column.children.push_back(std::move(items).named("item"));
  return column;
}

Column table(std::vector<Column> columns) {
  Column rows{.format = "+s", .length = columns.front().length, .buffers = {nullptr}};
  rows.children = std::move(columns);
  return rows;
}

void bind_columns(nb::module_& module) {
  using Shared = std::shared_ptr<const Column>;
  const auto schema_of = [](const Column& self) {
    auto* held = new Held<ArrowSchema>;
    const Shared shared = std::make_shared<const Column>(self);
    export_schema(shared, *shared, held->it);
    return capsule(held, "arrow_schema");
  };
  nb::class_<Column> type(module, "Column",
                          "A result in Arrow's layout. pyarrow, polars, pandas, numpy and DuckDB take it as it is. It "
                          "is a sequence, too: it is sliced, compared and pickled like a list.");
  type.def("__len__", [](const Column& self) { return self.length; })
      .def(
          "column",
          [](const Column& self, const std::string& name) {
            for (const Column& child : self.children)
              if (child.name == name) return as_python(child);
            throw nb::key_error(name.c_str());
          },
          nb::sig("def column(self, name: str) -> Column"))
      .def_prop_ro(
          "names",
          [](const Column& self) {
            nb::list names;
            for (const Column& child : self.children) names.append(child.name);
            return names;
          },
          nb::for_getter(nb::sig("def names(self) -> list[str]")))
      .def("__arrow_c_schema__", schema_of)
      .def(
          "__arrow_c_array__",
          [schema_of](const Column& self, const nb::object& /*requested_schema*/) {
            auto* held = new Held<ArrowArray>;
            const Shared shared = std::make_shared<const Column>(self);
            export_array(shared, *shared, held->it);
            return nb::make_tuple(schema_of(self), capsule(held, "arrow_array"));
          },
          nb::arg("requested_schema") = nb::none(),
          nb::sig("def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]"))
      .def(
          "__arrow_c_stream__",
          [](const Column& self, const nb::object& /*requested_schema*/) {
            auto* held = new Held<ArrowArrayStream>;
            export_stream(std::make_shared<const Column>(self), held->it);
            return capsule(held, "arrow_array_stream");
          },
          nb::arg("requested_schema") = nb::none());
  bind_rows(module, type);
}

}  // namespace refrain::python
