"""Makes the tasks of a Python worker start sooner.

Around each task, Spark makes Python invalidate its import caches and collect garbage. Up to Python 3.12, the former
reads the directories of all archives on the path, once for each package that was imported from one; Spark's own
archives have 6,000 names. The latter looks at every object of every module. Together this takes 0.2 s of CPU time,
which is more than most tasks need for their work.
"""

import functools
import gc
import os
import sys
import zipimport


@functools.lru_cache(maxsize=None)
def settle():
    """Runs once per process. Excludes all objects that exist now from garbage collection, and reads the directory of
    a known archive again only if the archive has changed."""
    gc.collect()
    gc.freeze()
    if sys.version_info < (3, 13):
        plain = zipimport.zipimporter.invalidate_caches
        zipimport.zipimporter.invalidate_caches = lambda importer: _invalidate(importer, plain)


def _invalidate(importer, plain):
    try:
        stat = os.stat(importer.archive)
        seen = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    except OSError:
        seen = None  # the original function handles this
    if seen is None or seen != getattr(importer, "_refrain_seen", None):
        plain(importer)
        importer._refrain_seen = seen
