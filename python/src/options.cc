#include "options.h"

#include <nanobind/stl/filesystem.h>

#include <algorithm>

#include "bindings.h"
#include "documents.h"
#include "refrain/error.h"
#include "refrain/options.h"
#include "refrain/survey.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

[[noreturn]] void refuse(const OptionInfo& info, nb::handle value) {
  throw Error(Errc::invalid_argument,
              Arguments::flag(info.name) + ": cannot be " + nb::cast<std::string>(nb::repr(value)));
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
      if (!text || info.word.empty()) return cast<std::uint64_t>(info, value);
      if (nb::cast<std::string>(value) != info.word)
        throw Error(Errc::invalid_argument,
                    Arguments::flag(info.name) + ": must be a number, or " + std::string(info.word));
      return info.word_means;
    case OptionKind::share:
    case OptionKind::percent:
      return cast<double>(info, value);
    case OptionKind::size:
      return parse_size(value, Arguments::flag(info.name).c_str());
    case OptionKind::text:
      return cast<std::string>(info, value);
    case OptionKind::file:
    case OptionKind::folder:
      break;
  }
  if (!info.repeated) return path_of(info, value);
  std::vector<std::string> paths;
  if (text || !nb::isinstance<nb::sequence>(value)) refuse(info, value);
  for (const nb::handle path : value) paths.push_back(path_of(info, path));
  return paths;
}

// Sets the options of a table that were given, in the order of the table.
template <class Options>
void read_options(Arguments& arguments, std::span<const Option<Options>> table, Options& options) {
  for (const Option<Options>& option : table) {
    if ((option.info.faces & kPython) == 0) continue;
    const nb::object value = arguments.take(std::string(option.info.keyword()).c_str());
    if (value.is_none()) continue;
    if constexpr (std::is_same_v<Options, DedupOptions>) {
      if (option.info.name == "against" && nb::isinstance<Documents>(value)) {
        options.against.documents = nb::cast<const Documents&>(value).stream();
        continue;
      }
    }
    option.set(options, value_of(option.info, value));
  }
}

void read_tokenizer(Arguments& arguments, TokenizerKind& tokenizer) {
  arguments.read_name("tokenizer", tokenizer_choices(), tokenizer);
  bool comments = false;
  arguments.read("comments", comments);
  tokenizer = with_comments(tokenizer, comments);
  if (comments && tokenizer == with_comments(tokenizer, false))
    throw Error(Errc::invalid_argument, "--comments: only code has comments; use --tokenizer code or code-kinds");
  std::size_t form = 0;
  if (!arguments.read_name("normalize", {"none", "nfkc"}, form)) return;
  if (tokenizer == TokenizerKind::words || tokenizer == TokenizerKind::words_nfkc)
    tokenizer = form == 1 ? TokenizerKind::words_nfkc : TokenizerKind::words;
  else if (form == 1)
    throw Error(Errc::invalid_argument, "--normalize nfkc: only words are normalized");
}

DeviceOptions device_options(Arguments& arguments) {
  DeviceOptions options;
  read_options(arguments, device_option_table(), options);
  return options;
}

Preset preset_of(Arguments& arguments) {
  std::string name;
  if (!arguments.read("preset", name)) return {};
  index_of_name("--preset", name, preset_names());
  return *preset(name);
}

void read_windows(Arguments& arguments, FingerprintOptions& windows) {
  read_tokenizer(arguments, windows.tokenizer);
  arguments.read("window", windows.window);
  arguments.read("seed", windows.seed);
}

}  // namespace

CallSettings call_settings(Arguments& arguments) {
  CallSettings settings;
  arguments.read("threads", settings.threads);
  settings.memory = arguments.take("memory");
  arguments.read("temp_dir", settings.temp_dir);
  settings.progress = arguments.take("progress");
  return settings;
}

InputOptions input_options(Arguments& arguments, nb::handle input, HtmlPart html) {
  InputOptions options;
  options.html = html;
  if (!nb::isinstance<Documents>(input)) {
    options.paths = nb::cast<std::vector<std::string>>(input);
    read_options(arguments, input_option_table(), options);
    return options;
  }
  options.documents = nb::cast<const Documents&>(input).stream();
  arguments.read_size("max_doc_bytes", options.max_doc_bytes);
  arguments.read("strict", options.strict);
  return options;
}

void find_ids(InputOptions& input, const Context& context) {
  if (!input.id_field.empty() || input.documents != nullptr) return;
  input.id_field = survey_input(input, context).id_field;
  input.id_optional = !input.id_field.empty();
}

FingerprintOptions fingerprint_options(Arguments& arguments) {
  FingerprintOptions options = preset_of(arguments).fingerprint;
  read_windows(arguments, options);
  arguments.read_name("hash", hash_names(), options.hash);
  unsigned tie = options.tie_sets_bit ? 1 : 0;
  arguments.read("tie", tie);
  if (tie > 1) throw Error(Errc::invalid_argument, "--tie: must be 0 or 1");
  options.tie_sets_bit = tie == 1;
  const nb::object words = arguments.take("stop_words");
  if (nb::isinstance<nb::str>(words)) {
    index_of_name("--stop-words", nb::cast<std::string>(words), {"english"});
    options.stop_words = english_stop_words();
  } else {
    arguments.read("stop_words", options.stop_words);
  }
  return options;
}

