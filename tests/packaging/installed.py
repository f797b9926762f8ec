"""Shared by the tests of installing and packaging."""

import os
import re
import subprocess
import sys

from program import BIN_DIR, TestCase

MODULE = "librefrain_parquet.so"
HAS_PARQUET = os.path.exists(os.path.join(BIN_DIR, MODULE))
TEXTS = [f"the quick brown fox number {number} jumps over the lazy dog" for number in range(5)]
# Libraries that are part of glibc, which every system has.
OF_GLIBC = re.compile(r"(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|util|resolv|anl))\.so\.\d+")


def run(*command, **more):
    """Runs a command, which must succeed; returns its standard output."""
    done = subprocess.run(command, capture_output=True, check=False, timeout=600, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit {done.returncode}\n"
                             f"{done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout.decode()


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(above, name), folder)
                  for above, _, names in os.walk(folder) for name in names)


def version():
    return run(os.path.join(BIN_DIR, "refrain"), "--version").split()[1]


class InstalledCase(TestCase):
    def write_parquet(self, name):
        """Writes TEXTS as Parquet; skips the test if this build has no Parquet."""
        if not HAS_PARQUET:
            self.skipTest(f"{MODULE}: not built")
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        script = ("import sys, pyarrow, pyarrow.parquet as p; "
                  "p.write_table(pyarrow.table({'text': sys.argv[2:]}), sys.argv[1])")
        run(sys.executable, "-c", script, self.path(name), *TEXTS)
        return self.path(name)
