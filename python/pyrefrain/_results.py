"""The result types of the verbs."""

import functools
import json

from ._inputs import is_dataset, rows_of
from ._table import Table, escaped


_FROM_FILES = ("the documents were read from files; {}(..., output=FOLDER, apply=True) writes them to FOLDER/clean, "
               "without the duplicates")


class Result(Table):
    """A table, with the report of the verb."""

    def __init__(self, column, report):
        super().__init__(column)
        self._report = report

    @functools.cached_property
    def report(self):
        """The contents of summary.json, as a dict."""
        return json.loads(self._report)


class Fingerprints(Result):
    """One row per document: id, simhash (None if the document is too short)."""


class Matches(Result):
    """One row per pair of near-duplicates: id1, id2, diff (bits) and, with verify, similarity."""

    def __init__(self, column, documents, report):
        super().__init__(column, report)
        #: One row per document: id, simhash, cluster (its first document; -1 if the document is in no cluster).
        self.documents = Table(documents)

    def _summary(self):
        return f"{len(self):,} matches among {len(self.documents):,} documents"


class Ranges(Result):
    """One row per repeated range: id, x, y (bytes of the text)."""

    def __init__(self, column, cuts, report, data, documents):
        super().__init__(column, report)
        #: The ranges to remove, according to `keep`: a table of document (its row number), begin, end.
        self.cuts = Table(cuts)
        self._data = data
        self._documents = documents

    def clean(self):
        """Returns the texts without the repeated ranges: a list of str for a list, else a Column."""
        if self._documents is None:
            raise TypeError(_FROM_FILES.format("substrings"))
        texts = self._documents.texts_at(range(len(self._documents)), self.cuts)
        return list(texts) if isinstance(self._data, (list, tuple)) else texts


class Ngrams(Result):
    """One row per n-gram: ngram, count, documents, places (dicts of id and token)."""


class Decisions(Result):
    """One row per document: id, keep, reason, match, similarity, lost, longest_lost, as_written, spans, cluster."""

    def __init__(self, column, cuts, report, data, documents, text):
        super().__init__(column, report)
        self._cuts = Table(cuts)
        self._data = data
        self._documents = documents
        self._text = text

    @functools.cached_property
    def kept_rows(self):
        """The row numbers of the documents that are kept, ascending."""
        keep = self._column.column("keep")
        return [row for row in range(len(keep)) if keep[row]]

    def kept(self):
        """Returns the input without its duplicates, as the type it was given: a list, a table, a frame or a dataset."""
        self._check_in_memory()
        rows = rows_of(self._data, self.kept_rows)
        if rows is None:
            raise TypeError(f"no rows can be selected from {type(self._data).__name__}; use kept_rows")
        return self._with_cuts(rows) if len(self._cuts) else rows

    def cut_texts(self):
        """Returns the texts that are kept, without the ranges that `substrings` removes, as a Column."""
        self._check_in_memory()
        return self._documents.texts_at(self.kept_rows, self._cuts)

    def annotated(self):
        """Returns the input with the columns keep, reason, match, similarity and cluster added."""
        self._check_in_memory()
        columns = self.to_arrow().select(["keep", "reason", "match", "similarity", "cluster"])
        kind = type(self._data).__module__.partition(".")[0]
        if kind == "datasets":
            import datasets

            return datasets.concatenate_datasets([self._data, datasets.Dataset(columns)], axis=1)
        if kind == "pandas":
            frame = columns.to_pandas().set_index(self._data.index)
            return self._data.assign(**{name: frame[name] for name in frame.columns})
        if kind == "polars":
            import polars

            return self._data.with_columns(polars.from_arrow(columns))
        if kind == "pyarrow":
            table = self._data
            for name in columns.column_names:
                table = table.append_column(name, columns[name])
            return table
        raise TypeError(f"there are no columns in {type(self._data).__name__}; use the decisions themselves")

    def _check_in_memory(self):
        if self._documents is None:
            raise TypeError(_FROM_FILES.format("dedup"))

    def _with_cuts(self, rows):
        texts = self.cut_texts()
        if isinstance(rows, (list, tuple)):
            return type(rows)(texts)
        kind = type(rows).__module__.partition(".")[0]
        if is_dataset(rows):
            import pyarrow

            column = pyarrow.array(texts).cast(rows.features.arrow_schema.field(self._text).type)
            names, features = rows.column_names, rows.features
            return rows.remove_columns(self._text).add_column(self._text, column).select_columns(names).cast(features)
        if kind == "pandas":
            return (rows.assign(**{self._text: list(texts)}) if hasattr(rows, "assign")
                    else type(rows)(list(texts), rows.index))
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

    def _summary(self):
        return f"{len(self.kept_rows):,} of {len(self):,} documents kept"

    def _repr_html_(self):
        share = 100 * len(self.kept_rows) / max(len(self), 1)
        bar = (f'<div style="width:20em;background:#d66;height:.6em"><div style="width:{share:.1f}%;background:#4a4;'
               f'height:.6em"></div></div>')
        return f"<div>{bar}{super()._repr_html_()}</div>"


class Explanation:
    """Why two texts match or do not match."""

    def __init__(self, report):
        #: The whole report, as `refrain explain --json` prints it.
        self.report = json.loads(report)

    @property
    def similarity(self):
        """The Jaccard similarity of the two sets of windows: the share of all windows that both texts have."""
        return self.report["similarity"]

    @property
    def difference(self):
        """The number of bits in which the fingerprints differ; None if one of the texts is too short."""
        return self.report["difference"]

    @property
    def match(self):
        """Whether the fingerprints differ in at most the allowed number of bits."""
        return self.report["match"]

    def __repr__(self):
        return f"<Explanation: similarity {self.similarity:.3f}, {self.difference} bits differ>"

    def _repr_html_(self):
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
