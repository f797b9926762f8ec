#include "engines/sketch/written.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/mix.h"
#include "engines/sketch/feature_set.h"
#include "text/ascii_scan.h"

namespace refrain::sketch {

namespace {

enum class Kind : std::uint8_t { space, word, symbol, around, inside, beyond };

constexpr std::string_view kSymbols = "<>=&+~^%/\\@$*_|#";
constexpr std::string_view kAround = ".,;:?!\"'()[]{}`";  // left out at both ends of a run,
constexpr std::string_view kMarks = "*_#|";  // and so are these around a word: marks of emphasis, and the like
constexpr std::size_t kLongestOperator = 3;  // longer runs of symbols alone are lines and frames

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (unsigned c = 0; c < 256; ++c) {
    const char as_char = static_cast<char>(c);
    if (c >= 0x80)
      kinds[c] = Kind::beyond;
    else if (c <= ' ' || c == 0x7F)
      kinds[c] = Kind::space;
    else if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      kinds[c] = Kind::word;
    else if (kSymbols.find(as_char) != kSymbols.npos)
      kinds[c] = Kind::symbol;
    else
      kinds[c] = kAround.find(as_char) != kAround.npos ? Kind::around : Kind::inside;
  }
  return kinds;
}();

Kind kind_of(char c) {
  return kKinds[static_cast<unsigned char>(c)];
}

// A run is ASCII without white space.
bool is_in_run(char c) {
  return kind_of(c) != Kind::space && kind_of(c) != Kind::beyond;
}

bool holds_word(std::string_view run) {
  return std::ranges::any_of(run, [](char c) { return kind_of(c) == Kind::word; });
}

// What is left of a run without the punctuation around it.
std::string_view trimmed(std::string_view run) {
  const bool marks = holds_word(run);
  const auto goes = [&](char c) { return kind_of(c) == Kind::around || (marks && kMarks.find(c) != kMarks.npos); };
  while (!run.empty() && goes(run.front())) run.remove_prefix(1);
  while (!run.empty() && goes(run.back())) run.remove_suffix(1);
  return run;
}

std::uint64_t mixed(std::uint64_t value) {
  return mix(value, 0xD6E8FEB86659FD93U, 0x9E3779B97F4A7C15U);
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x9E3779B97F4A7C15U;
  return mixed(hash);
}

// Of one character beyond ASCII: signs that typesetting adds and takes away.
bool is_punctuation(std::string_view character) {
  const auto at = [&](std::size_t i) { return i < character.size() ? static_cast<unsigned char>(character[i]) : 0U; };
  return (at(0) == 0xC2 && at(1) >= 0xA0) ||                                            // U+00A0 to U+00BF
         (at(0) == 0xE2 && at(1) >= 0x80 && at(1) <= 0x81) ||                           // U+2000 to U+207F
         (at(0) == 0xE3 && at(1) == 0x80) ||                                            // U+3000 to U+303F
         (at(0) == 0xEF && at(1) == 0xBC && (at(2) <= 0x8F || at(2) - 0x9AU <= 0x06));  // wide ASCII
}

std::size_t character_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < std::min<std::size_t>(text.size(), 4) && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U)
    ++bytes;
  return bytes;
}

bool holds_symbol(std::string_view run) {
  for (std::size_t i = 0; i < run.size(); ++i)
    if (kind_of(run[i]) == Kind::symbol || (run[i] == ':' && i + 1 < run.size() && run[i + 1] == ':')) return true;
  return false;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return kind_of(c) != Kind::beyond; });
}

// In NFKC, case folded, soft hyphens and the like left out; as it is where it is not UTF-8.
std::string normal(std::string_view text) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t bytes = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &made,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                     UTF8PROC_IGNORE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  return bytes < 0 ? std::string(text)
                   : std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(bytes));
}

// Marks of quoted mail, of titles and items, rules and frames hold no word, and say nothing.
bool says_something(std::string_view run) {
  if (holds_word(run)) return true;
  const bool is_mark = run.front() == '>' || kMarks.find(run.front()) != kMarks.npos;
  return run.size() <= kLongestOperator && !(is_mark && run.find_first_not_of(run.front()) == run.npos);
}

}  // namespace

