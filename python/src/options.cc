#include "options.h"

#include <nanobind/stl/filesystem.h>

#include <map>

#include "bindings.h"
#include "documents.h"
#include "refrain/error.h"
#include "refrain/input.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

[[noreturn]] void refuse(const OptionInfo& info, nb::handle value) {
  throw Error(Errc::invalid_argument,
              Arguments::quoted(info.name) + ": cannot be " + nb::cast<std::string>(nb::repr(value)));
}

template <class T>
T cast(const OptionInfo& info, nb::handle value) {
  T made{};
  if (!nb::try_cast<T>(value, made)) refuse(info, value);
  return made;
}

std::string path_of(const OptionInfo& info, nb::handle value) {
  return nb::isinstance<nb::str>(value) ? nb::cast<std::string>(value)
                                        : cast<std::filesystem::path>(info, value).string();
}

// A Python value as the value of an option. Sizes, choices and the word of a number may be strings.
OptionValue value_of(const OptionInfo& info, const nb::object& value) {
  const bool text = nb::isinstance<nb::str>(value);
  switch (info.kind) {
    case OptionKind::toggle:
      return cast<bool>(info, value);
    case OptionKind::choice:
      if (nb::isinstance<nb::bool_>(value) && info.choices().size() == 2 && info.choices()[1] == "off")
        return std::uint64_t{nb::cast<bool>(value) ? 0U : 1U};
      return choice_named(info, cast<std::string>(info, value));
    case OptionKind::number:
      if (!text || info.number_words.empty()) return cast<std::uint64_t>(info, value);
      if (const std::uint64_t* meant = number_meant(info, nb::cast<std::string>(value))) return *meant;
      throw Error(Errc::invalid_argument,
                  Arguments::quoted(info.name) + ": must be a number, or " + number_words_text(info));
    case OptionKind::share:
    case OptionKind::percent:
      return cast<double>(info, value);
    case OptionKind::size:
      return parse_size(value, Arguments::quoted(info.name).c_str());
    case OptionKind::text:
      return info.repeated ? OptionValue(cast<std::vector<std::string>>(info, value))
                           : OptionValue(cast<std::string>(info, value));
    case OptionKind::words:
      if (!text) return cast<std::vector<std::string>>(info, value);
      choice_named(info, nb::cast<std::string>(value));
      return nb::cast<std::string>(value);
    case OptionKind::file:
    case OptionKind::folder:
      break;
  }
  if (!info.repeated) return path_of(info, value);
  std::vector<std::string> paths;
  if (text || nb::hasattr(value, "__fspath__")) return std::vector{path_of(info, value)};
  if (!nb::isinstance<nb::sequence>(value)) refuse(info, value);
  for (const nb::handle path : value) paths.push_back(path_of(info, path));
  return paths;
}

}  // namespace

std::optional<OptionValue> given_value(Arguments& arguments, const OptionInfo& info, unsigned face) {
  if ((info.faces & face) == 0) return std::nullopt;
  const nb::object value = arguments.take(std::string(info.keyword()).c_str());
  if (value.is_none() || (info.name == "against" && nb::isinstance<Documents>(value))) return std::nullopt;
  OptionValue made = value_of(info, value);
  if (info.kind == OptionKind::number) check_option(info, made);  // the verb checks the rest
  return made;
}

CallSettings call_settings(Arguments& arguments) {
  CallSettings settings;
  arguments.read("threads", settings.threads);
  settings.memory = arguments.take("memory");
  if (std::filesystem::path folder; arguments.read("temp_dir", folder)) settings.temp_dir = folder.string();
  settings.progress = arguments.take("progress");
  return settings;
}

InputOptions input_options(Arguments& arguments, nb::handle input, HtmlPart html) {
  InputOptions options;
  options.html = html;
  if (!nb::isinstance<Documents>(input)) {
    options.paths = nb::cast<std::vector<std::string>>(input);
    return read_options(arguments, std::move(options));
  }
  options.documents = nb::cast<const Documents&>(input).stream();
  arguments.read_size("max_doc_bytes", options.max_doc_bytes);
  arguments.read("strict", options.strict);
  arguments.read("join_hyphens", options.join_hyphens);
  return options;
}

void find_ids(InputOptions& input, const Context& context) {
  if (!input.id_field.empty() || input.documents != nullptr) return;
  input.id_field = survey_input(input, context).id_field;
  input.id_optional = !input.id_field.empty();
}

NearOptions near_options(Arguments& arguments, nb::handle input) {
  auto options = reading_options<NearOptions>(arguments, input);
  options.device = read_options<DeviceOptions>(arguments);
  return options;
}

DedupOptions dedup_options(Arguments& arguments, nb::handle input) {
  DedupOptions options;
  options.input = input_options(arguments, input, options.input.html);
  if (const nb::object against = arguments.take("against"); nb::isinstance<Documents>(against))
    options.against.documents = nb::cast<const Documents&>(against).stream();
  options = read_options(arguments, std::move(options));
  options.device = read_options<DeviceOptions>(arguments);
  return options;
}

namespace {

template <class Options>
nb::list rows_of() {
  static constexpr const char* kKinds[] = {"toggle", "text",   "number", "share",  "percent",
                                           "size",   "choice", "file",   "folder", "words"};
  nb::list rows;
  for (const Option<Options>& option : option_table<Options>()) {
    const OptionInfo& info = option.info;
    nb::dict row;
    row["name"] = std::string(info.name);
    row["keyword"] = std::string(info.keyword());
    row["kind"] = kKinds[static_cast<std::size_t>(info.kind)];
    row["unit"] = std::string(info.unit);
    row["default"] = spelled(default_text(option), argument_of);
    row["help"] = spelled(info.help, argument_of);
    nb::list words;
    for (const NumberWord& one : info.number_words) words.append(std::string(one.word));
    row["words"] = words;
    nb::list choices;
    if (info.choices != nullptr)
      for (const std::string_view choice : info.choices()) choices.append(std::string(choice));
    row["choices"] = choices;
    row["repeated"] = info.repeated;
    row["command_line"] = (info.faces & kCommandLine) != 0;
    row["python"] = (info.faces & kPython) != 0;
    row["spark"] = (info.faces & kSpark) != 0;
    rows.append(row);
  }
  return rows;
}

// The rows of one table: what the keywords of a verb are, for type stubs and for other faces written in Python.
nb::list option_table(const std::string& name) {
  static const std::map<std::string_view, nb::list (*)()> kTables = {
      {"run", rows_of<Context>},
      {"input", rows_of<InputOptions>},
      {"device", rows_of<DeviceOptions>},
      {"fingerprint", rows_of<FingerprintOptions>},
      {"near", rows_of<NearOptions>},
      {"explain", rows_of<ExplainOptions>},
      {"dedup", rows_of<DedupOptions>},
      {"substrings", rows_of<SubstringsOptions>},
      {"ngrams", rows_of<NgramsOptions>},
      {"layout", rows_of<IndexLayout>},
      {"add", rows_of<IndexAddOptions>},
      {"query", rows_of<QueryOptions>},
      {"passages", rows_of<ExtractOptions>},
  };
  const auto found = kTables.find(name);
  if (found == kTables.end()) throw Error(Errc::invalid_argument, name + ": there is no such table of options");
  return found->second();
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def("option_table", option_table, nb::arg("name"));
}

}  // namespace refrain::python
