"""pyrefrain.spark.workers: the work that it saves between tasks, and the changes that are still noticed."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from spark_case import PATHS, main

# Run in a separate process, because settle() changes its process for good.
ARCHIVE = """
import importlib, os, sys, zipfile, zipimport
from pyrefrain.spark.workers import settle

def write(**modules):
    with zipfile.ZipFile("new.zip", "w") as file:
        for name, value in modules.items():
            file.writestr(name + ".py", f"value = {value}")
    os.replace("new.zip", "modules.zip")

read, reads = zipimport._read_directory, []
zipimport._read_directory = lambda path: reads.append(path) or read(path)
settle()
settle()
write(first=1)
sys.path.insert(0, os.path.abspath("modules.zip"))
import first
importlib.invalidate_caches()
seen = len(reads)
for _ in range(10):
    importlib.invalidate_caches()
assert sys.version_info >= (3, 13) or len(reads) == seen, reads
write(first=1, second=2)
importlib.invalidate_caches()
import second
assert (first.value, second.value) == (1, 2)
os.remove("modules.zip")
importlib.invalidate_caches()
try:
    import third
except ModuleNotFoundError:
    print("noticed")
"""


class Workers(unittest.TestCase):

    def test_an_archive_is_read_again_only_if_it_has_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", ARCHIVE], cwd=folder, capture_output=True, text=True,
                                  check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS)})
        self.assertEqual((done.returncode, done.stdout), (0, "noticed\n"), done.stderr)


if __name__ == "__main__":
    main()
