#include "text/tokenizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <utf8proc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "every_simd_target.h"
#include "refrain/utf8.h"
#include "text/ascii_scan.h"
#include "text/token_hash.h"

namespace refrain::text {
namespace {

struct Token {
  std::string normal;
  std::uint64_t begin;
  std::uint64_t end;
  friend bool operator==(const Token&, const Token&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Token& t) {
    return out << '"' << t.normal << "\" [" << t.begin << ", " << t.end << ")";
  }
};

std::vector<Token> tokens(TokenizerKind kind, std::string_view text) {
  const auto tokenizer = make_tokenizer(kind);
  std::vector<Token> result;
  TokenBlock block;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = tokenizer->next(text, at, block);
    EXPECT_GT(next, at);
    at = next;
    for (std::size_t i = 0; i < block.size(); ++i)
      result.push_back({std::string(block.normal(i)), block.range(i).begin, block.range(i).end});
  }
  return result;
}

std::vector<std::string> normals(TokenizerKind kind, std::string_view text) {
  std::vector<std::string> result;
  for (const Token& token : tokens(kind, text)) result.push_back(token.normal);
  return result;
}

using Strings = std::vector<std::string>;

// ---- the slow, obvious versions

// By script, as the Unicode charts list them.
bool without_spaces(std::uint32_t c) {
  const auto in = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  const bool han = in(0x2E80, 0x2FDF) || in(0x3005, 0x3007) || in(0x3021, 0x3029) || in(0x3400, 0x4DBF) ||
                   in(0x4E00, 0x9FFF) || in(0xF900, 0xFAFF) || in(0x20000, 0x3FFFF);
  const bool kana = in(0x3040, 0x30FF) || in(0x31F0, 0x31FF) || in(0xFF66, 0xFF9F) || in(0x1B000, 0x1B16F);
  const bool thai_and_lao = in(0x0E00, 0x0EFF);
  const bool tai = in(0x1950, 0x19DF) || in(0x1A20, 0x1AAF) || in(0xAA80, 0xAADF);
  const bool burmese = in(0x1000, 0x109F) || in(0xA9E0, 0xA9FF) || in(0xAA60, 0xAA7F);
  const bool khmer = in(0x1780, 0x17FF);
  return han || kana || thai_and_lao || tai || burmese || khmer;
}

// The words of a text, found a character at a time, without blocks, stretches or masks. cut_long() cuts long tokens.
std::vector<Token> plain_words(std::string_view text) {
  std::vector<Token> result;
  bool open = false;
  bool single = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    const auto category = c.valid() ? utf8proc_category(static_cast<utf8proc_int32_t>(c.value)) : UTF8PROC_CATEGORY_CN;
    const bool letter = (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
                        category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL;
    const bool mark = category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
    const bool alone = letter && category != UTF8PROC_CATEGORY_ND && without_spaces(c.value);
    if (letter && (!open || single || alone)) result.push_back({"", at, at});
    if (letter || (mark && open)) {
      utf8proc_int32_t folded[4];
      int boundary = 0;
      const auto count =
          utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.value), folded, 4, UTF8PROC_CASEFOLD, &boundary);
      for (utf8proc_ssize_t i = 0; i < count; ++i) {
        char bytes[4];
        result.back().normal.append(bytes, encode_utf8(static_cast<std::uint32_t>(folded[i]), bytes));
      }
      result.back().end = at + c.size;
      if (letter) single = alone;
      open = true;
    } else {
      open = single = false;
    }
    at += c.size;
  }
  return result;
}

TEST(Words, FoldsCaseAndKeepsByteRanges) {
  EXPECT_EQ(tokens(TokenizerKind::words, "Hello, WORLD 42!"),
            (std::vector<Token>{{"hello", 0, 5}, {"world", 7, 12}, {"42", 13, 15}}));
}

TEST(Words, FoldsBeyondAscii) {
  EXPECT_EQ(normals(TokenizerKind::words, "Straße ÉTÉ Ελλάς"), (Strings{"strasse", "été", "ελλάσ"}));
}

