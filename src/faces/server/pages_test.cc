#include "faces/server/pages.h"

#include <gtest/gtest.h>

#include <string>

#include "faces/server/fake_backend.h"
#include "faces/server/wire/failure.h"

namespace refrain::server {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

unsigned status_of(const std::function<void()>& call) {
  try {
    call();
    return 200;
  } catch (const Failure& failure) {
    return failure.status();
  }
}

std::optional<Errc> code_of(const std::function<void()>& call) {
  try {
    call();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

TEST(Pages, PutEndToEndAreTheWhole) {
  for (const std::size_t bytes : {10, 40'000, 200'000}) {  // from many passages per read to many reads per passage
    FakeBackend backend;
    backend.passage_bytes = bytes;
    backend.extracted_passages = 23;
    SpoolSpace space("", kPlenty);
    Pages pages(backend, {}, space, kPlenty);
    std::string whole;
    EXPECT_FALSE(pages.page({}, 1000, {}, [&](std::string_view piece) { whole += piece; }).next);
    for (const std::uint64_t limit : {1, 5, 22, 23, 24}) {
      std::string all;
      std::optional<PageCursor> from;
      int count = 0;
      do {
        std::string page;
        from = pages.page(from, limit, {}, [&](std::string_view piece) { page += piece; }).next;
        EXPECT_TRUE(page.ends_with('\n'));
        all += page;
        ++count;
        if (from) from = parse_page_cursor(to_text(*from));
      } while (from);
      EXPECT_EQ(all, whole);
      EXPECT_EQ(count, static_cast<int>((23 + limit - 1) / limit));
    }
    EXPECT_EQ(backend.extractions, 1U);
  }
}

TEST(Pages, OfAnEmptyIndexHaveNothing) {
  FakeBackend backend;
  backend.extracted_passages = 0;
  SpoolSpace space("", kPlenty);
  Pages pages(backend, {}, space, kPlenty);
  const PageEnd end = pages.page({}, 5, {}, [](std::string_view) { FAIL(); });
  EXPECT_FALSE(end.next);
  EXPECT_EQ(end.generation, 1U);
}

TEST(Pages, ACommitEndsACursorAndIsReadAnew) {
  FakeBackend backend;
  SpoolSpace space("", kPlenty);
  Pages pages(backend, {}, space, kPlenty);
  const auto ignore = [](std::string_view) {};
  const auto next = pages.page({}, 5, {}, ignore).next;
  ASSERT_TRUE(next);
  backend.add({{"a", "b"}}, false, {});
  EXPECT_EQ(status_of([&] { pages.page(next, 5, {}, ignore); }), 410U);
  EXPECT_EQ(backend.extractions, 1U);
  EXPECT_EQ(pages.page({}, 5, {}, ignore).generation, 2U);
  EXPECT_EQ(backend.extractions, 2U);
  EXPECT_EQ(status_of([&] { pages.page(next, 5, {}, ignore); }), 410U);
}

// An index that is rebuilt in the same folder may have the same generation as before. Old cursors must not continue
// in it, and pages must not be cut from an extraction of the old index.
TEST(Pages, AnotherIndexOfTheSameGenerationIsReadAnew) {
  FakeBackend backend;
  SpoolSpace space("", kPlenty);
  Pages pages(backend, {}, space, kPlenty);
  const auto ignore = [](std::string_view) {};
  const auto next = pages.page({}, 5, {}, ignore).next;
  ASSERT_TRUE(next);
  backend.index_number = 2;
  EXPECT_EQ(status_of([&] { pages.page(next, 5, {}, ignore); }), 410U);
  EXPECT_EQ(backend.extractions, 1U);
  const PageEnd end = pages.page({}, 5, {}, ignore);
  EXPECT_EQ(end.generation, 1U);
  EXPECT_EQ(backend.extractions, 2U);
  ASSERT_TRUE(end.next);
  EXPECT_NE(to_text(*end.next), to_text(*next));
  EXPECT_EQ(status_of([&] { pages.page(next, 5, {}, ignore); }), 410U);
  EXPECT_EQ(status_of([&] { pages.page(end.next, 5, {}, ignore); }), 200U);
}

TEST(Pages, TakeTheirBytesFromTheSpaceOfAllAnswers) {
  FakeBackend backend;
  backend.passage_bytes = 1000;
  SpoolSpace space("", 90'000);
  std::string whole;
  {
    Pages pages(backend, {}, space, kPlenty);
    pages.page({}, 1000, {}, [&](std::string_view piece) { whole += piece; });
    EXPECT_EQ(space.held(), whole.size());
    // A new extraction replaces the old one, because there is no room for both.
    backend.add({{"a", "b"}}, false, {});
    pages.page({}, 5, {}, [](std::string_view) {});
    EXPECT_EQ(space.held(), whole.size());
    EXPECT_GT(2 * space.held(), 90'000U);
    backend.add({{"c", "d"}}, false, {});
    backend.extracted_passages = 1000;
    EXPECT_EQ(code_of([&] { pages.page({}, 5, {}, [](std::string_view) {}); }), Errc::over_budget);
    EXPECT_EQ(space.held(), 0U);
    backend.extracted_passages = 45;
    pages.page({}, 5, {}, [](std::string_view) {});
    EXPECT_EQ(space.held(), whole.size());
  }
  EXPECT_EQ(space.held(), 0U);
  Pages small(backend, {}, space, whole.size() - 1);
  EXPECT_EQ(code_of([&] { small.page({}, 5, {}, [](std::string_view) {}); }), Errc::over_budget);
  Pages large(backend, {}, space, whole.size());
  EXPECT_EQ(large.page({}, 5, {}, [](std::string_view) {}).generation, 3U);
}

TEST(Pages, AnExtractionThatWasStoppedBeginsAgain) {
  FakeBackend backend;
  backend.extraction_waits = true;
  SpoolSpace space("", kPlenty);
  Pages pages(backend, {}, space, kPlenty);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(code_of([&] { pages.page({}, 5, stop.get_token(), [](std::string_view) {}); }), Errc::interrupted);
  EXPECT_EQ(space.held(), 0U);
  backend.go_on();
  EXPECT_TRUE(pages.page({}, 5, {}, [](std::string_view) {}).next);
  EXPECT_EQ(backend.extractions, 2U);
}

TEST(Pages, ACursorThatWasTamperedWithIsRefused) {
  const std::string good = to_text({.commit = 12, .offset = 345});
  EXPECT_EQ(parse_page_cursor(good).offset, 345U);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = bad[at] == '1' ? '2' : '1';
    EXPECT_EQ(status_of([&] { parse_page_cursor(bad); }), 400U) << bad;
    EXPECT_EQ(status_of([&] { parse_page_cursor(good.substr(0, at)); }), 400U) << at;
  }
  for (const char* bad :
       {"", "p2", "p2---", "p2-0-0", "../../x", "p2-fffffffffffffffff-0-00000000", "p1-c-159-00000000"})
    EXPECT_EQ(status_of([&] { parse_page_cursor(bad); }), 400U) << bad;

  // These cursors have the right checksum, but point into a passage or behind the last one.
  FakeBackend backend;
  SpoolSpace space("", kPlenty);
  Pages pages(backend, {}, space, kPlenty);
  for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{50}, std::uint64_t{1} << 40}) {
    const PageCursor forged{.commit = commit_hash(backend.identity()), .offset = offset};
    EXPECT_EQ(status_of([&] { pages.page(forged, 5, {}, [](std::string_view) {}); }), 400U) << offset;
  }
}

}  // namespace
}  // namespace refrain::server
