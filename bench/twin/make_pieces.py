#!/usr/bin/env python3
"""Documents on which programs with different tokenizers agree: pieces of source code, and edited copies of some.

    make_pieces.py FILE --documents N --output FILE

FILE is JSONL of make_source.py --shuffled. Its texts become words of ASCII letters and digits with one space between
them, in pieces of 100 to 700 words; the first of them are written, as {"id", "text"}. Every fifth document is a copy
of an earlier one, in which each word has a chance from COPIES of being changed, lost, or preceded by another one:
from identical to clearly different. The same input gives the same bytes.
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
from dedup_world import VOCABULARY, TextGenerator  # noqa: E402

WORD = re.compile("[a-z0-9]+")
FEWEST, MOST = 100, 700
EVERY = 5  # one of this many documents is a copy
COPIES = [0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1]  # windows of five: similarity 1 to about 0.4; 0.8 at 0.022


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
    speaker = TextGenerator(pick, [word for word, _ in known.most_common(VOCABULARY)], " ")
    with open(options.output, "w", encoding="ascii") as out:
        for number in range(options.documents):
            before = number - number // EVERY  # number of originals so far
            if number % EVERY == EVERY - 1:
                copied = [[word, " "] for word in originals[pick.randrange(before)]]
                text = [word for word, _ in speaker.edited(copied, pick.choice(COPIES))]
            else:
                text = originals[before]
            out.write(json.dumps({"id": f"d{number}", "text": " ".join(text)}) + "\n")


if __name__ == "__main__":
    main()
