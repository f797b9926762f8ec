#include "verbs/dedup/libraries/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "base/files/path.h"
#include "refrain/error.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/known/old_texts.h"
#include "verbs/known/rules.h"

namespace refrain::verbs::dedup {

namespace fs = std::filesystem;

namespace {

bool is_near_rule(std::string_view name) {
  return name != "html" && name != known::kMainRule && name != "as-is" && name != "compare" &&
         name != known::kJoinRule && name != known::kKeepRule;
}

std::string_view value_of(const library::Layout& layout, std::string_view name) {
  for (const library::Rule& rule : layout.rules)
    if (rule.name == name) return rule.value;
  return {};
}

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

[[noreturn]] void refuse(const fs::path& folder, const library::Rule& has, std::string_view asked) {
  static constexpr std::string_view kNotOptions[] = {
      "fingerprint-version", "minhash-version", "loss-version", known::kMainRule, "hash", "stop-words", "lanes"};
  std::string rule(has.name);
  if (std::ranges::find(kNotOptions, has.name) == std::end(kNotOptions)) {
    std::ranges::replace(rule, '-', '_');
    rule = fmt::format("`{}`", rule);
  }
  const auto is_bare = [](std::string_view name, std::string_view of) { return name == std::string(of) + "-bare"; };
  if (is_bare(asked, has.value))
    throw Error(Errc::invalid_argument, fmt::format("{}: holds comments; use `comments`", folder.string()));
  if (is_bare(has.value, asked))
    throw Error(Errc::invalid_argument, fmt::format("{}: holds no comments; remove `comments`", folder.string()));
  const auto text = [&](std::string_view value) {
    if (value.empty()) return std::string("none");
    return has.name == "tokenizer" ? tokenizer_text(value) : std::string(value);
  };
  throw Error(Errc::invalid_argument,
              fmt::format("{}: made with {} {}, but this run has {}; use the same, or another library", folder.string(),
                          rule, text(has.value), text(asked)));
}

// Checks that decisions made with one keep policy hold under another: see DedupOptions::keep.
void check_keep(const DedupOptions& options, const library::Rule& has, const fs::path& folder) {
  if (options.keep.rank == Rank::first || has.value == to_string(options.keep)) return;
  throw Error(
      Errc::invalid_argument,
      fmt::format("{}: made with `keep` {}; with `keep` {} documents that it holds would have to give way to new "
                  "ones, and what was kept stays; use `keep` first",
                  folder.string(), has.value, to_string(options.keep)));
}

void check_rules(const DedupOptions& options, const library::Layout& wanted, const fs::path& folder,
                 const library::Layout& layout, bool grows) {
  for (const library::Rule& has : layout.rules) {
    const std::string_view asked = value_of(wanted, has.name);
    // Exact copies are found in any library, and matches at a lower threshold include those at a higher one.
    const bool any_will_do = !grows && ((options.near == NearMethod::off && is_near_rule(has.name)) ||
                                        (has.name == known::kThresholdRule && number(has.value) <= number(asked)));
    if (has.name == known::kKeepRule)
      check_keep(options, has, folder);
    else if (!any_will_do && has.value != asked)
      refuse(folder, has, asked);
  }
  for (const library::Rule& rule : wanted.rules)
    if (value_of(layout, rule.name).empty()) refuse(folder, {rule.name, "none"}, rule.value);
}

// Calls each(folder, manifest, grows) for every library that exists.
template <class Each>
void for_each_library(const DedupOptions& options, Each each) {
  for (const fs::path& named : options.known) {
    const fs::path folder = known::library_folder(named);
    each(folder, library::read_manifest(folder), false);
  }
  if (!options.library.empty() && library::has_library(options.library))
    each(options.library, library::read_manifest(options.library), true);
}

// Maps the names of the run's sources to their numbers.
std::unordered_map<std::string, std::uint32_t> numbers_of_sources(const run::RunDir& dir) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  for_each_source_name(dir, [&](std::size_t number, std::string&& name) {
    numbers.emplace(std::move(name), static_cast<std::uint32_t>(number));
  });
  return numbers;
}

}  // namespace

