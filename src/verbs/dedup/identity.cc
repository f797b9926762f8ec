#include "verbs/dedup/identity.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "refrain/version.h"
#include "verbs/dedup/known/libraries.h"
#include "verbs/run/input_identity.h"

namespace refrain::verbs::dedup {

std::string identity(const DedupOptions& options, const NearFinder* near) {
  const FingerprintOptions& windows = options.windows;
  std::string text =
      fmt::format("refrain dedup {}\nfingerprint {}\nexact {}\nnear {}\n", kVersion,
                  fingerprint_version(windows.tokenizer), options.exact, near_method_info(options.near).name);
  const auto add = [&]<class... T>(fmt::format_string<T...> format, T&&... values) {
    text += fmt::format(format, std::forward<T>(values)...);
  };
  if (near != nullptr) text += near->identity();
  add("tokenizer {}\nhash {}\nwindow {}\nseed {}\nthreshold {}\nmax_loss {}\n", static_cast<int>(windows.tokenizer),
      static_cast<int>(windows.hash), windows.window, windows.seed, options.threshold, options.max_loss);
  add("templates {}\n", options.templates);
  for (const std::string& word : windows.stop_words) add("stop_word {}\n", word);
  add("substrings {}\nkeep {}\nsource_field {}\nalarm {}\nmax_removed {}\nsample {}\n", options.substrings,
      to_string(options.keep), options.source_field, options.alarm, options.max_removed_per_source, options.sample);
  add("apply {}\nannotate {}\nattributes {}\n", options.apply, options.annotate, static_cast<int>(options.attributes));
  const InputOptions& input = options.input;
  add("format {}\ntext_field {}\nid_field {}\nmax_doc_bytes {}\nbinary {}\nas_is {}\nhtml {}\nstrict {}\n",
      static_cast<int>(input.format), input.text_name(), input.id_field, input.max_doc_bytes, input.binary, input.as_is,
      static_cast<int>(input.html), input.strict);
  if (input.id_optional) add("id_optional\n");
  if (input.delimiter != 0) add("delimiter {}\n", static_cast<int>(input.delimiter));
  if (!input.charset.empty()) add("charset {}\n", input.charset);
  const InputOptions& against = options.against;
  if (!against.empty())
    add("against min {} share {} passage {} action {}\nformat {}\ntext_field {}\nid_field {}\n{}", options.against_min,
        options.against_share, options.against_passage, static_cast<int>(options.against_action),
        static_cast<int>(against.format), against.text_name(), against.id_field, run::input_identity(against));
  add("trust_signatures {}\nforget {}\n{}", options.trust_signatures, options.forget, libraries_identity(options));
  return text + run::input_identity(input);
}

}  // namespace refrain::verbs::dedup
