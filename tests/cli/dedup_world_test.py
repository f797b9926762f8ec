"""bench/dedup_*.py: the generated documents, the truth about them and the judgment of a run, each compared with
something slower or stricter."""

import collections
import itertools
import json
import os
import subprocess
import sys

from program import SOURCE_DIR, TestCase, main

BENCH = os.path.join(SOURCE_DIR, "bench")
sys.path.insert(0, BENCH)
sys.dont_write_bytecode = True
import dedup_truth  # noqa: E402

KINDS = {"original", "edited", "ocr", "rewrapped", "punctuation", "template", "template-copy", "quotation", "cjk",
         "cjk-edited", "short", "short-edited", "chain"}


class DedupWorld(TestCase):
    def bench(self, name, *arguments, code=0):
        command = [sys.executable, "-B", os.path.join(BENCH, name), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def world(self, name="world", documents=900, seed=0):
        self.bench("dedup_world.py", "--documents", documents, "--words", 60, "--seed", seed, name)
        return [json.loads(line) for line in self.read(name, "documents.jsonl").splitlines()]

    def test_a_seed_gives_the_same_bytes_and_every_kind(self):
        documents = self.world()
        self.world("again")
        self.world("other", seed=1)
        self.assertEqual(self.read("world", "documents.jsonl"), self.read("again", "documents.jsonl"))
        self.assertEqual(self.read("world", "planted.tsv"), self.read("again", "planted.tsv"))
        self.assertNotEqual(self.read("world", "documents.jsonl"), self.read("other", "documents.jsonl"))
        self.assertEqual(len(documents), 900)
        self.assertEqual({document["kind"] for document in documents}, KINDS)
        self.assertEqual(len({document["id"] for document in documents}), 900)

    def test_what_was_laid_out_anew_has_the_same_words(self):
        documents = {document["id"]: document for document in self.world()}
        seen = collections.Counter()
        for document in documents.values():
            if document["kind"] in ("rewrapped", "punctuation", "template-copy"):
                original = documents[document["of"]]["text"]
                self.assertEqual(dedup_truth.words(document["text"]), dedup_truth.words(original))
                seen[document["kind"]] += document["text"] != original
        self.assertEqual(len(seen), 3)
        self.assertGreater(min(seen.values()), 0)

    def test_words_are_those_of_the_program(self):
        texts = [document["text"] for document in self.world(documents=600)]
        texts += ["Straße STRASSE don't e\u0301te\u0301 \u0301x ½ ②", "ไทย abc漢字かな３４x ＡＢ １２",
                  "İi ΌΣΟΣ όσος ǅ ﬁne \u00a0 a\u0345b"]
        self.write("twice.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts * 2))
        self.run_program("ngrams", "build", "twice.jsonl", "-n", "1", "-m", "2", "-o", "index", "-q")
        shown = self.run_program("ngrams", "show", "index").out.decode().split("\n")[1:-1]
        counts = collections.Counter(word for text in texts * 2 for word in dedup_truth.words(text))
        self.assertEqual({row.split("\t")[0]: int(row.split("\t")[1]) for row in shown}, dict(counts))

    def test_pairs_are_those_of_comparing_all_with_all(self):
        documents = self.world(documents=500)
        self.bench("dedup_truth.py", "--least", "0.3", "world")
        sets, texts = [], []
        for document in documents:
            words = dedup_truth.words(document["text"])
            texts.append(words)
            sets.append({" ".join(words[at:at + 5]) for at in range(len(words) - 4)})

        def lost(words, other):
            """Counts word by word: is there a window around the word that both texts have?"""
            longest = run = 0
            for at in range(len(words)):
                around = range(max(0, at - 4), min(at, len(words) - 5) + 1)
                run = 0 if any(" ".join(words[begin:begin + 5]) in other for begin in around) else run + 1
                longest = max(longest, run)
            return longest

        expected = []
        for second, first in itertools.product(range(len(sets)), repeat=2):
            if first < second and sets[first] and sets[second]:
                similarity = len(sets[first] & sets[second]) / len(sets[first] | sets[second])
                if similarity >= 0.3:
                    expected.append(f"{documents[first]['id']}\t{documents[second]['id']}\t{similarity!r}\t"
                                    f"{lost(texts[second], sets[first])}")
        self.assertGreater(len(expected), 300)
        self.assertEqual(self.read("world", "pairs.tsv").decode().splitlines(), expected)

    def judged(self, decisions, code, matches=None):
        self.write("run/decisions.jsonl", "".join(json.dumps(decision) + "\n" for decision in decisions))
        if matches is not None:
            self.write("run/matches.tsv",
                       "id1\tid2\tsimilarity\n" + "".join(f"{a}\t{b}\t{s}\n" for a, b, s, *_ in matches))
        return self.bench("dedup_accuracy.py", "world", "run", code=code)

    def test_every_kind_of_mistake_is_seen(self):
        self.world()
        self.bench("dedup_truth.py", "--threshold", "0.8", "world")
        right = [json.loads(line) for line in self.read("world", "decisions.jsonl").splitlines()]
        removed = [at for at, decision in enumerate(right) if not decision["keep"]]
        self.assertGreater(len(removed), 100)
        pairs = [line.split("\t") for line in self.read("world", "pairs.tsv").decode().splitlines()]
        alike = [pair for pair in pairs if float(pair[2]) >= 0.8]
        out = self.judged(right, 0, alike)
        self.assertIn("met     wrongful removals: 0", out)
        self.assertIn("met     recall of pairs at 0.85 and above: 1.0", out)

        alone = {decision["id"] for decision in right} - {name for pair in pairs for name in pair[:2]}
        wrong = [dict(decision) for decision in right]
        victim = next(decision for decision in wrong if decision["keep"] and decision["id"] in alone)
        victim.update(keep=False, reason="near", match=right[0]["id"], similarity=0.9)
        self.assertIn("MISSED  wrongful removals: 1", self.judged(wrong, 1))

        # Removing a document for one that is itself removed, connected only by a chain, is just as wrongful.
        near = {tuple(pair[:2]) for pair in alike}
        chained = next(decision for decision in right if decision["keep"] and decision["id"] not in alone
                       and any(decision["id"] in pair for pair in near))
        others = {name for pair in near if chained["id"] in pair for name in pair}
        wrong = [{**decision, "keep": False, "match": chained["id"]} if decision["id"] in others else decision
                 for decision in right]
        self.assertRegex(self.judged(wrong, 1), r"MISSED  wrongful removals: [1-9]")

        wrong = [{**decision, "keep": True, "match": None} for decision in right]
        self.assertIn("MISSED  recall of pairs at 0.85 and above: 0.0", self.judged(wrong, 1))

        wrong = [dict(decision) for decision in right]
        wrong[removed[0]]["similarity"] -= 0.05
        wrong[removed[1]]["match"] = next(name for name in sorted(alone) if name != wrong[removed[1]]["id"])
        self.assertIn("MISSED  removals with false evidence: 2", self.judged(wrong, 1))

        below = next(pair for pair in pairs if float(pair[2]) < 0.8)
        self.assertIn("MISSED  false matches of 2: 2",
                      self.judged(right, 1, [below, (*alike[0][:2], float(alike[0][2]) - 0.01)]))

        self.assertIn("in input order", self.judged(right[1:], 1))

    def test_thresholds_below_what_is_known_are_refused(self):
        self.world()
        self.bench("dedup_truth.py", "--least", "0.7", "world")
        out = self.bench("dedup_accuracy.py", "--threshold", "0.6", "world", "world", code=1)
        self.assertIn("make it anew with --least 0.6", out)


if __name__ == "__main__":
    main()