bool looks_at_symbols(std::uint32_t max_loss, TokenizerKind tokenizer) {
  return max_loss != kAnyLoss && (tokenizer == TokenizerKind::words || tokenizer == TokenizerKind::words_nfkc ||
                                  tokenizer == TokenizerKind::alpha);
}

std::uint64_t WrittenTexts::symbols(std::string_view text) {
  constexpr text::AsciiSet kMayBe{"<>=&+~^%/\\@$*_|#:"};
  const std::size_t words = (text.size() + 63) / 64;
  marked_.resize(words);
  beyond_.resize(words);
  lower_.resize(words * 64);
  text::scan_ascii(text.data(), text.size(), kMayBe, false, marked_.data(), beyond_.data(), lower_.data());
  std::uint64_t hash = 0;
  std::size_t done = 0;  // up to here
  for (std::size_t word = 0; word < words; ++word)
    for (std::uint64_t marked = marked_[word]; marked != 0; marked &= marked - 1) {
      const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(marked));
      if (at < done || (text[at] == ':' && (at + 1 == text.size() || text[at + 1] != ':'))) continue;
      std::size_t begin = at;
      while (begin > done && is_in_run(text[begin - 1])) --begin;
      done = at;
      while (done < text.size() && is_in_run(text[done])) ++done;
      const std::string_view run = trimmed(text.substr(begin, done - begin));
      if (holds_symbol(run) && says_something(run)) hash = mixed(hash ^ hash_of(run));
    }
  return hash;
}

void WrittenTexts::read(std::string_view text, std::vector<std::uint64_t>& tokens) {
  tokens.clear();
  for (std::size_t i = 0; i < text.size();) {
    const Kind kind = kind_of(text[i]);
    if (kind == Kind::space) {
      ++i;
      continue;
    }
    if (kind == Kind::beyond) {
      const std::string_view character = text.substr(i, character_bytes(text.substr(i)));
      if (!is_punctuation(character)) tokens.push_back(hash_of(character));
      i += character.size();
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_in_run(text[end])) ++end;
    std::string_view run = trimmed(text.substr(i, end - i));
    i = end;
    if (holds_symbol(run)) {
      if (says_something(run)) tokens.push_back(hash_of(run));
      continue;
    }
    while (!run.empty()) {
      std::size_t word = 0;
      while (word < run.size() && kind_of(run[word]) == Kind::word) ++word;
      if (word != 0) tokens.push_back(hash_of(run.substr(0, word)));
      run.remove_prefix(std::max<std::size_t>(word, 1));
    }
  }
}

// A window is a polynomial of its tokens. Where there are fewer tokens, all of them are one.
void WrittenTexts::make_set(std::vector<std::uint64_t>& tokens) const {
  constexpr std::uint64_t kBase = 0xD6E8FEB86659FD93U;
  if (tokens.empty()) return;
  const std::size_t window = std::min<std::size_t>(window_, tokens.size());
  std::vector<std::uint64_t> windows;
  windows.reserve(tokens.size() - window + 1);
  std::uint64_t leaving = 1;  // the factor of the first token
  for (std::size_t i = 1; i < window; ++i) leaving *= kBase;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i >= window) sum -= tokens[i - window] * leaving;
    sum = sum * kBase + tokens[i];
    if (i + 1 >= window) windows.push_back(sum);
  }
  std::ranges::sort(windows);
  windows.erase(std::unique(windows.begin(), windows.end()), windows.end());
  tokens = std::move(windows);
}

double WrittenTexts::similarity(std::string_view a, std::string_view b) {
  if (std::max(a.size(), b.size()) > kMostBytes || symbols(a) == symbols(b)) return 1;
  std::string normal_a;
  std::string normal_b;
  if (!(is_ascii(a) && is_ascii(b))) {
    normal_a = normal(a);
    normal_b = normal(b);
    a = normal_a;
    b = normal_b;
    if (symbols(a) == symbols(b)) return 1;
  }
  read(a, first_);
  read(b, second_);
  make_set(first_);
  make_set(second_);
  return jaccard(first_, second_);
}

}  // namespace refrain::sketch
