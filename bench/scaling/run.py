#!/usr/bin/env python3
"""Every verb on every layout of the same text with 1, 2, 4, ... threads: seconds, memory, waits, and each stage's
seconds.

    bench/scaling/run.py --program build/release/refrain --kernels build/release/bench/kernels --bytes 4G
        --out record.json

Needs nothing but Python, and the programs, which may be unpacked from a package. The answer of every run is compared
with that of the first number of threads before its time counts. With --kernels it tells how much of the speed-up that
threads reach where they share nothing (kernels.cc) the verb reaches.
"""
import argparse
import gzip
import hashlib
import itertools
import json
import multiprocessing
import os
import platform
import random
import shutil
import subprocess
import sys
import time

LAYOUTS = ("one", "eight", "many", "gzip", "zstd", "parquet")
VERBS = ("fingerprint", "near", "dedup", "substrings", "ngrams", "index", "query", "extract")
# The kernel in which a verb spends most of its time.
KERNELS = {"fingerprint": "fingerprints", "near": "fingerprints", "dedup": "signatures", "substrings": "samples",
           "ngrams": "ngrams", "index": "blots", "query": "blots", "extract": "blots"}
SHARDS = 64  # made in parallel, and combined into files
# Shorter runs are made twice, and the better one counts, because a virtual machine is slow when it first touches
# memory.
SHORT_SECONDS = 4


def parse_bytes(text):
    units = {"K": 10, "M": 20, "G": 30}
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def words():
    """Returns a vocabulary with the frequencies of a language: few frequent words, many rare ones."""
    made = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgk"
    return ["".join(made.choice(letters) for _ in range(2 + made.randrange(9))) for _ in range(30000)]


VOCABULARY = words()
FREQUENCIES = list(itertools.accumulate(1 / (rank + 10) for rank in range(len(VOCABULARY))))


