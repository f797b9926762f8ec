"""`make wheel`: the wheel is installed and run without a compiler, with only Python and glibc."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from installed import HAS_PARQUET, files_below, run, version
from program import BIN_DIR, SOURCE_DIR, TestCase, main

TEXTS = (["the council met on monday to talk about the old bridge over the river"] * 2
         + ["something else is written here"])
DEDUP = """
import json, sys, pyrefrain
found = pyrefrain.dedup(json.load(sys.stdin))
print(json.dumps([found.kept_rows, pyrefrain.__version__, pyrefrain.__file__, found.to_pylist()[1]["reason"]]))
"""


class Wheel(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="refrain-wheel-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run(os.path.join(SOURCE_DIR, "tools", "wheel"), cls.folder, BIN_DIR, cwd=SOURCE_DIR)
        cls.wheel, = glob.glob(os.path.join(cls.folder, "*.whl"))
        cls.environment = os.path.join(cls.folder, "environment")
        run(sys.executable, "-m", "venv", cls.environment)
        run(os.path.join(cls.environment, "bin", "pip"), "install", "--quiet", "--no-index", "--no-deps", cls.wheel)

    def test_the_source_distribution_is_complete(self):
        path, = glob.glob(os.path.join(self.folder, "*.tar.gz"))
        run("tar", "--extract", "--file", path, "--directory", self.dir)
        root = os.path.join(self.dir, f"pyrefrain-{version()}")
        for folder in ("include", "packaging", "python", "src"):
            names = [name for name in files_below(os.path.join(SOURCE_DIR, folder))
                     if not name.startswith("tests/") and "__pycache__" not in name]
            self.assertLessEqual(set(names), set(files_below(os.path.join(root, folder))))
        made = os.path.join(self.dir, "made")
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", made,
            "-C", f"build-dir={self.dir}/cmake", "-C", f"cmake.define.REFRAIN_PREBUILT={os.path.realpath(BIN_DIR)}",
            root, env={**os.environ, "PYTHONPATH": os.path.join(SOURCE_DIR, "build", "deps", "wheel")})
        self.assertEqual(len(os.listdir(made)), 1)

    def bare(self, name, *arguments, stdin=""):
        """Runs a program of the environment, with an empty PATH and no access to this build."""
        done = subprocess.run([os.path.join(self.environment, "bin", name), *arguments], input=stdin,
                              capture_output=True, text=True, timeout=120, check=False, cwd=self.dir,
                              env={"PATH": "/nowhere", "HOME": self.dir})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_name_tells_version_interpreter_and_glibc(self):
        name = os.path.basename(self.wheel)
        found = re.fullmatch(r"pyrefrain-(.*)-(cp311-cp311|cp312-abi3)-manylinux_2_(\d+)_(x86_64|aarch64)\.whl", name)
        self.assertTrue(found, name)
        self.assertEqual(found[1], version())
        here = tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))
        self.assertLessEqual((2, int(found[3])), here)

    def test_texts_are_deduplicated(self):
        kept, told, path, reason = json.loads(self.bare("python", "-I", "-c", DEDUP, stdin=json.dumps(TEXTS)))
        self.assertEqual((kept, told, reason), ([0, 2], version(), "exact"))
        self.assertTrue(path.startswith(os.path.realpath(self.environment)), path)

    def test_the_program_comes_along(self):
        self.assertIn(version(), self.bare("refrain", "--version"))
        self.assertIn(version(), self.bare("python", "-m", "pyrefrain", "--version"))
        with open(os.path.join(self.dir, "lines.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(TEXTS))
        self.bare("refrain", "dedup", "lines.txt", "--format", "lines", "-o", "run", "-q")
        with open(os.path.join(self.dir, "run", "decisions.jsonl"), encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["keep"] for line in file], [True, False, True])

    @unittest.skipUnless(HAS_PARQUET, "this build has no Parquet")
    def test_parquet_is_read_by_both(self):
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({"text": TEXTS}), os.path.join(self.dir, "rows.parquet"))
        self.bare("refrain", "dedup", "rows.parquet", "-o", "run", "-q")
        code = ("import pathlib, pyrefrain; "
                "print([row['keep'] for row in pyrefrain.dedup(pathlib.Path('rows.parquet'))])")
        self.assertEqual(self.bare("python", "-I", "-c", code), "[True, False, True]\n")

    def test_it_is_typed(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            stub = wheel.read("pyrefrain/_core.pyi").decode()
        self.assertIn("pyrefrain/py.typed", names)
        self.assertIn("def similarities(", stub)
        self.assertIn("class Column", stub)


if __name__ == "__main__":
    main()
