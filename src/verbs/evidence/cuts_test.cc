#include "verbs/evidence/cuts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus/formats/recognize.h"

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

// The cuts that the guard allows in documents that are end to end.
std::vector<ByteRange> guarded(const std::vector<std::string>& documents,
                               const std::vector<std::vector<ByteRange>>& cuts) {
  std::string all;
  for (const std::string& document : documents) all += document;
  const Text text(all);
  CutGuard guard(text);
  std::vector<ByteRange> out;
  const auto remove = [&](ByteRange range) { out.push_back(range); };
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const ByteRange document{begin, begin + documents[i].size()};
    for (const ByteRange& cut : cuts[i]) guard.cut({begin + cut.begin, begin + cut.end}, document, remove);
    begin = document.end;
  }
  guard.finish(remove);
  return out;
}

constexpr std::uint64_t kTells = corpus::kBinaryBytes;

TEST(CutGuard, CutsStayWhereWhatIsLeftIsText) {
  const std::string text(3 * kTells, 'x');
  const std::vector<ByteRange> cuts = {{0, 10}, {20, kTells}, {kTells + 5, 2 * kTells}};
  EXPECT_EQ(guarded({text}, {cuts}), cuts);
  EXPECT_EQ(guarded({text}, {{{0, text.size()}}}), (std::vector<ByteRange>{{0, text.size()}}));
  EXPECT_EQ(guarded({text}, {{}}), std::vector<ByteRange>{});
}

TEST(CutGuard, NoCutMovesAZeroByteIntoTheFirstBytes) {
  std::string text(3 * kTells, 'x');
  text[kTells + 100] = '\0';
  const auto cut = [&](const std::vector<ByteRange>& cuts) { return guarded({text}, {cuts}); };
  // Cutting 100 bytes leaves the zero byte far enough away, cutting 101 does not.
  EXPECT_EQ(cut({{0, 50}, {60, 110}}), (std::vector<ByteRange>{{0, 50}, {60, 110}}));
  EXPECT_EQ(cut({{0, 50}, {60, 111}}), std::vector<ByteRange>{});
  // Cuts after the first bytes are allowed, and so is the later part of a cut that begins in them.
  EXPECT_EQ(cut({{0, 150}, {kTells - 10, kTells + 10}, {kTells + 50, kTells + 60}}),
            (std::vector<ByteRange>{{kTells, kTells + 10}, {kTells + 50, kTells + 60}}));
  // The last cut removes the zero byte.
  EXPECT_EQ(cut({{0, 150}, {kTells + 90, kTells + 110}}),
            (std::vector<ByteRange>{{0, 150}, {kTells + 90, kTells + 110}}));
}

TEST(CutGuard, EachDocumentIsLookedAtByItself) {
  std::string zero(2 * kTells, 'x');
  zero[kTells] = '\0';
  const std::string plain(2 * kTells, 'y');
  const std::vector<std::vector<ByteRange>> cuts(4, {{5, 25}});
  EXPECT_EQ(guarded({zero, plain, zero, plain}, cuts),
            (std::vector<ByteRange>{{2 * kTells + 5, 2 * kTells + 25}, {6 * kTells + 5, 6 * kTells + 25}}));
}

TEST(CutGuard, WhatIsLeftDoesNotBeginLikeAnotherKindOfFile) {
  EXPECT_EQ(guarded({"a line\n%PDF-1.4 is how they begin"}, {{{0, 7}}}), std::vector<ByteRange>{});
  EXPECT_EQ(guarded({"a line\n%PDF-1.4 is how they begin"}, {{{0, 8}}}), (std::vector<ByteRange>{{0, 8}}));
}

TEST(CutGuard, WhatWasNoTextBeforeMayBeCut) {
  const std::string text = std::string("a\0b", 3) + std::string(100, 'x');
  EXPECT_EQ(guarded({text}, {{{10, 50}}}), (std::vector<ByteRange>{{10, 50}}));
}

TEST(CutGuard, NoCharacterIsCutInTwo) {
  std::string text(kTells - 1, 'x');
  text += "\xc3\xa9" + std::string(100, 'x') + std::string(1, '\0');
  EXPECT_EQ(guarded({text}, {{{0, kTells + 50}}}), (std::vector<ByteRange>{{kTells + 1, kTells + 50}}));
}

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
