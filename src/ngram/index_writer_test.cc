#include "ngram/index_writer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file.h"
#include "base/tempdir.h"

namespace refrain {
namespace {

class IndexWriterTest : public testing::Test {
 protected:
  TempDir folder_{std::filesystem::temp_directory_path(), "refrain-ngram-test"};
};

TEST_F(IndexWriterTest, CountsWhatItWasGiven) {
  IndexWriter writer(folder_.path(), {.n = 2, .m = 2, .tokenizer = TokenizerKind::words});
  writer.add_document("a", 10);
  writer.add_document(std::nullopt, 0);
  writer.add_document("c", 5);
  writer.begin_gram(7, "to be");
  writer.add_place(0, 0);
  writer.add_place(0, 4);
  writer.add_place(2, 1);
  writer.end_gram();
  const IndexSizes sizes = writer.finish(13);
  EXPECT_EQ(sizes.documents, 3U);
  EXPECT_EQ(sizes.tokens, 15U);
  EXPECT_EQ(sizes.grams, 13U);
  EXPECT_EQ(sizes.entries, 1U);
  EXPECT_EQ(sizes.places, 3U);
  EXPECT_EQ(sizes.grams_bytes, std::filesystem::file_size(folder_.path() / kGramsName));
  EXPECT_EQ(sizes.places_bytes, std::filesystem::file_size(folder_.path() / kPlacesName));
  EXPECT_EQ(sizes.documents_bytes, std::filesystem::file_size(folder_.path() / kDocumentsName));
}

TEST_F(IndexWriterTest, RefusesWhatIsOutOfOrder) {
  IndexWriter writer(folder_.path(), {.n = 1, .m = 2, .tokenizer = TokenizerKind::words});
  writer.add_document(std::nullopt, 10);
  writer.begin_gram(5, "b");
  EXPECT_THROW(writer.add_document(std::nullopt, 1), std::logic_error);
  EXPECT_THROW(writer.begin_gram(6, "c"), std::logic_error);
  EXPECT_THROW(writer.add_place(1, 0), std::logic_error);
  writer.add_place(0, 3);
  EXPECT_THROW(writer.add_place(0, 3), std::logic_error);
  EXPECT_THROW(writer.end_gram(), std::logic_error);
  writer.add_place(0, 4);
  writer.end_gram();
  EXPECT_THROW(writer.begin_gram(4, "d"), std::logic_error);
  EXPECT_THROW(writer.begin_gram(5, "b"), std::logic_error);
  EXPECT_THROW(writer.begin_gram(5, "a"), std::logic_error);
  EXPECT_THROW(writer.add_place(0, 5), std::logic_error);
  writer.begin_gram(5, "c");
  EXPECT_THROW(writer.finish(10), std::logic_error);
}

}  // namespace
}  // namespace refrain
