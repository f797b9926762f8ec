// Compares texts as they are written, checked against a slow implementation.
#include "engines/sketch/written.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace refrain::sketch {
namespace {

// For ASCII texts only.
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

std::vector<std::string> with_symbols(std::vector<std::string> tokens) {
  std::erase_if(tokens, [](const std::string& token) {
    return token.find_first_of("<>=&+~^%/\\@$*_|#") == token.npos && token.find("::") == token.npos;
  });
  return tokens;
}

double plain_similarity(const std::string& a, const std::string& b, double window) {
  const auto runs = [](const std::string& text) {
    std::istringstream words(text);
    double count = 0;
    for (std::string run; words >> run;) ++count;
    return count;
  };
  const auto lacking = [](const std::vector<std::string>& of, std::vector<std::string> other) {
    double count = 0;
    for (const std::string& token : of) {
      const auto found = std::find(other.begin(), other.end(), token);
      if (found == other.end())
        ++count;
      else
        other.erase(found);
    }
    return count;
  };
  const std::vector<std::string> one = with_symbols(plain_tokens(a));
  const std::vector<std::string> other = with_symbols(plain_tokens(b));
  const double own = window * lacking(one, other);
  const double own_of_other = window * lacking(other, one);
  if (own + own_of_other == 0) return 1;
  const double shared = std::min(std::max(0.0, runs(a) - own), std::max(0.0, runs(b) - own_of_other));
  return shared / (shared + own + own_of_other);
}

double similarity_of(const std::string& a, const std::string& b, unsigned window) {
  WrittenReader reader;
  Loss loss;
  compare_written(a, b, window, MatchRule{}, reader, loss);
  return loss.written;
}

double similarity5(const std::string& a, const std::string& b) {
  return similarity_of(a, b, 5);
}

TEST(WrittenTexts, AsReadSlowly) {
  const std::vector<std::string> pieces = {"a",  "B", "word", "==",    "<",   ">",    ">=", "::", ":", "x_y",
                                           "(",  ")", "**",   "#",     "a/b", ".",    ",",  "'",  "-", "&",
                                           "!=", "+", "=",    "=====", ">>",  "it's", "##", "*#"};
  std::minstd_rand random(3);
  unsigned differ = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    std::string a;
    for (auto i = random() % 90; i > 0; --i) {
      a += pieces[random() % pieces.size()];
      if (random() % 3 != 0) a += random() % 9 == 0 ? "\n" : " ";
    }
    std::string b = a;
    for (auto i = random() % 4; i > 0 && !b.empty(); --i)
      b.replace(random() % b.size(), random() % 3, pieces[random() % pieces.size()]);
    const double expected = plain_similarity(a, b, 3);
    ASSERT_DOUBLE_EQ(similarity_of(a, b, 3), static_cast<float>(expected)) << a << "\n" << b;
    differ += expected < 1 ? 1 : 0;
  }
  EXPECT_GT(differ, 500U);
}

TEST(WrittenTexts, SymbolsTellApartWhatWordsDoNot) {
  const std::string text =
      "Function template operator@. Compares two iterators: auto operator@(T lhs, U rhs); operator@() for all.";
  std::string equal = text;
  std::string unequal = text;
  for (std::size_t at = 0; (at = equal.find('@')) != equal.npos;) equal.replace(at, 1, "==");
  for (std::size_t at = 0; (at = unequal.find('@')) != unequal.npos;) unequal.replace(at, 1, "!=");
  EXPECT_LT(similarity5(equal, unequal), 0.5);
  EXPECT_EQ(similarity5(equal, equal), 1);
}

TEST(WrittenTexts, WhatTypesettingChangesDoesNotCount) {
  EXPECT_EQ(similarity5("She said: \"It's a well-known fact - isn't it?\" He nodded.",
                        "She said: \u201cIt\u2019s a well\u2010known fact \u2014 isn\u2019t it?\u201d He nodded."),
            1);
  EXPECT_EQ(similarity5("## A title\n\n**Bold** words and _more_ of them | in a table |",
                        "A title\n=======\nBold words and more of them in a table"),
            1);
  EXPECT_EQ(similarity5("> quoted text of a mail\n>> and older text", "quoted text of a mail\nand older text"), 1);
}

