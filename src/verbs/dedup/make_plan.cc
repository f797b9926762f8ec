#include "verbs/dedup/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/budget.h"
#include "base/files/path.h"
#include "base/hash.h"
#include "corpus/files/parquet_module.h"
#include "corpus/files/walk.h"
#include "corpus/rewrite/rewrite.h"
#include "refrain/error.h"
#include "refrain/input.h"
#include "refrain/options.h"
#include "refrain/version.h"
#include "text/windows.h"
#include "verbs/dedup/against/reference_search.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/output/output.h"
#include "verbs/run/input_identity.h"
#include "verbs/run/option_rows.h"

namespace refrain::verbs::dedup {

namespace {

bool names_standard_input(const InputOptions& input) {
  return std::ranges::find(input.paths, "-") != input.paths.end();
}

void check_against(const DedupOptions& options) {
  if (options.against.empty()) return;
  if (names_standard_input(options.input) && names_standard_input(options.against))
    throw Error(Errc::invalid_argument, "`against` -: standard input is already the corpus; name a file");
  if (!(options.against_share >= kLeastShare && options.against_share <= 1))
    throw Error(Errc::invalid_argument, "`against_share`: must be from 0.6 to 1");
}

// The input may not be inside the output folder, nor the output folder inside the input.
void check_apart(const InputOptions& input, const std::filesystem::path& output) {
  if (output.empty()) return;  // documents in memory have no output folder
  for (const std::string& path : input.paths) {
    if (path == "-") continue;
    if (is_within(path, output) || is_within(output, path))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: input and output folder {} overlap; choose another output with `output`", path,
                              output.string()));
  }
}

void check_known(const DedupOptions& options) {
  if (options.known.empty() && options.library.empty()) return;
  const char* flag = options.library.empty() ? "`known`" : "`library`";
  if (options.near == NearMethod::simhash)
    throw Error(Errc::invalid_argument, fmt::format("{}: libraries hold MinHash signatures; use `near` minhash", flag));
  if (options.input.documents != nullptr)
    throw Error(Errc::invalid_argument, fmt::format("{}: not possible with documents in memory; name files", flag));
  if (!options.library.empty() && options.forget)
    throw Error(Errc::invalid_argument, "`forget`: cannot be combined with `library`; remove one of them");
  for (const std::filesystem::path& known : options.known)
    if (is_within(known, options.output))
      throw Error(
          Errc::invalid_argument,
          fmt::format("`known` {}: lies in the output folder; choose another output with `output`", known.string()));
  if (!options.library.empty() &&
      (is_within(options.library, options.output) || is_within(options.output, options.library)))
    throw Error(Errc::invalid_argument,
                fmt::format("`library` {}: overlaps with the output folder {}; choose another with `output`",
                            options.library.string(), options.output.string()));
}

// Documents in memory have no files to write.
void check_in_memory(const DedupOptions& options) {
  const auto refuse = [](bool asked, const char* flag) {
    if (asked)
      throw Error(Errc::invalid_argument, fmt::format("{}: writes files, but these documents are in memory", flag));
  };
  refuse(options.apply, "`apply`");
  refuse(options.annotate, "`annotate`");
  refuse(options.attributes != Attributes::none, "`attributes`");
  refuse(options.tables != Tables::tsv, "`tables`");
  refuse(options.resume, "`resume`");
}

void check(const DedupOptions& options, const Context& context) {
  if (options.input.empty())
    throw Error(Errc::invalid_argument, "no input; name files or folders, or - for standard input");
  if (options.input.documents != nullptr) check_in_memory(options);
  corpus::check_named(options.input);
  if (!options.against.empty()) corpus::check_named(options.against);
  check_apart(options.input, options.output);
  check_apart(options.against, options.output);
  check_against(options);
  check_known(options);
  if (!options.exact && options.near == NearMethod::off && options.substrings == 0 && options.against.empty())
    throw Error(Errc::invalid_argument, "`exact` off `near` off: nothing to search for; turn one of them on");
  if (!(options.threshold > 0 && options.threshold <= 1))
    throw Error(Errc::invalid_argument, "`threshold`: must be above 0 and at most 1");
  run::check_options(options.input);
  run::check_options(options);
  if (options.near != NearMethod::off) static_cast<void>(text::FeaturePlan(options.windows));  // throws if invalid
  if (options.apply || options.annotate)
    corpus::check_rewritable(options.input, context, options.apply && options.substrings != 0, options.annotate);
  if (options.input.join_hyphens && (options.substrings != 0 || options.attributes != Attributes::none))
    throw Error(Errc::invalid_argument,
                fmt::format("`join_hyphens`: {} has ranges of the text as it is; remove one of them",
                            options.substrings != 0 ? "`substrings`" : "`attributes`"));
  if (options.read_back && !options.apply) throw Error(Errc::invalid_argument, "`read_back`: needs `apply`; add it");
  check_attributes(options, context);
  if (options.tables == Tables::parquet) {
    MemoryBudget budget(context);
    corpus::prepare_parquet(budget);
  }
  if (options.resume && (names_standard_input(options.input) || names_standard_input(options.against)))
    throw Error(Errc::invalid_argument, "`resume`: not possible with standard input; write it to a file first");
  if (options.resume && options.force)
    throw Error(Errc::invalid_argument, "`resume`: cannot be combined with `force`; remove one of them");
}

// Incremented if the same options lead to other decisions.
constexpr int kRules = 1;

// The files of the set, each line under the name of the option.
std::string against_identity(const InputOptions& against) {
  constexpr std::string_view kInput = "input";  // begins every line of input_identity()
  std::string lines = run::input_identity(against);
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
    lines.replace(at, kInput.size(), "against");
  return lines + run::options_identity(against, "against_");
}

std::string identity_of(const Plan& plan) {
  const DedupOptions& options = plan.options;
  std::string text = fmt::format("refrain dedup {}\n", kVersion);
  text += run::options_identity(options);
  text += run::options_identity(options.input);
  if (!options.against.empty()) text += against_identity(options.against);
  // A file in which nothing is decided changes nothing, not even the name of the run.
  std::string decided;
  for (const Override& line : plan.overrides) decided += to_json(line);
  if (!decided.empty()) text += fmt::format("overrides {}\n", to_hex(digest(decided)));
  text += libraries_identity(options) + run::input_identity(options.input);
  // A message names the first line that differs, so what follows from the options comes after them.
  if (plan.near) text += plan.near->identity();
  return text + fmt::format("fingerprint {}\nrules {}\n", fingerprint_version(options.windows.tokenizer), kRules);
}

}  // namespace

Plan make_plan(const DedupOptions& asked, const Context& context) {
  Plan plan{.options = asked, .near = {}, .device = {}, .overrides = {}, .identity = {}};
  DedupOptions& options = plan.options;
  if (options.input.documents == nullptr) {
    options.input.as_is |= options.substrings != 0;  // the ranges refer to the bytes of a file
    options.against.as_is = options.input.as_is;
    if (options.substrings != 0) options.input.html = HtmlPart::text;
    options.against.html = options.input.html;
    options.against.compare = options.input.compare;
    options.against.join_hyphens = options.input.join_hyphens;
    options.input.listing = list_input(options.input, context);
    options.against.listing = list_input(options.against, context);
  }
  check(options, context);
  options.input.main_version = options.against.main_version = main_version_of(options);
  if (!options.overrides.empty()) plan.overrides = live_overrides(read_overrides(options.overrides));
  plan.near = make_finder(options, check_libraries(options));
  plan.device = near_device(options, plan.near.get());
  plan.identity = identity_of(plan);
  return plan;
}

}  // namespace refrain::verbs::dedup
