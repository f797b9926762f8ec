#!/usr/bin/env python3
"""What dedup on Spark takes for 1, 10 and 100 TB of text: bytes shuffled, disk, memory, machine-hours and hours, and
what breaks first.

    scale_model.py [--record FILE] [--document BYTES] [--machines N] [--cores N] [--gbit N] [--busy SHARE]
    scale_model.py --check [--record FILE]

FILE has a line of JSON for each run of spark_dedup.py; everything except the machines comes from there. Shuffled and
written bytes are sums over documents (sketches) and over their bytes (texts), so they are proportional. CPU seconds
are a linear fit to the runs: Spark's startup, and a cost per byte. At this scale no task holds all sketches and Spark
broadcasts nothing, so the figures for terabytes use runs with --spread. Wall time depends on what else the cores do,
so it is not modeled but derived: CPU seconds divided by cores that are `busy` for this share of the time, plus all
shuffled bytes divided by the network rate. --check predicts each run from the others of its kind, and fails if bytes
or CPU seconds are off by more than 20 %.
"""
import argparse
import json
import math
import os
import sys

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "record", "x86_64-intel-xeon-2c", "spark_dedup.jsonl")
TEXTS = ("similar", "crowd_texts")  # the steps that move texts
NEARLY = 0.2
PARTITION_BYTES = 200e6  # of text, as docs/spark.md advises
SHARED = 1000  # 64-bit numbers shared by several ids, which pyrefrain.spark can replace


class Model:
    def __init__(self, runs):
        documents = sum(run["documents"] for run in runs)
        text = sum(run["text_bytes"] for run in runs)
        self.document_bytes = text / documents
        texts = sum(run["shuffled_bytes"].get(step, 0) for run in runs for step in TEXTS)
        self.sketches_a_document = (sum(sum(run["shuffled_bytes"].values()) for run in runs) - texts) / documents
        self.texts_a_byte = texts / text
        self.checkpoint_a_document = sum(run["checkpoint_bytes"] for run in runs) / documents
        self.worker_bytes = max(run["worker_bytes"] for run in runs)
        self.start, self.cpu_a_byte = line([(run["text_bytes"], run["spark_cpu_seconds"]) for run in runs])

    def shuffled(self, text, documents):
        return documents * self.sketches_a_document + text * self.texts_a_byte

    def cpu(self, text):
        return self.start + text * self.cpu_a_byte


def line(points):
    """Returns (a, b) of y = a + b x, by least squares of relative errors, so that a large run does not outweigh the
    others."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points))
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) / spread
    return mean_y - slope * mean_x, slope


def check(runs):
    if len({run["text_bytes"] for run in runs}) < 3:
        sys.exit("scale_model: --check needs runs of three sizes")
    bad = 0
    for run in runs:
        others = [other for other in runs if other is not run]
        model = Model(others)
        predicted = {"MB shuffled": (model.shuffled(run["text_bytes"], run["documents"]) / 1e6,
                                     sum(run["shuffled_bytes"].values()) / 1e6),
                     "CPU s": (model.cpu(run["text_bytes"]), run["spark_cpu_seconds"])}
        for unit, (told, measured) in predicted.items():
            off = told / measured - 1
            print(f"{run['text_bytes'] / 1e6:8.1f} MB: {measured:8.1f} {unit}, predicted {told:8.1f} ({off:+.0%})")
            bad += abs(off) > NEARLY
    return bad


def predict(model, options):
    size = options.document or model.document_bytes
    cores = options.machines * options.cores
    print(f"Documents of {size:.0f} bytes: {model.sketches_a_document:.0f} bytes of sketches shuffled for each,"
          f" {model.texts_a_byte:.2f} bytes of texts for a byte,")
    print(f"{model.checkpoint_a_document:.0f} bytes of intermediate results for each,"
          f" {model.cpu_a_byte * 1e9:.0f} CPU s for a GB, {model.worker_bytes / 1e6:.0f} MB for a worker at most.")
    print(f"{options.machines} machines of {options.cores} cores that are {options.busy:.0%} busy,"
          f" {options.gbit:g} Gbit/s each:\n")
    print("| text | documents | shuffled: sketches, texts | disk per machine | partitions | CPU hours | hours |"
          " machine-hours |")
    print("|---|---|---|---|---|---|---|---|")
    for terabytes in (1, 10, 100):
        text = terabytes * 1e12
        documents = text / size
        sketches, texts = documents * model.sketches_a_document, text * model.texts_a_byte
        disk = (sketches + texts + documents * model.checkpoint_a_document) / options.machines
        cpu_hours = model.cpu(text) / 3600
        network_hours = (sketches + texts) * 8 / (options.machines * options.gbit * 1e9) / 3600
        hours = cpu_hours / (cores * options.busy) + network_hours
        print(f"| {terabytes} TB | {documents / 1e6:,.0f} million | {sketches / 1e12:.1f}, {texts / 1e12:.1f} TB |"
              f" {disk / 1e12:.2g} TB | {text / PARTITION_BYTES:,.0f} | {cpu_hours:,.0f} | {hours:.1f} |"
              f" {hours * options.machines:,.0f} |")
    print("\nWhat breaks first:")
    for terabytes in (1, 10, 100):
        documents = terabytes * 1e12 / size
        partitions = terabytes * 1e12 / PARTITION_BYTES
        shared = documents**2 / 2**65
        again = ", so all is sketched twice" if shared >= 1 else ""
        print(f"- {terabytes} TB: a shuffle has {partitions**2:.1e} blocks; {shared:.2g} pairs of ids share a number of"
              f" 64 bits{again}.")
    most = math.sqrt(SHARED * 2**65)
    print(f"- More than {most:.1g} documents ({most * size / 1e12:.0f} TB) cannot be numbered.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--record", default=RECORD)
    parser.add_argument("--document", type=float, help="mean bytes of a document; those of the runs if not given")
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--cores", type=int, default=16, help="of a machine [16]")
    parser.add_argument("--gbit", type=float, default=10, help="Gbit/s of a machine's network [10]")
    parser.add_argument("--busy", type=float, default=0.7, help="share of the time that cores compute [0.7]")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with open(options.record, encoding="utf-8") as file:
        runs = [json.loads(one) for one in file]
    spread = [run for run in runs if run["spread"]]
    if options.check:
        sys.exit(1 if check([run for run in runs if not run["spread"]]) + check(spread) else 0)
    predict(Model(spread), options)


if __name__ == "__main__":
    main()
