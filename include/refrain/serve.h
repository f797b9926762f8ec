// Serves an index and a library over HTTP: the verbs of index.h and seen.h, for programs on this machine or, with a
// token, on other machines.
//
// docs/openapi.json describes the requests and responses. Long responses are streamed, one JSON object per line.
// Every response is consistent with one commit of the index.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "refrain/options.h"

namespace [[gnu::visibility("default")]] refrain {

struct ServeOptions {
  std::filesystem::path index = {};    // empty: no index, and then a library is required
  std::filesystem::path library = {};  // for POST /v1/seen; empty: no library
  bool add = false;               // add new documents to the library, and create it if there is none; needs a token
  bool trust_signatures = false;  // as SeenOptions::trust_signatures
  // HOST:PORT. The host is an IP address (IPv6 in brackets) or "localhost"; port 0 picks a free port. Any address other
  // than loopback requires a token.
  std::string listen = "127.0.0.1:7878";
  // Clients send it as "Authorization: Bearer TOKEN". It is always required to write, and for every request if the
  // address is not loopback. Empty: read-only.
  std::string token = {};
  // Require the token for reading on loopback, too, except for GET /healthz. Error(invalid_argument) if there is no
  // token.
  bool token_for_reads = false;
  unsigned max_connections = 2048;
  // Called once the server is listening, with the address and the actual port. May be empty.
  std::function<void(std::string_view address)> ready = {};
  // Called with one line of text about an internal error that no client hears of: it ended a connection before a
  // response could be sent, or it keeps added documents from becoming part of a segment. Called from any thread, one
  // call at a time. May be empty.
  std::function<void(std::string_view line)> log = {};
};

template <>
std::span<const Option<ServeOptions>> option_table();

// Serves until context.stop is set. It then accepts no more connections, gives running requests a few seconds to
// finish, and returns. Throws Error(invalid_argument) for an invalid listen address or one that requires a token,
// Error(busy) if the address is in use, Error(not_found) if there is no index or library, and whatever the
// constructor of Seen throws. `context.threads` is the number of queries that are processed at the same time.
void serve(const ServeOptions& options, const Context& context);

}  // namespace refrain
