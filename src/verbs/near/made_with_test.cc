#include "verbs/near/made_with.h"

#include <gtest/gtest.h>

#include "refrain/error.h"

namespace refrain::verbs::near {
namespace {

std::string refusal(const std::string& stored, const std::string& queries) {
  try {
    check_made_alike({"a.tsv", stored}, {"b.tsv", queries});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  return {};
}

TEST(MadeWith, TellsEveryOption) {
  EXPECT_EQ(made_with({}),
            "# refrain fingerprint version=2 tokenizer=words-nfkc hash=xxh3 window=3 seed=0 tie=0 stop_words=none\n");
  EXPECT_EQ(made_with({.tokenizer = TokenizerKind::code_kinds, .window = 5, .seed = 7, .tie_sets_bit = true}),
            "# refrain fingerprint version=1 tokenizer=code-kinds hash=xxh3 window=5 seed=7 tie=1 stop_words=none\n");
}

TEST(MadeWith, LeavesOutWhatChangesNothing) {
  EXPECT_EQ(made_with({.hash = HashKind::md5, .seed = 7}), made_with({.hash = HashKind::md5}));
  EXPECT_EQ(made_with({.stop_words = {"The", "a"}}), made_with({.stop_words = {"a", "the", "a"}}));
  EXPECT_NE(made_with({.stop_words = {"the"}}), made_with({.stop_words = {"a"}}));
}

TEST(MadeWith, NamesBothValuesThatDiffer) {
  const std::string three = made_with({});
  EXPECT_EQ(refusal(three, made_with({.window = 5})),
            "b.tsv: made with window=5, but a.tsv with window=3; make both with the same options");
  EXPECT_EQ(refusal(three, "# refrain fingerprint version=1 tokenizer=words"),
            "b.tsv: made with hash=?, but a.tsv with hash=xxh3; make both with the same options");
  EXPECT_EQ(refusal(three, three), "");
  EXPECT_EQ(refusal(three.substr(0, three.size() - 1) + "\r", three), "");
}

TEST(MadeWith, NamesTheFlagForComments) {
  const std::string with = made_with({.tokenizer = TokenizerKind::code});
  const std::string without = made_with({.tokenizer = TokenizerKind::code_bare});
  EXPECT_EQ(refusal(with, without),
            "b.tsv: made without comments, but a.tsv with them; make both with --comments, or both without it");
  EXPECT_EQ(refusal(without, with),
            "b.tsv: made with comments, but a.tsv without them; make both with --comments, or both without it");
}

TEST(MadeWith, NothingIsHeldAgainstFilesWithoutIt) {
  EXPECT_EQ(refusal("", made_with({.window = 5})), "");
  EXPECT_EQ(refusal(made_with({.window = 5}), ""), "");
  EXPECT_FALSE(is_made_with("id\tsimhash"));
  EXPECT_FALSE(is_made_with("# refrain\t5"));
}

}  // namespace
}  // namespace refrain::verbs::near
