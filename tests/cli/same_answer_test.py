"""The same input gives the same bytes for any threads, memory, pieces, compression and blocks."""

import gzip
import json
import os
import random

from program import TestCase, documents, expected_near, fingerprints, jsonl, lines, main

# About 12 MB, so that reading is divided into pieces and every thread has work.
TEXTS = documents(12_000, seed=31, length=140)
# Few enough for brute force.
FEW = documents(500, seed=32)


def pieces(texts, count):
    return [texts[len(texts) * i // count:len(texts) * (i + 1) // count] for i in range(count)]


class SameAnswer(TestCase):
    def answer(self, *arguments, same_options=True, **more):
        """Returns the result of near. It does not include the names of the inputs or, unless `same_options`, their
        format."""
        self.count = getattr(self, "count", 0) + 1
        matches, clusters, summary = self.near(*arguments, output=f"out{self.count}", **more).answer()
        if not same_options:
            del summary["options"]["input"], summary["options"]["format"], summary["files"]
        return matches, clusters, summary

    def assert_same(self, answer, expected, what):
        for part, wanted in zip(answer, expected):
            # assertEqual would take minutes to format a message about megabytes.
            self.assertTrue(part == wanted, f"{what}: another answer")

    def test_the_answer_that_is_compared_is_the_right_one(self):
        self.write("few.jsonl", jsonl(FEW))
        near = self.near("few.jsonl", "--threads", "3")
        self.assertEqual((near.matches, near.clusters), expected_near(fingerprints("few.jsonl", cwd=self.dir)))

    def test_threads_memory_and_blocks_change_nothing(self):
        self.write("in.jsonl", jsonl(TEXTS, id=lambda at: f"document {at}"))
        expected = self.answer("in.jsonl", "--id-field", "id", "--threads", "1")
        self.assertGreater(len(expected[0].splitlines()), 4000)
        for flags in ([["--threads", threads] for threads in ("2", "3", "8")] +
                      [["--memory", memory] for memory in ("64M", "128M", "1G")] +
                      [["--blocks", blocks] for blocks in ("9", "10", "11", "14")] +
                      [["--threads", "3", "--memory", "80M", "--blocks", "12"]]):
            self.assert_same(self.answer("in.jsonl", "--id-field", "id", *flags), expected, flags)

    def test_all_pairs_are_the_same_for_any_threads_and_blocks(self):
        self.write("in.jsonl", jsonl(TEXTS[:6000]))
        expected = self.answer("in.jsonl", "--all-pairs", "--threads", "1")
        for flags in (["--threads", "2"], ["--threads", "8"], ["--blocks", "11"], ["--memory", "64M"]):
            self.assert_same(self.answer("in.jsonl", "--all-pairs", *flags), expected, flags)

    def test_verified_matches_are_the_same_for_any_threads_and_memory(self):
        self.write("in.jsonl", jsonl(TEXTS))

        def answer(output, *flags):
            self.run_program("near", "in.jsonl", "-o", output, "-q", "--verify", *flags)
            return self.read(output, "matches.tsv"), self.read(output, "clusters.tsv")

        expected = answer("one", "--threads", "1")
        self.assertGreater(len(expected[0].splitlines()), 4000)
        for at, flags in enumerate((["--threads", "2"], ["--threads", "8"], ["--memory", "64M"])):
            self.assert_same(answer(f"other{at}", *flags), expected, flags)

    def test_threads_change_nothing_in_a_folder_of_files(self):
        for at, text in enumerate(TEXTS[:3000]):
            self.write(f"d/{at % 37}/{at}.txt", text)
        self.write("d/0/large.txt", lines(TEXTS[:4000]))
        expected = self.answer("d", "--threads", "1")
        for threads in ("2", "3", "8"):
            self.assert_same(self.answer("d", "--threads", threads), expected, threads)

    def test_lines_in_one_file_or_a_hundred_packed_or_piped_are_the_same(self):
        self.compare_ways("lines", lines)

    def test_json_in_one_file_or_a_hundred_packed_or_piped_is_the_same(self):
        self.compare_ways("jsonl", jsonl)

    def compare_ways(self, form, make):
        flags = ["--format", form]
        whole = make(TEXTS).encode()
        self.write("one", whole)
        expected = self.answer("one", *flags, same_options=False)
        os.makedirs(self.path("plain"))
        os.makedirs(self.path("packed"))
        for at, part in enumerate(pieces(TEXTS, 100)):
            self.write(f"plain/{at:02}", make(part))
            self.write(f"packed/{at:02}.gz", gzip.compress(make(part).encode(), 1))
        self.write("one.gz", gzip.compress(whole, 1))
        ways = {"a hundred named files": [f"plain/{at:02}" for at in range(100)], "a folder of them": ["plain"],
                "a folder of packed ones": ["packed"], "one packed file": ["one.gz"]}
        for what, inputs in ways.items():
            self.assert_same(self.answer(*inputs, *flags, same_options=False), expected, what)
            self.assert_same(self.answer(*inputs, *flags, "--threads", "3", "--memory", "64M", same_options=False),
                             expected, what)
        for name in ("one", "one.gz"):
            self.assert_same(self.answer("-", *flags, stdin=self.read(name), same_options=False), expected, "piped")

    def test_fingerprints_are_the_same_for_any_threads_and_memory(self):
        self.write("in.jsonl", jsonl(TEXTS))
        expected = self.run_program("fingerprint", "in.jsonl", "--threads", "1").out
        self.assertEqual(expected.count(b"\n"), len(TEXTS) + 1)
        for flags in (["--threads", "2"], ["--threads", "3"], ["--threads", "8"], ["--memory", "64M"]):
            self.assertTrue(self.run_program("fingerprint", "in.jsonl", *flags).out == expected, flags)

    def test_a_run_repeated_gives_the_same_bytes(self):
        self.write("in.jsonl", jsonl(TEXTS[:2000]))
        expected = self.answer("in.jsonl", "--threads", "8")
        for _ in range(5):
            self.assert_same(self.answer("in.jsonl", "--threads", "8"), expected, "again")


class SameDecisions(TestCase):
    """The decisions of dedup by every method, and the documents that it keeps."""

    METHODS = {"minhash": [], "strict": ["--preset", "strict"], "simhash": ["--preset", "report"],
               "longest": ["--keep", "longest", "--substrings", "60", "--exact", "off"]}
    TABLES = ("decisions.jsonl", "matches.tsv", "clusters.tsv", "substring_bytes.tsv")

    def setUp(self):
        super().setUp()
        texts = TEXTS[:4000]
        self.write("one/all.jsonl", jsonl(texts, id=lambda at: f"document {at}"))
        records = self.read("one", "all.jsonl").splitlines(keepends=True)
        for at, part in enumerate(pieces(records, 10)):
            self.write(f"ten/{at}.jsonl", b"".join(part))
            self.write(f"packed/{at}.jsonl.gz", gzip.compress(b"".join(part), 1))

    def answer(self, source, *flags):
        """Returns the tables, the kept records in order, and the figures, without what depends on how the input was
        split."""
        self.run_program("dedup", source, "-o", "out", "--id-field", "id", "--apply", "--sample", "200", "--force",
                         "-q", *flags)
        summary = json.loads(self.read("out", "summary.json"))
        for key in ("run", "options", "files", "sources", "alarms"):
            del summary[key]
        tables = {name: self.read("out", name) for name in self.TABLES if name in self.listing("out")}
        names = self.listing("out", "clean", source)
        self.assertEqual(names, self.listing(source))
        kept = [self.read("out", "clean", source, name) for name in names]
        if source == "packed":
            kept = [gzip.decompress(content) for content in kept]
        return {**tables, "summary": summary, "kept": b"".join(kept)}

    def compare(self, method):
        flags = self.METHODS[method]
        expected = self.answer("one", *flags, "--threads", "1", "--memory", "1G")
        decisions = [json.loads(row) for row in expected["decisions.jsonl"].splitlines()]
        self.assertEqual([row["id"] for row in decisions], [f"document {at}" for at in range(4000)])
        self.assertGreater(sum(not row["keep"] for row in decisions), 1000)
        self.assertEqual(sum(row["keep"] for row in decisions), expected["kept"].count(b"\n"))
        for source, *more in (("one", "--threads", "2"), ("one", "--threads", "4", "--memory", "1G"),
                              ("one", "--threads", "1", "--memory", "64M"),
                              ("one", "--threads", "4", "--memory", "64M"), ("one", "--memory", "100M"),
                              ("ten", "--threads", "1"), ("ten", "--threads", "4"),
                              ("ten", "--threads", "2", "--memory", "64M"), ("packed", "--threads", "3")):
            answer = self.answer(source, *flags, *more)
            self.assertEqual(answer.keys(), expected.keys())
            for part, wanted in expected.items():
                self.assertTrue(answer[part] == wanted, f"{method}, {source} {more}: another {part}")

    def test_minhash_decides_the_same(self):
        self.compare("minhash")

    def test_similar_texts_and_substrings_are_the_same(self):
        self.compare("strict")

    def test_simhash_and_substrings_decide_the_same(self):
        self.compare("simhash")

    def test_the_longest_are_the_same(self):
        self.compare("longest")


class SpilledDecisions(TestCase):
    """dedup decides the same whether everything fits in memory or not."""

    def decided(self, memory):
        self.run_program("dedup", "in.jsonl", "--id-field", "id", "--threshold", "0.6", "-o", memory,
                         "--memory", memory, "-q")
        summary = json.loads(self.read(memory, "summary.json"))
        return [self.read(memory, name) for name in ("decisions.jsonl", "matches.tsv", "clusters.tsv")], summary

    def test_spilling_to_disk_changes_nothing(self):
        source = random.Random(33)
        words = [f"w{number}" for number in range(3000)]
        originals = []
        with open(self.path("in.jsonl"), "w", encoding="utf-8") as out:
            for at in range(150_000):
                if at % 3 == 0:
                    text = source.choices(words, k=24)
                    originals.append(text)
                else:
                    text = list(source.choice(originals))
                    text[source.randrange(24)] = source.choice(words)
                out.write(json.dumps({"id": f"page {at}", "text": " ".join(text)}) + "\n")
        spilled, little = self.decided("64M")
        held, much = self.decided("1G")
        self.assertGreater(little["run"]["temp_peak_bytes"], much["run"]["temp_peak_bytes"] + (1 << 20),
                           "nothing was spilled")
        self.assertGreater(much["matches"], 100_000)
        for one, other in zip(spilled, held):
            self.assertTrue(one == other, "another answer")


if __name__ == "__main__":
    main()