TEST(Words, TakesEachCharacterOfScriptsWithoutSpaces) {
  EXPECT_EQ(normals(TokenizerKind::words, "我爱你"), (Strings{"我", "爱", "你"}));
  EXPECT_EQ(normals(TokenizerKind::words, "カナabcかな"), (Strings{"カ", "ナ", "abc", "か", "な"}));
}

TEST(Words, KeepsMarksWithTheirCharacter) {
  EXPECT_EQ(normals(TokenizerKind::words, "กำกี่"), (Strings{"ก", "ำ", "กี่"}));
  EXPECT_EQ(normals(TokenizerKind::words, "हिन्दी"), (Strings{"हिन्दी"}));
}

TEST(Words, InvalidUtf8Separates) {
  EXPECT_EQ(normals(TokenizerKind::words,
                    "ab\xFF"
                    "cd\xC3"),
            (Strings{"ab", "cd"}));
  EXPECT_EQ(normals(TokenizerKind::words, "x\xED\xA0\x80y"), (Strings{"x", "y"}));  // a surrogate
  EXPECT_EQ(normals(TokenizerKind::words, "x\xC0\xAFy"), (Strings{"x", "y"}));      // overlong
}

TEST(Words, EndsWithTheLastLetterOfTheText) {
  for (std::size_t size = 1; size < 200; ++size) {
    const std::string text(size, 'q');
    EXPECT_EQ(tokens(TokenizerKind::words, text), (std::vector<Token>{{text, 0, size}}));
  }
}

TEST(Words, CutsTokensThatAreTooLongWhereverTheyBegin) {
  for (const std::size_t before : {0, 1, 63, 5000, 16383, 16384, 20000}) {
    const std::string text = std::string(before, ' ') + std::string(40000, 'x') + " end";
    const auto result = tokens(TokenizerKind::words, text);
    ASSERT_EQ(result.size(), 4U) << before;
    EXPECT_EQ(result[0].begin, before);
    EXPECT_EQ(result[0].end, before + kMaxTokenBytes);
    EXPECT_EQ(result[1].end, before + 2 * kMaxTokenBytes);
    EXPECT_EQ(result[3].normal, "end");
  }
}

// Text made of pieces that tokenizers find hard, long enough to cross stretches now and then.
std::string hard_text(std::uint64_t seed, std::size_t pieces) {
  static const std::vector<std::string> kPieces{"a",
                                                "Z",
                                                "word ",
                                                " ",
                                                "\n",
                                                "\r\n",
                                                "\t",
                                                "é",
                                                "É",
                                                "ß",
                                                "ſ",
                                                "İ",
                                                "我",
                                                "們",
                                                "ก",
                                                "ี",
                                                "カ",
                                                "\xFF",
                                                "\xC3",
                                                "\xE6\x88",
                                                "\xF0\x9F\x98\x80",
                                                "0",
                                                "9x",
                                                "_",
                                                "-",
                                                "e\xCC\x81",
                                                "the quick brown fox jumps over the lazy dog ",
                                                "\xEF\xBB\xBF",
                                                std::string(1, '\0'),
                                                std::string(64, 'm'),
                                                std::string(70, ' ')};
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

TEST(Words, EqualsThePlainVersionOnHardText) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = hard_text(seed, seed < 280 ? seed * 3 : 9000);
    ASSERT_EQ(tokens(TokenizerKind::words, text), plain_words(text)) << "seed " << seed;
  }
}

RC_GTEST_PROP(Words, EqualsThePlainVersionOnAnyBytes, (const std::string& text)) {
  RC_ASSERT(tokens(TokenizerKind::words, text) == plain_words(text));
}

TEST(EveryTokenizer, GivesTheSameTokensWhateverStandsBefore) {
  // A shifted text has other block and stretch boundaries. A separator keeps its tokens apart from what precedes it.
  for (std::size_t kind = 0; kind < tokenizer_names().size(); ++kind) {
    if (static_cast<TokenizerKind>(kind) == TokenizerKind::bytes ||
        static_cast<TokenizerKind>(kind) == TokenizerKind::chars)
      continue;  // in these, spaces are tokens
    const std::string text = hard_text(kind, 5000);
    const auto expected = tokens(static_cast<TokenizerKind>(kind), text);
    for (const std::size_t before : {1, 2, 63, 64, 777}) {
      auto shifted = tokens(static_cast<TokenizerKind>(kind), std::string(before, ' ') + text);
      for (Token& token : shifted) token.begin -= before, token.end -= before;
      ASSERT_EQ(shifted, expected) << tokenizer_names()[kind] << " after " << before;
    }
  }
}

