"""Runs the notebooks of examples/ cell by cell, and checks their types."""
import ast
import json
import os
import subprocess
import sys

import pytest

import pyrefrain
from conftest import SOURCE

NOTEBOOKS = sorted((SOURCE / "examples").glob("*.ipynb"))


def cells_of(name):
    notebook = json.loads((SOURCE / "examples" / name).read_text(encoding="utf-8"))
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cell(source, names):
    """Runs a cell and returns the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def run(name):
    """Runs a notebook; returns its variables and the values that its cells show."""
    names = {}
    return names, [run_cell(cell, names) for cell in cells_of(name)]


def test_the_notebook_cleans_a_data_set(capsys):
    names, shown = run("clean_a_dataset.ipynb")
    dataset, clean, decisions = names["dataset"], names["clean"], names["decisions"]
    originals = sum(kind == "original" for kind in dataset["kind"][:])
    assert originals <= len(clean) < len(dataset) * 0.8
    assert len(decisions.kept_rows) == len(clean) and f"{len(clean):,} kept" in capsys.readouterr().out
    assert names["sizes"].max() > 10
    explained = next(value for value in shown if isinstance(value, type(pyrefrain.explain("a", "b"))))
    assert 0.8 <= explained.similarity < 1 and "<mark>" in explained._repr_html_()
    assert names["contaminated"][5]["reason"] == "against" and shown[-1]


def test_the_notebook_finds_who_quotes_whom():
    names, shown = run("find_quotations.ipynb")
    pairs = {(first, second) for first, second, *_ in names["quotations"]}
    assert ("1641 to Anna", "1641 to the bishop") in pairs
    assert {("1641 to Anna", "1655 chronicle"), ("1641 to the bishop", "1655 chronicle")} & pairs
    assert not any("1660 accounts" in pair for pair in pairs)
    assert set(names["sources"]) == {"1641 to Anna", "1641 to the bishop", "1655 chronicle"}
    assert any("<mark>" in value._repr_html_() for value in shown if hasattr(value, "_repr_html_"))


def test_the_notebook_keeps_every_page_once(capsys):
    names, _ = run("keep_pages_once.ipynb")
    assert 90 <= len(names["answers"].kept_rows) <= 100
    assert 100 <= len(names["new"]) < 110
    assert f"{len(names['new'])} of 200 pages are new" in capsys.readouterr().out
    assert names["copy"]["status"] == "near" and names["copy"]["match"].startswith("https://news.example/")
    assert names["again"] is False


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_the_notebooks_are_clean_under_a_strict_type_checker(checker, tmp_path, mypy_cache):
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    for notebook in NOTEBOOKS:
        (tmp_path / f"{notebook.stem}.py").write_text("\n\n".join(cells_of(notebook.name)) + "\n", encoding="utf-8")
    package = os.path.dirname(os.path.dirname(pyrefrain.__file__))
    sources = [f"{notebook.stem}.py" for notebook in NOTEBOOKS]
    if checker == "mypy":
        command = ["mypy", "--strict", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir",
                   str(mypy_cache), *sources]
    else:
        # Other packages have no types, and a cell shows what its last line is.
        (tmp_path / "pyrightconfig.json").write_text(json.dumps({
            "typeCheckingMode": "strict", "extraPaths": [package], "reportMissingTypeStubs": False,
            "reportUnknownMemberType": False, "reportUnknownVariableType": False, "reportUnknownArgumentType": False,
            "reportUnusedExpression": False, "reportMissingImports": False, "reportMissingModuleSource": False}))
        command = ["pyright", *sources]
    done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "MYPYPATH": package})
    assert done.returncode == 0, done.stdout + done.stderr
