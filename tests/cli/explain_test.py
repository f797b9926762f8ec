"""refrain explain: figures and spans, compared with a plain implementation of the definition for ASCII words."""

import json
import os
import random
import re

from program import TestCase, changed, difference, documents, fingerprints, jsonl, lines, main, sentence, vocabulary

WINDOW = 3
MEMO = ("To all staff of the northern depot. From 3 March on, every pallet that leaves the yard is to be weighed "
        "twice, once at the gate and once at the ramp, and both figures are to be written on the waybill. The new "
        "scale has cost us 4,200 dollars, so please treat it with care, keep it dry, and report any fault to the "
        "foreman on the same day.")


class Document:
    """Tokens and windows of a document, and those it shares with another, by the definition."""

    def __init__(self, text, window=WINDOW):
        self.tokens = [(match.group(), match.start(), match.end()) for match in re.finditer("[a-z0-9]+", text.lower())]
        words = [word for word, _, _ in self.tokens]
        self.windows = [tuple(words[at:at + window]) for at in range(len(words) - window + 1)]

    def shared(self, other, window=WINDOW):
        """Returns the byte ranges of runs of tokens that lie in windows which the other document also has."""
        held = set(other.windows)
        covered = [False] * len(self.tokens)
        for at, found in enumerate(self.windows):
            if found in held:
                covered[at:at + window] = [True] * window
        ranges = []
        for at, (_, begin, end) in enumerate(self.tokens):
            if covered[at] and at > 0 and covered[at - 1]:
                ranges[-1][1] = end
            elif covered[at]:
                ranges.append([begin, end])
        return ranges


def pairs(count):
    """Yields texts that share much, some, or nothing; with capitals, punctuation and line breaks between the words."""
    rng = random.Random(41)
    words = vocabulary(60)
    for at in range(count):
        first = sentence(rng, words, rng.randint(0, 120))
        second = changed(rng, first, words, rng.randint(0, 20)) if at % 3 else sentence(rng, words, rng.randint(0, 120))
        yield tuple("".join(rng.choice([" ", " ", ", ", "\n", ". ", " - ", "\t"]) if c == " " else
                            c.upper() if rng.random() < 0.1 else c for c in text) for text in (first, second))


