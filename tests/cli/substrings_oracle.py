"""Shared by the tests of substrings: a slow, obvious oracle, repetitive documents, and the results of a run.

The oracle is a dictionary of all windows. It computes the ranges, the passages with their places, and the documents
that --apply leaves.
"""

import bisect
import csv
import io
import itertools
import json
import os
import re

from program import TestCase, jsonl, lines, table

HEADER = "id\tx\ty"


# ---- the oracle


def merged(ranges):
    """Merges ascending ranges that touch or overlap."""
    out = []
    for begin, end in ranges:
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return [tuple(one) for one in out]


def without(piece, kept):
    """Returns the parts of a range that are outside of the ranges `kept`."""
    at, out = piece[0], []
    for begin, end in kept:
        if end <= at or begin >= piece[1]:
            continue
        if begin > at:
            out.append((at, begin))
        at = end
    if at < piece[1]:
        out.append((at, piece[1]))
    return out


class Oracle:
    """Computes, for `documents` of bytes, `repeated` and `first`, both a list of ranges per document, and `passages`.
    """

    def __init__(self, documents, length, min_count=2):
        places = {}
        for number, text in enumerate(documents):
            for at in range(len(text) - length + 1):
                places.setdefault(text[at:at + length], []).append((number, at))
        repeated = [[] for _ in documents]
        first = [[] for _ in documents]
        target = {}
        for where in places.values():
            if len(where) < min_count:
                continue
            first[where[0][0]].append((where[0][1], where[0][1] + length))
            for number, at in where:
                repeated[number].append((at, at + length))
                target[number, at] = where[0]
        self.repeated = [merged(sorted(ranges)) for ranges in repeated]
        self.first = [merged(sorted(ranges)) for ranges in first]
        self.passages = self._passages(target, length)

    def _passages(self, target, length):
        """Returns (document, begin, end) of each passage, with its places (document, begin, end, offset)."""
        stretches = []  # consecutive windows that repeat consecutive windows
        for (number, at), (other, there) in sorted(target.items()):
            if (number, at) == (other, there):
                continue
            last = stretches[-1] if stretches else None
            if last and (last[0], last[1] + last[4]) == (other, there) and (last[2], last[3] + last[4]) == (number, at):
                last[4] += 1
            else:
                stretches.append([other, there, number, at, 1])
        stretches.sort()
        out = []
        for number, ranges in enumerate(self.first):
            for begin, end in ranges:
                places = [(number, begin, end, 0)]
                for other, there, place, at, windows in stretches:
                    if other == number and begin <= there < end:
                        places.append((place, at, at + windows - 1 + length, there - begin))
                out.append(((number, begin, end), places))
        return out


def units(text, snap):
    """Returns the offsets at which `text` may be cut."""
    size = len(text)
    if snap == "line":
        return sorted({0, size} | {at + 1 for at in range(size) if text[at] == 10})
    if snap == "none":
        return list(range(size + 1))
    cuts = {0, size}
    at = 0
    while at < size:
        for width in (4, 3, 2, 1):
            try:
                if len(text[at:at + width].decode()) == 1:
                    break
            except UnicodeDecodeError:
                pass
        at += width
        cuts.add(at)
    if snap == "word":
        # Only for the letters that the tests use.
        ends = sorted(cuts)
        letters = [re.fullmatch("[0-9A-Za-zé]", text[a:b].decode()) for a, b in zip(ends, ends[1:])]
        cuts -= {at for at, before, behind in zip(ends[1:], letters, letters[1:]) if before and behind}
    return sorted(cuts)


def shrunk(piece, cuts):
    """Shrinks the range until it begins and ends at cuts; None if nothing is left."""
    begin = cuts[bisect.bisect_left(cuts, piece[0])]
    end = cuts[bisect.bisect_right(cuts, piece[1]) - 1]
    return (begin, end) if begin < end else None


def expected_rows(documents, oracle, snap="none", ids=None):
    rows = []
    for number, (text, ranges) in enumerate(zip(documents, oracle.repeated)):
        cuts = units(text, snap)
        for piece in filter(None, (shrunk(one, cuts) for one in ranges)):
            rows.append([ids[number] if ids else str(number), str(piece[0]), str(piece[1])])
    return rows


