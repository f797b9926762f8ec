"""One function per verb. Options have the names of the command-line flags, with underscores."""

from __future__ import annotations

import os

from . import _core, _files, errors
from ._inputs import check_nulls, documents_of, explicit_field, input_of, is_dataset, paths_of
from ._progress import reporter
from ._results import Decisions, Fingerprints, Matches, Ngrams, Ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, Unpack

    from .options import DedupOptions, FingerprintOptions, NearOptions, NgramsOptions, SubstringsOptions


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
        return Fingerprints(_files.Rows(rows, ["id", "simhash"]), "{}")
    return Fingerprints(*_core.fingerprint_memory(documents_of(data, text, id), {**options}))


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
        names = ["id1", "id2", "diff"] + (["similarity"] if options.get("verify") else [])
        return Matches(_files.Rows(matches, names), _files.Rows(clusters, ["id", "simhash", "cluster"]), report)
    return Matches(*_core.near_memory(documents_of(data, text, id), {**options}))


def dedup(data: Any = None, *, paths: Any = None, texts: Any = None, text: str = "text", id: str | None = None,
          nulls: Literal["keep", "drop", "error"] = "keep", annotate: bool = False,
          **options: Unpack[DedupOptions]) -> Any:
    """Decides which documents to keep.

    For a Hugging Face dataset, the result is the dataset without its duplicates or, with `annotate`, the whole
    dataset with the added columns keep, reason, match, similarity and cluster. For other inputs, the result is a
    Decisions table, whose kept() returns the input without its duplicates. For paths, `output` is the folder of the
    run, and `apply` also writes the clean corpus there. `data`, `text` and `id` are as in fingerprint(); `against`
    may also be texts, a table or paths. Every row has a decision; rows whose text is null are kept, dropped or an
    error, as `nulls` says.
    """
    _prepare(options)
    check_nulls(nulls)
    paths, data = input_of(data, paths, texts)
    _read_against(options, text)
    if nulls == "error":
        options["strict"] = True
    if paths is not None:
        if nulls == "drop":
            raise errors.Unsupported("nulls: 'drop' is for data in memory; records of files without a text are kept")
        with _files.output_folder(options) as folder:
            report = _core.dedup_files(paths,
                                       {"text": explicit_field(text), "id": id, "annotate": annotate, **options})
            rows = _files.json_lines(os.path.join(folder, "decisions.jsonl"))
        names = ["id", "keep", "reason", "match", "similarity", "lost", "longest_lost", "as_written", "spans",
                 "cluster"]
        rows = [_decision(row, names) for row in rows]
        return Decisions(_files.Rows(rows, names), _files.Rows([], ["document", "begin", "end"]), report, data, None,
                         text)
    documents = documents_of(data, text, id, _fields(options))
    found, cuts, report = _core.dedup_memory(documents, {**options}, keep_missing=nulls == "keep")
    decisions = Decisions(found, cuts, report, data, documents, text)
    if is_dataset(data):
        return decisions.annotated() if annotate else decisions.kept()
    if annotate:
        return decisions.annotated()
    return decisions


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
        return Ranges(_files.Rows(rows, ["id", "x", "y"]), _files.Rows([], ["document", "begin", "end"]), report, data,
                      None)
    documents = documents_of(data, text, id)
    found, cuts, report = _core.substrings_memory(documents, {**options})
    return Ranges(found, cuts, report, data, documents)


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
        return Ngrams(_files.Rows(rows, ["ngram", "count", "documents", "places"]), report)
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
            against, options.pop("against_text", None) or text, options.pop("against_id", None))


def _prepare(options):
    if "progress" in options:
        options["progress"] = reporter(options["progress"])


def _fields(options):
    """The columns that are needed besides text and id."""
    policy = options.get("keep") or ""
    field = policy.partition(":")[2] if policy.startswith(("newest:", "max:", "min:")) else ""
    return list(dict.fromkeys(name for name in [field, options.get("source_field")] if name))


def _decision(row, names):
    row["spans"] = [{"begin": begin, "end": end} for begin, end in row["spans"]]
    return {name: row.get(name) for name in names}


def _places(text):
    parts = [place.rpartition(":") for place in text.split(",")]
    return [{"id": _files.unescaped(id), "token": int(token)} for id, _, token in parts]
