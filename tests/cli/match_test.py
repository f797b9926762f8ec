"""refrain match: each query is compared with all stored fingerprints; the expected results come from brute force."""

import json
import os
import random
import select
import signal
import subprocess
import time

from program import (MADE_WITH, TestCase, difference, documents, environment, jsonl, lines, main, running, table,
                     wait_until)

HEADER = "id\tmatch\tdiff\tmatches"


def rows_text(rows, header=True):
    """Formats rows of (id, hash or None) as a table."""
    body = "".join(f"{name}\t{'' if value is None else value}\n" for name, value in rows)
    return ("id\thash\n" if header else "") + body


def near_by(stored, value, distance):
    """Returns (difference, place, id) of every stored fingerprint within the distance, nearest first, then earliest."""
    if value is None:
        return []
    return sorted((difference(value, other), at, name) for at, (name, other) in enumerate(stored)
                  if other is not None and difference(value, other) <= distance)


def best_rows(stored, queries, distance=3, add=False):
    stored = list(stored)
    out = []
    for name, value in queries:
        found = near_by(stored, value, distance)
        out.append([name, found[0][2], str(found[0][0]), str(len(found))] if found else [name, "", "", "0"])
        if add and value is not None:
            stored.append((name, value))
    return out


def all_rows(stored, queries, distance=3):
    return [[name, match, str(bits)] for name, value in queries for bits, _, match in near_by(stored, value, distance)]


def generated(count, seed, others=()):
    """Generates random fingerprints, about half of them within six bits of one another or of `others`; some too
    short, some twice."""
    rng = random.Random(seed)
    known = [value for _, value in others if value is not None]
    out = []
    for at in range(count):
        value = rng.getrandbits(64)
        if known and rng.random() < 0.6:
            value = rng.choice(known)
            for bit in rng.sample(range(64), rng.randint(0, 6)):
                value ^= 1 << bit
        known.append(value)
        out.append((f"{seed}.{at}", None if rng.random() < 0.05 else value))
    return out


STORED = generated(700, 1)
QUERIES = generated(300, 2, STORED)


