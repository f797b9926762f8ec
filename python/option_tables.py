"""Writes pyrefrain/_option_tables.py: the keywords of the verbs, made from the library's tables of options.

    option_tables.py FOLDER FILE     FOLDER holds the extension _core
"""

import sys

HEADER = """\"\"\"The keywords that come from the library's tables of options. Made by python/option_tables.py.\"\"\"

import os
from typing import Any, Literal, TypedDict

"""
PLAIN = {"toggle": "bool", "text": "str", "words": 'list[str] | Literal["english"]', "number": "int", "share": "float",
         "percent": "float", "size": "int | str"}
PATH = "str | os.PathLike[str]"
# Parameters of their own. And what is read in place of files may be a table.
ELSEWHERE = {"text", "id", "annotate"}
ANYTHING = {"against"}
TABLES = ("run", "input", "device", "fingerprint", "near", "dedup", "substrings", "ngrams", "layout", "add", "query",
          "passages")


def type_of(row):
    if row["keyword"] in ANYTHING:
        return "Any"
    if row["choices"] and row["kind"] == "choice":
        words = ", ".join(f'"{choice}"' for choice in row["choices"])
        return ("bool | " if row["choices"][1:] == ["off"] else "") + f"Literal[{words}]"
    kind = PLAIN.get(row["kind"], PATH)
    if row["word"]:
        kind += f' | Literal["{row["word"]}"]'
    return f"list[{kind}]" if row["repeated"] else kind


def class_of(name, rows):
    lines = [f"class {name}(TypedDict, total=False):"]
    for row in rows:
        if row["python"] and row["keyword"] not in ELSEWHERE:
            unit = f"; {row['unit'].lower()}" if row["kind"] == "number" else ""
            lines.append(f"    {row['keyword']}: {type_of(row)}  # {row['help']} [{row['default']}{unit}]")
    return "\n".join(lines) + "\n"


def main():
    folder, file = sys.argv[1:]
    sys.path.insert(0, folder)
    import _core

    classes = [class_of(f"{name.capitalize()}Table", _core.option_table(name)) for name in TABLES]
    with open(file, "w", encoding="utf-8") as out:
        out.write(HEADER + "\n" + "\n\n".join(classes))


if __name__ == "__main__":
    main()
