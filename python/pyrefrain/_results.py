"""The result types of the verbs."""

from __future__ import annotations

import functools
import itertools

from . import _core, errors
from ._files import parsed_json
from ._inputs import documents_of, is_dataset
from ._table import Table, escaped, html_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generic, TypeVar

    from ._core import Column, Mask

    Data = TypeVar("Data")
    _Figures = dict[str, Any]
else:
    _Figures = dict

    class Generic:
        __class_getitem__ = classmethod(lambda cls, _: cls)

    Data = None

_FROM_FILES = ("the documents were read from files; {}(..., output=FOLDER, apply=True) writes them to FOLDER/clean, "
               "without the duplicates")
_SHOWN = 10
_ADDED = ("keep", "reason", "match", "similarity", "cluster")
_SEARCHED = 100_000  # rows in which a notebook looks for the text of an id


class Report(_Figures):
    """The contents of summary.json. In a notebook it opens the page of the report, if the run wrote one."""

    page: str | None = None  # report.html

    def _repr_html_(self) -> str:
        if self.page is not None:
            return (f'<iframe srcdoc="{escaped(self.page)}" sandbox="allow-scripts allow-popups" '
                    'style="width:100%;height:40em;border:1px solid #ccc"></iframe>')
        shown = [{"figure": name, "value": value} for name, value in self.items()
                 if isinstance(value, (int, float, str)) and value not in ("", 0)]
        return html_table(shown, ["figure", "value"])


class Result(Table):
    """A table, with the report of the verb."""

    def __init__(self, column: Any, report: str, held: Any = None, text: str = "text", documents: Any = None):
        super().__init__(column)
        self._report = report
        self._held = held  # None if the documents are in files
        self._text = text
        self._read = documents

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_read": None}  # it is made again of what is held

    @functools.cached_property
    def report(self) -> Report:
        """The contents of summary.json, as a dict."""
        return Report(parsed_json(self._report))

    @property
    def _documents(self):
        if self._read is None and self._held is not None:
            self._read = documents_of(self._held.rows, self._text)
        return self._read

    def _texts_of(self, ids):
        """The texts of the documents with these ids; None for those that are in files, and for shared ids."""
        if self._documents is None:
            return [None] * len(ids)
        places = {}
        for row, id in enumerate(self._ids()[:_SEARCHED]):
            places[id] = None if id in places else row
        return self._texts_at([places.get(id) for id in ids])

    def _texts_at(self, rows):
        found = iter(self._documents.texts_at([row for row in rows if row is not None]) if self._documents else [])
        return [next(found, None) if row is not None else None for row in rows]

    def _ids(self):
        return self["id"]


class Fingerprints(Result):
    """One row per document: id, simhash (None if the document is too short)."""

    if TYPE_CHECKING:
        id: Column
        simhash: Column


class Matches(Result):
    """One row per pair of near-duplicates: id1, id2, diff (bits) and, with verify, similarity."""

    if TYPE_CHECKING:
        id1: Column
        id2: Column
        diff: Column
        similarity: Column

    def __init__(self, column: Any, documents: Any, report: str, held: Any = None, text: str = "text",
                 read: Any = None):
        super().__init__(column, report, held, text, read)
        #: One row per document: id, simhash, cluster (its first document; -1 if the document is in no cluster).
        self.documents: Table = Table(documents)

    def _ids(self):
        return self.documents["id"]

    def _summary(self) -> str:
        return f"{len(self):,} matches among {len(self.documents):,} documents"

    def _repr_html_(self) -> str:
        rows = self[:_SHOWN].to_pylist()
        for side in ("1", "2"):
            for row, text in zip(rows, self._texts_of([row[f"id{side}"] for row in rows])):
                row[f"text{side}"] = text
        shown = self.columns + (["text1", "text2"] if self._held is not None else [])
        return f"<div><p>{escaped(self._summary())}</p>{html_table(rows, shown)}</div>"


