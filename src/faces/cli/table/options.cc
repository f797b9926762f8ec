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

namespace {

Preset preset_of(const Settings& settings) {
  return settings.preset.empty() ? Preset{} : preset(settings.preset).value_or(Preset{});
}

}  // namespace

Error cannot_read(const std::string& name, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR || error == EISDIR;
  const char* const why = std::strerror(error);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
  return {missing ? Errc::not_found : Errc::io, fmt::format("{}: cannot read: {}", name, why)};
}

namespace {

// Reads words separated by white space. A file of more than a few megabytes is not a list of stop words.
std::vector<std::string> read_stop_words(const std::string& path) {
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

FingerprintOptions fingerprint_options(const Settings& settings) {
  FingerprintOptions options = preset_of(settings).fingerprint;
  options.tokenizer = chosen_tokenizer(settings, options.tokenizer);
  if (settings.hash) options.hash = *settings.hash;
  if (settings.window) options.window = *settings.window;
  if (settings.seed) options.seed = *settings.seed;
  if (settings.tie) options.tie_sets_bit = *settings.tie;
  if (settings.stop_words == "english") {
    options.stop_words = english_stop_words();
  } else if (!settings.stop_words.empty()) {
    options.stop_words = read_stop_words(settings.stop_words);
  }
  return options;
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

namespace {

// Sets what the command line gave of the options in a table, in the order of the table.
template <class Options>
void set_options(std::span<const Option<Options>> table, const Settings& settings, Options& options) {
  for (const Option<Options>& option : table)
    if (const auto given = settings.given.find(option.info.name); given != settings.given.end())
      option.set(options, given->second);
}

}  // namespace

InputOptions input_options(const Settings& settings, std::vector<std::string> paths, const InputOptions& defaults) {
  InputOptions options = defaults;
  options.paths = std::move(paths);
  set_options(input_option_table(), settings, options);
  if (options.id_field == "none") options.id_field.clear();
  return options;
}

void refuse_input_flags(const Settings& settings, std::string_view why) {
  if (settings.input_flags.empty()) return;
  throw Error(Errc::invalid_argument, fmt::format("{}; remove --{}", why, fmt::join(settings.input_flags, ", --")));
}

namespace {

void refuse_idle(bool given, std::string_view flag, std::string_view why) {
  if (given) throw Error(Errc::invalid_argument, fmt::format("{}: has no effect {}; remove it", flag, why));
}

// A flag that would do nothing is a slip, or rests on a misunderstanding.
template <class Options>
void refuse_idle_flags(std::span<const Option<Options>> table, const Settings& settings, const Options& options) {
  for (const Option<Options>& option : table)
    if (option.idle != nullptr && settings.has(option.info.name))
      if (const std::string why = option.idle(options); !why.empty())
        refuse_idle(true, flag_spelling(option.info.name), why);
}

DeviceOptions device_options(const Settings& settings) {
  DeviceOptions options;
  set_options(device_option_table(), settings, options);
  refuse_idle_flags(device_option_table(), settings, options);
  return options;
}

}  // namespace

DedupOptions dedup_options(const Settings& settings) {
  DedupOptions options;
  options.input = input_options(settings, settings.operands, options.input);
  set_options(dedup_option_table(), settings, options);
  options.device = device_options(settings);
  refuse_idle_flags(dedup_option_table(), settings, options);
  if (options.near == NearMethod::off) refuse_idle(settings.has("device"), "--device", "with --near off");
  for (const char* page_option : {"html", "compare"}) {
    if (options.input.as_is) refuse_idle(settings.has(page_option), flag_spelling(page_option), "with --as-is");
    if (options.substrings != 0)
      refuse_idle(settings.has(page_option), flag_spelling(page_option), "with --substrings");
  }
  return options;
}

NearOptions near_options(const Settings& settings) {
  NearOptions options;
  options.input = input_options(settings, settings.operands);
  options.fingerprint = fingerprint_options(settings);
  options.output = settings.output;
  options.verify = settings.verify;
  if (!options.verify) refuse_idle(settings.threshold.has_value(), "--threshold", "without --verify");
  options.threshold = settings.threshold.value_or(options.threshold);
  options.distance = near_distance(settings);
  // The blocks of a preset suit its own distance, and may not suit a greater one.
  const unsigned preset_blocks = preset_of(settings).blocks;
  options.blocks = settings.blocks.value_or(preset_blocks > options.distance ? preset_blocks : 0);
  options.all_pairs = settings.all_pairs;
  options.force = settings.force;
  options.device = device_options(settings);
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
  MatchOptions options;
  options.stored = settings.operands.at(0);
  if (settings.operands.size() > 1) options.queries = settings.operands[1];
  options.distance = settings.distance.value_or(options.distance);
  options.all = settings.all;
  options.add = settings.add;
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
  if (!settings.in.empty() || settings.has("format") || settings.has("text_field") || settings.has("id_field") ||
      settings.distance || !settings.preset.empty() || settings.tokenizer || settings.comments || settings.hash ||
      settings.window || settings.seed || settings.tie || !settings.stop_words.empty())
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
  if (settings.distance) return *settings.distance;
  if (!settings.preset.empty()) return preset_of(settings).distance;
  return settings.verify ? kVerifiedDistance : kNearDistance;
}

Context run_context(const Settings& settings) {
  Context context;
  context.memory_bytes = settings.memory.value_or(0);
  context.threads = settings.threads.value_or(0);
  context.temp_dir = settings.temp_dir;
  return context;
}

}  // namespace refrain::cli
