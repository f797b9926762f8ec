#include "verbs/evidence/cuts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus/formats/recognize.h"

namespace refrain::verbs::evidence {
namespace {

class GuardedText : public TextSource {
 public:
  explicit GuardedText(std::string text) : text_(std::move(text)) {}
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
  const GuardedText text(all);
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

}  // namespace
}  // namespace refrain::verbs::evidence
