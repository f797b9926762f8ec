"""The inputs that a verb accepts: texts, tables of any library, datasets, or paths."""

import os

from . import _core, errors


def is_dataset(data):
    """Whether `data` is a Hugging Face Dataset; the datasets package is not imported for this."""
    return type(data).__module__.startswith("datasets.") and type(data).__name__ == "Dataset"


def arrow_of_dataset(dataset, columns):
    """Returns the columns as an Arrow table, without a copy unless rows of the dataset were selected."""
    dataset = dataset.select_columns(columns)
    if dataset._indices is None:
        return dataset.data.table
    return dataset.with_format("arrow")[:]


def paths_of(data):
    """Returns the paths if `data` is a str, a Path, or a list of Paths, else None. A list of str is a list of texts."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data and all(isinstance(item, os.PathLike) for item in data):
        return [os.fspath(item) for item in data]
    return None


def input_of(data, paths, texts):
    """Returns (paths, None) or (None, data) for the three ways of naming an input, of which exactly one is used."""
    if sum(given is not None for given in (data, paths, texts)) != 1:
        raise TypeError("expected one input: the first argument, paths or texts")
    if paths is not None:
        return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)], None
    if texts is not None:
        if isinstance(texts, (str, bytes)):
            raise TypeError(f"texts: expected several texts, not one {type(texts).__name__}")
        return None, texts
    if hasattr(data, "__next__") and not _exports_arrow(data):  # such as that of Path.glob()
        items = list(data)
        data = items if paths_of(items) else iter(items)
    if (found := paths_of(data)) is not None:
        return found, None
    if _all_name_files(data):
        raise errors.InvalidArgument(f"texts or paths? {data[0]!r} and all other strings of the list name files; "
                                     "pass the list as texts= or as paths=")
    return None, data


def _all_name_files(data):
    return (isinstance(data, (list, tuple)) and len(data) > 0
            and all(isinstance(item, str) and "\0" not in item and os.path.exists(item) for item in data))


def documents_of(data, text="text", id=None, fields=None, *, options=("text", "id")):
    """Wraps `data` in Documents, which the engine reads without copying them.

    `fields` are the columns that it needs besides, each with the option that names it; `options` are those that name
    the texts and the ids.
    """
    data = Held(data).rows
    if id is not None and not isinstance(id, str):
        id = id.tolist() if hasattr(id, "tolist") else list(id)
        if _exports_arrow(data) or is_dataset(data):
            raise errors.about(options[1], "a list of ids is for a list of texts; name a column")
        if None in id:
            raise errors.about(options[1], "an id is None; every document needs one")
    if is_dataset(data):
        data = arrow_of_dataset(data, _columns_of_dataset(
            data, [(text, options[0]), *([(id, options[1])] if id else []), *(fields or {}).items()]))
    elif not (_exports_arrow(data) or isinstance(data, (list, tuple))):
        if hasattr(data, "tolist"):  # numpy arrays, and the Series of older pandas versions
            data = data.tolist()
        elif hasattr(data, "__iter__") and not isinstance(data, (bytes, dict)):
            data = list(data)
    named = {"text": (text, options[0]), "fields": list((fields or {}).items())}
    if isinstance(id, list):
        return _core.Documents(data, id=("", options[1]), ids=[str(each) for each in id],
                               id_format="l" if all(isinstance(each, int) for each in id) else "", **named)
    return _core.Documents(data, id=(id or "", options[1]), **named)


def _columns_of_dataset(dataset, named):
    """Returns the names, without repetitions, of columns that are named by options."""
    for name, option in named:
        if name not in dataset.column_names:
            raise errors.about(option, f"there is no column {name!r}; the columns are: "
                                       f"{', '.join(dataset.column_names)}")
    return list(dict(named))


def _exports_arrow(data):
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def explicit_field(text):
    """Returns None for the default field name. Naming a field implies records with fields, which files may not have."""
    return None if text == "text" else text


def check_nulls(nulls):
    """Raises an error unless `nulls` says what to do with rows whose text is null."""
    if nulls not in ("keep", "drop", "error"):
        raise errors.about("nulls", f"there is no {nulls!r}; choose from keep, drop, error")


class Held:
    """An input in memory, of which rows can be selected, also if it was given as something that is read only once.

    `rows` is what holds them, `given` the name of the type that they come from. Pickled with the rows.
    """

    def __init__(self, data):
        module, self.given = type(data).__module__.partition(".")[0], type(data).__name__
        if module == "datasets" and self.given in ("DatasetDict", "IterableDataset", "IterableDatasetDict"):
            raise TypeError(f"expected one Dataset, not {self.given}; name a split, load it without streaming, or pass "
                            "the stream to dedup_stream()")
        self.rows = data
        self._relation = None
        if self.given == "DuckDBPyRelation":
            self.rows, self._relation = data.to_arrow_table(), data
        elif self.given == "RecordBatchReader":
            self.rows = data.read_all()
        elif (module, self.given) == ("polars", "LazyFrame"):
            self.rows = data.collect()
        elif not (_exports_arrow(data) or hasattr(data, "__len__")) and hasattr(data, "__iter__"):
            self.rows = list(data)

    def __getstate__(self):
        return {**self.__dict__, "_relation": None}  # a connection cannot be pickled

    @property
    def columns(self):
        """The names of the columns; None if there are none, as in a list."""
        for name in ("column_names", "columns"):
            if isinstance(names := getattr(self.rows, name, None), (list, tuple)) or hasattr(names, "tolist"):
                return list(names)
        return None

    def back(self, rows):
        """Returns the rows as the kind of object that was given."""
        if self.given == "DuckDBPyRelation":
            import duckdb

            if self._relation is None:
                return duckdb.from_arrow(rows)
            _pyrefrain_rows = rows  # a query can name a variable; tables of the same name come first
            try:
                return self._relation.query("_pyrefrain_input", "SELECT * FROM _pyrefrain_rows")
            except duckdb.CatalogException:  # the connection does not look for variables
                return duckdb.from_arrow(rows)
        if self.given == "RecordBatchReader":
            return rows.to_reader()
        return rows.lazy() if self.given == "LazyFrame" else rows

    def selected(self, rows):
        """Selects rows by their numbers; their type is that of `rows`."""
        data = self.rows
        if isinstance(data, (list, tuple)) and self.given in ("list", "tuple"):
            return type(data)(data[row] for row in rows)
        if is_dataset(data):
            return data.select(rows)
        if self._kind == "pandas":
            return data.iloc[rows] if hasattr(data, "iloc") else data.take(rows)
        if self._kind == "numpy" or isinstance(data, _core.Column):
            return data[rows]
        if self._kind == "polars":
            import polars

            return data[polars.Series(rows, dtype=polars.UInt32)]
        if self._kind == "pyarrow" and hasattr(data, "take"):
            import pyarrow

            return data.take(pyarrow.array(rows, pyarrow.int64()))
        if self._kind == "datasets":  # a column of a dataset
            return [data[row] for row in rows]
        how = "a table of pyarrow" if _exports_arrow(data) else "list(data)"
        raise TypeError(f"no rows can be selected from {self.given}; pass {how} instead, or use kept_rows")

    @property
    def _kind(self):
        return type(self.rows).__module__.partition(".")[0]
