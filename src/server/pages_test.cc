#include "server/pages.h"

#include <gtest/gtest.h>

#include <string>

#include "server/failure.h"
#include "server/fake_backend.h"

namespace refrain::server {
namespace {

unsigned status_of(const std::function<void()>& call) {
  try {
    call();
    return 200;
  } catch (const Failure& failure) {
    return failure.status();
  }
}

TEST(Pages, PutEndToEndAreTheWhole) {
  for (const std::size_t bytes : {10, 40'000, 200'000}) {  // a page in one read, and a passage in many
    FakeBackend backend;
    backend.passage_bytes = bytes;
    backend.extracted_passages = 23;
    Pages pages(backend, {});
    std::string whole;
    EXPECT_FALSE(pages.page({}, 1000, [&](std::string_view piece) { whole += piece; }).next);
    for (const std::uint64_t limit : {1, 5, 22, 23, 24}) {
      std::string all;
      std::optional<PageCursor> from;
      int count = 0;
      do {
        std::string page;
        from = pages.page(from, limit, [&](std::string_view piece) { page += piece; }).next;
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
  Pages pages(backend, {});
  const PageEnd end = pages.page({}, 5, [](std::string_view) { FAIL(); });
  EXPECT_FALSE(end.next);
  EXPECT_EQ(end.generation, 1U);
}

TEST(Pages, ACommitEndsACursorAndIsReadAnew) {
  FakeBackend backend;
  Pages pages(backend, {});
  const auto ignore = [](std::string_view) {};
  const auto next = pages.page({}, 5, ignore).next;
  ASSERT_TRUE(next);
  backend.add({{"a", "b"}}, false, {});
  EXPECT_EQ(status_of([&] { pages.page(next, 5, ignore); }), 410U);
  EXPECT_EQ(backend.extractions, 1U);
  EXPECT_EQ(pages.page({}, 5, ignore).generation, 2U);
  EXPECT_EQ(backend.extractions, 2U);
  EXPECT_EQ(status_of([&] { pages.page(next, 5, ignore); }), 410U);
}

TEST(Pages, ACursorThatWasTamperedWithIsRefused) {
  const std::string good = to_text({.generation = 12, .offset = 345});
  EXPECT_EQ(parse_page_cursor(good).offset, 345U);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = bad[at] == '1' ? '2' : '1';
    EXPECT_EQ(status_of([&] { parse_page_cursor(bad); }), 400U) << bad;
    EXPECT_EQ(status_of([&] { parse_page_cursor(good.substr(0, at)); }), 400U) << at;
  }
  for (const char* bad : {"", "p1", "p1---", "p1-0-0", "../../x", "p1-fffffffffffffffff-0-00000000"})
    EXPECT_EQ(status_of([&] { parse_page_cursor(bad); }), 400U) << bad;

  // One with the right checksum that points into a passage, or behind all of them.
  FakeBackend backend;
  Pages pages(backend, {});
  for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{50}, std::uint64_t{1} << 40}) {
    const PageCursor forged{.generation = 1, .offset = offset};
    EXPECT_EQ(status_of([&] { pages.page(forged, 5, [](std::string_view) {}); }), 400U) << offset;
  }
}

}  // namespace
}  // namespace refrain::server
