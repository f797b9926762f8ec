#include "refrain/serve.h"

#include "server/backend.h"
#include "server/server.h"

namespace refrain {

void serve(const ServeOptions& options, const Context& context) {
  server::IndexBackend backend(options.index);
  server::run_server(backend, options, server::Limits{}, context);
}

}  // namespace refrain
