#include "verbs/known/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "refrain/error.h"
#include "refrain/version.h"
#include "verbs/run/json_parts.h"

namespace refrain::verbs::known {

namespace {

constexpr std::string_view kNoWords = "none";
constexpr std::string_view kAnyLossName = "any";
constexpr std::string_view kAutoLossName = "auto";
constexpr std::string_view kTemplatesOn = "auto";

std::string checksum_of_words(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word + '\n';
  return all.empty() ? std::string(kNoWords) : fmt::format("{:016x}", checksum(all));
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Names, class Choice>
bool read_choice(std::string_view text, const Names& names, Choice& out) {
  const auto found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) return false;
  out = static_cast<Choice>(found - std::begin(names));
  return true;
}

bool read_loss(std::string_view text, std::uint32_t& out) {
  if (text != kAnyLossName && text != kAutoLossName) return read_number(text, out);
  out = text == kAnyLossName ? kAnyLoss : kAutoLoss;
  return true;
}

// Only a checksum of the list is stored, so only an empty list and the English one can be recognized.
bool read_words(std::string_view text, std::vector<std::string>& out) {
  for (const std::vector<std::string>& words : {std::vector<std::string>(), english_stop_words()})
    if (checksum_of_words(words) == text) {
      out = words;
      return true;
    }
  return false;
}

}  // namespace

library::Layout layout_of(const Rules& rules, const std::optional<Bands>& bands) {
  library::Layout layout;
  const auto add = [&](std::string_view name, auto value) {
    layout.rules.push_back({std::string(name), fmt::format("{}", value)});
  };
  add("html", run::kHtmlNames[static_cast<std::size_t>(rules.html)]);
  // If a library does not record some of these rules, its pages are of version 1, it compares bodies, and joins
  // nothing.
  if (rules.html == HtmlPart::main && rules.main_version != 1) add(kMainRule, rules.main_version);
  add("as-is", rules.as_is);
  if (rules.compare != ComparedMail::body) add("compare", run::kCompareNames[static_cast<std::size_t>(rules.compare)]);
  if (rules.join_hyphens) add(kJoinRule, true);
  add(kKeepRule, rules.keep);
  if (rules.near.empty()) return layout;
  const FingerprintOptions& windows = rules.windows;
  add("near", rules.near);
  add("fingerprint-version", fingerprint_version(windows.tokenizer));
  add("minhash-version", kMinHashVersion);
  add("tokenizer", run::name_of(windows.tokenizer));
  add("hash", hash_names()[static_cast<std::size_t>(windows.hash)]);
  add("window", windows.window);
  add("seed", windows.seed);
  add("stop-words", checksum_of_words(windows.stop_words));
  add("lanes", rules.lanes);
  add(kThresholdRule, rules.threshold);
  add("max-loss", rules.max_loss == kAnyLoss    ? std::string(kAnyLossName)
                  : rules.max_loss == kAutoLoss ? std::string(kAutoLossName)
                                                : std::to_string(rules.max_loss));
  if (rules.max_loss == kAutoLoss) add("loss-version", kLossVersion);
  add("templates", rules.templates ? kTemplatesOn : "off");
  layout.lanes = rules.lanes;
  if (bands) {
    layout.bands = bands->bands;
    layout.rows = bands->rows;
  }
  return layout;
}

Rules rules_of(const library::Layout& layout, const std::filesystem::path& folder) {
  Rules rules;
  rules.near.clear();
  rules.main_version = 1;
  int fingerprints = fingerprint_version(rules.windows.tokenizer);
  int signatures = kMinHashVersion;
  int losses = kLossVersion;
  using Read = std::function<bool(std::string_view)>;
  const std::map<std::string_view, Read> readers = {
      {"html", [&](std::string_view text) { return read_choice(text, run::kHtmlNames, rules.html); }},
      {kMainRule,
       [&](std::string_view text) {
         return read_number(text, rules.main_version) && rules.main_version <= kMainVersion;
       }},
      {"as-is",
       [&](std::string_view text) {
         rules.as_is = text == "true";
         return rules.as_is || text == "false";
       }},
      {"compare", [&](std::string_view text) { return read_choice(text, run::kCompareNames, rules.compare); }},
      {kJoinRule, [&](std::string_view text) { return rules.join_hyphens = text == "true"; }},
      {kKeepRule,
       [&](std::string_view text) {
         rules.keep = text;
         return true;
       }},
      {"near",
       [&](std::string_view text) {
         rules.near = text;
         return text == kMinHashName;
       }},
      {"fingerprint-version", [&](std::string_view text) { return read_number(text, fingerprints); }},
      {"minhash-version", [&](std::string_view text) { return read_number(text, signatures); }},
      {"tokenizer",
       [&](std::string_view text) { return read_choice(text, tokenizer_names(), rules.windows.tokenizer); }},
      {"hash", [&](std::string_view text) { return read_choice(text, hash_names(), rules.windows.hash); }},
      {"window", [&](std::string_view text) { return read_number(text, rules.windows.window); }},
      {"seed", [&](std::string_view text) { return read_number(text, rules.windows.seed); }},
      {"stop-words", [&](std::string_view text) { return read_words(text, rules.windows.stop_words); }},
      {"lanes", [&](std::string_view text) { return read_number(text, rules.lanes); }},
      {kThresholdRule, [&](std::string_view text) { return read_number(text, rules.threshold); }},
      {"max-loss", [&](std::string_view text) { return read_loss(text, rules.max_loss); }},
      {"loss-version", [&](std::string_view text) { return read_number(text, losses); }},
      {"templates",
       [&](std::string_view text) {
         rules.templates = text == kTemplatesOn;
         return rules.templates || text == "off";
       }},
  };
  const auto refuse = [&](std::string_view name, std::string_view value) {
    throw Error(Errc::unsupported, fmt::format("{}: made with {} {}, which is not supported here; use another library",
                                               folder.string(), name, value));
  };
  for (const library::Rule& rule : layout.rules) {
    const auto reader = readers.find(rule.name);
    if (reader == readers.end() || !reader->second(rule.value)) refuse(rule.name, rule.value);
  }
  if (rules.near.empty()) return rules;
  if (fingerprints != fingerprint_version(rules.windows.tokenizer))
    refuse("fingerprint-version", std::to_string(fingerprints));
  if (signatures != kMinHashVersion) refuse("minhash-version", std::to_string(signatures));
  if (losses != kLossVersion) refuse("loss-version", std::to_string(losses));
  return rules;
}

SketchPlan::SketchPlan(Rules of, library::Layout made) : rules(std::move(of)), layout(std::move(made)) {
  if (layout.lanes == 0) return;
  features.emplace(rules.windows);
  minhash.emplace(rules.lanes, rules.windows.seed);
}

void sketch_text(const SketchPlan& plan, std::string_view text, const text::LeftOut* left_out,
                 text::FeatureStream* stream, TextSketch& out) {
  out.digest = digest(text);
  out.signature.clear();
  out.bands.clear();
  out.keys.clear();
  out.windows.clear();
  if (stream != nullptr) {
    std::vector<std::uint32_t> signature(plan.layout.lanes);
    text::compared_windows(
        text, left_out, *stream,
        [&] {
          out.windows.clear();
          plan.minhash->start(signature.data());
        },
        [&](std::span<const std::uint64_t> windows) {
          out.windows.insert(out.windows.end(), windows.begin(), windows.end());
          plan.minhash->add(windows, signature.data());
        });
    if (!out.windows.empty()) {
      for (const std::uint32_t lane : signature) out.signature.push_back(static_cast<std::uint8_t>(lane));
      out.bands.resize(plan.layout.bands);
      band_keys({plan.layout.bands, plan.layout.rows}, signature, out.bands.data());
    }
  }
  library::append_keys(plan.layout, out.digest, out.signature, out.bands, out.keys);
}

}  // namespace refrain::verbs::known
