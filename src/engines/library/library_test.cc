// The library against the slow, obvious one.
#include <gtest/gtest.h>

#include <algorithm>

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
  const std::vector<Probe> probes = {{7, 0}, {std::uint64_t{8} << 20U, 0}};
  EXPECT_EQ(found_by_reader(reader, probes), found_by_map(documents, library.layout(), probes));
  // The best-ranked ones alone.
  std::vector<KnownId> found;
  reader.find(probes, 3, [&](std::size_t /*probe*/, KnownId document) { found.push_back(document); });
  EXPECT_EQ(found, (std::vector<KnownId>{0, 3, 6, 1, 4, 7}));
}

TEST(Library, AMillionDocumentsOfOneKeyCostAMillion) {
  const Layout layout = {.rules = {}, .lanes = 2, .bands = 2, .rows = 1};
  TestLibrary library(layout);
  Writing writing(library.path(), layout);
  SegmentWriter& writer =
      writing.add("", 1000, library.context(), library.budget(), library.temp());  // fewer than there are
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
  reader.find(probes, ~std::size_t{0}, [&](std::size_t, KnownId known) { EXPECT_EQ(known, found++); });
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
  library.change([&](Writing& writing) { removed = writing.remove(is_gone, library.context(), library.budget()); });
  const std::size_t before = library.expected().size();
  std::erase_if(library.expected(),
                [&](const TestDocument& document) { return is_gone(document.id, document.source); });
  EXPECT_EQ(removed, before - library.expected().size());
  expect_same(library);
  // Once more, and all of one segment.
  const std::string last = library.expected().back().id;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 200; ++i) ids.push_back(library.expected()[i].id);
  library.change([&](Writing& writing) {
    EXPECT_EQ(writing.remove([&](std::string_view id, std::string_view) { return id == last; }, library.context(),
                             library.budget()),
              1U);
  });
  library.expected().pop_back();
  expect_same(library);
  library.change([&](Writing& writing) { writing.merge(0, 4, library.context(), library.budget(), library.temp()); });
  expect_same(library);
  EXPECT_EQ(read_manifest(library.path()).segments.size(), 1U);
  EXPECT_EQ(read_manifest(library.path()).runs, (std::vector<std::string>{"run0", "run1", "run2", "run3"}));
}

TEST(Library, AnyOrderOfMergingGivesTheSameAnswers) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 6; ++round) {
    TestLibrary library;
    for (unsigned i = 0; i < 7; ++i) library.add(some_documents(i, 20 + i * 40, 30));
    const auto is_gone = [](std::string_view id, std::string_view) { return id.ends_with("3"); };
    library.change([&](Writing& writing) { writing.remove(is_gone, library.context(), library.budget()); });
    std::erase_if(library.expected(), [&](const TestDocument& document) { return is_gone(document.id, {}); });
    for (std::size_t segments = 7; segments > 1;) {
      const std::size_t first = random() % (segments - 1);
      const std::size_t last = first + 2 + random() % (segments - first - 1);
      library.change(
          [&](Writing& writing) { writing.merge(first, last, library.context(), library.budget(), library.temp()); });
      segments = read_manifest(library.path()).segments.size();
      expect_same(library);
    }
  }
}

}  // namespace
}  // namespace refrain::library
