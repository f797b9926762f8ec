#!/usr/bin/env python3
"""Documents on which programs that take words differently still agree what a word is: pieces of source code, and edited copies of some.

    make_pieces.py FILE --documents N --output FILE

FILE is JSONL of make_source.py --shuffled. Its texts become words of ASCII letters and digits with one space between, in pieces of 100
to 700 words; the first of them are written, as {"id", "text"}. Every fifth document is an earlier one once more, each word with a chance
from COPIES changed, lost, or another one put before it: from the same text to one that is clearly another. The same input gives the
same bytes.
"""
import argparse
import collections
import itertools
import json
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dedup_world import VOCABULARY, Speaker  # noqa: E402

WORD = re.compile("[a-z0-9]+")
FEWEST, MOST = 100, 700
EVERY = 5  # a copy
COPIES = [0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1]  # windows of five: 1 down to about 0.4 similar, 0.8 at some 0.022


def pieces(path, pick):
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = WORD.findall(json.loads(line)["text"].lower())
            while len(words) >= FEWEST:
                length = pick.randint(FEWEST, MOST)
                yield words[:length]
                words = words[length:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--documents", type=int, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    pick = random.Random("pieces")
    originals = list(itertools.islice(pieces(options.source, pick), options.documents - options.documents // EVERY))
    if len(originals) + options.documents // EVERY < options.documents:
        sys.exit(f"make_pieces: {options.source} has too few texts")
    known = collections.Counter(word for piece in originals for word in piece)
    speaker = Speaker(pick, [word for word, _ in known.most_common(VOCABULARY)], " ")
    with open(options.output, "w", encoding="ascii") as out:
        for number in range(options.documents):
            before = number - number // EVERY  # originals
            if number % EVERY == EVERY - 1:
                copied = [[word, " "] for word in originals[pick.randrange(before)]]
                text = [word for word, _ in speaker.edited(copied, pick.choice(COPIES))]
            else:
                text = originals[before]
            out.write(json.dumps({"id": f"d{number}", "text": " ".join(text)}) + "\n")


if __name__ == "__main__":
    main()
