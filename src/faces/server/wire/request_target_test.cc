#include "faces/server/wire/request.h"

#include <gtest/gtest.h>

#include <string>

#include "faces/server/service.h"
#include "faces/server/wire/failure.h"

namespace refrain::server {
namespace {

unsigned status_of(const std::string& method, const std::string& target) {
  try {
    route_of(method, parse_target(target));
    return 200;
  } catch (const Failure& failure) {
    return failure.status();
  }
}

TEST(Target, IsAPathAndDecodedParameters) {
  const Target target = parse_target("/v1/passages?limit=5&cursor=a%2Db+c&empty");
  EXPECT_EQ(target.path, "/v1/passages");
  EXPECT_EQ(target.parameters.at("limit"), "5");
  EXPECT_EQ(target.parameters.at("cursor"), "a-b c");
  EXPECT_EQ(target.parameters.at("empty"), "");
  EXPECT_EQ(parse_target("http://a.b:80/x?y=1").path, "/x");
  EXPECT_EQ(parse_target("http://a.b").path, "/");
  EXPECT_EQ(parse_target("/?&&").parameters.size(), 0U);
}

TEST(Target, RefusesWhatCannotBeDecoded) {
  for (const char* target : {"", "x", "*", "/a#b", "/a?x=%", "/a?x=%4", "/a?x=%zz", "/a?x=%00", "/a?x=1&x=2"})
    EXPECT_THROW(parse_target(target), Failure) << target;
  for (const char* text : {"%", "a%", "a%1", "%g0", "%0g", "%00"}) EXPECT_THROW(percent_decode(text, false), Failure);
  EXPECT_EQ(percent_decode("%41%7e+%C3%A4", false), "A~+\xC3\xA4");
}

TEST(Target, NumbersAreWholeAndInRange) {
  EXPECT_EQ(parse_number("n", "7", 1, 10), 7U);
  for (const char* digits : {"", "0", "11", "-1", "+1", "1.0", "1e1", " 1", "0x1", "99999999999999999999999"})
    EXPECT_THROW(parse_number("n", digits, 1, 10), Failure) << digits;
}

TEST(Route, IdsMayHoldSlashesAndAreDecoded) {
  const Route route = route_of("DELETE", parse_target("/v1/documents/a/b%2Fc%20d+e"));
  EXPECT_EQ(route.verb, Verb::remove);
  EXPECT_EQ(route.id, "a/b/c d+e");
  EXPECT_EQ(route.name, "/v1/documents/{id}");
  EXPECT_EQ(route_of("GET", parse_target("/v1/documents/%2e%2e/%2E./x")).id, "../../x");
}

TEST(Route, SaysWhichMethodsThereAre) {
  EXPECT_EQ(status_of("GET", "/healthz"), 200U);
  EXPECT_EQ(status_of("HEAD", "/healthz"), 200U);
  EXPECT_EQ(status_of("GET", "/"), 404U);
  EXPECT_EQ(status_of("GET", "/v1/stats/"), 404U);
  EXPECT_EQ(status_of("GET", "/v1/documents/"), 404U);
  EXPECT_EQ(status_of("GET", "/v1/stats?x=1"), 400U);
  EXPECT_EQ(status_of("GET", "/v1/documents/%zz"), 400U);
  try {
    route_of("PUT", parse_target("/v1/documents/a"));
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), 405U);
    ASSERT_EQ(failure.headers().size(), 1U);
    EXPECT_EQ(failure.headers()[0].first, "Allow");
    EXPECT_EQ(failure.headers()[0].second, "GET, HEAD, DELETE");
  }
}

TEST(Failure, IsOneLineOfJsonWhateverItSays) {
  const Failure failure(400, "x", "a\n\"b\"\\\x01\xFF\xC3\xA4\x7F");
  EXPECT_EQ(failure.json(),
            "{\"error\":{\"code\":\"x\",\"message\":\"a\\n\\\"b\\\"\\\\\\u0001\xEF\xBF\xBD\xC3\xA4\\u007f\"}}\n");
}

}  // namespace
}  // namespace refrain::server
