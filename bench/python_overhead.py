#!/usr/bin/env python3
"""Measures what Python costs: dedup of texts in memory, called from Python, beside the program over a file of the same
texts.

    python_overhead.py [--megabytes 1000] [--threads 2]

The texts are those of dedup_world.py, repeated, where each copy has different words. The file is in Arrow's format,
whose columns the program reads in place. Both must decide alike, or there is no figure. CPU seconds are those of the
whole process less the time that Python takes to load the table; growth is the increase of its peak memory during the
call.
"""
import argparse
import hashlib
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(SOURCE / "build" / name) for name in ("release/python", "deps/python", "deps/site-packages")]


def make_table(folder, megabytes):
    import pyarrow as pa

    subprocess.run([sys.executable, SOURCE / "bench" / "dedup_world.py", "--documents", "20000", folder], check=True)
    with open(folder / "documents.jsonl", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    path, written, copy = folder / "texts.arrow", 0, 0
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.schema([("text", pa.large_string())])) as writer:
        while written < megabytes * 1e6:
            # Every ninth word gets the number of the copy, so that copies are not duplicates of each other.
            batch = [" ".join(f"{word}{copy}" if i % 9 == 0 else word for i, word in enumerate(text.split(" ")))
                     for text in texts]
            writer.write(pa.record_batch({"text": pa.array(batch, pa.large_string())}))
            written += sum(map(len, batch))
            copy += 1
    return path


def digest(kept):
    return hashlib.sha256(bytes(kept)).hexdigest()


def in_python(path, threads):
    """Runs in a separate process."""
    import pyarrow as pa

    import pyrefrain

    with pa.OSFile(str(path), "rb") as source:
        table = pa.ipc.open_file(source).read_all()
    usage = lambda: resource.getrusage(resource.RUSAGE_SELF)
    before, begin = usage(), time.perf_counter()
    found = pyrefrain.dedup(table, threads=threads)
    seconds, after = time.perf_counter() - begin, usage()
    keep = pa.table(found)["keep"].to_numpy().astype("uint8").tobytes()
    print(json.dumps({"seconds": seconds, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                      "growth": (after.ru_maxrss - before.ru_maxrss) / 1024, "text": table.nbytes / 2**20,
                      "kept": digest(keep)}))


def in_program(path, folder, threads):
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([SOURCE / "build" / "release" / "refrain", "dedup", path, "-o", folder / "run",
                    "--threads", str(threads), "--force", "-q"], check=True)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(folder / "run" / "decisions.jsonl", encoding="utf-8") as file:
        keep = [json.loads(line)["keep"] for line in file]
    return {"seconds": seconds, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            "kept": digest(keep)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return in_python(options.work, options.threads)
    with tempfile.TemporaryDirectory(prefix="refrain-overhead-") as name:
        folder = pathlib.Path(name)
        path = make_table(folder, options.megabytes)
        program = in_program(path, folder, options.threads)
        python = json.loads(subprocess.run([sys.executable, __file__, "--work", path,
                                            "--threads", str(options.threads)], check=True, capture_output=True,
                                           text=True).stdout)
        if program["kept"] != python["kept"]:
            sys.exit("python_overhead: the two do not decide alike")
        print(f"dedup of {python['text']:.0f} MiB of text, {options.threads} threads")
        print(f"program  {program['seconds']:7.2f} s  {program['cpu']:7.2f} CPU s")
        print(f"Python   {python['seconds']:7.2f} s  {python['cpu']:7.2f} CPU s"
              f"  {100 * (python['cpu'] / program['cpu'] - 1):+.1f}%  memory grew by {python['growth']:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
