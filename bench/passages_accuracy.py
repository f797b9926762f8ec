#!/usr/bin/env python3
"""How many passages the blot index finds, and how many of the reported ones are right, by length, noise and kind of
blot.

    passages_accuracy.py [--quick] [--bin FOLDER] [--keep FOLDER]

Random documents (passages_world.py) with planted passages are indexed once for every kind of blot. `index query`
searches an index of the originals for the damaged copies; then the copies are added, and `index extract` must find
the same by itself.

  recall      of the planted passages: found if one passage covers half the tokens of the original and of its copy
              (all of them if the copy is exact)
  precision   of the reported places: right if half their tokens are those of a planted copy of the passage's source,
              or if both share an exact run of a window's tokens, as happens by chance
  windows     the oracle: every exact run of that length, in any two documents, found by hashing all of them; its
              recall

Every reported text and offset is compared with the document. The table goes to
bench/record/<machine>/passages-accuracy.csv, a summary to standard output. The exit code is 1 if a target is missed:
  exact copies (also quoted, rewrapped, overlapping) that are long enough to be always found: recall 1 and precision
  1, all blots; windows: recall 1 everywhere, all blots; 30 tokens or more, 10 % of them edited: recall 0.97, default
  blots.
--quick plants a fifth, judges only windows and exact copies, and saves nothing. --keep saves documents and indexes in
FOLDER.
"""
import argparse
import bisect
import collections
import concurrent.futures
import csv
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import passages_world

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "bench" / "e2e"))
import record  # noqa: E402

WINDOW = 10
PLANTED = 200  # for each length
Blots = collections.namedtuple("Blots", "name flags span")  # span: an exact run of this many tokens is always found
KINDS = [
    Blots("ordered/syncmer", [], WINDOW),
    Blots("ordered/all", ["--sampling", "all"], WINDOW),
    Blots("sum/all", ["--blots", "sum", "--sampling", "all"], WINDOW),
    Blots("xor/all", ["--blots", "xor", "--sampling", "all"], WINDOW),
    Blots("xor/all/2", ["--blots", "xor", "--sampling", "all", "--interleave", "2"], 2 * (WINDOW - 1) + 1),
]
VERBS = ("query", "extract")
COLUMNS = ["blots", "vocabulary", "damage", "noise", "length", "planted", "query_recall", "query_reported",
           "query_precision", "extract_recall", "extract_reported", "extract_precision"]


class Wrong(Exception):
    """The program's output is impossible."""


