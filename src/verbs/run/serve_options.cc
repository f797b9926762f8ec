// The options of a server, as a table.
#include "refrain/serve.h"
#include "verbs/run/option_rows.h"

namespace refrain {

template <>
std::span<const Option<ServeOptions>> option_table() {
  using verbs::run::row;
  using S = ServeOptions;
  // clang-format off
  static const std::vector<Option<S>> rows = {
      row<S, &S::library>({.name = "library", .kind = OptionKind::folder, .unit = "DIR",
                           .help = "library that POST /v1/seen looks into", .faces = kCommandLine}),
      row<S, &S::add>({.name = "add", .help = "what is new joins the library; needs a token", .faces = kCommandLine}),
      row<S, &S::trust_signatures>({.name = "trust_signatures",
                                    .help = "also match known documents whose text is gone", .faces = kCommandLine}),
      row<S, &S::listen>({.name = "listen", .kind = OptionKind::text, .unit = "HOST:PORT",
                          .help = "address to listen on; port 0 picks a free port", .faces = kCommandLine}),
      row<S, &S::token_for_reads>({.name = "token_for_reads", .help = "require the token for reading, too",
                                   .faces = kCommandLine}),
      row<S, &S::max_connections>({.name = "max_connections", .kind = OptionKind::number, .unit = "N",
                                   .help = "maximum number of connections", .least = 1, .most = 65536,
                                   .faces = kCommandLine}),
  };
  // clang-format on
  return rows;
}

}  // namespace refrain
