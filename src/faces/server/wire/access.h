// Access checks: addresses, tokens, and the headers in which browsers describe the page behind a request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refrain::server {

struct ListenAddress {
  std::string host;  // an IP address without brackets
  std::uint16_t port = 0;
  bool loopback = false;
};

// Parses "127.0.0.1:7878", "[::1]:0" or "localhost:80". Throws Error(invalid_argument) for anything else.
ListenAddress parse_listen(std::string_view listen);

// Whether both are equal. The time does not depend on where they differ. False if `token` is empty.
bool same_token(std::string_view given, std::string_view token);

// The token of "Bearer TOKEN"; empty if there is none.
std::string_view bearer_token(std::string_view authorization);

// Whether a Host header is "localhost" or a loopback address, with any port. A web page whose domain name was made to
// resolve to this machine (DNS rebinding) sends that name, and must not read from a server that requires no token.
// 0.0.0.0 is refused although it reaches a server on loopback: browsers send no Sec-Fetch-Site to that address.
bool is_local_host(std::string_view host);

// Whether a browser sends this request on behalf of a page of another origin, judged by headers that pages cannot set.
// Pass an empty string for a missing header: programs send neither Sec-Fetch-Site nor Origin. An Origin must have the
// host and port of the Host header. Its scheme is ignored, since a proxy may have terminated TLS.
bool is_cross_site(std::string_view sec_fetch_site, std::string_view origin, std::string_view host);

}  // namespace refrain::server
