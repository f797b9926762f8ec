#include "store/page_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "refrain/error.h"
#include "store/block_tree.h"
#include "world.h"

namespace refrain::store {
namespace {

constexpr const char* kMagic = "REFRTEST";

class PageFileTest : public testing::Test, public World {
 protected:
  std::string path(const char* name = "file") const { return at(name); }
};

Errc error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  return Errc::interrupted;  // nothing here throws this
}

TEST(Varint, ComesBackAndIsNeverReadPastItsEnd) {
  for (unsigned shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t value :
         {(std::uint64_t{1} << shift) - 1, std::uint64_t{1} << shift, ~std::uint64_t{0} >> shift}) {
      std::string bytes;
      append_varint(bytes, value);
      const char* at = bytes.data();
      std::uint64_t back = 0;
      EXPECT_TRUE(get_varint(at, bytes.data() + bytes.size(), back));
      EXPECT_EQ(back, value);
      at = bytes.data();
      EXPECT_FALSE(get_varint(at, bytes.data() + bytes.size() - 1, back));
    }
  }
  const std::string too_long(10, static_cast<char>(0xFF));
  const char* at = too_long.data();
  std::uint64_t back = 0;
  EXPECT_FALSE(get_varint(at, too_long.data() + too_long.size(), back));
}

TEST_F(PageFileTest, GivesBackAnyRangeOfAnyStream) {
  std::mt19937_64 random(1);
  for (const std::size_t size : {0, 1, 4075, 4076, 4077, 8164, 8165, 50000}) {
    std::string stream(size, 0);
    for (char& c : stream) c = static_cast<char>(random());
    PageWriter writer(path(), kMagic, 3);
    writer.write(stream);
    EXPECT_EQ(writer.position(), PageReader::kBegin + size);
    const PageFileId id = writer.finish("the end");
    EXPECT_EQ(id.bytes, std::filesystem::file_size(path()));
    PageReader reader(path(), kMagic, 3);
    EXPECT_EQ(reader.id(), id);
    EXPECT_EQ(reader.size(), PageReader::kBegin + size);
    EXPECT_EQ(reader.tail().substr(0, 8), std::string_view("the end\0", 8));
    std::string scratch;
    EXPECT_EQ(reader.read(PageReader::kBegin, size, scratch), stream);
    for (int i = 0; i < 50 && size > 0; ++i) {
      const std::size_t begin = random() % size;
      const std::size_t length = random() % (size - begin + 1);
      EXPECT_EQ(reader.read(PageReader::kBegin + begin, length, scratch),
                std::string_view(stream).substr(begin, length));
    }
    EXPECT_EQ(error_of([&] { reader.read(PageReader::kBegin, size + 1, scratch); }), Errc::corrupt);
    EXPECT_NO_THROW(reader.check_all([](std::uint64_t) {}));
  }
}

TEST_F(PageFileTest, ReadsAPageOnceThatItHolds) {
  constexpr std::size_t kPages = 40;
  std::mt19937_64 random(2);
  std::string stream(kPages * kPageContentBytes - PageReader::kBegin, 0);
  for (char& c : stream) c = static_cast<char>(random());
  PageWriter writer(path(), kMagic, 3);
  writer.write(stream);
  writer.finish({});
  // The number of pages that were read for the same number of random ranges.
  const auto pages_read = [&](double share) {
    PageReader reader(path(), kMagic, 3);
    reader.hold_pages(share);
    const std::uint64_t before = reader.bytes_read();
    std::string scratch;
    for (int i = 0; i < 1000; ++i) {
      const std::size_t begin = random() % stream.size();
      const std::size_t length = std::min<std::size_t>(random() % 10000, stream.size() - begin);
      EXPECT_EQ(reader.read(PageReader::kBegin + begin, length, scratch),
                std::string_view(stream).substr(begin, length));
    }
    const std::uint64_t pages = (reader.bytes_read() - before) / kPageBytes;
    EXPECT_NO_THROW(reader.check_all([](std::uint64_t) {}));
    return pages;
  };
  EXPECT_EQ(pages_read(1), kPages);
  const std::uint64_t some = pages_read(0.5);
  EXPECT_GT(some, kPages);
  EXPECT_LT(some, pages_read(0));
}

