"""Explains why two documents match, and what a run decided about one document."""

from __future__ import annotations

import json
import os

from . import _core
from ._inputs import documents_of, explicit_field, paths_of
from ._progress import reporter
from ._results import Explanation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from .options import ExplainOptions


def explain(a: str | os.PathLike[str], b: str | os.PathLike[str] | None = None, *, within: Any = None, run: Any = None,
            text: str = "text", id: str | None = None, **options: Unpack[ExplainOptions]) -> Any:
    """Compares two documents: how far apart their fingerprints are, how similar they are, and what they share.

    `a` and `b` are texts, or files if they are Paths. With `within` (a table, a dataset or paths) they are the ids of
    two documents in it. With `run`, the folder of a dedup run, `a` is the id of one document, and the result is a
    dict that says what the run decided about it and why.
    """
    if run is not None:
        return json.loads(_core.explain_run(os.fspath(run), str(a), options.get("memory")))
    if b is None:
        raise TypeError("explain() needs two documents, or run=FOLDER and an id")
    if "progress" in options:
        options["progress"] = reporter(options["progress"])
    if within is None and isinstance(a, os.PathLike) and isinstance(b, os.PathLike):
        return Explanation(_core.explain_pair(os.fspath(a), os.fspath(b), [], {**options}))
    if within is None:
        return Explanation(_core.explain_pair("0", "1", documents_of([str(a), str(b)]), {**options}))
    if (paths := paths_of(within)) is not None:
        field = explicit_field(text)
        return Explanation(_core.explain_pair(str(a), str(b), paths, {"text": field, "id": id, **options}))
    return Explanation(_core.explain_pair(str(a), str(b), documents_of(within, text, id), {**options}))
