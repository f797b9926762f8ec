#include "verbs/evidence/shared_text.h"

#include <gtest/gtest.h>

#include <random>

#include "refrain/utf8.h"

namespace refrain::verbs::evidence {
namespace {

using Kind = ShownPiece::Kind;

std::string spelled(const std::vector<ShownPiece>& pieces) {
  std::string out;
  for (const ShownPiece& piece : pieces) {
    if (piece.kind == Kind::both) out += "<" + piece.text + ">";
    if (piece.kind == Kind::only) out += "[" + piece.text + "]";
    if (piece.kind == Kind::plain) out += piece.text;
    if (piece.kind == Kind::left_out) out += "(" + std::to_string(piece.bytes) + ")";
  }
  return out;
}

TEST(ShownText, TellsWhatIsSharedFromWhatIsNot) {
  EXPECT_EQ(spelled(shown_text("one two three.\n", std::vector<ByteRange>{{0, 3}, {8, 13}}, 0)),
            "<one>[ two ]<three>.\n");
  EXPECT_EQ(spelled(shown_text("one two", {}, 0)), "[one two]");
  EXPECT_EQ(spelled(shown_text("", {}, 0)), "");
  EXPECT_EQ(spelled(shown_text(" -- ", {}, 0)), " -- ");
}

TEST(ShownText, LongStretchesAreShownByTheirEnds) {
  const std::string text(100, 'a');
  EXPECT_EQ(spelled(shown_text(text, std::vector<ByteRange>{{0, 100}}, 0, {.both = 4})), "<aa>(96)<aa>");
  EXPECT_EQ(spelled(shown_text(text, {}, 7, {.only = 4})), "[aa](96)[aa](7)");
}

TEST(ShownText, AllOfItHasAnEnd) {
  EXPECT_EQ(spelled(shown_text(std::string(100, 'a'), {}, 5, {.bytes = 10})), "[aaaaaaaaaa](95)");
  std::vector<ByteRange> shared;
  for (std::uint64_t i = 0; i < 50; ++i) shared.push_back({2 * i, 2 * i + 1});
  EXPECT_EQ(spelled(shown_text(std::string(100, 'a'), shared, 0, {.pieces = 3})), "<a>[a]<a>(97)");
}

TEST(ShownText, EveryByteIsShownOrCountedAndNoCharacterIsCut) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    while (text.size() < random() % 300) text += random() % 2 == 0 ? "é漢" : "ab ";
    std::vector<ByteRange> shared;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = boundary_after(text, std::min<std::size_t>(text.size(), at + random() % 20));
      const std::size_t end = boundary_after(text, std::min<std::size_t>(text.size(), begin + 1 + random() % 60));
      if (begin < end) shared.push_back({begin, end});
      at = end + 1;
    }
    const ShownLimits limits{
        .both = 4 + random() % 40, .only = 4 + random() % 40, .bytes = 1 + random() % 200, .pieces = 1 + random() % 9};
    std::uint64_t bytes = 0;
    std::size_t shown = 0;
    for (const ShownPiece& piece : shown_text(text, shared, 3, limits)) {
      bytes += piece.bytes + piece.text.size();
      shown += piece.text.size();
      for (std::size_t at = 0; at < piece.text.size();) {
        const CodePoint character = decode_utf8(piece.text, at);
        ASSERT_TRUE(character.valid()) << piece.text;
        at += character.size;
      }
    }
    EXPECT_EQ(bytes, text.size() + 3);
    EXPECT_LE(shown, limits.bytes);
  }
}

TEST(ShownText, AnIdIsShortened) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abc…efg");
  EXPECT_EQ(shortened("ééééé", 6), "é…é");
}

}  // namespace
}  // namespace refrain::verbs::evidence
