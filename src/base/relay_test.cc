#include "base/relay.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace refrain {
namespace {

// Work whose duration differs from item to item.
std::size_t work(std::size_t item) {
  std::size_t sum = item;
  for (std::size_t i = 0; i < (item * 7919) % 5000; ++i) sum = sum * 31 + i;
  return sum;
}

TEST(Relay, UsesAllInOrder) {
  for (const unsigned workers : {1U, 2U, 3U, 8U}) {
    Relay<std::vector<std::size_t>> relay(workers);
    std::vector<std::size_t> used;
    relay.run(
        2000,
        [&](unsigned, std::size_t item, std::vector<std::size_t>& thing) {
          thing = {item, work(item)};
        },
        [&](std::size_t item, const std::vector<std::size_t>& thing) {
          used.push_back(item);
          ASSERT_EQ(thing, (std::vector<std::size_t>{item, work(item)}));
        });
    ASSERT_EQ(used.size(), 2000U);
    for (std::size_t i = 0; i < used.size(); ++i) ASSERT_EQ(used[i], i);
  }
}

// No worker waits forever for an item that will not come, and the error is that of the worker that failed.
TEST(Relay, EndsWhereSomebodyFails) {
  for (const unsigned workers : {1U, 2U, 3U, 8U})
    for (const std::size_t bad : {0U, 1U, 5U, 500U, 999U})
      for (const bool while_used : {false, true}) {
        Relay<std::size_t> relay(workers);
        std::size_t used = 0;
        const auto run = [&] {
          relay.run(
              1000,
              [&](unsigned, std::size_t item, std::size_t&) {
                if (item == bad && !while_used) throw std::runtime_error("made badly");
              },
              [&](std::size_t item, std::size_t&) {
                if (item == bad && while_used) throw std::runtime_error("used badly");
                ++used;
              });
        };
        try {
          run();
          FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), while_used ? "used badly" : "made badly");
        }
        EXPECT_LE(used, bad);
      }
}

}  // namespace
}  // namespace refrain
