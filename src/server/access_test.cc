#include "server/access.h"

#include <gtest/gtest.h>

#include "refrain/error.h"

namespace refrain::server {
namespace {

TEST(Access, AddressesToListenOn) {
  EXPECT_EQ(parse_listen("127.0.0.1:7878").port, 7878);
  EXPECT_EQ(parse_listen("[::1]:0").host, "::1");
  EXPECT_EQ(parse_listen("localhost:80").host, "127.0.0.1");
  for (const char* local : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "LocalHost:1", "[::ffff:127.0.0.1]:1"})
    EXPECT_TRUE(parse_listen(local).loopback) << local;
  for (const char* open : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[::ffff:10.0.0.1]:1", "[2001:db8::1]:1"})
    EXPECT_FALSE(parse_listen(open).loopback) << open;
  for (const char* bad : {"", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1",
                          "::1:80", "[::1]", "[::1:80", "[::1]80", "example.org:80", "127.0.0.1:80x", "[]:80"})
    EXPECT_THROW(parse_listen(bad), Error) << bad;
}

TEST(Access, OnlyTheTokenItselfIsTheToken) {
  EXPECT_TRUE(same_token("secret", "secret"));
  for (const char* wrong : {"", "s", "secre", "secret ", "Secret", "secretsecret", "xecret"})
    EXPECT_FALSE(same_token(wrong, "secret")) << wrong;
  EXPECT_FALSE(same_token("", ""));  // no token opens nothing
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bEARER   abc "), "abc");
  for (const char* none : {"", "Bearer", "Bearer ", "Basic abc", "Bearerabc"})
    EXPECT_EQ(bearer_token(none), "") << none;
}

TEST(Access, AHostOfTheWebIsNotThisMachine) {
  for (const char* local : {"localhost", "LOCALHOST:80", "127.0.0.1:7878", "[::1]:7878", "[::1]", "10.1.2.3"})
    EXPECT_TRUE(is_local_host(local)) << local;
  for (const char* foreign :
       {"", "evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "[::1", "[::1]x"})
    EXPECT_FALSE(is_local_host(foreign)) << foreign;
}

}  // namespace
}  // namespace refrain::server
