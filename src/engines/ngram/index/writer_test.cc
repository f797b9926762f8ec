#include "engines/ngram/index/writer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "world.h"

namespace refrain::ngram {
namespace {

class IndexWriterTest : public testing::Test, public World {};

TEST_F(IndexWriterTest, CountsWhatItWasGiven) {
  IndexWriter writer(folder(), {.n = 2, .m = 2, .tokenizer = TokenizerKind::words});
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
  EXPECT_EQ(sizes.grams_bytes, std::filesystem::file_size(at(kGramsName)));
  EXPECT_EQ(sizes.places_bytes, std::filesystem::file_size(at(kPlacesName)));
  EXPECT_EQ(sizes.documents_bytes, std::filesystem::file_size(at(kDocumentsName)));
}

TEST_F(IndexWriterTest, RefusesWhatIsOutOfOrder) {
  IndexWriter writer(folder(), {.n = 1, .m = 2, .tokenizer = TokenizerKind::words});
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

// Adds prepared rows in pieces of any size, mixed with n-grams that are added place by place.
TEST_F(IndexWriterTest, WritesTheSameBytesFromRows) {
  struct Gram {
    std::uint64_t key;
    std::string text;
    std::vector<std::pair<DocId, std::uint64_t>> places;
  };
  std::mt19937_64 random(1);
  std::vector<Gram> grams;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t long_text = i % 700 < 20 ? random() % 3000 : 0;  // makes some blocks end by their size in bytes
    Gram gram{1000 * (i / 3), "same " + std::to_string(900000 - 100 * (i / 3) + i) + std::string(long_text, 'x'), {}};
    for (std::uint64_t document = random() % 40, token = random() % 90; gram.places.size() < 2 || random() % 3 != 0;) {
      gram.places.emplace_back(document, token);
      if (random() % 2 == 0)
        token += 1 + random() % 1000;
      else
        document += 1 + random() % 50;
    }
    grams.push_back(std::move(gram));
  }
  const auto files_of = [&](const auto& write_all) {
    const World world;
    IndexWriter writer(world.folder(), {.n = 2, .m = 2, .tokenizer = TokenizerKind::words});
    for (int i = 0; i < 5000; ++i) writer.add_document(std::nullopt, std::uint64_t{1} << 30U);
    write_all(writer);
    const IndexSizes sizes = writer.finish(1 << 20);
    EXPECT_EQ(sizes.entries, grams.size());
    std::string bytes;
    for (const char* name : {kGramsName, kPlacesName, kDocumentsName}) bytes += world.read(name);
    return bytes;
  };
  const auto write_slowly = [](IndexWriter& writer, const Gram& gram) {
    writer.begin_gram(gram.key, gram.text);
    for (const auto& [document, token] : gram.places) writer.add_place(document, token);
    writer.end_gram();
  };
  const std::string expected = files_of([&](IndexWriter& writer) {
    for (const Gram& gram : grams) write_slowly(writer, gram);
  });
  for (const std::size_t most : {1U, 5U, 64U, 200U, 5000U}) {
    const std::string bytes = files_of([&](IndexWriter& writer) {
      GramRows rows;
      for (std::size_t at = 0; at < grams.size();) {
        rows.clear();
        const std::size_t end = std::min(grams.size(), at + 1 + random() % most);
        for (; at < end; ++at) {
          const Gram& gram = grams[at];
          char* out = rows.begin_gram(gram.key, gram.text, gram.places.size());
          PlaceList list;
          for (const auto& [document, token] : gram.places) out = list.add(out, document, token);
          rows.end_gram(list, out);
        }
        const std::size_t cut = random() % (rows.size() + 1);
        writer.add_rows(rows, 0, cut);
        writer.add_rows(rows, cut, rows.size());
        if (at < grams.size() && random() % 2 == 0) write_slowly(writer, grams[at++]);
      }
    });
    EXPECT_TRUE(bytes == expected) << most;
  }
}

TEST_F(IndexWriterTest, RefusesRowsThatCannotBe) {
  const auto rows_of = [](std::uint64_t key, DocId document, std::size_t places) {
    GramRows rows;
    char* out = rows.begin_gram(key, "b", places);
    PlaceList list;
    for (std::size_t i = 0; i < places; ++i) out = list.add(out, document, i);
    rows.end_gram(list, out);
    return rows;
  };
  const auto refuses = [&](const GramRows& rows) {
    const World world;
    IndexWriter writer(world.folder(), {.n = 1, .m = 2, .tokenizer = TokenizerKind::words});
    writer.add_document(std::nullopt, 10);
    writer.add_rows(rows_of(5, 0, 2), 0, 1);
    EXPECT_THROW(writer.add_rows(rows, 0, 1), std::logic_error);
  };
  refuses(rows_of(4, 0, 2));  // out of order
  refuses(rows_of(5, 0, 2));  // the same n-gram twice
  refuses(rows_of(6, 1, 2));  // no such document
  refuses(rows_of(6, 0, 1));  // too few places
}

}  // namespace
}  // namespace refrain::ngram
