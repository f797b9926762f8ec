#include "engines/ngram/index/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <tuple>

#include "base/files/file.h"
#include "engines/ngram/index/gram_key.h"
#include "engines/ngram/index/writer.h"
#include "refrain/error.h"
#include "text/token_hash.h"
#include "world.h"

namespace refrain::ngram {
namespace {

namespace fs = std::filesystem;

// The contents of an index as plain values.
struct Content {
  struct Gram {
    std::uint64_t key;
    std::string text;
    std::vector<std::pair<DocId, std::uint64_t>> places;
    friend bool operator==(const Gram&, const Gram&) = default;
  };
  IndexHead head;
  std::vector<std::pair<std::optional<std::string>, std::uint64_t>> documents;
  std::vector<Gram> grams;

  void sort() {
    std::sort(grams.begin(), grams.end(),
              [](const Gram& a, const Gram& b) { return std::tie(a.key, a.text) < std::tie(b.key, b.text); });
  }
  std::uint64_t all_grams() const {
    std::uint64_t sum = 0;
    for (const auto& [id, tokens] : documents) sum += tokens < head.n ? 0 : tokens - head.n + 1;
    return sum;
  }
  IndexSizes write(const fs::path& folder) const {
    IndexWriter writer(folder, head);
    for (const auto& [id, tokens] : documents)
      writer.add_document(id ? std::optional<std::string_view>(*id) : std::nullopt, tokens);
    for (const Gram& gram : grams) {
      writer.begin_gram(gram.key, gram.text);
      for (const auto& [document, token] : gram.places) writer.add_place(document, token);
      writer.end_gram();
    }
    return writer.finish(all_grams());
  }
};

// Makes random n-grams in random documents.
Content make(std::size_t grams, std::size_t documents, unsigned n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Content content;
  content.head = {.n = n, .m = 2, .tokenizer = TokenizerKind::words};
  for (std::size_t d = 0; d < documents; ++d) {
    std::optional<std::string> id;
    if (d % 7 != 3) id = "folder" + std::to_string(d / 100) + "/file " + std::to_string(d) + ".txt";
    content.documents.emplace_back(id, 1000 + random() % 1000000);
  }
  std::map<std::string, bool> seen;
  while (content.grams.size() < grams) {
    std::string text;
    for (unsigned i = 0; i < n; ++i) text += (i == 0 ? "" : " ") + std::string("word") + std::to_string(random() % 60);
    if (!seen.emplace(text, true).second) continue;
    std::map<std::pair<DocId, std::uint64_t>, bool> places;
    const std::size_t count = 2 + (random() % 20 == 0 ? random() % 500 : random() % 3);
    while (places.size() < count) {
      const DocId document = random() % documents;
      places[{document, random() % (content.documents[document].second - n + 1)}] = true;
    }
    Content::Gram gram{key_of_text(text, n).value(), text, {}};
    for (const auto& [place, unused] : places) gram.places.push_back(place);
    content.grams.push_back(gram);
  }
  content.sort();
  return content;
}

// Reads everything in an index, the slow way.
Content read(const fs::path& folder) {
  IndexReader reader(folder);
  Content content;
  content.head = reader.head();
  for (DocId d = 0; d < reader.sizes().documents; ++d) {
    std::string id;
    reader.append_id(id, d);
    content.documents.emplace_back(id == std::to_string(d) ? std::nullopt : std::optional(id), reader.tokens(d));
  }
  reader.rewind();
  for (GramEntry entry; reader.next(entry);) {
    Content::Gram gram{key_of_text(entry.text, content.head.n).value_or(0), std::string(entry.text), {}};
    PlaceCursor places = reader.places(entry);
    for (GramPlace place; places.next(place);) gram.places.emplace_back(place.document, place.token);
    if (gram.places.size() != entry.count) throw Error(Errc::corrupt, "a count");
    content.grams.push_back(gram);
  }
  return content;
}

class IndexReaderTest : public testing::Test {
 protected:
  fs::path folder(const char* name = "index") const {
    fs::create_directories(world_.at(name));
    return world_.at(name);
  }
  const World world_;
};

void expect_same(const Content& a, const Content& b) {
  EXPECT_EQ(a.head.n, b.head.n);
  EXPECT_EQ(a.head.m, b.head.m);
  EXPECT_EQ(a.head.tokenizer, b.head.tokenizer);
  EXPECT_EQ(a.documents, b.documents);
  EXPECT_EQ(a.grams, b.grams);
}

TEST_F(IndexReaderTest, SaysWhatWasWritten) {
  for (const auto& [grams, documents, n] : std::vector<std::tuple<std::size_t, std::size_t, unsigned>>{
           {0, 0, 1}, {0, 5, 3}, {1, 1, 1}, {60, 64, 1}, {64, 3, 4}, {65, 65, 2}, {9000, 5000, 8}}) {
    const Content content = make(grams, documents, n, grams + documents);
    const IndexSizes sizes = content.write(folder());
    expect_same(read(folder()), content);
    IndexReader reader(folder());
    EXPECT_EQ(reader.sizes().entries, grams);
    EXPECT_EQ(reader.sizes().grams, content.all_grams());
    EXPECT_EQ(reader.sizes().places, sizes.places);
    std::uint64_t bytes = 0;
    EXPECT_NO_THROW(reader.check([&](std::uint64_t more) { bytes += more; }));
    GramEntry entry;
    for (const Content::Gram& gram : content.grams) {
      ASSERT_TRUE(reader.find(gram.key, gram.text, entry));
      EXPECT_EQ(entry.text, gram.text);
      EXPECT_EQ(entry.count, gram.places.size());
      EXPECT_FALSE(reader.find(gram.key, gram.text + "x", entry));
      EXPECT_FALSE(reader.find(gram.key + 1, gram.text + "x", entry));
    }
    EXPECT_FALSE(reader.find(0, "", entry));
    EXPECT_FALSE(reader.find(~std::uint64_t{0}, "", entry));
  }
}

TEST_F(IndexReaderTest, FindsNgramsWhoseKeysAreEqual) {
  Content content = make(500, 10, 2, 1);
  for (std::size_t i = 100; i < 400; ++i) content.grams[i].key = content.grams[250].key;
  content.sort();
  content.write(folder());
  IndexReader reader(folder());
  GramEntry entry;
  for (const Content::Gram& gram : content.grams) EXPECT_TRUE(reader.find(gram.key, gram.text, entry)) << gram.text;
}

TEST_F(IndexReaderTest, TakesTextsIdsAndListsOfAnyLength) {
  Content content;
  content.head = {.n = 2, .m = 2, .tokenizer = TokenizerKind::words};
  content.documents.emplace_back(std::string(300000, 'i'), 2000000);
  content.documents.emplace_back(std::string(300000, 'i') + "j", 5);
  content.documents.emplace_back(std::nullopt, 0);
  for (const char c : {'a', 'b', 'c'}) {
    const std::string text = std::string(100000, 'x') + " " + std::string(50000, c);
    content.grams.push_back({key_of_text(text, 2).value(), text, {}});
    for (std::uint64_t i = 0; i < 300000; ++i) content.grams.back().places.emplace_back(0, i * (c == 'a' ? 1 : 5));
    content.grams.back().places.emplace_back(1, 3);
  }
  content.sort();
  content.write(folder());
  expect_same(read(folder()), content);
  EXPECT_NO_THROW(IndexReader(folder()).check([](std::uint64_t) {}));
  // A place in the same document, a few tokens after the one before it, takes one byte.
  EXPECT_LT(fs::file_size(folder() / kPlacesName), 920000U);
}

// Expects that a damaged index is found to be corrupt or gives the original answers, and that check() finds the
// damage.
void expect_found_out(const fs::path& folder, const Content& whole, const std::string& what) {
  try {
    const Content found = read(folder);
    EXPECT_EQ(found.grams, whole.grams) << what;
    EXPECT_EQ(found.documents, whole.documents) << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::corrupt) << what << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find("rebuild it"), std::string::npos) << error.what();
  }
  try {
    IndexReader(folder).check([](std::uint64_t) {});
    ADD_FAILURE() << what << ": was not found by the check";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::corrupt) << what << ": " << error.what();
  }
}

