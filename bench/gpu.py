#!/usr/bin/env python3
"""near and dedup, from JSONL in memory to their results, on the GPU of this machine and on its cores, stage by stage.

  bench/gpu.py BIN [--bytes 8e9] [--folder /dev/shm] [--threads 16]

BIN holds refrain and librefrain_cuda.so. Makes the input, checks that the GPU gives the CPU's bytes, and prints a
table.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

FILES = 16
COMMANDS = (("near", "--distance", "3"), ("near",), ("dedup",))
TIMED = ("summary.json", "report.html")  # the only results that contain times
COPIES = 0.05  # share of copies, and share of documents that differ in a few words


def write_part(arguments):
    """Writes a file of documents of about 5 KB, made of phrases, because Python takes too long word by word."""
    path, size, seed = arguments
    shared = random.Random(1)
    words = ["".join(shared.choices("etaoinshrdlucmfwypvbgkjqxz", weights=range(26, 0, -1), k=shared.randint(2, 10)))
             for _ in range(100000)]
    phrases = [" ".join(shared.choices(words, k=6)) for _ in range(300000)]
    rng = random.Random(seed)
    recent = []
    written = 0
    with open(path, "w", encoding="ascii") as file:
        while written < size:
            dice = rng.random()
            if recent and dice < 2 * COPIES:
                parts = rng.choice(recent)[:]
                if dice < COPIES:
                    parts[rng.randrange(len(parts))] = rng.choice(phrases)
            else:
                parts = rng.choices(phrases, k=int(rng.lognormvariate(4.6, 0.8)) + 1)
                recent.append(parts)
                if len(recent) > 1000:
                    recent[rng.randrange(1000)] = recent.pop()
            written += file.write('{"id": %d, "text": "%s"}\n' % (rng.getrandbits(48), ". ".join(parts)))


def make_input(folder, size):
    os.makedirs(folder)
    parts = [(os.path.join(folder, f"part-{i:02}.jsonl"), size // FILES, i) for i in range(FILES)]
    with multiprocessing.Pool() as pool:
        pool.map(write_part, parts)
    return [path for path, _, _ in parts]


def timed(program, verb, flags, files, output, threads, device):
    """Returns wall seconds, the run's own report, and the hash of its results."""
    shutil.rmtree(output, ignore_errors=True)
    begin = time.monotonic()
    subprocess.run([program, verb, *flags, *files, "-o", output, "--threads", str(threads), "--memory", "48G", "-q",
                    "--device", device], check=True)
    seconds = time.monotonic() - begin
    with open(os.path.join(output, "summary.json"), encoding="utf-8") as file:
        run = json.load(file)["run"]
    digest = hashlib.sha256()
    for path in sorted(path for path in pathlib.Path(output).rglob("*") if path.is_file() and path.name not in TIMED):
        digest.update(str(path.relative_to(output)).encode())
        digest.update(path.read_bytes())
    shutil.rmtree(output)
    return seconds, run, digest.hexdigest()


def stages(run):
    return " ".join(f"{stage['stage']} {stage['seconds']:.2f}" for stage in run["stages"])


def show(what, device, size, seconds, run):
    print(f"{what:<24} {device:<8} {seconds:7.2f} s {size / seconds * 1e-9:6.2f} GB/s  {stages(run)}", flush=True)
    used = run.get("device")
    if used:
        print(f"{'':<24} bound by {used['bound_by']}; {used['documents']} documents,"
              f" {used['left_to_cpu']} left to the CPU; "
              + ", ".join(f"{name} {used[name]:.2f}" for name in used if name.endswith("seconds")), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--bytes", type=float, default=8e9)
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    program = os.path.join(os.path.abspath(options.bin), "refrain")
    size = int(options.bytes)
    if shutil.disk_usage(options.folder).free < 4 * size:
        sys.exit(f"{options.folder}: has no room for four times {size} bytes; name another with --folder")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        files = make_input(os.path.join(folder, "in"), size)
        size = sum(map(os.path.getsize, files))
        output = os.path.join(folder, "out")
        print(f"{size / 1e9:.2f} GB of JSONL in {FILES} files in memory, {options.threads} threads; seconds")
        for verb, *flags in COMMANDS:
            what = " ".join((verb, *flags))
            runs = {device: [timed(program, verb, flags, files, output, options.threads, device) for _ in range(2)]
                    for device in ("cpu", "cuda")}
            if len({answer for both in runs.values() for _, _, answer in both}) != 1:
                sys.exit(f"{what}: the answers differ")
            for device, both in runs.items():
                show(what, device, size, *min(both, key=lambda one: one[0])[:2])
        quarter = files[:FILES // 4]
        size = sum(map(os.path.getsize, quarter))
        print(f"\n{size / 1e9:.2f} GB, on the CPU")
        for verb in ("near", "dedup"):
            threads = 1
            while threads <= options.threads:
                seconds, run, _ = timed(program, verb, (), quarter, output, threads, "cpu")
                show(f"{verb}, {threads} threads", "cpu", size, seconds, run)
                threads *= 2


if __name__ == "__main__":
    main()
