"""ngrams show, lookup, stats and check, compared with an index that a few lines of Python compute."""

import collections
import json
import os
import re
import shutil
import unittest

from program import TIME_FACTOR, TestCase, documents, jsonl, lines, main, program, run, say, vocabulary

FILES = ["documents.bin", "grams.bin", "places.bin", "summary.json"]
HEADER = "ngram\tcount\tdocuments\tplaces"


def oracle(texts, n, m, ids=None):
    """Returns {text: places} of every n-gram that occurs at least m times, and the number of all n-grams."""
    places, total = collections.defaultdict(list), 0
    for d, text in enumerate(texts):
        tokens = re.findall(r"[a-z0-9]+", text.lower())
        for at in range(len(tokens) - n + 1):
            places[" ".join(tokens[at:at + n])].append((ids[d] if ids else str(d), at))
            total += 1
    return {text: found for text, found in places.items() if len(found) >= m}, total


def row(text, places):
    return "\t".join([text, str(len(places)), str(len({d for d, _ in places})),
                      ",".join(f"{d}:{at}" for d, at in places)])


ORDERS = {
    "count": lambda entry: (-len(entry[1]), entry[0].encode()),
    "ngram": lambda entry: entry[0].encode(),
    "length": lambda entry: (-len(entry[0].encode()), entry[0].encode()),
}


def rows(index, sort="count"):
    return [row(text, places) for text, places in sorted(index.items(), key=ORDERS[sort])]


class Ngrams(TestCase):
    def build(self, *arguments, output="index", code=0, **more):
        return self.run_program("ngrams", "build", *arguments, "-o", output, "-q", code=code, **more)

    def show(self, *arguments, index="index"):
        out = self.run_program("ngrams", "show", index, *arguments).out.decode().split("\n")
        self.assertEqual((out[0], out[-1]), (HEADER, ""))
        return out[1:-1]

    def stats(self, index="index"):
        return json.loads(self.run_program("ngrams", "stats", index, "--json").out)

    def lookup(self, *phrases, index="index", code=0):
        result = self.run_program("ngrams", "lookup", index, *phrases, code=code)
        out = result.out.decode().split("\n")
        self.assertEqual((out[0], out[-1]), (HEADER, ""))
        return out[1:-1], result.err


