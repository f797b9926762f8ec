// The parts of the module; each is defined in a source of its own.
#pragma once

#include <nanobind/nanobind.h>

namespace refrain::python {

void bind_document_kernels(nanobind::module_& module);   // one row per document: digests, fingerprints, signatures, ...
void bind_pair_kernels(nanobind::module_& module);       // similarities, hamming_pairs, components
void bind_substring_kernels(nanobind::module_& module);  // samples, shared windows, window hashes
void bind_dedup_kernels(nanobind::module_& module);      // dedup's sketches and comparisons
void bind_item_search(nanobind::module_& module);
void bind_verbs(nanobind::module_& module);       // for documents in memory
void bind_dedup(nanobind::module_& module);       // for documents in memory
void bind_file_verbs(nanobind::module_& module);  // for paths
void bind_explain(nanobind::module_& module);
void bind_index(nanobind::module_& module);
void bind_library(nanobind::module_& module);
void bind_options(nanobind::module_& module);  // the tables of options, as data

}  // namespace refrain::python
