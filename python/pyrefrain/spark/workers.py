"""Makes the tasks of a Python worker start sooner.

Around each task Spark has Python forget what it knows of the import path, and look for garbage. Up to Python 3.12 the first means
reading the directories of all archives on the path, once for each package that came from one: Spark's own have 6,000 names. The
second looks at every object of every module. Together that is 0.2 s of CPU time, and most tasks need less for their work.
"""

import functools
import gc
import os
import sys
import zipimport


@functools.lru_cache(maxsize=None)
def settle():
    """Once in a process: what has been imported by now is not looked through for garbage, and an archive whose directory is
    known is read again only if it has changed."""
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
        seen = None  # which the plain way deals with
    if seen is None or seen != getattr(importer, "_refrain_seen", None):
        plain(importer)
        importer._refrain_seen = seen
