#include "refrain/utf8.h"

#include <gtest/gtest.h>

namespace refrain::text {
namespace {

TEST(Utf8, KnowsWhatIsValid) {
  EXPECT_EQ(decode_utf8("\xF0\x9F\x98\x80", 0).value, U'\U0001F600');
  for (const char* const text : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                 "\xF5\x80\x80\x80", "\xE2\x82", "\xC3("}) {
    EXPECT_FALSE(decode_utf8(text, 0).valid());
    EXPECT_EQ(decode_utf8(text, 0).size, 1U);
  }
}

TEST(Utf8, WritesWhatItReads) {
  for (const std::uint32_t code : {0x24U, 0x7FU, 0x80U, 0xA2U, 0x7FFU, 0x800U, 0x20ACU, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    char bytes[4];
    const unsigned size = encode_utf8(code, bytes);
    const CodePoint back = decode_utf8({bytes, size}, 0);
    EXPECT_EQ(back.value, code);
    EXPECT_EQ(back.size, size);
  }
}

TEST(Utf8, BoundariesOfCharacters) {
  const std::string_view text = "a\xE6\xBC\xA2";  // one byte, three bytes
  EXPECT_EQ(boundary_before(text, 3), 1U);
  EXPECT_EQ(boundary_before(text, 4), 4U);
  EXPECT_EQ(boundary_after(text, 1), 1U);
  EXPECT_EQ(boundary_after(text, 2), 4U) << "the end, behind the last character";
  EXPECT_EQ(boundary_after(text, 4), 4U);
  EXPECT_EQ(boundary_after("\x80\x80\x80\x80\x80", 0), 0U) << "no character is as long";
}

}  // namespace
}  // namespace refrain::text