TEST_F(PageFileTest, ReadsNumbersAcrossPagesAndNoneBehindTheEnd) {
  PageWriter writer(path(), kMagic, 1);
  const auto write = [&](std::uint64_t number) {
    std::string bytes;
    append_varint(bytes, number);
    writer.write(bytes);
  };
  for (std::uint64_t i = 0; i < 20000; ++i) write(i * i * i * 7);
  const std::uint64_t end = writer.position();
  write(5);
  writer.finish({});
  PageReader reader(path(), kMagic, 1);
  PageCursor cursor(reader, PageReader::kBegin, end);
  for (std::uint64_t i = 0; i < 20000; ++i) ASSERT_EQ(cursor.varint(), i * i * i * 7);
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(error_of([&] { cursor.varint(); }), Errc::corrupt);
}

TEST_F(PageFileTest, TellsDamageFromANewerVersion) {
  PageWriter writer(path(), kMagic, 2);
  writer.finish({});
  EXPECT_EQ(error_of([&] { PageReader(path(), kMagic, 1); }), Errc::unsupported);
  EXPECT_EQ(error_of([&] { PageReader(path(), "OTHERONE", 2); }), Errc::corrupt);
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(kMagicBytes);
  file.put(1);
  file.close();
  EXPECT_EQ(error_of([&] { PageReader(path(), kMagic, 1); }), Errc::corrupt);
  EXPECT_EQ(error_of([&] { PageReader(path("none"), kMagic, 1); }), Errc::corrupt);
}

TEST_F(PageFileTest, FindsPagesThatChangedPlaces) {
  PageWriter writer(path(), kMagic, 1);
  writer.write(std::string(10 * kPageContentBytes, 'x'));  // inner pages are all alike
  writer.finish({});
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  std::string a(kPageBytes, 0);
  std::string b(kPageBytes, 0);
  file.seekg(2 * kPageBytes);
  file.read(a.data(), kPageBytes);
  file.read(b.data(), kPageBytes);
  file.seekp(2 * kPageBytes);
  file.write(b.data(), kPageBytes);
  file.write(a.data(), kPageBytes);
  file.close();
  PageReader reader(path(), kMagic, 1);
  EXPECT_EQ(error_of([&] { reader.check_all([](std::uint64_t) {}); }), Errc::corrupt);
}

std::uint64_t resident_file_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "RssFile:") return status >> word, std::stoull(word) * 1024;
  return 0;
}

TEST_F(PageFileTest, DoesNotBecomeResidentAsItIsRead) {
  constexpr std::uint64_t kBytes = std::uint64_t{64} << 20U;
  PageWriter writer(path(), kMagic, 1);
  const std::string piece(std::size_t{1} << 20U, 'x');
  for (std::uint64_t i = 0; i < kBytes; i += piece.size()) writer.write(piece);
  writer.finish({});
  PageReader reader(path(), kMagic, 1);
  const std::uint64_t before = resident_file_bytes();
  std::uint64_t most = 0;
  std::mt19937_64 random(1);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < kBytes / kPageContentBytes; ++i) {
      reader.rest_of_page(round == 0 ? i * kPageContentBytes : random() % kBytes);
      if (i % 512 == 0) most = std::max(most, resident_file_bytes());
    }
  }
  EXPECT_LE(most, before + (std::uint64_t{8} << 20U));
}

TEST_F(PageFileTest, ATreeFindsEveryBlock) {
  for (const std::uint64_t blocks : {0, 1, 2, 127, 128, 129, 128 * 128, 128 * 128 + 1, 40000}) {
    PageWriter writer(path(), kMagic, 1);
    BlockTreeWriter tree(writer);
    const auto key_of = [](std::uint64_t i) { return i / 3 * 10; };  // three blocks per key
    for (std::uint64_t i = 0; i < blocks; ++i) tree.add(key_of(i), i % 5 + 1, std::to_string(i));
    const BlockTreeRoot root = tree.finish();
    writer.finish({});
    PageReader file(path(), kMagic, 1);
    BlockTreeReader reader(file, root);
    BlockTreeReader::Block block;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      ASSERT_TRUE(reader.next(block));
      ASSERT_EQ(block.content, std::to_string(i));
      ASSERT_EQ(block.key, key_of(i));
      ASSERT_EQ(block.rows, i % 5 + 1);
    }
    EXPECT_FALSE(reader.next(block));
    for (std::uint64_t i = 0; i < blocks; i += 1 + blocks / 1000) {
      // The last block below the key; for the least key, the first block of all.
      reader.seek(key_of(i));
      ASSERT_TRUE(reader.next(block));
      EXPECT_EQ(block.content, std::to_string(i < 3 ? 0 : i / 3 * 3 - 1));
      reader.seek(key_of(i) + 1);
      ASSERT_TRUE(reader.next(block));
      EXPECT_EQ(block.content, std::to_string(std::min(i / 3 * 3 + 2, blocks - 1)));
    }
  }
}

}  // namespace
}  // namespace refrain::store