class Ranges(Result):
    """One row per repeated range: id, x, y (bytes of the text)."""

    if TYPE_CHECKING:
        id: Column
        x: Column
        y: Column

    def __init__(self, column: Any, cuts: Any, report: str, held: Any = None, text: str = "text",
                 documents: Any = None):
        super().__init__(column, report, held, text, documents)
        #: The ranges to remove, according to `keep`: a table of document (its row number), begin, end.
        self.cuts: Table = Table(cuts)

    def clean(self) -> Any:
        """Returns the texts without the repeated ranges: a list of str for a list, else a Column."""
        if self._documents is None:
            raise TypeError(_FROM_FILES.format("substrings"))
        texts = self._documents.texts_at(range(len(self._documents)), self.cuts)
        return list(texts) if isinstance(self._held.rows, (list, tuple)) else texts


class Ngrams(Result):
    """One row per n-gram: ngram, count, documents, places (dicts of id and token)."""

    if TYPE_CHECKING:
        ngram: Column
        documents: Column
        places: Column


class Decisions(Result, Generic[Data]):
    """One row per document: id, keep, reason, match, similarity, lost, longest_lost, as_written, differs_in, spans,
    cluster.

    `keep` selects the rows that are kept: frame[decisions.keep], frame.filter(decisions.keep), array[decisions.keep].
    """

    if TYPE_CHECKING:
        id: Column
        keep: Mask
        reason: Column
        match: Column
        similarity: Column
        lost: Column
        longest_lost: Column
        as_written: Column
        differs_in: Column
        spans: Column
        cluster: Column

    def __init__(self, column: Any, cuts: Any, report: str, held: Any = None, text: str = "text",
                 documents: Any = None, page: str | None = None):
        super().__init__(column, report, held, text, documents)
        self._cuts = Table(cuts)
        self._page = page

    @functools.cached_property
    def report(self) -> Report:
        """The contents of summary.json, as a dict. If files were read, a notebook shows report.html."""
        report = Report(parsed_json(self._report))
        report.page = self._page
        return report

    @functools.cached_property
    def kept_rows(self) -> list[int]:
        """The row numbers of the documents that are kept, ascending."""
        return [row for row, keep in enumerate(self.keep) if keep]

    def kept(self) -> Data:
        """Returns the input without its duplicates, as the type it was given: a list, a table, a frame, a dataset, a
        relation or a reader."""
        held = self._held_input()
        rows = held.selected(self.kept_rows)
        return held.back(self._with_cuts(rows) if len(self._cuts) else rows)

    def cut_texts(self) -> Column:
        """Returns the texts that are kept, without the ranges that `substrings` removes, as a Column."""
        self._held_input()
        return self._documents.texts_at(self.kept_rows, self._cuts)

    def annotated(self, prefix: str = "") -> Data:
        """Returns the input with the columns keep, reason, match, similarity and cluster added.

        `prefix` is put before these names. A name that the input has already is an error.
        """
        held = self._held_input()
        check_added(held, prefix)
        columns = self.to_arrow().select(_ADDED).rename_columns([prefix + name for name in _ADDED])
        kind = type(held.rows).__module__.partition(".")[0]
        if kind == "datasets":
            import datasets

            return datasets.concatenate_datasets([held.rows, datasets.Dataset(columns)], axis=1)
        if kind == "pandas":
            frame = columns.to_pandas().set_index(held.rows.index)
            return held.rows.assign(**{name: frame[name] for name in frame.columns})
        if kind == "polars":
            import polars

            return held.back(held.rows.with_columns(polars.from_arrow(columns)))
        table = held.rows
        for name in columns.column_names:
            column = columns[name]
            table = table.append_column(name, column if hasattr(table, "to_reader") else column.combine_chunks())
        return held.back(table)

    def _held_input(self):
        if self._held is None:
            raise TypeError(_FROM_FILES.format("dedup"))
        return self._held

    def _with_cuts(self, rows):
        texts = self.cut_texts()
        if isinstance(rows, (list, tuple)):
            return type(rows)(texts)
        if isinstance(rows, _core.Column):
            return texts
        kind = type(rows).__module__.partition(".")[0]
        if is_dataset(rows):
            import pyarrow

            column = pyarrow.array(texts).cast(rows.features.arrow_schema.field(self._text).type)
            names, features = rows.column_names, rows.features
            return rows.remove_columns(self._text).add_column(self._text, column).select_columns(names).cast(features)
        if kind == "numpy":
            cut = rows.copy()
            cut[:] = list(texts)
            return cut
        if kind == "pandas":
            if hasattr(rows, "assign"):
                return rows.assign(**{self._text: list(texts)})
            return type(rows)(list(texts), rows.index) if hasattr(rows, "iloc") else type(rows)(list(texts))
        if kind == "polars":
            import polars

            series = polars.Series(texts).alias(self._text)
            return rows.with_columns(series) if hasattr(rows, "with_columns") else series
        import pyarrow

        column = pyarrow.array(texts)
        if not hasattr(rows, "set_column"):
            return column
        place = rows.schema.get_field_index(self._text)
        return rows.set_column(place, self._text, column.cast(rows.schema.field(place).type))

    def _summary(self) -> str:
        return f"{len(self.kept_rows):,} of {len(self):,} documents kept"

    def _repr_html_(self) -> str:
        share = 100 * len(self.kept_rows) / max(len(self), 1)
        bar = (f'<div style="width:20em;background:#d66;height:.6em"><div style="width:{share:.1f}%;background:#4a4;'
               f'height:.6em"></div></div>')
        return f"<div>{bar}<p>{escaped(self._summary())}{self._reasons()}</p>{self._removed()}</div>"

    def _reasons(self):
        return "".join(f"; {count:,} {name.replace('_', ' ')}" for name, count in self.report.items()
                       if name.startswith("removed_") and count)

    def _removed(self):
        """The first documents that are removed, beside the ones that they match."""
        removed = list(itertools.islice((row for row, keep in enumerate(self.keep) if not keep), _SHOWN))
        rows = [self[row] for row in removed]
        matches = self._texts_of([row["match"] for row in rows])
        for row, text, match in zip(rows, self._texts_at(removed), matches):
            row.update(text=text, match_text=match)
        names = ["id", "reason", "match", "similarity", "lost"]
        return html_table(rows, names + (["text", "match_text"] if self._held is not None else [])) if rows else ""