class Match(TestCase):
    def setUp(self):
        super().setUp()
        self.write("known.tsv", rows_text(STORED))
        self.write("queries.tsv", rows_text(QUERIES))

    def match(self, *arguments, header=HEADER, **more):
        return table(self.run_program("match", *arguments, **more).out, header)

    def test_the_best_match_and_the_number_of_matches_equal_brute_force(self):
        expected = best_rows(STORED, QUERIES)
        self.assertGreater(sum(row[3] != "0" for row in expected), 60)
        self.assertEqual(self.match("known.tsv", "queries.tsv"), expected)
        self.assertEqual(self.match("known.tsv", stdin=rows_text(QUERIES)), expected)
        self.assertEqual(self.match("known.tsv", "-", stdin=rows_text(QUERIES)), expected)

    def test_any_distance_equals_brute_force(self):
        for distance in (0, 1, 2, 4, 7, 12, 25, 63):
            self.assertEqual(self.match("known.tsv", "queries.tsv", "--distance", str(distance)),
                             best_rows(STORED, QUERIES, distance), distance)

    def test_all_writes_a_row_for_every_match_nearest_first_then_earliest(self):
        for distance in (0, 3, 9):
            self.assertEqual(self.match("known.tsv", "queries.tsv", "--all", "--distance", str(distance),
                                        header="id\tmatch\tdiff"), all_rows(STORED, QUERIES, distance), distance)

    def test_skewed_fingerprints_equal_brute_force(self):
        stored = [(f"s{at}", 0xABCD << 48 | at) for at in range(800)] + [(f"e{at}", 77) for at in range(50)]
        queries = [(f"q{at}", 0xABCD << 48 | at * 5) for at in range(200)] + [("e", 77), ("f", 76)]
        self.write("known.tsv", rows_text(stored))
        self.assertEqual(self.match("known.tsv", stdin=rows_text(queries)), best_rows(stored, queries))
        self.assertEqual(self.match("known.tsv", "--all", stdin=rows_text(queries), header="id\tmatch\tdiff"),
                         all_rows(stored, queries))

    def test_threads_change_nothing(self):
        queries = rows_text(generated(5000, 3, STORED))
        expected = self.run_program("match", "known.tsv", "--threads", "1", stdin=queries).out
        for threads in ("2", "3", "8"):
            self.assertTrue(self.run_program("match", "known.tsv", "--threads", threads, stdin=queries).out == expected)

    def test_what_is_too_short_matches_nothing_from_either_side(self):
        self.write("known.tsv", "id\thash\na\t\nb\t0\n")
        self.assertEqual(self.match("known.tsv", stdin="x\t\ny\t0\nz\t1\n"),
                         [["x", "", "", "0"], ["y", "b", "0", "1"], ["z", "b", "1", "1"]])
        self.assertEqual(self.match("known.tsv", "--all", stdin="x\t\ny\t0\n", header="id\tmatch\tdiff"),
                         [["y", "b", "0"]])

    def test_the_header_is_optional_on_either_side(self):
        self.write("bare.tsv", rows_text(STORED, header=False))
        expected = best_rows(STORED, QUERIES)
        self.assertEqual(self.match("bare.tsv", "queries.tsv"), expected)
        self.assertEqual(self.match("known.tsv", stdin=rows_text(QUERIES, header=False)), expected)
        self.assertEqual(self.match("known.tsv", stdin=rows_text(QUERIES).replace("\n", "\r\n")), expected)
        self.assertEqual(self.match("known.tsv", stdin=rows_text(QUERIES).rstrip("\n")), expected)

    def test_nothing_stored_or_nothing_asked_is_an_empty_answer(self):
        self.write("none.tsv", "")
        self.assertEqual(self.match("none.tsv", stdin="x\t5\n"), [["x", "", "", "0"]])
        self.assertEqual(self.match("known.tsv", stdin=""), [])
        self.assertEqual(self.match("known.tsv", "none.tsv"), [])

    def test_what_fingerprint_and_near_write_can_be_stored(self):
        texts = documents(200, seed=8)
        self.write("in.jsonl", jsonl(texts))
        prints = self.run_program("fingerprint", "in.jsonl").out
        self.write("prints.tsv", prints)
        self.near("in.jsonl")
        rows = [(name, int(value) if value else None) for name, value in table(prints, "id\tsimhash")]
        expected = best_rows(rows, rows)
        self.assertEqual(self.match("prints.tsv", "prints.tsv"), expected)
        self.assertEqual(self.match("out/clusters.tsv", "prints.tsv"), expected)
        self.assertEqual(self.match("prints.tsv", "out/clusters.tsv"), expected)

    def test_other_options_than_the_stored_ones_are_refused(self):
        self.write("in.jsonl", jsonl(documents(20, seed=8)))
        self.write("three.tsv", self.run_program("fingerprint", "in.jsonl").out)
        self.write("five.tsv", self.run_program("fingerprint", "in.jsonl", "--window", "5").out)
        self.near("in.jsonl", "--window", "5")
        for queries in ("five.tsv", "out/clusters.tsv"):
            before = self.read("three.tsv")
            for flags in ([], ["--add"]):
                result = self.run_program("match", "three.tsv", queries, *flags, code=3)
                self.assertIn(f"{queries}: made with window=5, but three.tsv with window=3;"
                              " make both with the same options",
                              result.err)
            self.assertEqual(self.read("three.tsv"), before)
            self.assertEqual(table(result.out, HEADER), [])
        self.match("five.tsv", "out/clusters.tsv")
        self.assertIn("standard input: made with window=3",
                      self.run_program("match", "five.tsv", stdin=self.read("three.tsv"), code=3).err)

    def test_files_of_earlier_versions_are_taken_as_they_are(self):
        self.write("in.jsonl", jsonl(documents(20, seed=8)))
        new = self.run_program("fingerprint", "in.jsonl", "--window", "5").out.decode()
        self.write("new.tsv", new)
        header, *rows = new.splitlines()
        rows = "".join(row.removesuffix("\t") + "\n" for row in rows)
        options = header.split("\t")[2]
        expected = self.match("new.tsv", "new.tsv")
        for name, head in (("line.tsv", f"# {options}\nid\tsimhash\n"), ("header.tsv", "id\thash\n"), ("rows.tsv", "")):
            self.write(name, head + rows)
            self.assertEqual(self.match(name, "new.tsv"), expected)
            self.assertEqual(self.match("new.tsv", name), expected)
            self.assertEqual(self.match("new.tsv", stdin=(head + rows).replace("\n", "\r\n")), expected)
        # The options are checked wherever they are.
        other = self.run_program("fingerprint", "in.jsonl").out
        for name in ("line.tsv", "new.tsv"):
            self.assertIn(f"standard input: made with window=3, but {name} with window=5",
                          self.run_program("match", name, stdin=other, code=3).err)
        self.assertIn("new.tsv: made with window=5, but standard input with window=3",
                      self.run_program("match", "-", "new.tsv", stdin=other, code=3).err)

    def test_the_clusters_of_dedup_are_no_fingerprints(self):
        self.write("in.jsonl", jsonl(documents(20, seed=8)))
        self.run_program("dedup", "in.jsonl", "-o", "clean", "-q")
        for arguments in (["clean/clusters.tsv", "queries.tsv"], ["known.tsv", "clean/clusters.tsv"]):
            self.assertIn("clean/clusters.tsv:1: holds digests of texts, as 'refrain dedup' writes them,"
                          " not fingerprints",
                          self.run_program("match", *arguments, code=3).err)

    def test_escaped_ids_pass_through_as_they_are(self):
        self.write("known.tsv", "id\thash\na\\tb\\\\c\t5\n")
        self.assertEqual(self.match("known.tsv", stdin="q\\n1\t4\n"), [["q\\n1", "a\\tb\\\\c", "1", "1"]])

    def test_a_bad_row_is_exit_3_with_file_and_line(self):
        for bad in ("no tab", "a\tx", "a\t-1", f"a\t{2**64}", "a\t1.5", ""):
            self.write("bad.tsv", f"id\thash\na\t1\n{bad}\nb\t2\n")
            self.assertIn("bad.tsv:3:", self.run_program("match", "bad.tsv", "queries.tsv", code=3).err, bad)
            self.assertIn("bad.tsv:3:", self.run_program("match", "known.tsv", "bad.tsv", code=3).err, bad)
            result = self.run_program("match", "known.tsv", stdin=f"a\t1\n{bad}\nb\t2\n", code=3)
            self.assertIn("standard input:2:", result.err, bad)

    def test_missing_files_and_senseless_questions_are_refused(self):
        self.assertIn("absent", self.run_program("match", "absent", "queries.tsv", code=3).err)
        self.assertIn("absent", self.run_program("match", "known.tsv", "absent", code=3).err)
        self.assertIn("standard input", self.run_program("match", "-", "-", code=2).err)
        self.run_program("match", "-", "queries.tsv", "--add", code=2)
        self.run_program("match", "known.tsv", "queries.tsv", "--distance", "64", code=2)

    def test_json_says_how_many_there_were(self):
        report = json.loads(self.run_program("match", "known.tsv", "queries.tsv", "--json").err)
        self.assertEqual({key: report[key] for key in ("verb", "queries", "stored", "matched", "added")},
                         {"verb": "match", "queries": len(QUERIES),
                          "stored": sum(value is not None for _, value in STORED),
                          "matched": sum(row[3] != "0" for row in best_rows(STORED, QUERIES)), "added": 0})


