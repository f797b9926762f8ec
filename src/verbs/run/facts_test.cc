#include "verbs/run/facts.h"

#include <gtest/gtest.h>

#include <sstream>

#include "refrain/error.h"

namespace refrain::verbs::run {
namespace {

struct Part {
  std::string name;
  double share = 0;
};
void visit_fields(SameOrConst<Part> auto& part, auto field) {
  field("name", part.name);
  field("share", part.share);
}

struct Found {
  std::uint64_t count = 0;
  unsigned bands = 0;
  std::vector<Part> parts = {};
};
void visit_fields(SameOrConst<Found> auto& found, auto field) {
  field("count", found.count);
  field("bands", found.bands);
  field("parts", found.parts);
}

Found found_in(const Facts& facts) {
  Found found;
  facts.get("found", found);
  return found;
}

// Reads the facts as a resumed run does, without the lines that begin with `lost`.
Facts reread(const Facts& facts, const std::string& lost = "none") {
  Facts again;
  std::istringstream lines(facts.lines());
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(lost)) again.add_line(line);
  return again;
}

std::string refusal(const Facts& facts) {
  try {
    found_in(facts);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::corrupt);
    return error.what();
  }
  return {};
}

TEST(Facts, AreReadBackAsTheyWerePut) {
  Facts facts;
  facts.put("found", Found{.count = UINT64_MAX, .bands = 9, .parts = {{"a\tb\n", 0.1}, {"", 1e-300}}});
  const Found found = found_in(reread(facts));
  EXPECT_EQ(found.count, UINT64_MAX);
  EXPECT_EQ(found.bands, 9U);
  ASSERT_EQ(found.parts.size(), 2U);
  EXPECT_EQ(found.parts[0].name, "a\tb\n");
  EXPECT_EQ(found.parts[0].share, 0.1);
  EXPECT_EQ(found.parts[1].name, "");
  EXPECT_EQ(found.parts[1].share, 1e-300);
}

TEST(Facts, ThatArePutAgainLeaveNothingOfTheOldOnes) {
  Facts facts;
  facts.put("found", Found{.parts = {{"a", 1}, {"b", 2}}});
  facts.put("found", Found{.count = 1});
  EXPECT_EQ(facts.lines(), "found.bands\t0\nfound.count\t1\nfound.parts\t0\n");
}

TEST(Facts, ThatAreMissingOrNoNumbersAreRefusedByName) {
  Facts facts;
  EXPECT_EQ(refusal(facts), "work/: 'found.count' is missing; start again with `force`");
  facts.put("found", Found{.parts = {{"a", 1}}});
  EXPECT_EQ(refusal(reread(facts, "found.parts.0.share")),
            "work/: 'found.parts.0.share' is missing; start again with `force`");
  for (const char* line : {"found.bands\t-1", "found.bands\t4294967296", "found.bands\tnine"}) {
    Facts damaged = facts;
    damaged.add_line(line);
    EXPECT_EQ(refusal(damaged), "work/: 'found.bands' is not a valid number; start again with `force`") << line;
  }
  EXPECT_THROW(facts.add_line("no tab"), Error);
}

}  // namespace
}  // namespace refrain::verbs::run
