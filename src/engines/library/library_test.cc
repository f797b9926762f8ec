// Compares the library with a slow, obvious one.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "engines/library/format.h"
#include "engines/library/keys.h"
#include "engines/library/test_library.h"
#include "refrain/error.h"

namespace refrain::library {
namespace {

namespace fs = std::filesystem;

std::vector<TestDocument> some_documents(std::uint64_t seed, std::size_t count, unsigned variety = 1000) {
  std::mt19937_64 random(seed);
  std::vector<TestDocument> documents;
  for (std::size_t i = 0; i < count; ++i) documents.push_back(random_document(random, kTestLayout, variety));
  return documents;
}

void expect_same(TestLibrary& library) {
  EXPECT_EQ(library.read_all(), library.expected_lines());
  Reader reader(library.path(), library.budget());
  const std::vector<Probe> probes = probes_for(library.expected(), library.layout());
  const std::vector<std::string> expected = found_by_map(library.expected(), library.layout(), probes);
  EXPECT_EQ(found_by_reader(reader, probes), expected);
  EXPECT_EQ(found_by_reader(*reader.clone(), probes), expected);
  check(library.path(), library.context(), library.budget());
}

TEST(Library, FindsWhatAMapFinds) {
  for (const std::size_t count : {0U, 1U, 2U, 15U, 16U, 17U, 64U, 65U, 1000U, 5000U}) {
    TestLibrary library;
    library.add(some_documents(count, count));
    expect_same(library);
  }
}

TEST(Library, FindsWhatAMapFindsInManySegments) {
  TestLibrary library;
  for (unsigned i = 0; i < 12; ++i) library.add(some_documents(i, i * 37 % 200, 50));
  expect_same(library);
}

TEST(Library, KeysAreTheSameBytesHoweverManyAreAddedAtATime) {
  std::mt19937_64 random(5);
  std::vector<KeyEntry> entries;
  for (std::uint32_t i = 0; i < 40000; ++i) {
    // Some keys are far apart, some close together, and some equal.
    const std::uint64_t key = random() >> (i % 5 == 0 ? 30U : 0U);
    entries.push_back({stored_key(i % 7 == 0 ? std::uint64_t{1} << 60U : key), i});
  }
  std::ranges::sort(entries);
  const auto written = [&](unsigned threads, std::size_t at_once) {
    TestLibrary world;
    Context context = world.context();
    context.threads = threads;
    KeysWriter writer(world.at(""), entries.size(), entries.size(), context, world.temp());
    const std::span<const KeyEntry> all(entries);
    for (std::size_t i = 0; i < all.size(); i += at_once) writer.add(all.subspan(i, std::min(at_once, all.size() - i)));
    EXPECT_EQ(writer.keys(), entries.size());
    const KeysWriter::Files files = writer.finish();
    KeysCursor cursor(world.at(""), files.keys);
    std::vector<KeyEntry> read;
    for (KeyEntry entry; cursor.next(entry);) read.push_back(entry);
    EXPECT_EQ(read, entries);
    return std::pair(files.keys, files.filter);
  };
  const auto one_by_one = written(1, 1);
  for (const unsigned threads : {1U, 2U, 7U})
    for (const std::size_t at_once : {13U, 5000U, 40000U}) EXPECT_EQ(written(threads, at_once), one_by_one);
}

TEST(Library, ManyDocumentsOfOneKeyAreFoundInOrder) {
  TestLibrary library;
  std::vector<TestDocument> documents = some_documents(3, 20000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (i % 3 == 0) documents[i].digest = {7, 7};
    if (i % 3 == 1) documents[i].digest = {std::uint64_t{8} << 20U, 7};
  }
  library.add(documents);
  EXPECT_EQ(library.read_all(), library.expected_lines());
  check(library.path(), library.context(), library.budget());
  Reader reader(library.path(), library.budget());
  std::vector<Probe> probes = {{7, 0}, {std::uint64_t{8} << 20U, 0}};
  EXPECT_EQ(found_by_reader(reader, probes), found_by_map(documents, library.layout(), probes));
  // Only the best-ranked documents are found.
  for (Probe& probe : probes) probe.most = 3;
  std::vector<KnownId> found;
  reader.find(probes, [&](std::size_t /*probe*/, KnownId document) { found.push_back(document); });
  EXPECT_EQ(found, (std::vector<KnownId>{0, 3, 6, 1, 4, 7}));
}

TEST(Library, AMillionDocumentsOfOneKeyCostAMillion) {
  const Layout layout = {.rules = {}, .lanes = 2, .bands = 2, .rows = 1};
  TestLibrary library(layout);
  LibraryWriter writing(library.path(), layout);
  SegmentWriter& writer =
      writing.add("", 1000, library.context(), library.budget(), library.temp());  // fewer than will be added
  writer.add(Source{});
  const std::vector<std::uint8_t> signature = {1, 2};
  const std::vector<std::uint32_t> bands = {3, 4};
  constexpr std::uint64_t kDocuments = 1'000'000;
  NewDocument document;
  document.id = "x";
  document.digest = {5, 5};
  document.signature = signature;
  document.bands = bands;
  for (std::uint64_t i = 0; i < kDocuments; ++i) writer.add(document);
  writing.commit();
  Reader reader(library.path(), library.budget());
  std::uint64_t found = 0;
  const std::vector<Probe> probes = {{digest_key({5, 5}), 0}};
  reader.find(probes, [&](std::size_t, KnownId known) { EXPECT_EQ(known, found++); });
  EXPECT_EQ(found, kDocuments);
  check(library.path(), library.context(), library.budget());
}

TEST(Library, RemovedDocumentsAreNotFound) {
  TestLibrary library;
  for (unsigned i = 0; i < 4; ++i) library.add(some_documents(i, 300, 20), "run" + std::to_string(i));
  const auto is_gone = [](std::string_view id, std::string_view source) {
    return source == "example3.org" || id.ends_with('7');
  };
  std::uint64_t removed = 0;
  library.change(
      [&](LibraryWriter& writing) { removed = writing.remove(is_gone, library.context(), library.budget()); });
  const std::size_t before = library.expected().size();
  std::erase_if(library.expected(),
                [&](const TestDocument& document) { return is_gone(document.id, document.source); });
  EXPECT_EQ(removed, before - library.expected().size());
  expect_same(library);
  // Removes one more document, then merges everything into one segment.
  const std::string last = library.expected().back().id;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 200; ++i) ids.push_back(library.expected()[i].id);
  library.change([&](LibraryWriter& writing) {
    EXPECT_EQ(writing.remove([&](std::string_view id, std::string_view) { return id == last; }, library.context(),
                             library.budget()),
              1U);
  });
  library.expected().pop_back();
  expect_same(library);
  library.change(
      [&](LibraryWriter& writing) { writing.merge(0, 4, library.context(), library.budget(), library.temp()); });
  expect_same(library);
  EXPECT_EQ(read_manifest(library.path()).segments.size(), 1U);
  EXPECT_EQ(read_manifest(library.path()).runs, (std::vector<std::string>{"run0", "run1", "run2", "run3"}));
}

TEST(Library, AnyOrderOfMergingGivesTheSameAnswers) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 3; ++round) {
    TestLibrary library;
    for (unsigned i = 0; i < 7; ++i) library.add(some_documents(i, 20 + i * 40, 30));
    const auto is_gone = [](std::string_view id, std::string_view) { return id.ends_with("3"); };
    library.change([&](LibraryWriter& writing) { writing.remove(is_gone, library.context(), library.budget()); });
    std::erase_if(library.expected(), [&](const TestDocument& document) { return is_gone(document.id, {}); });
    for (std::size_t segments = 7; segments > 1;) {
      const std::size_t first = random() % (segments - 1);
      const std::size_t last = first + 2 + random() % (segments - first - 1);
      library.change([&](LibraryWriter& writing) {
        writing.merge(first, last, library.context(), library.budget(), library.temp());
      });
      segments = read_manifest(library.path()).segments.size();
      expect_same(library);
    }
  }
}

