// The files of a segment: what is written can be read again, and damage is detected.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "base/files/file.h"
#include "engines/blot/document_reader.h"
#include "engines/blot/format.h"
#include "engines/blot/posts_reader.h"
#include "engines/blot/posts_writer.h"
#include "refrain/error.h"
#include "store/bits.h"
#include "world.h"

namespace refrain::blot {
namespace {

namespace fs = std::filesystem;

class SegmentFiles : public testing::Test, public World {
 protected:
  MemoryBudget budget_{Context{}};
};

using Lists = std::map<std::uint64_t, std::vector<std::uint64_t>>;

Lists random_lists(std::mt19937_64& random, unsigned bits, std::size_t count, std::uint64_t blocks) {
  Lists lists;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t>& places = lists[random() & ((std::uint64_t{1} << bits) - 1)];
    const std::size_t many = random() % 50 == 0 ? random() % 300 : random() % 3 + 1;
    for (std::size_t j = 0; j < many; ++j) places.push_back(random() % blocks);
  }
  for (auto& [blot, places] : lists) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  std::erase_if(lists, [](const auto& list) { return list.second.empty(); });
  return lists;
}

PostsTotals write_lists(const fs::path& folder, const Lists& lists, unsigned bits, unsigned shards,
                        std::uint64_t blocks, MemoryBudget& budget, std::size_t at_once) {
  std::uint64_t posts = 0;
  for (const auto& [blot, places] : lists) posts += places.size();
  const PostsPlan plan(bits, shards, posts, blocks);
  PostsWriter writer(folder, plan, budget);
  BucketEncoder encoder(plan, budget);
  std::uint64_t bucket = 0;
  std::size_t taken = 0;
  for (const auto& [blot, places] : lists) {
    if (plan.bucket_of(blot) != bucket && ++taken % at_once == 0) {
      writer.add(encoder.buckets());
      encoder.clear();
    }
    bucket = plan.bucket_of(blot);
    encoder.add(blot, places);
  }
  writer.add(encoder.buckets());
  return writer.finish();
}

constexpr std::uint64_t kAnyBlot = ~std::uint64_t{0};

std::vector<std::uint64_t> all_places(PostsReader::Cursor& cursor) {
  std::vector<std::uint64_t> all;
  for (auto some = cursor.places(); !some.empty(); some = cursor.places())
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

TEST_F(SegmentFiles, PostsComeBackOneByOneAndInOrder) {
  std::mt19937_64 random(1);
  for (const unsigned bits : {12U, 20U, 30U, 40U})
    for (const unsigned shards : {1U, 4U, 16U})
      for (const std::size_t count : {0U, 1U, 70U, 5000U}) {
        const std::uint64_t blocks = count == 70 ? 3 : 100000;
        const Lists lists = random_lists(random, bits, count, blocks);
        const fs::path folder = at(std::to_string(random()));
        fs::create_directory(folder);
        const PostsTotals totals = write_lists(folder, lists, bits, shards, blocks, budget_, 1 + random() % 5);
        EXPECT_EQ(totals.blots, lists.size());
        PostsReader reader(folder, totals.files, bits, blocks);
        EXPECT_EQ(reader.blots(), lists.size());
        for (int i = 0; i < 200; ++i) {
          auto at = lists.lower_bound(random() & ((std::uint64_t{1} << bits) - 1));
          const std::uint64_t blot = at == lists.end() || i % 2 == 0 ? random() & 0xFFF : at->first;
          std::vector<std::uint64_t> found;
          PostsReader::Cursor cursor(reader, blot, blot + 1, 7);
          if (!cursor.at_end()) found = all_places(cursor);
          std::vector<std::uint64_t> expected = lists.contains(blot) ? lists.at(blot) : std::vector<std::uint64_t>();
          for (auto& place : expected) place += 7;
          ASSERT_EQ(found, expected);
        }
        for (const std::uint64_t begin : {std::uint64_t{0}, random() & 0xFFF}) {
          auto expected = lists.lower_bound(begin);
          for (PostsReader::Cursor cursor(reader, begin, kAnyBlot); !cursor.at_end(); cursor.next(), ++expected) {
            ASSERT_TRUE(expected != lists.end());
            ASSERT_EQ(cursor.blot(), expected->first);
            ASSERT_EQ(cursor.count(), expected->second.size());
            ASSERT_EQ(all_places(cursor), expected->second);
          }
          EXPECT_TRUE(expected == lists.end());
        }
        reader.check([](std::uint64_t) {});
      }
}

// Lists that are longer than a cursor's window, mixed with short ones.
Lists long_lists(std::mt19937_64& random, std::uint64_t blocks) {
  Lists lists = random_lists(random, 14, 3000, blocks);
  for (const std::uint64_t blot : {1U, 2U, 700U, 16383U}) {
    std::vector<std::uint64_t>& places = lists[blot];
    places.clear();
    const std::uint64_t gap = std::uint64_t{1} << (random() % 6);
    for (std::uint64_t place = random() % 9; place < blocks; place += 1 + random() % gap) places.push_back(place);
  }
  return lists;
}

TEST_F(SegmentFiles, ListsOfAnyLengthComeBackWhereverOneStopsReading) {
  constexpr std::uint64_t kBlocks = 1'000'000;
  std::mt19937_64 random(11);
  for (int round = 0; round < 3; ++round) {
    const Lists lists = long_lists(random, kBlocks);
    const fs::path folder = at(std::to_string(random()));
    fs::create_directory(folder);
    PostsReader reader(folder, write_lists(folder, lists, 14, 2, kBlocks, budget_, 2).files, 14, kBlocks);
    auto expected = lists.begin();
    for (PostsReader::Cursor cursor(reader, 0, kAnyBlot); !cursor.at_end(); cursor.next(), ++expected) {
      ASSERT_EQ(cursor.blot(), expected->first);
      ASSERT_EQ(cursor.count(), expected->second.size());
      std::vector<std::uint64_t> found;
      const std::size_t wanted = random() % 3 == 0 ? kBlocks : random() % 2 * (random() % 300);
      while (found.size() < wanted) {
        const auto some = cursor.places();
        if (some.empty()) break;
        found.insert(found.end(), some.begin(), some.end());
      }
      ASSERT_LE(found.size(), expected->second.size());
      ASSERT_GE(found.size(), std::min(wanted, expected->second.size()));
      ASSERT_TRUE(std::equal(found.begin(), found.end(), expected->second.begin()));
    }
    EXPECT_TRUE(expected == lists.end());
    reader.check([](std::uint64_t) {});
  }
}

TEST_F(SegmentFiles, AListInPartsIsTheListAtOnce) {
  constexpr std::uint64_t kBlocks = 100'000;
  std::mt19937_64 random(12);
  const Lists lists = long_lists(random, kBlocks);
  std::uint64_t posts = 0;
  for (const auto& [blot, places] : lists) posts += places.size();
  const PostsPlan plan(14, 1, posts, kBlocks);
  BucketEncoder with_marks(plan, budget_);
  BucketEncoder parts(plan, budget_);
  for (const auto& [blot, places] : lists) {
    with_marks.add(blot, places);
    parts.begin(blot);
    for (std::span<const std::uint64_t> rest = places; !rest.empty();) {
      const std::size_t some = std::min<std::size_t>(rest.size(), random() % 100);
      parts.append(rest.first(some));
      rest = rest.subspan(some);
    }
    parts.end();
    parts.begin(blot);  // a list without places is dropped
    parts.end();
  }
  const auto bytes = [](BucketEncoder& encoder) {
    return std::string(encoder.buckets().bytes.data(), encoder.buckets().bytes.size());
  };
  EXPECT_EQ(bytes(parts), bytes(with_marks));
}

TEST_F(SegmentFiles, AListTakesItsBytesAndNoMore) {
  constexpr std::uint64_t kBlocks = 40'000'000;  // at 8 bytes each they would take 305 MiB
  MemoryBudget small{Context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1}};
  const PostsPlan plan(14, 1, kBlocks, kBlocks);
  BucketEncoder encoder(plan, small);
  encoder.begin(3);
  for (std::uint64_t place = 0; place < kBlocks; ++place) encoder.append(place);
  encoder.end();
  PostsWriter writer(folder(), plan, small);
  writer.add(encoder.buckets());
  EXPECT_LT(small.peak(), std::uint64_t{24} << 20U);
  const PostsTotals totals = writer.finish();
  EXPECT_EQ(totals.posts, kBlocks);
  PostsReader reader(folder(), totals.files, 14, kBlocks);
  PostsReader::Cursor cursor(reader, 3, 4);
  std::uint64_t next = 0;
  for (auto some = cursor.places(); !some.empty(); some = cursor.places()) {
    ASSERT_EQ(some.front(), next);
    next += some.size();
    ASSERT_EQ(some.back(), next - 1);
  }
  EXPECT_EQ(next, kBlocks);
}

TEST_F(SegmentFiles, AMergeTellsEveryBlotOnceWithTheListsOfAll) {
  std::mt19937_64 random(13);
  constexpr std::uint64_t kBlocks = 5000;
  Lists expected;
  std::vector<std::unique_ptr<PostsReader>> readers;
  std::vector<PostsMerge::Source> sources;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Lists lists = random_lists(random, 14, i == 2 ? 0 : 4000, kBlocks);
    const fs::path folder = at(std::to_string(i));
    fs::create_directory(folder);
    const PostsTotals totals = write_lists(folder, lists, 14, 4, kBlocks, budget_, 1);
    readers.push_back(std::make_unique<PostsReader>(folder, totals.files, 14, kBlocks));
    sources.push_back({readers.back().get(), i * kBlocks});
    for (const auto& [blot, places] : lists)
      for (const std::uint64_t place : places) expected[blot].push_back(place + i * kBlocks);
  }
  for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, kAnyBlot}, {777, 9000}, {5, 6}}) {
    auto at = expected.lower_bound(begin);
    for (PostsMerge merge(sources, begin, end); merge.next(); ++at) {
      ASSERT_TRUE(at != expected.end());
      ASSERT_EQ(merge.blot(), at->first);
      std::vector<std::uint64_t> found;
      for (const PostsMerge::List& list : merge.lists()) {
        const std::vector<std::uint64_t> places = all_places(*list.places);
        ASSERT_EQ(places.front() / kBlocks, list.source);
        found.insert(found.end(), places.begin(), places.end());
      }
      ASSERT_EQ(found, at->second);
    }
    EXPECT_TRUE(at == expected.lower_bound(end));
  }
}