class Shown(Ngrams):
    def test_every_order_and_limit_is_that_of_the_oracle(self):
        texts = documents(300)
        self.write("in.txt", lines(texts))
        for n, m in ((1, 2), (1, 50), (2, 3), (8, 2), (30, 2)):
            index, total = oracle(texts, n, m)
            self.build("in.txt", "--format", "lines", "-n", str(n), "-m", str(m), "--force")
            for sort in ORDERS:
                expected = rows(index, sort)
                self.assertEqual(self.show("--sort", sort), expected, (n, m, sort))
                for limit in (0, 1, 7, len(expected), len(expected) + 1):
                    self.assertEqual(self.show("--sort", sort, "--limit", str(limit)), expected[:limit])
            self.assertEqual(self.show(), rows(index))
            stats, places = self.stats(), sum(map(len, index.values()))
            self.assertEqual([stats[key] for key in ("n", "m", "documents", "grams", "single", "multi", "repeat")],
                             [n, m, len(texts), total, total - places, len(index), places - len(index)])
            self.assertAlmostEqual(sum(stats[f"{part}_percent"] for part in ("single", "multi", "repeat")), 100,
                                   places=3)
            self.assertIn(b": OK: ", self.run_program("ngrams", "check", "index").out)

    def test_a_small_memory_changes_nothing(self):
        texts = documents(2000)
        self.write("in.txt", lines(texts))
        self.build("in.txt", "--format", "lines", "-n", "3")
        for sort in ORDERS:
            whole = self.run_program("ngrams", "show", "index", "--sort", sort).out
            self.assertEqual(self.run_program("ngrams", "show", "index", "--sort", sort, "--memory", "64M").out, whole)

    def test_ids_come_from_the_input_and_cannot_break_a_row(self):
        texts = ["to be or not to be"] * 3
        ids = ["plain", "tab\there", "back\\slash\n"]
        self.write("in.jsonl", jsonl(texts, id=lambda i: ids[i]))
        self.build("in.jsonl", "--id-field", "id", "-n", "6")
        self.assertEqual(self.show(), ["to be or not to be\t3\t3\tplain:0,tab\\there:0,back\\\\slash\\n:0"])
        self.write("folder/b", "one two")
        self.write("folder/a", "One, two!")
        self.build("folder", "-n", "2", output="files")
        self.assertEqual(self.show(index="files"), ["one two\t2\t2\tfolder/a:0,folder/b:0"])

    def test_a_bad_record_keeps_its_place(self):
        self.write("in.jsonl", '{"text": "to be"}\nnot json\n{"text": "to be"}\n')
        self.build("in.jsonl", "-n", "2")
        self.assertEqual(self.show(), ["to be\t2\t2\t0:0,2:0"])

    def test_hard_text_is_indexed_and_found(self):
        for name, content, n, phrase, expected in (
                ("cjk", "你好世界\n世界你好\n", 2, "你好", "你 好\t2\t2\t0:0,1:2"),
                ("crlf", "To be,\r\nor NOT to be\r\n", 1, "BE", "be\t2\t2\t0:1,1:3"),
                ("fold", "Straße ÄRGER\nstraße ärger\n", 2, "STRASSE ärger", None),
                ("invalid", b"to \xff\xfe be\nto be\n", 2, "to be", "to be\t2\t2\t0:0,1:0"),
                ("nul", b"to \0 be\nto be\n", 2, "to be", "to be\t2\t2\t0:0,1:0")):
            self.write(name, content)
            self.build(name, "--format", "lines", "--binary", "-n", str(n), output=f"{name}.index")
            self.run_program("ngrams", "check", f"{name}.index")
            shown = self.show(index=f"{name}.index")
            if expected is not None:
                self.assertIn(expected, shown, name)
                self.assertEqual(self.lookup(phrase, index=f"{name}.index")[0], [expected])

    def test_every_tokenizer_gives_an_index_that_is_right_in_itself(self):
        self.write("in.txt", "if (a == 1) { b  =  2; }\tACGT acgt\nIF (a == 1) { b  =  2; }\tACGT acgt\n" * 2)
        for tokenizer in ("words", "whitespace", "whitespace-lower", "alpha", "code", "code-kinds", "chars", "bytes",
                          "dna"):
            for n in (1, 2, 5):
                self.build("in.txt", "--format", "lines", "--tokenizer", tokenizer, "-n", str(n), "--force")
                self.run_program("ngrams", "check", "index")
                self.assertEqual(self.stats()["tokenizer"], tokenizer + "-bare" * tokenizer.startswith("code"))
                shown = self.show()
                self.assertEqual(len(shown), self.stats()["multi"])
                self.assertTrue(all(entry.count("\t") == 3 for entry in shown), shown)
        self.build("in.txt", "--format", "lines", "--tokenizer", "chars", "-n", "2", "--force")
        self.assertEqual(self.lookup("==")[0][0].split("\t")[:2], ["= =", "4"])
        self.build("in.txt", "--format", "lines", "--tokenizer", "bytes", "-n", "2", "--force")
        self.assertEqual(self.lookup("}\t")[0][0].split("\t")[:2], ["} \\t", "4"])

    def test_nothing_makes_an_index_of_nothing(self):
        self.write("empty", "")
        self.write("short", "a few words\n" * 5)
        self.build("empty", "--format", "lines", code=3)
        self.build("short", "--format", "lines", output="short.index")
        os.mkdir(self.path("nothing"))
        self.build("nothing", output="nothing.index", code=3)
        for index in ("index", "short.index", "nothing.index"):
            self.assertEqual(self.show(index=index), [])
            self.assertEqual(self.stats(index)["grams"], 0)
            self.run_program("ngrams", "stats", index)
            self.run_program("ngrams", "check", index)
            self.lookup("eight words that are not in this index", index=index, code=1)


