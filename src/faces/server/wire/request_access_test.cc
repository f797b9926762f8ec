#include "faces/server/wire/request.h"

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
  EXPECT_FALSE(same_token("", ""));  // an empty token grants nothing
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bEARER   abc "), "abc");
  for (const char* none : {"", "Bearer", "Bearer ", "Basic abc", "Bearerabc"})
    EXPECT_EQ(bearer_token(none), "") << none;
}

TEST(Access, AHostOfTheWebIsNotThisMachine) {
  for (const char* local :
       {"localhost", "LOCALHOST:80", "127.0.0.1:7878", "[::1]:7878", "[::1]", "127.9.9.9", "[::ffff:127.0.0.1]:80"})
    EXPECT_TRUE(is_local_host(local)) << local;
  for (const char* foreign :
       {"", "evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "[::1", "[::1]x", "10.1.2.3"})
    EXPECT_FALSE(is_local_host(foreign)) << foreign;
}

// A page can request http://0.0.0.0:7878, which reaches 127.0.0.1, and browsers send no Sec-Fetch-Site to that address.
TEST(Access, TheUnspecifiedAddressIsNoNameOfThisMachine) {
  for (const char* host : {"0.0.0.0", "0.0.0.0:7878", "[::]:7878", "[::ffff:0.0.0.0]"})
    EXPECT_FALSE(is_local_host(host)) << host;
}

TEST(Access, APageOfAnotherOriginIsCrossSite) {
  const char* const host = "localhost:7878";
  for (const char* site : {"cross-site", "same-site", "Same-Origin", "same-origin, cross-site", "x"})
    EXPECT_TRUE(is_cross_site(site, "", host)) << site;
  for (const char* site : {"", "same-origin", "none"}) EXPECT_FALSE(is_cross_site(site, "", host)) << site;
  for (const char* origin :
       {"null", "http://evil.example", "http://localhost", "http://localhost:80", "http://localhost:7879",
        "http://127.0.0.1:7878", "http://localhost:7878.evil.example", "http://localhost.evil.example:7878",
        "http://evil.example#localhost:7878", "localhost:7878", "//localhost:7878", "file://", "http://",
        "http://localhost:7878/", "http://localhost:7878 http://evil.example", "chrome-extension://localhost:7878"})
    EXPECT_TRUE(is_cross_site("", origin, host)) << origin;
  EXPECT_TRUE(is_cross_site("same-origin", "http://evil.example", host));
  EXPECT_TRUE(is_cross_site("cross-site", "http://localhost:7878", host));
  EXPECT_TRUE(is_cross_site("", "http://", ""));
  EXPECT_TRUE(is_cross_site("", "http://localhost", ""));
}

TEST(Access, APageOfThisOriginIsNotCrossSiteBehindAProxyEither) {
  struct Pair {
    const char* origin;
    const char* host;
  };
  for (const auto& [origin, host] : {Pair{"http://localhost:7878", "localhost:7878"},
                                     {"http://LOCALHOST:7878", "localhost:7878"},
                                     {"http://[::1]:7878", "[::1]:7878"},
                                     {"https://refrain.example", "refrain.example"},
                                     {"https://refrain.example", "refrain.example:443"},
                                     {"https://refrain.example:8443", "refrain.example:8443"},
                                     {"http://refrain.example", "refrain.example:80"}})
    EXPECT_FALSE(is_cross_site("same-origin", origin, host)) << origin;
  // A proxy that drops the port from the Host header, or replaces the host by its own, makes the request cross-site.
  EXPECT_TRUE(is_cross_site("same-origin", "https://refrain.example:8443", "refrain.example"));
  EXPECT_TRUE(is_cross_site("same-origin", "https://refrain.example", "127.0.0.1:7878"));
}

}  // namespace
}  // namespace refrain::server
