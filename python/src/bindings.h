// The parts of the module, a source each.
#pragma once

#include <nanobind/nanobind.h>

namespace refrain::python {

void bind_document_kernels(nanobind::module_& module);   // a row a document: digests, fingerprints, signatures, ...
void bind_pair_kernels(nanobind::module_& module);       // similarities, hamming_pairs, components
void bind_substring_kernels(nanobind::module_& module);  // samples, what they share, hashes of windows
void bind_dedup_kernels(nanobind::module_& module);      // what dedup keeps of documents, and how it compares them
void bind_item_search(nanobind::module_& module);
void bind_verbs(nanobind::module_& module);       // over documents in memory
void bind_dedup(nanobind::module_& module);       // the same
void bind_file_verbs(nanobind::module_& module);  // over paths
void bind_explain(nanobind::module_& module);
void bind_index(nanobind::module_& module);

}  // namespace refrain::python