def make_shard(task):
    """Writes documents of 4 KB on average; one in ten has an earlier one's text, one in ten most of it."""
    path, number, size = task
    made = random.Random(number)
    earlier = []
    written = 0
    with open(path, "w", encoding="utf-8") as file:
        count = 0
        while written < size:
            kind = made.randrange(10)
            if kind == 0 and earlier:
                text = made.choice(earlier)
            elif kind == 1 and earlier:
                cut = made.choice(earlier).split(" ")
                for _ in range(max(1, len(cut) // 100)):
                    cut[made.randrange(len(cut))] = made.choice(VOCABULARY)
                text = " ".join(cut)
            else:
                length = 20 + int(made.expovariate(1 / 660))
                text = " ".join(made.choices(VOCABULARY, cum_weights=FREQUENCIES, k=length))
            if len(earlier) < 500:
                earlier.append(text)
            else:
                earlier[made.randrange(500)] = text
            line = json.dumps({"id": f"{number}-{count}", "text": text}) + "\n"
            file.write(line)
            written += len(line)
            count += 1


def pack(task):
    source, target = task
    with open(source, "rb") as file, gzip.open(target, "wb", compresslevel=4) as packed:
        shutil.copyfileobj(file, packed, 1 << 20)


def join(sources, target):
    with open(target, "wb") as out:
        for source in sources:
            with open(source, "rb") as file:
                shutil.copyfileobj(file, out, 1 << 22)


def make_text(folder, size):
    shards = os.path.join(folder, "shards")
    os.makedirs(shards, exist_ok=True)
    paths = [os.path.join(shards, f"{number:03}.jsonl") for number in range(SHARDS)]
    with multiprocessing.Pool() as pool:
        pool.map(make_shard, [(path, number, size // SHARDS) for number, path in enumerate(paths)], chunksize=1)
    return paths


def write_layout(layout, shards, folder):
    """Writes the text in this layout; returns its path, and its bytes on disk."""
    target = os.path.join(folder, layout)
    os.makedirs(target, exist_ok=True)
    eighths = [shards[part * SHARDS // 8:(part + 1) * SHARDS // 8] for part in range(8)]
    if layout == "one":
        join(shards, os.path.join(target, "all.jsonl"))
    elif layout == "eight":
        for part, some in enumerate(eighths):
            join(some, os.path.join(target, f"{part}.jsonl"))
    elif layout == "many":
        split(shards, target, 400)
    elif layout == "gzip":
        plain = os.path.join(folder, "plain")
        os.makedirs(plain, exist_ok=True)
        tasks = []
        for part, some in enumerate(eighths):
            join(some, os.path.join(plain, f"{part}.jsonl"))
            tasks.append((os.path.join(plain, f"{part}.jsonl"), os.path.join(target, f"{part}.jsonl.gz")))
        with multiprocessing.Pool() as pool:
            pool.map(pack, tasks, chunksize=1)
        shutil.rmtree(plain)
    elif layout == "zstd":
        if shutil.which("zstd") is None:
            return None
        for part, some in enumerate(eighths):
            whole = os.path.join(target, f"{part}.jsonl")
            join(some, whole)
            subprocess.run(["zstd", "-q", "-3", "--rm", "-T0", whole], check=True)
    elif layout == "parquet":
        try:
            import pyarrow.json
            import pyarrow.parquet
        except ImportError:
            return None
        for part, some in enumerate(eighths):
            whole = os.path.join(target, f"{part}.jsonl")
            join(some, whole)
            table = pyarrow.json.read_json(whole)
            pyarrow.parquet.write_table(table, os.path.join(target, f"{part}.parquet"), row_group_size=20000)
            os.remove(whole)
    return target


def split(shards, target, files):
    """Writes the lines of the shards, in order, to `files` files."""
    size = sum(os.path.getsize(path) for path in shards)
    number = 0
    written = 0
    out = open(os.path.join(target, "000.jsonl"), "wb")
    for path in shards:
        with open(path, "rb") as file:
            for line in file:
                if written >= (number + 1) * size / files and number + 1 < files:
                    out.close()
                    number += 1
                    out = open(os.path.join(target, f"{number:03}.jsonl"), "wb")
                out.write(line)
                written += len(line)
    out.close()


def digest_of(path):
    total = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while piece := file.read(1 << 22):
            total.update(piece)
    return total.hexdigest()


def answer(verb, out, printed):
    """Returns the part of the answer that must be the same for any number of threads."""
    if verb in ("fingerprint", "query", "extract"):
        assert printed, f"{verb} printed nothing"
        return hashlib.blake2b(printed, digest_size=16).hexdigest()
    found = {}
    for above, _, names in os.walk(out):
        for name in names:
            # Without times and memory, and without the unique identity of an index.
            if name not in ("summary.json", "report.html", "manifest"):
                path = os.path.join(above, name)
                found[os.path.relpath(path, out)] = digest_of(path)
    assert found, f"{verb} wrote nothing"
    return hashlib.blake2b(repr(sorted(found.items())).encode(), digest_size=16).hexdigest()


def command_of(verb, source, out):
    index = os.path.join(os.path.dirname(out), "index-" + os.path.basename(source))
    return {
        "fingerprint": ["fingerprint", source],
        "near": ["near", source, "-o", out],
        "dedup": ["dedup", source, "-o", out, "--apply"],
        "substrings": ["substrings", source, "-o", out],
        "ngrams": ["ngrams", "build", source, "-o", out, "-n", "8"],
        "index": ["index", "create", index, source],
        "query": ["index", "query", index, os.path.join(os.path.dirname(out), "shards", "000.jsonl"), "--output", "tsv",
                  "--no-text"],
        "extract": ["index", "extract", index],
    }[verb], index


def run(program, verb, source, folder, threads, memory):
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    arguments, index = command_of(verb, source, out)
    if verb == "index":
        shutil.rmtree(index, ignore_errors=True)
    printed_to = os.path.join(folder, "printed")
    command = [program, *arguments, "--threads", str(threads), "--memory", memory, "-q"]
    began = time.monotonic()
    with open(printed_to, "wb") as printed:
        child = subprocess.Popen(command, stdout=printed, stderr=subprocess.PIPE,
                                 env={**os.environ, "TMPDIR": folder})
        error = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - began
    if status != 0:
        return {"error": error.decode(errors="replace").strip()}
    with open(printed_to, "rb") as printed:
        told = printed.read()
    result = {"seconds": round(seconds, 3), "rss_bytes": usage.ru_maxrss * 1024,
              "user": round(usage.ru_utime, 2), "system": round(usage.ru_stime, 2),
              "waits": usage.ru_nvcsw, "answer": answer(verb, index if verb == "index" else out, told)}
    summary = os.path.join(out, "summary.json")
    if os.path.exists(summary):
        with open(summary, encoding="utf-8") as file:
            stages = json.load(file).get("run", {}).get("stages", [])
        result["stages"] = {stage["stage"]: round(stage["seconds"], 3) for stage in stages}
    return result


def kernels(program, text, threads):
    """Returns, by kernel and number of threads, the speed-up over one thread of threads that share nothing."""
    done = subprocess.run([program, text, *threads.split(",")], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    alone = {row["kernel"]: row["bytes"] / row["seconds"] for row in rows if row["threads"] == 1}
    found = {(row["kernel"], row["threads"]): round(row["bytes"] / row["seconds"] / alone[row["kernel"]], 2)
             for row in rows if row["kernel"] in alone}
    for (name, count), factor in found.items():
        print(f"kernel {name:13} {count:3}  x{factor:5.2f}", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/refrain")
    parser.add_argument("--folder", default="/dev/shm/refrain-scaling")
    parser.add_argument("--bytes", default="1G", help="of text, as JSONL")
    parser.add_argument("--memory", default="8G")
    parser.add_argument("--threads", default="1,2,4,8,16")
    parser.add_argument("--layouts", default=",".join(LAYOUTS))
    parser.add_argument("--verbs", default=",".join(VERBS))
    parser.add_argument("--kernels", help="the program kernels")
    parser.add_argument("--out", help="a file for the record")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    os.makedirs(options.folder, exist_ok=True)
    record = {"date": time.strftime("%Y-%m-%d"),
              "machine": {"cores": os.cpu_count(), "architecture": platform.machine()},
              "bytes": parse_bytes(options.bytes), "memory": options.memory, "runs": []}
    began = time.monotonic()
    shards = make_text(options.folder, record["bytes"])
    print(f"text: {time.monotonic() - began:.0f} s", flush=True)
    private = kernels(options.kernels, shards[0], options.threads) if options.kernels else {}
    record["kernels"] = [{"kernel": name, "threads": threads, "speed_up": factor}
                         for (name, threads), factor in private.items()]
    wrong = 0
    for layout in options.layouts.split(","):
        source = write_layout(layout, shards, options.folder)
        if source is None:
            print(f"{layout}: left out, for want of a program that writes it", flush=True)
            continue
        for verb in options.verbs.split(","):
            expected = None
            alone = {}
            for threads in (int(count) for count in options.threads.split(",")):
                runs = [run(program, verb, source, options.folder, threads, options.memory)]
                if runs[0].get("seconds", SHORT_SECONDS) < SHORT_SECONDS:
                    runs.append(run(program, verb, source, options.folder, threads, options.memory))
                expected = expected or runs[0].get("answer")
                same = all(one.get("answer") == expected for one in runs)
                found = min(runs, key=lambda one: one.get("seconds", 0))
                wrong += not same
                if threads == 1:
                    alone = found
                if "seconds" in found and "seconds" in alone:
                    found["speed_up"] = round(alone["seconds"] / found["seconds"], 2)
                    if (KERNELS[verb], threads) in private:
                        found["of_kernel"] = round(found["speed_up"] / private[KERNELS[verb], threads], 3)
                record["runs"].append({"layout": layout, "verb": verb, "threads": threads, **found})
                told = found.get("error") or (
                    f"{found['seconds']:7.2f} s  x{found.get('speed_up', 0):5.2f} {found.get('of_kernel', 0):4.0%}  "
                    f"user {found['user']:7.2f}  sys {found['system']:6.2f}  {found['rss_bytes'] / 2**20:6.0f} MiB  "
                    f"{found['waits']:7} waits  {found.get('stages', '')}")
                print(f"{layout:8} {verb:11} {threads:3}  {told}{'' if same else '  ANOTHER ANSWER'}", flush=True)
                if options.out:
                    with open(options.out, "w", encoding="utf-8") as file:
                        json.dump(record, file, indent=1)
        shutil.rmtree(source)
        for name in os.listdir(options.folder):
            if name.startswith("index-"):
                shutil.rmtree(os.path.join(options.folder, name))
    shutil.rmtree(options.folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
