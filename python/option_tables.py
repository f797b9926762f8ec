"""Writes the keywords of the verbs, made from the library's tables of options: their types into
pyrefrain/_option_tables.py, and what help() says about them into pyrefrain/_option_help.py.

    option_tables.py FOLDER     FOLDER is the package; it holds the extension _core
"""

import os
import re
import sys
import textwrap

TABLES_HEADER = """\"\"\"The keywords that come from the library's tables of options. Made by python/option_tables.py.\"\"\"

import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

"""
HELP_HEADER = """\"\"\"What help() says about the options of each table. Made by python/option_tables.py.\"\"\"

"""
PLAIN = {"toggle": "bool", "text": "str", "words": 'list[str] | Literal["english"]', "number": "int", "share": "float",
         "percent": "float", "size": "int | str"}
PATH = "str | os.PathLike[str]"
# Parameters of their own. And what is read in place of files may be a table.
ELSEWHERE = {"text", "id", "annotate"}
ANYTHING = {"against"}
TABLES = ("run", "input", "device", "fingerprint", "near", "explain", "dedup", "substrings", "ngrams", "layout", "add",
          "query", "passages")
WIDTH = 100  # of help


def type_of(row):
    if row["keyword"] in ANYTHING:
        return "Any"
    if row["choices"] and row["kind"] == "choice":
        words = ", ".join(f'"{choice}"' for choice in row["choices"])
        return ("bool | " if row["choices"][1:] == ["off"] else "") + f"Literal[{words}]"
    kind = PLAIN.get(row["kind"], PATH)
    if row["words"]:
        kind += " | Literal[" + ", ".join(f'"{word}"' for word in row["words"]) + "]"
    if row["repeated"]:
        return f"{kind} | Sequence[{kind}]" if kind == PATH else f"list[{kind}]"
    return kind


def default_of(row):
    """Returns the default as Python writes it."""
    default = row["default"]
    if row["kind"] == "toggle":
        return str(default == "on")
    if row["kind"] == "percent":
        return f"{float(default.rstrip('%')) / 100:g}"
    return "none" if default == "required" else default  # an output folder is not, here


def about(row):
    """Returns what an option does, and its default."""
    unit = f"; {row['unit'].lower()}" if row["kind"] == "number" and row["unit"] != "N" else ""
    return f"{row['help']} [{default_of(row)}{unit}]"


def class_of(name, rows):
    return (f"class {name.capitalize()}Table(TypedDict, total=False):\n"
            + "".join(f"    {row['keyword']}: {type_of(row)}\n    {about(row)!r}\n" for row in rows))


def help_of(rows):
    lines = []
    for row in rows:
        kind = re.sub(r"Literal\[(.*)\]", lambda found: found[1].replace(", ", " | "), type_of(row))
        lines += textwrap.wrap(f"{row['keyword']}: {kind.replace('os.PathLike[str]', 'Path')}", WIDTH,
                               subsequent_indent="        ")
        lines += textwrap.wrap(about(row), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def main():
    folder, = sys.argv[1:]
    sys.path.insert(0, folder)
    import _core

    tables = {name: [row for row in _core.option_table(name) if row["python"] and row["keyword"] not in ELSEWHERE]
              for name in TABLES}
    with open(os.path.join(folder, "_option_tables.py"), "w", encoding="utf-8") as out:
        out.write(TABLES_HEADER + "\n" + "\n\n".join(class_of(name, rows) for name, rows in tables.items()))
    with open(os.path.join(folder, "_option_help.py"), "w", encoding="utf-8") as out:
        out.write(HELP_HEADER + f"HELP = {({name: help_of(rows) for name, rows in tables.items()})!r}\n")


if __name__ == "__main__":
    main()
