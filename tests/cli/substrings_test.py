"""substrings finds every byte in a repeated window, and no other; with --groups, --snap, --keep and --apply."""

import gzip
import itertools
import json
import os
import random

from program import jsonl, lines, main
from substrings_oracle import (ALPHABETS, FORMATS, Found, Oracle, SubstringsCase, expected_clean, expected_rows, merged,
                               repetitive, replaced)


class AgainstTheOracle(SubstringsCase):
    def check(self, texts, length, min_count, name, *flags):
        documents = [text.encode() for text in texts]
        make, _ = FORMATS[name]
        self.write(name, make(texts))
        found = self.substrings(name, "--length", str(length), "--min-count", str(min_count), *flags,
                                *(["--format", "lines"] if name == "in.txt" else []))
        oracle = Oracle(documents, length, min_count)
        self.assertEqual(found.rows, expected_rows(documents, oracle), (name, length, min_count, flags))
        self.check_counts(found, oracle)
        self.assertEqual(found.summary["documents"], len(documents))
        return found, oracle, documents

    def test_random_documents_in_every_format(self):
        rng = random.Random(1)
        for (letters, name), length, min_count in zip(itertools.product(ALPHABETS.values(), FORMATS),
                                                      itertools.cycle([8, 9, 20, 57, 100]),
                                                      itertools.cycle([2, 3, 2, 5])):
            self.check(repetitive(rng, 12, letters, length), length, min_count, name)

    def test_length_and_count_at_their_limits(self):
        rng = random.Random(2)
        texts = repetitive(rng, 20, "ab", 8)
        self.check(texts, 8, 2, "in.txt")
        self.check(texts, 8, 10**18, "in.txt")
        self.check(texts, 8, 2**64 - 1, "in.txt")
        self.check(texts, 1 << 20, 2, "in.txt")
        self.check(["ab" * 300, "x", "ab" * 300], 600, 2, "in.txt")
        self.check(["ab" * 300, "x", "ab" * 300], 601, 2, "in.txt")
        self.check(["ab" * 300, "ab" * 300], 600, 3, "in.txt")

    def test_every_count_around_that_of_a_window(self):
        # A window that occurs exactly five times, between others that occur less often, in one document and in
        # several.
        text = "abcdefghijklmnopqrst"
        texts = [text * 2 + "1" + text, text, "x" + text[:15], text + "y" + text[3:], text[2:18]]
        for min_count in range(2, 9):
            for length in (8, 14, 16, 20):
                self.check(texts, length, min_count, "in.txt", "--groups")

    def test_runs_of_every_short_period(self):
        rng = random.Random(3)
        for min_count in (2, 3, 7):
            texts = []
            for period in (1, 2, 3, 5, 8, 13, 40):
                unit = "".join(rng.choices("abcd", k=period))
                texts += [unit * (500 // period), "x" + unit * (300 // period) + "y", unit[1:] + unit * (400 // period)]
            self.check(texts, 30, min_count, "in.txt")
            self.check(texts, 30, min_count, "in.txt", "--groups")

    def test_passages_are_the_first_occurrences_with_all_that_repeats_them(self):
        rng = random.Random(4)
        for (letters, name), length, min_count in zip(itertools.product(ALPHABETS.values(), FORMATS),
                                                      itertools.cycle([8, 11, 40]), itertools.cycle([2, 2, 3, 4])):
            found, oracle, documents = self.check(repetitive(rng, 10, letters, length), length, min_count, name,
                                                  "--groups")
            passages = found.passages()
            got = [((int(one["id"]), one["start"], one["end"]),
                    [(int(place["id"]), place["start"], place["end"], place["offset"]) for place in one["places"]])
                   for one in passages]
            self.assertEqual(got, oracle.passages, (letters, length, min_count))
            listed = [[] for _ in documents]
            for one, (_, places) in zip(passages, got):
                text = documents[int(one["id"])][one["start"]:one["end"]]
                self.assertEqual(one["length"], len(text))
                self.assertEqual(one["text"], replaced(text))
                for number, begin, end, offset in places:
                    self.assertEqual(documents[number][begin:end], text[offset:offset + end - begin])
                    listed[number].append((begin, end))
            self.assertEqual([merged(sorted(ranges)) for ranges in listed], oracle.repeated)
            self.assertEqual((found.summary["passages"], found.summary["places"]),
                             (len(passages), sum(len(one["places"]) for one in passages)))

    def test_files_are_named_and_end_where_they_end(self):
        rng = random.Random(5)
        texts = repetitive(rng, 15, "abc\n\r", 20)
        names = [f"d/{number:02}/f" if number % 3 else f"d/{number:02}.txt" for number in range(len(texts))]
        for name, text in zip(names, texts):
            self.write(name, text)
        documents = [text.encode() for text in texts]
        order = sorted(range(len(names)), key=lambda at: names[at])
        documents = [documents[at] for at in order]
        found = self.substrings("d", "--length", "20")
        self.assertEqual(found.rows, expected_rows(documents, Oracle(documents, 20), ids=[names[at] for at in order]))

    def test_ids_of_the_records_are_used_and_escaped(self):
        self.write("in.jsonl", jsonl(["the very same words"] * 3, id=lambda i: ["a\tb", "c\\d", "é"][i]))
        found = self.substrings("in.jsonl", "--id-field", "id", "--length", "10", "--groups")
        self.assertEqual(found.rows, [["a\\tb", "0", "19"], ["c\\\\d", "0", "19"], ["é", "0", "19"]])
        [passage] = found.passages()
        self.assertEqual([place["id"] for place in passage["places"]], ["a\tb", "c\\d", "é"])

    def test_passages_have_the_short_escapes_of_json(self):
        text = 'tab\t quote" line\n return\r back\\slash feed\f bell\a'
        self.write("in.jsonl", jsonl([text, text]))
        found = self.substrings("in.jsonl", "--length", "10", "--groups")
        self.assertIn(rb'"text":"tab\t quote\" line\n return\r back\\slash feed\f bell\u0007"',
                      found.read("passages.jsonl"))
        self.assertEqual([one["text"] for one in found.passages()], [text])

    def test_standard_input_and_several_inputs_are_one_text(self):
        found = self.substrings("-", "--length", "8", stdin="one and two\none and too\n")
        self.assertEqual(found.rows, [["0", "0", "9"], ["1", "0", "9"]])
        self.write("a.txt", "one and two")
        self.write("b.jsonl", jsonl(["not one and two", "x"]))
        found = self.substrings("a.txt", "b.jsonl", "--length", "8")
        self.assertEqual(found.rows, [["a.txt", "0", "11"], ["1", "4", "15"]])

    def test_bad_records_are_counted_and_skipped(self):
        self.write("in.jsonl", jsonl(["the very same words"]) + "broken\n" + jsonl(["the very same words"]))
        found = self.substrings("in.jsonl", "--length", "10")
        self.assertEqual(found.rows, [["0", "0", "19"], ["2", "0", "19"]])
        self.assertEqual((found.summary["documents"], found.summary["bad_records"]), (2, 1))

    def test_nothing_to_find_is_a_table_without_rows(self):
        self.write("empty.txt")
        os.mkdir(self.path("folder"))
        for name, flags, documents in (("empty.txt", [], 1), ("empty.txt", ["--format", "lines"], 0), ("folder", [], 0),
                                       ("-", [], 0)):
            flags += ["--groups"] + (["--apply"] if name != "-" else [])
            found = self.substrings(name, *flags, nothing=documents == 0)
            self.assertEqual((found.rows, found.passages()), ([], []))
            self.assertEqual(found.summary["documents"], documents)
        found = self.substrings("-", stdin="short\n" * 1000)
        self.assertEqual(found.rows, [])
        found = self.substrings("-", stdin="\n" * 1000)
        self.assertEqual((found.rows, found.summary["documents"]), ([], 1000))


class AnyBytes(SubstringsCase):
    def test_every_byte_counts_also_those_that_are_no_text(self):
        rng = random.Random(6)
        for letters in (b"\0\xff", b"\x80\xe2\x82\xac", bytes(range(256)), b"\xf0\x9f\x98\x80"):
            base = bytes(rng.choices(letters, k=300))
            documents = [base, bytes(rng.choices(letters, k=200)) + base[40:90], base[100:260] + base[10:60]]
            names = [f"d{len(letters)}{letters[0]}/{number}" for number in range(3)]
            for name, text in zip(names, documents):
                self.write(name, text)
            oracle = Oracle(documents, 40)
            found = self.substrings(os.path.dirname(names[0]), "--binary", "--length", "40", "--groups")
            self.assertEqual(found.rows, expected_rows(documents, oracle, ids=names))
            for one in found.passages():
                text = documents[names.index(one["id"])][one["start"]:one["end"]]
                self.assertEqual((one["length"], one["text"]), (len(text), replaced(text)))
            for keep in ("first", "none"):
                found = self.substrings(os.path.dirname(names[0]), "--binary", "--length", "40", "--apply",
                                        "--keep", keep)
                self.assertEqual([found.read("clean", name) for name in names],
                                 expected_clean(documents, oracle, keep=keep))

    def test_binary_files_in_folders_are_left_alone_unless_asked_for(self):
        self.write("d/a", b"\0" + b"the same bytes in both" * 3)
        self.write("d/b", b"\1" + b"the same bytes in both" * 3)
        found = self.substrings("d", "--length", "30", "--apply")
        self.assertEqual((found.summary["documents"], found.summary["binary_skipped"]), (1, 1))
        self.assertEqual(os.listdir(os.path.join(found.folder, "clean", "d")), ["b"])
        self.assertEqual(len(self.substrings("d", "--length", "30", "--binary").rows), 2)


class TextCsv(SubstringsCase):
    """The whole file is one string, whose windows may cross lines."""

    def check(self, content, length, *flags, ids=None):
        self.write("text.csv", content)
        arguments = ["--text-csv", "text.csv", "--length", str(length), *flags]
        if ids is not None:
            self.write("ids.csv", ids)
            arguments += ["--ids", "ids.csv"]
        found = self.substrings(*arguments, nothing=not content)
        [ranges] = Oracle([content], length).repeated
        self.assertEqual(found.read("sa.txt"), b"".join(b"%d %d\n" % one for one in ranges))
        begins = [0] + [at + 1 for at, byte in enumerate(content) if byte == 10 and at + 1 < len(content)]
        texts = content.split(b"\n")[:len(begins)] if content else []
        names = ids.decode().replace("\r", "").split("\n") if ids else [str(number) for number in range(len(texts))]
        rows = []
        for name, begin, text in zip(names, begins, texts):
            for x, y in ranges:
                x, y = max(x, begin), min(y, begin + len(text))
                if y - x >= length:
                    rows.append([name, str(x - begin), str(y - begin)])
        self.assertEqual(found.rows, rows, (content, length))
        self.assertEqual(found.summary["documents"], len(texts))
        return found

    def test_random_lines(self):
        rng = random.Random(7)
        for letters, length in itertools.product(("ab\n", "abcd \n", "a\n", "\n", "床前\n"), (8, 12, 30)):
            texts = repetitive(rng, 8, letters, length)
            self.check("\n".join(texts).encode(), length)
            self.check(("\n".join(texts) + "\n").encode(), length)

    def test_a_stretch_that_crosses_lines_is_in_sa_txt_and_what_is_long_enough_of_it_in_the_table(self):
        content = b"xthe end of one\nlong enough here\nytz\nthe end of one\nlong enough here\nyw\n"
        found = self.check(content, 15, ids=b"a\nb\nc\nd\ne\nf\n")
        self.assertEqual(found.rows, [["b", "0", "16"], ["e", "0", "16"]])
        self.assertEqual(found.read("sa.txt"), b"1 34\n37 70\n")

    def test_ends_of_files_and_windows_line_ends(self):
        block = "the very same line of text"
        for text_end, id_end in itertools.product(("", "\n"), ("", "\n", "\r\n")):
            break_ = "\r\n" if id_end == "\r\n" else "\n"
            self.check(f"{block}\nother\n{block}{text_end}".encode(), 20,
                       ids=f"one{break_}two{break_}three{id_end}".encode())
        self.check(f"{block}\r\nother\r\n{block}\r\n".encode(), 20)
        self.check(b"", 20, ids=b"")
        self.check(b"\n", 20, ids=b"one\n")
        self.check(b"\n" * 30, 20)

    def test_lines_longer_than_what_is_read_at_once(self):
        line = b"".join(b"%d " % number for number in range(250_000))  # 1.6 MB
        self.write("text.csv", line + b"\n" + line[:1 << 20] + b"\nx\n" + line[5:])
        found = self.substrings("--text-csv", "text.csv", "--length", "1000")
        self.assertEqual(found.rows,
                         [["0", "0", str(len(line))], ["1", "0", str(1 << 20)], ["3", "0", str(len(line) - 5)]])

    def test_as_many_ids_as_lines_or_exit_3(self):
        self.write("text.csv", "one\ntwo\nthree\n")
        for ids in ("", "a\nb\n", "a\nb", "a\nb\nc\nd\n", "a\nb\nc\n\n"):
            self.write("ids.csv", ids)
            result = self.substrings("--text-csv", "text.csv", "--ids", "ids.csv", code=3)
            self.assertRegex(result.err, r"^refrain: ids\.csv: \d ids, but text\.csv has 3 lines; .*\n$")
        self.assertIn("absent", self.substrings("--text-csv", "text.csv", "--ids", "absent", code=3).err)
        self.assertIn("absent", self.substrings("--text-csv", "absent", code=3).err)

    def test_a_packed_file_is_refused(self):
        self.write("text.csv.gz", gzip.compress(b"one\ntwo\n"))
        result = self.substrings("--text-csv", "text.csv.gz", code=3)
        self.assertRegex(result.err, r"^refrain: text\.csv\.gz: .*decompress it first\n$")

    def test_standard_input_is_read_as_lines_too(self):
        for flags in ([], ["--apply", "--keep", "none"]):
            found = self.substrings("--text-csv", "-", "--length", "10", *flags,
                                    stdin="the same words\nthe same words\n")
            self.assertEqual(found.rows, [["0", "0", "14"], ["1", "0", "14"]])

    def test_the_clean_lines_are_as_many_and_hold_what_is_not_in_the_table(self):
        rng = random.Random(8)
        for ending, keep in itertools.product(("", "\n"), ("first", "none")):
            texts = [text.replace("\n", " ") for text in repetitive(rng, 12, "abcd ", 15)]
            content = ("\n".join(texts) + ending).encode()
            found = self.check(content, 15, "--apply", "--keep", keep)
            clean = found.read("clean", "text.csv")
            self.assertEqual(clean.count(b"\n"), content.count(b"\n"))
            self.assertEqual(len(content) - len(clean), found.summary["removed_bytes"])
            if keep == "none":
                left = [list(text) for text in content.split(b"\n")]
                for name, x, y in reversed(found.rows):
                    del left[int(name)][int(x):int(y)]
                self.assertEqual(clean, b"\n".join(map(bytes, left)))


class Apply(SubstringsCase):
    def check(self, name, texts, length, snap, keep, packed=False, min_count=2):
        make, parse = FORMATS[name]
        documents = [text.encode() for text in texts]
        content = make(texts).encode()
        file = name + (".gz" if packed else "")
        self.write(file, gzip.compress(content) if packed else content)
        found = self.substrings(file, "--length", str(length), "--snap", snap, "--keep", keep, "--apply", "--min-count",
                                str(min_count), *(["--format", "lines"] if name == "in.txt" else []))
        clean = found.read("clean", file)
        clean = gzip.decompress(clean) if packed else clean
        oracle = Oracle(documents, length, min_count)
        expected = expected_clean(documents, oracle, snap, keep)
        self.assertEqual(parse(clean), expected, (name, snap, keep))
        clean.decode()
        self.assertEqual(found.rows, expected_rows(documents, oracle, snap))
        self.assertEqual(found.summary["removed_bytes"], sum(map(len, documents)) - sum(map(len, expected)))
        self.assertEqual(found.summary["removable_bytes"], found.summary["removed_bytes"])
        self.assertEqual(found.summary["changed_documents"], sum(a != b for a, b in zip(documents, expected)))
        if documents == expected:
            self.assertEqual(clean, content)

    def test_every_format_snap_and_keep(self):
        rng = random.Random(9)
        packed = itertools.cycle([False, True, False])
        for name, snap, keep in itertools.product(FORMATS, ("none", "utf8", "word", "line"), ("first", "none")):
            for letters in ("abcdefgh, ", "床前明月光é ", "😀🎉x"):
                texts = repetitive(rng, 10, letters + ("\n" if name not in ("in.txt",) else ""), 24)
                self.check(name, texts, 24, snap, keep, next(packed), rng.choice((2, 2, 3)))

    def test_files_and_folders_come_out_under_their_names(self):
        rng = random.Random(10)
        texts = repetitive(rng, 9, "abcdefg \n", 20)
        names = [f"d/{number % 3}/{number}.txt" for number in range(9)]
        for name, text in zip(names, texts):
            self.write(name, text)
        self.write("d/more.jsonl.gz", gzip.compress(jsonl(texts).encode()))
        documents = [text.encode() for text in texts]
        order = sorted(range(9), key=lambda at: names[at])
        everything = [documents[at] for at in order] + documents
        for snap, keep in (("none", "first"), ("line", "first"), ("word", "none")):
            found = self.substrings("d", "--length", "20", "--apply", "--snap", snap, "--keep", keep)
            clean = [found.read("clean", names[at]) for at in order]
            rows = gzip.decompress(found.read("clean", "d", "more.jsonl.gz")).splitlines()
            clean += [json.loads(row)["text"].encode() for row in rows]
            self.assertEqual(clean, expected_clean(everything, Oracle(everything, 20), snap, keep))

    def test_no_cut_makes_a_file_one_that_is_skipped(self):
        shared, own = ("".join(f"{name}{i} " for i in range(600)) for name in ("shared", "own"))
        texts = {"a": shared, "b": f"{shared}{own}\0", "c": f"{shared}%PDF-1.4 is how such files begin",
                 "d": f"{shared}and d"}
        self.assertTrue(len(shared) < 8192 < len(shared + own))
        for name, text in texts.items():
            self.write(f"in/{name}", text)
        for verb, *flags in (("substrings", "--length", "100"), ("substrings", "--length", "100", "--until-clean"),
                             ("dedup", "--substrings", "100", "--near", "off", "--read-back")):
            self.run_program(verb, "in", *flags, "--apply", "-o", verb, "--force", "-q")
            self.assertEqual(self.read(verb, "clean", "in", "a").decode(), shared)
            self.assertEqual(self.read(verb, "clean", "in", "d").decode(), "and d")
            # The first 8 KiB of these are kept.
            self.assertEqual(self.read(verb, "clean", "in", "b").decode(), texts["b"])
            self.assertEqual(self.read(verb, "clean", "in", "c").decode(), texts["c"])
            again = json.loads(self.run_program("near", f"{verb}/clean/in", "-o", "again", "--force", "--json").out)
            self.assertEqual((again["documents"], again["binary_skipped"]), (4, 0))

    def test_the_first_copy_stays_whole_and_the_others_go(self):
        words = "these are some thirty bytes or so of text"
        self.write("in.txt", f"1 {words} a\n2 {words} b\n3 {words} c\n")
        found = self.substrings("in.txt", "--format", "lines", "--length", "30", "--apply")
        self.assertEqual(found.read("clean", "in.txt"), f"1 {words} a\n2b\n3c\n".encode())
        found = self.substrings("in.txt", "--format", "lines", "--length", "30", "--apply", "--keep", "none")
        self.assertEqual(found.read("clean", "in.txt"), b"1a\n2b\n3c\n")
        found = self.substrings("in.txt", "--format", "lines", "--length", "30", "--min-count", "4", "--apply")
        self.assertEqual(found.read("clean", "in.txt"), self.read("in.txt"))

    def test_the_input_is_not_touched_and_an_output_inside_it_is_not_read(self):
        self.write("d/a.txt", "the same words in two files")
        self.write("d/b.txt", "the same words in two files")
        self.run_program("substrings", "d", "-o", "d/out", "--length", "10", "--apply", "-q")
        found = Found(self.path("d/out"))
        self.assertEqual((found.summary["documents"], found.read("clean", "d", "b.txt")), (2, b""))
        self.assertEqual(self.listing("d/out/clean/d"), ["a.txt", "b.txt"])
        self.assertEqual(self.read("d/b.txt"), b"the same words in two files")

    def test_what_cannot_be_read_twice_is_refused_before_it_is_read(self):
        os.mkfifo(self.path("fifo"))
        for name in ("-", "fifo"):
            result = self.substrings(name, "--format", "lines", "--apply", code=2, timeout=10)
            self.assertIn("twice", result.err)


class UntilClean(SubstringsCase):
    """Texts lose different passages from between the same halves, which then become adjacent."""

    def texts(self, seed, count=60):
        rng = random.Random(seed)
        passage = ["".join(rng.choices("abcdefgh ", k=80)) for _ in range(12)]
        out = []
        for _ in range(count):
            part = "".join(rng.choices("ijklmnop ", k=rng.randint(0, 25)))
            halves = rng.choice(passage)
            out.append(part + halves[:35] + rng.choice(passage) + halves[35:] + part[::-1])
        return out

    def one_by_one(self, name, *flags):
        """Runs --apply on its own output until nothing changes. Returns the output, and what each run removed."""
        removed = []
        content = self.read(name)
        while not removed or removed[-1] != 0:
            self.write("again/" + name, content)
            found = self.substrings("again/" + name, "--apply", *flags)
            removed.append(found.summary["removed_bytes"])
            content = found.read("clean", name)
        return content, removed

    def test_is_what_single_passes_give_until_there_is_nothing_left(self):
        most = 0
        for seed, (name, (make, _)) in enumerate(FORMATS.items()):
            self.write(name, make(self.texts(seed)))
            for flags in (["--length", "50"], ["--length", "50", "--keep", "none", "--snap", "word"]):
                flags += ["--format", "lines"] if name == "in.txt" else []
                content, removed = self.one_by_one(name, *flags)
                found = self.substrings(name, "--apply", "--until-clean", *flags)
                self.assertEqual(found.read("clean", name), content, (name, flags))
                self.assertEqual(found.summary["pass_bytes"], removed, (name, flags))
                self.assertEqual(found.summary["removed_bytes"], sum(removed))
                most = max(most, len(removed))
        self.assertGreater(most, 2, "one pass must not do")

    def test_lines_of_one_string_and_little_memory_give_the_same(self):
        self.write("in.csv", lines(self.texts(9)))

        def run(*flags):
            self.run_program("substrings", "-o", "out", "--force", "-q", "--apply", "--length", "50", *flags)
            return self.read("out", "clean", "in.csv")

        clean = run("--text-csv", "in.csv", "--until-clean")
        self.assertNotEqual(clean, run("--text-csv", "in.csv"))
        self.write("clean/in.csv", clean)
        self.assertEqual(run("--text-csv", "clean/in.csv"), clean)
        self.write("in.txt", lines(text * 20 for text in self.texts(10, 9000)))
        self.run_program("substrings", "in.txt", "--format", "lines", "-o", "wide", "-q", "--apply", "--until-clean")
        self.run_program("substrings", "in.txt", "--format", "lines", "-o", "tight", "-q", "--apply", "--until-clean",
                         "--memory", "64M", "--threads", "3")
        self.assertEqual(self.read("wide", "clean", "in.txt"), self.read("tight", "clean", "in.txt"))
        summary = json.loads(self.read("tight", "summary.json"))
        self.assertGreater(summary["run"]["temp_peak_bytes"], 0)
        self.assert_kept_memory(summary)

    def test_says_what_each_pass_cut_and_without_it_that_there_may_be_more(self):
        self.write("in.txt", lines(self.texts(11)))
        flags = ["substrings", "in.txt", "--format", "lines", "--length", "50", "-o", "out", "--force"]
        once = self.run_program(*flags, "--apply").out.decode()
        self.assertIn("A second pass may find more, because cutting brings text together", once)
        out = self.run_program(*flags, "--apply", "--until-clean").out.decode()
        self.assertRegex(out, r"pass 1 +[0-9.]+ (KiB|bytes)\n")
        self.assertRegex(out, r"pass [0-9]+ +0 bytes  nothing is left to cut\n")
        self.assertNotIn("A second pass", out)
        self.assertNotIn("A second pass", self.run_program(*flags).out.decode())
        err = self.run_program(*flags, "--until-clean", code=2).err
        self.assertIn("--until-clean: needs --apply", err)


class Usage(SubstringsCase):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "the same words, the same words")
        self.write("text.csv", "the same words\nthe same words\n")

    def refused(self, *arguments, say):
        before = self.listing()
        result = self.run_program("substrings", *arguments, code=2)
        self.assertRegex(result.err, say)
        self.assertEqual(result.out, b"")
        self.assertEqual(self.listing(), before)

    def test_what_makes_no_sense_is_exit_2_and_named(self):
        self.refused("-o", "out", say="no input; .*--text-csv")
        self.refused("in.txt", "--text-csv", "text.csv", "-o", "out", say="cannot be combined with --text-csv")
        self.refused("in.txt", "--ids", "text.csv", "-o", "out", say="--ids")
        self.refused("--ids", "text.csv", "-o", "out", say="no input; .*--text-csv")
        self.refused("--text-csv", "text.csv", "--groups", "-o", "out", say="--groups")
        self.refused("in.txt", say="-o")
        for flags in (["--length", "7"], ["--length", "0"], ["--length", "1048577"], ["--length", "1k"],
                      ["--min-count", "1"], ["--min-count", "0"], ["--min-count", "-1"], ["--snap", "char"],
                      ["--keep", "last"], ["--memory", "63M"], ["--threads", "0"]):
            self.refused("in.txt", "-o", "out", *flags, say=flags[0])

    def test_flags_about_inputs_are_refused_with_text_csv(self):
        self.refused("in.txt", "--text-csv", "text.csv", "-o", "out", say="in.txt: cannot be combined with --text-csv")
        for flags in (["--format", "lines"], ["--text-field", "body"], ["--id-field", "id"], ["--max-doc-bytes", "1M"],
                      ["--binary"], ["--strict"], ["--charset", "koi8-r"], ["--delimiter", ";"]):
            self.refused("--text-csv", "text.csv", *flags, "-o", "out", say=f"{flags[0]}: .*--text-csv")
        # Options that state what holds anyway are accepted.
        self.write("ids.csv", "a\nb\n")
        found = self.substrings("--text-csv", "text.csv", "--ids", "ids.csv", "--text-field", "text", "--max-doc-bytes",
                                "64M", "--length", "10")
        self.assertEqual(found.summary["documents"], 2)

    def test_an_output_that_exists_is_refused_and_kept(self):
        self.write("out/mine.txt", "mine")
        self.refused("in.txt", "-o", "out", say="out: already exists.*--force")
        self.run_program("substrings", "in.txt", "-o", "out", "--length", "10", "--apply", "--force", "-q")
        self.assertEqual(self.listing("out"),
                         [".clean.files", "clean", "mine.txt", "skipped.tsv", "substring_bytes.tsv", "summary.json"])
        # Files that the run made are replaced; files of others are not.
        self.run_program("substrings", "in.txt", "-o", "out", "--length", "10", "--apply", "--force", "-q")
        self.assertEqual(self.listing("out/clean"), ["in.txt"])
        self.write("out/clean/mine.txt", "mine")
        self.refused("in.txt", "-o", "out", "--apply", "--force", say="out/clean/mine.txt: was not written by the run")
        self.assertEqual(self.listing("out/clean"), ["in.txt", "mine.txt"])

    def test_a_missing_input_is_exit_3_and_leaves_nothing(self):
        self.assertIn("absent", self.substrings("in.txt", "absent", code=3).err)
        self.assertIn("absent", self.substrings("in.txt", "absent", "--apply", code=3).err)

    def test_a_missing_temp_dir_is_said_even_where_none_would_be_needed(self):
        self.refused("in.txt", "-o", "out", "--temp-dir", "absent", say="absent.*--temp-dir")

    def test_what_is_said_at_the_end(self):
        self.write("d/a", "the same words in both, first")
        self.write("d/b", "the same words in both, second")
        out = self.run_program("substrings", "d", "-o", "out", "--length", "10", "--groups").out.decode()
        self.assertRegex(out, r"^Read 2 documents \(59 bytes\)")
        self.assertRegex(out, r"repeated ranges +2  at least 10 bytes, at least 2 times\n")
        self.assertRegex(out, r"passages +1  in 2 places\n")
        self.assertRegex(out, r"Written: out/substring_bytes.tsv\n +out/passages.jsonl\n +out/summary.json\n$")
        out = self.run_program("substrings", "d", "-o", "json", "--length", "10", "--json").out
        self.assertEqual(json.loads(out), json.loads(self.read("json", "summary.json")))


if __name__ == "__main__":
    main()
