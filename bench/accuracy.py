#!/usr/bin/env python3
"""How far a fingerprint moves when words change: the table in GUIDE.md.

    python3 bench/accuracy.py [BIN_DIR]

Documents of a given length are taken from text on this machine (English) or made of random Han characters; a share of
their words is replaced by other words of the same text; `refrain fingerprint` hashes both. Seeded: the same text
gives the same figures.
"""
import collections
import glob
import random
import re
import subprocess
import sys

BIN_DIR = sys.argv[1] if len(sys.argv) > 1 else "build/release"
PAIRS = 400
SHARES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]


def english_words():
    words = []
    for path in sorted(glob.glob("/usr/share/common-licenses/*")):
        with open(path, encoding="utf-8", errors="replace") as file:
            words += re.findall(r"[a-z]+", file.read().lower())
    if not words:
        sys.exit("no text in /usr/share/common-licenses to measure with")
    return words


def fingerprints(lines, flags):
    command = [f"{BIN_DIR}/refrain", "fingerprint", "-", "--format", "lines", "--quiet", *flags]
    output = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    return [int(row.split("\t")[1]) for row in output.splitlines()[1:]]


def documents(kind, length, pick):
    source = english_words() if kind == "english" else [chr(0x4E00 + i) for i in range(3000)]
    for _ in range(PAIRS):
        if kind == "english":
            at = pick.randrange(len(source) - length)
            yield source[at:at + length], source
        else:
            yield [pick.choice(source) for _ in range(length)], source


def measure(kind, length, share, flags):
    pick = random.Random(f"{kind}{length}{share}")
    glue = " " if kind == "english" else ""
    lines = []
    for words, source in documents(kind, length, pick):
        changed = list(words)
        for at in pick.sample(range(length), max(1, round(share * length))):
            changed[at] = pick.choice([w for w in pick.sample(source, 4) if w != words[at]] or ["refrain"])
        lines += [glue.join(words), glue.join(changed)]
    hashes = fingerprints(lines, flags)
    return sorted(bin(a ^ b).count("1") for a, b in zip(hashes[::2], hashes[1::2]))


def main():
    for kind, length, flags in [("english", 1000, []), ("english", 200, []), ("chinese", 2000, []),
                                ("english", 1000, ["--window", "1"])]:
        title = f"{kind}, {length} {'words' if kind == 'english' else 'characters'}, {' '.join(flags) or 'window 3'}"
        print(f"\n{title}\n| changed | mean difference | within 3 | within 6 | within 10 |\n|---|---|---|---|---|")
        for share in (s for s in SHARES if s * length >= 1):
            differences = measure(kind, length, share, flags)
            within = collections.OrderedDict((d, sum(x <= d for x in differences) / PAIRS) for d in (3, 6, 10))
            print(f"| {share * 100:g} % | {sum(differences) / PAIRS:.1f} | "
                  + " | ".join(f"{100 * p:.0f} %" for p in within.values()) + " |")


if __name__ == "__main__":
    main()
