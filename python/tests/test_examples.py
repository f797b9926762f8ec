"""Runs the examples of Python."""
import subprocess
import sys

from conftest import SOURCE


def test_all_libraries_give_the_same_answer():
    done = subprocess.run([sys.executable, SOURCE / "examples" / "same_answer.py"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    left_out = [line for line in done.stdout.splitlines() if "left out" in line]
    assert [line.split(":")[0] for line in left_out] in ([], ["Spark"]), done.stdout
