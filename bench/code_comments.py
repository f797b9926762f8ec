#!/usr/bin/env python3
"""How many source files are found again after their comments were rewritten: with comments skipped, as by default, and
kept.

    python3 bench/code_comments.py [--bin DIR] [--files N] FOLDER...

Takes N files (60) of C, C++ and Python from the folders, all different, of which 10 to 60 % are comments; replaces
every word in the comments by another one, and checks which copies `dedup --threshold 0.8` finds. To be independent of
Refrain, comments are found by Python's tokenizer, or by a scanner that recognizes strings.
"""
import argparse
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import tokenize

C_PARTS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
WORD = re.compile(r"[A-Za-z]{2,}")
WORDS = ("lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et magna"
         " aliqua").split()
KINDS = {".c", ".h", ".cc", ".cpp", ".hpp", ".py"}


def comments(path, text):
    """Returns (begin, end) of each comment."""
    if path.suffix != ".py":
        return [part.span() for part in C_PARTS.finditer(text) if part[0][0] == "/"]
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    return [(lines[token.start[0] - 1] + token.start[1], lines[token.end[0] - 1] + token.end[1])
            for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT]


def changed(text, found, rng):
    out, at = [], 0
    for begin, end in found:
        out += text[at:begin], WORD.sub(lambda _: rng.choice(WORDS), text[begin:end])
        at = end
    return "".join(out) + text[at:]


def choose(folders, count, rng):
    paths = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in KINDS and path.is_file())
    rng.shuffle(paths)
    chosen, kinds = [], dict.fromkeys(("c", "python"), 0)
    for path in paths:
        kind = "python" if path.suffix == ".py" else "c"
        if kinds[kind] >= count - count // 3 * 2 + (count // 3 if kind == "c" else 0):
            continue
        try:
            text = path.read_text(encoding="utf-8")
            found = comments(path, text)
        except (UnicodeDecodeError, SyntaxError, tokenize.TokenError, OSError):
            continue
        share = sum(end - begin for begin, end in found) / max(len(text), 1)
        if 2000 <= len(text) <= 100000 and 0.1 <= share <= 0.6:
            chosen.append((path, text, found))
            kinds[kind] += 1
        if len(chosen) == count:
            return chosen
    sys.exit(f"code_comments: only {len(chosen)} files fit; name more folders")


def found_of(program, folder, flags):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, "dedup", folder / "documents.jsonl", "-o", f"{out}/run", "--id-field", "id",
                        "--threshold", "0.8", "--max-loss", "any", "--quiet", *flags], check=True)
        rows = map(json.loads, (pathlib.Path(out) / "run" / "decisions.jsonl").read_text(encoding="utf-8").splitlines())
        return {row["id"] for row in rows if not row["keep"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bin", default="build/release", help="folder of the program")
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    program, rng = pathlib.Path(arguments.bin) / "refrain", random.Random(1)
    chosen = choose(arguments.folders, arguments.files, rng)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)

        def write(documents):
            with open(folder / "documents.jsonl", "w", encoding="utf-8") as file:
                for name, text in documents:
                    file.write(json.dumps({"id": name, "text": text}) + "\n")

        originals = [(f"{i}", text) for i, (_, text, _) in enumerate(chosen)]
        copies = [(f"{i}'", changed(text, found, rng)) for i, (_, text, found) in enumerate(chosen)]
        for tokenizer in ("code", "code-kinds"):
            write(originals)
            alike = found_of(program, folder, ["--tokenizer", tokenizer])
            write(originals + copies)
            for flags in ([], ["--comments"]):
                found = found_of(program, folder, ["--tokenizer", tokenizer, *flags])
                right = sum(f"{i}'" in found and f"{i}" not in alike for i in range(len(chosen)))
                print(f"--tokenizer {' '.join([tokenizer, *flags]):24} {right} of {len(chosen)} found"
                      f"{f', {len(alike)} alike before' if alike else ''}")


if __name__ == "__main__":
    main()
