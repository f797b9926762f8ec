"""`refrain dedup --attributes dolma`: Dolma's mixer, applied to them, must produce what --apply writes."""

import gzip
import json
import os
import random

import program

PREFIX = "refrain__dedup__"


def mix(documents, attributes):
    """Returns the documents that Dolma's mixer would keep. Lines are paired and must have equal ids; a document with
    a `duplicate` span is dropped; `substring` spans, in characters, are replaced by nothing."""
    kept = []
    if len(documents) != len(attributes):
        raise AssertionError(f"{len(documents)} documents, {len(attributes)} lines of attributes")
    for document, row in zip(documents, attributes):
        if row["id"] != document["id"] or not isinstance(row["id"], type(document["id"])):
            raise AssertionError(f"{row['id']!r} stands beside {document['id']!r}")
        found = row["attributes"]
        if found[PREFIX + "duplicate"]:
            continue
        text, at, out = document["text"], 0, ""
        for begin, end, score in sorted(found.get(PREFIX + "substring", [])):
            if not isinstance(score, float):
                raise AssertionError(f"a score that is no float: {score!r}")
            out += text[at:begin]
            at = end
        kept.append({**document, "text": out + text[at:]})
    return kept


def texts(count, seed):
    """Generates Chinese, emoji, accents and plain words; copies, near copies, and recurring passages."""
    rng = random.Random(seed)
    han = [chr(c) for c in range(0x4E00, 0x4E00 + 1500)]
    smileys = [chr(c) for c in range(0x1F600, 0x1F640)]
    words = program.vocabulary(800, seed) + ["été", "naïve", "größer", "\u0001", "\"quoted\"", "a\\b"]

    def fresh():
        kind = rng.random()
        if kind < 0.4:
            return "".join(rng.choices(han, k=rng.randint(60, 200)))
        if kind < 0.6:
            return " ".join(rng.choices(words + smileys, k=rng.randint(40, 120)))
        return " ".join(rng.choices(words, k=rng.randint(40, 120)))

    passages = [fresh() for _ in range(10)]
    out = []
    while len(out) < count:
        kind = rng.random()
        if kind < 0.4 or len(out) < 5:
            out.append(fresh())
        elif kind < 0.55:
            out.append(rng.choice(out))
        elif kind < 0.7:
            text = rng.choice(out)
            at = rng.randrange(len(text) + 1)
            out.append(text[:at] + "😀" + text[at:])
        elif kind < 0.95:
            out.append(fresh() + rng.choice(passages) + fresh())
        else:
            out.append(rng.choice(["", "短", "two words"]))
    return out


class Attributes(program.TestCase):
    def rows(self, *parts):
        data = self.read(*parts)
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        return [json.loads(line) for line in data.decode().splitlines()]

    def write_corpus(self):
        """Writes two files below a folder, one of them gzipped, with both ways of writing a character and both kinds
        of id."""
        made = texts(400, 5)
        first = program.jsonl(made[:250], id=lambda i: f"doc-{i}", source=lambda i: "s")
        self.write("documents/2019/a.jsonl.gz", gzip.compress(first.encode()))
        rows = ({"text": text, "id": i, "other": {"text": "no"}} for i, text in enumerate(made[250:]))
        self.write("documents/b.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        return ["2019/a.jsonl.gz", "b.jsonl"]

    def check(self, *flags):
        names = self.write_corpus()
        self.run_program("dedup", "documents", "--id-field", "id", "-o", "out", "-q", "--apply", "--attributes",
                         "dolma", *flags)
        for name in names:
            path = ("out", "attributes", "documents", *name.split("/"))
            is_gzip = self.read(*path).startswith(b"\x1f\x8b")
            self.assertEqual(is_gzip, name.endswith(".gz"))
            documents = self.rows("documents", *name.split("/"))
            mixed = mix(documents, self.rows(*path))
            self.assertEqual(mixed, self.rows("out", "clean", "documents", *name.split("/")))
            self.assertLess(len(mixed), len(documents))
            self.assertGreater(len(mixed), len(documents) // 4)
        self.assertEqual(sorted(os.listdir(self.path("out", "attributes", "documents"))), ["2019", "b.jsonl"])

    def test_mixing_gives_the_kept_set(self):
        self.check()

    def test_mixing_gives_the_kept_text(self):
        self.check("--substrings", "60")
        rows = [row for name in (["2019", "a.jsonl.gz"], ["b.jsonl"])
                for row in self.rows("out", "attributes", "documents", *name)]
        self.assertGreater(sum(len(row["attributes"][PREFIX + "substring"]) for row in rows), 20)

    def test_attributes_say_what_decisions_say(self):
        self.write_corpus()
        self.run_program("dedup", "documents", "--id-field", "id", "-o", "out", "-q", "--attributes", "dolma",
                         "--threads", "3")
        rows = (self.rows("out", "attributes", "documents", "2019", "a.jsonl.gz") +
                self.rows("out", "attributes", "documents", "b.jsonl"))
        documents = self.rows("documents", "2019", "a.jsonl.gz") + self.rows("documents", "b.jsonl")
        decisions = self.rows("out", "decisions.jsonl")
        self.assertEqual(len(rows), len(decisions))
        reasons = set()
        for row, document, decision in zip(rows, documents, decisions):
            self.assertEqual(str(row["id"]), decision["id"])
            for reason in ("exact", "near"):
                whole = [[0, len(document["text"]), decision["similarity"]]]
                self.assertEqual(row["attributes"][PREFIX + reason], whole if decision["reason"] == reason else [])
            self.assertEqual(bool(row["attributes"][PREFIX + "duplicate"]), not decision["keep"])
            reasons.add(decision["reason"])
        self.assertEqual(reasons, {None, "exact", "near"})

    def test_what_is_no_jsonl_is_refused_at_once(self):
        self.write("plain.txt", "text\n")
        self.write("in.jsonl", '{"id": "1", "text": "t"}\n')
        refused = self.run_program("dedup", "plain.txt", "--id-field", "id", "--attributes", "dolma", "-o", "out",
                                   code=2)
        self.assertIn("plain.txt: --attributes dolma needs JSONL", refused.err)
        refused = self.run_program("dedup", "in.jsonl", "--id-field=none", "--attributes", "dolma", "-o", "out", code=2)
        self.assertIn("--id-field", refused.err)
        refused = self.run_program("dedup", "in.jsonl", "--attributes", "wet", "-o", "out", code=2)
        self.assertIn("dolma", refused.err)
        self.assertFalse(os.path.exists(self.path("out")))
        # The suffix that Dolma uses does not show that the file has lines.
        self.write("docs.json.gz", gzip.compress(b'{"id": "1", "text": "t"}\n'))
        self.run_program("dedup", "docs.json.gz", "--format", "jsonl", "--id-field", "id", "--attributes", "dolma",
                         "-o", "out", "-q")
        self.assertEqual([row["id"] for row in self.rows("out", "attributes", "docs.json.gz")], ["1"])


if __name__ == "__main__":
    program.main()
