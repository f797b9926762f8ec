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

// Words between white space. More than a few megabytes are no list of stop words.
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
  // A folder opens, and fails when it is read; the end of a file is no failure.
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

TokenizerKind chosen_tokenizer(const Settings& settings, TokenizerKind otherwise) {
  const TokenizerKind tokenizer = with_comments(settings.tokenizer.value_or(otherwise), settings.comments);
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

char delimiter_of(const std::string& text) {
  const char delimiter = text == "tab" ? '\t' : text.size() == 1 ? text.front() : '\0';
  if (delimiter != 0 && delimiter != '"' && delimiter != '\n' && delimiter != '\r' && (delimiter & 0x80) == 0)
    return delimiter;
  throw Error(Errc::invalid_argument, fmt::format("--delimiter '{}': give one character, such as ';', or tab", text));
}

char lower(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

InputOptions input_options(const Settings& settings, std::vector<std::string> paths) {
  InputOptions options;
  options.paths = std::move(paths);
  options.format = settings.format;
  if (settings.text_field) options.text_field = *settings.text_field;
  if (settings.id_field && *settings.id_field != "none") options.id_field = *settings.id_field;
  if (settings.delimiter) options.delimiter = delimiter_of(*settings.delimiter);
  if (settings.charset) {
    options.charset = *settings.charset;
    std::ranges::transform(options.charset, options.charset.begin(), lower);
  }
  if (settings.max_doc_bytes) options.max_doc_bytes = *settings.max_doc_bytes;
  options.binary = settings.binary;
  options.as_is = settings.as_is;
  options.html = settings.html.value_or(options.html);
  options.strict = settings.strict;
  options.skip_unreadable = settings.skip_unreadable;
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

DeviceOptions device_options(const Settings& settings) {
  DeviceOptions options;
  options.kind = settings.device.value_or(options.kind);
  options.memory_bytes = settings.device_memory.value_or(0);
  if (options.kind == DeviceKind::cpu)
    refuse_idle(settings.device_memory.has_value(), "--device-memory", "without --device");
  return options;
}

// A flag that would do nothing is a slip, or a belief that is wrong.
void refuse_idle_flags(const Settings& settings, const DedupOptions& options) {
  if (!near_method_info(options.near).uses_distance)
    refuse_idle(settings.distance.has_value(), "--distance", "without --near simhash");
  if (options.near == NearMethod::off) {
    constexpr std::string_view kOff = "with --near off";
    refuse_idle(settings.threshold.has_value(), "--threshold", kOff);
    refuse_idle(settings.max_loss.has_value(), "--max-loss", kOff);
    refuse_idle(settings.templates.has_value(), "--templates", kOff);
    refuse_idle(settings.normalize && settings.against.empty(), "--normalize", kOff);
    refuse_idle(settings.sample.has_value(), "--sample", kOff);
    refuse_idle(settings.window.has_value(), "--window", kOff);
    refuse_idle(settings.seed.has_value(), "--seed", kOff);
    refuse_idle(settings.tokenizer && settings.against.empty(), "--tokenizer", kOff);
    refuse_idle(settings.comments && settings.against.empty(), "--comments", kOff);
    refuse_idle(settings.device.has_value(), "--device", kOff);
  }
  refuse_idle(settings.html && settings.as_is, "--html", "with --as-is");
  refuse_idle(settings.html && options.substrings != 0, "--html", "with --substrings");
  if (settings.known.empty() && settings.library.empty())
    refuse_idle(settings.trust_signatures, "--trust-signatures", "without --known or --library");
  if (!settings.against.empty()) return;
  constexpr std::string_view kAlone = "without --against";
  refuse_idle(settings.against_format.has_value(), "--against-format", kAlone);
  refuse_idle(settings.against_text_field.has_value(), "--against-text-field", kAlone);
  refuse_idle(settings.against_id_field.has_value(), "--against-id-field", kAlone);
  refuse_idle(settings.against_min.has_value(), "--against-min", kAlone);
  refuse_idle(settings.against_share.has_value(), "--against-share", kAlone);
  refuse_idle(settings.against_passage.has_value(), "--against-passage", kAlone);
  refuse_idle(settings.against_action.has_value(), "--against-action", kAlone);
}

}  // namespace

DedupOptions dedup_options(const Settings& settings) {
  DedupOptions options = settings.preset.empty() ? DedupOptions{} : dedup_preset(settings.preset);
  const HtmlPart html = settings.html.value_or(options.input.html);
  options.input = input_options(settings, settings.operands);
  options.input.html = html;
  options.output = settings.output;
  options.exact = settings.exact.value_or(options.exact);
  options.windows.tokenizer = chosen_tokenizer(settings, options.windows.tokenizer);
  if (settings.window) options.windows.window = *settings.window;
  if (settings.seed) options.windows.seed = *settings.seed;
  // A preset's threshold is that of its own method.
  if (const NearMethod method = settings.near.value_or(options.near);
      method != options.near && method != NearMethod::off)
    options.threshold = near_method_info(method).threshold;
  options.near = settings.near.value_or(options.near);
  options.threshold = settings.threshold.value_or(options.threshold);
  options.max_loss = settings.max_loss.value_or(options.max_loss);
  options.templates = settings.templates.value_or(options.templates);
  options.against = input_options(settings, settings.against);
  options.against.format = settings.against_format.value_or(settings.format);
  if (settings.against_text_field) options.against.text_field = *settings.against_text_field;
  options.against.id_field = settings.against_id_field.value_or("");
  options.against_min = settings.against_min.value_or(options.against_min);
  options.against_share = settings.against_share.value_or(options.against_share);
  options.against_passage = settings.against_passage.value_or(options.against_passage);
  options.against_action = settings.against_action.value_or(options.against_action);
  options.distance = settings.distance.value_or(options.distance);
  options.substrings = settings.length.value_or(options.substrings);
  options.known.assign(settings.known.begin(), settings.known.end());
  options.library = settings.library;
  options.trust_signatures = settings.trust_signatures;
  options.forget = settings.forget;
  if (settings.policy) options.keep = *settings.policy;
  options.source_field = settings.source_field.value_or(options.source_field);
  options.alarm = settings.alarm.value_or(options.alarm);
  options.max_removed_per_source = settings.max_removed_per_source.value_or(options.max_removed_per_source);
  options.sample = settings.sample.value_or(options.sample);
  options.apply = settings.apply;
  options.read_back = settings.read_back;
  options.annotate = settings.annotate;
  options.attributes = settings.attributes;
  options.resume = settings.resume;
  options.force = settings.force;
  options.device = device_options(settings);
  refuse_idle_flags(settings, options);
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
  // A preset's blocks serve its own distance; with a greater one they may not do.
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
  // Without --in the two are files, and those have neither records nor fields.
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
  if (!settings.in.empty() || settings.format != Format::automatic || settings.text_field || settings.id_field ||
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
