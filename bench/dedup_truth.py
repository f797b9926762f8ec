#!/usr/bin/env python3
"""The true similarity of all documents to all others, by brute force, and what a faultless dedup would decide.

    dedup_truth.py [--window 5] [--least 0.5] [--threshold 0.8 [--max-loss 16]] FOLDER

FOLDER/documents.jsonl is the output of dedup_world.py, or any JSONL with "id" and "text". Writes, beside it:

  pairs.tsv        id1 id2 similarity lost: every pair whose sets of windows are at least --least similar (Jaccard),
                   in input order, and the longest run of tokens of the second that are in no window of the first
  truth.json       the window, --least, and the number of pairs
  decisions.jsonl  with --threshold: documents are kept in input order, unless they are that similar to a kept one and
                   lose at most --max-loss tokens in a row

Tokens are those of the tokenizer `words-nfkc`, implemented here a second time; a document without a window has no
similarity to any. Sets contain the words themselves, not hashes, and every pair that shares a window is counted:
nothing is skipped or estimated. Time is quadratic in the pages of a template: a few hundred are fine, tens of
thousands are not.
"""
import argparse
import collections
import itertools
import json
import pathlib
import re
import unicodedata

# Scripts that are written without spaces: every character is a token.
UNSPACED = [(0x0E00, 0x0E7F), (0x0E80, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF),
            (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3040, 0x309F), (0x30A0, 0x30FF), (0x31F0, 0x31FF),
            (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAADF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F),
            (0x1B000, 0x1B16F), (0x20000, 0x3FFFF)]
ASCII_WORD = re.compile("[a-z0-9]+")
SEPARATOR, RUN, SINGLE, MARK, NONE = range(5)
WIDTHLESS = {0x00AD, 0x034F, 0x061C, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10),
             0x0E4D, 0x0ECD}  # nikhahit, whether or not it is part of the vowel AM
VOWEL_AM = {"\u0e33": "\u0e32", "\u0eb3": "\u0eb2"}


class Characters(dict):
    """The role and the folded form of each character, computed once."""

    def __missing__(self, character):
        category = unicodedata.category(character)
        role = SEPARATOR
        if category[0] == "L" or category in ("Nl", "Nd"):
            unspaced = category != "Nd" and any(first <= ord(character) <= last for first, last in UNSPACED)
            role = SINGLE if unspaced else RUN
        elif category[0] == "M":
            role = MARK
        if ord(character) in WIDTHLESS:
            role = NONE
        elif character in "\uff9e\uff9f":  # sound marks of half-width Katakana
            role = MARK
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
        if " " in folded:  # it stands for several words
            folded = character
        self[character] = role, VOWEL_AM.get(character, folded)
        return self[character]


CHARACTERS = Characters()


def words(text):
    """Returns the tokens, case-folded and decomposed (NFKD)."""
    if text.isascii():
        return ASCII_WORD.findall(text.lower())
    out, opened = [], SEPARATOR  # the role of the last token, if it can be continued
    for character in text:
        role, folded = CHARACTERS[character]
        if role == NONE:
            continue
        if role == SEPARATOR or (role == MARK and opened == SEPARATOR):
            opened = SEPARATOR
        elif role == MARK or role == opened == RUN:
            out[-1] += folded
        else:
            out.append(folded)
            opened = role
    return out


def windows(tokens, size):
    return set(zip(*(itertools.islice(tokens, first, None) for first in range(size))))


def longest_lost(tokens, size, others):
    """Returns the longest run of tokens that are in no window that `others` contains."""
    held = [False] * len(tokens)
    for at in range(len(tokens) - size + 1):
        if tuple(tokens[at : at + size]) in others:
            held[at : at + size] = [True] * size
    return max((len(list(run)) for one, run in itertools.groupby(held) if not one), default=0)


def similar_pairs(sets, least):
    """Yields (first, second, similarity) of all pairs that are at least this similar, ordered by the second, then the
    first. Only pairs that share a window are found, so `least` must be above 0."""
    holders, sizes = {}, []
    for second, features in enumerate(sets):
        shared = collections.Counter()
        for feature in features:
            if (earlier := holders.get(feature)) is None:
                holders[feature] = [second]
            else:
                shared.update(earlier)
                earlier.append(second)
        sizes.append(len(features))
        for first, common in sorted(shared.items()):
            similarity = common / (sizes[first] + sizes[second] - common)
            if similarity >= least:
                yield first, second, similarity


def read_documents(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def decide(ids, texts, pairs, threshold, max_loss):
    """Returns the decisions of a faultless dedup: of two similar documents the second is removed, unless too much is
    lost with it. Identical texts count as similar, even if they are too short to have a window."""
    alike = collections.defaultdict(dict)  # by the second document: the first ones and their similarity
    for first, second, similarity, lost in pairs:
        if similarity >= threshold and lost <= max_loss:
            alike[second][first] = similarity
    kept, first_with, decisions = set(), {}, []
    for place, (name, text) in enumerate(zip(ids, texts)):
        before = dict(alike[place])
        if (same := first_with.setdefault(text, place)) != place:
            before[same] = 1.0
        match = min((first for first in before if first in kept), default=None)
        if match is None:
            kept.add(place)
        reason = None if match is None else "exact" if texts[match] == text else "near"
        decisions.append({"id": name, "keep": match is None, "reason": reason,
                          "match": None if match is None else ids[match],
                          "similarity": None if match is None else before[match], "spans": None, "cluster": None})
    return decisions


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--window", type=int, default=5, help="tokens (default 5)")
    parser.add_argument("--least", type=float, default=0.5, help="pairs below that are not written (default 0.5)")
    parser.add_argument("--threshold", type=float, help="also write the decisions at this similarity")
    parser.add_argument("--max-loss", type=int, default=16, help="tokens in a row (default 16)")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.window < 1 or not 0 < arguments.least <= 1 or (arguments.threshold or 1) < arguments.least:
        parser.error("--window must be 1 or more, --least above 0 and at most 1, --threshold at least --least")
    ids, texts = [], []
    spelled = {}  # one copy of each word

    def sets():
        for document in read_documents(arguments.folder / "documents.jsonl"):
            ids.append(document["id"])
            texts.append(document["text"])
            yield windows([spelled.setdefault(word, word) for word in words(document["text"])], arguments.window)

    pairs = []
    last = {}  # the windows of the first of a pair: many such pairs follow each other
    for first, second, similarity in list(similar_pairs(sets(), arguments.least)):
        if first not in last:
            last = {first: windows(words(texts[first]), arguments.window)}
        lost = 0 if texts[first] == texts[second] else longest_lost(words(texts[second]), arguments.window, last[first])
        pairs.append((first, second, similarity, lost))
    with open(arguments.folder / "pairs.tsv", "w", encoding="utf-8") as file:
        for first, second, similarity, lost in pairs:
            file.write(f"{ids[first]}\t{ids[second]}\t{similarity!r}\t{lost}\n")
    about = {"window": arguments.window, "least": arguments.least, "documents": len(ids), "pairs": len(pairs)}
    (arguments.folder / "truth.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
    if arguments.threshold:
        with open(arguments.folder / "decisions.jsonl", "w", encoding="utf-8") as file:
            for decision in decide(ids, texts, pairs, arguments.threshold, arguments.max_loss):
                file.write(json.dumps(decision) + "\n")
    print(f"{len(ids)} documents, {len(pairs)} pairs at {arguments.least:g} or above")


if __name__ == "__main__":
    main()