TEST(EveryTokenizer, GivesNothingForAnEmptyText) {
  for (std::size_t kind = 0; kind < tokenizer_names().size(); ++kind)
    EXPECT_TRUE(tokens(static_cast<TokenizerKind>(kind), "").empty());
}

TEST(Whitespace, SplitsAtAsciiWhiteSpaceOnly) {
  EXPECT_EQ(normals(TokenizerKind::whitespace,
                    " A,b\tc\r\nd\xC2\xA0"
                    "e "),
            (Strings{"A,b", "c",
                     "d\xC2\xA0"
                     "e"}));
  EXPECT_EQ(normals(TokenizerKind::whitespace,
                    "a\xFF"
                    "b"),
            (Strings{"a", "b"}));
  EXPECT_EQ(normals(TokenizerKind::whitespace_lower, "Ab ÄÖ"), (Strings{"ab", "äö"}));
}

TEST(Alpha, TakesRunsOfAsciiLettersAsTheyStand) {
  EXPECT_EQ(normals(TokenizerKind::alpha, "Don't stop2think é x"), (Strings{"Don", "t", "stop", "think", "x"}));
}

TEST(Chars, TakesCodePoints) {
  EXPECT_EQ(tokens(TokenizerKind::chars,
                   "a é\xFF"
                   "我"),
            (std::vector<Token>{{"a", 0, 1}, {" ", 1, 2}, {"é", 2, 4}, {"我", 5, 8}}));
}

TEST(Bytes, TakesEveryByte) {
  EXPECT_EQ(normals(TokenizerKind::bytes, std::string_view("a\0\xFF", 3)),
            (Strings{"a", std::string(1, '\0'), "\xFF"}));
}

TEST(Dna, TakesBasesAndPassesOverHeadersAndLineBreaks) {
  EXPECT_EQ(normals(TokenizerKind::dna, ">chr1 ACGT\nac\nGu\n>x"), (Strings{"A", "C", "G", "T"}));
}

TEST(Code, TakesNamesNumbersAndOperators) {
  EXPECT_EQ(normals(TokenizerKind::code, "if (a_1 >>= 0x1F) {b->c++;}"),
            (Strings{"if", "(", "a_1", ">>=", "0x1F", ")", "{", "b", "->", "c", "++", ";", "}"}));
}

TEST(Code, KeepsACharacterThatStandsWhereAStretchEnds) {
  for (std::size_t before = kMaxTokenBytes - 8; before < kMaxTokenBytes + 8; ++before) {
    const auto result = tokens(TokenizerKind::code, std::string(before, ' ') + "é y");
    ASSERT_EQ(result, (std::vector<Token>{{"é", before, before + 2}, {"y", before + 3, before + 4}})) << before;
  }
}

TEST(CodeKinds, SeesThroughOtherNames) {
  EXPECT_EQ(normals(TokenizerKind::code_kinds, "for (i = 0; i < count; ++i) sum += f(i);"),
            normals(TokenizerKind::code_kinds, "for (k=1;k<n;++k)\n  total += g(k);"));
  EXPECT_NE(normals(TokenizerKind::code_kinds, "if (x)"), normals(TokenizerKind::code_kinds, "while (x)"));
}

TEST(BareCodeTokenizer, PassesOverComments) {
  const auto bare = [](std::string_view text) { return normals(TokenizerKind::code_bare, text); };
  const std::vector<std::string> plain = {"a", "+", "b"};
  for (const std::string_view text :
       {"a + b // c d", "a /* c\n * d */ + b", "// x\na\n/**/ +b", "a + b # c", "# c\na + b\n#\n", "#!/bin/sh\na+b",
        "a + b -- c d", "/*! x */a+b", "a//\n+b", "a + b ## c ##\n", "// x\r\na + b\r\n", "//====\na + b", "a+b/* x */",
        "#\r\na+b"})
    EXPECT_EQ(bare(text), plain) << text;
}

