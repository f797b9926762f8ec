#include "verbs/dedup/state/run.h"

#include <fmt/format.h>

#include <iterator>

#include "base/threads.h"
#include "engines/sketch/minhash.h"
#include "refrain/version.h"
#include "verbs/run/input_identity.h"

namespace refrain::verbs::dedup {

namespace {

// All that the answer depends on.
std::string identity(const DedupOptions& options) {
  const FingerprintOptions& windows = options.windows;
  std::string text = fmt::format(
      "refrain dedup {}\nfingerprint {} minhash {}\nexact {}\nnear {}\ntokenizer {}\nhash {}\nwindow {}\nseed "
      "{}\nthreshold {}\n"
      "recall {}\nlanes {}\ndistance {} close {} short {}\nsubstrings {}\nkeep {}\nsource_field {}\nalarm "
      "{}\nmax_removed {}\nsample "
      "{}\napply "
      "{}\nannotate {}\nattributes {}\n",
      kVersion, kFingerprintVersion, kMinHashVersion, options.exact, static_cast<int>(options.near),
      static_cast<int>(windows.tokenizer), static_cast<int>(windows.hash), windows.window, windows.seed,
      options.threshold, options.recall, options.lanes, options.distance, options.close, options.short_bytes,
      options.substrings, to_string(options.keep), options.source_field, options.alarm, options.max_removed_per_source,
      options.sample, options.apply, options.annotate, static_cast<int>(options.attributes));
  const InputOptions& input = options.input;
  fmt::format_to(std::back_inserter(text),
                 "format {}\ntext_field {}\nid_field {}\nmax_doc_bytes {}\nbinary {}\nstrict {}\n",
                 static_cast<int>(input.format), input.text_field, input.id_field, input.max_doc_bytes, input.binary,
                 input.strict);
  for (const std::string& word : windows.stop_words) text += "stop_word " + word + "\n";
  const InputOptions& against = options.against;
  if (!against.paths.empty())
    fmt::format_to(std::back_inserter(text),
                   "against min {} share {} passage {} action {}\nformat {}\ntext_field {}\nid_field {}\n{}",
                   options.against_min, options.against_share, options.against_passage,
                   static_cast<int>(options.against_action), static_cast<int>(against.format), against.text_field,
                   against.id_field, run::input_identity(against));
  return text + run::input_identity(input);
}

}  // namespace

DedupRun::DedupRun(const DedupOptions& options_in, const Context& context_in)
    : options(options_in),
      context(context_in),
      threads(thread_count(context_in)),
      budget(context_in),
      temp(context_in),
      dir({.target = options_in.output,
           .verb = "dedup",
           .identity = identity(options_in),
           .resume = options_in.resume,
           .force = options_in.force,
           .outputs = {"decisions.jsonl", "matches.tsv", "clusters.tsv", "substring_bytes.tsv", "against.jsonl",
                       "clean", "annotated", "attributes", "report.html"}},
          budget) {
  report.threads = threads;
  report.memory_bytes = budget.ceiling();
}

Ranks DedupRun::ranks() {
  if (options.keep.rank == Rank::first) return {budget, documents()};
  return {budget, run::load_column<std::uint64_t>(dir.work("keys"), budget, "what documents are ranked by")};
}

std::string band_name(unsigned band) {
  return fmt::format("bands.{}", band);
}

}  // namespace refrain::verbs::dedup

namespace refrain {

std::string_view reason_name(Reason reason) {
  static constexpr std::string_view kNames[] = {"none", "exact", "near", "substring", "against"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace refrain
