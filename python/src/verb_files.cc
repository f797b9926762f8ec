// The verbs over files. They return the report as JSON; the results are in the output folder.
#include <nanobind/stl/filesystem.h>

#include "bindings.h"
#include "options.h"
#include "refrain/report_json.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

template <class Options, class Run>
std::string over_files(const char* verb, Options (*read)(Arguments&, nb::handle), nb::handle paths, nb::dict given,
                       Run run) {
  Arguments arguments(std::move(given));
  Options options = read(arguments, paths);
  const CallSettings settings = call_settings(arguments);
  arguments.finish(verb);
  return call(settings, [&](const Context& context) {
    find_ids(options.input, context);
    return to_json(options, run(options, context));
  });
}

using Paths = std::vector<std::string>;

// Returns the rows that fingerprint() prints.
std::string fingerprint_files(const Paths& paths, nb::dict given) {
  Arguments arguments(std::move(given));
  InputOptions input = input_options(arguments, nb::cast(paths));
  const FingerprintOptions options = fingerprint_options(arguments);
  const CallSettings settings = call_settings(arguments);
  arguments.finish("fingerprint");
  return call(settings, [&](const Context& context) {
    find_ids(input, context);
    std::string rows;
    fingerprint(input, options, context, [&](std::string_view part) { rows += part; });
    return rows;
  });
}

}  // namespace

void bind_file_verbs(nb::module_& module) {
  module.def(
      "near_files",
      [](nb::handle paths, nb::dict given) {
        return over_files("near", near_options, paths, given,
                          [](const auto& options, const Context& context) { return near(options, context); });
      },
      "paths"_a, "options"_a);
  module.def(
      "dedup_files",
      [](nb::handle paths, nb::dict given) {
        return over_files("dedup", dedup_options, paths, given,
                          [](const auto& options, const Context& context) { return dedup(options, context); });
      },
      "paths"_a, "options"_a);
  module.def(
      "substrings_files",
      [](nb::handle paths, nb::dict given) {
        return over_files("substrings", substrings_options, paths, given,
                          [](const auto& options, const Context& context) { return substrings(options, context); });
      },
      "paths"_a, "options"_a);
  module.def(
      "ngrams_files",
      [](nb::handle paths, nb::dict given) {
        return over_files("ngrams", ngrams_options, paths, given,
                          [](const auto& options, const Context& context) { return build_ngrams(options, context); });
      },
      "paths"_a, "options"_a);
  module.def(
      "ngrams_rows",
      [](const std::filesystem::path& index, const nb::object& memory) {
        return call({.memory = memory}, [&](const Context& context) {
          std::string rows;
          show_ngrams({.index = index, .sort = NgramSort::ngram}, context,
                      [&](std::string_view part) { rows += part; });
          return rows;
        });
      },
      "index"_a, "memory"_a = nb::none());
  module.def("fingerprint_files", fingerprint_files, "paths"_a, "options"_a);
}

}  // namespace refrain::python
