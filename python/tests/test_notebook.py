"""Runs the notebook of examples/ cell by cell."""
import ast
import json

from conftest import SOURCE


def run_cell(source, names):
    """Runs a cell and returns the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def test_the_notebook_cleans_a_data_set(capsys):
    notebook = json.loads((SOURCE / "examples" / "clean_a_dataset.ipynb").read_text())
    names = {}
    shown = [run_cell("".join(cell["source"]), names) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    dataset, clean, decisions = names["dataset"], names["clean"], names["decisions"]
    originals = sum(kind == "original" for kind in dataset["kind"][:])
    assert originals <= len(clean) < len(dataset) * 0.8
    assert len(decisions.kept_rows) == len(clean) and f"{len(clean):,} kept" in capsys.readouterr().out
    assert names["sizes"].max() > 10
    explained = next(value for value in shown if isinstance(value, type(names["pyrefrain"].explain("a", "b"))))
    assert 0.8 <= explained.similarity < 1 and "<mark>" in explained._repr_html_()
    assert names["contaminated"][5]["reason"] == "against" and shown[-1]
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])