TEST(BareCodeTokenizer, TakesForACommentOnlyWhatLooksLikeOne) {
  for (const std::string_view text : {"#include <a>", "# define a b", "#  endif", "a##b", "i-- > 0", "--i", "x //= 2",
                                      "glob('src/*.py')", "a /* b", "/*/ c", "#x", "a / *b", "a #", "a # ", "a ##"})
    EXPECT_EQ(normals(TokenizerKind::code_bare, text), normals(TokenizerKind::code, text)) << text;
  EXPECT_EQ(normals(TokenizerKind::code_bare, "get http://a.b/c // d"),
            (std::vector<std::string>{"get", "http", "://", "a", ".", "b", "/", "c"}));
  EXPECT_EQ(normals(TokenizerKind::code_kinds_bare, "int x = 1; // y"),
            normals(TokenizerKind::code_kinds, "int x = 1;"));
}

TEST(BareCodeTokenizer, TakesTimeLinearInHostileText) {
  const auto began = std::chrono::steady_clock::now();
  for (const std::string_view part :
       {"#", "/*", "/* ", "# ", "//", "-- a", "/*/", "*/", "#define", "# define ", "/*x*/"}) {
    std::string text;
    while (text.size() < 1000000) text += part;
    TokenBlock block;
    const auto tokenizer = make_tokenizer(TokenizerKind::code_bare);
    for (std::size_t at = 0; at < text.size();) at = tokenizer->next(text, at, block);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(1));
}

// Comments of any length at any position, beside text that only looks like one: a text made of parts has the tokens
// of its parts.
TEST(BareCodeTokenizer, GivesTheSameTokensWhereverStretchesAndPartsBegin) {
  std::mt19937_64 random(8);
  const std::vector<std::string> parts = {"x1 ", "+", "// no no\n", "/* no */", "/",   "*", "#",    "# no\n",
                                          "-",   " ", "\n",         "-- no\n",  "://", "é", "\xff", "\"/*.c\" "};
  for (int round = 0; round < 60; ++round) {
    std::string text;
    while (text.size() < 40000) {
      text += parts[random() % parts.size()];
      if (random() % 500 == 0) text += "/* " + std::string(random() % 30000, 'n') + " */";
      if (random() % 500 == 0) text += "// " + std::string(random() % 30000, 'n') + "\n";
    }
    const auto all = tokens(TokenizerKind::code_bare, text);
    for (int i = 0; i < 20; ++i) {
      const std::size_t first = random() % all.size();
      const std::size_t begin = all[first].begin;
      const auto rest = tokens(TokenizerKind::code_bare, std::string_view(text).substr(begin));
      ASSERT_EQ(rest.size(), all.size() - first);
      for (std::size_t k = 0; k < rest.size(); ++k) {
        ASSERT_EQ(rest[k].begin + begin, all[first + k].begin);
        ASSERT_EQ(rest[k].normal, all[first + k].normal);
      }
      // The same for a part that ends where another token begins.
      const std::size_t last = first + random() % (all.size() - first);
      const auto part = tokens(TokenizerKind::code_bare, std::string_view(text).substr(begin, all[last].begin - begin));
      ASSERT_EQ(part.size(), last - first);
      for (std::size_t k = 0; k < part.size(); ++k) ASSERT_EQ(part[k].normal, all[first + k].normal);
    }
  }
}

