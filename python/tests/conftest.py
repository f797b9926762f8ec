"""Shared by the tests of the package: the program to compare with, documents with known duplicates, and temporary
folders."""
import json
import os
import pathlib
import subprocess
import sys

import hypothesis
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("REFRAIN_BIN_DIR", SOURCE / "build" / "release")) / "refrain"

hypothesis.settings.register_profile("refrain", max_examples=12, deadline=None, database=None, derandomize=True,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("refrain")


def run_program(*arguments, **more):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=False, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def read_tsv(path):
    """Returns the rows below the header, without the empty column whose name states the options."""
    header, *lines = path.read_text().removesuffix("\n").split("\n")
    columns = sum(not name.startswith("refrain ") for name in header.split("\t"))
    return [line.split("\t")[:columns] for line in lines]


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory):
    """A folder for what mypy remembers of the packages that the strict checks import."""
    return tmp_path_factory.mktemp("mypy")


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """Returns (file, rows) of bench/dedup_world.py."""
    folder = tmp_path_factory.mktemp("world")
    subprocess.run([sys.executable, "-B", SOURCE / "bench" / "dedup_world.py", "--documents", "1000", "--words", "60",
                    folder], check=True)
    path = folder / "documents.jsonl"
    return path, [json.loads(line) for line in path.read_text().splitlines()]
