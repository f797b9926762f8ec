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

void refuse_idle(bool given, std::string_view flag, std::string_view why) {
  if (given) throw Error(Errc::invalid_argument, fmt::format("{}: has no effect {}; remove it", flag, why));
}

// Sets the options that were given. Refuses flags that would do nothing, which are slips or rest on a misunderstanding.
template <class Options>
Options given_options(const Settings& settings, Options options = {}) {
  set_options(option_table<Options>(), options, [&](const OptionInfo& info) -> std::optional<OptionValue> {
    const auto given = settings.given.find(info.name);
    if (given == settings.given.end()) return std::nullopt;
    if (info.kind != Kind::words) return given->second;
    const auto& name = std::get<std::string>(given->second);
    const std::vector<std::string_view> lists = info.choices();
    return std::ranges::find(lists, name) == lists.end() ? OptionValue(read_words(name)) : OptionValue(name);
  });
  for (const Option<Options>& option : option_table<Options>())
    if (option.idle != nullptr && settings.has(option.info.name))
      if (const std::string why = option.idle(options); !why.empty())
        refuse_idle(true, flag_spelling(option.info.name), why);
  return options;
}

}  // namespace

FingerprintOptions fingerprint_options(const Settings& settings) {
  return given_options<FingerprintOptions>(settings);
}

TokenizerKind chosen_tokenizer(const Settings& settings, TokenizerKind default_tokenizer) {
  const TokenizerKind tokenizer = with_comments(settings.tokenizer.value_or(default_tokenizer), settings.comments);
  if (settings.comments && tokenizer == with_comments(tokenizer, false))
    throw Error(
        Errc::invalid_argument,
        fmt::format("--comments: only code has comments, not --tokenizer {}; use --tokenizer code or code-kinds",
                    tokenizer_names()[static_cast<std::size_t>(tokenizer)]));
  if (!settings.normalize) return tokenizer;
  const bool words = tokenizer == TokenizerKind::words || tokenizer == TokenizerKind::words_nfkc;
  if (words) return *settings.normalize ? TokenizerKind::words_nfkc : TokenizerKind::words;
  if (*settings.normalize)
    throw Error(Errc::invalid_argument, fmt::format("--normalize nfkc: only words are normalized, not --tokenizer {}",
                                                    tokenizer_names()[static_cast<std::size_t>(tokenizer)]));
  return tokenizer;
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
  DedupOptions options;
  options.input = input_options(settings, settings.operands, options.input);
  options = given_options(settings, std::move(options));
  options.device = given_options<DeviceOptions>(settings);
  if (options.near == NearMethod::off) refuse_idle(settings.has("device"), "--device", "with --near off");
  for (const char* page_option : {"html", "compare"}) {
    if (options.input.as_is) refuse_idle(settings.has(page_option), flag_spelling(page_option), "with --as-is");
    if (options.substrings != 0)
      refuse_idle(settings.has(page_option), flag_spelling(page_option), "with --substrings");
  }
  return options;
}

NearOptions near_options(const Settings& settings) {
  NearOptions options = given_options<NearOptions>(settings);
  options.input = input_options(settings, settings.operands);
  options.device = given_options<DeviceOptions>(settings);
  return options;
}

SubstringsOptions substrings_options(const Settings& settings) {
  SubstringsOptions options;
  options.input = input_options(settings, settings.operands);
  options.output = settings.output;
  options.length = settings.length.value_or(options.length);
  options.min_count = settings.min_count.value_or(options.min_count);
  options.snap = settings.snap.value_or(options.snap);
  options.keep = settings.keep.value_or(options.keep);
  options.groups = settings.groups;
  options.apply = settings.apply;
  options.until_clean = settings.until_clean;
  options.text_csv = settings.text_csv;
  options.ids = settings.ids;
  options.force = settings.force;
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
  ExplainOptions options;
  options.a = settings.operands.at(0);
  options.b = settings.operands.at(1);
  options.input = input_options(settings, settings.in);
  options.fingerprint = fingerprint_options(settings);
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
      settings.has("id_field") || settings.has("distance"))
    throw Error(Errc::invalid_argument,
                "--run: the run records its inputs and windows; remove --in and the input and fingerprint flags");
  return {.run = settings.run, .id = settings.operands.front()};
}

NgramsOptions ngrams_options(const Settings& settings) {
  NgramsOptions options;
  options.input = input_options(settings, settings.operands);
  options.output = settings.output;
  options.force = settings.force;
  if (settings.n) options.n = *settings.n;
  if (settings.m) options.m = *settings.m;
  options.tokenizer = chosen_tokenizer(settings, options.tokenizer);
  if (settings.algorithm) options.algorithm = *settings.algorithm;
  return options;
}

NgramsShowOptions ngrams_show_options(const Settings& settings) {
  NgramsShowOptions options;
  options.index = settings.operands.at(0);
  if (settings.sort) options.sort = *settings.sort;
  options.limit = settings.limit;
  return options;
}

unsigned near_distance(const Settings& settings) {
  return given_options<NearOptions>(settings).distance;
}

Context run_context(const Settings& settings) {
  Context context;
  context.memory_bytes = settings.memory.value_or(0);
  context.threads = settings.threads.value_or(0);
  context.temp_dir = settings.temp_dir;
  return context;
}

}  // namespace refrain::cli
