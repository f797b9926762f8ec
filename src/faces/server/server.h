// The server: takes connections, and ends in good order.
#pragma once

#include "faces/server/backend.h"
#include "faces/server/wire/limits.h"
#include "refrain/context.h"
#include "refrain/serve.h"

namespace refrain::server {

// As refrain::serve(), for any backend and any limits; options.index is not looked at.
void run_server(Backend& backend, const ServeOptions& options, const Limits& limits, const Context& context);

}  // namespace refrain::server
