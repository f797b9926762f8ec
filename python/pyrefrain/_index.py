"""The index of passages."""

from __future__ import annotations

import os

from . import _core
from ._files import parsed_json
from ._help import documented
from ._inputs import documents_of, explicit_field, input_of
from ._progress import reporter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

    from .options import AddOptions, LayoutOptions, PassagesOptions, QueryOptions, SelfOptions


@documented("layout", progress=False)
class Index:
    """A collection of documents on disk, searched for passages that recur, exactly or with edits.

    Opens the index in `folder`. If there is no such folder, the first add() creates the index, with this layout.
    """

    def __init__(self, folder: str | os.PathLike[str], **layout: Unpack[LayoutOptions]):
        self.folder: str = os.fspath(folder)
        self._layout = layout
        self._open = None
        if os.path.exists(self.folder):
            if layout:
                raise ValueError(f"{self.folder}: exists already; its layout cannot be changed")
            self._open = _core.Index(self.folder)

    @documented("add", "input", "run")
    def add(self, data: Any, *, text: str = "text", id: str | None = None,
            **options: Unpack[AddOptions]) -> dict[str, Any]:
        """Adds documents, and returns the report. `data`, `text` and `id` are as in fingerprint()."""
        given = _input_and_options(data, text, id, options)
        if self._open is not None:
            return parsed_json(self._open.add(*given))
        options.pop("replace", None)  # there are no documents to replace yet
        report = _core.create_index(self.folder, given[0], {**self._layout, **given[1]})
        self._open = _core.Index(self.folder)
        return parsed_json(report)

    def remove(self, ids: Iterable[Any]) -> dict[str, Any]:
        """Removes documents by their ids, and returns the report."""
        return parsed_json(self._opened_index().remove([str(each) for each in ids]))

    @documented("query", "input", "run")
    def query(self, data: Any = None, *, text: str = "text", id: str | None = None, of: Any = None,
              **options: Unpack[QueryOptions]) -> list[dict[str, Any]]:
        """Returns the passages that documents share with the index, best first.

        `data` is one text, or as in fingerprint(). Instead of `data`, `of` may name the id of a document of the index.
        `with_` restricts the comparison to the documents with these ids. `pairs` is a file with a query id, a tab and a
        document id per line; only these pairs are compared. `texts=False` leaves the texts out.
        """
        if of is not None:
            rows, _ = self._opened_index().query([], {"of": str(of), **_progressing(options)})
        else:
            rows, _ = self._opened_index().query(*_input_and_options([data] if isinstance(data, str) else data, text,
                                                                     id, options))
        return [parsed_json(line) for line in rows.splitlines()]

    @documented("query", "run")
    def query_self(self, **options: Unpack[SelfOptions]) -> list[dict[str, Any]]:
        """Returns the passages that documents of the index share. Each is compared with those added after it.

        `texts=False` leaves the texts out.
        """
        rows, _ = self._opened_index().query([], {"self": True, **_progressing(options)})
        return [parsed_json(line) for line in rows.splitlines()]

    @documented("passages", "run")
    def passages(self, **options: Unpack[PassagesOptions]) -> list[dict[str, Any]]:
        """Returns every passage that recurs in the index: its earliest place, and all others.

        `texts=False` leaves the texts out.
        """
        rows, _ = self._opened_index().passages(_progressing(options))
        return [parsed_json(line) for line in rows.splitlines()]

    def merge(self) -> dict[str, Any]:
        """Merges all segments into one, which leaves out the removed documents."""
        return parsed_json(self._opened_index().merge())

    def document(self, id: Any) -> str | None:
        """Returns the text of a document, or None if the index has no such id."""
        return self._opened_index().document(str(id))

    def stats(self) -> dict[str, Any]:
        return parsed_json(self._opened_index().stats())

    def __len__(self) -> int:
        return 0 if self._open is None else self.stats()["documents"]

    def __repr__(self) -> str:
        return f"<Index of {len(self):,} documents in {self.folder}>"

    def _opened_index(self):
        if self._open is None:
            raise ValueError(f"{self.folder}: there is no index yet; add documents first")
        return self._open


def _progressing(options):
    if "progress" in options:
        options["progress"] = reporter(options["progress"])
    return options


def _input_and_options(data, text, id, options):
    """Returns the input and the options in the form that the engine takes."""
    options = _progressing(options)
    paths, data = input_of(data, None, None)
    if paths is not None:
        return paths, {"text": explicit_field(text), "id": id, **options}
    return documents_of(data, text, id), options