class LookedUp(Ngrams):
    def test_the_rows_are_those_of_show_in_the_order_of_the_phrases(self):
        texts = documents(200)
        self.write("in.txt", lines(texts))
        self.build("in.txt", "--format", "lines", "-n", "4")
        index, _ = oracle(texts, 4, 2)
        some = sorted(index)[:: max(1, len(index) // 50)]
        self.assertEqual(self.lookup(*some)[0], [row(text, index[text]) for text in some])
        self.assertEqual(self.lookup(some[3].upper().replace(" ", ", ") + "!")[0], [row(some[3], index[some[3]])])

    def test_what_is_missing_is_named_and_exit_1_means_nothing_was_found(self):
        self.write("in.txt", "to be or not to be")
        self.build("in.txt", "-n", "2")
        found, err = self.lookup("to be", "be or", "not here")
        self.assertEqual((found, err), (["to be\t2\t1\tin.txt:0,in.txt:4"],
                                        "refrain: not in the index: 'be or'\nrefrain: not in the index: 'not here'\n"))
        self.assertEqual(self.lookup("be or", code=1)[0], [])
        self.assertEqual(self.run_program("ngrams", "lookup", "index", "be or", "-q", code=1).err, "")
        told = json.loads(self.run_program("ngrams", "lookup", "index", "to be", "be or", "--json").err)
        self.assertEqual((told["phrases"], told["found"], told["missing"]), (2, 1, ["be or"]))

    def test_a_phrase_of_another_length_is_refused_with_the_number(self):
        self.write("in.txt", "to be or not to be")
        self.build("in.txt", "-n", "2")
        for phrase, tokens in (("", 0), ("be", 1), ("to be or", 3), ("!", 0)):
            err = self.run_program("ngrams", "lookup", "index", phrase, code=2).err
            self.assertIn(f"{tokens} token", err)
            self.assertIn("use 2", err)

    def test_it_takes_well_under_a_millisecond(self):
        words = vocabulary(5000)
        texts = [" ".join(words[(i * 7 + j * (1 + i % 11)) % 5000] for j in range(60)) for i in range(3000)]
        self.write("in.txt", lines(texts * 2))
        self.build("in.txt", "--format", "lines", "-n", "5")
        phrases = [" ".join(text.split()[:5]) for text in texts[:200]]
        seconds = []
        for phrase in phrases:
            run_times = json.loads(self.run_program("ngrams", "lookup", "index", phrase, "--json").err)["run"]
            seconds.append(run_times["open_seconds"] + run_times["lookup_seconds"])
        median = sorted(seconds)[len(seconds) // 2]
        say(f"opening and looking up: median {median * 1e6:.0f} us")
        self.assertLess(median, 0.001 * TIME_FACTOR)


class Damaged(Ngrams):
    def setUp(self):
        super().setUp()
        self.write("in.txt", lines(documents(100)))
        self.build("in.txt", "--format", "lines", "-n", "2")

    def verbs(self, index="index"):
        return (["show", index], ["lookup", index, "any phrase"], ["stats", index], ["check", index])

    def test_a_damaged_or_truncated_index_is_named_and_never_read(self):
        for name in FILES[:3]:
            content = self.read("index", name)
            for what, damaged in (("cut", content[:len(content) // 2]), ("empty", b""), ("short", content[:-1]),
                                  ("begin", b"x" + content[1:]), ("end", content[:-1] + bytes([content[-1] ^ 1])),
                                  ("longer", content + b"x")):
                self.write(f"index/{name}", damaged)
                for verb in self.verbs():
                    result = self.run_program("ngrams", *verb, code=4)
                    self.assertIn(name, result.err, what)
                    self.assertIn("rebuild it", result.err)
                    self.assertEqual(result.out, b"")
            self.write(f"index/{name}", content)

    def test_check_finds_a_flipped_bit_anywhere(self):
        for name in FILES[:3]:
            content = self.read("index", name)
            for at in range(0, len(content), max(1, len(content) // 40)):
                damaged = bytearray(content)
                damaged[at] ^= 1 << at % 8
                self.write(f"index/{name}", bytes(damaged))
                self.assertIn(name, self.run_program("ngrams", "check", "index", code=4).err)
            self.write(f"index/{name}", content)
        self.run_program("ngrams", "check", "index")

    def test_a_missing_file_or_one_of_another_index_is_found(self):
        self.write("other.txt", lines(documents(100, seed=8)))
        self.build("other.txt", "--format", "lines", "-n", "2", output="other")
        for name in FILES:
            shutil.copytree(self.path("index"), self.path("mixed"))
            os.remove(self.path("mixed", name))
            for verb in self.verbs("mixed"):
                self.run_program("ngrams", *verb, code=4)
            if name != "summary.json":
                shutil.copy(self.path("other", name), self.path("mixed", name))
                for verb in self.verbs("mixed"):
                    self.run_program("ngrams", *verb, code=4)
            shutil.rmtree(self.path("mixed"))

    def test_a_summary_that_is_no_json_is_corrupt(self):
        for content in ("", "{}", "{", '{"run": 5}'):
            self.write("index/summary.json", content)
            self.run_program("ngrams", "stats", "index", code=4)

    def test_what_is_no_index_is_bad_input(self):
        self.write("folder/file", "text")
        for index in ("none", "folder", "in.txt"):
            for verb in self.verbs(index):
                self.run_program("ngrams", *verb, code=3)


class Commands(Ngrams):
    def test_an_index_that_exists_is_not_overwritten_unless_forced(self):
        self.write("in.txt", "to be to be")
        self.build("in.txt", "-n", "2")
        self.assertEqual(self.listing("index"), sorted([*FILES, "skipped.tsv"]))
        self.build("in.txt", "-n", "1", code=2)
        self.build("in.txt", "-n", "1", "--force")
        self.assertEqual(len(self.show()), 2)
        self.run_program("ngrams", "check", "index")

    def test_the_same_bytes_come_every_time(self):
        self.write("in.txt", lines(documents(200)))
        for i, flags in enumerate((["--threads", "1"], ["--threads", "3"], ["--memory", "64M"],
                                   ["--algorithm", "memory"])):
            self.build("in.txt", "--format", "lines", "-n", "3", *flags, output=str(i))
            for name in FILES[:3]:
                self.assertEqual(self.read(str(i), name), self.read("0", name), (name, flags))

    def test_summaries_are_for_people_or_machines(self):
        self.write("in.txt", "to be or not to be")
        result = self.run_program("ngrams", "build", "in.txt", "-o", "a", "-n", "2")
        self.assertRegex(result.out.decode(), r"(?m)^  2-grams +5$")
        self.assertRegex(result.out.decode(), r"(?m)^  in the index +1 ")
        told = json.loads(self.run_program("ngrams", "build", "in.txt", "-o", "b", "-n", "2", "--json").out)
        self.assertEqual((told["grams"], told["entries"], told["places"], told["tokens"]), (5, 1, 2, 6))
        self.assertEqual(told, json.loads(self.read("b", "summary.json")))
        shown = json.loads(self.run_program("ngrams", "show", "a", "--json").err)
        self.assertEqual((shown["entries"], shown["rows"]), (1, 1))
        self.assertTrue(json.loads(self.run_program("ngrams", "check", "a", "--json").out)["whole"])
        self.assertRegex(self.run_program("ngrams", "stats", "a").out.decode(), r"(?m)^    multi +1 +20.0% ")

    def test_the_family_lists_its_verbs_and_suggests_one(self):
        overview = run("ngrams").out.decode()
        for word in ("build", "show", "lookup", "stats", "check"):
            self.assertRegex(overview, rf"(?m)^  ngrams {word} +\S")
        self.assertEqual(run("ngrams", "--help").out.decode(), overview)
        self.assertEqual(run("help", "ngrams").out.decode(), overview)
        self.assertEqual(run("help", "ngrams", "show").out, run("ngrams", "show", "--help").out)
        self.assertIn("did you mean 'ngrams lookup'?", self.run_program("ngrams", "lokup", "x", code=2).err)
        self.assertIn("did you mean 'ngrams'?", self.run_program("ngram", code=2).err)
        for flags, hint in ((["-n", "0"], "10000"), (["-n", "10001"], "10000"), (["-m", "1"], "at least 2"),
                            (["--algorithm", "magic"], "spex-log"), (["--sort", "count"], "ngrams show")):
            self.assertIn(hint, self.run_program("ngrams", "build", "in", "-o", "out", *flags, code=2).err)

    def test_a_reader_that_goes_away_is_no_error(self):
        self.write("in.txt", lines(documents(500)))
        self.build("in.txt", "--format", "lines", "-n", "1")
        done = os.popen(f"cd {self.dir} && {program()} ngrams show index 2>&1 | head -n 1")
        self.assertEqual(done.read(), HEADER + "\n")
        done.close()


if __name__ == "__main__":
    unittest.TestCase.maxDiff = 2000
    main()
