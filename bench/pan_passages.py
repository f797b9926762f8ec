#!/usr/bin/env python3
"""How well `index query` finds passages that were edited hard: plagdet on a corpus with known truth, by kind of edit.

    pan_passages.py DATA [--bin FOLDER] [--scratch FOLDER] [--threads N] [--create FLAGS] [--query FLAGS]

DATA is a folder with docs.jsonl.zst ({id, kind: src|susp, text}), truth.jsonl.zst ({susp, src, category, passages})
and measure.py (PAN's recall, precision, granularity and plagdet), made from the text-alignment corpus of PAN 2013.
The sources are indexed, each suspicious document is queried, and the reported passages of the pairs in the truth are
scored: over all documents, and separately for those with even and odd numbers, so that a parameter can be chosen by
one half and judged by the other. Only what `index query` reports by default (--limit, --max-occurrences) is scored.
"""
import argparse
import collections
import importlib.util
import json
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
CLEAN = "01-no-plagiarism"


def lines_of(path):
    with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE) as unpacked:
        for line in unpacked.stdout:
            yield json.loads(line)


def load_measure(data):
    spec = importlib.util.spec_from_file_location("measure", data / "measure.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_documents(data, scratch):
    """Writes the documents by kind, as JSON lines."""
    paths = {kind: scratch / f"{kind}.jsonl" for kind in ("src", "susp")}
    files = {kind: open(path, "w", encoding="utf-8") for kind, path in paths.items()}
    for document in lines_of(data / "docs.jsonl.zst"):
        files[document["kind"]].write(json.dumps({"id": document["id"], "text": document["text"]}) + "\n")
    for file in files.values():
        file.close()
    return paths


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command, found=(0,)):
    """Returns the output of the command, and its time as text."""
    began, cpu = time.monotonic(), cpu_seconds()
    done = subprocess.run(list(map(str, command)), capture_output=True, check=False)
    if done.returncode not in found:
        sys.exit(f"pan_passages: {shlex.join(map(str, command))}: {done.stderr.decode(errors='replace')[-500:]}")
    return done.stdout, f"{time.monotonic() - began:.2f} s ({cpu_seconds() - cpu:.2f} CPU s)"


def detections(output):
    """Returns, by pair, (begin, end) in the suspicious document and (begin, end) in the source."""
    found = collections.defaultdict(list)
    for line in output.splitlines():
        row = json.loads(line)
        for place in row.get("occurrences", []):
            found[row["query"], place["id"]].append((place["query_begin"], place["query_end"], place["begin"],
                                                     place["end"]))
    return found


def judge(truth, found, measure, wanted=lambda number: True):
    """Returns how many clean pairs are reported, and the figures of PAN by category."""
    rows = collections.defaultdict(dict)
    clean = 0
    for row in truth:
        pair = row["susp"], row["src"]
        if not wanted(int(re.sub(r"\D", "", row["susp"]))):
            continue
        if row["category"] == CLEAN:
            clean += pair in found
            continue
        passages = [(*passage["susp_bytes"], *passage["src_bytes"]) for passage in row["passages"]]
        rows[row["category"]][pair] = rows["all"][pair] = passages
    return clean, {category: measure.measure(rows[category],
                                             {pair: found[pair] for pair in rows[category] if pair in found})
                   for category in sorted(rows)}


def report(title, clean, by_category):
    print(f"{title}: {clean} clean pairs reported")
    for category, figures in by_category.items():
        print(f"  {category:30}"
              + "  ".join(f"{name} {figures[name]:.3f}" for name in ("plagdet", "recall", "precision", "granularity")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build" / "release")
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--create", default="")
    parser.add_argument("--query", default="--edits heavy")
    arguments = parser.parse_args()
    program = (arguments.bin / "refrain").resolve()
    measure = load_measure(arguments.data)
    truth = list(lines_of(arguments.data / "truth.jsonl.zst"))
    with tempfile.TemporaryDirectory(prefix="refrain-pan-", dir=arguments.scratch) as folder:
        scratch = pathlib.Path(folder)
        paths = write_documents(arguments.data, scratch)
        common = ["--threads", arguments.threads, "--quiet", "--id-field", "id"]
        index = scratch / "index"
        _, create = timed([program, "index", "create", index, paths["src"], *common, *shlex.split(arguments.create)])
        size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
        text = sum(len(row["text"].encode()) for row in map(json.loads, open(paths["src"], encoding="utf-8")))
        output, query = timed([program, "index", "query", index, paths["susp"], *common, *shlex.split(arguments.query)],
                              found=(0, 1))
    found = detections(output)
    print(f"create {create}, index {100 * size / text:.1f} % of the text, query {query}")
    report("all", *judge(truth, found, measure))
    report("even", *judge(truth, found, measure, lambda number: number % 2 == 0))
    report("odd", *judge(truth, found, measure, lambda number: number % 2 == 1))


if __name__ == "__main__":
    main()
