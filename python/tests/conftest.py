"""What the tests of the package share: the program to compare with, a world of known duplicates, a folder that goes away."""
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
    """The rows below the header, comments left out."""
    lines = [line for line in path.read_text().split("\n") if line and not line.startswith("#")]
    return [line.split("\t") for line in lines[1:]]


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """(file, rows) of bench/dedup_world.py."""
    folder = tmp_path_factory.mktemp("world")
    subprocess.run([sys.executable, "-B", SOURCE / "bench" / "dedup_world.py", "--documents", "1000", "--words", "60", folder],
                   check=True)
    path = folder / "documents.jsonl"
    return path, [json.loads(line) for line in path.read_text().splitlines()]