def expected_clean(documents, oracle, snap="none", keep="first"):
    """Returns the documents without the repeated ranges. A character is never cut."""
    out = []
    for text, ranges, first in zip(documents, oracle.repeated, oracle.first):
        cuts = units(text, "utf8" if snap == "none" else snap)
        pieces = [part for one in ranges for part in (without(one, first) if keep == "first" else [one])]
        at, left = 0, b""
        for piece in filter(None, (shrunk(one, cuts) for one in pieces)):
            left += text[at:piece[0]]
            at = piece[1]
        out.append(left + text[at:])
    return out


def replaced(text):
    """Decodes bytes as in the JSON output: every byte that is not part of a character becomes U+FFFD."""
    out, at = "", 0
    for end in units(text, "utf8")[1:]:
        out += text[at:end].decode(errors="replace")
        at = end
    return out


# ---- generated documents, and the formats that hold them


def repetitive(rng, count, alphabet, length, size=400):
    """Generates texts of letters of `alphabet` that share stretches of around `length` bytes, and short periods."""
    texts = []
    for _ in range(count):
        parts = []
        for _ in range(rng.randint(0, 6)):
            kind = rng.random()
            source = rng.choice(texts) if texts else ""
            if kind < 0.4 and source:
                begin = rng.randrange(len(source) + 1)
                parts.append(source[begin:begin + max(1, length + rng.randint(-3, length))])
            elif kind < 0.55:
                parts.append("".join(rng.choices(alphabet, k=rng.randint(1, 3))) * rng.randint(1, length))
            else:
                parts.append("".join(rng.choices(alphabet, k=rng.randint(1, size // 6))))
        text = "".join(parts)
        texts.append(rng.choice(texts) if texts and rng.random() < 0.15 else text)
    return texts


ALPHABETS = {"one": "a", "two": "ab", "words": "abcdefgh   ", "odd": "a \",'\\\t", "CJK": "床前明月光é ", "emoji": "😀🎉x"}


def as_csv(texts, delimiter=","):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["n", "text", "more"])
    writer.writerows([number, text, "x"] for number, text in enumerate(texts))
    return out.getvalue()


def from_csv(content, delimiter=","):
    rows = list(csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter))
    return [row[1].encode() for row in rows[1:]]


def from_lines(content):
    return content.split(b"\n")[:-1]


FORMATS = {
    "in.txt": (lines, from_lines),
    "in.jsonl": (jsonl, lambda content: [json.loads(row)["text"].encode() for row in content.splitlines()]),
    "in.csv": (as_csv, from_csv),
    "in.tsv": (lambda texts: as_csv(texts, "\t"), lambda content: from_csv(content, "\t")),
}


class Found:
    """The files that a run wrote."""

    def __init__(self, folder):
        self.folder = folder
        self.bytes = self.read("substring_bytes.tsv")
        self.rows = table(self.bytes, HEADER)
        self.summary = json.loads(self.read("summary.json"))

    def read(self, *names):
        with open(os.path.join(self.folder, *names), "rb") as file:
            return file.read()

    def passages(self):
        return [json.loads(line) for line in self.read("passages.jsonl").splitlines()]

    def answer(self):
        """Returns everything that must not depend on how the verb was run."""
        files = {}
        for parent, _, names in os.walk(self.folder):
            for name in names:
                if name != "summary.json":
                    path = os.path.join(parent, name)
                    files[os.path.relpath(path, self.folder)] = self.read(path)
        return files, {key: value for key, value in self.summary.items() if key not in ("run", "options")}


class SubstringsCase(TestCase):
    runs = 0

    def substrings(self, *arguments, code=0, nothing=False, **more):
        """Runs into a new folder; returns Found, or the result if the run was expected to fail. `nothing`: no
        document can be read."""
        self.runs += 1
        output = f"out{self.runs}"
        result = self.run_program("substrings", *arguments, "-o", output, "-q", code=3 if nothing else code, **more)
        if code == 0:
            return Found(self.path(output))
        self.assertNotIn(output, self.listing())
        self.assertEqual([name for name in self.listing() if "partial" in name], [])
        return result

    def check_counts(self, found, oracle):
        """Checks the summary of a run without --snap."""
        ranges = list(itertools.chain.from_iterable(oracle.repeated))
        self.assertEqual(found.summary["ranges"], len(ranges))
        self.assertEqual(found.summary["repeated_bytes"], sum(end - begin for begin, end in ranges))
        self.assertEqual(found.summary["repeated_documents"], sum(map(bool, oracle.repeated)))