store::PageFileId write_posts_file(const fs::path& folder, unsigned shard, std::string_view stream,
                                   const std::vector<std::uint64_t>& tail) {
  store::PageWriter file((folder / posts_name(shard)).string(), kBlotPostsMagic, kBlotFormatVersion);
  file.write(stream);
  return file.finish({reinterpret_cast<const char*>(tail.data()), tail.size() * sizeof(std::uint64_t)});
}

TEST_F(SegmentFiles, PostsOfNoBucketsAreNoticed) {
  // There are more shards than buckets, so no shard has a bucket.
  std::vector<store::PageFileId> ids;
  for (const unsigned shard : {0U, 1U})
    ids.push_back(write_posts_file(folder(), shard, std::string(10, '\0'), {12, 0, 0, 0, 0, 0, 0, 0, 12}));
  EXPECT_THROW(PostsReader(folder(), ids, 12, 100), Error);
}

TEST_F(SegmentFiles, AListIsNoLongerThanItsBytes) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 40U;
  std::string stream(1, '\1');  // the number of lists: one
  store::BitWriter bits(stream);
  bits.rice(0, 0);
  bits.gamma(kMany);
  bits.gamma(1);
  bits.finish();
  const std::uint64_t begin = store::PageReader::kBegin;
  const std::uint64_t end = begin + stream.size();
  for (const std::uint64_t place : {begin, end}) stream.append(reinterpret_cast<const char*>(&place), 5);
  const std::vector<store::PageFileId> ids = {
      write_posts_file(folder(), 0, stream, {12, 0, 0, 0, 0, 1, 1, kMany, end})};
  PostsReader reader(folder(), ids, 12, 2 * kMany);
  EXPECT_THROW(PostsReader::Cursor(reader, 0, kAnyBlot), Error);
  EXPECT_THROW(reader.check([](std::uint64_t) {}), Error);
}

