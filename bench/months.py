#!/usr/bin/env python3
"""Whether months with a library decide as one run over everything, on your own text.

    bench/months.py FILE.jsonl [--refrain PROGRAM] [--months 2,3,12] [--folder DIR] [-- OPTIONS OF DEDUP...]

FILE has the field "text", as `refrain text FOLDER > FILE.jsonl` writes it. It is cut into months in the order it has,
so shuffle it first if neighbours are alike. Templates are of a source, and each month is a file of its own: with
`-- --templates off` both ways compare the same text. Exit code 1 if a decision differs.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("file")
    parser.add_argument("--refrain", default=os.path.join(here, os.pardir, "build", "release", "refrain"))
    parser.add_argument("--months", default="2,3,12")
    parser.add_argument("--folder")
    own, for_dedup = sys.argv[1:], []
    if "--" in own:
        own, for_dedup = own[:own.index("--")], own[own.index("--") + 1:]
    options = parser.parse_args(own)
    with open(options.file, encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    folder = tempfile.mkdtemp(prefix="refrain-months-", dir=options.folder)

    def decide(first, last, *more):
        """Returns the decisions on these documents, by id."""
        name = os.path.join(folder, f"in-{first}-{last}.jsonl")  # kept, because a library reads old texts from it
        with open(name, "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": str(at), "text": texts[at]}) + "\n" for at in range(first, last))
        out = os.path.join(folder, "out")
        subprocess.run([options.refrain, "dedup", name, "-o", out, "--force", "--id-field", "id", "-q", *more,
                        *for_dedup], check=True)
        with open(os.path.join(out, "decisions.jsonl"), encoding="utf-8") as file:
            rows = map(json.loads, file)
            return {row["id"]: (row["keep"], row["reason"], row["match"], row["similarity"]) for row in rows}

    try:
        wanted = decide(0, len(texts))
        print(f"one run: {len(texts):,} documents, {sum(row[0] for row in wanted.values()):,} kept", flush=True)
        differing = 0
        for months in map(int, options.months.split(",")):
            library = os.path.join(folder, f"library-{months}")
            found = {}
            for month in range(months):
                found |= decide(len(texts) * month // months, len(texts) * (month + 1) // months, "--library", library)
            others = [name for name in wanted if wanted[name] != found.get(name)]
            differing += len(others)
            print(f"{months:2} months: {sum(row[0] for row in found.values()):,} kept,"
                  f" {len(others):,} decisions differ", flush=True)
            for name in others[:5]:
                print(f"  {name}: {wanted[name]} in one run, {found.get(name)} in months")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
