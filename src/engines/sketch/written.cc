#include "engines/sketch/written.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/hash.h"
#include "refrain/utf8.h"
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

// Whether no letter or digit is here. Of characters beyond ASCII, only U+2000 to U+2FFF, such as quotation marks and
// dashes, are taken for no letters.
bool is_edge(std::string_view text, std::size_t at) {
  constexpr char kPunctuation = '\xE2';  // their first byte
  if (at >= text.size() || text[at] == kPunctuation) return true;
  return kind_of(text[at]) != Kind::word && kind_of(text[at]) != Kind::non_ascii && text[at] != '_';
}
bool is_edge_before(std::string_view text, std::size_t at) {
  std::size_t before = at;
  do
    if (before-- == 0) return true;
  while ((static_cast<unsigned char>(text[before]) & 0xC0U) == 0x80U && at - before < 4);
  return is_edge(text, before);
}

bool has_word_at(std::string_view text, std::size_t at, std::string_view word) {
  return at <= text.size() && same_word(text.substr(at, word.size()), word) && is_edge(text, at + word.size());
}

// The negation that begins here, or whose apostrophe is here; empty if there is none. A typographic apostrophe is found
// at the letter before it.
std::string_view negation_at(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 11> kNegationWords = {
      "not", "no", "nor", "never", "none", "neither", "nothing", "nobody", "nowhere", "without", "cannot"};
  constexpr std::string_view kNot = kNegationWords.front();
  if (text[at] == '\'')
    return at != 0 && has_word_at(text, at - 1, "n't") && !is_edge_before(text, at - 1) ? kNot : std::string_view();
  if (at + 1 >= text.size()) return {};
  const char first = lower(text[at]);
  const char second = lower(text[at + 1]);
  // Most words that begin like this are ruled out by their second letter.
  if (first == 'n' ? second != 'o' && second != 'e' && kind_of(second) != Kind::non_ascii
                   : second != (first == 'w' ? 'i' : 'a'))
    return {};
  if (!is_edge_before(text, at)) return has_word_at(text, at, "n\u2019t") ? kNot : std::string_view();
  for (const std::string_view word : kNegationWords)
    if (word[0] == first && word[1] == second && has_word_at(text, at, word))
      return word == kNegationWords.back() ? kNot : word;
  return {};
}

// The end of the number that begins here.
std::size_t number_end(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_digit(text[at]) ||
                              ((text[at] == '.' || text[at] == ',') && at + 1 < text.size() && is_digit(text[at + 1]))))
    ++at;
  return at;
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
  if (!find(text, out)) return find_details(text, out);
  const std::string normal = normal_form(text);
  find(normal, out);
  find_details(normal, out);
}

// Looks only where words begin that may be negations, at digits and at apostrophes. Uses the space that find() made.
void WrittenReader::find_details(std::string_view text, WrittenTokens& out) {
  constexpr text::AsciiSet kMayBegin{"nNwWcC0123456789'"};
  constexpr text::AsciiSet kLetters{"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"};
  const std::size_t words = (text.size() + 63) / 64;
  letters_.resize(words);
  const auto scan = [&](const text::AsciiSet& set, std::uint64_t* members) {
    text::scan_ascii(text.data(), text.size(), set, false, members, non_ascii_.data(), copy_.data());
  };
  scan(kMayBegin, marked_.data());
  scan(kLetters, letters_.data());
  out.numbers = 0;
  out.negations = 0;
  std::size_t done = 0;      // the text before this position has been processed
  std::uint64_t before = 0;  // whether the character before is a letter
  for (std::size_t word = 0; word < words; ++word) {
    // A typographic apostrophe is not ASCII.
    const std::uint64_t apostrophes =
        non_ascii_[word] >> 1U | (word + 1 < words ? non_ascii_[word + 1] << 63U : std::uint64_t{0});
    const std::uint64_t letters = letters_[word];
    const std::uint64_t begins = ~(letters << 1U | before);
    before = letters >> 63U;
    for (std::uint64_t places = marked_[word] & (~letters | begins | apostrophes); places != 0; places &= places - 1) {
      const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(places));
      if (at < done) continue;
      if (is_digit(text[at])) {
        done = number_end(text, at);
        out.numbers += hash_of(text.substr(at, done - at));
        continue;
      }
      const std::string_view negation = negation_at(text, at);
      if (!negation.empty()) out.negations += hash_of(negation);
    }
  }
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