TEST_F(IndexReaderTest, FindsEveryFlippedByteAndEveryTruncation) {
  const Content content = make(70, 70, 2, 5);
  content.write(folder());
  for (const char* name : {kGramsName, kPlacesName, kDocumentsName}) {
    const std::string path = (folder() / name).string();
    const std::string bytes = read_file(path);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (std::size_t i = 0; i < bytes.size();
         i += i % store::kPageBytes < 400 || i % store::kPageBytes > 4000 ? 1 : 7) {
      file.seekp(static_cast<std::streamoff>(i));
      file.put(static_cast<char>(bytes[i] ^ static_cast<char>(1U << i % 8)));
      file.flush();
      expect_found_out(folder(), content, name + (" byte " + std::to_string(i)));
      file.seekp(static_cast<std::streamoff>(i));
      file.put(bytes[i]);
      file.flush();
    }
    for (std::size_t size = bytes.size(); size-- > 0;
         size -= std::min<std::size_t>(size, size % store::kPageBytes == 0 ? 0 : 12)) {
      fs::resize_file(path, size);
      expect_found_out(folder(), content, name + (" cut to " + std::to_string(size)));
    }
    std::ofstream(path, std::ios::binary) << bytes << std::string(store::kPageBytes, 0);
    expect_found_out(folder(), content, name + std::string(" with a page more"));
    std::ofstream(path, std::ios::binary) << bytes;
  }
  expect_same(read(folder()), content);
}

