#!/usr/bin/env python3
"""How right the decisions of a dedup run are, held against the true similarity of all pairs.

    dedup_accuracy.py [--threshold 0.8] [--max-loss 16] [--method minhash] [--keep] WORLD RUN

WORLD is a folder of dedup_world.py with the pairs.tsv of dedup_truth.py; RUN has decisions.jsonl and, if it reports
pairs, matches.tsv.

A document may be removed for an earlier one that is at least as similar as the threshold, if at most --max-loss
tokens in a row are lost; or for one that is the same byte for byte.

  wrongful   documents removed although none that they may be removed for is kept
  missed     documents kept although one that they may be removed for is kept
  recall     by similarity: the share of such pairs of which not both are kept
  evidence   removals whose `match` is not a kept, earlier document of this similarity, or whose `similarity` is wrong
  matches    pairs of matches.tsv, and those of them that are below the threshold, or not as similar as stated

The order of the input is the ranking, as with `refrain dedup --keep first`. For minhash the exit code is 1 if a
target is missed:
  wrongful removals, false evidence and false matches: none; at 0.7 and above: recall 0.99 for pairs at threshold +
  0.05 or more, and at most 1 % of the pages of templates wrong.
Other methods judge by a different similarity and are only recorded. --keep writes the table to
bench/record/<machine>/dedup-accuracy.csv, in place of that method's table at that threshold.
"""
import argparse
import collections
import csv
import json
import math
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "bench" / "e2e"))
import record  # noqa: E402

COLUMNS = ["method", "threshold", "what", "rate", "documents", "removed", "wrongful", "missed", "precision", "pairs",
           "recall"]
STEP = 0.05
ROUNDING = 1e-4  # a similarity may be written with four digits


class Wrong(Exception):
    """A file does not have the expected content."""


def read_json_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_pairs(path, places):
    """Yields (first, second, similarity, lost), where first is earlier in the input. Similarity is None if the header
    gives the third column another name, and lost is 0 if there is no fourth column."""
    stated = True
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file):
            one, other, similarity, *lost = line.rstrip("\n").split("\t")
            if number == 0 and (one, other) == ("id1", "id2"):
                stated = similarity == "similarity"
                continue
            if one not in places or other not in places:
                raise Wrong(f"{path}: line {number + 1}: no such document")
            yield (*sorted((places[one], places[other])), float(similarity) if stated else None,
                   int(lost[0]) if lost else 0)


class World:
    def __init__(self, folder, threshold, max_loss):
        least = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["least"]
        if threshold < least:
            raise Wrong(f"{folder / 'truth.json'}: pairs are known from {least:g} on;"
                        f" make it anew with --least {threshold:g}")
        documents = read_json_lines(folder / "documents.jsonl")
        self.ids = [document["id"] for document in documents]
        self.kinds = [(document["kind"], document["rate"] if document["kind"] != "quotation" else "")
                      for document in documents]
        self.places = {name: place for place, name in enumerate(self.ids)}
        pairs = list(read_pairs(folder / "pairs.tsv", self.places))
        self.pairs = {(first, second): similarity for first, second, similarity, _ in pairs}
        self.threshold = threshold
        self.removable_for = collections.defaultdict(set)  # by document: the earlier ones that it may be removed for
        for first, second, similarity, lost in pairs:
            if similarity >= threshold and lost <= max_loss:
                self.removable_for[second].add(first)
        same = collections.defaultdict(list)
        for place, document in enumerate(documents):
            same[document["text"]].append(place)
        for places in same.values():  # including texts too short to have a window
            for place in places:
                self.removable_for[place].update(other for other in places if other < place)
        self.texts = [document["text"] for document in documents]

    def similarity(self, one, other):
        """Returns the similarity, which is 0 for pairs below the limit of dedup_truth.py."""
        return 1.0 if self.texts[one] == self.texts[other] else self.pairs.get((min(one, other), max(one, other)), 0.0)


