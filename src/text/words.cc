// The tokenizer "words": runs of letters and digits of any script, case-folded. In scripts without spaces (Han, Kana,
// Thai, ...) every character is a token. Combining marks belong to the character before them.
//
// "words-nfkc" treats characters that Unicode calls compatible (NFKC) as equal: composed characters or combining
// marks, full-width or half-width forms, ligatures. Its normal form is the decomposed one (NFKD), character by
// character: several marks on one letter stay in their order, which is the same in all four of Unicode's normal
// forms. Soft hyphens and other characters without width are ignored.
#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "text/run_tokenizer.h"

namespace refrain::text {

namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks of scripts that are written without spaces between words, in ascending order.
constexpr std::array<Range, 20> kUnspaced{{
    {0x0E00, 0x0E7F},    // Thai
    {0x0E80, 0x0EFF},    // Lao
    {0x1000, 0x109F},    // Myanmar
    {0x1780, 0x17FF},    // Khmer
    {0x1950, 0x19DF},    // Tai Le, New Tai Lue
    {0x1A20, 0x1AAF},    // Tai Tham
    {0x2E80, 0x2FDF},    // CJK radicals
    {0x3005, 0x3007},    // Han iteration mark and zero
    {0x3021, 0x3029},    // Hangzhou numerals
    {0x3040, 0x309F},    // Hiragana
    {0x30A0, 0x30FF},    // Katakana
    {0x31F0, 0x31FF},    // Katakana extensions
    {0x3400, 0x4DBF},    // Han, extension A
    {0x4E00, 0x9FFF},    // Han
    {0xA9E0, 0xA9FF},    // Myanmar, extended B
    {0xAA60, 0xAADF},    // Myanmar, extended A; Tai Viet
    {0xF900, 0xFAFF},    // Han, compatibility
    {0xFF66, 0xFF9F},    // Katakana, half width
    {0x1B000, 0x1B16F},  // Kana, historic
    {0x20000, 0x3FFFF},  // Han, all further extensions
}};

bool is_unspaced(std::uint32_t c) {
  const auto* at = std::lower_bound(kUnspaced.begin(), kUnspaced.end(), c,
                                    [](const Range& range, std::uint32_t value) { return range.last < value; });
  return at != kUnspaced.end() && c >= at->first;
}

// The sound marks of half-width Katakana are letters in Unicode.
bool is_half_width_mark(std::uint32_t c) {
  return c == 0xFF9E || c == 0xFF9F;
}

// The vowel AM of Thai and Lao is one character, or nikhahit and the vowel AA. To make both equal, nikhahit is
// ignored.
bool is_nikhahit(std::uint32_t c) {
  return c == 0x0E4D || c == 0x0ECD;
}
bool is_vowel_am(std::uint32_t c) {
  return c == 0x0E33 || c == 0x0EB3;
}

bool is_hangul_syllable(std::uint32_t c) {
  return 0xAC00 <= c && c <= 0xD7A3;
}

struct WordsRules {
  static constexpr AsciiSet kMembers{"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"};
  static constexpr bool kLower = true;
  static constexpr bool kAsciiOnly = false;

  static CharacterRole role(std::uint32_t c) {
    switch (utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->category) {
      case UTF8PROC_CATEGORY_LU:
      case UTF8PROC_CATEGORY_LL:
      case UTF8PROC_CATEGORY_LT:
      case UTF8PROC_CATEGORY_LM:
      case UTF8PROC_CATEGORY_LO:
      case UTF8PROC_CATEGORY_NL:
        return is_unspaced(c) ? CharacterRole::single : CharacterRole::run;
      case UTF8PROC_CATEGORY_ND:
        return CharacterRole::run;
      case UTF8PROC_CATEGORY_MN:
      case UTF8PROC_CATEGORY_MC:
      case UTF8PROC_CATEGORY_ME:
        return CharacterRole::mark;
      default:
        return CharacterRole::separator;
    }
  }

  static unsigned fold(std::uint32_t c, char* out) {
    const auto code = static_cast<utf8proc_int32_t>(c);
    if (utf8proc_get_property(code)->casefold_seqindex == UINT16_MAX) return encode_utf8(c, out);
    std::array<utf8proc_int32_t, 4> folded{};
    int boundary = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(
        code, folded.data(), static_cast<utf8proc_ssize_t>(folded.size()), UTF8PROC_CASEFOLD, &boundary);
    unsigned bytes = 0;
    for (std::size_t i = 0; i < folded.size() && static_cast<utf8proc_ssize_t>(i) < count; ++i)
      bytes += encode_utf8(static_cast<std::uint32_t>(folded[i]), out + bytes);
    return bytes;
  }
};

struct NormalWordsRules : WordsRules {
  static CharacterRole role(std::uint32_t c) {
    if (utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->ignorable != 0 || is_nikhahit(c))
      return CharacterRole::none;
    return is_half_width_mark(c) ? CharacterRole::mark : WordsRules::role(c);
  }

  static unsigned fold(std::uint32_t c, char* out) {
    if (is_vowel_am(c)) return encode_utf8(c - 1, out);  // AA
    const auto code = static_cast<utf8proc_int32_t>(c);
    const utf8proc_property_t* property = utf8proc_get_property(code);
    if (property->casefold_seqindex == UINT16_MAX && property->decomp_seqindex == UINT16_MAX && !is_hangul_syllable(c))
      return encode_utf8(c, out);
    std::array<utf8proc_int32_t, TokenBlock::kMaxFoldBytes> parts{};
    int boundary = 0;
    const auto options =
        static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(code, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()), options, &boundary);
    // A few characters decompose into several words: they stay unchanged.
    if (count < 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) return encode_utf8(c, out);
    unsigned bytes = 0;
    for (std::size_t i = 0; static_cast<utf8proc_ssize_t>(i) < count; ++i) {
      const auto part = static_cast<std::uint32_t>(parts[i]);
      const unsigned size = part < 0x80 ? 1 : part < 0x800 ? 2 : part < 0x10000 ? 3 : 4;
      if (part == ' ' || bytes + size > TokenBlock::kMaxFoldBytes) return encode_utf8(c, out);
      bytes += encode_utf8(part, out + bytes);
    }
    return bytes;
  }
};

}  // namespace

std::unique_ptr<const Tokenizer> make_words_tokenizer(bool normalize) {
  if (normalize) return std::make_unique<RunTokenizer<NormalWordsRules>>();
  return std::make_unique<RunTokenizer<WordsRules>>();
}

}  // namespace refrain::text
