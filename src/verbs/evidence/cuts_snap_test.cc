#include "verbs/evidence/cuts.h"

#include <gtest/gtest.h>

#include <string>

namespace refrain::verbs::evidence {
namespace {

class Text : public TextSource {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}
  std::uint64_t size() const override { return text_.size(); }
  const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const override {
    scratch.assign(text_.data() + begin, text_.data() + begin + size);
    scratch.resize(size + kPadding);
    return scratch.data();
  }

 private:
  std::string text_;
};

// The part of text[begin, end) that remains.
std::string left(Snap snap, const std::string& text, std::uint64_t begin, std::uint64_t end) {
  const Text source(text);
  const auto range = Snapper(snap, source).shrink({begin, end}, {0, text.size()});
  return range ? text.substr(range->begin, range->end - range->begin) : "nothing";
}

TEST(Snap, NoneLeavesARangeAsItIs) {
  EXPECT_EQ(left(Snap::none, "abc", 1, 2), "b");
}

TEST(Snap, NeverCutsACharacter) {
  const std::string text = "aé漢😀b";  // offsets 0, 1, 3, 6, 10
  EXPECT_EQ(left(Snap::utf8, text, 0, 11), text);
  EXPECT_EQ(left(Snap::utf8, text, 2, 11), "漢😀b");
  EXPECT_EQ(left(Snap::utf8, text, 1, 9), "é漢");
  EXPECT_EQ(left(Snap::utf8, text, 4, 7), "nothing");
  EXPECT_EQ(left(Snap::utf8, "\x80\x80\x80x", 1, 3), "\x80\x80") << "bytes that are no character may be cut";
}

TEST(Snap, NeverCutsAWord) {
  EXPECT_EQ(left(Snap::word, "one two three", 1, 12), " two ");
  EXPECT_EQ(left(Snap::word, "one two three", 3, 8), " two ");
  EXPECT_EQ(left(Snap::word, "one two three", 0, 13), "one two three");
  EXPECT_EQ(left(Snap::word, "unbroken", 2, 5), "nothing");
  EXPECT_EQ(left(Snap::word, "été là", 1, 8), " ") << "out of the character, then out of the word";
}

TEST(Snap, CutsBetweenCharactersOfScriptsWithoutSpaces) {
  const std::string text = "漢字漢字";
  EXPECT_EQ(left(Snap::word, text, 3, 9), "字漢");
  EXPECT_EQ(left(Snap::word, text, 4, 11), "漢");
}

TEST(Snap, NeverCutsALine) {
  const std::string text = "first\nsecond\r\nthird";
  EXPECT_EQ(left(Snap::line, text, 0, 19), text);
  EXPECT_EQ(left(Snap::line, text, 2, 16), "second\r\n");
  EXPECT_EQ(left(Snap::line, text, 6, 14), "second\r\n");
  EXPECT_EQ(left(Snap::line, text, 7, 12), "nothing");
  EXPECT_EQ(left(Snap::line, text, 7, 19), "third");
  EXPECT_EQ(left(Snap::line, std::string(10'000, 'x') + "\n" + std::string(10'000, 'y') + "\n" + "z", 5, 20'002),
            std::string(10'000, 'y') + "\n");
}

}  // namespace
}  // namespace refrain::verbs::evidence
