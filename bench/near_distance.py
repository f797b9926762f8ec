#!/usr/bin/env python3
"""How much near finds at each distance, and how much of that is right: the table in GUIDE.md.

    python3 bench/near_distance.py [--bin DIR] [--window N] FOLDER

FOLDER has documents.jsonl, with "id" and "text", and pairs.tsv, made by dedup_truth.py (--least 0.5 or lower). For
the generated half of the table: `dedup_world.py --documents 8000 FOLDER`, then `dedup_truth.py --least 0.3 FOLDER`.
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

MOST = 10
FLAGS = ["--id-field", "id", "--all-pairs", "--quiet"]


def matches(program, folder, flags):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, "near", folder / "documents.jsonl", "-o", f"{out}/near", *FLAGS, *flags], check=True)
        with open(f"{out}/near/matches.tsv", encoding="utf-8") as file:
            return [(row[0], row[1], int(row[2])) for row in csv.reader(file, delimiter="\t") if row[2] != "diff"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default="build/release", help="folder of the program")
    parser.add_argument("--window", default="3", help="tokens per window of the fingerprints")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    program, window = f"{arguments.bin}/refrain", ["--window", arguments.window]
    with open(arguments.folder / "pairs.tsv", encoding="utf-8") as file:
        truth = {(row[0], row[1]): float(row[2]) for row in csv.reader(file, delimiter="\t") if row[0] != "id1"}
    alike = sum(similarity >= 0.8 for similarity in truth.values())

    def row(name, found):
        values = [truth.get(pair[:2], 0) for pair in found]
        right = sum(value >= 0.8 for value in values)
        print(f"| {name} | {len(found):,} | {right / alike:.1%} | {right / max(len(found), 1):.1%} | "
              f"{sum(value >= 0.5 for value in values) / max(len(found), 1):.1%} |")

    print(f"{alike:,} pairs at 0.8 or above\n\n"
          "| distance | pairs | found | right at 0.8 | right at 0.5 |\n|---|---|---|---|---|")
    everything = matches(program, arguments.folder, [*window, "--distance", str(MOST)])
    for distance in range(3, MOST + 1):
        row(distance, [pair for pair in everything if pair[2] <= distance])
    row(f"{MOST}, --verify", matches(program, arguments.folder, [*window, "--distance", str(MOST), "--verify"]))


if __name__ == "__main__":
    main()
