"""help() says all that is needed to call a verb, type checkers know what it returns, and errors name the option."""
import importlib.util
import inspect
import operator
import os
import pathlib
import pydoc
import re
import subprocess
import sys

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyrefrain
from conftest import write_jsonl
from pyrefrain import _core, errors

PLACE = os.path.dirname(os.path.dirname(pyrefrain.__file__))
TEXTS = ["the same text twice, with enough words to be compared", "another",
         "the same text twice, with enough words to be compared"]
TABLE = pa.table({"text": TEXTS, "n": [1, 2, 3]})
TABLES = {"dedup": ("dedup", "input", "device", "run"), "near": ("near", "input", "device", "run"),
          "fingerprint": ("fingerprint", "input", "run"), "substrings": ("substrings", "input", "run"),
          "ngrams": ("ngrams", "input", "run"), "explain": ("explain", "input", "run"), "Index": ("layout",),
          "Index.add": ("add", "input", "run"), "Index.query": ("query", "input", "run"),
          "Index.query_self": ("query", "run"), "Index.passages": ("passages", "run"), "Library": ("run",)}

datasets.disable_progress_bars()


@pytest.mark.parametrize("verb", TABLES)
def test_help_lists_every_option_with_its_default(verb):
    function = operator.attrgetter(verb)(pyrefrain)
    told = (pydoc.plain(pydoc.render_doc(function)) if verb not in ("Index", "Library")
            else "\n" * 3 + inspect.getdoc(function))
    words = " ".join(told.split())
    for table in TABLES[verb]:
        for row in _core.option_table(table):
            if row["python"] and row["keyword"] not in ("text", "id", "annotate"):
                default = {"toggle": {"on": "True", "off": "False"}, "percent": {"50%": "0.5", "100%": "1"},
                           "folder": {"required": "none"}}.get(row["kind"], {}).get(row["default"], row["default"])
                assert re.search(rf"^ *(\| +)?{row['keyword']}: ", told, re.MULTILINE), row["keyword"]
                assert f"{row['help']} [{default}" in words, row["keyword"]
    assert bool(re.search(r"^ *(\| +)?progress: ", told, re.MULTILINE)) == (verb not in ("Index", "Library"))
    assert not re.search("--[a-z]", told.partition("each with its default")[2])
    assert max(map(len, told.splitlines()[3:])) <= 120
    for name, parameter in inspect.signature(function).parameters.items():
        if verb in ("dedup", "explain") and parameter.kind is not parameter.VAR_KEYWORD:
            assert re.search(rf"^ *([a-z]+, )?{name}\b", told, re.MULTILINE), name