TEST_F(IndexReaderTest, FindsFilesOfAnotherIndex) {
  make(70, 70, 2, 5).write(folder("one"));
  make(70, 70, 2, 6).write(folder("two"));
  for (const char* name : {kGramsName, kPlacesName, kDocumentsName}) {
    fs::remove_all(folder("mixed"));
    fs::copy(folder("one"), folder("mixed"));
    fs::copy_file(folder("two") / name, folder("mixed") / name, fs::copy_options::overwrite_existing);
    EXPECT_THROW(IndexReader(folder("mixed")), Error) << name;
    fs::remove(folder("mixed") / name);
    EXPECT_THROW(IndexReader(folder("mixed")), Error) << name;
  }
}

TEST_F(IndexReaderTest, CheckFindsWhatIsWrongThoughTheBytesAreWhole) {
  const auto refused = [&](const Content& content) {
    content.write(folder());
    try {
      IndexReader(folder()).check([](std::uint64_t) {});
      return false;
    } catch (const Error& error) {
      return error.code() == Errc::corrupt;
    }
  };
  const Content right = make(100, 10, 2, 1);
  EXPECT_FALSE(refused(right));
  Content wrong = right;
  wrong.grams[50].key += 1;
  EXPECT_FALSE(refused(wrong)) << "the key of an n-gram inside a block is not stored";
  wrong = right;
  wrong.grams[0].key -= 1;
  EXPECT_TRUE(refused(wrong)) << "a wrong key";
  wrong = right;
  std::swap(wrong.grams[50].text, wrong.grams[51].text);
  EXPECT_TRUE(refused(wrong)) << "texts out of order";
  wrong = right;
  wrong.grams[50].text += " more";
  EXPECT_TRUE(refused(wrong)) << "a text of three tokens";
  wrong = right;
  wrong.grams[50].places.back().second = 5000000;
  EXPECT_TRUE(refused(wrong)) << "a place past the end";
}

