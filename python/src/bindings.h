// The parts of the module, a source each.
#pragma once

#include <nanobind/nanobind.h>

namespace refrain::python {

void bind_document_kernels(nanobind::module_& module);   // a row a document: digests, fingerprints, signatures, ...
void bind_pair_kernels(nanobind::module_& module);       // similarities, hamming_pairs, components
void bind_substring_kernels(nanobind::module_& module);  // samples, what they share, hashes of windows
void bind_item_search(nanobind::module_& module);

}  // namespace refrain::python