TEST(Library, SmallSegmentsAreMergedNowAndThen) {
  TestLibrary library;
  for (unsigned i = 0; i < 60; ++i) {
    const std::vector<TestDocument> documents = some_documents(i, 20, 30);
    library.change_or_make([&](LibraryWriter& writing) {
      add_all(writing.add(std::to_string(i), 20, library.context(), library.budget(), library.temp()), documents, "o");
      writing.merge_small(library.context(), library.budget(), library.temp());
    });
    library.expected().insert(library.expected().end(), documents.begin(), documents.end());
    EXPECT_LE(read_manifest(library.path()).segments.size(), 9U);
  }
  expect_same(library);
  // Every run is still recorded, by its segment or in the list of runs.
  const Manifest manifest = read_manifest(library.path());
  std::vector<std::string> runs = manifest.runs;
  for (const SegmentInfo& segment : manifest.segments)
    if (!segment.run.empty()) runs.push_back(segment.run);
  EXPECT_EQ(runs.size(), 60U);
  // Equal names are stored once.
  library.change(
      [&](LibraryWriter& writing) { writing.merge(0, 99, library.context(), library.budget(), library.temp()); });
  Reader reader(library.path(), library.budget());
  std::set<std::string> sources;
  std::size_t count = 0;
  reader.for_each_source(0, [&](std::uint32_t number, const Source& source) {
    EXPECT_EQ(number, count++);
    EXPECT_EQ(source.left_out, left_out_of(source.name));
    sources.insert(source.name);
  });
  EXPECT_EQ(sources.size(), count);
  expect_same(library);
}

