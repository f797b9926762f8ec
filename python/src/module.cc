// pyrefrain._core: the library's public headers, for Python.
#include <nanobind/nanobind.h>

#include "arrow/export.h"
#include "bindings.h"
#include "call.h"
#include "documents.h"
#include "refrain/version.h"

NB_MODULE(_core, module) {
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
}
