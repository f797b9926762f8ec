#!/usr/bin/env python3
"""What dedup on Spark would move for 1, 10 and 100 TB of text, from the runs in the record.

    scale_model.py [--record FILE] [--document BYTES]
    scale_model.py --check [--record FILE]

FILE has a line of JSON for each run of spark_dedup.py. Bytes shuffled are a sum over the documents, so they are modelled by
document: the mean of all runs. --check predicts each run from the others, and fails where one is off by more than 20 %. Time is not
modelled: the runs of the record were made on cores that others used, too.
"""
import argparse
import json
import os
import sys

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "record", "x86_64-intel-xeon-2c", "spark_dedup.jsonl")
TEXTS = "similar"  # the step that moves texts
NEARLY = 0.2


def bytes_a_document(runs):
    """(without texts, texts)."""
    documents = sum(run["documents"] for run in runs)
    texts = sum(run["shuffled_bytes"].get(TEXTS, 0) for run in runs)
    return (sum(sum(run["shuffled_bytes"].values()) for run in runs) - texts) / documents, texts / documents


def check(runs):
    if len(runs) < 2:
        sys.exit("scale_model: --check needs two runs")
    bad = 0
    for run in runs:
        predicted = sum(bytes_a_document([other for other in runs if other is not run])) * run["documents"]
        measured = sum(run["shuffled_bytes"].values())
        off = predicted / measured - 1
        print(f"{run['text_bytes'] / 1e6:8.1f} MB: {measured / 1e6:.1f} MB shuffled, predicted {predicted / 1e6:.1f} ({off:+.0%})")
        bad += abs(off) > NEARLY
    return bad


def predict(runs, document_bytes):
    plain, texts = bytes_a_document(runs)
    measured = sum(run["text_bytes"] for run in runs) / sum(run["documents"] for run in runs)
    size = document_bytes or measured
    texts *= size / measured
    print(f"documents of {size:.0f} bytes: {plain:.0f} bytes of each are shuffled, and {texts:.0f} of texts to verify")
    for terabytes in (1, 10, 100):
        documents = terabytes * 1e12 / size
        print(f"{terabytes:3} TB: {documents:.2g} documents, {documents * plain / 1e12:.2f} TB shuffled, {documents * texts / 1e12:.2f} TB of texts")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--record", default=RECORD)
    parser.add_argument("--document", type=float, help="mean bytes of a document; those of the runs if not given")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.record, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    if arguments.check:
        sys.exit(1 if check(runs) else 0)
    predict(runs, arguments.document)


if __name__ == "__main__":
    main()
