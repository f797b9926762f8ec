"""Results and progress are shown as notebooks, terminals and logs show them."""
import html
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import textwrap
import types

import polars as pl
import pyarrow as pa
import pytest

import pyrefrain
from conftest import write_jsonl

BODY = "the council met on monday to talk about the old bridge over the <b>river</b> and how to pay for it"
TEXTS = [BODY, "nothing of the kind is in this text about ships", BODY + " in the coming year", None]


def test_decisions_show_what_is_removed_beside_its_match():
    for data, options in [(TEXTS, {}), (pa.table({"text": TEXTS, "name": list("abcd")}), {"id": "name"}),
                          (pl.LazyFrame({"text": TEXTS}), {})]:
        page = pyrefrain.dedup(data, **options)._repr_html_()
        assert "3 of 4 documents kept; 1 removed near" in page and "ships" not in page
        assert "in the coming year" in page and page.count("&lt;b&gt;river") == 2 and "<b>river" not in page
    assert "<table>" not in pyrefrain.dedup(["one", "two"])._repr_html_()
    assert "0 of 0" in pyrefrain.dedup([])._repr_html_()
    long = pyrefrain.dedup([f"{number} " + "word " * 1000 for number in (1, 1)])._repr_html_()
    assert len(long) < 3000


def test_pairs_show_both_texts(tmp_path):
    page = pyrefrain.near(TEXTS, distance=20)._repr_html_()
    assert "1 matches among 4 documents" in page and page.count("&lt;b&gt;river") == 2 and "coming year" in page
    path = write_jsonl(tmp_path / "in.jsonl", [{"id": "<i>", "text": BODY}, {"id": "b", "text": BODY}])
    assert "&lt;i&gt;" in pyrefrain.near(path)._repr_html_()


def test_texts_are_those_of_the_row_where_ids_are_shared():
    texts = [BODY, "another text that is kept", BODY]
    with pytest.warns(pyrefrain.errors.DuplicateIds):
        page = pyrefrain.dedup(texts, id=["a", "b", "b"])._repr_html_()
    assert page.count("&lt;b&gt;river") == 2 and "another" not in page


def test_a_report_opens_inline(tmp_path):
    path = write_jsonl(tmp_path / "in.jsonl", [{"id": str(row), "text": text or ""} for row, text in enumerate(TEXTS)])
    report = pyrefrain.dedup(path, output=tmp_path / "run").report
    shown = report._repr_html_()
    page = html.unescape(re.search('srcdoc="([^"]*)"', shown)[1])
    assert page == (tmp_path / "run" / "report.html").read_text() and "sandbox" in shown
    assert report == json.loads((tmp_path / "run" / "summary.json").read_text())
    assert "<iframe" in pyrefrain.dedup(path).report._repr_html_()  # its folder is gone by now
    figures = pyrefrain.dedup(TEXTS).report._repr_html_()
    assert "<td style=\"text-align:left\">kept</td>" in figures and "<iframe" not in figures


TALK = """
    import sys, types
    {before}
    import pyrefrain
    words = [f"word{{i}}" for i in range(997)]
    data = [" ".join(words[(i * 7919 + j * (i % 13 + 1)) % 997] for j in range(100)) for i in range(8000)]
    pyrefrain.dedup(data, progress=True)
    {after}
"""
KERNEL = """
    from IPython.core.interactiveshell import InteractiveShell
    import IPython, IPython.display, html
    shown, updates = [], []
    class Handle:
        def update(self, what): updates.append(what.data)
    def display(what, display_id): shown.append(what); return Handle()
    IPython.display.display = display
    IPython.get_ipython = lambda: types.SimpleNamespace(kernel=1)
"""


def python(before="", after="", terminal=False):
    code = textwrap.dedent(TALK).format(before=textwrap.dedent(before), after=textwrap.dedent(after))
    if not terminal:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    if shutil.which("script") is None:
        pytest.skip("there is no script, which has a terminal")
    quoted = "'" + code.replace("'", "'\\''") + "'"
    done = subprocess.run(["script", "-qec", f"stty cols 80 rows 24; {sys.executable} -c {quoted}", "/dev/null"],
                          capture_output=True, check=True)
    return types.SimpleNamespace(stdout=done.stdout.decode())  # with its carriage returns


NO_TQDM = 'sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None'


def test_progress_in_a_log_is_a_line_per_stage():
    told = python().stderr
    lines = told.splitlines()
    assert 1 <= len(lines) <= 20 and all(re.fullmatch(r"[a-z][^\r\033]*", line) for line in lines), told
    assert told.endswith("\n")


@pytest.mark.parametrize("before", ["", NO_TQDM], ids=["tqdm", "plain"])
def test_progress_in_a_terminal_is_a_line_that_changes(before):
    told = python(before, terminal=True).stdout
    assert "\r" in told and "%" in told and told.endswith("\n")
    assert ("|" in told) == (not before)
    if not before:
        assert "100%" in told


def test_progress_in_a_notebook_needs_only_ipython():
    pytest.importorskip("IPython")
    if importlib.util.find_spec("ipywidgets") is not None:
        pytest.skip("tqdm draws its own bar")
    done = python(KERNEL, "assert len(shown) == 1 and len(updates) > 1, updates\nprint(updates[-1])\nprint(updates[0])")
    last, first = done.stdout.splitlines()
    assert last == '<progress value="1.000"></progress> done' and first.startswith("<progress") and done.stderr == ""


def test_progress_in_a_notebook_with_widgets_is_that_of_tqdm():
    pytest.importorskip("IPython")
    widgets = """
        bars = []
        class Bar:
            def __init__(self, **options): self.n = 0; self.closed = False; bars.append(self)
            def set_description_str(self, text, refresh): pass
            def refresh(self): pass
            def close(self): self.closed = True
        sys.modules["ipywidgets"] = types.ModuleType("ipywidgets")
        import importlib.machinery
        sys.modules["ipywidgets"].__spec__ = importlib.machinery.ModuleSpec("ipywidgets", None)
        sys.modules["tqdm.auto"] = types.SimpleNamespace(tqdm=Bar)
    """
    python(textwrap.dedent(KERNEL) + textwrap.dedent(widgets),
           "assert shown == [] and len(bars) == 1 and bars[0].n == 100 and bars[0].closed")


def test_a_call_that_fails_closes_its_bar():
    code = """
        import atexit
        class Bar:
            def __init__(self, **options): self.n = 0; self.closed = False; bars.append(self)
            def set_description_str(self, text, refresh): raise KeyError(text)
            def refresh(self): pass
            def close(self): self.closed = True
        bars = []
        from pyrefrain import _progress
        _progress._display = lambda: _progress._Bar(Bar)
        atexit.register(lambda: print([bar.closed for bar in bars]))
    """
    with pytest.raises(subprocess.CalledProcessError) as caught:
        python(code, "assert False, 'not reached'")
    assert "KeyError" in caught.value.stderr and caught.value.stdout == "[True]\n"
