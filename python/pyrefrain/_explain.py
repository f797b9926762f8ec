"""Explains why two documents match, and what a run decided about one document."""

from __future__ import annotations

import os

from . import _core
from ._files import parsed_json
from ._help import documented
from ._inputs import documents_of, explicit_field, paths_of
from ._progress import reporter
from ._results import Explanation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack, overload

    from .options import ExplainOptions
else:
    overload = lambda function: function


@overload
def explain(a: Any, b: Any, *, within: Any = None, text: str = "text", id: str | None = None,
            **options: Unpack[ExplainOptions]) -> Explanation: ...
@overload
def explain(a: Any, *, run: str | os.PathLike[str], memory: int | str = ...) -> dict[str, Any]: ...
@documented("explain", "input", "run")
def explain(a: Any, b: Any = None, *, within: Any = None, run: Any = None, text: str = "text", id: Any = None,
            **options: Any) -> Any:
    """Compares two documents: how far apart their fingerprints are, how similar they are, what they share, and what
    near() and dedup() say about them.

        pyrefrain.explain("one text", "another text")
        pyrefrain.explain("id of a document", run="folder of a dedup run")

    a, b      two texts or, if they are Paths, two files
    within    a table, a dataset or paths; then `a` and `b` are the ids of two documents in it [None]
    run       the folder of a dedup run; then `a` is the id of one document, and the result is a dict that says what
              the run decided about it and why [None]
    text, id  the columns of `within` with the texts and the ids ["text", row numbers]
    """
    if run is not None:
        return parsed_json(_core.explain_run(os.fspath(run), str(a), options.get("memory")))
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
