#include "corpus/rewrite/rewrite.h"

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

namespace fs = std::filesystem;

TEST_F(Corpus, NamesAreTheLastOfThePathAndDifferent) {
  const auto names = [](const std::vector<std::string>& paths) {
    const OutputNames all({.paths = paths});
    Texts found;
    for (std::size_t i = 0; i < paths.size(); ++i)
      found.push_back(all.of({.path = paths[i], .failure = {}, .operand = i}));
    return found;
  };
  fs::create_directories(at("d/e.x"));
  EXPECT_EQ(
      names({"a/x.jsonl.gz", "b/x.jsonl.gz", "x", "c/x", "x-2", "x", ".x", "y/.x", "z.gz", "w/z.gz", ".gz", "a/.gz"}),
      (Texts{"x.jsonl.gz", "x-2.jsonl.gz", "x", "x-2", "x-2-2", "x-3", ".x", ".x-2", "z.gz", "z-2.gz", ".gz",
             ".gz-2"}));
  EXPECT_EQ(names({at("d/e.x"), at("d/e.x//"), at("d/e.x/."), at("d/e.x/.."), "/"}),
            (Texts{"e.x", "e.x-2", "e.x-3", "d", "input"}));
  const OutputNames below({.paths = {"a//", at("d")}});
  EXPECT_EQ(below.of({.path = "a//b/c", .failure = {}, .operand = 0}), "a/b/c");
  EXPECT_EQ(below.of({.path = at("d") + "/b", .failure = {}, .operand = 1}), "d/b");
}

}  // namespace
}  // namespace refrain::corpus
