#include "cli/utf8.h"

#include <gtest/gtest.h>

namespace refrain::cli {
namespace {

TEST(Utf8, KnowsWhatIsValid) {
  EXPECT_EQ(first_character("\xF0\x9F\x98\x80").code, U'\U0001F600');
  for (const char* const text : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                 "\xF5\x80\x80\x80", "\xE2\x82", "\xC3("}) {
    EXPECT_FALSE(first_character(text).valid);
    EXPECT_EQ(first_character(text).size, 1U);
  }
}

}  // namespace
}  // namespace refrain::cli
