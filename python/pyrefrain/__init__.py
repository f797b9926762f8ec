"""Finds and removes duplicate text.

    import pyrefrain
    kept = pyrefrain.dedup(["a text", "another", "a text"]).kept()

The package has one function per verb (dedup, near, substrings, ngrams, fingerprint, explain), the Index of passages,
the Library of documents that were kept before, dedup_stream for streams, the kernels that the verbs are built on (pyrefrain.kernels), and the exceptions (pyrefrain.errors).
"""

from . import errors
from ._core import version as __version__
from ._explain import explain
from ._index import Index
from ._library import Answers, Library, dedup_stream
from ._results import Decisions, Explanation, Fingerprints, Matches, Ngrams, Ranges
from ._verbs import dedup, fingerprint, near, ngrams, substrings

__all__ = [
    "Answers", "Decisions", "Explanation", "Fingerprints", "Index", "Library", "Matches", "Ngrams", "Ranges",
    "__version__", "dedup", "dedup_stream", "errors", "explain", "fingerprint", "near", "ngrams", "substrings",
]
