"""Refrain on Apache Spark: DataFrames in, DataFrames out.

The kernels run inside Spark's tasks, on Arrow batches; Spark shuffles, spills and recomputes what was lost. The results
are those of the command line. docs/spark.md explains how to run it on a cluster.
"""

from .columns import contaminated, fingerprint
from .dedup import dedup
from .near import near
from .ngrams import ngrams
from .substrings import substrings

__all__ = ["contaminated", "dedup", "fingerprint", "near", "ngrams", "substrings"]
