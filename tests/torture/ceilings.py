"""Ceilings: every verb on hostile input, inside a control group of its memory budget and a tenth.

A run must never be killed. It succeeds, or it ends with one line that says what did not fit or what is wrong with the
input (exit code 3 or 5). Either way, its resident set stays below the budget.

    ceilings.py [--full] [--seed N] [--jobs N] [NAME...]

Without --full every input is small and is tried with two verbs that the seed selects; with --full every input is
tried with every verb. NAME selects inputs or verbs by name.
"""

import argparse
import concurrent.futures
import gzip
import io
import json
import os
import random
import shutil
import sys
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cli"))
from limits import PARENT, run_limited  # noqa: E402
from program import TIME_FACTOR, vocabulary  # noqa: E402

BUDGET = 64 << 20
LIMIT = BUDGET + BUDGET // 10
WORDS = [word.encode() for word in vocabulary(4000, seed=5)]


# ---- hostile inputs: each function writes about `size` bytes below a folder and returns the arguments that read them


def fill(path, size, block):
    """Fills a file with blocks. `block` is bytes, or a function of the block's number."""
    with open(path, "wb") as file:
        at = 0
        while file.tell() < size:
            file.write(block(at) if callable(block) else block)
            at += 1
    return [path]


def prose(seed, count):
    return b" ".join(random.Random(seed).choices(WORDS, k=count))


def one_line(folder, size):
    return fill(f"{folder}/a.txt", size, lambda at: prose(at, 5000) + b" ") + ["--format", "lines"]


def one_token(folder, size):
    return fill(f"{folder}/a.txt", size, b"x" * 65536)


def one_word(folder, size):
    return fill(f"{folder}/a.txt", size, b"word " * 10000)


def new_words(folder, size):
    return fill(f"{folder}/a.txt", size, lambda at: b" ".join(b"w%d" % (at * 1000 + i) for i in range(1000)) + b" ")


def copies(folder, size):
    return fill(f"{folder}/a.jsonl", size, json.dumps({"text": prose(1, 60).decode()}).encode() + b"\n")


def tiny(folder, size):
    return fill(f"{folder}/a.txt", size, lambda at: b"".join(b"%d\n" % (at * 1000 + i) for i in range(1000))) + [
        "--format", "lines"]


def empty_lines(folder, size):
    return fill(f"{folder}/a.txt", size, b"\n" * 65536) + ["--format", "lines"]


def long_ids(folder, size):
    return fill(f"{folder}/a.jsonl", size, lambda at: json.dumps(
        {"id": f"{at}" * 200_000, "text": prose(at % 7, 30).decode()}).encode() + b"\n") + ["--id-field", "id"]


def long_urls(folder, size):
    return fill(f"{folder}/a.jsonl", size, lambda at: json.dumps(
        {"id": f"http://{at}.example/{at}", "text": prose(at % 50, 30).decode()}).encode() + b"\n") + [
            "--id-field", "id"]


