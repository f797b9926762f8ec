#include "engines/sketch/written.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/mix.h"
#include "engines/sketch/normal_form.h"
#include "text/ascii_scan.h"

namespace refrain::sketch {

namespace {

enum class Kind : std::uint8_t { space, word, symbol, around, inside, non_ascii };

constexpr std::string_view kSymbols = "<>=&+~^%/\\@$*_|#";
constexpr std::string_view kAround = ".,;:?!\"'()[]{}`";  // removed from both ends of a run
constexpr std::string_view kMarks = "*_#|";               // removed too around words: marks of emphasis and the like
constexpr std::size_t kLongestOperator = 3;               // longer runs of symbols alone are lines and frames

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (unsigned c = 0; c < 256; ++c) {
    const char as_char = static_cast<char>(c);
    if (c >= 0x80)
      kinds[c] = Kind::non_ascii;
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

// Runs consist of ASCII characters other than white space.
bool is_in_run(char c) {
  return kind_of(c) != Kind::space && kind_of(c) != Kind::non_ascii;
}

bool holds_word(std::string_view run) {
  return std::ranges::any_of(run, [](char c) { return kind_of(c) == Kind::word; });
}

// Removes the punctuation around a run.
std::string_view trimmed(std::string_view run) {
  const bool marks = holds_word(run);
  const auto is_trimmed = [&](char c) {
    return kind_of(c) == Kind::around || (marks && kMarks.find(c) != kMarks.npos);
  };
  while (!run.empty() && is_trimmed(run.front())) run.remove_prefix(1);
  while (!run.empty() && is_trimmed(run.back())) run.remove_suffix(1);
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

bool holds_symbol(std::string_view run) {
  for (std::size_t i = 0; i < run.size(); ++i)
    if (kind_of(run[i]) == Kind::symbol || (run[i] == ':' && i + 1 < run.size() && run[i + 1] == ':')) return true;
  return false;
}

// Marks of quoted mail, titles, items, rules and frames contain no word and carry no meaning.
bool is_meaningful(std::string_view run) {
  if (holds_word(run)) return true;
  const bool is_mark = run.front() == '>' || kMarks.find(run.front()) != kMarks.npos;
  return run.size() <= kLongestOperator && !(is_mark && run.find_first_not_of(run.front()) == run.npos);
}

}  // namespace

void WrittenReader::read(std::string_view text, WrittenTokens& out) {
  if (text.size() > kMostBytes) {
    out = {};
    return;
  }
  // Wide symbols, and letters next to symbols, have several forms. Plain ASCII needs no normalization.
  if (find(text, out)) find(normal_form(text), out);
}

// Returns whether the text has characters beyond ASCII.
bool WrittenReader::find(std::string_view text, WrittenTokens& out) {
  constexpr text::AsciiSet kMayBe{"<>=&+~^%/\\@$*_|#:"};
  constexpr text::AsciiSet kSpace = [] {
    text::AsciiSet set{"\x7F "};
    for (std::uint8_t c = 0; c < ' '; ++c) set.insert(c);
    return set;
  }();
  out.hashes.clear();
  out.length = 0;
  const std::size_t words = (text.size() + 63) / 64;
  marked_.resize(words);
  non_ascii_.resize(words);
  copy_.resize(words * 64);
  const bool is_beyond =
      text::scan_ascii(text.data(), text.size(), kSpace, false, marked_.data(), non_ascii_.data(), copy_.data());
  bool before = true;  // the previous byte is not part of a run
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t apart = marked_[word] | non_ascii_[word];
    const std::uint64_t there =
        word + 1 < words || text.size() % 64 == 0 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << text.size() % 64);
    out.length += static_cast<std::uint64_t>(std::popcount(~apart & (apart << 1U | (before ? 1U : 0U)) & there));
    before = apart >> 63U != 0;
  }
  if (is_beyond)
    out.length += static_cast<std::uint64_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0xC0U; }));
  text::scan_ascii(text.data(), text.size(), kMayBe, false, marked_.data(), non_ascii_.data(), copy_.data());
  std::size_t done = 0;  // the text before this position has been processed
  for (std::size_t word = 0; word < words; ++word)
    for (std::uint64_t marked = marked_[word]; marked != 0; marked &= marked - 1) {
      const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(marked));
      if (at < done || (text[at] == ':' && (at + 1 == text.size() || text[at + 1] != ':'))) continue;
      std::size_t begin = at;
      while (begin > done && is_in_run(text[begin - 1])) --begin;
      done = at;
      while (done < text.size() && is_in_run(text[done])) ++done;
      const std::string_view run = trimmed(text.substr(begin, done - begin));
      if (holds_symbol(run) && is_meaningful(run)) out.hashes.push_back(hash_of(run));
    }
  std::ranges::sort(out.hashes);
  return is_beyond;
}

double written_similarity(const WrittenTokens& a, const WrittenTokens& b, unsigned window) {
  std::size_t common = 0;
  for (auto one = a.hashes.begin(), other = b.hashes.begin(); one != a.hashes.end() && other != b.hashes.end();) {
    common += *one == *other ? 1 : 0;
    const bool first_goes_on = *one <= *other;
    const bool second_goes_on = *other <= *one;
    one += first_goes_on ? 1 : 0;
    other += second_goes_on ? 1 : 0;
  }
  const std::uint64_t own = window * std::uint64_t{a.hashes.size() - common};
  const std::uint64_t own_of_other = window * std::uint64_t{b.hashes.size() - common};
  if (own + own_of_other == 0) return 1;
  const std::uint64_t shared =
      std::min(a.length - std::min(a.length, own), b.length - std::min(b.length, own_of_other));
  return static_cast<double>(shared) / static_cast<double>(shared + own + own_of_other);
}

double written_similarity(std::string_view a, std::string_view b, unsigned window, WrittenReader& reader) {
  if (std::max(a.size(), b.size()) > WrittenReader::kMostBytes) return 1;
  WrittenTokens first;
  WrittenTokens second;
  reader.read(a, first);
  reader.read(b, second);
  return written_similarity(first, second, window);
}

}  // namespace refrain::sketch