TEST(AsciiScan, EqualsThePlainVersionOnEveryTarget) {
  on_every_simd_target([] {
    std::mt19937_64 random(7);
    for (std::size_t size = 0; size < 300; ++size) {
      std::string text(size, ' ');
      for (char& c : text) c = static_cast<char>(random() >> 3U);
      AsciiSet set;
      for (int i = 0; i < 40; ++i) set.insert(static_cast<std::uint8_t>(random() % 128));
      const std::size_t words = (size + 63) / 64;
      std::vector<std::uint64_t> members(words), plain_members(words), high(words), plain_high(words);
      std::string copy(words * 64, 'x');
      std::string plain_copy = copy;
      const bool lower = size % 2 == 0;
      EXPECT_EQ(
          scan_ascii(text.data(), size, set, lower, members.data(), high.data(), copy.data()),
          scan_ascii_plain(text.data(), size, set, lower, plain_members.data(), plain_high.data(), plain_copy.data()));
      EXPECT_EQ(members, plain_members);
      EXPECT_EQ(high, plain_high);
      EXPECT_EQ(copy.substr(0, size), plain_copy.substr(0, size));
      std::vector<std::uint32_t> edges(size + 9);
      edges.resize(find_edges(members.data(), size, edges.data()));
      std::vector<std::uint32_t> plain_edges;
      for (std::size_t i = 0; i <= size; ++i) {
        const auto in = [&](std::size_t at) { return at < size && set.contains(static_cast<std::uint8_t>(text[at])); };
        if (in(i) != (i > 0 && in(i - 1))) plain_edges.push_back(static_cast<std::uint32_t>(i));
      }
      EXPECT_EQ(edges, plain_edges);
    }
  });
}

// ---- hashes

TEST(TokenHash, SdbmGivesThePrintedValuesOfThePaper) {
  EXPECT_EQ(hash_sdbm("school"), 0b0001100010100100001000101000010101011000001101010000111011110100U);
  EXPECT_EQ(hash_sdbm("students"), 0b0110001001010100000110011101001010001000110100111001101100111000U);
  EXPECT_EQ(hash_sdbm("teachers"), 0b1010011000101110111000111100110100100111001000010100000110110001U);
}

TEST(TokenHash, Md5GivesTheTestValuesOfTheStandard) {
  EXPECT_EQ(hash_md5(""), 0xd41d8cd98f00b204U);
  EXPECT_EQ(hash_md5("message digest"), 0xf96b697d7cb7938dU);
  EXPECT_EQ(hash_md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            0x57edf4a22be3c955U);
}

TEST(TokenHash, JenkinsGivesTheTestValuesOfLookup3) {
  // From the driver of lookup3, with pc as the high half and pb as the low one.
  EXPECT_EQ(hash_jenkins("", 0), 0xdeadbeefdeadbeefU);
  EXPECT_EQ(hash_jenkins("", 0xdeadbeef00000000U), 0xbd5b7ddebd5b7ddeU >> 0U);
  EXPECT_EQ(hash_jenkins("Four score and seven years ago", 0), 0x17770551ce7226e6U);
}

TEST(TokenHash, XxhIsTheReferenceFunction) {
  EXPECT_EQ(hash_token(HashKind::xxh3, "", 0), 0x2d06800538d394c2U);
}

TEST(TokenHash, WholeBlocksEqualSingleTokensOnEveryTarget) {
  std::string text = hard_text(3, 4000);
  for (std::size_t size = 1; size < 130; ++size) text += std::string(size, static_cast<char>('a' + size % 26)) + "b ";
  const auto tokenizer = make_tokenizer(TokenizerKind::whitespace);
  on_every_simd_target([&] {
    TokenBlock block;
    std::vector<std::uint64_t> hashes(TokenBlock::kMaxEdges);
    for (const HashKind kind : {HashKind::xxh3, HashKind::sdbm, HashKind::jenkins, HashKind::md5})
      for (std::size_t at = 0; at < text.size();) {
        at = tokenizer->next(text, at, block);
        hash_tokens(kind, block, 5, hashes.data());
        for (std::size_t i = 0; i < block.size(); ++i)
          ASSERT_EQ(hashes[i], hash_token(kind, block.normal(i), 5)) << block.normal(i);
      }
  });
}

// The tokens of words-nfkc, joined by a bar.
std::string normal_words(std::string_view text) {
  const std::unique_ptr<const Tokenizer> tokenizer = make_tokenizer(TokenizerKind::words_nfkc);
  TokenBlock block;
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    at = tokenizer->next(text, at, block);
    for (std::size_t i = 0; i < block.size(); ++i) all += (all.empty() ? "" : "|") + std::string(block.normal(i));
  }
  return all;
}

