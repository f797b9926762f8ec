#!/usr/bin/env python3
"""Pages of one template, each with different numbers in the slots: all pairs of pages are equally similar.

    make_template.py --pages N --similarity LEAST,MOST [--words 110] [--seed N] --output FILE

Writes JSONL with "text". LEAST,MOST is the range of the similarity of two pages (Jaccard, windows of five words): the
fewest slots are used that bring it below MOST. The same arguments give the same bytes, and fewer pages are a prefix
of more.
"""
import argparse
import itertools
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dedup_truth import windows, words  # noqa: E402
from dedup_world import SLOT_WORDS, Template, World, render  # noqa: E402


def pages(template):
    numbers = map(str, itertools.count())
    while True:
        yield render(template.page(lambda: itertools.islice(numbers, SLOT_WORDS)))


def similarity(template):
    one, other = (windows(words(page), 5) for page in itertools.islice(pages(template), 2))
    return len(one & other) / len(one | other)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--similarity", required=True)
    parser.add_argument("--words", type=int, default=110)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    least, most = map(float, options.similarity.split(","))
    speaker = World(0, 1, options.seed).words
    for slots in range(1, options.words):
        slot_words = slots * SLOT_WORDS
        template = Template(speaker, options.words, slot_words / (options.words + slot_words))
        if similarity(template) < most:
            break
    if similarity(template) < least:
        sys.exit(f"make_template: pages are {similarity(template):.3f} similar; other --words may do")
    with open(options.output, "w", encoding="utf-8") as out:
        for page in itertools.islice(pages(template), options.pages):
            out.write(json.dumps({"text": page}) + "\n")


if __name__ == "__main__":
    main()