CHECKED = """
import os
from pathlib import Path
from typing import Any, assert_type
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from datasets import Dataset
import pyrefrain

def check(frame: pd.DataFrame, other: pl.DataFrame, lazy: pl.LazyFrame, table: pa.Table, dataset: Dataset) -> None:
    assert_type(pyrefrain.dedup(["a"]), pyrefrain.Decisions[list[str]])
    assert_type(pyrefrain.dedup(["a"], keep="longest", threshold=0.9).kept(), list[str])
    assert_type(pyrefrain.dedup(texts=["a"]).kept(), list[str])
    assert_type(pyrefrain.dedup(other, text="body").kept(), pl.DataFrame)
    assert_type(pyrefrain.dedup(lazy).kept(), pl.LazyFrame)
    assert_type(pyrefrain.dedup(other, annotate=True, prefix="x_"), pl.DataFrame)
    assert_type(pyrefrain.dedup(other).annotated(prefix="x_"), pl.DataFrame)
    assert_type(pyrefrain.dedup(dataset), Dataset)
    assert_type(pyrefrain.dedup(dataset, annotate=True), Dataset)
    assert_type(pyrefrain.dedup(Path("a")), pyrefrain.Decisions[Any])
    assert_type(pyrefrain.dedup("a", output=Path("b"), known=Path("c")), pyrefrain.Decisions[Any])
    assert_type(pyrefrain.dedup([Path("a")], known=[Path("c")]), pyrefrain.Decisions[Any])
    assert_type(pyrefrain.dedup(paths=["a"]), pyrefrain.Decisions[Any])
    assert_type(pyrefrain.dedup(paths=Path("a").glob("*")), pyrefrain.Decisions[Any])
    assert_type(pyrefrain.explain("a", "b"), pyrefrain.Explanation)
    assert_type(pyrefrain.explain(Path("a"), Path("b"), window=3, distance=2), pyrefrain.Explanation)
    assert_type(pyrefrain.explain("a", run=Path("b")), dict[str, Any])
    assert_type(pyrefrain.explain("a", "b").similarity, float)
    found = pyrefrain.dedup(["a"])
    assert_type(found.kept_rows, list[int])
    assert_type(found[0], dict[str, Any])
    assert_type(found.to_pylist(), list[dict[str, Any]])
    assert_type(found.to_polars(), pl.DataFrame)
    assert_type(len(found[1:]), int)
    assert_type(found.keep == [True], bool)
    assert_type(~found.keep, type_of_keep())
    for row in found:
        assert_type(row["keep"], Any)
    near = pyrefrain.near(["a"], verify=True)
    assert_type(near, pyrefrain.Matches)
    for value in near.similarity:
        assert_type(value, Any)
    assert_type(len(near.documents), int)
    assert_type(pyrefrain.substrings(["a"]), pyrefrain.Ranges)
    assert_type(pyrefrain.ngrams(["a"], n=3, progress=lambda stage, share: None), pyrefrain.Ngrams)
    with pyrefrain.Library(Path("x")) as library:
        assert_type(library.add(["a"]), pyrefrain.Answers)
        assert_type(library.is_duplicate("a"), bool)
"""
MISTAKES = """
import pyrefrain
pyrefrain.dedup(["a"], annotate="yes")
pyrefrain.dedup(["a"], thresold=3)
pyrefrain.dedup(["a"], nulls="skip")
pyrefrain.explain("a")
pyrefrain.explain("a", run=3)
pyrefrain.dedup(["a"]).kept().merge()
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_know_what_is_returned(tmp_path, mypy_cache, checker):
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"there is no {checker}")
    checked = CHECKED.replace("type_of_keep()", "Mask").replace("import pyrefrain\n",
                                                                "import pyrefrain\nfrom pyrefrain._core import Mask\n")
    (tmp_path / "right.py").write_text(checked)
    (tmp_path / "wrong.py").write_text(MISTAKES)
    command = {"mypy": ["--strict", "--ignore-missing-imports", "--follow-imports", "silent", "--cache-dir",
                        mypy_cache], "pyright": ["--pythonpath", sys.executable]}[checker]
    done = subprocess.run([sys.executable, "-m", checker, *command, "right.py", "wrong.py"], cwd=tmp_path, text=True,
                          env={**os.environ, "MYPYPATH": PLACE}, capture_output=True, check=False)
    found = [line for line in done.stdout.splitlines() if re.search(r"\berror\b: ", line)]
    assert [line for line in found if "right.py" in line] == []
    wrong = {int(re.search(r"wrong.py:(\d+)", line)[1]) for line in found if "wrong.py" in line}
    assert wrong == set(range(3, 9)), done.stdout + done.stderr


@pytest.mark.parametrize("data", [TABLE, pl.DataFrame(TABLE), TABLE.to_pandas(), datasets.Dataset(TABLE),
                                  pl.LazyFrame(TABLE)], ids=lambda data: type(data).__qualname__)
def test_an_error_about_a_column_names_the_option(data):
    def refused(option, message, function=pyrefrain.dedup, **options):
        with pytest.raises(errors.InvalidArgument, match=f"^{option}: .*{message}") as caught:
            function(data, **options)
        assert caught.value.option == option

    for function in (pyrefrain.dedup, pyrefrain.near, pyrefrain.fingerprint, pyrefrain.substrings, pyrefrain.ngrams):
        refused("text", "there is no column 'body'; the columns are: text, n", function, text="body")
        refused("id", "there is no column 'key'; the columns are: text", function, id="key")
        refused("text", "column 'n': expected strings", function, text="n")
    refused("keep", "no column 'rank'", keep="max:rank")
    refused("source_field", "no column 'host'", source_field="host")
    refused("against_text", "no column 'items'", against=data, against_text="items")
    refused("against_id", "no column 'key'", against=data, against_id="key")
    refused("id", "a list of ids is for a list of texts", id=["a", "b", "c"])
    refused("nulls", "there is no 'skip'", nulls="skip")


def test_an_error_about_a_list_names_the_option():
    for options, option in [({"id": ["a"]}, "id"), ({"id": "key"}, "id"), ({"id": ["a", "b", None]}, "id"),
                            ({"keep": "max:rank"}, "keep"), ({"source_field": "host"}, "source_field")]:
        with pytest.raises(errors.InvalidArgument, match=f"^{option}: ") as caught:
            pyrefrain.dedup(TEXTS, **options)
        assert caught.value.option == option


def test_ids_of_a_list_may_be_an_array():
    for ids in (np.array(["a", "b", "c"]), pd.Series(["a", "b", "c"]), pl.Series(["a", "b", "c"]), iter("abc")):
        assert pyrefrain.dedup(TEXTS, id=ids).id == ["a", "b", "c"]


def test_paths_may_be_paths_wherever_there_are_some(tmp_path):
    rows = [{"id": str(row), "text": text} for row, text in enumerate(TEXTS)]
    path = write_jsonl(tmp_path / "in.jsonl", rows)
    run, library, index = tmp_path / "run", tmp_path / "library", tmp_path / "index"
    assert pyrefrain.dedup(path, output=run, temp_dir=tmp_path).keep == [True, True, False]
    for known in (run, str(run), [run], [str(run)]):
        assert pyrefrain.dedup(path, known=known).keep.count(True) == 0
    assert pyrefrain.dedup(path, library=library).keep == [True, True, False]
    assert pyrefrain.dedup(TABLE, against=path).keep == [False, True, False]
    for paths in ({"paths": tmp_path.glob("*.jsonl")}, {"data": tmp_path.glob("*.jsonl")}, {"data": [path]}):
        assert pyrefrain.dedup(**paths).keep == [True, True, False]
    assert pyrefrain.explain("0", run=run) == pyrefrain.explain("0", run=str(run))
    assert pyrefrain.explain("0", "2", within=path, temp_dir=tmp_path).similarity == 1
    assert pyrefrain.ngrams(path, n=2, output=tmp_path / "grams").ngram
    assert pyrefrain.Index(index).add(path)["added"] == 3 and len(pyrefrain.Library(library)) == 2
    pairs = tmp_path / "pairs"
    pairs.write_text("0\t1\n")
    pyrefrain.Index(index).query(path, pairs=pairs)
    assert isinstance(path, pathlib.Path)
