"""The library of documents that were kept before, and streams that leave out what it knows."""

from __future__ import annotations

import itertools
import os
import threading

from . import _core, errors
from ._files import parsed_json
from ._help import documented
from ._inputs import Held, documents_of, paths_of
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Unpack

    from ._core import Column, Mask
    from .options import LibraryOptions

_BATCH = 256  # documents of a stream that are looked up together


class Answers(Table):
    """One row per document: id, status ("new", "exact", "near"; None without a text), match, similarity, verified, added.

    `match` is the id of the document that it is a copy of or, if it is new, of one that is similar but lacks some of
    its text. `verified` says whether the similarity was computed from the texts, not estimated.
    """

    if TYPE_CHECKING:
        id: Column
        status: Column
        match: Column
        similarity: Column
        verified: Column
        added: Mask

    def __init__(self, column: Any, held: Any):
        super().__init__(column)
        self._held = held

    @property
    def kept_rows(self) -> list[int]:
        """The row numbers of the documents that are new or have no text, ascending."""
        return [row for row, status in enumerate(self["status"]) if status in ("new", None)]

    def kept(self) -> Any:
        """Returns the input without the documents that were seen before, as the type it was given."""
        return self._held.back(self._held.selected(self.kept_rows))

    def _summary(self) -> str:
        return f"{len(self.kept_rows):,} of {len(self):,} documents are new"


@documented("run", progress=False)
class Library:
    """Documents that were kept before, in a folder: says whether others are copies or near-copies of them.

    The folder may be that of `refrain dedup --library` or `refrain serve --library`; the first add() creates it if it
    does not exist. Ids are strings there. The first add() also locks the library, until close() or the end of a `with`
    block: only one process at a time can add. Thread-safe. `trust_signatures` also takes for a near-copy what matches
    a document whose text is gone [False].
    """

    def __init__(self, folder: str | os.PathLike[str], **options: Unpack[LibraryOptions]):
        self.folder: str = os.fspath(folder)
        self._options = options
        self._open = None
        self._adds = False
        self._lock = threading.RLock()

    def seen(self, data: Any, *, add: bool = False, text: str = "text", id: Any = None) -> Answers:
        """Tells for each document whether it was seen before, and adds it with `add` if not.

        `data` is one text, a list of texts, or a table as in dedup(). `id` names the column of the ids or, for a list,
        is a list of them; texts without ids are added under their digests. A document may match one that was added
        before it in the same call.
        """
        if isinstance(data, str):
            data = [data]
        elif paths_of(data) is not None:
            raise TypeError("expected texts or a table; files are compared by dedup(..., library=FOLDER)")
        if id is None and add:
            if not isinstance(data, (list, tuple)):
                raise errors.about("id", "name the column of the ids, by which a library knows its documents")
            id = _digests(data)
        held = Held(data)
        documents = documents_of(held.rows, text, id)
        opened = self._opened(add)
        found = opened.seen(documents, add)
        for line in opened.events():
            import logging

            logging.getLogger("pyrefrain").info("%s", line)
        return Answers(found, held)

    def add(self, data: Any, *, text: str = "text", id: Any = None) -> Answers:
        """Adds the documents that were not seen before. The same as seen(..., add=True)."""
        return self.seen(data, add=True, text=text, id=id)

    def is_duplicate(self, text: str) -> bool:
        """Whether the text was seen before. Adds nothing."""
        return self.seen([text])[0]["status"] != "new"

    def remove(self, ids: Iterable[Any] = (), *, sources: Iterable[str] = ()) -> dict[str, Any]:
        """Removes documents by their ids or sources, and returns the report."""
        if isinstance(ids, str) or isinstance(sources, str):
            raise TypeError("ids, sources: expected several, not a str")
        ids, sources = [str(each) for each in ids], list(sources)
        return parsed_json(self._closed(_core.library_remove, ids, sources))

    def merge(self) -> dict[str, Any]:
        """Merges all segments into one, which leaves out the removed documents, and returns the report."""
        return parsed_json(self._closed(_core.library_merge))

    def check(self, repair: bool = False) -> dict[str, Any]:
        """Verifies every checksum, and returns the report. `repair` drops damaged texts of added documents."""
        return parsed_json(self._closed(_core.library_check, repair))

    def stats(self) -> dict[str, Any]:
        """The size and the rules of the library, as `refrain library stats --json` prints them."""
        return parsed_json(_core.library_stats(self.folder))

    def export(self) -> list[dict[str, Any]]:
        """Returns a dict for every document, as `refrain library export` prints them."""
        return [parsed_json(line) for line in self._closed(_core.library_documents).splitlines()]

    def close(self) -> None:
        """Ends the lock. Added documents are on disk before that; now they become a part of the library's tables."""
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        if not os.path.exists(self.folder):
            return 0
        stats = self.stats()
        return stats["documents"] + stats["waiting_documents"]

    def __getstate__(self) -> tuple[str, Any]:
        return self.folder, self._options

    def __setstate__(self, state: tuple[str, Any]) -> None:
        self.__init__(state[0], **state[1])

    def __repr__(self) -> str:
        return f"<Library in {self.folder}>"

    def _opened(self, add):
        with self._lock:
            if self._open is None or (add and not self._adds):
                self.close()
                self._open = _core.OpenLibrary(self.folder, add, {**self._options})
                self._adds = add
            return self._open

    def _closed(self, function, *arguments):
        """Calls a function for the library while no document is being added."""
        with self._lock:
            if self._adds:
                self.close()
            return function(self.folder, *arguments)


def dedup_stream(documents: Iterable[Any], library: Library | str | os.PathLike[str] | None = None, *,
                 text: str = "text", id: str | None = "id", **options: Unpack[LibraryOptions]) -> Iterator[Any]:
    """Yields the documents of a stream that are not duplicates of earlier ones, as they come.

    `documents` are texts, or dicts with the columns `text` and `id`; texts, and dicts if `id` is None, have their
    digests as ids. They are looked up in `library`, and added to it: a library or its folder, or None for a temporary
    one that lasts as long as the stream. A document without a text is yielded. The first of several duplicates is
    kept; dedup() knows all documents, and so the templates of their sources, before it decides.
    """
    with _stream_library(library, options) as kept:
        for batch in batches(documents, _BATCH):
            texts = [one[text] if isinstance(one, dict) else one for one in batch]
            ids = None
            if id is not None and isinstance(batch[0], dict):
                ids = [one[id] for one in batch]
            answers = kept.add(texts, id=ids)
            yield from (batch[row] for row in answers.kept_rows)


class _stream_library:
    """A context with the library of a stream, which is closed at its end unless it was passed open."""

    def __init__(self, library, options):
        self._folder = None
        if library is None:
            import tempfile

            self._folder = tempfile.TemporaryDirectory(prefix="pyrefrain-")
            library = os.path.join(self._folder.name, "library")
        self._own = not isinstance(library, Library)
        self._library = Library(library, **options) if self._own else library

    def __enter__(self):
        return self._library

    def __exit__(self, *_):
        if self._own:
            self._library.close()
        if self._folder is not None:
            self._folder.cleanup()


def batches(items, size):
    """Yields lists of `size` items, the last of which may be shorter."""
    rest = iter(items)
    while batch := list(itertools.islice(rest, size)):
        yield batch


def _digests(texts):
    """Returns the digests of texts, for use as ids; "" for missing texts."""
    return ["" if digest is None else digest.hex() for digest in _core.digests(texts)]