TEST(WrittenTexts, FormsOfACharacterAreTheSame) {
  // Precomposed and decomposed characters; wide and plain ones.
  EXPECT_EQ(similarity5("a/\u00e9t\u00e9 = x", "a/e\u0301te\u0301 = x"), 1);
  EXPECT_EQ(similarity5("\uff41\uff0f\uff42 \u8a00\u8a9e", "a/b \u8a00\u8a9e"), 1);
}

// Reads ASCII text slowly: which numbers it has, and how often each, or which negations.
std::multiset<std::string> plain_details(std::string text, bool numbers) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static const std::regex number("[0-9]+([.,][0-9]+)*");
  static const std::regex negation(
      "\\b(not?|nor|never|none|neither|nothing|nobody|nowhere|without|cannot)\\b|[a-z0-9_]n't\\b");
  std::multiset<std::string> found;
  const std::regex& wanted = numbers ? number : negation;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) {
    const std::string word = at->str();
    found.insert(word.ends_with("n't") || word == "cannot" ? "not" : word);
  }
  return found;
}

unsigned details_of(const std::string& a, const std::string& b) {
  WrittenReader reader;
  Loss loss;
  compare_written(a, b, 5, MatchRule{}, reader, loss);
  return loss.details;
}

TEST(Details, AsReadSlowly) {
  const std::vector<std::string> pieces = {"no",      "not", "can", "cannot", "don't", "n't",     "nothing", "Without",
                                           "NOR",     "1",   "3.5", ".",      ",",     "1,000",   "-",       "a",
                                           "neither", "_",   "'",   "now",    "knot",  "nowhere", "20",      "x"};
  std::minstd_rand random(4);
  std::array<unsigned, 4> seen{};
  for (unsigned round = 0; round < 3000; ++round) {
    std::string a;
    for (auto i = random() % 60; i > 0; --i) {
      a += pieces[random() % pieces.size()];
      if (random() % 3 != 0) a += " ";
    }
    std::string b = a;
    for (auto i = random() % 3; i > 0 && !b.empty(); --i)
      b.replace(random() % b.size(), random() % 3, pieces[random() % pieces.size()]);
    const unsigned expected = (plain_details(a, true) != plain_details(b, true) ? kNumberDetail : 0U) |
                              (plain_details(a, false) != plain_details(b, false) ? kNegationDetail : 0U);
    ASSERT_EQ(details_of(a, b) & (kNumberDetail | kNegationDetail), expected) << a << "\n" << b;
    ++seen[expected];
  }
  EXPECT_GT(std::ranges::min(seen), 100U);
}

TEST(Details, AreSmallThingsThatDecide) {
  EXPECT_EQ(details_of("All iterators are invalidated.", "No iterators are invalidated."), kNegationDetail);
  EXPECT_EQ(details_of("It is valid.", "It isn\u2019t valid."), kNegationDetail);
  EXPECT_EQ(details_of("\u201cNo\u201d \u2014 he said", "\u201cOh\u201d \u2014 he said"), kNegationDetail);
  EXPECT_EQ(details_of("It cannot be, and must not be", "It can't be, and mustn't be"), 0U);
  EXPECT_EQ(details_of("pay 1,000 by May 3", "pay 1,000 by May 4"), kNumberDetail);
  EXPECT_EQ(details_of("x\u00b2", "x2"), 0U);
  EXPECT_EQ(details_of("a < b", "a > b"), kSymbolDetail);
  EXPECT_EQ(details_of("from $5 on", "from $6 on"), kNumberDetail | kSymbolDetail);
  EXPECT_EQ(detail_names(kNumberDetail | kSymbolDetail), "number, symbol");
  EXPECT_EQ(detail_names(0), "");
}

TEST(WrittenTexts, ALongTextIsNotAboutASymbol) {
  const std::string text(WrittenReader::kMostBytes + 1, 'a');
  EXPECT_EQ(similarity5(text, "a == b"), 1);
  EXPECT_EQ(similarity5("", "a == b"), 0);
  EXPECT_EQ(similarity5("", ""), 1);
}

}  // namespace
}  // namespace refrain::sketch
