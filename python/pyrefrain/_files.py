"""Reads the output files of the verbs back into memory."""

import contextlib
import os

from . import errors

_ESCAPED = {"t": "\t", "n": "\n", "r": "\r"}


@contextlib.contextmanager
def output_folder(options):
    """Yields the folder that a verb writes to: the `output` option, or else a temporary folder that is removed
    afterwards."""
    if options.get("output") is not None:
        options["output"] = os.fspath(options["output"])
        yield options["output"]
        return
    if (options.get("tables") or "tsv") != "tsv":
        raise errors.about("tables", "writes files; name a folder with output")
    import tempfile

    with tempfile.TemporaryDirectory(prefix="pyrefrain-", dir=options.get("temp_dir")) as folder:
        options["output"] = os.path.join(folder, "run")
        yield options["output"]


def parsed_json(text):
    """Returns the value of a JSON text. This module and others import what takes long to import where they need it, so
    that `import pyrefrain` takes no time."""
    import json

    return json.loads(text)


def json_lines(path):
    with open(path, encoding="utf-8") as file:
        return [parsed_json(line) for line in file]


def tsv_rows(text, **types):
    """Parses a TSV file into dicts; an empty value becomes None. `types` maps the columns that are not text to their
    parsers."""
    lines = text.removesuffix("\n").split("\n")
    names = lines[0].split("\t")
    if names[-1].startswith("refrain "):  # an empty column, whose name states the options
        del names[-1]
    readers = [types.get(name, unescaped) for name in names]
    return [{name: read(value) if value else None for name, read, value in zip(names, readers, line.split("\t"))}
            for line in lines[1:]]


def unescaped(value):
    """Returns an id as it was before it was written into a TSV file."""
    if "\\" not in value:
        return value
    import re

    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found.group(1), found.group(1)), value)


def tsv_file(path, **types):
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return tsv_rows(file.read(), **types)


def page(path):
    """Returns the text of a page, or None if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None
