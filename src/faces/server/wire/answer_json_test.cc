#include "faces/server/wire/answer.h"
#include "refrain/json_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace refrain::server {
namespace {

// Bytes above 127 must be checked even where char is unsigned (aarch64; -funsigned-char).
TEST(JsonText, BytesThatAreNotUtf8NeverGetThrough) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(json_text("\xFF"), "\"" + bad + "\"");
  EXPECT_EQ(json_text("a\x80z"), "\"a" + bad + "z\"");
  EXPECT_EQ(json_text("\xC3"), "\"" + bad + "\"");
  EXPECT_EQ(json_text("\xED\xA0\x80"), "\"" + bad + bad + bad + "\"");  // a surrogate
  EXPECT_EQ(json_text("\xC0\x80"), "\"" + bad + bad + "\"");            // an overlong NUL
  EXPECT_EQ(json_text("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  EXPECT_EQ(json_text("\x7F\x1F \"\\~"), "\"\\u007f\\u001f \\\"\\\\~\"");
  for (int byte = 0x80; byte < 0x100; ++byte)
    EXPECT_EQ(json_text(std::string(1, static_cast<char>(byte))), "\"" + bad + "\"") << byte;
}

TEST(JsonText, InPiecesIsWhatItIsAtOnce) {
  std::mt19937 random(3);
  const std::string bytes = "ab\"\\\n\x01\x7F\x80\x80\xBF\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xFF";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) {
      const std::size_t at = random() % bytes.size();
      text += bytes.substr(at, 1 + random() % 4);
    }
    std::string joined = "\"";
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t bytes_at_once = 4 + random() % 6;
      const std::size_t end = json_cut(rest, bytes_at_once);
      ASSERT_TRUE(end > 0 && end <= bytes_at_once);
      append_json_escaped(joined, rest.substr(0, end));
      rest.remove_prefix(end);
    }
    ASSERT_EQ(joined + "\"", json_text(text));
  }
}

}  // namespace
}  // namespace refrain::server