def long_record(folder, size):
    text = prose(3, 10_000).decode()
    return fill(f"{folder}/a.jsonl", 1, b'{"text": "' + (text * (size // len(text) + 1)).encode() + b'"}\n')


def deep_json(folder, size):
    half = size // 2
    return fill(f"{folder}/a.jsonl", 1, b'{"text": "' + prose(4, 30) + b'", "x": ' + b"[" * half + b"]" * half + b"}\n")


def many_keys(folder, size):
    keys = b", ".join(b'"k%d": %d' % (at, at) for at in range(size // 18))
    return fill(f"{folder}/a.jsonl", 1, b'{"text": "' + prose(4, 30) + b'", ' + keys + b"}\n")


def json_array(folder, size):
    row = json.dumps({"text": prose(5, 200).decode()}).encode()
    return fill(f"{folder}/a.json", 1, b"[" + b",".join([row] * (size // len(row) + 1)) + b"]")


def wide_csv(folder, size):
    return fill(f"{folder}/a.csv", 1, b"text," + b",".join(b"c%d" % at for at in range(size // 8)) + b"\nhello,1\n")


def quoted_csv(folder, size):
    return fill(f"{folder}/a.csv", 1, b'id,text\n1,"' + b'""' * (size // 2))


def nested_html(folder, size):
    return fill(f"{folder}/a.html", 1, b"<html><body>" + b"<div><b>x" * (size // 9))


def wide_html(folder, size):
    return fill(f"{folder}/a.html", 1,
                b"<html><body><p " + b"".join(b"a%d=%d " % (at, at) for at in range(size // 14)) +
                b">text</p>")


def mail(folder, size):
    head = b"From: a@b.example\nSubject: x\n"
    return fill(f"{folder}/a.eml", 1, head + b"".join(b"X-%d: y\n" % at for at in range(size // 12)) + b"\nbody\n")


def mbox(folder, size):
    return fill(f"{folder}/a.mbox", size,
                b"From a@b Thu Jan  1 00:00:00 1970\nFrom: a@b.example\nSubject: x\n\nbody\n\n")


def warc(folder, size):
    head = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x.example/%d\r\nContent-Type: text/plain\r\n"
    return fill(f"{folder}/a.warc", size, lambda at: head % at + b"Content-Length: 5\r\n\r\nhello\r\n\r\n")


def bomb(folder, size):
    with gzip.open(f"{folder}/a.txt.gz", "wb", 9) as file:
        for _ in range(size >> 20):
            file.write(b"\n" * (1 << 20))
    return [f"{folder}/a.txt.gz"]


def tar(folder, size):
    with tarfile.open(f"{folder}/a.tar", "w") as file:
        for at in range(size // 1024):
            info = tarfile.TarInfo(f"d{at % 100}/{at}.txt")
            info.size = 5
            file.addfile(info, io.BytesIO(b"hello"))
    return [f"{folder}/a.tar"]


def zip_entries(folder, size):
    with zipfile.ZipFile(f"{folder}/a.zip", "w") as file:
        for at in range(size // 130):
            file.writestr(f"{at}.txt", b"hello")
    return [f"{folder}/a.zip"]


def huge_record(folder, size):
    """Writes a file of more than 4 GiB with a hole; smaller in the short form."""
    with open(f"{folder}/a.txt", "wb") as file:
        file.write(prose(6, 100))
        file.truncate(size * 45)
    return [f"{folder}/a.txt"]


def many_files(folder, size):
    for at in range(size // 4096):
        if at % 1000 == 0:
            os.mkdir(f"{folder}/{at}")
        with open(f"{folder}/{at - at % 1000}/{'n' * 100}{at}.txt", "wb") as file:
            file.write(b"hello %d" % at)
    return [folder]


INPUTS = [one_line, one_token, one_word, new_words, copies, tiny, empty_lines, long_ids, long_urls, long_record,
          deep_json, many_keys, json_array, wide_csv, quoted_csv, nested_html, wide_html, mail, mbox, warc, bomb, tar,
          zip_entries, huge_record, many_files]

VERBS = {"dedup": ["dedup", "IN", "-o", "OUT", "--apply"],
         "dedup-substrings": ["dedup", "IN", "-o", "OUT", "--substrings", "60", "--apply"],
         "dedup-simhash": ["dedup", "IN", "-o", "OUT", "--near", "simhash"],
         "dedup-against": ["dedup", "ITEMS", "-o", "OUT", "--against", "IN"],
         "dedup-library": ["dedup", "IN", "-o", "OUT", "--library", "LIBRARY"],
         "near": ["near", "IN", "-o", "OUT", "--verify"],
         "fingerprint": ["fingerprint", "IN"],
         "text": ["text", "IN"],
         "substrings": ["substrings", "IN", "-o", "OUT", "--length", "60"],
         "ngrams": ["ngrams", "build", "IN", "-n", "5", "-o", "OUT"],
         "index-create": ["index", "create", "OUT", "IN"],
         "index-query": ["index", "query", "INDEX", "IN"]}
LACKS = {"dedup-against": ("--format", "--id-field")}  # there, these flags belong to the other input


def command_of(verb, folder, read, ready):
    command = []
    for word in VERBS[verb]:
        if word == "IN":
            path, more = read[0], read[1:]
            command += [path] + ([] if verb in LACKS and more else more)
        else:
            command.append({"OUT": f"{folder}/out", "LIBRARY": f"{folder}/library", "ITEMS": f"{ready}/items.jsonl",
                            "INDEX": f"{ready}/index"}.get(word, word))
    if verb in LACKS and len(read) > 1:
        command += [{"--format": "--against-format", "--id-field": "--against-id-field"}[read[1]], read[2]]
    return command + ["--memory", "64M", "--threads", "2", "-q"]


def try_one(make, verb, read, ready, root):
    folder = tempfile.mkdtemp(dir=root)
    try:
        command = command_of(verb, folder, read, ready)
        with open(f"{folder}/stdout", "wb") as out:
            done = run_limited(*command, size=LIMIT, cwd=folder, timeout=300 * TIME_FACTOR, stdout=out)
        name = f"{make.__name__} {verb}"
        label = f"{name}: {' '.join(command)}: exit {done.code}, {done.peak >> 20} MiB: {done.err.strip()[-400:]}"
        if done.code == 1 and verb == "index-query" and not done.err:
            return name, None  # the query found nothing
        if done.code not in (0, 3, 5):
            return name, f"failed: {label}"
        if done.code != 0 and (not done.err.startswith("refrain: ") or "\n" in done.err.strip().split("refrain: ")[-1]):
            return name, f"unclear: {label}"
        if done.peak > LIMIT if PARENT else done.peak > BUDGET * 1.1:
            return name, f"over its budget: {label}"
        return name, None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    print(f"ceilings: seed {options.seed}, in a {'control group' if PARENT else 'limit on data'}", flush=True)
    size = 96 << 20 if options.full else 1 << 20
    rng = random.Random(options.seed)
    root = tempfile.mkdtemp(prefix="refrain-ceilings-")
    failures, runs = [], 0
    try:
        ready = f"{root}/ready"
        os.mkdir(ready)
        fill(f"{ready}/items.jsonl", 100_000, lambda at: json.dumps({"text": prose(at, 60).decode()}).encode() + b"\n")
        made = run_limited("index", "create", f"{ready}/index", f"{ready}/items.jsonl", "-q", size=LIMIT * 4)
        assert made.code == 0, made.err
        for make in INPUTS:
            verbs = list(VERBS) if options.full else rng.sample(list(VERBS), 2)
            verbs = [verb for verb in verbs if not options.names or make.__name__ in options.names
                     or verb in options.names]
            if not verbs:
                continue
            source = f"{root}/{make.__name__}"
            os.mkdir(source)
            read = make(source, size)
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                for name, failure in pool.map(lambda verb: try_one(make, verb, read, ready, root), verbs):
                    runs += 1
                    if failure:
                        failures.append(failure)
                        print(failure, flush=True)
            shutil.rmtree(source)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print(f"ceilings: {runs - len(failures)} passed, {len(failures)} failed, seed {options.seed}", flush=True)
    return 1 if failures or runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