// The tail counts more documents than the block contains. Once a request for one of them has put the block into the
// cache, a request for a missing one must not read past the end of the block.
TEST_F(IndexReaderTest, ADocumentBehindTheEndOfItsBlockIsCorrupt) {
  make(5, 10, 2, 1).write(folder());
  const std::string path = (folder() / kGramsName).string();
  std::string stream;
  std::string tail;
  {
    store::PageReader file(path, kGramsMagic, kNgramFormatVersion);
    std::string scratch;
    stream = file.read(store::PageReader::kBegin, file.size() - store::PageReader::kBegin, scratch);
    tail = file.tail();
  }
  tail[sizeof(store::BlockTreeRoot)] = 20;  // number of documents; there are only 10
  store::PageWriter file(path, kGramsMagic, kNgramFormatVersion);
  file.write(stream);
  file.finish(tail);
  IndexReader reader(folder());
  std::string id;
  EXPECT_NO_THROW(reader.append_id(id, 5));
  EXPECT_THROW(reader.append_id(id, 15), Error);
  EXPECT_THROW(reader.tokens(15), Error);
}

// The files in tests/compat were written by version 1 and must always be readable. Version 1 is still written byte
// for byte.
TEST_F(IndexReaderTest, ReadsAndWritesTheBytesOfVersion1) {
  const fs::path golden = fs::path(REFRAIN_TESTS_DIR) / "compat" / "v1" / "ngrams";
  const Content content = make(70, 70, 3, 2026);
  expect_same(read(golden), content);
  EXPECT_NO_THROW(IndexReader(golden).check([](std::uint64_t) {}));
  content.write(folder());
  for (const char* name : {kGramsName, kPlacesName, kDocumentsName})
    EXPECT_TRUE(read_file((folder() / name).string()) == read_file((golden / name).string())) << name;
}

TEST(GramText, IsReadInOneWay) {
  std::vector<std::string_view> tokens;
  using Tokens = std::vector<std::string_view>;
  ASSERT_TRUE(split_gram("to be", 2, tokens));
  EXPECT_EQ(tokens, (Tokens{"to", "be"}));
  ASSERT_TRUE(split_gram("one", 1, tokens));
  EXPECT_EQ(tokens, (Tokens{"one"}));
  ASSERT_TRUE(split_gram("a   b", 3, tokens)) << "characters, one of them a space";
  EXPECT_EQ(tokens, (Tokens{"a", " ", "b"}));
  ASSERT_TRUE(split_gram("     ", 3, tokens)) << "three spaces";
  EXPECT_EQ(tokens, (Tokens{" ", " ", " "}));
  ASSERT_TRUE(split_gram("\xE4\xBD\xA0   \xE5\xA5\xBD", 3, tokens));
  EXPECT_EQ(tokens, (Tokens{"\xE4\xBD\xA0", " ", "\xE5\xA5\xBD"}));
  ASSERT_TRUE(split_gram("\xFF   \xFE", 3, tokens)) << "bytes";
  EXPECT_EQ(tokens, (Tokens{"\xFF", " ", "\xFE"}));
  ASSERT_TRUE(split_gram(" ", 1, tokens));
  EXPECT_EQ(tokens, (Tokens{" "}));
  for (const char* wrong : {"", "to", "to  be", " to be", "to be or", "to "})
    EXPECT_FALSE(split_gram(wrong, 2, tokens)) << wrong;
}

TEST(GramKey, HasGoldenValues) {
  // Keys are stored: a change must raise kGramKeyVersion.
  EXPECT_EQ(key_of_text("a", 1), 3881362705556035527U);
  EXPECT_EQ(key_of_text("to be or not to be that is", 8), 7817223985619910798U);
  const std::uint64_t a = key_of_text("to be or not to be that is", 8).value();
  const std::uint64_t b = key_of_text("to be or not that is the question", 8).value();
  const std::uint64_t c = key_of_text("to be is to do and so on", 8).value();
  EXPECT_EQ(a >> 32U, b >> 32U) << "four tokens alike";
  EXPECT_EQ(a >> 48U, c >> 48U) << "two tokens alike";
}

}  // namespace
}  // namespace refrain::ngram
