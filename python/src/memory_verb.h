// The code that all verbs over documents in memory share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "documents.h"
#include "options.h"

namespace refrain::python {

// Runs `verb` over the documents, with the options that `read` parses from `given`. Returns the options and the
// result.
template <class Options, class Result>
std::pair<Options, Result> over_documents(const char* name, Options (*read)(Arguments&, nanobind::handle),
                                          Result (*verb)(DocumentStream&, const Options&, const Context&),
                                          const Documents& documents, nanobind::dict given) {
  Arguments arguments(std::move(given));
  Options options = read(arguments, nanobind::cast(documents, nanobind::rv_policy::reference));
  const CallSettings settings = call_settings(arguments);
  arguments.finish(name);
  const std::shared_ptr<DocumentStream> stream = std::exchange(options.input.documents, nullptr);
  Result result = call(settings, [&](const Context& context) { return verb(*stream, options, context); });
  return {std::move(options), std::move(result)};
}

}  // namespace refrain::python
