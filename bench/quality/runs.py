"""Runs of `refrain` on a labelled set, and what is compared with them."""
import collections
import dataclasses
import gzip
import itertools
import json
import pathlib
import re
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))
from dedup_truth import windows, words  # noqa: E402

WINDOW = 5
LOSSES = ["", "--max-loss 16", "--max-loss any"]  # what may be lost with a near-duplicate: by default, and as bounds

Passage = collections.namedtuple("Passage", "query begin end id other_begin other_end similarity")


class Failed(Exception):
    """The program did not do what it was asked for."""


@dataclasses.dataclass
class Figure:
    """One measured value: `value` of `of`, or `value` alone, with these options (none: the default)."""

    task: str
    measure: str
    options: str
    value: float
    of: int | None = None
    published: str = ""
    source: str = ""  # of the published figure


@dataclasses.dataclass
class Mistake:
    """An example of what goes wrong, with texts that may be quoted, without addresses and telephone numbers."""

    task: str
    what: str
    options: str
    left: str
    right: str

    def __post_init__(self):
        self.left, self.right = (re.sub(r"\S+@\S+|(\+\d )?\b\d{3}[ -]\d{3}-\d{4}\b", "...", text)
                                 for text in (self.left, self.right))


@dataclasses.dataclass
class Run:
    """What a set is measured with, and the results that it adds."""

    program: pathlib.Path
    packages: object
    data: pathlib.Path | None
    scratch: pathlib.Path
    threads: int
    quick: bool
    figures: list = dataclasses.field(default_factory=list)
    mistakes: list = dataclasses.field(default_factory=list)
    about: str = ""  # what the set consists of, in figures

    def add(self, *values, **more):
        self.figures.append(Figure(*values, **more))

    def folder(self, name):
        path = self.scratch / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def refrain(self, *arguments, allowed=(0,)):
        command = [str(argument) for argument in (self.program, *arguments)]
        done = subprocess.run([*command, "--quiet", "--threads", str(self.threads)], capture_output=True, check=False)
        if done.returncode not in allowed:
            raise Failed(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
        return done.stdout

    def dedup(self, inputs, options, *more):
        """Returns the decisions by id; `inputs` are paths, `options` are written as a user writes them."""
        out = self.scratch / "run"
        self.refrain("dedup", *inputs, "-o", out, "--force", "--forget", *options.split(), *more)
        with open(out / "decisions.jsonl", encoding="utf-8") as file:
            return {row["id"]: row for row in map(json.loads, file)}

    def index(self, name, path):
        """Creates an index of a JSONL file."""
        index = self.scratch / f"index-{name}"
        self.refrain("index", "create", index, path, "--id-field", "id")
        return index

    def passages(self, index, options, *more):
        """Returns what `index query` reports with these options, one Passage for each place."""
        out = self.refrain("index", "query", index, *options.split(), *more, "--output", "tsv", "--no-text",
                           allowed=(0, 1))
        found = []
        for row in out.decode().rstrip("\n").split("\n")[1:]:
            query, begin, end, name, other_begin, other_end, similarity = row.split("\t")[:7]
            found.append(Passage(query, int(begin), int(end), name, int(other_begin), int(other_end),
                                 float(similarity)))
        return found


def read_bytes(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def read_text(path):
    return read_bytes(path).decode("utf-8", errors="replace")


def write_jsonl(path, documents):
    """Writes {id: text}, or {id: {fields}}."""
    with open(path, "w", encoding="utf-8") as file:
        for name, text in documents.items():
            fields = text if isinstance(text, dict) else {"text": text}
            file.write(json.dumps({"id": name, **fields}, ensure_ascii=False) + "\n")
    return path


def similarity(one, other):
    """Returns the Jaccard similarity of the sets of windows of two texts: brute force, independent of Refrain."""
    return jaccard(windows(words(one), WINDOW), windows(words(other), WINDOW))


def jaccard(one, other):
    common = len(one & other)
    return common / (len(one) + len(other) - common) if one or other else 0.0


def own_text(text, other):
    """Returns the longest run of words of a text that are in no window that the other text has, with some context."""
    tokens, known = text.split(), windows(words(other), WINDOW)
    found = [(word, at) for at, token in enumerate(tokens) for word in words(token)]
    held = [not words(token) for token in tokens]
    for first in range(len(found) - WINDOW + 1):
        some = found[first : first + WINDOW]
        if tuple(word for word, _ in some) in known:
            begin, end = some[0][1], some[-1][1] + 1
            held[begin:end] = [True] * (end - begin)
    best, at = (0, 0), 0
    for one, group in itertools.groupby(held):
        count = len(list(group))
        if not one and count > best[1] - best[0]:
            best = (at, at + count)
        at += count
    first, last = max(0, best[0] - 6), best[1] + 6
    return " ".join(tokens[first:last]) if best[1] else ""
