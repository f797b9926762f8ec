#include "verbs/near/made_with.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/checksum.h"
#include "refrain/error.h"
#include "refrain/version.h"
#include "verbs/run/json_parts.h"

namespace refrain::verbs::near {

namespace {

constexpr std::string_view kBegin = "refrain fingerprint ";
constexpr std::string_view kBeforeHeader = "# ";

// Returns the same name for all lists that drop the same tokens.
std::string name_of(std::vector<std::string> words) {
  if (words.empty()) return "none";
  for (std::string& word : words)
    std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::string all;
  for (const std::string& word : words) all += word + '\n';
  return fmt::format("{:016x}", digest(all).high);
}

std::map<std::string, std::string> values(std::string_view options) {
  std::map<std::string, std::string> all;
  options.remove_prefix(kBegin.size());
  while (!options.empty()) {
    const std::string_view word = options.substr(0, options.find(' '));
    options.remove_prefix(std::min(options.size(), word.size() + 1));
    const std::size_t sign = word.find('=');
    if (sign != std::string_view::npos) all.emplace(word.substr(0, sign), word.substr(sign + 1));
  }
  return all;
}

}  // namespace

std::string options_column(const FingerprintOptions& options) {
  const bool seeded = options.hash == HashKind::xxh3 || options.hash == HashKind::jenkins;
  return fmt::format("{}version={} tokenizer={} hash={} window={} seed={} tie={} stop_words={}", kBegin,
                     fingerprint_version(options.tokenizer), run::name_of(options.tokenizer),
                     hash_names()[static_cast<std::size_t>(options.hash)], options.window, seeded ? options.seed : 0,
                     options.tie_sets_bit ? 1 : 0, name_of(options.stop_words));
}

bool is_options_line(std::string_view line) {
  return line.starts_with(kBeforeHeader) && line.substr(kBeforeHeader.size()).starts_with(kBegin);
}

std::string_view options_in(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line.remove_prefix(is_options_line(line) ? kBeforeHeader.size() : line.rfind('\t') + 1);
  return line.starts_with(kBegin) ? line : std::string_view();
}

void check_same_options(const FileOptions& stored, const FileOptions& queries) {
  if (stored.options.empty() || queries.options.empty()) return;
  const std::map<std::string, std::string> known = values(stored.options);
  std::map<std::string, std::string> asked = values(queries.options);
  // A later version may state more.
  for (const auto& [name, value] : known) asked.try_emplace(name, "?");
  for (const auto& [name, value] : asked) {
    const auto found = known.find(name);
    const std::string other = found == known.end() ? "?" : found->second;
    if (value == other + "-bare" || other == value + "-bare") {
      const bool bare = value.size() > other.size();
      throw Error(Errc::bad_input,
                  fmt::format("{}: made {} comments, but {} {} them; make both with `comments`, or both "
                              "without it",
                              queries.path, bare ? "without" : "with", stored.path, bare ? "with" : "without"));
    }
    if (value != other)
      throw Error(Errc::bad_input,
                  fmt::format("{}: made with {}={}, but {} with {}={}; make both with the same options", queries.path,
                              name, value, stored.path, name, other));
  }
}

}  // namespace refrain::verbs::near
