// pyrefrain._core: Python bindings of the library's public headers.
#include <nanobind/nanobind.h>

#include "arrow/export.h"
#include "bindings.h"
#include "call.h"
#include "documents.h"
#include "refrain/version.h"

NB_MODULE(_core, module) {
  // Objects that a thread or a cache still holds when the process ends go with it: not a leak. (The domain of this
  // module is its own, so the switch is set for no other extension.)
  nanobind::set_leak_warnings(false);
  module.attr("version") = refrain::kVersion;
  module.attr("fingerprint_version") = refrain::kFingerprintVersion;
  module.attr("minhash_version") = refrain::kMinHashVersion;
  refrain::python::bind_errors();
  refrain::python::bind_columns(module);
  refrain::python::bind_document_kernels(module);
  refrain::python::bind_pair_kernels(module);
  refrain::python::bind_substring_kernels(module);
  refrain::python::bind_dedup_kernels(module);
  refrain::python::bind_item_search(module);
  refrain::python::bind_documents(module);
  refrain::python::bind_verbs(module);
  refrain::python::bind_dedup(module);
  refrain::python::bind_file_verbs(module);
  refrain::python::bind_explain(module);
  refrain::python::bind_index(module);
  refrain::python::bind_library(module);
  refrain::python::bind_options(module);
}
