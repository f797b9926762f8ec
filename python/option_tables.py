"""Writes pyrefrain/_option_tables.py: the keywords of the verbs, made from the library's tables of options.

    option_tables.py FOLDER FILE     FOLDER holds the extension _core, and _keywords
"""

import sys

HEADER = """\"\"\"The keywords that come from the library's tables of options. Made by python/option_tables.py.\"\"\"

import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

"""
TABLES = ("run", "input", "device", "fingerprint", "near", "dedup", "substrings", "ngrams", "layout", "add", "query",
          "passages")


def main():
    folder, file = sys.argv[1:]
    sys.path.insert(0, folder)
    import _core
    import _keywords

    def class_of(name):
        rows = _keywords.keywords_of(_core.option_table(name))
        return (f"class {name.capitalize()}Table(TypedDict, total=False):\n"
                + "".join(f"    {row['keyword']}: {_keywords.type_of(row)}\n    {_keywords.about(row)!r}\n"
                          for row in rows))

    with open(file, "w", encoding="utf-8") as out:
        out.write(HEADER + "\n" + "\n\n".join(map(class_of, TABLES)))


if __name__ == "__main__":
    main()
