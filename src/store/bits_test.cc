#include "store/bits.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace refrain::store {
namespace {

TEST(Bits, ComeBackAsTheyWereWritten) {
  std::mt19937_64 random(1);
  struct Item {
    unsigned kind;
    std::uint64_t value;
    unsigned low;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<Item> items;
    std::string bytes;
    BitWriter writer(bytes);
    const std::size_t count = random() % 200;
    for (std::size_t i = 0; i < count; ++i) {
      Item item{static_cast<unsigned>(random() % 5), random() >> (random() % 64), static_cast<unsigned>(random() % 57)};
      switch (item.kind) {
        case 0:
          item.value &= (std::uint64_t{1} << item.low) - 1;
          writer.bits(item.value, item.low);
          break;
        case 1:
          item.low = 64;
          writer.wide(item.value, 64);
          break;
        case 2:
          item.value |= 1;
          writer.gamma(item.value);
          break;
        case 3:
          item.value |= 1;
          writer.delta(item.value);
          break;
        default:
          item.value >>= item.value >> item.low > 300 ? 64 - item.low - 8 : 0;
          writer.rice(item.value, item.low);
      }
      items.push_back(item);
    }
    const std::uint64_t size = writer.size();
    writer.finish();
    EXPECT_EQ(bytes.size(), (size + 7) / 8);
    BitReader reader(bytes);
    for (const Item& item : items) {
      switch (item.kind) {
        case 0:
          EXPECT_EQ(reader.bits(item.low), item.value);
          break;
        case 1:
          EXPECT_EQ(reader.wide(64), item.value);
          break;
        case 2:
          EXPECT_EQ(reader.gamma(), item.value);
          break;
        case 3:
          EXPECT_EQ(reader.delta(), item.value);
          break;
        default:
          EXPECT_EQ(reader.rice(item.low), item.value);
      }
    }
    EXPECT_EQ(reader.position(), size);
    EXPECT_TRUE(reader.ok());
  }
}

TEST(Bits, CodesHaveTheBitsThatTheDescriptionTells) {
  std::string bytes;
  BitWriter writer(bytes);
  writer.gamma(1);    // 1
  writer.gamma(5);    // 00 1 then 01
  writer.delta(5);    // gamma(3) = 0 1 1, then 01
  writer.rice(9, 2);  // 00 1, then 01
  EXPECT_EQ(writer.size(), 1U + 5 + 5 + 5);
  writer.finish();
  // The first bit is the least significant bit of the first byte.
  EXPECT_EQ(bytes, "\x99\x63");
}

TEST(Bits, CopyKeepsEveryBit) {
  std::mt19937_64 random(2);
  for (unsigned shift = 0; shift < 9; ++shift)
    for (std::uint64_t count = 0; count < 70; ++count) {
      std::string from;
      BitWriter first(from);
      for (std::uint64_t i = 0; i < count; ++i) first.bits(random() & 1U, 1);
      first.finish();
      std::string to;
      BitWriter second(to);
      second.bits(0, shift);
      second.copy(from, count);
      EXPECT_EQ(second.size(), shift + count);
      second.finish();
      BitReader a(from);
      BitReader b(to);
      b.skip(shift);
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(a.bits(1), b.bits(1));
    }
}

TEST(Bits, PastTheEndAreZerosAndNotOk) {
  BitReader reader("");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.bits(8), 0U);
  EXPECT_FALSE(reader.ok());
  // Whatever the bytes are, reading ends.
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (std::size_t i = random() % 12; i > 0; --i) bytes += static_cast<char>(random() % 3 == 0 ? random() : 0);
    BitReader garbage(bytes);
    for (int i = 0; i < 100 && garbage.ok(); ++i) {
      garbage.gamma();
      garbage.delta();
      garbage.rice(7);
    }
    EXPECT_FALSE(garbage.ok() && garbage.position() > bytes.size() * 8);
  }
}

}  // namespace
}  // namespace refrain::store
