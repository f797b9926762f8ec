#include "server/json_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace refrain::server {
namespace {

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
