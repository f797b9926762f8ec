// The verbs over files. They return the report as JSON; the results are in the output folder.
#include <nanobind/stl/filesystem.h>

#include "bindings.h"
#include "options.h"
#include "refrain/report_json.h"
#include "refrain/survey.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

// Defines `VERB_files`, which runs a verb over paths and returns the report.
template <class Options, class Report>
void define(nb::module_& module, const std::string& verb, Options (*read)(Arguments&, nb::handle),
            Report (*run)(const Options&, const Context&)) {
  const auto over_files = [=](nb::handle paths, nb::dict given) {
    Arguments arguments(std::move(given));
    Options options = read(arguments, paths);
    const CallSettings settings = call_settings(arguments);
    arguments.finish(verb.c_str());
    return call(settings, [&](const Context& context) {
      options.input.listing = list_input(options.input, context);
      find_ids(options.input, context);
      return to_json(options, run(options, context));
    });
  };
  module.def((verb + "_files").c_str(), over_files, "paths"_a, "options"_a);
}

using Paths = std::vector<std::string>;

// Returns the rows that fingerprint() prints.
std::string fingerprint_files(const Paths& paths, nb::dict given) {
  Arguments arguments(std::move(given));
  InputOptions input = input_options(arguments, nb::cast(paths));
  const FingerprintOptions options = read_options<FingerprintOptions>(arguments);
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
  define(module, "near", near_options, near);
  define(module, "dedup", dedup_options, dedup);
  define(module, "substrings", reading_options<SubstringsOptions>, substrings);
  define(module, "ngrams", reading_options<NgramsOptions>, build_ngrams);
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
