"""What the verbs over files wrote, read back into memory."""

import contextlib
import os


@contextlib.contextmanager
def output_folder(options):
    """The folder that a verb writes to: the one that was named, or one that goes away."""
    if options.get("output") is not None:
        options["output"] = os.fspath(options["output"])
        yield options["output"]
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="pyrefrain-", dir=options.get("temp_dir")) as folder:
        options["output"] = os.path.join(folder, "run")
        yield options["output"]


def json_lines(path):
    import json

    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def tsv_rows(text, **types):
    """The rows of a TSV file as dicts; an empty value is None. `types`: columns that are no text."""
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    names = lines[0].split("\t")
    readers = [types.get(name, str) for name in names]
    return [{name: read(value) if value else None for name, read, value in zip(names, readers, line.split("\t"))}
            for line in lines[1:]]


def tsv_file(path, **types):
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return tsv_rows(file.read(), **types)


class Rows:
    """Rows that were read from a file, in place of a column of the engine."""

    def __init__(self, rows, names):
        self._rows = rows
        self.names = names

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, row):
        return self._rows[row]

    def column(self, name):
        return [row[name] for row in self._rows]

    def __arrow_c_stream__(self, requested_schema=None):
        import pyarrow

        return pyarrow.table({name: self.column(name) for name in self.names}).__arrow_c_stream__(requested_schema)