std::uint8_t differing_details(const WrittenTokens& a, const WrittenTokens& b) {
  return static_cast<std::uint8_t>((a.numbers != b.numbers ? kNumberDetail : 0U) |
                                   (a.negations != b.negations ? kNegationDetail : 0U) |
                                   (a.hashes != b.hashes ? kSymbolDetail : 0U));
}

std::string detail_names(unsigned details) {
  std::string names;
  static constexpr std::pair<unsigned, std::string_view> kNames[] = {
      {kNumberDetail, "number"}, {kNegationDetail, "negation"}, {kSymbolDetail, "symbol"}};
  for (const auto& [bit, name] : kNames)
    if ((details & bit) != 0) (names += names.empty() ? "" : ", ") += name;
  return names;
}

void compare_written(const WrittenTokens& a, const WrittenTokens& b, unsigned window, const MatchRule& rule,
                     Loss& loss) {
  if (rule.compares_symbols()) loss.written = static_cast<float>(written_similarity(a, b, window));
  loss.details = differing_details(a, b);
}

void compare_written(std::string_view a, std::string_view b, unsigned window, const MatchRule& rule,
                     WrittenReader& reader, Loss& loss) {
  if (!rule.reads_words() || std::max(a.size(), b.size()) > WrittenReader::kMostBytes) return;
  WrittenTokens first;
  WrittenTokens second;
  reader.read(a, first);
  reader.read(b, second);
  compare_written(first, second, window, rule, loss);
}

namespace {

constexpr auto kForm = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                                      UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);

// Appends the normal form of some characters, taken by themselves.
void append_form(std::string_view text, std::string& out) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t bytes = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                              static_cast<utf8proc_ssize_t>(text.size()), &made, kForm);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  if (bytes < 0)
    out += text;
  else
    out.append(reinterpret_cast<const char*>(made), static_cast<std::size_t>(bytes));
}

// Characters that are their own normal form and remain so next to other such characters: most letters and
// punctuation of today's text. A table covers the scripts with few characters, and punctuation.
class Stable {
 public:
  Stable() {
    std::string form;
    for (std::uint32_t c = 0x80; c < kTable; ++c) {
      std::array<char, 4> bytes{};
      const std::string_view text(bytes.data(), encode_utf8(c, bytes.data()));
      form.clear();
      append_form(text, form);
      table_[c] = is_looked_up(c) && form == text &&
                  utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class == 0;
    }
  }
  bool holds(std::uint32_t c) const {
    if (c < kTable) return table_[c];
    return (c >= 0x3041 && c <= 0x3096) || (c >= 0x30A1 && c <= 0x30FA) ||  // kana
           (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3);    // Han, Hangul
  }

 private:
  static constexpr std::uint32_t kTable = 0x2E80;
  // In the range that is excluded, vowel signs and the like combine with the characters before them.
  static bool is_looked_up(std::uint32_t c) { return c < 0x900 || c >= 0x2000; }

  std::array<bool, kTable> table_{};
};

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

}  // namespace

std::string normal_form(std::string_view text) {
  static const Stable stable;
  std::string out;
  out.reserve(text.size());
  for (std::size_t done = 0; done < text.size();) {
    std::size_t begin = done;
    while (begin < text.size() && is_ascii(text[begin])) ++begin;
    out += text.substr(done, begin - done);
    std::size_t end = begin;
    bool is_stable = true;
    while (end < text.size() && !is_ascii(text[end])) {
      const CodePoint c = decode_utf8(text, end);
      is_stable = is_stable && stable.holds(c.value);
      end += c.size;
    }
    if (is_stable) {
      out += text.substr(begin, end - begin);
    } else {
      // A mark combines with the character before it, even if that is ASCII; ASCII never combines with what precedes
      // it.
      if (begin != 0) {
        out.pop_back();
        --begin;
      }
      append_form(text.substr(begin, end - begin), out);
    }
    done = end;
  }
  return out;
}

}  // namespace refrain::sketch