NearOptions near_options(Arguments& arguments, nb::handle input) {
  NearOptions options;
  options.input = input_options(arguments, input);
  options.fingerprint = fingerprint_options(arguments);
  const Preset preset = preset_of(arguments);
  arguments.read("verify", options.verify);
  if (arguments.read("threshold", options.threshold) && !options.verify)
    throw Error(Errc::invalid_argument, "--threshold: has no effect without --verify; remove it");
  options.distance = arguments.given("preset") ? preset.distance : options.verify ? kVerifiedDistance : kNearDistance;
  arguments.read("distance", options.distance);
  options.blocks = preset.blocks > options.distance ? preset.blocks : 0;
  arguments.read("blocks", options.blocks);
  arguments.read("all_pairs", options.all_pairs);
  options.device = device_options(arguments);
  arguments.read("output", options.output);
  arguments.read("force", options.force);
  return options;
}

DedupOptions dedup_options(Arguments& arguments, nb::handle input) {
  DedupOptions options;
  options.input = input_options(arguments, input, options.input.html);
  read_options(arguments, dedup_option_table(), options);
  options.device = device_options(arguments);
  return options;
}

SubstringsOptions substrings_options(Arguments& arguments, nb::handle input) {
  SubstringsOptions options;
  options.input = input_options(arguments, input);
  arguments.read("length", options.length);
  arguments.read("min_count", options.min_count);
  arguments.read_name("snap", {"none", "utf8", "word", "line"}, options.snap);
  arguments.read_name("keep", {"first", "none"}, options.keep);
  arguments.read("until_clean", options.until_clean);
  arguments.read("groups", options.groups);
  arguments.read("apply", options.apply);
  arguments.read("output", options.output);
  arguments.read("force", options.force);
  return options;
}

NgramsOptions ngrams_options(Arguments& arguments, nb::handle input) {
  NgramsOptions options;
  options.input = input_options(arguments, input);
  arguments.read("n", options.n);
  arguments.read("m", options.m);
  read_tokenizer(arguments, options.tokenizer);
  arguments.read_name("algorithm", ngram_algorithm_names(), options.algorithm);
  arguments.read("output", options.output);
  arguments.read("force", options.force);
  return options;
}

IndexLayout index_layout(Arguments& arguments) {
  IndexLayout layout;
  arguments.read("window", layout.window);
  arguments.read_name("blots", blot_kind_names(), layout.blots);
  arguments.read_name("sampling", blot_sampling_names(), layout.sampling);
  arguments.read("interleave", layout.interleave);
  if (layout.interleave > 1) layout.sampling = BlotSampling::all;
  arguments.read("blot_bits", layout.blot_bits);
  arguments.read("shards", layout.shards);
  read_tokenizer(arguments, layout.tokenizer);
  arguments.read("store_text", layout.store_text);
  Edits edits = Edits::heavy;
  arguments.read_name("edits", edits_names(), edits);
  layout.pairs = edits == Edits::heavy;
  return layout;
}

PassageLimits passage_limits(Arguments& arguments) {
  PassageLimits limits;
  arguments.read_name("edits", edits_names(), limits.edits);
  arguments.read("noise", limits.noise);
  arguments.read("min_tokens", limits.min_tokens);
  if (unsigned gap = 0; arguments.read("max_gap", gap)) limits.max_gap = gap;
  arguments.read("max_documents", limits.max_documents);
  arguments.read("exclude", limits.exclude);
  return limits;
}

namespace {

template <class Options>
nb::list rows_of(std::span<const Option<Options>> table) {
  static constexpr const char* kKinds[] = {"toggle", "text",   "number", "share", "percent",
                                           "size",   "choice", "file",   "folder"};
  nb::list rows;
  for (const Option<Options>& option : table) {
    const OptionInfo& info = option.info;
    nb::dict row;
    row["name"] = std::string(info.name);
    row["keyword"] = std::string(info.keyword());
    row["kind"] = kKinds[static_cast<std::size_t>(info.kind)];
    row["unit"] = std::string(info.unit);
    row["default"] = default_text(option);
    row["help"] = std::string(info.help);
    row["word"] = std::string(info.word);
    nb::list choices;
    if (info.choices != nullptr)
      for (const std::string_view choice : info.choices()) choices.append(std::string(choice));
    row["choices"] = choices;
    row["repeated"] = info.repeated;
    row["python"] = (info.faces & kPython) != 0;
    row["spark"] = (info.faces & kSpark) != 0;
    rows.append(row);
  }
  return rows;
}

// The rows of one table: what the keywords of a verb are, for type stubs and for other faces written in Python.
nb::list option_table(const std::string& name) {
  if (name == "input") return rows_of(input_option_table());
  if (name == "device") return rows_of(device_option_table());
  if (name == "dedup") return rows_of(dedup_option_table());
  throw Error(Errc::invalid_argument, name + ": there is no such table of options; choose from input, device, dedup");
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def("option_table", option_table, nb::arg("name"));
}

}  // namespace refrain::python
