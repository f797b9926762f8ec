"""Odd bytes, odd files and bad records are counted and named, and never crash the program."""

import gzip
import json
import os
import random
import shutil
import subprocess

from program import (MADE_WITH, Near, TestCase, documents, fingerprints, jsonl, lines, main, program, say, vocabulary,
                     sentence)

TEXT = "the quick brown fox jumps over the lazy dog"
TEXT_RECORD = b'{"text": "%s"}\n' % TEXT.encode()


class OddBytes(TestCase):
    def hashes(self, content, *arguments):
        return [value for _, value in fingerprints("-", *arguments, stdin=content)]

    def setUp(self):
        super().setUp()
        [self.hash] = self.hashes(TEXT + "\n")
        self.assertIsNotNone(self.hash)

    def test_windows_line_ends_change_no_fingerprint(self):
        self.assertEqual(self.hashes(f"{TEXT}\r\n{TEXT}\r\n\r\n"), [self.hash, self.hash, None])
        record = json.dumps({"text": TEXT})
        self.assertEqual(self.hashes(f"{record}\r\n\r\n{record}\r\n", "--format", "jsonl"), [self.hash] * 2)
        self.assertEqual(self.hashes(f"id,text\r\n1,{TEXT}\r\n2,{TEXT}\r\n", "--format", "csv"), [self.hash] * 2)

    def test_a_byte_order_mark_is_no_text(self):
        mark = "\ufeff"
        self.assertEqual(self.hashes(f"{mark}{TEXT}\n{TEXT}\n"), [self.hash] * 2)
        self.assertEqual(self.hashes(mark + json.dumps({"text": TEXT}) + "\n", "--format", "jsonl"), [self.hash])
        self.assertEqual(self.hashes(f"{mark}text\n{TEXT}\n", "--format", "csv"), [self.hash])
        self.write("a.txt", mark + TEXT)
        self.assertEqual(fingerprints(self.path("a.txt"))[0][1], self.hash)

    def test_a_last_line_without_an_end_is_a_document(self):
        self.assertEqual(self.hashes(f"{TEXT}\n{TEXT}"), [self.hash] * 2)
        self.assertEqual(self.hashes(f"\n\n{TEXT}"), [None, None, self.hash])
        self.assertEqual(self.hashes(""), [])
        self.assertEqual(self.hashes("\n"), [None])

    def test_zero_bytes_separate_words_and_crash_nothing(self):
        self.assertEqual(self.hashes(TEXT.replace(" ", "\0") + "\n"), [self.hash])
        self.assertEqual(self.hashes(b"\0" * 1000 + b"\n"), [None])
        self.assertEqual(self.hashes(json.dumps({"text": TEXT.replace(" ", "\0")}), "--format", "jsonl"), [self.hash])

    def test_invalid_utf8_separates_words_and_crashes_nothing(self):
        for bad in (b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc0\xaf", b"\xed\xa0\x80", b"\x80", b"\xf8\x88"):
            self.assertEqual(self.hashes(TEXT.encode().replace(b" ", b" " + bad + b" ") + b"\n"), [self.hash], bad)
            self.assertEqual(self.hashes(TEXT.encode().replace(b" ", bad) + b"\n"), [self.hash], bad)
            self.assertEqual(self.hashes(TEXT.encode() + bad), [self.hash], bad)

    def test_long_texts_are_printed_in_parts(self):
        rng = random.Random(11)
        text = "".join(rng.choices(["a", "\n", "\u00e9", "\u4e2d", "\U0001f600", "\x01", '"', "\\"], k=3_000_000))
        self.write("in/a.txt", text)
        self.write("in/b.txt", TEXT)
        with subprocess.Popen([program(), "text", "in", "-q", "--memory", "64M"], cwd=self.dir,
                              stdout=subprocess.PIPE) as process:
            rows = [json.loads(line) for line in process.stdout]
        self.assertEqual(process.returncode, 0)
        self.assertEqual([(row["id"], row["text"] == wanted) for row, wanted in zip(rows, [text, TEXT])],
                         [("in/a.txt", True), ("in/b.txt", True)])
        self.assertEqual(len(rows), 2)

    def test_random_bytes_crash_no_format_and_no_tokenizer(self):
        rng = random.Random(9)
        for form in ("files", "lines", "jsonl", "tsv"):
            data = rng.randbytes(200_000)
            data = {"tsv": b"text\n", "jsonl": b'{"text": "one that can be read"}\n'}.get(form, b"") + data
            self.write("noise", data)
            for tokenizer in ("words", "code", "chars", "bytes", "dna"):
                near = self.near("noise", "--format", form, "--tokenizer", tokenizer, output=f"{form}-{tokenizer}")
                summary = near.summary
                self.assertEqual(len(near.clusters), summary["documents"])
                if form == "lines":
                    self.assertEqual(summary["documents"], data.count(b"\n") + (not data.endswith(b"\n")))
                if form == "jsonl":
                    self.assertGreater(summary["bad_records"], 500)

    def test_an_empty_file_is_an_empty_document_and_an_empty_folder_is_none(self):
        self.write("empty.txt")
        near = self.near("empty.txt", output="a")
        self.assertEqual(near.clusters_bytes.decode(), f"id\tsimhash\tcluster\t{MADE_WITH}\nempty.txt\t\t-1\t\n")
        self.assertEqual((near.summary["documents"], near.summary["too_short"]), (1, 1))
        os.mkdir(self.path("folder"))
        for number, (name, flags) in enumerate([("folder", []), ("empty.txt", ["--format", "lines"]),
                                                ("empty.txt", ["--format", "jsonl"])]):
            self.near(name, *flags, output=f"b{number}", code=3)
            near = Near(self.path(f"b{number}"))
            self.assertEqual((near.matches_bytes.decode(), near.clusters_bytes.decode()),
                             ("id1\tid2\tdiff\n", f"id\tsimhash\tcluster\t{MADE_WITH}\n"))
            self.assertEqual(near.summary["documents"], 0)


class OddFiles(TestCase):
    def test_a_missing_path_is_exit_3_and_named(self):
        self.write("there.txt", TEXT)
        for verb in (["near", "there.txt", "absent.txt", "-o", "out"], ["fingerprint", "absent.txt"],
                     ["explain", "there.txt", "absent.txt"], ["match", "absent.txt"],
                     ["dedup", "there.txt", "absent.txt", "-o", "out"],
                     ["dedup", "there.txt", "--against", "absent.txt", "-o", "out"]):
            self.assertIn("absent.txt", self.run_program(*verb, code=3).err)
        self.assertEqual(self.listing(), ["there.txt"])

    def as_nobody(self, *arguments, code):
        """Runs the program as a user to whom file permissions apply."""
        if os.geteuid() != 0:
            return self.run_program(*arguments, code=code)
        # That user may not be allowed into the build folder, for example if it belongs to root.
        copy = shutil.copy(program("refrain"), self.path("refrain-for-all"))
        return self.run_program(*arguments, code=code, name=copy, user=65534, group=65534, extra_groups=[])

    def test_an_unreadable_file_is_exit_1_and_left_out_by_name_where_that_is_asked_for(self):
        self.write("d/a.txt", TEXT)
        self.write("d/b.txt", "secret words nobody may read")
        os.chmod(self.path("d", "b.txt"), 0)
        os.makedirs(self.path("d", "closed"))
        os.chmod(self.path("d", "closed"), 0)
        self.addCleanup(os.chmod, self.path("d", "closed"), 0o755)
        os.mkdir(self.path("o"))
        os.chmod(self.path("o"), 0o777)
        os.chmod(self.dir, 0o755)
        self.assertIn("d/b.txt", self.as_nobody("near", "d/b.txt", "-o", "o/1", code=1).err)
        self.assertIn("d/closed", self.as_nobody("near", "d/closed", "-o", "o/2", code=1).err)
        self.assertIn("d/b.txt: cannot open: Permission denied", self.as_nobody("near", "d", "-o", "o/4", code=1).err)
        self.as_nobody("near", "d", "-o", "o/3", "--skip-unreadable", code=0)
        summary = json.loads(self.read("o", "3", "summary.json"))
        self.assertEqual((summary["documents"], summary["bad_records"], summary["files"]), (1, 0, 1))
        self.assertEqual([file["path"] for file in summary["unreadable"]], ["d/b.txt", "d/closed"])
        for file in summary["unreadable"]:
            self.assertIn("Permission denied", file["reason"])
        self.assertEqual(self.listing("o"), ["3"])

    def folder(self):
        self.write("d/a.txt", TEXT)
        self.write("d/.hidden", TEXT)
        self.write("d/.git/config", TEXT)
        self.write("d/binary", b"MZ\0" + TEXT.encode())
        self.write("d/late", b"x " * 4096 + b"\0" + TEXT.encode())
        self.write("d/edge", b"x" * 8191 + b"\0" + TEXT.encode())
        self.write("elsewhere.txt", TEXT)
        os.symlink("../elsewhere.txt", self.path("d", "link"))
        os.symlink(".", self.path("d", "loop"))
        os.symlink("nowhere", self.path("d", "broken"))
        os.mkfifo(self.path("d", "fifo"))

    def test_hidden_binary_and_special_files_are_skipped_and_counted(self):
        self.folder()
        near = self.near("d", timeout=20)
        self.assertEqual([row[0] for row in near.clusters], ["d/a.txt", "d/late", "d/link"])
        counts = {key: near.summary[key] for key in
                  ("documents", "files", "hidden_skipped", "binary_skipped", "special_skipped", "bad_records")}
        self.assertEqual(counts, {"documents": 3, "files": 3, "hidden_skipped": 2, "binary_skipped": 2,
                                  "special_skipped": 3, "bad_records": 0})

    def test_binary_takes_binary_files_and_naming_takes_any_file(self):
        self.folder()
        near = self.near("d", "--binary", output="a")
        self.assertEqual([row[0] for row in near.clusters], ["d/a.txt", "d/binary", "d/edge", "d/late", "d/link"])
        self.assertEqual(near.summary["binary_skipped"], 0)
        near = self.near("d/binary", "d/.hidden", "d/link", "d/.git", output="b")
        self.assertEqual([row[0] for row in near.clusters], ["d/binary", "d/.hidden", "d/link", "d/.git/config"])

    def test_file_names_of_any_bytes_are_ids_and_the_summary_stays_json(self):
        folder = os.fsencode(self.path("d"))
        os.mkdir(folder)
        for name, content in ((b"\xff\n\t.txt", TEXT), (b"\xfe.jsonl", '{"text": 1}\n')):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(content)
        near = self.near("d")
        self.assertEqual(near.clusters_bytes.split(b"\n")[1].split(b"\t")[0], b"d/\xff\\n\\t.txt")
        self.assertEqual([bad["line"] for bad in near.summary["bad_record_examples"]], [1])

    def test_a_named_pipe_that_is_named_is_read(self):
        os.mkfifo(self.path("fifo"))
        with subprocess.Popen(["sh", "-c", f"printf '%s\\n' '{TEXT}' '{TEXT}' > fifo"], cwd=self.dir) as writer:
            near = self.near("fifo", "--format", "lines", timeout=20)
            writer.wait(timeout=5)
        self.assertEqual(near.matches, [["0", "1", "0"]])

    def test_a_damaged_archive_is_exit_3_when_named_and_a_bad_record_in_a_folder(self):
        texts = documents(300, seed=4)
        whole = gzip.compress(jsonl(texts).encode())
        damaged = bytearray(whole)
        damaged[len(whole) // 2] ^= 0xFF
        for name, data in (("cut", whole[:-1]), ("half", whole[:len(whole) // 2]), ("damaged", bytes(damaged)),
                           ("followed", whole + b"trailing")):
            self.write(f"{name}.jsonl.gz", data)
            for flags in ([], ["--threads", "1"]):
                for verb in ("near", "dedup"):
                    result = self.run_program(verb, f"{name}.jsonl.gz", "-o", "out", *flags, code=3)
                    self.assertIn(f"{name}.jsonl.gz", result.err)
                    self.assertIn("gzip", result.err)
            self.assertNotIn("out", self.listing())
        self.write("d/a.txt", TEXT)
        self.write("d/b.gz", whole[:100])
        near = self.near("d", output="folder")
        self.assertEqual([row[0] for row in near.clusters], ["d/a.txt"])
        self.assertEqual([bad["path"] for bad in near.summary["bad_record_examples"]], ["d/b.gz"])

    def test_a_damaged_zstd_file_is_exit_3(self):
        try:
            whole = subprocess.run(["zstd", "-q", "-c"], input=jsonl(documents(300)).encode(), capture_output=True,
                                   check=True).stdout
        except FileNotFoundError:
            self.skipTest("there is no zstd program")
        self.write("cut.jsonl.zst", whole[:-20])
        self.assertIn("cut.jsonl.zst", self.run_program("fingerprint", "cut.jsonl.zst", code=3).err)


class BadRecords(TestCase):
    BAD = [
        ('{"text": "cut', "not JSON"),
        ("just words", "JSON"),
        ('["a", "list"]', "not a JSON object"),
        ('"a string"', "not a JSON object"),
        ('{"body": "no such field here"}', "no field 'text'"),
        ('{"text": 17}', "not a string"),
        ('{"text": null}', "not a string"),
        ('{"text": ["a b c"]}', "not a string"),
        ('{"text": "one two three"} more', "not JSON"),
        ('{"text": "' + "long " * 3000 + '"}', "--max-doc-bytes"),
    ]

    def test_every_kind_of_bad_record_is_skipped_and_reported_with_file_line_and_reason(self):
        good = json.dumps({"text": TEXT})
        # Good and bad records alternate: bad record i is on line 2 * i + 2.
        self.write("in.jsonl", "".join(f"{good}\n{bad}\n" for bad, _ in self.BAD))
        near = self.near("in.jsonl", "--max-doc-bytes", "10000")
        self.assertEqual([row[0] for row in near.clusters], [str(2 * i) for i in range(len(self.BAD))])
        self.assertEqual((near.summary["documents"], near.summary["bad_records"]), (len(self.BAD), len(self.BAD)))
        examples = near.summary["bad_record_examples"]
        self.assertEqual([(bad["path"], bad["line"]) for bad in examples],
                         [("in.jsonl", 2 * i + 2) for i in range(len(self.BAD))])
        for example, (_, reason) in zip(examples, self.BAD):
            self.assertIn(reason, example["reason"])

    def test_strict_stops_at_the_first_bad_record_and_names_it(self):
        good = json.dumps({"text": TEXT})
        for bad, reason in self.BAD:
            self.write("in.jsonl", f"{good}\n{good}\n{bad}\nworse\n")
            for verb in (["near", "in.jsonl", "-o", "out"], ["fingerprint", "in.jsonl"]):
                result = self.run_program(*verb, "--strict", "--max-doc-bytes", "10000", code=3)
                self.assertIn("in.jsonl:3:", result.err, bad)
                self.assertIn(reason, result.err)
            self.assertEqual(self.listing(), ["in.jsonl"])

    def test_bad_ids_are_bad_records(self):
        rows = ['{"text": "a b c", "id": 1.5}', '{"text": "a b c", "id": null}', '{"text": "a b c"}',
                '{"text": "a b c", "id": ["x"]}', '{"text": "a b c", "id": "good"}']
        self.write("in.jsonl", "\n".join(rows))
        near = self.near("in.jsonl", "--id-field", "id")
        self.assertEqual([row[0] for row in near.clusters], ["good"])
        self.assertEqual([bad["line"] for bad in near.summary["bad_record_examples"]], [1, 2, 3, 4])

    def test_ten_examples_are_kept_and_all_are_counted(self):
        self.write("a.jsonl", "bad\n" * 7)
        self.write("b.jsonl", "bad\n" * 5000 + jsonl([TEXT]))
        near = self.near("a.jsonl", "b.jsonl", "--threads", "3")
        self.assertEqual(near.summary["bad_records"], 5007)
        self.assertEqual([(bad["path"], bad["line"]) for bad in near.summary["bad_record_examples"]],
                         [("a.jsonl", i) for i in range(1, 8)] + [("b.jsonl", i) for i in range(1, 4)])

    def test_an_input_of_which_nothing_can_be_read_is_an_error(self):
        self.write("in.jsonl", '{"body": "some words"}\n' * 3)
        self.write("good.jsonl", jsonl([TEXT]))
        for verb in (["near"], ["dedup"], ["substrings", "--length", "8"], ["ngrams", "build", "-n", "2"],
                     ["fingerprint"], ["index", "create", "i"], ["dedup", "good.jsonl", "--against"]):
            out = [] if verb[0] in ("fingerprint", "index") else ["-o", "out"]
            done = self.run_program(*verb, "in.jsonl", *out, code=3)
            self.assertIn("in.jsonl:1: no field 'text'; the record has 'body'", done.err, verb)
            self.assertEqual(self.listing(), ["good.jsonl", "in.jsonl"], verb)

    def test_a_reason_that_quotes_the_input_is_cut_between_characters(self):
        self.write("d/good.txt", TEXT)
        for lead in ("", "x", "xx", "xxx"):
            self.write("d/a.csv", ",".join([lead + "\N{GRINNING FACE}" * 5000] * 4) + "\n1,2,3,some words\n")
            near = self.near("d", "--force")
            [bad] = near.summary["skipped_kinds"][0]["examples"]
            self.assertRegex(bad["reason"],
                             "^no column 'text'; the header has '" + lead
                             + "\N{GRINNING FACE}+[^\ufffd]*\N{GRINNING FACE}[.]{3}$")
            self.assertIn(len(bad["reason"].encode()), range(197, 201))

    def test_fingerprint_remarks_on_bad_records_unless_quiet(self):
        self.write("in.jsonl", "bad\n" + jsonl([TEXT]))
        result = self.run_program("fingerprint", "in.jsonl")
        self.assertIn("in.jsonl:1: not", result.err)
        self.assertRegex(result.out.decode(), rf"^id\tsimhash\t{MADE_WITH}\n1\t\d+\t\n$")
        self.assertEqual(self.run_program("fingerprint", "in.jsonl", "-q").err, "")

    def test_quoting_in_tables_is_read_as_rfc_4180_says(self):
        rows = ['id,text,more', 'plain,one two three,x', '"q,1","one, two ""three""",x',
                '"line\nbreak","one\ntwo\r\nthree",', ',"one two three"', 'short', '"","","" ',
                'unquoted,one "two" three,y', 'open,"never closed']
        self.write("in.csv", "\r\n".join(rows))
        near = self.near("in.csv", "--id-field", "id")
        hashes = {name: value for name, value, _ in near.clusters}
        self.assertEqual(list(row[0] for row in near.clusters), ["plain", "q,1", "line\\nbreak", "", "", "unquoted"])
        expected = fingerprints("-", stdin="one two three\n")[0][1]
        for name in ("plain", "q,1", "line\\nbreak", "unquoted"):
            self.assertEqual(hashes[name], str(expected), name)
        self.assertEqual([(bad["line"], bad["reason"].split(";")[0]) for bad in near.summary["bad_record_examples"]],
                         [(9, "1 columns, but the header has 3"), (12, "unclosed quote")])

    def test_a_table_without_the_column_is_exit_3_and_shows_those_it_has(self):
        self.write("in.csv", "name,body\n1,some words\n")
        result = self.run_program("near", "in.csv", "-o", "out", code=3)
        self.assertIn("in.csv: no column 'text'", result.err)
        self.assertIn("'name', 'body'", result.err)
        self.near("in.csv", "--text-field", "body", output="ok")

    def test_documents_of_exactly_the_limit_are_read_and_one_byte_more_is_not(self):
        fits, over = "a b c d e ", "a b c d e f"
        self.write("in.txt", lines([fits, over, fits]))
        self.write("d/fits", fits)
        self.write("d/over", over)
        near = self.near("in.txt", "--format", "lines", "--max-doc-bytes", "10", output="a")
        self.assertEqual([row[0] for row in near.clusters], ["0", "2"])
        near = self.near("d", "--max-doc-bytes", "10", output="b")
        self.assertEqual([row[0] for row in near.clusters], ["d/fits"])
        self.assertEqual([bad["path"] for bad in near.summary["bad_record_examples"]], ["d/over"])


class Languages(TestCase):
    """In scripts without spaces, every character is a token."""

    HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 900)]
    THAI = [chr(code) for code in range(0x0E01, 0x0E2F)] + [chr(code) for code in range(0x0E40, 0x0E46)]
    CHINESE = ("床前明月光疑是地上霜举头望明月低头思故乡春眠不觉晓处处闻啼鸟夜来风雨声花落知多少白日依山尽黄河入海流欲穷千里目更上一层楼",
               "人工智能是计算机科学的一个分支它企图了解智能的实质并生产出一种新的能以人类智能相似的方式做出反应的智能机器该领域的研究包括机器人")
    THAI_TEXTS = ("ประเทศไทยมีชื่อเป็นทางการว่าราชอาณาจักรไทยเป็นรัฐชาติอันตั้งอยู่ในทวีปเอเชียตะวันออกเฉียงใต้",
                  "คอมพิวเตอร์เป็นเครื่องจักรที่สามารถตั้งโปรแกรมให้ทำงานตามลำดับของการคำนวณทางคณิตศาสตร์โดยอัตโนมัติ")

    def test_different_chinese_or_thai_texts_are_not_matched(self):
        rng = random.Random(5)
        for letters, samples in ((self.HAN, self.CHINESE), (self.THAI, self.THAI_TEXTS)):
            texts = list(samples) + ["".join(rng.choices(letters, k=rng.randint(100, 2000))) for _ in range(60)]
            self.write("in.txt", lines(texts))
            near = self.near("in.txt", "--format", "lines", "--force", "--distance", "6")
            self.assertEqual((near.matches, near.summary["too_short"]), ([], 0))

    def shared_of_changed(self, texts, change):
        self.write("in.txt", lines([half for text in texts for half in (text, change(text))]))
        near = self.near("in.txt", "--format", "lines", "--force")
        found = {(int(a), int(b)) for a, b, _ in near.matches}
        self.assertTrue(all(a % 2 == 0 and b == a + 1 for a, b in found), "a match between different texts")
        return len(found) / len(texts)

    def test_one_character_in_two_thousand_changed_is_matched_in_nine_cases_of_ten(self):
        rng = random.Random(6)
        for letters in (self.HAN, self.THAI):
            texts = ["".join(rng.choices(letters, k=2000)) for _ in range(200)]

            def change(text):
                at = rng.randrange(len(text))
                return text[:at] + chr(ord(text[at]) ^ 1 if text[at] in self.HAN else 0x0E2F - 1) + text[at + 1:]

            self.assertGreaterEqual(self.shared_of_changed(texts, change), 0.9)

    def test_one_word_in_a_thousand_changed_is_matched_in_nine_cases_of_ten(self):
        rng = random.Random(7)
        words = vocabulary(5000)
        texts = [sentence(rng, words, 1000) for _ in range(300)]

        def change(text):
            parts = text.split(" ")
            parts[rng.randrange(len(parts))] = "changed"
            return " ".join(parts)

        share = self.shared_of_changed(texts, change)
        say(f"one word in a thousand changed: {share:.1%} of pairs found at distance 3")
        self.assertGreaterEqual(share, 0.9)


class Cleaned(TestCase):
    """The output of dedup for such input: a decision for every document, and the kept records byte for byte."""

    def dedup(self, name, *flags, code=0):
        """Returns the decisions, and the kept part of the file."""
        self.run_program("dedup", name, "-o", "out", "--apply", "--force", "-q", *flags, code=code)
        rows = [json.loads(row) for row in self.read("out", "decisions.jsonl").decode("utf-8").splitlines()]
        library = [] if "simhash" in flags else [".library.files", "library"]
        self.assertEqual(self.listing("out"), sorted([".clean.files", "clean", "clusters.tsv", "decisions.jsonl",
                                                      "matches.tsv", "report.html", "skipped.tsv", "summary.json",
                                                      *library]))
        self.summary = json.loads(self.read("out", "summary.json"))
        self.assertEqual((self.summary["documents"], self.summary["kept"]),
                         (len(rows), sum(row["keep"] for row in rows)))
        self.read("out", "report.html").decode("utf-8")
        return ([row["reason"] for row in rows],
                self.read("out", "clean", name) if os.path.isfile(self.path(name)) else None)

    def test_no_input_is_no_output_and_one_document_is_kept(self):
        self.write("none.jsonl")
        self.write("one.jsonl", '{"text": "' + TEXT + '"}')
        os.mkdir(self.path("folder"))
        self.assertEqual(self.dedup("none.jsonl", code=3), ([], b""))
        self.assertEqual(self.dedup("none.jsonl", "--format", "lines", code=3), ([], b""))
        self.assertEqual(self.dedup("folder", code=3), ([], None))
        self.assertEqual(self.dedup("one.jsonl"), ([None], self.read("one.jsonl")))
        self.assertEqual(self.dedup("one.jsonl", "--near", "simhash"), ([None], self.read("one.jsonl")))

    def test_line_ends_are_no_text_and_stay_as_they_are(self):
        self.write("in.txt", f"{TEXT}\r\n{TEXT}\nother words\r\n{TEXT.upper()}\r\nlast")
        self.assertEqual(self.dedup("in.txt", "--format", "lines"),
                         ([None, "exact", None, "near", None], f"{TEXT}\r\nother words\r\nlast".encode()))

    def test_invalid_utf8_separates_words_and_stays_as_it_is(self):
        rows = [TEXT.encode().replace(b" ", bad) for bad in (b"\xff", b"\xff", b"\xed\xa0\x80", b" \xc3 ")]
        self.write("in.txt", b"".join(row + b"\n" for row in rows) + b"\xff\xfe\0\n")
        self.assertEqual(self.dedup("in.txt", "--format", "lines"),
                         ([None, "exact", "near", "near", None], rows[0] + b"\n\xff\xfe\0\n"))

    def test_random_bytes_are_decided_on_in_every_format(self):
        rng = random.Random(10)
        data = b"".join(rng.randbytes(rng.randint(0, 80)).replace(b"\n", b"") + b"\n" for _ in range(500)) * 2
        self.write("noise", data)
        reasons, kept = self.dedup("noise", "--format", "lines")
        self.assertEqual((len(reasons), set(reasons[500:])), (1000, {"exact"}))
        rows = data[:-1].split(b"\n")
        self.assertTrue(kept == b"".join(row + b"\n" for row, reason in zip(rows, reasons) if reason is None))
        self.write("noise", TEXT_RECORD + data + TEXT_RECORD)
        self.assertEqual(self.dedup("noise", "--format", "jsonl"), ([None, "exact"], TEXT_RECORD + data))
        self.assertGreater(self.summary["bad_records"], 900)
        self.write("noise", data)
        result = self.run_program("dedup", "noise", "--format", "jsonl", "-o", "none", code=3)
        self.assertRegex(result.err, r"no record could be read; .* first error: noise:1: not JSON")

    def test_scripts_without_spaces_are_judged_by_their_characters(self):
        rng = random.Random(11)
        texts = ["".join(rng.choices(Languages.HAN, k=400)) for _ in range(20)]
        near = [text[:200] + "\u4e00" + text[201:] for text in texts[:10]]
        far = ["".join(rng.choices(Languages.HAN, k=150)) + text[150:] for text in texts[10:]]
        self.write("in.txt", lines(texts + near + far))
        reasons, kept = self.dedup("in.txt", "--format", "lines")
        self.assertEqual(reasons, [None] * 20 + ["near"] * 10 + [None] * 10)
        self.assertEqual(kept, lines(texts + far).encode())

    def test_very_long_lines_are_compared_and_those_past_the_limit_are_bad_and_kept(self):
        rng = random.Random(12)
        long = sentence(rng, vocabulary(5000), 160_000)[:1_000_000]
        longer = "x y " * 300_000
        self.write("in.txt", lines([long, TEXT, long, long[:-40] + " and an end of its own", longer]))
        reasons, kept = self.dedup("in.txt", "--format", "lines", "--max-doc-bytes", "1M")
        self.assertEqual(reasons, [None, None, "exact", "near"])
        self.assertEqual(self.summary["bad_records"], 1)
        self.assertTrue(kept == lines([long, TEXT, longer]).encode())

    def test_bad_records_are_no_documents_and_stay_where_they_are(self):
        good = json.dumps({"text": TEXT, "id": "a"})
        self.write("in.jsonl", f'{good}\nnot JSON\n{good}\n{{"text": 7}}\n\n{good}')
        self.assertEqual(self.dedup("in.jsonl"),
                         ([None, "exact", "exact"], f'{good}\nnot JSON\n{{"text": 7}}\n\n'.encode()))
        self.assertEqual([bad["line"] for bad in self.summary["bad_record_examples"]], [2, 4])
        result = self.run_program("dedup", "in.jsonl", "-o", "strict", "--strict", code=3)
        self.assertIn("in.jsonl:2", result.err)
        self.assertNotIn("strict", self.listing())


if __name__ == "__main__":
    main()