class Run:
    """The decisions of a run, judged."""

    def __init__(self, folder, world):
        self.world = world
        decisions = read_json_lines(folder / "decisions.jsonl")
        if [decision["id"] for decision in decisions] != world.ids:
            raise Wrong(f"{folder / 'decisions.jsonl'}: not one line for each document, in input order")
        self.kept = [decision["keep"] for decision in decisions]
        self.wrongful, self.missed, self.evidence = set(), set(), set()
        for place, decision in enumerate(decisions):
            others = sorted(other for other in world.removable_for[place] if self.kept[other])
            if decision["keep"]:
                if others:
                    self.missed.add(place)
            elif not others:
                self.wrongful.add(place)
            elif not self.is_valid_match(place, decision, others):
                self.evidence.add(place)
        self.matches, self.false_matches = 0, []
        if (path := folder / "matches.tsv").exists():
            for first, second, similarity, _ in read_pairs(path, world.places):
                truth = world.similarity(first, second)
                self.matches += 1
                if truth < world.threshold or (similarity is not None and abs(truth - similarity) > ROUNDING):
                    self.false_matches.append((first, second))

    def is_valid_match(self, place, decision, others):
        """Whether the match is valid: any kept document that it may be removed for is, because bands may have missed
        the first."""
        match = self.world.places.get(decision["match"])
        if match not in others:
            return False
        said = decision["similarity"]
        return said is None or abs(said - self.world.similarity(match, place)) <= ROUNDING

    def row(self, what, rate, places):
        removed = [place for place in places if not self.kept[place]]
        wrongful = len(self.wrongful.intersection(removed))
        return {"what": what, "rate": rate, "documents": len(places), "removed": len(removed), "wrongful": wrongful,
                "missed": len(self.missed.intersection(places)),
                "precision": 1 - wrongful / len(removed) if removed else 1.0}

    def by_kind(self):
        groups = collections.defaultdict(list)
        for place, kind in enumerate(self.world.kinds):
            groups[kind].append(place)
        for (kind, rate), places in sorted(groups.items(), key=lambda group: (group[0][0], str(group[0][1]))):
            yield self.row(kind, rate, places)
        yield self.row("all", "", range(len(self.kept)))

    def by_similarity(self):
        """Yields rows from the threshold up, and one for all pairs that are a step or more above it. A bucket
        contains its upper end only if it is the last."""
        threshold = self.world.threshold
        steps = max(1, math.ceil(round((1 - threshold) / STEP, 6)))
        buckets = [[0, 0] for _ in range(steps)]
        above = [0, 0]
        for (first, second), similarity in self.world.pairs.items():
            if similarity < threshold or first not in self.world.removable_for[second]:
                continue
            found = not (self.kept[first] and self.kept[second])
            counted = [buckets[min(steps - 1, int((similarity - threshold) / STEP + 1e-9))]]
            if similarity >= min(1, threshold + STEP) - 1e-9:
                counted.append(above)
            for bucket in counted:
                bucket[0] += 1
                bucket[1] += found
        ends = [(threshold + STEP * step, min(1, threshold + STEP * (step + 1))) for step in range(steps)]
        names = [f"{begin:.2f} to {end:.2f}" for begin, end in ends] + [f"{min(1, threshold + STEP):.2f} and above"]
        for name, (pairs, found) in zip(names, buckets + [above]):
            yield {"what": f"similarity {name}", "pairs": pairs, "recall": found / pairs if pairs else 1.0}


def bars(run, rows):
    """Yields (name, figure, target, whether it is met)."""
    yield "wrongful removals", len(run.wrongful), "none", not run.wrongful
    yield "removals with false evidence", len(run.evidence), "none", not run.evidence
    yield f"false matches of {run.matches}", len(run.false_matches), "none", not run.false_matches
    if run.world.threshold >= 0.7:
        above = next(row for row in rows if row["what"].endswith("and above"))
        yield ("recall of pairs at " + above["what"].removeprefix("similarity "), round(above["recall"], 5),
               ">= 0.99", above["recall"] >= 0.99)
        pages = [row for row in rows if row["what"].startswith("template")]
        wrong = sum(row["wrongful"] + row["missed"] for row in pages) / max(1, sum(row["documents"] for row in pages))
        yield "pages of templates judged wrong", round(wrong, 5), "<= 0.01", wrong <= 0.01


def written(value):
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def print_table(rows, columns):
    lines = [columns] + [[written(row.get(column, "")) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def save(rows, path):
    """Writes the table; those of other methods and thresholds are kept."""
    lines = [{key: written(row.get(key, "")) for key in COLUMNS} for row in rows]
    old = []
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            old = [row for row in csv.DictReader(file)
                   if [row["method"], row["threshold"]] != [lines[0]["method"], lines[0]["threshold"]]]
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(old + lines, key=lambda row: (row["method"], float(row["threshold"]))))  # stable
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--threshold", type=float, default=0.8, help="of the run (default 0.8)")
    parser.add_argument("--max-loss", type=int, default=16, help="of the run; auto is not known here (default 16)")
    parser.add_argument("--method", default="minhash", help="its name in the table (default minhash)")
    parser.add_argument("--keep", action="store_true", help="keep the table as a record")
    parser.add_argument("world", type=pathlib.Path)
    parser.add_argument("run", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        run = Run(arguments.run, World(arguments.world, arguments.threshold, arguments.max_loss))
    except (Wrong, OSError, ValueError, KeyError) as error:
        sys.exit(f"dedup_accuracy: {error}")
    kinds, similarities = list(run.by_kind()), list(run.by_similarity())
    print(f"{arguments.method} at {arguments.threshold:g}")
    print_table(kinds, ["what", "rate", "documents", "removed", "wrongful", "missed", "precision"])
    print()
    print_table(similarities, ["what", "pairs", "recall"])
    print()
    rows = [{"method": arguments.method, "threshold": arguments.threshold, **row} for row in kinds + similarities]
    missed = 0
    for what, figure, bar, met in bars(run, rows):
        missed += not met and arguments.method == "minhash"
        print(f"{'met   ' if met else 'MISSED'}  {what}: {figure} (bar: {bar})")
    for name, places in (("wrongful", run.wrongful), ("false evidence", run.evidence)):
        if places:
            print(f"{name}: " + " ".join(run.world.ids[place] for place in sorted(places)[:10]))
    if arguments.keep:
        path = save(rows, SOURCE / "bench" / "record" / record.machine_name() / "dedup-accuracy.csv")
        print(f"kept in {path.relative_to(SOURCE)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