def check_added(held: Any, prefix: str) -> None:
    """Raises an error if the input has no columns, or one of those that annotated() adds."""
    if (columns := held.columns) is None:
        raise TypeError(f"there are no columns in {held.given}; use the decisions themselves")
    for name in _ADDED:
        if prefix + name in columns:
            raise errors.about("prefix", f"the input has a column {prefix + name!r} already; choose another prefix for "
                                         f"the columns that are added, such as prefix='dup_{prefix}'")


class Explanation:
    """Why two texts match or do not match."""

    def __init__(self, report: str):
        #: The whole report, as `refrain explain --json` prints it.
        self.report: dict[str, Any] = parsed_json(report)

    @property
    def similarity(self) -> float:
        """The Jaccard similarity of the two sets of windows: the share of all windows that both texts have."""
        return self.report["similarity"]

    @property
    def difference(self) -> int | None:
        """The number of bits in which the fingerprints differ; None if one of the texts is too short."""
        return self.report["difference"]

    @property
    def match(self) -> bool:
        """Whether the fingerprints differ in at most the allowed number of bits."""
        return self.report["match"]

    def __repr__(self) -> str:
        return f"<Explanation: similarity {self.similarity:.3f}, {self.difference} bits differ>"

    def _repr_html_(self) -> str:
        sides = "".join('<td style="vertical-align:top;text-align:left;white-space:pre-wrap">'
                        f'{_marked(self.report[side])}</td>' for side in "ab")
        return f"<div><p>{escaped(repr(self)[1:-1])}</p><table><tr>{sides}</tr></table></div>"


def _marked(document):
    """Returns a text as HTML, with the shared ranges marked."""
    text, out, at = document["text"].encode(), [], 0
    for begin, end in document["shared"]:
        out += [_shown(text[at:begin]), "<mark>", _shown(text[begin:end]), "</mark>"]
        at = end
    return "".join(out + [_shown(text[at:])])


def _shown(part):
    return escaped(part.decode(errors="replace"))