class Add(TestCase):
    def test_later_queries_see_earlier_ones(self):
        for stored, queries in (([], QUERIES), (STORED, QUERIES), ([("a", 5)], [("q1", 1 << 40), ("q2", 1 << 40)])):
            self.write("known.tsv", rows_text(stored))
            out = self.run_program("match", "known.tsv", "--add", stdin=rows_text(queries)).out
            self.assertEqual(table(out, HEADER), best_rows(stored, queries, add=True))

    def test_queries_are_appended_and_too_short_ones_are_not(self):
        before = rows_text([("a", 5), ("b", None)])
        self.write("known.tsv", before)
        self.run_program("match", "known.tsv", "--add", stdin="x\t9\nshort\t\ny\t5\n")
        self.assertEqual(self.read("known.tsv").decode(), before + "x\t9\ny\t5\n")
        self.assertEqual(self.listing(), ["known.tsv"])

    def test_a_missing_last_line_end_is_mended_before_rows_are_added(self):
        self.write("known.tsv", "id\thash\na\t5")
        self.run_program("match", "known.tsv", "--add", stdin="x\t9")
        self.assertEqual(self.read("known.tsv"), b"id\thash\na\t5\nx\t9\n")

    def test_rows_that_are_added_fit_the_columns_of_the_file(self):
        self.write("in.txt", lines(["some words in a line", "other words in a line"]))
        self.near("in.txt", "--format", "lines")
        self.write("prints.tsv", self.run_program("fingerprint", "in.txt", "--format", "lines").out)
        self.write("old.tsv", f"# {MADE_WITH}\nid\tsimhash\na\t5\n")
        self.write("plain.tsv", "id\tsimhash\tcluster\na\t5\t-1\n")
        self.write("rows.tsv", "a\t5\tmore\n")
        self.write("empty.tsv", "")
        for name, columns in (("out/clusters.tsv", 4), ("prints.tsv", 3), ("old.tsv", 2), ("plain.tsv", 3),
                              ("rows.tsv", 3), ("empty.tsv", 2)):
            before = self.read(name)
            self.run_program("match", name, "--add", stdin="x\t9\tmore\nz\t8\n")
            cells = "\t" * (columns - 2)
            self.assertEqual(self.read(name).decode(), before.decode() + f"x\t9{cells}\nz\t8{cells}\n")
            self.assertEqual(self.run_program("match", name, "--distance", "0", stdin="y\t9\n").out.decode(),
                             f"{HEADER}\ny\tx\t0\t1\n")

    def test_a_failed_run_adds_nothing(self):
        before = rows_text(STORED)
        self.write("known.tsv", before)
        self.run_program("match", "known.tsv", "--add", stdin="x\t9\nbad\n", code=3)
        self.assertEqual(self.read("known.tsv").decode(), before)
        self.assertEqual(self.listing(), ["known.tsv"])

    def test_without_add_the_file_stays_as_it_is(self):
        self.write("known.tsv", rows_text(STORED))
        os.utime(self.path("known.tsv"), (1, 1))
        self.run_program("match", "known.tsv", stdin=rows_text(QUERIES))
        self.assertEqual(os.stat(self.path("known.tsv")).st_mtime, 1)

    def test_the_mode_of_the_file_stays_as_it_is(self):
        self.write("known.tsv", rows_text(STORED))
        os.chmod(self.path("known.tsv"), 0o640)
        self.run_program("match", "known.tsv", "--add", stdin="x\t9\n")
        self.assertEqual(os.stat(self.path("known.tsv")).st_mode & 0o777, 0o640)

    def test_a_link_to_the_file_stays_a_link(self):
        self.write("real.tsv", "id\thash\na\t5\n")
        os.symlink("real.tsv", self.path("known.tsv"))
        self.run_program("match", "known.tsv", "--add", stdin="x\t9\n")
        self.assertTrue(os.path.islink(self.path("known.tsv")))
        self.assertEqual(self.read("real.tsv"), b"id\thash\na\t5\nx\t9\n")


