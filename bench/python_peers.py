#!/usr/bin/env python3
"""pyrefrain beside other Python packages that remove near-duplicates: the same documents, in memory, as a dataset.

    python_peers.py [--documents 30000] [--threads 2] [PACKAGE...]

Packages: pyrefrain, rensa, datasketch, text-dedup; datasketch-1, which is datasketch with one process, as in its
manual; and sha256, a few lines that find only exact copies. The documents are those of dedup_world.py. All have the
same task: windows of five words, 128 lanes, threshold 0.8. Each runs in a process of its own, from the dataset to the
kept rows; importing and loading do not count, except for text-dedup, which is a program that reads and writes
datasets on disk. A planted pair whose sets of windows are at least 0.8 similar is found if not both of it are kept; a
package with less recall than pyrefrain gets its time, but is marked. Peers are installed into build/peers
(bench/twin/peers.txt).
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PYTHON = SOURCE / "build" / "peers" / "bin" / "python"
WINDOW, LANES, THRESHOLD = 5, 128, 0.8


def windows(text):
    words = text.lower().split()
    return [" ".join(words[i : i + WINDOW]) for i in range(len(words) - WINDOW + 1)]


def run_pyrefrain(dataset, threads):
    import pyrefrain

    return pyrefrain.dedup(dataset.data.table, threshold=THRESHOLD, threads=threads).kept_rows


def rensa_sketches(texts):
    from rensa import RMinHash

    return RMinHash.from_token_sets([windows(text) for text in texts], num_perm=LANES, seed=42)


def run_rensa(dataset, threads):
    import multiprocessing

    from rensa import RMinHashDeduplicator

    texts = dataset["text"][:]
    judge = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=LANES, use_lsh=True)
    kept, row = [], 0
    with multiprocessing.Pool(threads) as pool:
        for sketches in pool.imap(rensa_sketches, (texts[i : i + 500] for i in range(0, len(texts), 500))):
            pairs = [(str(row + i), sketch) for i, sketch in enumerate(sketches)]
            kept += [row + i for i, new in enumerate(judge.add_pairs(pairs)) if new]
            row += len(pairs)
    return kept


def datasketch_sketches(texts):
    from datasketch import LeanMinHash, MinHash

    found = []
    for text in texts:
        sketch = MinHash(num_perm=LANES, seed=42)
        sketch.update_batch([window.encode() for window in windows(text)])
        found.append(LeanMinHash(sketch))
    return found


def run_datasketch(dataset, threads):
    import multiprocessing

    from datasketch import MinHashLSH

    texts = dataset["text"][:]
    index = MinHashLSH(threshold=THRESHOLD, num_perm=LANES)
    kept, row = [], 0
    with multiprocessing.Pool(threads) as pool:
        for sketches in pool.imap(datasketch_sketches, (texts[i : i + 500] for i in range(0, len(texts), 500))):
            for sketch in sketches:
                if not index.query(sketch):
                    index.insert(row, sketch)
                    kept.append(row)
                row += 1
    return kept


def run_datasketch_alone(dataset, threads):
    return run_datasketch(dataset, 1)


def run_text_dedup(dataset, threads):
    import contextlib

    import datasets
    from text_dedup import minhash

    with tempfile.TemporaryDirectory(prefix="refrain-peers-") as folder, contextlib.redirect_stdout(sys.stderr):
        dataset.save_to_disk(f"{folder}/given")
        minhash.main(["--path", f"{folder}/given", "--local", "--cache_dir", f"{folder}/cache",
                      "--output", f"{folder}/kept", "--column", "text", "--threshold", str(THRESHOLD),
                      "--ngram", str(WINDOW), "--num_perm", str(LANES), "--num_proc", str(threads),
                      "--hash_func", "xxh3"], standalone_mode=False)
        kept = set(datasets.load_from_disk(f"{folder}/kept")["id"])
    return [row for row, id in enumerate(dataset["id"]) if id in kept]


def run_sha256(dataset, threads):
    import hashlib

    first = {}
    for row, text in enumerate(dataset["text"][:]):
        first.setdefault(hashlib.sha256(text.encode()).digest(), row)
    return list(first.values())


PACKAGES = {"pyrefrain": (run_pyrefrain, "pyrefrain"), "rensa": (run_rensa, "rensa"),
            "datasketch": (run_datasketch, "datasketch"), "datasketch-1": (run_datasketch_alone, "datasketch"),
            "text-dedup": (run_text_dedup, "text_dedup.minhash"), "sha256": (run_sha256, "hashlib")}


def work(package, path, threads):
    """Runs in a separate process; returns {"seconds", "cpu", "kept"}."""
    import datasets

    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    dataset = datasets.Dataset.from_dict({"text": [row["text"] for row in rows], "id": [row["id"] for row in rows]})
    del rows
    run, module = PACKAGES[package]
    __import__(module)
    used = lambda: sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu, begin = used(), time.perf_counter()
    kept = run(dataset, threads)
    print(json.dumps({"seconds": time.perf_counter() - begin, "cpu": used() - cpu, "kept": list(map(int, kept))}))


def planted_pairs(path):
    """Returns pairs of rows of which one was made from the other, and which are similar."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    places = {row["id"]: i for i, row in enumerate(rows)}
    pairs = []
    for i, row in enumerate(rows):
        if row["of"] in places:
            a, b = set(windows(row["text"])), set(windows(rows[places[row["of"]]]["text"]))
            if a and b and len(a & b) / len(a | b) >= THRESHOLD:
                pairs.append((i, places[row["of"]]))
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    options = parser.parse_args()
    if unknown := sorted(set(options.packages) - set(PACKAGES)):
        parser.error(f"{unknown[0]}: not one of {', '.join(PACKAGES)}")
    if options.work:
        return work(options.packages[0], options.work, options.threads)
    subprocess.run([sys.executable, SOURCE / "bench" / "twin" / "make_peers.py", SOURCE / "build" / "peers"],
                   check=True)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE / "build" / "release" / "python"), "HF_HUB_OFFLINE": "1"}
    with tempfile.TemporaryDirectory(prefix="refrain-peers-") as folder:
        subprocess.run([sys.executable, SOURCE / "bench" / "dedup_world.py", "--documents", str(options.documents),
                        folder], check=True)
        path = pathlib.Path(folder) / "documents.jsonl"
        pairs = planted_pairs(path)
        print(f"{options.documents} documents, {path.stat().st_size / 1e6:.0f} MB, {len(pairs)} planted pairs;"
              f" {options.threads} threads or processes")
        first = None
        for package in options.packages:
            command = [PYTHON, __file__, package, "--work", path, "--threads", str(options.threads)]
            told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True,
                                             env=environment).stdout)
            kept = set(told["kept"])
            recall = sum(not (a in kept and b in kept) for a, b in pairs) / len(pairs)
            first = first or (told, recall)
            mark = " (below)" if recall < first[1] else ""
            print(f"{package:12} {told['seconds']:8.2f} s ({told['seconds'] / first[0]['seconds']:5.1f} times)"
                  f"  {told['cpu']:8.2f} CPU s ({told['cpu'] / first[0]['cpu']:5.1f} times)"
                  f"  kept {len(kept)}  recall {recall:.4f}{mark}")


if __name__ == "__main__":
    main()
