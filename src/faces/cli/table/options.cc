#include "faces/cli/table/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "refrain/error.h"

namespace refrain::cli {

Error cannot_read(const std::string& name, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR || error == EISDIR;
  const char* const why = std::strerror(error);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
  return {missing ? Errc::not_found : Errc::io, fmt::format("{}: cannot read: {}", name, why)};
}

namespace {

// Reads words separated by white space. A file of more than a few megabytes is not a list of stop words.
std::vector<std::string> read_words(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  std::ifstream file(path);
  std::vector<std::string> words;
  std::size_t bytes = 0;
  for (std::string word; file >> word; words.push_back(word)) {
    bytes += word.size() + 1;
    if (bytes > kMostBytes) {
      throw Error(Errc::invalid_argument, fmt::format("{}: more than 16 MiB of stop words; use a shorter list", path));
    }
  }
  // A folder can be opened, but fails when it is read. The end of a file is not a failure.
  if (!file.eof()) {
    throw cannot_read(path, errno);
  }
  return words;
}

}  // namespace

std::optional<OptionValue> given_value(const Settings& settings, const OptionInfo& option) {
  const auto given = settings.given.find(option.name);
  if (given == settings.given.end()) return std::nullopt;
  if (option.kind != Kind::words) return given->second;
  const auto& name = std::get<std::string>(given->second);
  const std::vector<std::string_view> lists = option.choices();
  return std::ranges::find(lists, name) == lists.end() ? OptionValue(read_words(name)) : OptionValue(name);
}

InputOptions input_options(const Settings& settings, std::vector<std::string> paths, const InputOptions& defaults) {
  InputOptions options = given_options(settings, defaults);
  options.paths = std::move(paths);
  if (options.id_field == "none") options.id_field.clear();
  return options;
}

void refuse_input_flags(const Settings& settings, std::string_view why) {
  std::vector<std::string_view> names;
  for (const Flag* flag : settings.flags)
    if (flag->group == Group::input) names.push_back(flag->name);
  if (!names.empty())
    throw Error(Errc::invalid_argument, fmt::format("{}; remove --{}", why, fmt::join(names, ", --")));
}

DedupOptions dedup_options(const Settings& settings) {
  const auto refuse = [&](std::string_view option, const char* why) {
    if (settings.has(option)) refuse_idle({.name = option}, why);
  };
  DedupOptions options;
  options.input = input_options(settings, settings.operands, options.input);
  options = given_options(settings, std::move(options));
  options.device = given_options<DeviceOptions>(settings);
  if (options.near == NearMethod::off) refuse("device", "with `near` off");
  for (const char* page_option : {"html", "compare"}) {
    if (options.input.as_is) refuse(page_option, "with `as_is`");
    if (options.substrings != 0) refuse(page_option, "with `substrings`");
  }
  return options;
}

NearOptions near_options(const Settings& settings) {
  auto options = reading_options<NearOptions>(settings);
  options.device = given_options<DeviceOptions>(settings);
  return options;
}

MatchOptions match_options(const Settings& settings) {
  MatchOptions options = given_options<MatchOptions>(settings);
  options.stored = settings.operands.at(0);
  if (settings.operands.size() > 1) options.queries = settings.operands[1];
  return options;
}

ExplainOptions explain_options(const Settings& settings) {
  if (settings.operands.size() != 2)
    throw Error(Errc::invalid_argument, "'explain' needs A and B, or --run DIR and the ID of a document in it");
  auto options = given_options<ExplainOptions>(settings);
  options.a = settings.operands.at(0);
  options.b = settings.operands.at(1);
  options.input = input_options(settings, settings.in);
  // Without --in, A and B are files, which have neither records nor fields.
  const InputOptions plain;
  if (settings.in.empty() && (options.input.format != plain.format || options.input.text_name() != plain.text_name() ||
                              options.input.id_field != plain.id_field))
    throw Error(Errc::invalid_argument,
                "--format, --text-field and --id-field apply to records; name their file with --in");
  return options;
}

StoryOptions story_options(const Settings& settings) {
  if (settings.operands.size() != 1)
    throw Error(Errc::invalid_argument, "--run: takes the id of one document; remove the rest");
  const bool windows = std::ranges::find(settings.flags, Group::fingerprint, &Flag::group) != settings.flags.end();
  if (windows || !settings.in.empty() || settings.has("format") || settings.has("text_field") ||
      settings.has_any({"id_field", "distance", "threshold", "max_loss"}))
    throw Error(Errc::invalid_argument,
                "--run: the run records its inputs and options; remove --in and the flags of inputs and comparisons");
  return {.run = settings.run, .id = settings.operands.front()};
}

}  // namespace refrain::cli
