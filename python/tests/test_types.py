"""mypy knows every option of every verb, with the values that it takes, from the stubs that are made of the tables of
options."""
import os
import subprocess
import sys

import pytest

import pyrefrain
from pyrefrain import _core

PLACE = os.path.dirname(os.path.dirname(pyrefrain.__file__))
# A value of each kind, and one that is none.
VALUES = {"toggle": ("True", "3"), "text": ("'x'", "3"), "number": ("3", "'x'"), "share": ("0.5", "'x'"),
          "percent": ("0.5", "'x'"), "size": ("'64M'", "0.5"), "file": ("'x'", "3"), "folder": ("'x'", "3"),
          "words": ("['x']", "3")}
# A call of each verb, and the tables of its options.
CALLS = {"pyrefrain.dedup(['a'], {})": ("run", "input", "device", "dedup"),
         "pyrefrain.near(['a'], {})": ("run", "input", "device", "near"),
         "pyrefrain.fingerprint(['a'], {})": ("input", "fingerprint"),
         "pyrefrain.substrings(['a'], {})": ("input", "substrings"),
         "pyrefrain.ngrams(['a'], {})": ("input", "ngrams"),
         "pyrefrain.Index('i', {})": ("layout",),
         "pyrefrain.Index('i').add(['a'], {})": ("input", "add"),
         "pyrefrain.Index('i').query('a', {})": ("run", "input", "query"),
         "pyrefrain.Index('i').passages({})": ("run", "passages")}
SEPARATE = {"text", "id", "annotate", "against"}  # parameters of their own, and one that takes anything


def options():
    """Returns a call with a place for an argument, and the row of an option, for each option of each verb."""
    return [(call, row) for call, tables in CALLS.items() for table in tables for row in _core.option_table(table)
            if row["python"] and row["keyword"] not in SEPARATE]


def value_of(row, right):
    if row["choices"] and row["kind"] == "choice":
        return repr(row["choices"][0]) if right else "'no such word'"
    value = VALUES[row["kind"]][not right]
    return f"[{value}]" if row["repeated"] else value


def errors_of(lines, folder):
    """Returns the numbers of the lines, from 0, in which mypy finds an error."""
    (folder / "calls.py").write_text("\n".join(["import pyrefrain", *lines, ""]))
    done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports", "silent",
                           "--cache-dir", folder / "cache", "calls.py"], cwd=folder, capture_output=True, text=True,
                          check=False, env={**os.environ, "MYPYPATH": PLACE})
    assert "(checked 1 source file)" in done.stdout or "Success" in done.stdout, done.stdout + done.stderr
    found = [line.split(":") for line in done.stdout.split("\n") if ": error: " in line]
    assert all(name == "calls.py" for name, *_ in found), done.stdout
    return {int(number) - 2 for _, number, *_ in found}


def test_each_option_takes_its_values_and_no_others(tmp_path):
    pytest.importorskip("mypy")
    rows = options()
    assert len(rows) > 150
    right = [call.format(f"{row['keyword']}={value_of(row, True)}") for call, row in rows]
    wrong = [call.format(f"{row['keyword']}={value_of(row, False)}") for call, row in rows]
    unknown = ["pyrefrain.dedup(['a'], thresold=0.8)", "pyrefrain.near(['a'], distanc=3)"]
    words = [call.format(f"{row['keyword']}={word!r}") for call, row in rows for word in row["words"]]
    calls = right + words
    found = errors_of(calls + wrong + unknown, tmp_path)
    assert [calls[at] for at in sorted(found) if at < len(calls)] == []
    assert [call for at, call in enumerate(wrong + unknown, len(calls)) if at not in found] == []
