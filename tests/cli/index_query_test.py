"""The results and the output of query, extract and blots."""

import json
import os
import random
import re
import subprocess

from index_case import UNIQUE, WORDS, Index, ThreeDocuments, run_of
from limits import run_limited
from program import SANITIZED, SOURCE_DIR, lines, main, program, sentence


class SmallWorlds(Index):
    """Results small enough to be computed by hand."""

    def hashes(self, tokens):
        """Returns the hashes of tokens; the fingerprint of a single token is its hash."""
        self.write("tokens", lines(tokens))
        out = self.run_program("fingerprint", "tokens", "--format", "lines", "--window", "1", "-q").out.decode()
        return [int(row.split("\t")[1]) for row in out.splitlines()[1:]]

    def test_xor_and_sum_blots_are_what_they_are_by_hand(self):
        tokens = "to be or not to be that is the question to be".split()
        hashes = self.hashes(tokens)
        self.write("hamlet", " ".join(tokens))
        for window, interleave, bits in ((2, 1, None), (5, 1, 20), (4, 2, None), (2, 3, 13)):
            span = interleave * (window - 1) + 1 if interleave > 1 else window // 2 + 1
            for kind in ("xor", "sum"):
                expected = []
                for at in range(len(tokens) - span + 1):
                    value = 0
                    for part in hashes[at:at + span:interleave]:
                        value = value ^ part if kind == "xor" else (value + part) % 2**64
                    value &= 2**(bits or 64) - 1
                    expected.append((f"{value:0{(bits or 64) + 3 >> 2}x}", " ".join(tokens[at:at + span])))
                flags = ["--blots", kind, "--sampling", "all", "--window", str(window), "--interleave", str(interleave)]
                flags += ["--blot-bits", str(bits)] if bits else []
                rows = self.blots("hamlet", *flags)
                if kind == "xor":
                    self.assertEqual([(row["blot"], row["text"]) for row in rows], expected, flags)
                else:  # the sum may be mixed: equal bags, and only those, must have equal blots
                    pairs = {(row["blot"], sum_) for row, (sum_, _) in zip(rows, expected)}
                    self.assertEqual(len(pairs), len({blot for blot, _ in pairs}))
                    self.assertEqual(len(pairs), len({sum_ for _, sum_ in pairs}))
                self.assertTrue(all(row["id"] == "hamlet" for row in rows))
                content = self.read("hamlet").decode()
                self.assertEqual([row["text"] for row in rows], [content[row["begin"]:row["end"]] for row in rows])

    def test_a_token_that_occurs_twice_cancels_itself_in_xor_only(self):
        self.write("twice", "word word")
        flags = ["--sampling", "all", "--window", "2"]
        self.assertEqual(self.blots("twice", "--blots", "xor", *flags)[0]["blot"], "0" * 16)
        self.assertNotEqual(self.blots("twice", *flags)[0]["blot"], "0" * 16)

    def test_every_other_token_is_found_interleaved_and_not_by_exact_windows(self):
        self.write("a", " ".join(f"{word} x{i}" for i, word in enumerate(UNIQUE[:30])))
        self.write("b", " ".join(f"{word} y{i}" for i, word in enumerate(UNIQUE[:30])))
        self.create("a", "b", "--interleave", "2")
        self.assertEqual(self.stats()["sampling"], "all")
        [row] = self.extract()
        self.assertEqual({place["id"] for place in row["occurrences"]}, {"a", "b"})
        self.assertGreaterEqual(row["length"], 59)
        self.assertAlmostEqual(row["similarity"], 0.5, delta=0.02)
        self.assert_in_files(row)
        self.assertEqual(len(self.query("b")), 1)
        self.create("a", "b", index="exact")
        self.assertEqual(self.extract(index="exact"), [])
        self.create("a", "b", "--sampling", "all", index="all")
        self.assertEqual(self.extract(index="all"), [])

    def test_raw_refuses_flags_that_would_do_nothing(self):
        self.write("a", run_of(0, 30))
        self.create("a")
        for flags in (["--min-tokens", "20"], ["--max-gap", "3"], ["--exclude", "a"]):
            for verb in (["query", "index", "a"], ["extract", "index"]):
                found = self.run_program("index", *verb, "--raw", *flags, code=2)
                self.assertIn("--raw: compares nothing", found.err)
        self.run_program("index", "query", "index", "a", "--raw", "--max-occurrences", "3", code=2)

    def test_another_order_is_a_candidate_of_xor_and_no_passage(self):
        words = UNIQUE[:10]
        self.write("a", " ".join(words))
        self.write("b", " ".join(words[5:] + words[:5][::-1]))
        for kind, shared in (("xor", 1), ("sum", 1), ("ordered", 0)):
            index = f"index-{kind}"
            self.create("a", "b", "--blots", kind, "--sampling", "all", index=index)
            raw = self.extract("--raw", index=index)
            self.assertEqual([(row["count"], row["documents"]) for row in raw], [(2, ["a", "b"])] * shared, kind)
            self.assertEqual(self.extract(index=index), [])
            raw = self.query("b", "--raw", index=index)
            self.assertEqual([row["documents"] for row in raw], [["a", "b"]] * shared + [["b"]] * (5 - shared))
            # A query finds b itself, word for word, but not a.
            [row] = self.query("b", index=index)
            self.assertEqual(self.places(row), [("b", 0, len(self.read("b")))])

    def test_every_exact_run_of_a_window_is_found_and_none_that_is_shorter(self):
        rng = random.Random(5)
        for window in (2, 5, 10, 11):
            texts, runs = [], []
            for i in range(20):
                length = window + rng.randrange(3) if i % 2 else window - 1
                start = rng.randrange(0, 3000)
                shared = run_of(start, length)
                runs.append((shared, length >= window))
                for side in "ab":
                    before, after = (sentence(rng, [f"{side}{i}w{k}" for k in range(500)], 40) for _ in range(2))
                    texts.append(f"{before} {shared} {after}")
            self.write("in.txt", lines(texts))
            self.create("in.txt", "--format", "lines", "--window", str(window), index=f"i{window}")
            found = {row["passage"] for row in self.extract("--max-gap", "0", index=f"i{window}")}
            for shared, long_enough in runs:
                if long_enough:
                    self.assertTrue(any(shared in passage for passage in found), (window, shared))
                elif not any(shared in other for other, good in runs if good):
                    self.assertFalse(any(shared in passage for passage in found), (window, shared))


