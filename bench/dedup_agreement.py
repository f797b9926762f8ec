#!/usr/bin/env python3
"""How far a run of `refrain dedup` and another program keep the same documents, and who is right where they do not.

    dedup_agreement.py DOCUMENTS RUN KEPT [--threshold 0.8] [--window 5]

DOCUMENTS is JSONL with "id" and "text", RUN is the folder of the run, KEPT is what the other program kept: a file
with an id per line, or a folder of Arrow files with a column "id" (this needs pyarrow). Prints JSON:

  both, ours, theirs, neither   documents kept by both, only by us, only by the other, by none
  wrongful                      documents of `ours` to which no document that the other keeps is as similar as the
                                threshold: it should have kept them
  missed                        documents of `theirs` to which some other document that it keeps is that similar: it
                                should not have kept both
  false                         documents removed by us although the match is not kept or not that similar; there
                                should be none

Similarities are exact, of sets of words (dedup_truth.py), not of hashes.
"""
import argparse
import collections
import json
import pathlib
import sys

from dedup_truth import read_documents, windows, words


def kept_ids(path):
    if path.is_file():
        return set(path.read_text(encoding="utf-8").split())
    import pyarrow  # only if there are such files
    names = set()
    for part in sorted(path.glob("*.arrow")):
        with pyarrow.memory_map(str(part)) as source:
            names.update(pyarrow.ipc.open_stream(source).read_all()["id"].to_pylist())
    return names


def matched(asked, others, threshold):
    """Returns the names in `asked`, {name: features}, for which one of the `others`, (name, features), reaches the
    threshold."""
    holders = collections.defaultdict(list)
    for name, features in asked.items():
        for feature in features:
            holders[feature].append(name)
    found = set()
    for other, features in others:
        shared = collections.Counter(name for feature in features for name in holders.get(feature, ()))
        found.update(name for name, common in shared.items()
                     if name != other and common >= threshold * (len(features) + len(asked[name]) - common))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--threshold", type=float, default=0.8)
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("documents", type=pathlib.Path)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("kept", type=pathlib.Path)
    options = parser.parse_args()
    theirs = kept_ids(options.kept)
    texts = {document["id"]: document["text"] for document in read_documents(options.documents)}
    decisions = {decision["id"]: decision for decision in read_documents(options.run / "decisions.jsonl")}
    if texts.keys() != decisions.keys() or not theirs <= texts.keys():
        sys.exit("dedup_agreement: ids that are not those of the documents")
    ours = {name for name, decision in decisions.items() if decision["keep"]}

    def features(name):
        return windows(words(texts[name]), options.window)

    def false(name):
        match = decisions[name]["match"]
        if match not in ours:
            return True
        one, other = features(name), features(match)
        return texts[name] != texts[match] and len(one & other) < options.threshold * len(one | other)

    disputed = {name: features(name) for name in ours ^ theirs}
    similar = matched(disputed, ((name, features(name)) for name in theirs), options.threshold)
    print(json.dumps({
        "both": len(ours & theirs),
        "ours": len(ours - theirs),
        "theirs": len(theirs - ours),
        "neither": len(texts) - len(ours | theirs),
        "wrongful": len(ours - theirs - similar),
        "missed": len((theirs - ours) & similar),
        "false": sum(map(false, texts.keys() - ours)),
    }))


if __name__ == "__main__":
    main()
