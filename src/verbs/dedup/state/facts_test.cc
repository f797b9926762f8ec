#include "verbs/dedup/state/facts.h"

#include <gtest/gtest.h>

namespace refrain::verbs::dedup {
namespace {

// write.cc sizes a shuffle by this: with copies left out, a corpus of nothing but copies would be one large partition.
TEST(MatchRows, CountExactCopiesToo) {
  run::Facts facts;
  facts.put(VerifyFacts{.candidates = 9, .compared = 8, .matches = 2, .rounds = 1});
  facts.put(ExactFacts{.copies = 5});
  EXPECT_EQ(match_rows(facts), 7U);
}

}  // namespace
}  // namespace refrain::verbs::dedup
