#!/usr/bin/env python3
"""Checks on real text whether `index extract` reports every run of ten tokens that two documents share.

    passages_windows.py [--bin FOLDER] [--examples N] FOLDER

All such runs of the folder's ASCII files are found by hashing, and looked up in what is reported: whole, or at least
half of their tokens. Runs that no document contains twice are distinguished from those that recur inside one. The
exit code is 1 if a run is missing. Offsets and texts of the answer are compared with the files.
"""
import argparse
import bisect
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SPAN = 10
WORD = re.compile(rb"[A-Za-z0-9]+")


class Document:
    def __init__(self, path, numbers):
        self.name = path.name
        self.text = path.read_bytes()
        self.spans = [match.span() for match in WORD.finditer(self.text)] if self.text.isascii() else []
        lower = self.text.lower()
        self.words = [numbers.setdefault(lower[begin:end], len(numbers)) for begin, end in self.spans]
        self.places = []  # reported: first token, last token

    def report(self, place):
        first, last = (bisect.bisect_left(self.spans, (place[end], 0)) for end in ("begin", "end"))
        bounds = self.spans[first][0], self.spans[last - 1][1]
        if bounds != (place["begin"], place["end"]) or self.text[bounds[0]:bounds[1]].decode() != place["text"]:
            sys.exit(f"{self.name}: bytes {place['begin']} to {place['end']} are not what is shown, token for token")
        self.places.append((first, last))

    def covered(self, first):
        """Returns the most tokens of the run beginning at `first` that lie in one reported place."""
        return max(min(end, first + SPAN) - max(begin, first) for begin, end in [*self.places, (first, first)])


def shared_windows(documents):
    groups = collections.defaultdict(list)
    for document in documents:
        words = document.words
        for at in range(len(words) - SPAN + 1):
            groups[hash(tuple(words[at:at + SPAN]))].append((document, at))
    return [places for places in groups.values() if places[0][0] is not places[-1][0]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build" / "release")
    parser.add_argument("--examples", type=int, default=0, help="of runs that are missing, so many are shown")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    numbers = {}
    documents = [Document(path, numbers) for path in sorted(arguments.folder.iterdir())]
    by_name = {document.name: document for document in documents if document.spans}
    with tempfile.TemporaryDirectory(prefix="refrain-windows-") as folder:
        program, index = arguments.bin / "refrain", pathlib.Path(folder) / "index"
        subprocess.run([program, "index", "create", index, arguments.folder, "--window", str(SPAN), "-q"], check=True)
        with subprocess.Popen([program, "index", "extract", index, "-q"], stdout=subprocess.PIPE) as extract:
            for line in extract.stdout:
                for place in json.loads(line)["occurrences"]:
                    if document := by_name.get(pathlib.PurePath(place["id"]).name):
                        document.report(place)
        if extract.returncode != 0:
            sys.exit(f"index extract: exit {extract.returncode}")
    missing, groups = [], shared_windows(by_name.values())
    for title, once in (("in no document twice", True), ("twice in some document", False)):
        places = whole = half = 0
        for group in groups:
            if (len({document.name for document, _ in group}) == len(group)) != once:
                continue
            for document, at in group:
                covered = document.covered(at)
                places += 1
                whole += covered == SPAN
                half += 2 * covered >= SPAN
                if covered < SPAN:
                    missing.append((document, at, covered, group))
        print(f"runs of {SPAN} tokens, {title}: {places} places, {places - whole} not reported whole,"
              f" {places - half} not even half")
    for document, at, covered, group in (missing[::max(1, len(missing) // arguments.examples)] if arguments.examples
                                         else []):
        text = document.text[document.spans[at][0]:document.spans[at + SPAN - 1][1]].decode()
        others = [(other.name, token) for other, token in group if (other, token) != (document, at)]
        print(f"{document.name}, token {at}: {covered} tokens of {text!r}; also in {others[:4]}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
