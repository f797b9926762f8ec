// An index over HTTP: the verbs of index.h for programs on this machine or, with a token, on others.
//
// docs/openapi.json says what can be asked and what is answered. Answers that may be long are streamed, one JSON object
// a line. Every answer is right for one commit of the index.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "refrain/context.h"

namespace [[gnu::visibility("default")]] refrain {

struct ServeOptions {
  std::filesystem::path index;
  // HOST:PORT. The host is an address, one of IPv6 in brackets, or "localhost"; port 0 is any that is free. Where it is
  // not a loopback address, there must be a token.
  std::string listen = "127.0.0.1:7878";
  // What clients send as "Authorization: Bearer TOKEN": to write always, and to do anything where the address is not a
  // loopback one. Empty: nobody writes.
  std::string token = {};
  // Reading needs the token on loopback too; only GET /healthz does not. Error(invalid_argument) where there is none.
  bool token_for_reads = false;
  unsigned max_connections = 2048;
  // Called once, when connections are taken: the address with the real port. May be empty.
  std::function<void(std::string_view address)> ready = {};
  // Called, from any thread but never twice at once, with one line about an error inside the server that ended a
  // connection and that no client was told of. May be empty.
  std::function<void(std::string_view line)> log = {};
};

// Serves until context.stop is set; then takes no more connections, gives requests that have begun some seconds to end,
// and returns. Error(invalid_argument) for a listen address that makes no sense or would need a token, Error(busy) for
// one that is taken, Error(not_found) where there is no index. `context.threads` are the queries that are worked on at
// the same time.
void serve(const ServeOptions& options, const Context& context);

}  // namespace refrain