class Explain(TestCase):
    def explain(self, *arguments, **more):
        return json.loads(self.run_program("explain", *arguments, "--json", **more).out)

    def check(self, report, texts, window=WINDOW):
        mine = [Document(text, window) for text in texts]
        shared = set(mine[0].windows) & set(mine[1].windows)
        every = set(mine[0].windows) | set(mine[1].windows)
        for at, name in enumerate("ab"):
            got = report[name]
            self.assertEqual(got["text"], texts[at])
            self.assertEqual((got["tokens"], got["windows"]), (len(mine[at].tokens), len(set(mine[at].windows))))
            self.assertEqual(got["shared"], mine[at].shared(mine[1 - at], window))
        self.assertEqual(report["shared_windows"], len(shared))
        self.assertAlmostEqual(report["similarity"], len(shared) / len(every) if every else 0, places=5)

    def test_spans_and_figures_equal_the_definition(self):
        seen = 0
        for texts in pairs(60):
            self.write("a.txt", texts[0])
            self.write("b.txt", texts[1])
            report = self.explain("a.txt", "b.txt")
            self.check(report, texts)
            seen += len(report["a"]["shared"]) > 1
        self.assertGreater(seen, 15)

    def test_other_windows_equal_the_definition(self):
        for texts in list(pairs(6)):
            for window in (1, 2, 5):
                self.write("a.txt", texts[0])
                self.write("b.txt", texts[1])
                self.check(self.explain("a.txt", "b.txt", "--window", str(window)), texts, window)

    def test_fingerprints_difference_and_verdict_are_those_of_the_other_verbs(self):
        texts = documents(30, seed=6)
        self.write("in.txt", lines(texts))
        hashes = [value for _, value in fingerprints("in.txt", "--format", "lines", cwd=self.dir)]
        for a, b in ((0, 1), (2, 2), (5, 9), (10, 20), (3, 29)):
            report = self.explain(str(a), str(b), "--in", "in.txt", "--format", "lines", "--distance", "20")
            wanted = [None if hashes[at] is None else str(hashes[at]) for at in (a, b)]
            self.assertEqual([report["a"]["fingerprint"], report["b"]["fingerprint"]], wanted)
            if None in wanted:
                self.assertEqual((report["difference"], report["match"]), (None, None))
            else:
                bits = difference(hashes[a], hashes[b])
                self.assertEqual((report["difference"], report["match"], report["distance"]), (bits, bits <= 20, 20))

    def test_ids_are_found_in_inputs_of_every_kind(self):
        texts = ("one two three four five six", "zero one two three four")
        self.write("in.jsonl", jsonl(texts, id=lambda at: f"id {at}"))
        self.write("in.csv", f"id,text\nx,{texts[0]}\ny,\"{texts[1]}\"\n")
        self.write("d/first.txt", texts[0])
        self.write("d/second.txt", texts[1])
        self.check(self.explain("id 0", "id 1", "--in", "in.jsonl", "--id-field", "id"), texts)
        self.check(self.explain("id 0", "id 1", "--in", "in.jsonl"), texts)
        self.check(self.explain("0", "1", "--in", "in.jsonl", "--id-field=none"), texts)
        self.check(self.explain("1", "0", "--in", "in.jsonl", "--id-field=none"), texts[::-1])
        self.check(self.explain("x", "y", "--in", "in.csv", "--id-field", "id"), texts)
        self.check(self.explain("d/first.txt", "d/second.txt", "--in", "d"), texts)
        self.check(self.explain("id 0", "y", "--in", "in.jsonl", "--in", "in.csv"), texts)
        self.check(self.explain("0", "1", "--in", "-", stdin=lines(texts)), texts)

    def test_an_id_that_is_not_there_is_exit_3_and_named(self):
        self.write("in.jsonl", jsonl(["one two three"] * 3))
        for a, b in (("0", "17"), ("17", "0")):
            self.assertIn("17", self.run_program("explain", a, b, "--in", "in.jsonl", code=3).err)

    def test_the_text_for_people_marks_what_is_shared(self):
        self.write("a.txt", "The quick, brown fox jumps. Over it all\n")
        self.write("b.txt", "Well: the QUICK brown fox jumps under it all\n")
        out = self.run_program("explain", "a.txt", "b.txt").out.decode()
        a, b = (value for _, value in fingerprints("a.txt", "b.txt", cwd=self.dir))
        bits = difference(a, b)
        for line in (f"   8 tokens, 6 distinct windows, fingerprint 0x{a:016x}",
                     f"   9 tokens, 7 distinct windows, fingerprint 0x{b:016x}",
                     f"difference: {bits} of 64 bits",
                     "similarity: 0.300 (3 of 10 distinct windows of 3 tokens in both)",
                     f"near:       {'match' if bits <= 8 else 'no match'} at --distance 8",
                     "  --verify: no match at --distance 10 and --threshold 0.8",
                     "dedup:      no match at --threshold 0.8: similarity 0.125 with --window 5",
                     "            match with --threshold 0.125",
                     "[[The quick, brown fox jumps]]. Over it all", "Well: [[the QUICK brown fox jumps]] under it all"):
            self.assertIn(line + "\n", out)
        self.assertNotIn("\x1b", out)
        [marks] = re.findall(r"\nB  [01 ]+\n   ([ ^]*)\n", out)
        self.assertEqual(marks.count("^"), bits)

    def verdicts(self, texts, window, threshold, max_loss):
        """Returns what the verbs do with texts 0 and 1, 2 and 3, and so on: the places of those that `near` and
        `near --verify` match, and those that dedup removes."""
        self.write("in.jsonl", jsonl(texts))
        matched = []
        for flags in ([], ["--verify", *threshold]):
            self.run_program("near", "in.jsonl", "-o", "out", "--force", "-q", *flags, *window)
            pairs = [row.split(b"\t")[:2] for row in self.read("out", "matches.tsv").splitlines()[1:]]
            matched.append({int(first) for first, second in pairs if int(second) == int(first) + 1})
        self.run_program("dedup", "in.jsonl", "-o", "run", "--force", "-q", "--templates", "off", *window, *threshold,
                         *max_loss)
        decided = [json.loads(row) for row in self.read("run", "decisions.jsonl").splitlines()]
        return *matched, {row["id"]: row for row in decided}

    def test_it_says_what_the_verbs_do(self):
        rng = random.Random(43)
        texts = [MEMO, MEMO.replace("4,200", "4,650").replace("3 March", "5 April")]
        for at in range(30):
            words = vocabulary(2000, seed=at)  # few words in common with other texts
            text = sentence(rng, words, rng.randint(4, 160))
            other = changed(rng, text, words, rng.randint(0, 3 + at % 2))
            texts += [text, other + " " + sentence(rng, words, rng.randint(0, 1 + at % 3 * 8))]
        seen = set()
        for window, threshold, max_loss in (([], [], []),
                                            (["--window", "4"], ["--threshold", "0.6"], ["--max-loss", "3"])):
            backwards = self.verdicts(texts[::-1], window, threshold, max_loss)[2]
            near, verified, decided = self.verdicts(texts, window, threshold, max_loss)
            for at in range(0, len(texts), 2):
                report = self.explain(str(at), str(at + 1), "--in", "in.jsonl", *window, *threshold, *max_loss)
                self.assertEqual(bool(report["match"]), at in near, at)
                self.assertEqual(bool(report["verified"]["match"]), at in verified, at)
                dedup = report["dedup"]
                for side, row in (("b_for_a", decided[str(at + 1)]), ("a_for_b", backwards[str(len(texts) - 1 - at)])):
                    said = dedup.get(side, {})
                    self.assertEqual(row["reason"] in ("near", "exact"), bool(said.get("removed")), (at, side))
                    self.assertEqual(row["reason"] is not None, dedup["match"], (at, side))
                    if row["reason"] in ("near", "own_text"):
                        self.assertAlmostEqual(row["similarity"], dedup["similarity"], places=5)
                        self.assertEqual((row["lost"], row["longest_lost"]), (said["lost"], said["longest_lost"]))
                    if row["reason"] == "near":
                        self.assertEqual(row.get("differs_in"), said.get("differs_in"))
                    seen.add(row["reason"])
        self.assertEqual(seen, {None, "near", "own_text"})

    def test_the_options_that_change_a_verdict_do_change_it(self):
        self.write("a.txt", MEMO)
        self.write("b.txt", MEMO.replace("4,200", "4,650").replace("3 March", "5 April"))
        self.write("c.txt", MEMO + " I do not agree with this at all; I will go to the auditors.")
        report = self.explain("a.txt", "b.txt")
        # Neither verb takes the two for similar, and each has its own windows.
        self.assertGreater(report["similarity"], 0.8)
        self.assertLess(report["dedup"]["similarity"], 0.8)
        self.assertFalse(report["match"] or report["verified"]["match"] or report["dedup"]["match"])
        threshold = str(report["dedup"]["change"]["threshold"])
        report = self.explain("a.txt", "b.txt", "--threshold", threshold)["dedup"]
        self.assertTrue(report["match"] and report["b_for_a"]["removed"])
        self.assertEqual(report["b_for_a"]["differs_in"], "number")
        for name, value in report["b_for_a"]["change"].items():
            flag = "--" + name.replace("_", "-")
            report = self.explain("a.txt", "b.txt", "--threshold", threshold, flag, str(value))["dedup"]
            self.assertFalse(report.get("b_for_a", {}).get("removed"), flag)
        report = self.explain("a.txt", "c.txt")["dedup"]
        self.assertTrue(report["match"] and report["a_for_b"]["removed"] and not report["b_for_a"]["removed"])
        value = report["b_for_a"]["change"]["max_loss"]
        self.assertTrue(self.explain("a.txt", "c.txt", "--max-loss", str(value))["dedup"]["b_for_a"]["removed"])
        self.assertFalse(self.explain("a.txt", "c.txt", "--max-loss", str(value - 1))["dedup"]["b_for_a"]["removed"])

    def test_a_document_too_short_is_no_match(self):
        self.write("a.txt", "one two three four")
        self.write("b.txt", "one two")
        out = self.run_program("explain", "a.txt", "b.txt").out.decode()
        self.assertIn("too short", out)
        report = self.explain("a.txt", "b.txt")
        self.assertEqual((report["b"]["fingerprint"], report["difference"], report["b"]["shared"]), (None, None, []))

    def test_json_is_valid_for_any_bytes(self):
        rng = random.Random(2)
        for at in range(20):
            self.write("a.txt", rng.randbytes(rng.randint(0, 400)) + b"\0\x1f\x7f\"\\\r\n one two three \xff")
            self.write("b.txt", bytes(range(256)) + b" one two three \xed\xa0\x80 \xf0\x9f\x98\x80")
            out = self.run_program("explain", "a.txt", "b.txt", "--json").out
            report = json.loads(out.decode("utf-8"))  # strict: invalid UTF-8 raises an exception
            self.assertIn("one two three", report["a"]["text"], at)
            self.run_program("explain", "a.txt", "b.txt").out.decode("utf-8")

    def test_control_characters_do_not_reach_the_terminal(self):
        self.write("a.txt", "one two three \x1b[31mred\x1b[0m \x07 \u202e \x9b one two three")
        out = self.run_program("explain", "a.txt", "a.txt").out
        for bad in (b"\x1b", b"\x07", "\u202e".encode(), "\x9b".encode()):
            self.assertNotIn(bad, out)

    def test_folders_and_missing_files_are_refused(self):
        os.mkdir(self.path("d"))
        self.write("a.txt", "one two three")
        self.assertIn("d", self.run_program("explain", "a.txt", "d", code=3).err)
        self.assertIn("absent", self.run_program("explain", "absent", "a.txt", code=3).err)