std::vector<DocumentInfo> random_documents(std::mt19937_64& random, std::size_t count) {
  std::vector<DocumentInfo> documents;
  for (std::size_t i = 0; i < count; ++i) {
    DocumentInfo document;
    document.id = "some/folder/" + std::to_string(i % 7) + "/" + std::to_string(i);
    document.tokens = random() % 4 == 0 ? random() % 5000 : random() % 40;
    document.text_bytes = document.tokens * 6 + random() % 10;
    if (random() % 2 == 0) {
      document.place.home = TextLocation::part;
      document.place.path = "file-" + std::to_string(i / 10);
      document.place.format = Format::jsonl;
      document.place.begin = random() % 100000;
      document.place.bytes = document.text_bytes + 3;
    }
    for (std::uint64_t mark = 0; mark < marks_of(document.tokens); ++mark)
      document.marks.push_back({mark * 1500, static_cast<std::uint32_t>(random())});
    documents.push_back(std::move(document));
  }
  return documents;
}

TEST_F(SegmentFiles, DocumentsComeBackByNumberByBlockAndById) {
  std::mt19937_64 random(2);
  for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 1000U}) {
    const auto documents = random_documents(random, count);
    const fs::path folder = at(std::to_string(count));
    fs::create_directory(folder);
    DocumentWriter writer(folder, "/root", budget_);
    for (const DocumentInfo& document : documents) writer.add(document);
    const DocumentTotals totals = writer.finish();
    DocumentReader reader(folder, totals.file);
    reader.check([](std::uint64_t) {});
    EXPECT_EQ(reader.documents(), count);
    EXPECT_EQ(reader.root(), count == 0 ? "" : "/root");
    std::uint64_t block = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const DocumentInfo found = reader.with_marks(i);
      ASSERT_EQ(found.id, documents[i].id);
      ASSERT_EQ(found.tokens, documents[i].tokens);
      ASSERT_EQ(found.marks, documents[i].marks);
      ASSERT_EQ(found.place.path, documents[i].place.path);
      ASSERT_EQ(found.place.begin, documents[i].place.begin);
      ASSERT_EQ(reader.first_block(i), block);
      for (std::uint64_t j = 0; j < blocks_of(found.tokens); ++j) ASSERT_EQ(reader.document_at(block + j), i);
      block += blocks_of(found.tokens);
      std::vector<std::uint64_t> same;
      reader.find(documents[i].id, [&](std::uint64_t document) {
        same.push_back(document);
        return false;
      });
      ASSERT_EQ(same, std::vector<std::uint64_t>{i});
    }
    reader.find("no such id", [&](std::uint64_t) {
      ADD_FAILURE();
      return true;
    });
  }
}

