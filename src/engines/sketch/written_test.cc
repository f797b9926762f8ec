// Texts as they are written, against a slow reading of them.
#include "engines/sketch/written.h"

#include <gtest/gtest.h>

#include <cctype>
#include <random>
#include <set>
#include <sstream>
#include <string>

namespace refrain::sketch {
namespace {

// ASCII alone.
std::vector<std::string> plain_tokens(const std::string& text) {
  std::vector<std::string> tokens;
  std::istringstream runs(text);
  for (std::string run; runs >> run;) {
    const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const bool has_word = run.find_first_of(letters) != run.npos;
    const std::string around = has_word ? ".,;:?!\"'()[]{}`*_#|" : ".,;:?!\"'()[]{}`";
    run.erase(0, std::min(run.find_first_not_of(around), run.size()));
    run.erase(run.find_last_not_of(around) + 1);
    for (char& c : run) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (run.find_first_of("<>=&+~^%/\\@$*_|#") != run.npos || run.find("::") != run.npos) {
      const bool marks =
          std::string(">*_#|").find(run[0]) != std::string::npos && run == std::string(run.size(), run[0]);
      if (has_word || (run.size() <= 3 && !marks)) tokens.push_back(run);
      continue;
    }
    for (char& c : run)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = ' ';
    std::istringstream words(run);
    for (std::string word; words >> word;) tokens.push_back(word);
  }
  return tokens;
}

std::set<std::vector<std::string>> plain_windows(const std::vector<std::string>& tokens, std::size_t window) {
  std::set<std::vector<std::string>> windows;
  window = std::min(window, tokens.size());
  for (std::size_t i = 0; window != 0 && i + window <= tokens.size(); ++i)
    windows.insert(
        {tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.begin() + static_cast<std::ptrdiff_t>(i + window)});
  return windows;
}

std::vector<std::string> with_symbols(std::vector<std::string> tokens) {
  std::erase_if(tokens, [](const std::string& token) {
    return token.find_first_of("<>=&+~^%/\\@$*_|#") == token.npos && token.find("::") == token.npos;
  });
  return tokens;
}

double plain_similarity(const std::string& a, const std::string& b, std::size_t window) {
  const std::vector<std::string> one = plain_tokens(a);
  const std::vector<std::string> other = plain_tokens(b);
  if (with_symbols(one) == with_symbols(other)) return 1;
  const auto first = plain_windows(one, window);
  const auto second = plain_windows(other, window);
  std::size_t common = 0;
  for (const auto& each : first) common += second.count(each);
  return static_cast<double>(common) / static_cast<double>(first.size() + second.size() - common);
}

TEST(WrittenTexts, AsReadSlowly) {
  const std::vector<std::string> pieces = {"a",  "B", "word", "==",    "<",   ">",    ">=", "::", ":", "x_y",
                                           "(",  ")", "**",   "#",     "a/b", ".",    ",",  "'",  "-", "&",
                                           "!=", "+", "=",    "=====", ">>",  "it's", "##", "*#"};
  std::minstd_rand random(3);
  WrittenTexts written(3);
  unsigned differ = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    std::string a;
    for (auto i = random() % 30; i > 0; --i) {
      a += pieces[random() % pieces.size()];
      if (random() % 3 != 0) a += random() % 9 == 0 ? "\n" : " ";
    }
    std::string b = a;
    for (auto i = random() % 4; i > 0 && !b.empty(); --i)
      b.replace(random() % b.size(), random() % 3, pieces[random() % pieces.size()]);
    const double expected = plain_similarity(a, b, 3);
    ASSERT_DOUBLE_EQ(written.similarity(a, b), expected) << a << "\n" << b;
    differ += expected < 1 ? 1 : 0;
  }
  EXPECT_GT(differ, 500U);
}

TEST(WrittenTexts, SymbolsTellApartWhatWordsDoNot) {
  WrittenTexts written(5);
  const std::string text =
      "Function template operator@. Compares two iterators: auto operator@(T lhs, U rhs); operator@() for all.";
  std::string equal = text;
  std::string unequal = text;
  for (std::size_t at = 0; (at = equal.find('@')) != equal.npos;) equal.replace(at, 1, "==");
  for (std::size_t at = 0; (at = unequal.find('@')) != unequal.npos;) unequal.replace(at, 1, "!=");
  EXPECT_LT(written.similarity(equal, unequal), 0.5);
  EXPECT_EQ(written.similarity(equal, equal), 1);
}

TEST(WrittenTexts, WhatTypesettingChangesDoesNotCount) {
  WrittenTexts written(5);
  EXPECT_EQ(
      written.similarity("She said: \"It's a well-known fact - isn't it?\" He nodded.",
                         "She said: \u201cIt\u2019s a well\u2010known fact \u2014 isn\u2019t it?\u201d He nodded."),
      1);
  EXPECT_EQ(written.similarity("## A title\n\n**Bold** words and _more_ of them | in a table |",
                               "A title\n=======\nBold words and more of them in a table"),
            1);
  EXPECT_EQ(written.similarity("> quoted text of a mail\n>> and older text", "quoted text of a mail\nand older text"),
            1);
}

TEST(WrittenTexts, FormsOfACharacterAreTheSame) {
  WrittenTexts written(5);
  // Precomposed and decomposed; wide and plain.
  EXPECT_EQ(written.similarity("a/\u00e9t\u00e9 = x", "a/e\u0301te\u0301 = x"), 1);
  EXPECT_EQ(written.similarity("\uff41\uff0f\uff42 \u8a00\u8a9e", "a/b \u8a00\u8a9e"), 1);
}

TEST(WrittenTexts, ALongTextIsNotAboutASymbol) {
  WrittenTexts written(5);
  const std::string text(WrittenTexts::kMostBytes + 1, 'a');
  EXPECT_EQ(written.similarity(text, "a == b"), 1);
  EXPECT_EQ(written.similarity("", "a == b"), 0);
  EXPECT_EQ(written.similarity("", ""), 1);
}

}  // namespace
}  // namespace refrain::sketch
