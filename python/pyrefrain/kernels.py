"""Kernels: functions from columns of text to columns of keys, for callers that group equal keys themselves.

A column is any object with `__arrow_c_array__` or `__arrow_c_stream__`, or a list of str. Every result is a Column,
which pyarrow, polars, pandas and DuckDB read without a copy. docs/kernels.md shows how they are used.
"""

from ._core import (
    Column, ItemSearcher, band_keys, choose_bands, components, digests, estimated_similarities, fingerprints,
    hamming_pairs, meeting_probability, ngram_keys, shared_windows, signatures, similarities, substring_samples,
    window_hashes,
)

__all__ = [
    "Column", "ItemSearcher", "band_keys", "choose_bands", "components", "digests", "estimated_similarities",
    "fingerprints", "hamming_pairs", "meeting_probability", "ngram_keys", "shared_windows", "signatures",
    "similarities", "substring_samples", "window_hashes",
]
