"""One function per verb. Options have the names of the command-line flags, with underscores."""

from __future__ import annotations

import os

from . import _core, _files, errors
from ._columns import table_of
from ._help import documented
from ._inputs import Held, check_nulls, documents_of, explicit_field, input_of, is_dataset, paths_of
from ._progress import reporter
from ._results import Decisions, Fingerprints, Matches, Ngrams, Ranges, check_added

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal, Protocol, TypeVar, Unpack, overload

    from .options import DedupOptions, FingerprintOptions, NearOptions, NgramsOptions, SubstringsOptions

    class _Dataset(Protocol):
        """A Hugging Face Dataset, which may not be installed."""

        def select_columns(self, column_names: Any) -> Any: ...
        def cast_column(self, column: str, feature: Any) -> Any: ...

    Data = TypeVar("Data")
    Dataset = TypeVar("Dataset", bound=_Dataset)
    _Path = str | os.PathLike[str]
else:
    overload = lambda function: function

# The columns of results that are read from files.
_DECISION = {"id": "U", "keep": "b", "reason": "U", "match": "U", "similarity": "g", "lost": "l", "longest_lost": "l",
             "as_written": "g", "differs_in": "U", "spans": {"begin": "l", "end": "l"}, "cluster": "l"}
_CUT = {"document": "l", "begin": "l", "end": "l"}


@documented("fingerprint", "input", "run")
def fingerprint(data: Any = None, *, paths: Any = None, texts: Any = None, text: str = "text", id: str | None = None,
                **options: Unpack[FingerprintOptions]) -> Fingerprints:
    """Computes the 64-bit SimHash of every document.

    `data` is a list of str, any object that exports Arrow (a pyarrow, polars, pandas or DuckDB table, a dataset), or
    paths: a str, a Path, or a list of Paths. `paths` and `texts` say which of the two a list of str is; a list whose
    strings all name files is refused otherwise. `text` and `id` name columns. Documents without ids are identified by
    row number.
    """
    _prepare(options)
    paths, data = input_of(data, paths, texts)
    if paths is not None:
        rows = _files.tsv_rows(_core.fingerprint_files(paths, {"text": explicit_field(text), "id": id, **options}),
                               simhash=int)
        return Fingerprints(table_of(rows, {"id": "U", "simhash": "L"}), "{}")
    return Fingerprints(*_core.fingerprint_memory(documents_of(data, text, id), {**options}))


@documented("near", "input", "device", "run")
def near(data: Any = None, *, paths: Any = None, texts: Any = None, text: str = "text", id: str | None = None,
         **options: Unpack[NearOptions]) -> Matches:
    """Finds pairs of near-duplicate documents by SimHash, and the clusters they form.

    `data`, `text` and `id` are as in fingerprint(). To remove the duplicates, use dedup().
    """
    _prepare(options)
    paths, data = input_of(data, paths, texts)
    if paths is not None:
        with _files.output_folder(options) as folder:
            report = _core.near_files(paths, {"text": explicit_field(text), "id": id, **options})
            matches = _files.tsv_file(os.path.join(folder, "matches.tsv"), diff=int, similarity=float)
            clusters = _files.tsv_file(os.path.join(folder, "clusters.tsv"), simhash=int, cluster=int)
        types = {"id1": "U", "id2": "U", "diff": "I"} | ({"similarity": "g"} if options.get("verify") else {})
        clusters = table_of(clusters, {"id": "U", "simhash": "L", "cluster": "l"})
        return Matches(table_of(matches, types), clusters, report)
    held = Held(data)
    documents = documents_of(held.rows, text, id)
    return Matches(*_core.near_memory(documents, {**options}), held, text, documents)


@overload
def dedup(data: _Path | Sequence[os.PathLike[str]], *, text: str = "text", id: str | None = None,
          nulls: Literal["keep", "drop", "error"] = "keep", annotate: bool = False, prefix: str = "",
          **options: Unpack[DedupOptions]) -> Decisions[Any]: ...
@overload
def dedup(*, paths: _Path | Iterable[_Path], text: str = "text", id: str | None = None,
          nulls: Literal["keep", "drop", "error"] = "keep", annotate: bool = False, prefix: str = "",
          **options: Unpack[DedupOptions]) -> Decisions[Any]: ...
@overload
def dedup(data: Dataset, *, text: str = "text", id: str | Sequence[Any] | None = None,
          nulls: Literal["keep", "drop", "error"] = "keep", annotate: bool = False, prefix: str = "",
          **options: Unpack[DedupOptions]) -> Dataset: ...
@overload
def dedup(data: Data, *, text: str = "text", id: str | Sequence[Any] | None = None,
          nulls: Literal["keep", "drop", "error"] = "keep", annotate: Literal[False] = False, prefix: str = "",
          **options: Unpack[DedupOptions]) -> Decisions[Data]: ...
@overload
def dedup(data: Data, *, text: str = "text", id: str | Sequence[Any] | None = None,
          nulls: Literal["keep", "drop", "error"] = "keep", annotate: Literal[True], prefix: str = "",
          **options: Unpack[DedupOptions]) -> Data: ...
@overload
def dedup(*, texts: Data, text: str = "text", id: Sequence[Any] | None = None,
          nulls: Literal["keep", "drop", "error"] = "keep", **options: Unpack[DedupOptions]) -> Decisions[Data]: ...
