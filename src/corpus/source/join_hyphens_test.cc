#include "corpus/source/join_hyphens.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace refrain::corpus {
namespace {

std::string joined(const std::string& text) {
  std::string out(text.size(), '?');
  out.resize(join_hyphens(text, out.data()));
  return out;
}

// The definition: looks at every character in turn.
std::string plainly_joined(const std::vector<std::string>& characters) {
  const auto is = [&](std::size_t i, std::initializer_list<const char*> some) {
    for (const char* one : some)
      if (i < characters.size() && characters[i] == one) return true;
    return false;
  };
  const auto is_letter = [&](std::size_t i) { return is(i, {"a", "Z", "ß", "д", "字"}); };
  std::string out;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    std::size_t next = i + 1;
    if (is(i, {"-", "‐", "\xC2\xAD"}) && i > 0 && (is_letter(i - 1) || is(i - 1, {"\xCC\x81"}))) {
      if (is(next, {"\r"}) && is(next + 1, {"\n"})) ++next;
      if (is(next, {"\n"})) {
        ++next;
        while (is(next, {" ", "\t"})) ++next;
        if (is_letter(next)) {
          i = next - 1;
          continue;
        }
      }
    }
    out += characters[i];
  }
  return out;
}

TEST(JoinHyphens, JoinsOnlyBetweenLetters) {
  EXPECT_EQ(joined("a gen-\neration of co-\r\n  op-\n\teration"), "a generation of cooperation");
  EXPECT_EQ(joined("gen\xC2\xAD\neration, gen\xE2\x80\x90\neration"), "generation, generation");
  for (const char* same : {"", "-", "-\n", "a-\n", "-\na", "a-\n\nb", "1-\nb", "a-\n1", "a--\nb", "a -\nb", "a-b",
                           "a-\n- b", "a-\r b", "a\xC3-\nb", "a-\n\xC3", "a-\n  "})
    EXPECT_EQ(joined(same), same);
}

TEST(JoinHyphens, AreWhatTheDefinitionSays) {
  const std::vector<std::string> alphabet = {"a",  "Z",  "ß",  "д", "字", "-", "-", "‐",        "\xC2\xAD", "\n",
                                             "\n", "\n", "\r", " ", "\t", "1", ".", "\xCC\x81", "\xFF",     "\x81"};
  std::mt19937_64 random(1);
  std::size_t changed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::string> characters(random() % 40);
    std::string text;
    for (std::string& character : characters) text += character = alphabet[random() % alphabet.size()];
    ASSERT_EQ(joined(text), plainly_joined(characters)) << text;
    changed += joined(text) == text ? 0 : 1;
  }
  EXPECT_GT(changed, 500U);
}

}  // namespace
}  // namespace refrain::corpus