TEST_F(SegmentFiles, PathsAreFoundInAnyOrder) {
  std::mt19937_64 random(5);
  constexpr std::size_t kDocuments = 1000;
  DocumentWriter writer(folder(), "/some/where", budget_);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < kDocuments; ++i) {
    // Some paths are longer than a page.
    paths.push_back("/" + std::string(i % 100 == 7 ? 5000 : random() % 60, 'p') + std::to_string(i));
    DocumentInfo document;
    document.id = std::to_string(i);
    document.place = {.home = TextLocation::part, .path = paths.back(), .format = Format::lines};
    document.marks.resize(1);
    writer.add(document);
  }
  const DocumentTotals totals = writer.finish();
  DocumentReader reader(folder(), totals.file);
  EXPECT_EQ(reader.root(), "");  // no path is relative to it
  for (const std::size_t first : {kDocuments - 1, std::size_t{0}, kDocuments / 2}) {
    DocumentReader other(reader);
    EXPECT_EQ(other.info(first).place.path, paths[first]);
    for (int i = 0; i < 500; ++i) {
      const std::size_t at = random() % kDocuments;
      ASSERT_EQ(other.info(at).place.path, paths[at]);
    }
  }
  reader.check([](std::uint64_t) {});
  for (std::size_t i = kDocuments; i-- > 0;) ASSERT_EQ(reader.info(i).place.path, paths[i]);
}

TEST_F(SegmentFiles, StoredTextsComeBackFrameByFrame) {
  std::mt19937_64 random(3);
  TextPacker packer;
  TextWriter writer(folder());
  std::vector<std::pair<DocumentInfo, std::string>> documents;
  for (const std::size_t tokens : {0U, 5U, 256U, 4096U, 4097U, 30000U}) {
    std::string text;
    DocumentInfo document;
    for (std::size_t i = 0; i < tokens; ++i) {
      if (i % kMarkTokens == 0) document.marks.push_back({i == 0 ? 0 : text.size(), 0});
      text += std::to_string(random() % 1000) + " ";
    }
    if (tokens == 0) {
      text = "...";
      document.marks.push_back({0, 0});
    }
    document.tokens = tokens;
    document.text_bytes = text.size();
    const PackedText packed = packer.pack(text, document.marks);
    document.place = {.home = TextLocation::stored, .stored = writer.add(packed), .frames = packed.frames};
    documents.emplace_back(document, text);
  }
  const store::PageFileId id = writer.finish();
  TextReader reader(folder(), id);
  for (const auto& [document, text] : documents) {
    std::string joined;
    for (std::size_t i = 0; i < document.place.frames.size(); ++i) joined += reader.frame(document, i);
    EXPECT_EQ(joined, text);
  }
}

TEST(PostsPlaces, PastWhatFiveBytesHoldAreRefusedNotCut) {
  EXPECT_EQ(checked_bucket_place((std::uint64_t{1} << 40U) - 1), (std::uint64_t{1} << 40U) - 1);
  EXPECT_THROW(checked_bucket_place(std::uint64_t{1} << 40U), Error);
}

}  // namespace
}  // namespace refrain::blot