class Queried(ThreeDocuments):
    def test_an_answer_is_a_json_object_a_line_with_places_in_the_files(self):
        self.create("docs")
        self.write("q", f"zz yy {run_of(25, 20)} xx")
        [row] = self.query("q")
        self.assertEqual(" ".join(row), "passage length similarity documents query begin end score occurrences")
        self.assertEqual((row["passage"], row["length"], row["similarity"], row["documents"]),
                         (run_of(25, 20), 20, 1, 2))
        self.assertEqual(self.read("q").decode()[row["begin"]:row["end"]], row["passage"])
        self.assertEqual([list(place) for place in row["occurrences"]],
                         ["id begin end query_begin query_end similarity score query_share document_share text"
                          .split()] * 2)
        self.assertEqual({(place["query_begin"], place["query_end"], place["similarity"])
                          for place in row["occurrences"]},
                         {(row["begin"], row["end"], 1)})
        self.assertEqual([place["id"] for place in row["occurrences"]], ["docs/a", "docs/b"])
        self.assert_in_files(row)

    def test_noise_is_bridged_as_far_as_max_gap_says(self):
        self.create("docs")
        words = UNIQUE[200:240]
        words[12] = "changed"
        words[20:21] = []
        words.insert(28, "inserted")
        self.write("q", " ".join(words))
        [row] = self.query("q")
        self.assertEqual(row["length"], 40)
        self.assertEqual(self.places(row)[0][0], "docs/c")
        self.assertLess(row["similarity"], 1)
        self.assertGreater(row["similarity"], 0.9)
        self.assert_in_files(row)
        pieces = self.query("q", "--edits", "none")
        self.assertTrue(all("changed" not in row["passage"] for row in pieces), pieces)
        self.write("gap", f"{run_of(200, 15)} {' '.join(['noise'] * 12)} {run_of(215, 15)}")
        self.assertEqual(len(self.query("gap")), 1)
        self.assertEqual(len(self.query("gap", "--max-gap", "20")), 1)
        self.assertEqual(len(self.query("gap", "--max-gap", "8")), 2)

    def test_limits_say_what_is_a_passage(self):
        self.create("docs")
        self.write("q", f"{run_of(100, 15)} zz yy xx ww vv uu tt ss rr qq pp oo {run_of(25, 20)}")
        apart = ["--max-gap", "8"]
        self.assertEqual([row["length"] for row in self.query("q", *apart)], [15, 20])  # in two of three documents
        self.assertEqual([row["length"] for row in self.query("q", "--min-tokens", "16", *apart)], [20])
        self.query("q", "--min-tokens", "21", *apart, code=1)
        self.write("known", f"known: {run_of(25, 20)}")
        self.write("other", run_of(100, 15))
        self.assertEqual([row["length"] for row in self.query("q", "--exclude", "known", *apart)], [15])
        self.assertEqual(self.query("q", "--exclude", "known", "--exclude", "other", *apart, code=1), [])
        self.assertEqual([row["length"] for row in self.query("q", "--max-documents", "1", *apart)], [15])
        self.assertEqual([row["length"] for row in self.query("q", "--limit", "1", *apart)], [15])
        [_, row] = self.query("q", "--max-occurrences", "1", *apart)
        self.assertEqual((len(row["occurrences"]), row["unverified"]), (1, 1))

    def test_words_that_changed_places_are_reported_where_blots_ignore_order(self):
        words = UNIQUE[300:340]
        swapped = [word for i in range(0, 40, 2) for word in (words[i + 1], words[i])]
        self.write("docs/d", " ".join(words))
        self.write("q", " ".join(swapped))
        for kind in ("xor", "sum"):
            self.create("docs", "--blots", kind, "--sampling", "all", index=kind)
            [row] = self.query("q", index=kind)
            self.assertEqual([place["id"] for place in row["occurrences"]], ["docs/d"])
            self.assertGreater(row["similarity"], 0.9)

    def test_every_record_of_a_file_is_asked_by_itself(self):
        self.create("docs")
        texts = [f"zz {run_of(25, 20)} yy", "nothing", f"{run_of(205, 20)} zz yy {run_of(100, 15)}"]
        self.write("q.jsonl", lines(json.dumps({"id": f"r{i}", "text": text}) for i, text in enumerate(texts)))
        rows = self.query("q.jsonl", "--id-field", "id")
        self.assertEqual([row["query"] for row in rows], ["r0", "r2", "r2"])
        for i, text in enumerate(texts):
            self.write("one", text)
            alone = self.query("one", code=1 if i == 1 else 0)
            self.assertEqual([{**row, "query": f"r{i}"} for row in alone],
                             [row for row in rows if row["query"] == f"r{i}"])
        first = [row["query"] for row in self.query("q.jsonl", "--id-field", "id", "--limit", "1")]
        self.assertEqual(first, ["r0", "r2"])
        self.assertEqual({row["query"] for row in self.query("q.jsonl")}, {"0", "2"})
        self.write("bad.jsonl", lines(["no record", json.dumps({"id": "r", "text": texts[0]})]))
        self.assertIn("skipped 1 bad record:\n  bad.jsonl",
                      self.run_program("index", "query", "index", "bad.jsonl").err)
        one, two = (self.run_program("index", "query", "index", "q.jsonl", "--threads", n).out for n in "12")
        self.assertEqual(one, two)
        summary = json.loads(self.run_program("index", "query", "index", "q.jsonl", "--limit", "1", "--json").err)
        self.assertEqual((summary["documents"], summary["shortened"], summary["cursor"]), (3, 1, None))

    def test_heavy_edits_are_found_where_they_are_asked_for(self):
        words = [word if i % 3 else f"other{i}" for i, word in enumerate(UNIQUE[400:520])]
        self.write("docs/d", run_of(400, 120))
        self.create("docs")
        self.write("q", " ".join(words))
        self.query("q", code=1)
        [row] = self.query("q", "--edits", "heavy")
        self.assertEqual([place["id"] for place in row["occurrences"]], ["docs/d"])
        self.assertAlmostEqual(row["similarity"], 0.67, delta=0.05)
        self.query("q", "--edits", "heavy", "--noise", "0.2", code=1)
        self.create("docs", "--edits", "light", index="light")
        self.assertFalse(self.stats(index="light")["pairs"])
        self.query("q", "--edits", "heavy", index="light", code=1)
        for asked in (("query", "light", "docs/d"), ("extract", "light")):
            self.assertIn("was built without word pairs", self.run_program("index", *asked, "--edits", "heavy").err)
        self.assertNotIn("pairs", self.run_program("index", "query", "index", "docs/d", "--edits", "heavy").err)

    def test_nothing_found_is_exit_1_and_no_output(self):
        self.create("docs")
        self.write("q", "nothing that anybody ever wrote down in this index, not even once or in part")
        result = self.run_program("index", "query", "index", "q", code=1)
        self.assertEqual((result.out, result.err), (b"", ""))
        self.write("empty", "")
        self.query("empty", code=1)

    def test_pages_put_end_to_end_are_the_whole_answer(self):
        texts = [run_of(i * 50, 12 + i) for i in range(23)]
        self.write("in.txt", lines(texts))
        self.create("in.txt", "--format", "lines")
        random.Random(4).shuffle(texts)
        self.write("q", " and then there came many other words that nobody had heard of ".join(texts))
        whole, cursor = self.rows("index", "query", "index", "q", "--limit", "0")
        self.assertIsNone(cursor)
        self.assertEqual(len(whole), 23)
        # Best first, by an estimate that may be off by a window.
        lengths = [row["length"] for row in whole]
        self.assertEqual(sorted(lengths), list(range(12, 35)))
        for i, length in enumerate(lengths):
            self.assertGreaterEqual(length + 10, max(lengths[i:]), lengths)
        for limit in (1, 4, 22, 23):
            pages, flags = [], []
            while True:
                page, cursor = self.rows("index", "query", "index", "q", "--limit", str(limit), *flags)
                pages += page
                if cursor is None:
                    break
                self.assertEqual(len(page), limit)
                flags = ["--cursor=" + cursor]
            self.assertEqual(pages, whole)
        self.assertEqual(self.rows("index", "query", "index", "q"), (whole, None))
        page, cursor = self.rows("index", "query", "index", "q", "--limit", "20")
        self.assertEqual((page, cursor is None), (whole[:20], False))
        for bad in ("x", cursor[:-1], cursor + "0", "0" * len(cursor)):
            self.run_program("index", "query", "index", "q", f"--cursor={bad}", code=2)
        self.write("q2", run_of(0, 12))
        self.run_program("index", "query", "index", "q2", f"--cursor={cursor}", code=2)
        self.write("more", "a document that has nothing to do with the query")
        self.run_program("index", "add", "index", "more")
        late = self.run_program("index", "query", "index", "q", f"--cursor={cursor}", code=2)
        self.assertIn("--cursor: the index has changed since; repeat the query without it", late.err)
        self.assertEqual(late.out, b"")

    def test_sixty_passages_are_a_page(self):
        texts = [run_of(i * 30, 14) for i in range(63)]
        self.write("in.txt", lines(texts))
        self.create("in.txt", "--format", "lines")
        self.write("q", " and then there came many other words that nobody had heard of ".join(texts))
        page, cursor = self.rows("index", "query", "index", "q")
        self.assertEqual((len(page), cursor is None), (60, False))
        rest, cursor = self.rows("index", "query", "index", "q", "--cursor=" + cursor)
        self.assertEqual((len(rest), cursor), (3, None))
        shown = self.run_program("index", "query", "--help").out.decode()
        self.assertIn("maximum number of passages per document, 0 for all [60]", shown)
        with open(os.path.join(SOURCE_DIR, "docs", "openapi.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["components"]["schemas"]["Query"]["properties"]["limit"]["default"], 60)

    def test_text_names_the_command_that_goes_on(self):
        texts = [run_of(i * 50, 20 + i) for i in range(5)]
        self.write("in.txt", lines(texts))
        self.create("in.txt", "--format", "lines", index="an index")
        self.write("it's", " what comes between these is of no concern to anyone at all ".join(texts))
        result = self.run_program("index", "query", "an index", "it's", "--output", "text", "--limit=2")
        shown = result.out.decode()
        while result.err:
            [command] = re.findall(r"^refrain: for more, run: (.*)$", result.err, re.MULTILINE)
            done = subprocess.run(["bash", "-c", command.replace("refrain", program(), 1)], cwd=self.dir, check=True,
                                  capture_output=True, timeout=60)
            shown += "\n" + done.stdout.decode()
            result = result._replace(err=done.stderr.decode())
        whole = self.run_program("index", "query", "an index", "it's", "--output", "text").out.decode()
        self.assertEqual(shown, whole)

    def test_text_is_for_people(self):
        self.write("docs/d", f"{run_of(25, 10)} CHANGED {run_of(36, 10)}")
        self.create("docs")
        self.write("q", run_of(25, 21))
        shown = self.run_program("index", "query", "index", "q", "--output", "text").out.decode()
        self.assertRegex(shown, r"^21 tokens of q:0-\d+ in 3 documents, 9\d% similar\n    ")
        self.assertRegex(shown, r"(?m)^  docs/a:\d+-\d+  \(100%\)  identical$")
        self.assertRegex(shown, r"(?m)^  docs/d:0-\d+  \(9\d%\)$")
        self.assertIn(f"    [[{run_of(25, 10)}]] CHANGED [[{run_of(36, 10)}]]\n", shown)
        self.assertNotIn("\x1b", shown)

    def test_a_query_may_be_standard_input_several_files_or_a_document_of_the_index(self):
        self.create("docs")
        [row] = self.query("-", stdin=run_of(25, 20))
        self.assertEqual((row["query"], row["documents"]), ("-", 2))
        self.write("q1", run_of(25, 20))
        self.write("q2", run_of(100, 15))
        self.assertEqual({row["query"] for row in self.query("q1", "q2")}, {"q1", "q2"})
        [row] = self.query("--id", "docs/a")
        self.assertEqual((row["query"], [place["id"] for place in row["occurrences"]]), ("docs/a", ["docs/b"]))
        self.assertEqual(row["passage"], run_of(20, 30))
        self.query("--id", "docs/c", code=1)
        self.run_program("index", "query", "index", "--id", "no-such", code=3)

    def test_raw_shows_blots_with_their_documents(self):
        self.create("docs")
        self.write("q", run_of(25, 20))
        raw = self.query("q", "--raw")
        self.assertTrue(raw)
        for row in raw:
            self.assertEqual((list(row), row["count"]), (["blot", "count", "documents"], 2))
            self.assertEqual(row["documents"], ["docs/a", "docs/b"])
        of_file = {row["blot"] for row in self.blots("q", "--blot-bits", str(self.stats()["blot_bits"]))}
        self.assertEqual({row["blot"] for row in raw}, of_file)
        self.assertEqual(self.query("q", "--raw", "--max-documents", "1", code=1), [])
        self.assertEqual(len(self.query("q", "--raw", "--limit", "2")), 2)
        text = self.run_program("index", "query", "index", "q", "--raw", "--output", "text").out.decode()
        self.assertEqual(text.splitlines(), [f"{row['blot']} docs/a docs/b" for row in raw])
        self.assertTrue(of_file <= {row["blot"] for row in self.query("--id", "docs/a", "--raw", "--limit", "0")})

    def test_a_changed_file_is_named_and_never_shown_as_if_it_were_the_old(self):
        self.create("docs")
        self.write("q", run_of(25, 20))
        self.write("docs/a", self.read("docs/a").upper())
        result = self.run_program("index", "query", "index", "q")
        [row] = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([place["id"] for place in row["occurrences"]], ["docs/b"])
        self.assertRegex(result.err, r"(?s)^refrain: 1 changed document skipped:\n  docs/a: ")
        self.assertEqual(self.run_program("index", "query", "index", "q", "-q").err, "")
        summary = json.loads(self.run_program("index", "query", "index", "q", "-q", "--json").err)
        self.assertEqual((summary["passages"], summary["changed_documents"], summary["cursor"]), (1, 1, None))
        self.assertEqual([document["id"] for document in summary["changed"]], ["docs/a"])
        os.remove(self.path("docs/b"))
        self.assertIn("docs/b", self.run_program("index", "query", "index", "q", code=1).err)
        checked = self.run_program("index", "check", "index")
        self.assertIn("docs/a", checked.err)
        self.assertEqual(json.loads(self.run_program("index", "check", "index", "--json").out)["changed_documents"], 2)
        self.create("docs/c", "--store-text", index="kept")
        os.remove(self.path("docs/c"))
        self.write("q", run_of(200, 40))
        [row] = self.query("q", index="kept")
        self.assertEqual(row["occurrences"][0]["text"], run_of(200, 40))


    def test_rows_are_also_told_as_tsv_and_without_texts(self):
        self.create("docs")
        self.write("q", f"zz yy {run_of(25, 20)} xx\tww")
        rows = self.query("q")
        out = self.run_program("index", "query", "index", "q", "--output", "tsv").out.decode()
        header, *table = [line.split("\t") for line in out.splitlines()]
        self.assertEqual(header,
                         ("query query_begin query_end id begin end similarity score query_share document_share "
                          "query_text text").split())
        told = [dict(zip(header, row)) for row in table]
        self.assertEqual([(row["query"], row["id"], row["query_text"], row["text"]) for row in told],
                         [("q", f"docs/{name}", run_of(25, 20), run_of(25, 20)) for name in "ab"])
        for row, place in zip(told, rows[0]["occurrences"]):
            for key in ("query_begin", "query_end", "begin", "end", "similarity", "score", "query_share",
                        "document_share"):
                self.assertEqual(float(row[key]), place[key], key)
        self.assertEqual([place["query_share"] for place in rows[0]["occurrences"]], [round(20 / 24, 6)] * 2)
        self.assertEqual(rows[0]["occurrences"][0]["document_share"], round(20 / 64, 6))
        short = self.run_program("index", "query", "index", "q", "--output", "tsv", "--no-text").out.decode()
        self.assertEqual([line.split("\t") for line in short.splitlines()], [row[:-2] for row in [header, *table]])
        [bare] = self.query("q", "--no-text")
        self.assertEqual(set(rows[0]) - set(bare), {"passage"})
        self.assertEqual([set(a) - set(b) for a, b in zip(rows[0]["occurrences"], bare["occurrences"])], [{"text"}] * 2)
        text = self.run_program("index", "query", "index", "q", "--output", "text", "--no-text").out.decode()
        self.assertRegex(text, r"^20 tokens of q:6-\d+ in 2 documents, 100% similar\n"
                               r"  docs/a:\S+  \(100%\)\n  docs/b:\S+  \(100%\)\n$")
        empty = self.run_program("index", "query", "index", "-", "--output", "tsv", stdin="nothing",
                                 code=1).out.decode()
        self.assertEqual(empty.splitlines(), ["\t".join(header)])
        self.run_program("index", "query", "index", "q", "--output", "tsv", "--raw", code=2)
        more = self.run_program("index", "extract", "index", "--output", "tsv").out.decode().splitlines()
        self.assertEqual(more[0], "passage\tid\tbegin\tend\tsimilarity\tdocument_share\ttext")
        self.assertEqual([row.split("\t")[:2] for row in more[1:]], [["1", "docs/a"], ["1", "docs/b"]])


class Extracted(Index):
    def test_a_header_in_many_files_is_one_passage_with_all_its_places(self):
        header = run_of(0, 40)
        rng = random.Random(2)
        for i in range(300):
            self.write(f"src/{i:03}.c", f"/* {header} */\n{sentence(rng, [f'w{i}x{k}' for k in range(99)], 30)}\n")
        self.create("src")
        rows = self.extract()
        self.assertEqual(len(rows), 1)
        self.assertEqual((rows[0]["passage"], rows[0]["length"], rows[0]["documents"], len(rows[0]["occurrences"])),
                         (header, 40, 300, 300))
        self.assertEqual([place["id"] for place in rows[0]["occurrences"]], [f"src/{i:03}.c" for i in range(300)])
        self.assert_in_files(rows[0])
        self.assertEqual(self.extract("--min-documents", "301"), [])
        self.assertEqual(self.extract("--max-documents", "299"), [])
        self.write("header", header)
        self.assertEqual(self.extract("--exclude", "header"), [])
        shown = self.run_program("index", "extract", "index", "--output", "text").out.decode()
        self.assertTrue(shown.startswith(f"40 tokens in 300 documents, 100% similar\n    {header[:50]}"), shown[:200])
        self.assertEqual(shown.count("  identical\n"), 300)

    def test_exact_passages_only_where_they_are_asked_for(self):
        self.write("docs/a", f"one {run_of(0, 40)} two")
        self.write("docs/b", f"three {run_of(0, 20)} changed {run_of(21, 19)} four")
        self.create("docs")
        self.assertEqual([row["length"] for row in self.extract()], [40])
        self.assertEqual([row["length"] for row in self.extract("--edits", "none")], [20, 19])
        self.assertIn("--noise: has no effect without --edits heavy", self.run_program("index", "extract", "index",
                                                                                       "--noise", "0.5", code=2).err)

    def test_a_document_that_is_the_question_is_one_passage_however_often_it_repeats_itself(self):
        row = "every line of this list is the same but for its number"
        self.write("docs/list", "".join(f"{row} {at}\n" for at in range(300)))
        self.write("docs/longer", "".join(f"{row} {at}\n" for at in range(310)))
        self.write("docs/other", " ".join(WORDS[:50]))
        self.create("docs")
        for threads in ("1", "3"):
            places = [place for found in self.query("docs/list", "--threads", threads)
                      for place in found["occurrences"]]
            [whole] = [place for place in places if place["id"] == "docs/list"]
            self.assertEqual((whole["similarity"], whole["begin"], whole["end"]),
                             (1, 0, len(self.read("docs/list")) - 1))
            self.assertIn("docs/longer", [place["id"] for place in places])

    def test_heavily_edited_passages_are_those_of_a_query_of_the_index_itself(self):
        changed = [word if i % 3 else f"other{i}" for i, word in enumerate(UNIQUE[400:520])]
        self.write("docs/a", f"one {run_of(400, 120)} two")
        self.write("docs/b", f"{run_of(900, 40)} {' '.join(changed)} three")
        self.write("docs/c", f"four {run_of(915, 20)} five")
        self.create("docs")
        self.assertEqual([row["length"] for row in self.extract()], [20])
        rows = self.extract("--edits", "heavy")
        self.assertEqual([[place["id"] for place in row["occurrences"]] for row in rows],
                         [["docs/a", "docs/b"], ["docs/b", "docs/c"]])
        for row, asked in zip(rows, self.query("--self", "--edits", "heavy")):
            self.assertEqual((row["passage"], row["length"], row["similarity"]),
                             (asked["passage"], asked["length"], asked["similarity"]))
            self.assertEqual(self.places(row)[1:], self.places(asked))
            self.assert_in_files(row)
        self.assertEqual([row["length"] for row in self.extract("--edits", "heavy", "--noise", "0.2")], [20])

    def test_limits_and_raw(self):
        for i, (first, count) in enumerate(((0, 50), (100, 20), (200, 12))):
            for side in range(i + 2):
                self.write(f"docs/{i}-{side}", f"s{i}{side} {run_of(first, count)} e{i}{side}")
        self.create("docs")
        rows = self.extract()
        self.assertEqual({(row["length"], row["documents"]) for row in rows}, {(50, 2), (20, 3), (12, 4)})
        self.assertEqual({row["length"] for row in self.extract("--min-tokens", "13")}, {50, 20})
        self.assertEqual({row["length"] for row in self.extract("--min-documents", "3")}, {20, 12})
        self.assertEqual(self.extract("--limit", "2"), rows[:2])
        raw = self.extract("--raw")
        self.assertEqual(raw, self.blots("index"))
        counts = [row["count"] for row in raw]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertEqual(set(counts), {2, 3, 4})
        self.assertTrue(all(row["count"] == len(row["documents"]) for row in raw))
        self.assertEqual([row for row in raw if row["count"] == 3],
                         self.blots("index", "--min-documents", "3", "--max-documents", "3"))
        self.assertEqual(self.blots("index", "--limit", "2"), raw[:2])
        text = self.run_program("index", "blots", "index", "--output", "text", "--limit", "1").out.decode()
        self.assertEqual(text, f"{raw[0]['blot']} {' '.join(raw[0]['documents'])}\n")
        places = self.blots("index", "--unblot", raw[0]["blot"])
        self.assertEqual([row["id"] for row in places], raw[0]["documents"])
        for row in places:
            self.assertEqual(row["text"], self.read(row["id"])[row["begin"]:row["end"]].decode())
        both = self.blots("index", "--unblot", raw[0]["blot"], "--unblot", raw[-1]["blot"].upper())
        self.assertEqual(len(both), raw[0]["count"] + raw[-1]["count"])
        used = {int(row["blot"], 16) for row in self.blots("index", "--min-documents", "1")}
        unused = min(set(range(len(used) + 1)) - used)
        self.assertEqual(self.blots("index", "--unblot", f"{unused:x}", code=1), [])
        summary = json.loads(self.run_program("index", "extract", "index", "--json").err)
        self.assertEqual((summary["passages"], summary["documents"], summary["occurrences"]), (3, 9, 9))

    def test_very_many_documents_without_an_answer_take_little_memory(self):
        self.write("in.txt", lines(["a document that no empty line holds any word of"]))
        self.create("in.txt", "--format", "lines")
        self.write("empty.txt", b"\n" * 700_000)
        done = run_limited("index", "query", self.path("index"), self.path("empty.txt"), "--format", "lines",
                           "--memory", "64M", "--threads", "2", "-q", size=256 << 20)
        self.assertEqual((done.code, done.err), (1, ""))
        if not SANITIZED:
            self.assertLess(done.peak, 36 << 20)  # 41 to 53 MB when each answer was held

    def test_the_answer_is_the_same_for_any_threads_and_memory(self):
        rng = random.Random(9)
        texts = [sentence(rng, WORDS[:300], 60) + " " + run_of(20 * (i % 50), 30) for i in range(400)]
        self.write("in.txt", lines(texts))
        answers = set()
        for i, flags in enumerate((["--threads", "1"], ["--threads", "3"], ["--memory", "64M"])):
            self.create("in.txt", "--format", "lines", *flags, index=f"i{i}")
            answers.add(self.run_program("index", "extract", f"i{i}", *flags).out)
        self.assertEqual(len(answers), 1)
        self.assertGreater(len(answers.pop()), 1000)


if __name__ == "__main__":
    main()