class Story(TestCase):
    """refrain explain --run: what happened to one document of a dedup run."""

    def setUp(self):
        super().setUp()
        rng = random.Random(5)
        text = sentence(rng, vocabulary(500), 60)
        self.texts = {"a": text, "b": text, "c": text + " and more", "d": sentence(rng, vocabulary(500, 2), 60),
                      "e/\x1b\u00fc": text + " too"}
        self.write("in.jsonl",
                   "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in self.texts.items()))
        self.run_program("dedup", "in.jsonl", "--id-field", "id", "-o", "out", "-q")

    def story(self, name):
        return json.loads(self.run_program("explain", "--run", "out", name, "--json").out)

    def test_it_says_what_decisions_jsonl_says(self):
        decided = [json.loads(line) for line in self.read("out", "decisions.jsonl").splitlines()]
        self.assertEqual([decision["keep"] for decision in decided], [True, False, False, True, False])
        for decision in decided:
            story = self.story(decision["id"])
            for key in ("id", "keep", "reason", "match", "similarity", "cluster"):
                self.assertEqual(story[key], decision[key])
            self.assertEqual(story["problems"], [])
            if not decision["keep"]:
                self.assertEqual(story["texts"]["a"]["text"], self.texts[decision["id"]])
                self.assertEqual(story["texts"]["b"]["text"], self.texts[decision["match"]])
                self.assertAlmostEqual(story["texts"]["similarity"], decision["similarity"], places=5)
                self.assertEqual([member["id"] for member in story["members"]], ["a", "b", "c", "e/\x1b\u00fc"])

    def test_for_people(self):
        out = self.run_program("explain", "--run", "out", "c").out.decode()
        for line in ("removed  c\n", " similar to a, which is kept\n", "cluster  0: 4 documents, 1 kept\n",
                     "  kept    a\n", "  removed b  (exact copy of a)\n", "]] and more\n", "--- kept  a\n[["):
            self.assertIn(line, out)
        self.assertIn("for it   3 documents were removed\n",
                      self.run_program("explain", "--run", "out", "a").out.decode())
        self.assertIn("no other document matches it", self.run_program("explain", "--run", "out", "d").out.decode())
        self.assertNotIn(b"\x1b", self.run_program("explain", "--run", "out", "e/\x1b\u00fc").out)

    def test_texts_that_have_changed_or_are_gone_are_not_shown(self):
        self.write("in.jsonl", self.read("in.jsonl").replace(b" and more", b" and less"))
        out = self.run_program("explain", "--run", "out", "c").out.decode()
        self.assertIn("text not available: c: has changed since the run\n", out)
        self.assertIn(" similar to a, which is kept\n", out)
        self.assertNotIn("---", out)
        os.remove(self.path("in.jsonl"))
        out = self.run_program("explain", "--run", "out", "c").out.decode()
        self.assertIn("text not available: in.jsonl: ", out)
        self.assertIn(" similar to a, which is kept\n", out)

    def test_standard_input_cannot_be_read_again(self):
        self.run_program("dedup", "-", "--format", "jsonl", "--id-field", "id", "-o", "piped", "-q",
                         stdin=self.read("in.jsonl"))
        out = self.run_program("explain", "--run", "piped", "c").out.decode()
        self.assertIn("text not available: the input was standard input", out)
        self.assertIn(" similar to a, which is kept\n", out)

    def test_ids_are_paths_or_ordinals_where_there_is_no_field(self):
        self.run_program("dedup", "in.jsonl", "-o", "ordinals", "-q", "--id-field=none")
        story = json.loads(self.run_program("explain", "--run", "ordinals", "2", "--json").out)
        self.assertEqual((story["match"], story["texts"]["b"]["text"]), ("0", self.texts["a"]))
        for name in "abc":
            self.write(f"folder/{name}.txt", self.texts[name])
        self.write(b"folder/c\xff.txt".decode(errors="surrogateescape"), self.texts["c"] + " again")
        self.run_program("dedup", "folder", "-o", "files", "-q")
        out = self.run_program("explain", "--run", "files",
                               b"folder/c\xff.txt".decode(errors="surrogateescape")).out.decode()
        self.assertIn("--- kept  folder/a.txt\n[[", out)

    def test_what_makes_no_sense_is_refused(self):
        self.assertIn("x: no document with this id in the run in out",
                      self.run_program("explain", "--run", "out", "x", code=3).err)
        self.assertIn("no finished dedup run", self.run_program("explain", "--run", ".", "a", code=3).err)
        self.assertIn("one document", self.run_program("explain", "--run", "out", "a", "b", code=2).err)
        self.assertIn("records its inputs",
                      self.run_program("explain", "--run", "out", "a", "--in", "in.jsonl", code=2).err)
        self.assertIn("needs A and B", self.run_program("explain", "a", code=2).err)
        self.run_program("near", "in.jsonl", "-o", "near", "-q")
        self.assertIn("not a dedup run", self.run_program("explain", "--run", "near", "a", code=3).err)


if __name__ == "__main__":
    main()
