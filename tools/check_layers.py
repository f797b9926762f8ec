#!/usr/bin/env python3
"""Checks the floors: a folder of src includes only what stands below it, and the public headers only the standard library.

    check_layers.py [REPOSITORY]
"""
import pathlib
import re
import sys

# Folder of src -> folders, or single headers, that it may include, besides itself and include/refrain.
MAY_INCLUDE = {
    "base": set(),
    "text": {"base"},
    "store": {"base"},
    "corpus": {"base"},
    "parquet": {"base", "corpus/parquet_module.h"},  # a module, which the corpus loads
    "sketch": {"base", "text", "store"},
    "match": {"base", "text", "store"},
    "cluster": {"base", "text", "store"},
    "substring": {"base", "text", "store"},
    "ngram": {"base", "text", "store"},
    "blot": {"base", "text", "store"},
    "pipeline": {"base", "text", "store", "corpus", "sketch", "match", "cluster", "substring", "ngram", "blot"},
    "cli": set(),
    "server": set(),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MAX_LINES = 500


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := INCLUDE.match(line):
            yield number, found.group(1) == '"', found.group(2)


def problems(root):
    for path in sorted((root / "include" / "refrain").glob("*.h")):
        for number, quoted, name in includes(path):
            if quoted and not name.startswith("refrain/"):
                yield f"{path}:{number}: a public header includes {name}"
            if not quoted and ("/" in name or "." in name):
                yield f"{path}:{number}: a public header includes <{name}>, which is not the standard library"
    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        allowed = MAY_INCLUDE.get(folder.name)
        if allowed is None:
            yield f"{folder}: no floor is known for this folder; add it to tools/check_layers.py"
            continue
        for path in sorted(folder.iterdir()):
            if path.suffix not in (".h", ".cc"):
                continue
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MAX_LINES:
                yield f"{path}: {lines} lines; split it at {MAX_LINES}"
            for number, quoted, name in includes(path):
                floor = name.split("/")[0]
                if path.name.endswith("_test.cc") and (root / "tests" / name).is_file():
                    continue
                if quoted and floor not in allowed | {folder.name, "refrain"} and name not in allowed:
                    yield f"{path}:{number}: {folder.name} may not include {name}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(problems(root))
    print("\n".join(found) if found else "the floors hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
