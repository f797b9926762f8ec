// The table of flags: one row a flag.
//
// A row feeds the parser, the help screens, the man page and shell completion; nothing else knows a flag by name.
// Whoever adds a flag adds a row in flags.cc and a field to Settings. Two rows may share a name where no verb takes
// both, so that one flag can be described differently to different verbs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/table/verbs.h"
#include "refrain/dedup.h"
#include "refrain/device.h"
#include "refrain/fingerprint.h"
#include "refrain/index.h"
#include "refrain/input.h"
#include "refrain/ngrams.h"
#include "refrain/substrings.h"

namespace refrain::cli {

// How rows are printed: for machines, or for people.
enum class Rows { jsonl, text, tsv };

// What the command line said, and only that: what was not given is empty, so that a preset can be told from a choice.
// options.h turns this into the options of a verb.
struct Settings {
  std::vector<std::string> operands;
  bool help = false;
  bool version = false;

  std::string output;
  std::optional<unsigned> distance;
  std::optional<unsigned> blocks;
  bool all_pairs = false;
  bool verify = false;
  std::optional<std::uint64_t> length;
  std::optional<std::uint64_t> min_count;
  std::optional<Snap> snap;
  std::optional<Keep> keep;
  std::optional<bool> exact;
  std::optional<NearMethod> near;
  std::optional<double> threshold;
  std::optional<std::uint32_t> max_loss;
  std::optional<bool> templates;
  std::vector<std::string> against;
  std::optional<std::uint64_t> against_min;
  std::optional<double> against_share;
  std::optional<std::uint64_t> against_passage;
  std::optional<AgainstAction> against_action;
  std::optional<Format> against_format;
  std::optional<std::string> against_text_field;
  std::optional<std::string> against_id_field;
  std::vector<std::string> known;
  std::string library;
  bool trust_signatures = false;
  bool forget = false;
  std::optional<KeepPolicy> policy;
  std::optional<std::string> source_field;
  std::optional<double> alarm;
  std::optional<double> max_removed_per_source;
  std::optional<std::uint64_t> sample;
  bool annotate = false;
  Attributes attributes = Attributes::none;
  bool resume = false;
  bool groups = false;
  bool apply = false;
  bool until_clean = false;
  std::string text_csv;
  std::string ids;
  std::vector<std::string> sources;
  bool force = false;
  bool all = false;
  bool add = false;
  std::vector<std::string> in;
  std::string run;

  std::optional<unsigned> n;
  std::optional<unsigned> m;
  std::optional<NgramAlgorithm> algorithm;
  std::optional<NgramSort> sort;
  std::optional<std::uint64_t> limit;

  std::optional<BlotKind> blots;
  std::optional<BlotSampling> sampling;
  std::optional<unsigned> interleave;
  std::optional<unsigned> blot_bits;
  std::optional<unsigned> shards;
  bool store_text = false;
  bool replace = false;
  std::optional<std::uint64_t> min_tokens;
  std::optional<unsigned> max_gap;
  std::optional<Edits> edits;
  std::optional<double> noise;
  std::optional<std::uint64_t> min_documents;
  std::optional<std::uint64_t> max_documents;
  std::optional<std::uint64_t> max_occurrences;
  std::vector<std::string> exclude;
  std::string cursor;
  std::optional<std::string> id;
  Rows rows = Rows::jsonl;
  bool no_text = false;
  bool self = false;
  std::vector<std::string> with;
  std::string pairs;
  bool raw = false;
  std::vector<std::string> unblot;
  bool repair = false;

  std::optional<std::string> listen;
  std::string token_file;
  bool token_for_reads = false;
  std::optional<unsigned> max_connections;

  std::vector<std::string_view> input_flags;  // those of Group::input that were given, each once
  Format format = Format::automatic;
  std::optional<std::string> text_field;
  std::optional<std::string> id_field;
  std::optional<std::string> delimiter;
  std::optional<std::string> charset;
  std::optional<std::uint64_t> max_doc_bytes;
  bool binary = false;
  bool as_is = false;
  std::optional<HtmlPart> html;
  std::optional<bool> normalize;
  bool comments = false;
  bool strict = false;
  bool skip_unreadable = false;
  bool read_back = false;

  std::string preset;
  std::optional<TokenizerKind> tokenizer;
  std::optional<HashKind> hash;
  std::optional<unsigned> window;
  std::optional<std::uint64_t> seed;
  std::optional<bool> tie;
  std::string stop_words;

  std::optional<std::uint64_t> memory;
  std::optional<unsigned> threads;
  std::string temp_dir;
  std::optional<DeviceKind> device;
  std::optional<std::uint64_t> device_memory;
  bool quiet = false;
  bool json = false;
};

// What a value must be, which is also what completion offers.
enum class Kind {
  toggle,  // no value
  text,
  number,  // a whole number from `least` to `most`
  share,   // of a whole: 0.8 or 80%
  size,    // bytes, with K, M, G or T; from `least`
  choice,  // one of choices()
  file,    // a file, or one of choices() where there are any
  folder,
};

// The heading under which help shows a flag.
enum class Group { verb, input, fingerprint, run, program };
std::string_view heading(Group group);

// A value that has passed the checks of its kind.
struct Value {
  std::string_view text;
  std::uint64_t number = 0;  // of a number or size; of a choice, its place in choices()
  double share = 0;
};

struct Flag {
  std::string_view name;  // without the dashes
  char letter = 0;        // 0: none
  Kind kind = Kind::toggle;
  std::string_view metavar = {};  // names the unit: BITS, SIZE, N
  std::string_view default_text = {};
  std::string_view description;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  bool may_be_off = false;  // a number: "off" is 0
  std::vector<std::string_view> (*choices)() = nullptr;
  VerbSet verbs;
  Group group;
  bool required = false;
  void (*store)(Settings&, const Value&);
};

std::span<const Flag> flags();

// The flags of one verb, in the order of the table.
std::vector<const Flag*> flags_of(Verb verb);

// "0 to 63", "at least 64M", "files, lines, jsonl"; empty where anything goes.
std::string allowed(const Flag& flag);

}  // namespace refrain::cli
