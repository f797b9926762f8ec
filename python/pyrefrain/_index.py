"""The index of passages."""

from __future__ import annotations

import json
import os

from . import _core
from ._inputs import documents_of, paths_of
from ._progress import reporter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

    from .options import AddOptions, LayoutOptions, PassagesOptions, QueryOptions, SelfOptions


class Index:
    """A collection of documents on disk that finds passages which recur, exact or edited.

    Opens the index in `folder`; where there is none, the first add() creates it, with the layout that is given here.
    """

    def __init__(self, folder: str | os.PathLike[str], **layout: Unpack[LayoutOptions]):
        self.folder = os.fspath(folder)
        self._layout = layout
        self._open = None
        if os.path.exists(self.folder):
            if layout:
                raise ValueError(f"{self.folder}: exists already; its layout cannot be changed")
            self._open = _core.Index(self.folder)

    def add(self, data: Any, *, text: str = "text", id: str | None = None, **options: Unpack[AddOptions]) -> dict[str, Any]:
        """Adds documents, and returns the report. `data`, `text` and `id` are as in fingerprint()."""
        given = _given(data, text, id, options)
        if self._open is not None:
            return json.loads(self._open.add(*given))
        options.pop("replace", None)  # nothing is there yet
        report = _core.create_index(self.folder, given[0], {**self._layout, **given[1]})
        self._open = _core.Index(self.folder)
        return json.loads(report)

    def remove(self, ids: Iterable[Any]) -> dict[str, Any]:
        """Removes documents by their ids, and returns the report."""
        return json.loads(self._there().remove([str(each) for each in ids]))

    def query(self, data: Any = None, *, text: str = "text", id: str | None = None, of: Any = None,
              **options: Unpack[QueryOptions]) -> list[dict[str, Any]]:
        """The passages that documents share with the index, best first.

        `data` is as in fingerprint(), or one text; `of` is the id of a document of the index, in its place. `with_` names
        the only documents to compare with; `pairs` is a file of rows, query id, tab, document id: only these are compared.
        """
        if of is not None:
            rows, _ = self._there().query([], {"of": str(of), **_progressing(options)})
        else:
            rows, _ = self._there().query(*_given([data] if isinstance(data, str) else data, text, id, options))
        return [json.loads(line) for line in rows.splitlines()]

    def query_self(self, **options: Unpack[SelfOptions]) -> list[dict[str, Any]]:
        """The passages that the documents of the index share with each other: each against those that were added after it."""
        rows, _ = self._there().query([], {"self": True, **_progressing(options)})
        return [json.loads(line) for line in rows.splitlines()]

    def passages(self, **options: Unpack[PassagesOptions]) -> list[dict[str, Any]]:
        """Every passage that recurs in the index, at its earliest place, with the others."""
        rows, _ = self._there().passages(_progressing(options))
        return [json.loads(line) for line in rows.splitlines()]

    def merge(self) -> dict[str, Any]:
        """Makes one segment of all, without what was removed."""
        return json.loads(self._there().merge())

    def document(self, id: Any) -> str | None:
        """The text of a document; None where there is no such id."""
        return self._there().document(str(id))

    def stats(self) -> dict[str, Any]:
        return json.loads(self._there().stats())

    def __len__(self) -> int:
        return 0 if self._open is None else self.stats()["documents"]

    def __repr__(self) -> str:
        return f"<Index of {len(self):,} documents in {self.folder}>"

    def _there(self):
        if self._open is None:
            raise ValueError(f"{self.folder}: there is no index yet; add documents first")
        return self._open


def _progressing(options):
    if "progress" in options:
        options["progress"] = reporter(options["progress"])
    return options


def _given(data, text, id, options):
    """The input and the options, as the engine takes them."""
    options = _progressing(options)
    if (paths := paths_of(data)) is not None:
        return paths, {"text": None if text == "text" else text, "id": id, **options}
    return documents_of(data, text, id), options
