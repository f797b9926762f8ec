// The index of passages. Reports and passages are JSON.
#include "refrain/index.h"

#include <nanobind/stl/filesystem.h>

#include "bindings.h"
#include "documents.h"
#include "options.h"
#include "refrain/report_json.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

// `input` is Documents, or a list of paths.
std::string create(const std::filesystem::path& folder, nb::handle input, nb::dict given) {
  Arguments arguments(std::move(given));
  IndexCreateOptions options{
      .index = folder, .input = input_options(arguments, input), .layout = read_options<IndexLayout>(arguments)};
  const CallSettings settings = call_settings(arguments);
  arguments.finish("Index.create");
  return call(settings, [&](const Context& context) {
    find_ids(options.input, context);
    return to_json(create_index(options, context), "index create");
  });
}

std::string add(Index& self, nb::handle input, nb::dict given) {
  Arguments arguments(std::move(given));
  IndexAddOptions options = reading_options<IndexAddOptions>(arguments, input);
  const CallSettings settings = call_settings(arguments);
  arguments.finish("Index.add");
  return call(settings, [&](const Context& context) {
    find_ids(options.input, context);
    return to_json(self.add(options, context));
  });
}

std::string remove(Index& self, const std::vector<std::string>& ids, const nb::object& memory) {
  return call({.memory = memory},
              [&](const Context& context) { return to_json(self.remove(ids, context), "index remove"); });
}

std::string merge(Index& self, const nb::object& memory) {
  return call({.memory = memory}, [&](const Context& context) { return to_json(self.merge(context), "index merge"); });
}

// Returns (lines of JSON, report) of ask(context, sink).
template <class Ask>
nb::tuple passages_of(Arguments& arguments, const char* function, Ask ask) {
  bool texts = true;
  arguments.read("texts", texts);
  const CallSettings settings = call_settings(arguments);
  arguments.finish(function);
  std::string rows;
  const std::string report = call(settings, [&](const Context& context) {
    const auto sink = json_passages([&](std::string_view part) { rows += part; }, texts);
    return to_json(ask(context, *sink));
  });
  return nb::make_tuple(rows, report);
}

nb::tuple query(const Index& self, nb::handle input, nb::dict given) {
  Arguments arguments(std::move(given));
  QueryOptions options = read_options<QueryOptions>(arguments);
  arguments.read("self", options.self);
  if (!arguments.read("of", options.id) && !options.self) options.input = input_options(arguments, input);
  return passages_of(arguments, "Index.query", [&](const Context& context, PassageSink& sink) {
    if (!options.input.empty()) find_ids(options.input, context);
    return self.query(options, context, sink);
  });
}

nb::tuple passages(const Index& self, nb::dict given) {
  Arguments arguments(std::move(given));
  const ExtractOptions options = read_options<ExtractOptions>(arguments);
  return passages_of(arguments, "Index.passages",
                     [&](const Context& context, PassageSink& sink) { return self.extract(options, context, sink); });
}

nb::object document(const Index& self, const std::string& id) {
  const auto found = call({}, [&](const Context& context) { return self.document(id, context); });
  if (!found) return nb::none();
  return nb::steal(PyUnicode_DecodeUTF8(found->text.data(), static_cast<Py_ssize_t>(found->text.size()), "replace"));
}

}  // namespace

void bind_index(nb::module_& module) {
  module.def("create_index", create, "folder"_a, "input"_a, "options"_a);
  nb::class_<Index>(module, "Index")
      .def(nb::init<std::filesystem::path>(), "folder"_a)
      .def("add", add, "input"_a, "options"_a)
      .def("remove", remove, "ids"_a, "memory"_a = nb::none())
      .def("merge", merge, "memory"_a = nb::none())
      .def("query", query, "input"_a, "options"_a)
      .def("passages", passages, "options"_a)
      .def("document", document, "id"_a)
      .def("stats", [](const Index& self) { return to_json(self.stats()); })
      .def_prop_ro("generation", &Index::generation);
}

}  // namespace refrain::python