def run(program, *arguments):
    """Returns the standard output. `index query` exits with 1 if nothing is found."""
    command = [program, "index", *arguments, "--quiet"]
    if arguments[0] != "query":
        command += ["--threads", "1"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0 and not (arguments[0] == "query" and done.returncode == 1):
        raise Wrong(f"{' '.join(map(str, command))}: exit {done.returncode}:"
                    f" {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout


def read_passages(output, world):
    """Returns a list of places for each passage: (document, first token, last token). A query's own place comes
    first."""
    passages = []
    for line in output.splitlines():
        row = json.loads(line)
        places = list(row["occurrences"])
        if "query" in row:
            places.insert(0, {"id": row["query"], "begin": row["begin"], "end": row["end"], "text": row["passage"]})
        passages.append([place_of(place, world) for place in places])
    return passages


def place_of(place, world):
    document = world.by_name[pathlib.PurePath(place["id"]).name]
    begins, ends = document.begins, document.ends
    first = bisect.bisect_left(begins, place["begin"])
    last = bisect.bisect_left(begins, place["end"])
    exact = first < last and begins[first] == place["begin"] and ends[last - 1] == place["end"]
    if not exact or document.text[place["begin"]:place["end"]] != place["text"]:
        raise Wrong(f"{place['id']}: bytes {place['begin']} to {place['end']} are not {place['text'][:60]!r},"
                    " token for token")
    return document.number, first, last


class Answer:
    """The passages that a verb reported, and by document, the places with the number of their passage."""

    def __init__(self, passages, world):
        self.passages = passages
        self.world = world
        self.by_document = collections.defaultdict(list)
        for number, places in enumerate(passages):
            for document, first, last in places:
                self.by_document[document].append((first, last, number))

    def covering(self, document, first, last, share):
        """Returns the passages with a place that covers this share of the tokens."""
        need = share * (last - first)
        return {number for begin, end, number in self.by_document[document]
                if min(end, last) - max(begin, first) >= need}

    def found(self, plant):
        share = 1 if plant.exact else 0.5
        return bool(self.covering(*plant.original, share) & self.covering(*plant.copy, share))

    def windows_found(self, runs, span):
        """Returns the number of windows that two places share, by runs, and how many of them one passage covers in
        both."""
        pairs = found = 0
        for x, y, length in runs:
            pairs += length - span + 1
            if self.covers_both(x, y, length):
                found += length - span + 1
            else:
                found += sum(self.covers_both((x[0], x[1] + i), (y[0], y[1] + i), span)
                             for i in range(length - span + 1))
        return pairs, found

    def covers_both(self, x, y, length):
        return bool(self.covering(*x, x[1] + length, 1) & self.covering(*y, y[1] + length, 1))

    def judged(self):
        """Yields (length, right) for every place except the first of its passage."""
        for places in self.passages:
            for place in places[1:]:
                yield place[2] - place[1], self.right(places[0], place)

    def right(self, source, place):
        if self.world.planted_alike(source, place):
            return True
        return not self.world.windows(source, WINDOW).isdisjoint(self.world.windows(place, WINDOW))


def shared_runs(world, span):
    """Returns, by verb, the runs of `span` tokens or more that two documents share: (place, place, length), where a
    place is a document and a token. For a query, every pair of a copy and an original; for extract, every place with
    the earliest in another document, where the passage is reported."""
    groups = collections.defaultdict(list)
    for document in world.documents:
        for at in range(len(document.words) - span + 1):
            groups[hash(tuple(document.words[at:at + span]))].append((document.number, at))
    groups = [places for places in groups.values() if places[0][0] != places[-1][0]]
    pairs = {"query": [(x, y) for places in groups for x, y in itertools.product(places, places)
                       if x[0] < world.first_copy <= y[0]],
             "extract": [(next(x for x in places if x[0] != y[0]), y) for places in groups for y in places
                         if y[0] != places[0][0]]}
    return {verb: list(joined(some, span)) for verb, some in pairs.items()}


def joined(pairs, span):
    """Joins consecutive pairs into runs."""
    pairs = sorted(pairs, key=lambda pair: (pair[0][0], pair[1][0], pair[1][1] - pair[0][1], pair[0][1]))
    first, count = None, 0
    for x, y in pairs:
        if first and (x, y) == ((first[0][0], first[0][1] + count), (first[1][0], first[1][1] + count)):
            count += 1
            continue
        if first:
            yield *first, count + span - 1
        first, count = (x, y), 1
    if first:
        yield *first, count + span - 1


def bucket(length):
    return max([known for known in passages_world.LENGTHS if known <= length], default=passages_world.LENGTHS[0])


def measure(program, world, kind, folder, runs):
    """Returns the rows of one kind of blot for one set of documents."""
    index = folder / f"index-{kind.name.replace('/', '-')}"
    run(program, "create", index, folder / "originals", "--window", str(WINDOW), *kind.flags)
    asked = sorted((folder / "copies").iterdir())
    answers = {"query": run(program, "query", index, *asked, "--limit", "0", "--max-occurrences", "0")}
    run(program, "add", index, folder / "copies")
    answers["extract"] = run(program, "extract", index)

    titles = dict(zip(COLUMNS, (kind.name, world.vocabulary, world.damage, f"{world.noise:g}")))
    rows = {length: {**titles, "length": length} for length in [*passages_world.LENGTHS, "windows"]}
    for verb, output in answers.items():
        answer = Answer(read_passages(output, world), world)
        reported, right = collections.Counter(), collections.Counter()
        for length, is_right in answer.judged():
            reported[bucket(length)] += 1
            right[bucket(length)] += is_right
        for length in passages_world.LENGTHS:
            plants = [plant for plant in world.plants if plant.length == length]
            row = rows[length]
            row["planted"] = len(plants)
            row[f"{verb}_recall"] = sum(map(answer.found, plants)) / len(plants)
            row[f"{verb}_reported"] = reported[length]
            row[f"{verb}_precision"] = right[length] / reported[length] if reported[length] else 1
        pairs, found = answer.windows_found(runs[verb], kind.span)
        rows["windows"].update({"planted": pairs, f"{verb}_recall": found / pairs if pairs else 1})
    return list(rows.values())


def run_world(program, scratch, keep, planted, vocabulary, damage, noise):
    """Returns the rows of all kinds of blots for one set of documents."""
    folder = pathlib.Path(scratch) / f"{vocabulary}-{damage}-{round(100 * noise)}"
    world = passages_world.make(vocabulary, damage, noise, planted)
    world.write(folder)
    runs = {span: shared_runs(world, span) for span in {kind.span for kind in KINDS}}
    rows = [row for kind in KINDS for row in measure(program, world, kind, folder, runs[kind.span])]
    if not keep:
        shutil.rmtree(folder)
    return rows


def bars(rows, quick):
    """Yields (name, worst figure, its case, target) for the targets."""
    spans = {kind.name: kind.span for kind in KINDS}
    windows = [row for row in rows if row["length"] == "windows"]
    exact = [row for row in rows if row["length"] != "windows" and row["damage"] in passages_world.EXACT]
    long_enough = [row for row in exact if row["length"] >= spans[row["blots"]]]
    apart, overlapping = [[row for row in long_enough if (row["damage"] == "overlapping") == wanted]
                          for wanted in (False, True)]
    noisy = [row for row in rows if row["blots"] == KINDS[0].name and row["damage"] in ("edited", "family")
             and row["noise"] == "0.1" and row["length"] != "windows" and row["length"] >= 30]
    wanted = [("exact copies, recall", apart, "recall", 1),
              ("overlapping exact copies, recall", overlapping, "recall", 1),
              ("exact copies, precision", exact, "precision", 1), ("windows, recall", windows, "recall", 1)]
    if not quick:
        wanted.append(("30 tokens or more, 10 % edited, default blots, recall", noisy, "recall", 0.97))
    for (what, some, figure, bar), verb in itertools.product(wanted, VERBS):
        worst = min(some, key=lambda row: row[f"{verb}_{figure}"])  # pylint: disable=cell-var-from-loop
        where = ", ".join(str(worst[key]) for key in ("blots", "vocabulary", "damage", "noise", "length"))
        yield f"{verb}: {what}", worst[f"{verb}_{figure}"], where, bar


def percent(rows, figure, weight):
    """Formats the mean over rows, query/extract."""
    means = []
    for verb in VERBS:
        weights = [row[weight.format(verb=verb)] for row in rows]
        total = sum(row[f"{verb}_{figure}"] * by for row, by in zip(rows, weights))
        means.append(100 * total / sum(weights) if sum(weights) else 100)
    return "/".join(f"{value:.4g}" for value in means)


def print_summary(rows):
    """Prints recall by damage and length for every kind of blot, for both vocabularies together."""
    lengths = [*passages_world.LENGTHS, "windows"]
    for kind in KINDS:
        print(f"\n{kind.name}: recall in % by tokens, query/extract")
        print(("  " + "".join(str(title).ljust(13) for title in ["damage", *lengths, "precision"])).rstrip())
        for damage, noise in passages_world.DAMAGES:
            some = [row for row in rows
                    if (row["blots"], row["damage"], row["noise"]) == (kind.name, damage, f"{noise:g}")]
            cells = [percent([row for row in some if row["length"] == length], "recall", "planted")
                     for length in lengths]
            cells.append(percent([row for row in some if row["length"] != "windows"], "precision", "{verb}_reported"))
            name = damage + (f" {100 * noise:g} %" if noise else "")
            print(("  " + "".join(cell.ljust(13) for cell in [name, *cells])).rstrip())


def save(rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "passages-accuracy.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()})
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build" / "release")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    program = (arguments.bin / "refrain").resolve()
    worlds = [(vocabulary, *damage) for vocabulary in passages_world.VOCABULARIES for damage in passages_world.DAMAGES]
    with (tempfile.TemporaryDirectory(prefix="refrain-passages-") as temporary,
          concurrent.futures.ProcessPoolExecutor(2) as pool):
        scratch = arguments.keep or temporary
        jobs = [pool.submit(run_world, program, scratch, bool(arguments.keep),
                            PLANTED // 5 if arguments.quick else PLANTED, *world)
                for world in worlds]
        try:
            rows = [row for job in jobs for row in job.result()]
        except Wrong as error:
            pool.shutdown(cancel_futures=True)
            sys.exit(f"passages_accuracy: {error}")
    print_summary(rows)
    print()
    missed = 0
    for what, value, where, bar in bars(rows, arguments.quick):
        missed += value < bar
        print(f"{'met   ' if value >= bar else 'MISSED'}  {what} >= {bar:g}: at worst {value:.4g} ({where})")
    if not arguments.quick:
        print(f"kept in {save(rows, SOURCE / 'bench' / 'record' / record.machine_name()).relative_to(SOURCE)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