std::string in_form(std::string_view text, int form) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &made, static_cast<utf8proc_option_t>(form | UTF8PROC_STABLE));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> held(made, std::free);
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)};
}

TEST(NormalWords, AreTheSameInEveryFormOfUnicode) {
  const char* const texts[] = {
      "Tiếng Việt có nhiều dấu: nghĩa, thuở, ngữ, Đặng Thị Ngọc",  // Vietnamese
      "한국어 글은 음절로 쓴다",                                   // Korean
      "Ελληνικά με τόνους: άέήίόύώ, ΐΰ, ἀρχῇ ἦν ὁ λόγος",          // Greek
      "L'élève naïf a mangé où ça ? Œuvre, forêt, Noël",           // French
      "Größe, Äpfel, über, Straße",                                // German
      "Příliš žluťoučký kůň úpěl ďábelské ódy",                    // Czech
      "İstanbul'da ışık, çağ, öğüt, şeker",                        // Turkish
      "Ёлка, йод, съёмка, ЁЖ",                                     // Russian
      "がぎぐげご ガギグゲゴ ぱぴぷ ヴ",                           // Japanese
      "हिन्दी में ज़रूर क़लम ख़ुश फ़िल्म",                                   // Hindi
      "العربية آمن أحمد إيمان مؤمن رئيس",                          // Arabic
      "คำนำ น้ำใจ ทำงาน",                                           // Thai
      "Zażółć gęślą jaźń",                                         // Polish
  };
  for (const char* text : texts) {
    const std::string expected = normal_words(text);
    EXPECT_GE(std::count(expected.begin(), expected.end(), '|'), 2) << text;
    EXPECT_EQ(normal_words(in_form(text, UTF8PROC_COMPOSE)), expected);
    EXPECT_EQ(normal_words(in_form(text, UTF8PROC_DECOMPOSE)), expected);
    EXPECT_EQ(normal_words(in_form(text, UTF8PROC_COMPOSE | UTF8PROC_COMPAT)), expected);
    EXPECT_EQ(normal_words(in_form(text, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT)), expected);
    EXPECT_EQ(normal_words(in_form(text, UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD)), expected);
  }
}

TEST(NormalWords, PassOverWhatHasNoWidthAndTakeWideForNarrow) {
  EXPECT_EQ(normal_words("co\u00ADoper\u00ADation"), "cooperation");
  EXPECT_EQ(normal_words("\u00ADone\u200B two\uFEFF\u2060 th\u200Cree\u00AD"), "one|two|three");
  EXPECT_EQ(normal_words("ＡＢＣ　１２３"), "abc|123");
  EXPECT_EQ(normal_words("ﬁnal oﬃce"), "final|office");
  EXPECT_EQ(normal_words("ｶﾞｷﾞ"), normal_words("ガギ"));
  EXPECT_EQ(normal_words("x² Ⅳ"), "x|iv");
  // A character that decomposes into a sentence stays unchanged, and takes no more room than there is.
  EXPECT_EQ(normal_words("\uFDFA"), "\uFDFA");
}

TEST(NormalWords, AsciiAsBefore) {
  const char* const text = "The Quick-brown fox_42, it's 3.14!";
  EXPECT_EQ(normal_words(text), "the|quick|brown|fox|42|it|s|3|14");
}

TEST(NormalWords, RangesAreOfTheTextAsItIs) {
  const std::string text = "a cafe\u0301 co\u00ADop";
  const std::unique_ptr<const Tokenizer> tokenizer = make_tokenizer(TokenizerKind::words_nfkc);
  TokenBlock block;
  EXPECT_EQ(tokenizer->next(text, 0, block), text.size());
  ASSERT_EQ(block.size(), 3U);
  EXPECT_EQ(text.substr(block.range(1).begin, block.range(1).end - block.range(1).begin), "cafe\u0301");
  EXPECT_EQ(text.substr(block.range(2).begin, block.range(2).end - block.range(2).begin), "co\u00ADop");
}

}  // namespace
}  // namespace refrain::text