class Streaming(TestCase):
    def setUp(self):
        super().setUp()
        self.write("known.tsv", rows_text(STORED))

    def start(self, *flags):
        return running("match", "known.tsv", *flags, cwd=self.dir, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, bufsize=0, env=environment())

    def answer(self, process):
        """Returns the next line, or fails if none arrives in time."""
        line = b""
        end = time.monotonic() + 10
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"no answer in 10 s; so far {line!r}")
            piece = os.read(process.stdout.fileno(), 1)
            self.assertTrue(piece, "the program ended")
            line += piece
        return line.decode().rstrip("\n")

    def test_each_answer_comes_before_the_next_question(self):
        for flags in ([], ["--add"]):
            with self.start(*flags) as process:
                self.assertEqual(self.answer(process), HEADER)
                for row, expected in zip(QUERIES[:40], best_rows(STORED, QUERIES[:40], add=bool(flags))):
                    process.stdin.write(rows_text([row], header=False).encode())
                    self.assertEqual(self.answer(process).split("\t"), expected)
                process.stdin.close()
                self.assertEqual(process.wait(timeout=10), 0)

    def test_half_a_row_waits_for_its_other_half(self):
        with self.start() as process:
            self.assertEqual(self.answer(process), HEADER)
            name, value = STORED[0]
            process.stdin.write(b"q\t" + str(value)[:4].encode())
            time.sleep(0.2)
            process.stdin.write(str(value)[4:].encode() + b"\n")
            self.assertEqual(self.answer(process).split("\t")[:3], ["q", name, "0"])

    def test_a_signal_while_waiting_is_130_and_changes_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.start("--add") as process:
                self.assertEqual(self.answer(process), HEADER)
                process.stdin.write(b"x\t9\n")
                self.answer(process)
                time.sleep(0.2)  # so that it waits for the next query
                process.send_signal(number)
                self.assertTrue(wait_until(lambda: process.poll() is not None, 5), "still there after 5 s")
                self.assertEqual(process.returncode, 130)
            self.assertEqual(self.read("known.tsv").decode(), rows_text(STORED))
            self.assertEqual(self.listing(), ["known.tsv"])

    def test_a_reader_that_goes_away_ends_the_run_quietly(self):
        with self.start() as process:
            self.answer(process)
            process.stdout.close()
            try:
                for _ in range(100):
                    process.stdin.write(b"x\t9\n" * 1000)
            except BrokenPipeError:
                pass
            process.stdin.close()
            process.wait(timeout=10)
            self.assertNotIn(b"rror", process.stderr.read())
            self.assertNotEqual(process.returncode, -signal.SIGPIPE)


if __name__ == "__main__":
    main()
