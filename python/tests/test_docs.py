"""Runs the sessions of docs/python.md and compares their output."""
import doctest
import re

from conftest import SOURCE


def test_sessions_in_the_documentation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (SOURCE / "docs" / "python.md").read_text()
    sessions = re.findall(r"^```pycon\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, "docs/python.md", None, None)
    told = []
    failed, tried = doctest.DocTestRunner().run(test, out=told.append)
    assert failed == 0, "".join(told)
    assert tried > 20
