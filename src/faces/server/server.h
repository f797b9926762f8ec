// The server: accepts connections, and shuts down gracefully.
#pragma once

#include "faces/server/backend.h"
#include "faces/server/wire/limits.h"
#include "refrain/context.h"
#include "refrain/serve.h"

namespace refrain::server {

// Like refrain::serve(), for any backend and any limits; options.index is ignored. `context.memory_bytes` is the memory
// for the work that requests cause. Bodies and answers get the memory that `limits` grants in addition.
void run_server(Backend& backend, const ServeOptions& options, const Limits& limits, const Context& context);

}  // namespace refrain::server
