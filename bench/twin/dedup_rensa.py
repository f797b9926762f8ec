#!/usr/bin/env python3
"""The same job with rensa, as quick as its Python interface allows: a peer to measure `refrain dedup` against.

    dedup_rensa.py FILE --output FILE [--threshold 0.8] [--window 5] [--permutations 128] [--processes 2]

FILE is JSONL with "id" and "text"; the ids of the kept documents are written, one per line: the first of those that
its deduplicator considers similar. Most of the time is not spent in rensa but on windows of words, which Python
makes. So each process makes them, and their sketches, for some documents at a time, and returns only sketches. (Its
rho sketches, which look at a sample of the windows, need all of them made just the same, and cannot be passed between
processes.) Prints the seconds it took after everything was imported.
"""
import argparse
import itertools
import json
import multiprocessing
import os
import pathlib
import time

os.environ["RAYON_NUM_THREADS"] = "1"  # per process; there are as many processes as cores
from rensa import RMinHash, RMinHashDeduplicator  # noqa: E402

AT_A_TIME = 500


def sketches(job):
    lines, window, permutations = job
    ids, windows = [], []
    for line in lines:
        document = json.loads(line)
        words = document["text"].lower().split()
        ids.append(document["id"])
        windows.append(list(map(" ".join, zip(*(itertools.islice(words, first, None) for first in range(window))))))
    return list(zip(ids, RMinHash.from_token_sets(windows, num_perm=permutations, seed=42)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--threshold", type=float, default=0.8)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--permutations", type=int, default=128)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    begin = time.perf_counter()
    dedup = RMinHashDeduplicator(threshold=options.threshold, num_perm=options.permutations, use_lsh=True)
    with open(options.file, "rb") as file, multiprocessing.Pool(options.processes) as pool, \
            open(options.output, "w", encoding="utf-8") as out:
        parts = iter(lambda: list(itertools.islice(file, AT_A_TIME)), [])
        for pairs in pool.imap(sketches, ((lines, options.window, options.permutations) for lines in parts)):
            out.writelines(name + "\n" for (name, _), kept in zip(pairs, dedup.add_pairs(pairs)) if kept)
    print(json.dumps({"seconds": time.perf_counter() - begin}))


if __name__ == "__main__":
    main()
