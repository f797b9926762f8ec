#include "verbs/near/rows.h"

#include <gtest/gtest.h>

#include "refrain/error.h"

namespace refrain::verbs::near {
namespace {

std::string refusal(const std::string& stored, const std::string& queries) {
  try {
    check_same_options({"a.tsv", stored}, {"b.tsv", queries});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  return {};
}

TEST(FileOptions, TellsEveryOption) {
  EXPECT_EQ(options_column({}),
            "refrain fingerprint version=2 tokenizer=words-nfkc hash=xxh3 window=3 seed=0 tie=0 stop_words=none");
  EXPECT_EQ(options_column({.tokenizer = TokenizerKind::code_kinds, .window = 5, .seed = 7, .tie_sets_bit = true}),
            "refrain fingerprint version=1 tokenizer=code-kinds hash=xxh3 window=5 seed=7 tie=1 stop_words=none");
}

TEST(FileOptions, LeavesOutWhatChangesNothing) {
  EXPECT_EQ(options_column({.hash = HashKind::md5, .seed = 7}), options_column({.hash = HashKind::md5}));
  EXPECT_EQ(options_column({.stop_words = {"The", "a"}}), options_column({.stop_words = {"a", "the", "a"}}));
  EXPECT_NE(options_column({.stop_words = {"the"}}), options_column({.stop_words = {"a"}}));
}

TEST(FileOptions, NamesBothValuesThatDiffer) {
  const std::string three = options_column({});
  EXPECT_EQ(refusal(three, options_column({.window = 5})),
            "b.tsv: made with window=5, but a.tsv with window=3; make both with the same options");
  EXPECT_EQ(refusal(three, "refrain fingerprint version=1 tokenizer=words"),
            "b.tsv: made with hash=?, but a.tsv with hash=xxh3; make both with the same options");
  EXPECT_EQ(refusal(three, three), "");
}

TEST(FileOptions, NamesTheFlagForComments) {
  const std::string with = options_column({.tokenizer = TokenizerKind::code});
  const std::string without = options_column({.tokenizer = TokenizerKind::code_bare});
  EXPECT_EQ(refusal(with, without),
            "b.tsv: made without comments, but a.tsv with them; make both with `comments`, or both without it");
  EXPECT_EQ(refusal(without, with),
            "b.tsv: made with comments, but a.tsv without them; make both with `comments`, or both without it");
}

TEST(FileOptions, NothingIsHeldAgainstFilesWithoutIt) {
  EXPECT_EQ(refusal("", options_column({.window = 5})), "");
  EXPECT_EQ(refusal(options_column({.window = 5}), ""), "");
  EXPECT_EQ(options_in("id\tsimhash"), "");
  EXPECT_EQ(options_in("id"), "");
  EXPECT_EQ(options_in(""), "");
  EXPECT_FALSE(is_options_line("# refrain\t5"));
  EXPECT_FALSE(is_options_line("#"));
}

TEST(FileOptions, IsInTheHeaderAndInEarlierVersionsBeforeIt) {
  const std::string options = options_column({});
  for (const std::string line_end : {"", "\r"}) {
    EXPECT_EQ(options_in("id\tsimhash\t" + options + line_end), options);
    EXPECT_EQ(options_in("id\tsimhash\tcluster\t" + options + line_end), options);
    EXPECT_EQ(options_in("# " + options + line_end), options);
  }
  EXPECT_TRUE(is_options_line("# " + options));
  EXPECT_FALSE(is_options_line("id\tsimhash\t" + options));
}

}  // namespace
}  // namespace refrain::verbs::near
