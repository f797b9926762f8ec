// Who may ask: addresses, tokens, the Host header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refrain::server {

struct ListenAddress {
  std::string host;  // an address without brackets
  std::uint16_t port = 0;
  bool loopback = false;
};

// "127.0.0.1:7878", "[::1]:0", "localhost:80". Error(invalid_argument) for all else.
ListenAddress parse_listen(std::string_view listen);

// In a time that does not depend on where they differ.
bool same_token(std::string_view given, std::string_view token);

// The token of "Bearer TOKEN"; empty where there is none.
std::string_view bearer_token(std::string_view authorization);

// Whether a Host header names this machine by an address or as "localhost". A page of the web whose name was made to
// point here sends its own name, and must not read from a server that asks for no token.
bool is_local_host(std::string_view host);

}  // namespace refrain::server
