// The server: an index over HTTP, by the verbs of index.h.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "refrain/context.h"

namespace refrain {

struct ServeOptions {
  std::filesystem::path index;
  std::string listen = "127.0.0.1:7878";  // HOST:PORT, of IPv6 "[::1]:7878"; port 0: any that is free
  std::string token;                      // needed to write, and to listen on anything but loopback; empty: none
  unsigned max_connections = 2048;
  std::function<void(std::string_view address)> ready;  // called once, when it listens: "127.0.0.1:7878"
};

// Serves until context.stop is set, then ends what is under way and returns.
void serve(const ServeOptions& options, const Context& context);

}  // namespace refrain
