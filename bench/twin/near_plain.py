"""The plain baseline of `near`: what a person would write first, on one core. Reads JSONL, makes a set of word hashes
of every text, as for a SimHash, and prints the number of documents. It does less than near: it has no windows and no
join.

    near_plain.py FILE
"""
import json
import sys

documents = 0
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        words = {hash(word) for word in json.loads(line)["text"].lower().split()}
        documents += 1 if words else 0
print(documents)