@documented("dedup", "input", "device", "run")
def dedup(data: Any = None, *, paths: Any = None, texts: Any = None, text: str = "text", id: Any = None,
          nulls: str = "keep", annotate: bool = False, prefix: str = "", **options: Any) -> Any:
    """Decides which documents to keep.

        kept = pyrefrain.dedup(frame, text="body", keep="longest").kept()

    The result is a table of Decisions, a row per document. Its kept() returns the input without its duplicates, as the
    type it was given, and frame[result.keep] selects the same rows. For a Hugging Face dataset, the result is the
    dataset without its duplicates.

    data      a list of str; anything that exports Arrow (tables and columns of pyarrow, polars, pandas, DuckDB); a
              Hugging Face dataset; or paths: a str, a Path, or a list of Paths
    paths     files or folders, as str or Path, in place of `data`
    texts     a list of str in place of `data`, also if all of them name files
    text      the column of the texts ["text"]
    id        the column of the ids or, for a list, a list of ids; none: row numbers [None]
    nulls     what to do with rows whose text is null: "keep", "drop" or "error" ["keep"]
    annotate  return the whole input with the added columns keep, reason, match, similarity and cluster [False]
    prefix    comes before the names of these columns, of which the input may have none [""]

    For paths, `output` is the folder of the run, and `apply` also writes the clean corpus there. `against` may also be
    texts or a table. Ids that repeat are a warning, errors.DuplicateIds.
    """
    _prepare(options)
    check_nulls(nulls)
    paths, data = input_of(data, paths, texts)
    _read_against(options, text)
    if nulls == "error":
        options["strict"] = True
    if prefix and not annotate:
        raise errors.about("prefix", "has no effect without annotate; remove it")
    if paths is not None:
        if nulls == "drop":
            raise errors.about("nulls", "'drop' is for data in memory; records of files without a text are kept",
                               errors.Unsupported)
        if prefix:
            raise errors.about("prefix", "is for data in memory; fields that are added to files begin with dup_",
                               errors.Unsupported)
        with _files.output_folder(options) as folder:
            report = _core.dedup_files(paths,
                                       {"text": explicit_field(text), "id": id, "annotate": annotate, **options})
            rows = _files.json_lines(os.path.join(folder, "decisions.jsonl"))
            page = _files.page(os.path.join(folder, "report.html"))
        rows = [_decision(row) for row in rows]
        return Decisions(table_of(rows, _DECISION), table_of([], _CUT), report, page=page)
    held = Held(data)
    if annotate:
        check_added(held, prefix)
    documents = documents_of(held.rows, text, id, _fields(options))
    decisions = Decisions(*_core.dedup_memory(documents, {**options}, keep_missing=nulls == "keep"), held, text,
                          documents)
    if annotate:
        return decisions.annotated(prefix)
    return decisions.kept() if is_dataset(data) else decisions


@documented("substrings", "input", "run")
def substrings(data: Any = None, *, paths: Any = None, texts: Any = None, text: str = "text", id: str | None = None,
               **options: Unpack[SubstringsOptions]) -> Ranges:
    """Finds every byte range covered by windows of `length` bytes that occur at least `min_count` times.

    `data`, `text` and `id` are as in fingerprint(). The result's clean() returns the texts without these ranges.
    """
    _prepare(options)
    paths, data = input_of(data, paths, texts)
    if paths is not None:
        with _files.output_folder(options) as folder:
            report = _core.substrings_files(paths, {"text": explicit_field(text), "id": id, **options})
            rows = _files.tsv_file(os.path.join(folder, "substring_bytes.tsv"), x=int, y=int)
        return Ranges(table_of(rows, {"id": "U", "x": "l", "y": "l"}), table_of([], _CUT), report)
    held = Held(data)
    documents = documents_of(held.rows, text, id)
    return Ranges(*_core.substrings_memory(documents, {**options}), held, text, documents)


@documented("ngrams", "input", "run")
def ngrams(data: Any = None, *, paths: Any = None, texts: Any = None, text: str = "text", id: str | None = None,
           **options: Unpack[NgramsOptions]) -> Ngrams:
    """Finds every run of `n` tokens that occurs at least `m` times, with its places.

    `data`, `text` and `id` are as in fingerprint(). For paths, `output` is the folder of the index.
    """
    _prepare(options)
    paths, data = input_of(data, paths, texts)
    if paths is not None:
        with _files.output_folder(options) as folder:
            report = _core.ngrams_files(paths, {"text": explicit_field(text), "id": id, **options})
            rows = _files.tsv_rows(_core.ngrams_rows(folder), count=int, documents=int, places=_places)
        return Ngrams(table_of(rows, {"ngram": "U", "count": "l", "documents": "l",
                                      "places": {"id": "U", "token": "l"}}), report)
    return Ngrams(*_core.ngrams_memory(documents_of(data, text, id), {**options}))


def check_dedup_options(options):
    """Raises an error for unknown options, for values that no option has, and for options without an effect."""
    given = {name: value for name, value in options.items() if name not in ("nulls", "progress")}
    _read_against(given, "text")
    _core.dedup_settings(given)


def _read_against(options, text):
    against = options.get("against")
    if against is not None:
        paths = paths_of(against)
        options["against"] = paths if paths is not None else documents_of(
            against, options.pop("against_text", None) or text, options.pop("against_id", None),
            options=("against_text", "against_id"))


def _prepare(options):
    if "progress" in options:
        options["progress"] = reporter(options["progress"])


def _fields(options):
    """The columns that are needed besides text and id, each with the option that names it."""
    policy = options.get("keep") or ""
    field = policy.partition(":")[2] if policy.startswith(("newest:", "max:", "min:")) else ""
    named = {field: "keep", options.get("source_field"): "source_field"}
    return {name: option for name, option in named.items() if name}


def _decision(row):
    row["spans"] = [{"begin": begin, "end": end} for begin, end in row["spans"]]
    return {name: row.get(name) for name in _DECISION}


def _places(text):
    parts = [place.rpartition(":") for place in text.split(",")]
    return [{"id": _files.unescaped(id), "token": int(token)} for id, _, token in parts]