library::Layout layout_of(const DedupOptions& options, const std::optional<Bands>& bands) {
  known::Rules rules;
  static_cast<DocumentMatchOptions&>(rules) = options.match();
  rules.html = options.input.html;
  rules.main_version = options.input.main_version;
  rules.as_is = options.input.as_is;
  rules.compare = options.input.compare;
  rules.join_hyphens = options.input.join_hyphens;
  rules.keep = to_string(options.keep);
  rules.near = options.near == NearMethod::off ? "" : near_method_info(options.near).name;
  rules.templates = options.templates;
  return known::layout_of(rules, bands);
}

unsigned main_version_of(const DedupOptions& options) {
  unsigned version = options.input.main_version;
  for_each_library(options, [&](const fs::path&, const library::Manifest& manifest, bool) {
    if (value_of(manifest.layout, known::kMainRule).empty()) version = 1;
  });
  return version;
}

std::optional<Bands> check_libraries(const DedupOptions& options) {
  const library::Layout wanted = layout_of(options, {});
  std::optional<Bands> bands;
  for_each_library(options, [&](const fs::path& folder, const library::Manifest& manifest, bool grows) {
    const library::Layout& layout = manifest.layout;
    check_rules(options, wanted, folder, layout, grows);
    if (layout.lanes == 0 || options.near == NearMethod::off) return;
    const Bands has{.bands = layout.bands, .rows = layout.rows};
    if (bands && (bands->bands != has.bands || bands->rows != has.rows))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: made for another threshold than the libraries before it; look into one at a time",
                              folder.string()));
    bands = has;
  });
  return bands;
}

std::string libraries_identity(const DedupOptions& options) {
  std::string text;
  for (const fs::path& known : options.known)
    text += fmt::format("known {}\t{}\n", known.string(),
                        library::identity_of(library::read_manifest(known::library_folder(known))));
  if (!options.library.empty()) text += fmt::format("library {}\n", absolute_path(options.library).string());
  return text;
}

Libraries::Libraries(const DedupOptions& options, MemoryBudget& budget) : begins_{0} {
  for_each_library(options, [&](const fs::path& folder, const library::Manifest&, bool) {
    readers_.push_back(std::make_unique<library::Reader>(folder, budget));
    begins_.push_back(begins_.back() + readers_.back()->documents());
  });
}

Libraries::Libraries(const Libraries& other) : begins_(other.begins_) {
  for (const std::unique_ptr<library::Reader>& reader : other.readers_) readers_.push_back(reader->clone());
}

std::size_t Libraries::library_of(std::uint64_t document) const {
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), document) - begins_.begin()) - 1;
}

KnownTemplates known_templates(DedupRun& run, const Array<std::uint64_t>& sites) {
  KnownTemplates known;
  if (!run.looks_up()) return known;
  Array<std::uint64_t> own(run.budget, "the sources of the documents");
  own.append(std::span<const std::uint64_t>(sites.data(), sites.size()));
  std::sort(own.begin(), own.end());
  own.resize(static_cast<std::size_t>(std::unique(own.begin(), own.end()) - own.begin()));
  const std::unordered_map<std::string, std::uint32_t> numbers = numbers_of_sources(run.dir);
  Libraries libraries(run.options, run.budget);
  for (std::size_t library = 0; library < libraries.size(); ++library) {
    library::Reader& reader = libraries[library];
    for (std::size_t segment = 0; segment < reader.manifest().segments.size(); ++segment)
      reader.for_each_source(segment, [&](std::uint32_t, const library::Source& source) {
        const auto take = [&](std::uint64_t site) {
          std::vector<std::uint64_t>& windows = known[site];
          if (windows.empty()) windows = source.left_out;
        };
        if (const std::uint64_t host = site_of_host(source.name); std::binary_search(own.begin(), own.end(), host))
          take(host);
        if (const auto found = numbers.find(source.name); found != numbers.end()) take(site_of_source(found->second));
      });
  }
  return known;
}

}  // namespace refrain::verbs::dedup
