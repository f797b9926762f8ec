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
    if (found := paths_of(data)) is not None:
        return found, None
    if _all_name_files(data):
        raise errors.InvalidArgument(f"texts or paths? {data[0]!r} and all other strings of the list name files; "
                                     "pass the list as texts= or as paths=")
    return None, data


def _all_name_files(data):
    return (isinstance(data, (list, tuple)) and len(data) > 0
            and all(isinstance(item, str) and "\0" not in item and os.path.exists(item) for item in data))


def documents_of(data, text="text", id=None, fields=()):
    """Wraps `data` in Documents, which the engine reads without copying them."""
    if is_dataset(data):
        data = arrow_of_dataset(data, list(dict.fromkeys([text, *([id] if id else []), *fields])))
    elif (type(data).__module__.startswith("datasets.")
          and type(data).__name__ in ("DatasetDict", "IterableDataset", "IterableDatasetDict")):
        raise TypeError(f"expected one Dataset, not {type(data).__name__}; name a split, or load it without streaming")
    elif not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
              or isinstance(data, (list, tuple))):
        if hasattr(data, "tolist"):  # numpy arrays, and the Series of older pandas versions
            data = data.tolist()
        elif hasattr(data, "__iter__") and not isinstance(data, (bytes, dict)):
            data = list(data)
    if isinstance(data, (list, tuple)) and isinstance(id, (list, tuple)):
        if None in id:
            raise errors.InvalidArgument("id: an id is None; every document needs one")
        return _core.Documents(data, text=text, fields=list(fields), ids=[str(each) for each in id],
                               id_format="l" if all(isinstance(each, int) for each in id) else "")
    return _core.Documents(data, text=text, id=id or "", fields=list(fields))


def explicit_field(text):
    """Returns None for the default field name. Naming a field implies records with fields, which files may not have."""
    return None if text == "text" else text


def check_nulls(nulls):
    """Raises an error unless `nulls` says what to do with rows whose text is null."""
    if nulls not in ("keep", "drop", "error"):
        raise errors.InvalidArgument(f"nulls: there is no {nulls!r}; choose from keep, drop, error")


def rows_of(data, rows):
    """Selects rows of the input, as the same type; None if the type is not supported."""
    if isinstance(data, (list, tuple)):
        return type(data)(data[row] for row in rows)
    kind = type(data).__module__.partition(".")[0]
    if is_dataset(data):
        return data.select(rows)
    if kind == "pandas":
        return data.iloc[rows]
    if kind == "polars":
        return data[rows]
    if kind == "pyarrow" and hasattr(data, "take"):
        return data.take(rows)
    return None
