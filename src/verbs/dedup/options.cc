// The options of dedup, as a table.
#include "refrain/options.h"

#include "refrain/error.h"
#include "refrain/substrings.h"
#include "verbs/dedup/against/reference_search.h"
#include "verbs/run/fingerprint_rows.h"

namespace refrain {

namespace {

using verbs::run::append;
using verbs::run::assign;
using verbs::run::choice_row;
using verbs::run::row;
using D = DedupOptions;
using F = FingerprintOptions;
using Kind = OptionKind;
using Group = OptionGroup;

std::vector<std::string_view> on_off() {
  return {"on", "off"};
}
std::vector<std::string_view> auto_off() {
  return {"auto", "off"};
}
std::vector<std::string_view> action_names() {
  return {"remove", "mark"};
}
std::vector<std::string_view> attributes_names() {
  return {"none", "dolma"};
}

std::string without_near(const D& options) {
  return options.near == NearMethod::off ? "with `near` off" : "";
}
// Tokens are also what the items of another set are made of.
std::string without_tokens(const D& options) {
  return options.against.empty() ? without_near(options) : "";
}
std::string without_simhash(const D& options) {
  return near_method_info(options.near).uses_distance ? "" : "without `near` simhash";
}
std::string without_against(const D& options) {
  return options.against.empty() ? "without `against`" : "";
}
std::string without_libraries(const D& options) {
  return options.known.empty() && options.library.empty() ? "without `known` or `library`" : "";
}

// The threshold is that of the method, unless one is given.
void set_near(D& options, NearMethod method) {
  if (method != options.near && method != NearMethod::off) options.threshold = near_method_info(method).threshold;
  options.near = method;
}

// Replaces the defaults, but not what is read and where results go, which may be set before.
void set_preset(D& options, std::string_view name) {
  D preset = dedup_preset(name);
  preset.input = options.input;
  preset.against = options.against;
  preset.output = options.output;
  options = std::move(preset);
}

void set_against(D& options, const std::vector<std::string>& paths) {
  options.against = options.input;
  options.against.documents = nullptr;
  options.against.paths = paths;
  options.against.id_field.clear();
  options.against.id_optional = false;
}

// clang-format off
std::vector<Option<D>> make_rows() {
  std::vector<Option<D>> rows = {
      row<D, &D::output>({.name = "output", .letter = 'o', .kind = Kind::folder, .unit = "DIR",
                          .default_text = "required", .help = "output folder", .recorded = Recorded::never,
                          .required = true}),
      {{.name = "preset", .kind = Kind::choice, .unit = "NAME", .default_text = "none", .help = "set of defaults",
        .choices = dedup_preset_names, .recorded = Recorded::never, .first = true},
       [](D& d, OptionValue&& value) { set_preset(d, dedup_preset_names()[std::get<std::uint64_t>(value)]); },
       [](const D&) -> OptionValue { return std::string(); }},
      {{.name = "exact", .kind = Kind::choice, .unit = "ON", .help = "remove exact duplicates", .choices = on_off,
        .faces = kCommandLine | kPython | kSpark},
       [](D& d, OptionValue&& value) { assign(d.exact, std::move(value)); },
       [](const D& d) -> OptionValue { return d.exact; }},
      {{.name = "near", .kind = Kind::choice, .unit = "METHOD", .help = "find near-duplicates by",
        .choices = near_method_names, .faces = kCommandLine | kPython | kSpark},
       [](D& d, OptionValue&& value) { set_near(d, static_cast<NearMethod>(std::get<std::uint64_t>(value))); },
       [](const D& d) -> OptionValue { return std::string(near_method_info(d.near).name); }},
  };
  append(rows, verbs::run::window_rows<D, &D::windows>(
      "seed for the hashes and the sample", kSpark, without_tokens, without_near));
  append(rows, {
      row<D, &D::windows, &F::stop_words>({.name = "stop_words", .recorded = Recorded::if_set, .faces = 0}),
      row<D, &D::substrings>(
          {.name = "substrings", .kind = Kind::number, .unit = "BYTES", .help = "cut repeated ranges",
           .least = kMinSubstringLength, .most = kMaxSubstringLength, .number_words = {{"off"}}}),
  });
  append(rows, verbs::run::threshold_rows<D>(
      fmt::format("{}; {} for simhash", D{}.threshold, near_method_info(NearMethod::simhash).threshold), without_near));
  append(rows, {
      choice_row<D, auto_off, &D::templates>(
          {.name = "templates", .unit = "WHEN", .help = "leave out what many documents of a source share",
           .group = Group::fingerprint, .faces = kCommandLine | kPython | kSpark}, without_near),
  });
  append(rows, verbs::run::signature_rows<D>());
  append(rows, {
      row<D, &D::against_share>(
          {.name = "against_share", .kind = Kind::share, .unit = "SHARE",
           .help = "share of an item's tokens that must match, in order", .group = Group::input,
           .recorded = Recorded::if_used}, without_against),
      row<D, &D::against_passage>(
          {.name = "against_passage", .kind = Kind::number, .unit = "TOKENS",
           .help = "consecutive tokens of an item that are enough for a match", .least = 8,
           .most = verbs::dedup::kMostWhole, .group = Group::input, .recorded = Recorded::if_used}, without_against),
      row<D, &D::against_min>(
          {.name = "against_min", .kind = Kind::number, .unit = "TOKENS",
           .help = "minimum length of an item; shorter ones are not searched for", .least = 1, .group = Group::input,
           .recorded = Recorded::if_used}, without_against),
      choice_row<D, action_names, &D::against_action>(
          {.name = "against_action", .unit = "ACTION", .help = "what to do with documents that contain an item",
           .group = Group::input, .recorded = Recorded::if_used}, without_against),
      {{.name = "against", .kind = Kind::file, .unit = "INPUT", .help = "remove what contains an item of this set",
        .recorded = Recorded::never, .repeated = true},
       [](D& d, OptionValue&& value) { set_against(d, std::get<std::vector<std::string>>(value)); },
       [](const D& d) -> OptionValue { return d.against.paths; }},
      choice_row<D, format_names, &D::against, &InputOptions::format>(
          {.name = "against_format", .unit = "NAME", .default_text = "as `format`",
           .help = "format of the `against` set", .unlisted = 1, .group = Group::input, .recorded = Recorded::never},
          without_against),
      row<D, &D::against, &InputOptions::text_field>(
          {.name = "against_text_field", .python = "against_text", .kind = Kind::text, .unit = "NAME",
           .default_text = "as `text_field`", .help = "text field or column of the `against` set",
           .group = Group::input, .recorded = Recorded::never}, without_against),
      row<D, &D::against, &InputOptions::id_field>(
          {.name = "against_id_field", .python = "against_id", .kind = Kind::text, .unit = "NAME",
           .default_text = "0, 1, 2...", .help = "id field or column of the `against` set", .group = Group::input,
           .recorded = Recorded::never}, without_against),
      row<D, &D::known>({.name = "known", .kind = Kind::folder, .unit = "RUN",
                         .help = "also compare with what this earlier run kept", .recorded = Recorded::reported,
                         .repeated = true}),
      row<D, &D::library>({.name = "library", .kind = Kind::folder, .unit = "DIR",
                           .help = "the same with a library; what is kept joins it", .recorded = Recorded::reported}),
      row<D, &D::trust_signatures>(
          {.name = "trust_signatures", .help = "also remove what matches a known document whose text is gone",
           .group = Group::run, .recorded = Recorded::if_set}, without_libraries),
      row<D, &D::forget>({.name = "forget", .help = "leave no library for later runs with `known`", .group = Group::run,
                          .recorded = Recorded::if_set}),
      row<D, &D::distance>(
          {.name = "distance", .kind = Kind::number, .unit = "BITS",
           .help = "simhash: maximum number of differing bits", .most = 63, .group = Group::fingerprint},
          without_simhash),
      row<D, &D::close>({.name = "close", .kind = Kind::number, .faces = 0}),
      row<D, &D::short_bytes>({.name = "short_bytes", .kind = Kind::number, .faces = 0}),
      {{.name = "keep", .kind = Kind::text, .unit = "POLICY",
        .help = "first, longest, shortest, newest:FIELD, max:FIELD, min:FIELD or source:A,B,..."},
       [](D& d, OptionValue&& value) { d.keep = parse_keep_policy(std::get<std::string>(value)); },
       [](const D& d) -> OptionValue { return to_string(d.keep); }},
      row<D, &D::overrides>({.name = "overrides", .kind = Kind::file, .unit = "FILE",
                             .default_text = "none", .help = "obey these decisions of people",
                             .recorded = Recorded::reported}),
      row<D, &D::source_field>({.name = "source_field", .kind = Kind::text, .unit = "NAME", .default_text = "file",
                                .help = "field with a document's source", .group = Group::input}),
      row<D, &D::alarm>({.name = "alarm", .kind = Kind::percent, .unit = "SHARE",
                         .help = "report sources that lose more than this", .group = Group::run}),
      row<D, &D::max_removed_per_source>(
          {.name = "max_removed_per_source", .kind = Kind::percent, .unit = "SHARE",
           .help = "stop before writing anything if a source would lose more", .group = Group::run}),
      row<D, &D::sample>({.name = "sample", .kind = Kind::number, .unit = "N",
                          .help = "number of documents for the self-check", .group = Group::fingerprint},
                         without_near),
      row<D, &D::apply>({.name = "apply", .help = "also write the clean corpus"}),
      row<D, &D::read_back>({.name = "read_back", .help = "read the clean corpus back and verify it",
                             .group = Group::run, .recorded = Recorded::never}),
      row<D, &D::annotate>({.name = "annotate", .help = "also write all records with decisions"}),
      choice_row<D, attributes_names, &D::attributes>(
          {.name = "attributes", .unit = "NAME", .help = "also write attribute files for", .unlisted = 1,
           .group = Group::run}),
      verbs::run::tables_row<D>(),
      row<D, &D::resume>({.name = "resume", .help = "continue an interrupted run", .recorded = Recorded::never}),
      row<D, &D::force>({.name = "force", .help = "write into an existing folder", .recorded = Recorded::never}),
  });
  return rows;
}
// clang-format on

}  // namespace

template <>
std::span<const Option<DedupOptions>> option_table() {
  static const std::vector<Option<D>> rows = make_rows();
  return rows;
}

}  // namespace refrain
