#!/usr/bin/env python3
"""What dedup on Spark would move and take for 1, 10 and 100 TB of text, from the runs in the record.

    scale_model.py [--record FILE] [--cores N] [--document BYTES]
    scale_model.py --check

FILE has a line of JSON for each run of spark_dedup.py. Bytes shuffled are a sum over the documents, so they are modelled by
document: the mean of all runs, step by step. Time is a constant, for planning and starting jobs, and a share of the text: a line
through the runs, for as many cores as they had. --check predicts each run from the others, and fails where the bytes are off by more than 20 %.
"""
import argparse
import json
import os
import sys

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "record", "x86_64-intel-xeon-2c", "spark_dedup.jsonl")
TEXTS = "similar"  # the step that moves texts
NEARLY = 0.2
RUN_CORES = 2


def bytes_a_document(runs):
    """(without texts, texts)."""
    documents = sum(run["documents"] for run in runs)
    texts = sum(run["shuffled_bytes"].get(TEXTS, 0) for run in runs)
    return (sum(sum(run["shuffled_bytes"].values()) for run in runs) - texts) / documents, texts / documents


def line_through(points):
    """(constant, slope), neither below zero."""
    count = len(points)
    mean_x, mean_y = (sum(values) / count for values in zip(*points))
    spread = sum((x - mean_x)**2 for x, _ in points)
    slope = max(0, sum((x - mean_x) * (y - mean_y) for x, y in points) / spread) if spread else mean_y / mean_x
    return max(0, mean_y - slope * mean_x), slope


def check(runs):
    bad = 0
    for run in runs:
        others = [other for other in runs if other is not run]
        moved = sum(bytes_a_document(others)) * run["documents"]
        measured = sum(run["shuffled_bytes"].values())
        off = moved / measured - 1
        print(f"{run['text_bytes'] / 1e6:8.1f} MB: {measured / 1e6:.1f} MB shuffled, predicted {moved / 1e6:.1f} ({off:+.0%})")
        bad += abs(off) > NEARLY
    return bad


def predict(runs, cores, document_bytes):
    plain, texts = bytes_a_document(runs)
    _, slope = line_through([(run["text_bytes"], run["spark_seconds"]) for run in runs])
    kept = document_bytes or sum(run["text_bytes"] for run in runs) / sum(run["documents"] for run in runs)
    print(f"documents of {kept:.0f} bytes: {plain:.0f} bytes each are shuffled, and {texts:.0f} of texts to verify")
    print("text      documents  shuffled   texts      core-hours")
    for terabytes in (1, 10, 100):
        documents = terabytes * 1e12 / kept
        hours = slope * terabytes * 1e12 * RUN_CORES / 3600
        print(f"{terabytes:3} TB   {documents:11.3g}  {documents * plain / 1e12:6.2f} TB  {documents * texts / 1e12:6.2f} TB"
              f"  {hours:10.0f}" + (f"  ({hours / cores:.1f} h on {cores} cores)" if cores else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--record", default=RECORD)
    parser.add_argument("--cores", type=int)
    parser.add_argument("--document", type=float, help="mean bytes of a document; those of the runs if not given")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.record, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    if len(runs) < 2:
        sys.exit("scale_model: two runs at least are needed")
    if arguments.check:
        sys.exit(1 if check(runs) else 0)
    predict(runs, arguments.cores, arguments.document)


if __name__ == "__main__":
    main()
