#include "options.h"

#include <nanobind/stl/filesystem.h>

#include <algorithm>

#include "documents.h"
#include "refrain/error.h"
#include "refrain/survey.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

const std::vector<std::string_view> kFormats = {"auto", "files", "lines",   "jsonl", "csv",
                                                "tsv",  "warc",  "parquet", "json",  "mbox"};
const std::vector<std::string_view> kHtmlParts = {"main", "text", "raw"};

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

void read_delimiter(Arguments& arguments, char& delimiter) {
  std::string text;
  if (!arguments.read("delimiter", text)) return;
  if (text == "tab") text = "\t";
  if (text.size() != 1) throw Error(Errc::invalid_argument, "--delimiter: give one character, such as ';', or tab");
  delimiter = text[0];
}

DeviceOptions device_options(Arguments& arguments) {
  DeviceOptions options;
  arguments.read_name("device", device_names(), options.kind);
  arguments.read_size("device_memory", options.memory_bytes);
  return options;
}

Preset preset_of(Arguments& arguments) {
  std::string name;
  if (!arguments.read("preset", name)) return {};
  place_of_name("--preset", name, preset_names());
  return *preset(name);
}

void read_windows(Arguments& arguments, FingerprintOptions& windows) {
  read_tokenizer(arguments, windows.tokenizer);
  arguments.read("window", windows.window);
  arguments.read("seed", windows.seed);
}

void read_max_loss(Arguments& arguments, std::uint32_t& max_loss) {
  const nb::object value = arguments.take("max_loss");
  if (nb::isinstance<nb::str>(value)) {
    place_of_name("--max-loss", nb::cast<std::string>(value), {"any"});
    max_loss = kAnyLoss;
  } else {
    arguments.read("max_loss", max_loss);
  }
}

void read_substrings(Arguments& arguments, std::size_t& length) {
  const nb::object value = arguments.take("substrings");
  if (nb::isinstance<nb::str>(value)) {
    place_of_name("--substrings", nb::cast<std::string>(value), {"off"});
    length = 0;
  } else {
    arguments.read("substrings", length);
  }
}

void read_against(Arguments& arguments, DedupOptions& options) {
  const nb::object against = arguments.take("against");
  if (nb::isinstance<Documents>(against)) {
    options.against.documents = nb::cast<const Documents&>(against).stream();
  } else if (!against.is_none()) {
    options.against = options.input;
    options.against.documents = nullptr;
    options.against.paths = nb::cast<std::vector<std::string>>(against);
    options.against.id_field.clear();
    options.against.id_optional = false;
  }
  arguments.read_name("against_format", kFormats, options.against.format);
  arguments.read("against_text", options.against.text_field);
  arguments.read("against_id", options.against.id_field);
  arguments.read("against_min", options.against_min);
  arguments.read("against_share", options.against_share);
  arguments.read("against_passage", options.against_passage);
  arguments.read_name("against_action", {"remove", "mark"}, options.against_action);
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
  arguments.read_size("max_doc_bytes", options.max_doc_bytes);
  arguments.read("strict", options.strict);
  if (nb::isinstance<Documents>(input)) {
    options.documents = nb::cast<const Documents&>(input).stream();
    return options;
  }
  options.paths = nb::cast<std::vector<std::string>>(input);
  arguments.read("text", options.text_field);
  arguments.read("id", options.id_field);
  arguments.read_name("format", kFormats, options.format);
  read_delimiter(arguments, options.delimiter);
  arguments.read("charset", options.charset);
  arguments.read("binary", options.binary);
  arguments.read_name("html", kHtmlParts, options.html);
  arguments.read("as_is", options.as_is);
  arguments.read("skip_unreadable", options.skip_unreadable);
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
    place_of_name("--stop-words", nb::cast<std::string>(words), {"english"});
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
  std::string name;
  if (arguments.read("preset", name)) options = dedup_preset(name);
  options.input = input_options(arguments, input, options.input.html);
  arguments.read_switch("exact", "on", "off", options.exact);
  read_windows(arguments, options.windows);
  const NearMethod before = options.near;
  arguments.read_name("near", near_method_names(), options.near);
  if (options.near != before && options.near != NearMethod::off)
    options.threshold = near_method_info(options.near).threshold;
  arguments.read("threshold", options.threshold);
  read_max_loss(arguments, options.max_loss);
  arguments.read_switch("templates", "auto", "off", options.templates);
  arguments.read("distance", options.distance);
  read_substrings(arguments, options.substrings);
  read_against(arguments, options);
  if (std::string policy; arguments.read("keep", policy)) options.keep = parse_keep_policy(policy);
  arguments.read("source_field", options.source_field);
  arguments.read("alarm", options.alarm);
  arguments.read("max_removed_per_source", options.max_removed_per_source);
  arguments.read("sample", options.sample);
  options.device = device_options(arguments);
  arguments.read("known", options.known);
  arguments.read("library", options.library);
  arguments.read("trust_signatures", options.trust_signatures);
  arguments.read("forget", options.forget);
  arguments.read("output", options.output);
  arguments.read("apply", options.apply);
  arguments.read("read_back", options.read_back);
  arguments.read("annotate", options.annotate);
  arguments.read_name("attributes", {"none", "dolma"}, options.attributes);
  arguments.read("resume", options.resume);
  arguments.read("force", options.force);
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

}  // namespace refrain::python
