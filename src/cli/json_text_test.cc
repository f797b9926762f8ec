#include "cli/json_text.h"

#include <gtest/gtest.h>

namespace refrain::cli {
namespace {

TEST(Json, EscapesAndPlacesCommas) {
  EXPECT_EQ(json_string("a\"\\\n\x01é\xff"), "\"a\\\"\\\\\\n\\u0001é\xEF\xBF\xBD\"");
  JsonWriter json;
  json.begin_object().key("a").begin_array().number(1.5).null().begin_array().end_array().end_array();
  json.key("b").begin_object().end_object().key("c").boolean(true).end_object();
  EXPECT_EQ(json.text(), R"({"a":[1.5,null,[]],"b":{},"c":true})");
}

}  // namespace
}  // namespace refrain::cli