TEST(Library, AnswersWithLittleMemoryAsWithMuch) {
  TestLibrary library;
  library.add(some_documents(1, 40000));
  const std::vector<TestDocument> asked(library.expected().begin(), library.expected().begin() + 1000);
  const std::vector<Probe> probes = probes_for(asked, library.layout());
  const std::vector<std::string> expected = found_by_map(library.expected(), library.layout(), probes);
  Reader reader(library.path(), library.budget());
  EXPECT_EQ(found_by_reader(reader, probes), expected);
  EXPECT_GT(library.budget().reserved(), 100'000U);
  // Reserve all but a little memory: there is no filter, and only some of the first keys are in memory.
  constexpr std::uint64_t kLittle = 2048;
  const Reservation most = library.budget().reserve(library.budget().available() - kLittle, "all but a little");
  Reader small(library.path(), library.budget());
  EXPECT_LT(library.budget().available(), kLittle);
  EXPECT_EQ(found_by_reader(small, probes), expected);
}

TEST(Library, KeysThatSpillAreTheSame) {
  const World world;
  const std::vector<TestDocument> documents = some_documents(8, 2000);
  // Builds a segment of 200,000 documents with `room` bytes of memory and returns the bytes of its files.
  const auto made_with = [&](std::uint64_t room, std::uint64_t& temp_bytes) {
    const Context context = world.context(2, std::uint64_t{256} << 20U);
    MemoryBudget budget(context);
    TempSpace temp(context);
    const fs::path folder = world.at(std::to_string(room));
    fs::create_directory(folder);
    const Reservation most = budget.reserve(budget.available() - room, "all but the room");
    SegmentWriter writer(folder, kTestLayout, 200'000, context, budget, temp);
    add_all(writer, documents, "x");
    NewDocument document;
    for (std::uint64_t i = 1; i < 100; ++i)
      for (const TestDocument& other : documents) {
        document.digest = {other.digest.high + (i << 20U), 0};
        document.signature = other.signature;
        document.bands = other.bands;
        writer.add(document);
      }
    writer.finish();
    temp_bytes = temp.peak_bytes();
    return read_file(folder / kKeysName) + read_file(folder / kDocumentsName) + read_file(folder / kFilterName);
  };
  std::uint64_t spilled = 0;
  std::uint64_t not_spilled = 0;
  EXPECT_TRUE(made_with(std::uint64_t{3} << 20U, spilled) == made_with(std::uint64_t{64} << 20U, not_spilled));
  EXPECT_GT(spilled, not_spilled + (std::uint64_t{1} << 20U));
}

// The files in tests/compat were written by version 1 and must always be readable. Version 1 is still written byte
// for byte, except for the files that zstd compresses, which depend on its version.
TEST(Library, OfVersionOneIsReadAndStillWritten) {
  const fs::path golden = fs::path(REFRAIN_TESTS_DIR) / "compat" / "v1" / "library";
  TestLibrary library;
  library.add(some_documents(1, 40, 10), "one");
  library.add(some_documents(2, 20, 10), "two");
  const auto is_gone = [](std::string_view id, std::string_view) { return id.ends_with('1'); };
  library.change([&](LibraryWriter& writing) { writing.remove(is_gone, library.context(), library.budget()); });
  std::erase_if(library.expected(), [&](const TestDocument& document) { return is_gone(document.id, {}); });
  for (const char* file : {"000001/documents.bin", "000001/names.bin", "000001/keys.bin", "000001/filter.bin",
                           "000002/documents.bin", "000002/keys.bin", "000001-000003.removed"})
    EXPECT_EQ(read_file(library.path() / file), read_file(golden / file)) << file;
  fs::remove_all(library.path());
  fs::copy(golden, library.path(), fs::copy_options::recursive);
  expect_same(library);
}

// A document with a URL as its id takes at most 300 bytes.
TEST(Library, IsSmall) {
  const Layout layout = {.rules = {}, .lanes = 128, .bands = 13, .rows = 9};
  TestLibrary library(layout);
  std::mt19937_64 random(4);
  std::vector<TestDocument> documents;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    documents.push_back(random_document(random, layout, 0x7FFFFFFF));
    for (std::uint8_t& lane : documents.back().signature) lane = static_cast<std::uint8_t>(random());
    documents.back().id += "/" + std::to_string(random() % 1'000'000) + ".html";
    documents.back().rank = i;
  }
  library.add(documents);
  std::uint64_t bytes = 0;
  const Manifest manifest = read_manifest(library.path());
  for (const store::PageFileId& file : manifest.segments.front().files) bytes += file.bytes;
  EXPECT_LE(bytes, 300 * documents.size());
}

}  // namespace
}  // namespace refrain::library
