// An index and a library over HTTP: the verbs of index.h, and seen.h, for programs on this machine or, with a token, on
// others.
//
// docs/openapi.json describes the requests and responses. Long responses are streamed, one JSON object per line. Every
// response is consistent with one commit of the index.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "refrain/context.h"

namespace [[gnu::visibility("default")]] refrain {

struct ServeOptions {
  std::filesystem::path index = {};    // empty: none, but then a library
  std::filesystem::path library = {};  // for POST /v1/seen; empty: none
  bool add = false;               // what is new joins the library, which is made where there is none; needs a token
  bool trust_signatures = false;  // as SeenOptions
  // HOST:PORT. The host is an IP address (IPv6 in brackets) or "localhost"; port 0 picks a free port. Any address other
  // than loopback requires a token.
  std::string listen = "127.0.0.1:7878";
  // Clients send it as "Authorization: Bearer TOKEN": always to write, and for every request if the address is not
  // loopback. Empty: read-only.
  std::string token = {};
  // Reading on loopback requires the token, too, except GET /healthz. Error(invalid_argument) if there is no token.
  bool token_for_reads = false;
  unsigned max_connections = 2048;
  // Called once the server is listening, with the address and the actual port. May be empty.
  std::function<void(std::string_view address)> ready = {};
  // Called, from any thread but one at a time, with one line about an internal error that ended a connection without
  // the client being told, or that keeps what was added from becoming part of a segment. May be empty.
  std::function<void(std::string_view line)> log = {};
};

// Serves until context.stop is set; then accepts no more connections, gives running requests a few seconds to end, and
// returns. Error(invalid_argument) for an invalid listen address or one that requires a token, Error(busy) for one that
// is in use, Error(not_found) if there is no index or library, and what Seen throws. `context.threads` is the number of
// queries processed at the same time.
void serve(const ServeOptions& options, const Context& context);

}  // namespace refrain
