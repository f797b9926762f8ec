"""--memory is a hard limit: every verb gets input four times its budget, with a limit 10% above the budget.

limits.py sets the limit. The peak of the resident set must stay below the budget itself.
"""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from limits import PARENT, run_limited
from program import (FIND_ALL, FIND_CLUSTERS, LONG, Near, TestCase, documents, jsonl, main, only_in_long_form, say,
                     sizes_in, vocabulary)
from substrings_large_test import machine_text

BUDGET = 64 << 20
LIMIT = BUDGET + BUDGET // 10
INPUT = 4 * BUDGET


# ---- the input, created once


class Corpus:
    """A folder with the input of all tests. Nothing is held in memory here: a child's peak begins with its parent's."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="refrain-memory-")
        rng = random.Random(17)
        pool = " ".join(rng.choices(vocabulary(5000), k=300_000)).encode()
        with self.open("lines.txt") as lines, self.open("in.jsonl") as records:
            self.documents = 0
            while lines.tell() < INPUT:
                # Every tenth document is a copy of the one before.
                if self.documents % 10 != 9:
                    at = rng.randrange(len(pool) - 4000)
                    text = pool[at:at + rng.randint(1000, 3000)]
                lines.write(text + b"\n")
                records.write(b'{"id": "%d", "text": "%s"}\n' % (self.documents, text))
                self.documents += 1
        with self.open("short.txt") as file:
            block = b"".join(b"a%d b c\n" % at for at in range(1000))
            while file.tell() < INPUT:
                file.write(block)
        for name, size in (("a3", 3 << 20), ("b3", 3 << 20), ("a60", 60 << 20), ("b60", 60 << 20)):
            with self.open(name) as file:
                while file.tell() < size:
                    at = rng.randrange(len(pool) - 100_000)
                    file.write(pool[at:at + min(100_000, size - file.tell())])
        with self.open("known.tsv") as known, self.open("queries.tsv") as queries:
            known.write(b"id\thash\n")
            for at in range(100_000):
                known.write(b"k%d\t%d\n" % (at, rng.getrandbits(64)))
            name = b"q" * 1500
            while queries.tell() < INPUT:
                queries.write(name + b"\t%d\n" % rng.getrandbits(64))
        with self.open("hashes.txt") as file:
            for _ in range(700_000):
                file.write(b"%d\n" % rng.getrandbits(64))
        with self.open("many.txt") as file:
            subprocess.run(["seq", "10000000000000000000", "10000000000013000000"], stdout=file, check=True)
        with self.open("many.tsv") as file:
            row = b"".join(b"an id of thirty letters or so %d\t%d\n" % (at, rng.getrandbits(64))
                           for at in range(20_000))
            while file.tell() < INPUT:
                file.write(row)

    def open(self, name):
        return open(os.path.join(self.dir, name), "wb")

    def path(self, name):
        return os.path.join(self.dir, name)


class Limited(TestCase):
    def fits(self, *arguments, size=LIMIT, **more):
        outcome = run_limited(*arguments, cwd=self.dir, size=size, **more)
        self.assertEqual(outcome.code, 0, f"{arguments}: {outcome.err}")
        self.assertLessEqual(outcome.peak, BUDGET, arguments)
        return outcome

    def does_not_fit(self, *arguments, size=LIMIT, **more):
        """Expects a refusal that names an amount above the budget; while finding this out, the program stays within
        the limit."""
        outcome = run_limited(*arguments, cwd=self.dir, size=size, **more)
        self.assertEqual(outcome.code, 5, f"{arguments}: {outcome.err}")
        self.assertRegex(outcome.err, r"(at least|more than) [0-9.]+ [MG]iB")
        self.assertGreater(max(sizes_in(outcome.err)), BUDGET, outcome.err)
        self.assertLessEqual(outcome.peak, BUDGET, arguments)
        return outcome


class Memory(Limited):
    @classmethod
    def setUpClass(cls):
        if PARENT:
            say(f"memory is limited by control groups below {PARENT[0]} ({PARENT[1]})")
        else:
            say("control groups are closed here: memory is limited by RLIMIT_DATA")
        cls.corpus = Corpus()
        cls.addClassCleanup(shutil.rmtree, cls.corpus.dir, ignore_errors=True)

    def check_near(self, *arguments):
        self.fits("near", *arguments, "-o", "out", "-q", "--memory", "64M")
        near = Near(self.path("out"))
        self.assertEqual(near.summary["documents"], self.corpus.documents)
        self.assertGreaterEqual(near.summary["matches"], self.corpus.documents // 10 - 1)
        self.assertEqual(near.summary["run"]["memory_bytes"], BUDGET)
        self.assertLessEqual(near.summary["run"]["peak_rss_bytes"], BUDGET)

    def test_near_keeps_its_budget_on_lines(self):
        self.check_near(self.corpus.path("lines.txt"), "--format", "lines")

    @only_in_long_form
    def test_near_keeps_its_budget_on_json_with_ids_and_more_threads(self):
        self.check_near(self.corpus.path("in.jsonl"), "--id-field", "id", "--threads", "4")

    def check_dedup(self, *arguments):
        self.fits("dedup", *arguments, "-o", "out", "-q", "--memory", "64M")
        summary = json.loads(self.read("out", "summary.json"))
        self.assertEqual(summary["documents"], self.corpus.documents)
        self.assertGreaterEqual(summary["removed_exact"] + summary["removed_near"], self.corpus.documents // 10 - 1)
        self.assertEqual(summary["run"]["memory_bytes"], BUDGET)
        self.assertLessEqual(summary["run"]["peak_rss_bytes"], BUDGET)

    @only_in_long_form  # RealText has a short one
    def test_dedup_keeps_its_budget_and_writes_the_clean_corpus(self):
        self.check_dedup(self.corpus.path("in.jsonl"), "--id-field", "id", "--threshold", "0.95", "--apply",
                         "--annotate")

    @only_in_long_form
    def test_dedup_keeps_its_budget_by_simhash_with_substrings_and_more_threads(self):
        self.check_dedup(self.corpus.path("lines.txt"), "--format", "lines", "--near", "simhash", "--substrings", "100",
                         "--threads", "4")

    @only_in_long_form
    def test_dedup_names_the_memory_that_very_many_documents_need(self):
        for threads in "14":
            self.does_not_fit("dedup", self.corpus.path("short.txt"), "--format", "lines", "-o", "out",
                              "--memory", "64M", "--force", "--threads", threads)

    def test_dedup_names_the_memory_that_a_large_document_needs_and_goes_on_with_more(self):
        line = ("dedup", self.corpus.path("a60"), "-o", "out", "-q")
        self.does_not_fit(*line, "--memory", "64M")
        self.run_program(*line, "--memory", "1G", "--resume")

    @only_in_long_form
    def test_fingerprint_keeps_its_budget(self):
        with open(self.path("out.tsv"), "wb") as out:
            self.fits("fingerprint", self.corpus.path("in.jsonl"), "--memory", "64M", stdout=out)
        self.assertEqual(self.read("out.tsv").count(b"\n"), self.corpus.documents + 2)

    def test_match_keeps_its_budget(self):
        with open(self.path("out.tsv"), "wb") as out:
            self.fits("match", self.corpus.path("known.tsv"), self.corpus.path("queries.tsv"), "--memory", "64M",
                      stdout=out)
        self.assertGreater(os.path.getsize(self.path("out.tsv")), INPUT - (INPUT >> 6))

    @only_in_long_form
    def test_explain_keeps_its_budget_with_documents_from_a_large_input(self):
        with open(self.path("out.json"), "wb") as out:
            self.fits("explain", "8", str(self.corpus.documents - 2), "--in", self.corpus.path("lines.txt"), "--format",
                      "lines", "--memory", "64M", "--json", stdout=out)
        self.assertEqual(json.loads(self.read("out.json"))["b"]["id"], str(self.corpus.documents - 2))

    def test_explain_keeps_its_budget_with_two_documents_of_three_megabytes(self):
        self.fits("explain", self.corpus.path("a3"), self.corpus.path("b3"), "--memory", "64M", "--json")

    def test_find_all_and_find_clusters_keep_half_of_what_their_group_grants(self):
        if not PARENT:
            self.skipTest("these take their budget from a control group, and those are closed here")
        for name in (FIND_ALL, FIND_CLUSTERS):
            self.fits("-b", "6", "-d", "3", "-i", self.corpus.path("hashes.txt"), "-o", "out", name=name,
                      size=2 * BUDGET)
            outcome = self.does_not_fit("-b", "6", "-d", "3", "-i", self.corpus.path("many.txt"), "-o", "no", name=name,
                                        size=2 * BUDGET)
            self.assertIn("64.0 MiB", outcome.err)
            self.assertEqual(self.listing(), ["out"])

    def test_near_names_the_memory_that_very_many_documents_need(self):
        self.does_not_fit("near", self.corpus.path("short.txt"), "--format", "lines", "-o", "out", "--memory", "64M")
        self.assertEqual(self.listing(), [])

    def test_near_names_the_memory_that_a_large_document_needs(self):
        self.does_not_fit("near", self.corpus.path("a60"), "-o", "out", "--memory", "64M")
        self.assertEqual(self.listing(), [])

    @only_in_long_form
    def test_match_names_the_memory_that_very_many_stored_fingerprints_need(self):
        self.does_not_fit("match", self.corpus.path("many.tsv"), self.corpus.path("known.tsv"), "--memory", "64M")

    def test_match_names_the_memory_that_adding_needs_and_adds_nothing(self):
        shutil.copy(self.corpus.path("known.tsv"), self.path("known.tsv"))
        before = self.read("known.tsv")
        self.does_not_fit("match", "known.tsv", self.corpus.path("queries.tsv"), "--add", "--memory", "64M")
        self.assertTrue(self.read("known.tsv") == before)
        self.assertEqual(self.listing(), ["known.tsv"])

    def test_explain_names_the_memory_that_two_large_documents_need(self):
        self.does_not_fit("explain", self.corpus.path("a60"), self.corpus.path("b60"), "--memory", "64M")

    def keeps_the_ceiling(self, *arguments, codes=(0, 5), **more):
        """The process stays within its budget, whether the input fits or is refused with an amount."""
        outcome = run_limited(*arguments, "--memory", "64M", cwd=self.dir, size=LIMIT, **more)
        self.assertIn(outcome.code, codes, f"{arguments}: ended by the limit? {outcome.err}")
        if outcome.code == 5:
            self.assertGreater(max(sizes_in(outcome.err), default=0), BUDGET, outcome.err)
        self.assertLessEqual(outcome.peak, BUDGET, arguments)

    def test_explain_keeps_its_budget_where_every_byte_is_a_token(self):
        rng = random.Random(3)
        for name in "ab":
            self.write(name, rng.randbytes(1_000_000))
        self.keeps_the_ceiling("explain", "a", "b", "--tokenizer", "bytes")

    def test_match_keeps_its_budget_where_every_query_has_very_many_matches(self):
        self.write("known.tsv", b"".join(b"k%d\t5\n" % at for at in range(50_000)))
        self.write("queries.tsv", b"".join(b"q%d\t5\n" % at for at in range(200)))
        with open(self.path("out.tsv"), "wb") as out:
            self.keeps_the_ceiling("match", "known.tsv", "queries.tsv", "--all", stdout=out)

    def test_match_keeps_its_budget_on_a_very_long_row(self):
        self.write("known.tsv", "id\thash\nk\t5\n")
        with open(self.path("queries.tsv"), "wb") as file:
            for _ in range(100):
                file.write(b"q" * (1 << 20))
            file.write(b"\t5\n")
        self.keeps_the_ceiling("match", "known.tsv", "queries.tsv", codes=(3,))
        self.keeps_the_ceiling("match", "queries.tsv", "known.tsv", codes=(3,))

    def test_a_large_text_that_is_asked_about_or_excluded_stays_inside_the_budget(self):
        a60, a3 = self.corpus.path("a60"), self.corpus.path("a3")
        with open(a60, "rb") as file:
            for name, size in (("q1", 1 << 20), ("q3", 3 << 20), ("q10", 10 << 20)):
                file.seek(0)
                self.write(name, file.read(size))
        self.run_program("index", "create", "index", "q10", a3, "-q")
        memory = ("--memory", "64M", "-q")
        # The text, its tokens, and what it is compared with: each is too large in turn.
        for name in (a60, "q10", "q3"):
            self.does_not_fit("index", "query", "index", name, *memory)
        self.does_not_fit("index", "query", "index", "--id", "q10", *memory)
        self.does_not_fit("index", "query", "index", a60, "--raw", *memory)
        self.does_not_fit("index", "query", "index", "q1", "--exclude", a60, *memory)
        self.does_not_fit("index", "extract", "index", "--exclude", a60, *memory)
        for edits in ("none", "light"):
            with open(self.path("out"), "wb") as out:
                self.fits("index", "query", "index", "q1", "--limit", "1", "--edits", edits, *memory, stdout=out)
            (passage,) = [row for row in map(json.loads, self.read("out").splitlines()) if "passage" in row]
            self.assertGreater(passage["length"], 100_000, edits)
        for name in ("q1", "q3", "q10"):
            self.fits("index", "query", "index", name, "--raw", *memory)
        self.fits("index", "extract", "index", "--exclude", "q3", *memory)

    def test_a_long_record_in_any_format_stays_inside_the_budget(self):
        block = b"some words " * 100_000
        for name, begin, end in (("in.jsonl", b'{"text": "', b'"}'), ("in.csv", b'text\n"', b'"'),
                                 ("in.txt", b"", b"")):
            with open(self.path(name), "wb") as file:
                file.write(begin)
                for _ in range(30):
                    file.write(block)
                file.write(end + b"\n")
            for verb in ("near", "dedup"):
                self.keeps_the_ceiling(verb, name, "-o", f"{name}.{verb}")

    @only_in_long_form
    def test_very_many_equal_documents_go_to_temporary_files(self):
        self.write("equal.txt", b"one and the same line of text\n" * 900_000)
        self.fits("near", "equal.txt", "--format", "lines", "-o", "out", "-q", "--memory", "64M", "--threads", "2")
        near = Near(self.path("out"))
        self.assertEqual((near.summary["matches"], near.summary["largest_cluster"]), (899_999, 900_000))
        self.assertGreater(near.summary["run"]["temp_peak_bytes"], 0)
        self.assertLessEqual(near.summary["run"]["peak_rss_bytes"], BUDGET)

    def test_the_figure_that_a_refusal_names_is_enough(self):
        self.write("many.txt", b"".join(b"line number %d of many\n" % at for at in range(1_200_000)))
        self.write("known.tsv",
                   b"".join(b"stored-%d\t%d\n" % (at, at * 0x9E3779B97F4A7C15 % 2**64) for at in range(600_000)))
        self.write("none.tsv", b"")
        for arguments in (["near", "many.txt", "--format", "lines", "-o", "out", "--distance", "0"],
                          ["match", "known.tsv", "none.tsv"]):
            refused = self.run_program(*arguments, "--memory", "64M", "-q", code=5)
            figure = re.search(r"at least ([0-9.]+) MiB", refused.err).group(1)
            self.run_program(*arguments, "--memory", figure + "M", "-q", code=0)
            shutil.rmtree(self.path("out"), ignore_errors=True)

    def test_less_than_64_megabytes_is_a_usage_error(self):
        for arguments in (["near", "in", "-o", "out"], ["fingerprint", "in"], ["match", "in"], ["explain", "in", "in"],
                          ["dedup", "in", "-o", "out"]):
            for size in ("10M", "67108863", "0"):
                result = self.run_program(*arguments, "--memory", size, code=2)
                self.assertIn("64M", result.err)


class OneWord(Limited):
    """An index of a single repeated word: all of it is one blot, which occurs in every block of 16 tokens."""

    def test_a_blot_of_eight_million_places_stays_inside_the_budget(self):
        documents = INPUT // (2 << 20)
        for i in range(documents):
            os.makedirs(self.path("old" if i % 2 else "new"), exist_ok=True)
            with open(self.path("old" if i % 2 else "new", f"{i}.txt"), "wb") as file:
                file.write(b"a " * (1 << 20))
        self.write("query.txt", "a " * 40)
        memory = ("--memory", "64M", "-q")
        self.fits("index", "create", "index", "old", *memory)
        self.fits("index", "add", "index", "new", *memory)
        self.fits("index", "remove", "index", "old/1.txt", *memory)
        for merged in (False, True):
            with open(self.path("out"), "wb") as out:
                self.fits("index", "blots", "index", *memory, stdout=out)
            (row,) = [json.loads(line) for line in self.read("out").splitlines()]
            self.assertEqual(len(row["documents"]), documents - 1)
            with open(self.path("out"), "wb") as out:
                self.fits("index", "blots", "index", "--unblot", row["blot"], "--limit", "5", *memory, stdout=out)
            self.assertEqual(len(self.read("out").splitlines()), 5)
            self.fits("index", "query", "index", "query.txt", "--raw", *memory)
            self.fits("index", "extract", "index", "--max-documents", "1", *memory)
            self.fits("index", "check", "index", *memory)
            self.does_not_fit("index", "query", "index", "query.txt", *memory)
            outcome = run_limited("index", "query", "index", "query.txt", "--max-documents", "5", *memory, size=LIMIT,
                                  cwd=self.dir)
            self.assertEqual(outcome.code, 1, outcome.err)
            self.assertLessEqual(outcome.peak, BUDGET)
            if not merged:
                self.fits("index", "merge", "index", *memory)


@unittest.skipUnless(PARENT, "skipped: no control group")
class RealText(TestCase):
    """The verbs that use the shuffle, on the text of this machine. A limit on the data of a process would count
    memory that they release with madvise, so this test needs a control group."""

    def setUp(self):
        super().setUp()
        self.size = 0
        with open(self.path("in.jsonl"), "w", encoding="utf-8") as file:
            for path, text in machine_text(24 << 20):
                self.size += file.write(json.dumps({"id": path, "text": text}) + "\n")

    def fits(self, *arguments):
        for megabytes in (64, 128, 256) if LONG else (64,):
            budget = megabytes << 20
            outcome = run_limited(*arguments, "in.jsonl", "-o", "out", "--force", "-q", "--memory", f"{megabytes}M",
                                  size=budget + budget // 10, cwd=self.dir)
            self.assertEqual(outcome.code, 0, f"{megabytes}M: ended by the limit? {outcome.err}")
            self.assertLessEqual(outcome.peak, budget)
            summary = json.loads(self.read("out", "summary.json"))
            self.assertLessEqual(summary["run"]["peak_rss_bytes"], budget)
            say(f"{arguments[0]} of {self.size >> 20} MiB in {megabytes} MiB: {outcome.peak >> 20} MiB resident")

    def test_substrings_keeps_its_budget(self):
        self.fits("substrings", "--groups")

    def test_dedup_keeps_its_budget(self):
        self.fits("dedup", "--id-field", "id", "--preset", "strict", "--apply")

    def test_ngrams_build_keeps_its_budget(self):
        self.fits("ngrams", "build")


@unittest.skipUnless(PARENT, "control groups are closed here")
class DefaultBudget(TestCase):
    def test_half_of_what_the_control_group_grants(self):
        self.write("in.txt", "some words in a file")
        outcome = run_limited("near", "in.txt", "-o", "out", "-q", size=300 << 20, cwd=self.dir)
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertEqual(Near(self.path("out")).summary["run"]["memory_bytes"], 150 << 20)


class SaidBefore(TestCase):
    def test_the_memory_that_it_takes_is_about_what_was_said(self):
        texts = documents(6000, length=200)
        self.write("long.jsonl", jsonl(["".join(texts[:3000])] * 3))
        self.write("many.jsonl", jsonl(text[:60] for text in texts * 10))
        self.write("some.jsonl", jsonl(texts))
        for flags in (["some.jsonl"], ["some.jsonl", "--preset", "strict"], ["some.jsonl", "--preset", "report"],
                      ["many.jsonl"], ["long.jsonl"], ["some.jsonl", "--against", "long.jsonl"]):
            for memory in ("64M", "1G"):
                self.run_program("dedup", *flags, "-o", "out", "--memory", memory, "--alarm", "100%", "--force", "-q",
                                 "--threads", "2")
                run = json.loads(self.read("out", "summary.json"))["run"]
                said = run["estimate"]["memory_bytes"]
                self.assertLessEqual(said, run["memory_bytes"])
                self.assertLessEqual(run["peak_rss_bytes"], said, (flags, memory))
                self.assertLess(said, 8 * run["peak_rss_bytes"], (flags, memory))


if __name__ == "__main__":
    main()
