// Why two texts match, and what a run decided about a document, as JSON.
#include "refrain/explain.h"

#include <nanobind/stl/filesystem.h>

#include "bindings.h"
#include "documents.h"
#include "options.h"
#include "refrain/documents.h"
#include "refrain/report_json.h"
#include "refrain/story.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

// `input` contains the documents `a` and `b`.
std::string explain_pair(const std::string& a, const std::string& b, nb::handle input, nb::dict given) {
  Arguments arguments(std::move(given));
  ExplainOptions options{.a = a, .b = b, .input = input_options(arguments, input), .fingerprint = {}};
  unsigned distance = kNearDistance;
  options.fingerprint = read_options<FingerprintOptions>(arguments);
  arguments.read("distance", distance);
  const CallSettings settings = call_settings(arguments);
  arguments.finish("explain");
  return call(settings, [&](const Context& context) {
    find_ids(options.input, context);
    return to_json(explain(options, context), distance);
  });
}

std::string explain_run(const std::filesystem::path& run, const std::string& id, const nb::object& memory) {
  return call({.memory = memory},
              [&](const Context& context) { return to_json(tell_story({.run = run, .id = id}, context)); });
}

}  // namespace

void bind_explain(nb::module_& module) {
  module.def("explain_pair", explain_pair, "a"_a, "b"_a, "input"_a, "options"_a);
  module.def("explain_run", explain_run, "run"_a, "id"_a, "memory"_a = nb::none());
}

}  // namespace refrain::python
