"""Indexes that grow and shrink, with every kind of input; and what is refused."""

import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import urllib.request

from index_case import WORDS, Index, run_of
from program import jsonl, lines, main, program, run, running, sentence


class Growing(Index):
    def test_documents_come_and_go(self):
        for name, first in (("a", 0), ("b", 10), ("c", 100)):
            self.write(name, f"{name} {run_of(first, 30)}")
        out = self.run_program("index", "create", "index", "a").out.decode()
        self.assertRegex(out, r"(?m)^  documents added +1$")
        self.assertIn("Written: index\n", out)
        told = json.loads(self.run_program("index", "add", "index", "b", "c", "--json").out)
        self.assertEqual((told["verb"], told["added"], told["removed"], told["generation"]), ("index add", 2, 0, 2))
        [row] = self.extract()
        self.assertEqual((row["length"], [place["id"] for place in row["occurrences"]]), (20, ["a", "b"]))
        self.assertRegex(self.run_program("index", "add", "index", "a", code=3).err, r"\ba\b.*--replace")
        self.assertEqual(self.stats()["documents"], 3)

        self.write("c", f"c {run_of(0, 30)}")
        told = json.loads(self.run_program("index", "add", "index", "c", "--replace", "--json").out)
        self.assertEqual((told["added"], told["replaced"]), (1, 1))
        before = self.extract()
        self.assertEqual({place["id"] for row in before for place in row["occurrences"]}, {"a", "b", "c"})
        self.assertEqual((self.stats()["documents"], self.stats()["removed"]), (3, 1))
        self.assertRegex(self.run_program("index", "merge", "index").out.decode(),
                         r"^index: 3 segments merged; .* in 1 segment\n$")
        self.assertEqual(self.extract(), before)
        self.assertEqual((self.stats()["documents"], self.stats()["removed"], self.stats()["segments"]), (3, 0, 1))
        self.assertRegex(self.run_program("index", "merge", "index").out.decode(), r"^index: nothing to merge; ")

        result = self.run_program("index", "remove", "index", "a", "nobody", "a")
        self.assertEqual((result.out, result.err),
                         (b"index: 1 document removed\n", "refrain: not in the index: 'nobody'\n"))
        self.assertEqual({place["id"] for row in self.extract() for place in row["occurrences"]}, {"b", "c"})
        self.run_program("index", "remove", "index", "a", code=1)
        self.write("ids", "b\r\nnobody\n\nc")
        told = json.loads(self.run_program("index", "remove", "index", "--ids", "ids", "--json").out)
        self.assertEqual((told["removed"], told["unknown"]), (2, ["nobody"]))
        self.assertEqual((self.stats()["documents"], self.extract()), (0, []))
        self.run_program("index", "merge", "index", "-q")
        self.run_program("index", "add", "index", "a", "-q")
        self.assertEqual(self.stats()["documents"], 1)
        self.run_program("index", "check", "index")

    def test_a_list_of_ids_may_be_long_and_has_its_share_of_the_memory(self):
        self.write("a", run_of(0, 30))
        self.create("a")
        self.write("ids", "".join(f"{number}\n" for number in range(250_000)) + "a\n")
        result = self.run_program("index", "remove", "index", "--ids", "ids", "--memory", "64M")
        self.assertEqual(result.out, b"index: 1 document removed\n")
        told = result.err.splitlines()
        self.assertEqual((len(told), told[-1]), (11, "refrain: not in the index: 249,990 more"))
        self.write("ids", "".join(f"{number}\n" for number in range(500_000)))
        result = self.run_program("index", "remove", "index", "--ids", "ids", "--memory", "64M", code=2)
        self.assertIn("ids: larger than 2,796,202 bytes; split it", result.err)

    def test_records_without_ids_go_on_being_numbered(self):
        self.write("in.txt", lines([run_of(0, 20), run_of(50, 20)]))
        self.create("in.txt", "--format", "lines")
        self.run_program("index", "add", "index", "in.txt", "--format", "lines", "-q")
        ids = [[place["id"] for place in row["occurrences"]] for row in self.extract()]
        self.assertEqual(ids, [["0", "2"], ["1", "3"]])

    def test_a_document_named_twice_is_refused(self):
        self.write("a", run_of(0, 20))
        self.assertIn("a: two documents", self.create("a", "a", code=3).err)
        self.assertEqual(self.listing(), ["a"])

    def test_an_index_is_not_overwritten(self):
        self.write("a", run_of(0, 30))
        self.create("a")
        self.assertIn("index", self.create("a", code=2).err)
        os.mkdir(self.path("folder"))
        self.create("a", index="a", code=2)
        self.assertEqual(self.stats()["documents"], 1)

    def test_a_merge_keeps_the_folder_that_most_paths_are_relative_to(self):
        rng = random.Random(7)
        shared = [sentence(rng, WORDS, 30) for _ in range(12)]
        self.write("kept.jsonl", jsonl(["a text that is kept"], id=lambda i: "kept"))
        self.create("kept.jsonl", "--id-field", "id", "--shards", "1")
        for name, count in (("few", 2), ("many", 12), ("some", 3)):
            for i in range(count):
                self.write(f"{name}/in/{name}{i}", f"{sentence(rng, WORDS, 20)} {shared[i]}")
        for name in ("few", "many", "some"):
            self.run_program("index", "add", "../index", "in", "-q", cwd=self.path(name))
        self.run_program("index", "remove", "index", "kept", "in/many5", "-q")
        before = self.extract()
        self.assertEqual(len(before), 3)
        self.run_program("index", "merge", "index", "-q")
        self.assertEqual(self.extract(), before)
        self.assertEqual(self.stats()["segments"], 1)
        [documents] = [os.path.join(folder, "documents.bin") for folder, _, names in os.walk(self.path("index"))
                       if "documents.bin" in names]
        with open(documents, "rb") as file:
            content = file.read()
        top = os.path.realpath(self.dir)
        self.assertEqual([content.count(f"{top}/{name}".encode()) for name in ("few", "many", "some")], [2, 1, 3])
        self.run_program("index", "check", "index")

    def test_stats_say_where_the_bytes_go(self):
        rng = random.Random(1)
        self.write("in.txt", lines([sentence(rng, WORDS, 200) for _ in range(300)]))
        self.create("in.txt", "--format", "lines")
        stats = self.stats()
        self.assertEqual((stats["documents"], stats["tokens"], stats["window"], stats["blots"], stats["tokenizer"]),
                         (300, 60000, 10, "ordered", "words-nfkc"))
        on_disk = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(self.path("index"))
                      for name in names)
        told = sum(stats[f"{part}_bytes"] for part in ("posts", "documents", "texts", "other"))
        self.assertEqual(told, on_disk)
        shown = self.run_program("index", "stats", "index").out.decode()
        self.assertRegex(shown, r"(?m)^  tokens +60,000  tokenizer: words-nfkc$")
        self.assertRegex(shown, r"(?m)^  index size +\S+ \S+ +\d+\.\d% of the text$")
        self.create("in.txt", "--format", "lines", "--blots", "xor", "--sampling", "all", "--window", "7",
                    "--shards", "4", "--blot-bits", "21", "--tokenizer", "alpha", "--store-text", index="other")
        stats = self.stats("other")
        layout = {"blots": "xor", "sampling": "all", "window": 7, "shards": 4, "blot_bits": 21, "tokenizer": "alpha",
                  "store_text": True}
        self.assertEqual({key: stats[key] for key in layout}, layout)
        self.assertGreater(stats["texts_bytes"], 0)


class Inputs(Index):
    SHARED = run_of(300, 25)

    def found(self, *, index="index", count=2):
        [row] = self.extract(index=index)
        self.assertEqual((row["passage"], row["length"], len(row["occurrences"])), (self.SHARED, 25, count))
        return row

    def test_records_of_every_format_are_documents(self):
        texts = [f"one {self.SHARED} two", "something else", f"three four, {self.SHARED}"]
        ids = ["x", "y", 'z"\n']
        self.write("in.jsonl", jsonl(texts, id=lambda i: ids[i]))
        quoted = [id_.replace('"', '""') for id_ in ids]
        self.write("in.csv", "id,text\n" + "".join(f'"{id_}","{text}"\n' for id_, text in zip(quoted, texts)))
        self.write("in.txt", lines(texts))
        self.write("in.gz", gzip.compress(lines(texts).encode()))
        by_id, by_ordinal = ("x", 'z"\n'), ("0", "2")
        for name, flags, expected in (
                ("in.jsonl", ["--id-field", "id"], by_id), ("in.jsonl", [], by_ordinal),
                ("in.csv", ["--id-field", "id"], by_id), ("in.txt", ["--format", "lines"], by_ordinal),
                ("in.gz", ["--format", "lines"], by_ordinal)):
            for more in ([], ["--store-text"]):
                self.create(name, *flags, *more)
                row = self.found()
                self.assertEqual(self.places(row), [(expected[0], 4, 4 + len(self.SHARED)),
                                                    (expected[1], 12, 12 + len(self.SHARED))], name)
                self.assertEqual({place["text"] for place in row["occurrences"]}, {self.SHARED})
                self.run_program("index", "check", "index")
                shutil.rmtree(self.path("index"))

    def test_standard_input_is_kept_in_the_index(self):
        self.create("-", stdin=lines([self.SHARED, "x " + self.SHARED]))
        self.assertEqual([place[0] for place in self.places(self.found())], ["0", "1"])
        self.run_program("index", "add", "index", "-", "--format", "jsonl", "--id-field", "id", "-q",
                         stdin=jsonl([self.SHARED], id=lambda i: "from a pipe"))
        self.assertEqual([place[0] for place in self.places(self.found(count=3))], ["0", "1", "from a pipe"])

    def test_offsets_are_bytes_of_the_file(self):
        shared = "白日依山盡黃河入海流欲窮千里目更上一層樓"
        for name, before, inside, flags in (
                ("cjk", "序：", shared, []), ("crlf", "Ärger\r\n", self.SHARED.replace(" ", "\r\n"), []),
                ("chars", "é ", "a long enough run of letters, é", ["--tokenizer", "chars"]),
                ("nul", "\0 ", self.SHARED, ["--binary"])):
            self.write(f"{name}/1", f"{before}{inside}")
            self.write(f"{name}/2", f"{before * 3}和{inside}。")
            self.create(name, *flags, index=f"{name}.index")
            rows = self.extract(index=f"{name}.index")
            self.assertEqual(len(rows), 1, name)
            self.assertIn(inside.strip("é"), rows[0]["passage"])
            self.assertEqual(rows[0]["documents"], 2)
            self.assert_in_files(rows[0])

    def test_invalid_utf8_separates_tokens_and_is_no_harm(self):
        words = self.SHARED.encode().split()
        self.write("in/1", b"\xff\xfe" + b" \xff ".join(words) + b"\xc3")
        self.write("in/2", b"\x80" + b" ".join(words))
        self.create("in", "--as-is")
        [row] = self.extract()
        self.assertEqual((row["length"], row["similarity"], row["documents"]), (25, 1, 2))
        for place in row["occurrences"]:
            content = self.read(place["id"])[place["begin"]:place["end"]]
            self.assertTrue(content.startswith(words[0]) and content.endswith(words[-1]), content)
        self.run_program("index", "extract", "index", "--output", "text")

    def test_little_or_no_text_is_fine(self):
        self.write("empty", "")
        os.mkdir(self.path("nothing"))
        self.write("short", "a few words")
        self.write("one", run_of(0, 100))
        for name, documents in (("empty", 1), ("nothing", 0), ("short", 1), ("one", 1)):
            self.create(name, index=f"{name}.index", code=0 if documents else 3)
            self.assertEqual(self.stats(f"{name}.index")["documents"], documents)
            self.assertEqual(self.extract(index=f"{name}.index"), [])
            self.assertEqual(self.blots(f"{name}.index"), [])
            self.run_program("index", "check", f"{name}.index")
            self.run_program("index", "stats", f"{name}.index")
            self.query("one", index=f"{name}.index", code=0 if name == "one" else 1)
            self.run_program("index", "merge", f"{name}.index")
        self.run_program("index", "add", "nothing.index", "one", "-q")
        self.assertEqual(len(self.query("one", index="nothing.index")), 1)

    def test_bad_records_are_told(self):
        self.write("in.jsonl", jsonl([self.SHARED]) + "oops\n" + jsonl([self.SHARED]))
        out = self.run_program("index", "create", "index", "in.jsonl").out.decode()
        self.assertRegex(out, r"(?m)^  bad records +1  in.jsonl:2: ")
        self.assertEqual([place[0] for place in self.places(self.found())], ["0", "2"])
        self.create("in.jsonl", "--strict", index="strict", code=3)
        self.assertIn("--text-field", self.create("in.jsonl", "--text-field", "body", index="wrong", code=3).err)
        self.assertFalse(os.path.exists(self.path("wrong")))
        self.assertFalse(os.path.exists(self.path("strict")))
        self.create("no-such-file", index="none", code=3)
        self.assertFalse(os.path.exists(self.path("none")))


class Served(Index):
    def test_a_server_says_where_it_listens_and_ends_well_when_told_to_stop(self):
        self.write("a", run_of(0, 20))
        self.create("a")
        for number in (signal.SIGTERM, signal.SIGINT):
            with running("serve", "index", "--listen", "127.0.0.1:0", cwd=self.dir, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE) as process:
                told = re.fullmatch(rb"refrain: listening on (http://127\.0\.0\.1:\d+)\n", process.stderr.readline())
                with urllib.request.urlopen(told.group(1).decode() + "/healthz", timeout=20) as answer:
                    self.assertEqual(answer.status, 200)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=20), 0)
                self.assertEqual((process.stdout.read(), process.stderr.read()), (b"", b""))

    def test_what_cannot_be_served_is_refused(self):
        self.write("a", run_of(0, 20))
        self.create("a")
        self.write("empty", "\n")
        self.write("two", "one\ntwo\n")
        for flags, code in (("--listen 0.0.0.0:0", 2), ("--listen nowhere", 2), ("--token-file empty", 2),
                            ("--token-file two", 2), ("--token-file none", 3), ("--max-connections 0", 2)):
            self.run_program("serve", "index", *flags.split(), code=code)
        self.run_program("serve", "none", code=3)


class Refused(Index):
    def setUp(self):
        super().setUp()
        rng = random.Random(6)
        for i in range(40):
            self.write(f"docs/{i}", sentence(rng, WORDS, 60) + " " + run_of(0, 30))
        self.create("docs")

    def test_what_is_no_index_is_bad_input(self):
        self.write("folder/file", "text")
        for index in ("none", "folder", "docs/0"):
            for verb in (["add", index, "docs"], ["remove", index, "x"], ["merge", index], ["query", index, "docs/0"],
                         ["extract", index], ["stats", index], ["check", index]):
                result = self.run_program("index", *verb, code=3)
                self.assertIn(index, result.err)
                self.assertEqual(result.out, b"")
        self.assertEqual(self.listing("folder"), ["file"])

    def test_a_flipped_bit_is_found_and_never_served(self):
        good = self.run_program("index", "extract", "index", "--output", "text").out
        rng = random.Random(8)
        for folder, _, names in os.walk(self.path("index")):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.dir)
                content = self.read(path)
                for at in sorted(rng.sample(range(len(content)), min(6, len(content)))):
                    damaged = bytearray(content)
                    damaged[at] ^= 1 << at % 8
                    self.write(path, bytes(damaged))
                    result = run("index", "check", "index", cwd=self.dir)
                    self.assertEqual(result.code, 4, (path, at))
                    self.assertIn(name, result.err)
                    shown = run("index", "extract", "index", "--output", "text", cwd=self.dir)
                    self.assertTrue(shown.code == 4 or (shown.code == 0 and shown.out == good), (path, at, shown.err))
                    self.write(path, content)
        self.run_program("index", "check", "index")

    def test_damage_is_repaired_from_the_texts(self):
        before = self.extract()
        [posts] = [os.path.relpath(os.path.join(folder, name), self.dir)
                   for folder, _, names in os.walk(self.path("index")) for name in names if "posts" in name]
        content = bytearray(self.read(posts))
        content[len(content) // 2] ^= 1
        self.write(posts, bytes(content))
        told = self.run_program("index", "check", "index", "--json", code=4)
        told = json.loads(told.out)
        self.assertEqual((told["whole"], len(told["damages"]) > 0), (False, True))
        self.assertRegex(self.run_program("index", "check", "index", "--repair").out.decode(),
                         r"^index: repaired: 40 documents rebuilt, 0 lost\n$")
        self.assertEqual(self.extract(), before)
        self.assertRegex(self.run_program("index", "check", "index").out.decode(), r"^index: OK: 40 documents with ")

    def test_a_repair_that_loses_documents_does_not_call_the_index_whole(self):
        self.create("docs", "--store-text", index="stored")
        texts = os.path.join("stored", "000001", "texts.bin")
        content = bytearray(self.read(texts))
        content[len(content) // 2] ^= 1
        self.write(texts, bytes(content))
        told = json.loads(self.run_program("index", "check", "stored", "--repair", "--json", code=4).out)
        self.assertEqual((told["whole"], told["repaired"]), (False, True))
        self.assertGreater(told["lost_documents"], 0)
        left = self.stats("stored")["documents"]
        self.assertEqual((told["rebuilt_documents"], told["lost_documents"]), (left, 40 - left))
        self.assertTrue(json.loads(self.run_program("index", "check", "stored", "--json").out)["whole"])

    def test_flags_that_do_not_go_together_are_usage_errors(self):
        for line, hint in (
                ("create x docs --interleave 2 --sampling syncmer", "--sampling"),
                ("create x docs --window 1", "2 to 256"), ("create x docs --window 257", "2 to 256"),
                ("create x docs --shards 3", "power of two"), ("create x docs --blot-bits 11", "12"),
                ("create x docs --blots md5", "ordered"), ("create x", "INPUT"), ("add index", "INPUT"),
                ("remove index", "--ids"), ("query index", "--id"), ("query index docs/0 --id docs/0", "--id"),
                ("query index docs/0 --output xml", "json"), ("query index docs/0 --raw --cursor x", "--cursor"),
                ("extract index docs", "docs"), ("extract index --raw --min-tokens 3", "--min-tokens"),
                ("extract index --raw --threads 2", "--threads"), ("extract index --raw --temp-dir .", "--temp-dir"),
                ("extract index --raw --json", "--json"), ("query index docs/0 --raw --json", "--json"),
                ("check index --threads 2", "--repair"), ("check index --temp-dir .", "--repair"),
                ("blots index --unblot 0 --min-documents 3", "--min-documents"),
                ("blots index --unblot 0 --max-documents 3", "--max-documents"),
                ("blots index docs", "is an index"), ("blots docs index", "index: is an index"),
                ("blots index --window 5", "--window"), ("blots index --format lines", "--format"),
                ("blots index --text-field t", "--text-field"), ("blots index --id-field t", "--id-field"),
                ("blots index --max-doc-bytes 9", "--max-doc-bytes"), ("blots index --binary", "--binary"),
                ("blots index --strict", "--strict"), ("blots index --threads 2", "--threads"),
                ("blots docs --temp-dir .", "--temp-dir"), ("query index docs/0 --temp-dir .", "--temp-dir"),
                ("query index docs/0 docs/1 --cursor=00", "--cursor"), ("merge index --threads 2", "--threads"),
                ("merge index --temp-dir .", "--temp-dir"), ("blots docs --min-documents 3", "index"),
                ("blots index --unblot xyz", "xyz"), ("blots docs --unblot xyz", "xyz"),
                ("remov index", "did you mean 'index remove'?"), ("serve index", "did you mean 'serve'?")):
            arguments = line.split()
            result = self.run_program("index", *arguments, code=2)
            self.assertIn(hint, result.err, arguments)
            self.assertEqual(result.out, b"")
        self.assertEqual(self.listing(), ["docs", "index"])

    def test_files_that_cannot_be_asked_about_are_bad_input(self):
        for line in ("query index no-such",
                     "query index docs/0 --exclude no-such", "extract index --exclude docs",
                     "remove index --ids no-such", "blots no-such"):
            arguments = line.split()
            result = self.run_program("index", *arguments, code=3)
            self.assertIn(arguments[-1], result.err)

    def test_the_family_lists_its_verbs(self):
        overview = run("index").out.decode()
        for word in ("create", "add", "remove", "merge", "query", "extract", "blots", "stats", "check"):
            self.assertRegex(overview, rf"(?m)^  index {word} +\S")
        self.assertEqual(run("index", "--help").out.decode(), overview)

    def test_a_reader_that_goes_away_is_no_error(self):
        done = subprocess.run(["bash", "-c", f"{program()} index blots index --min-documents 1 | head -n 1"],
                              cwd=self.dir, capture_output=True, timeout=60, check=True)
        self.assertEqual((done.stdout.count(b"\n"), done.stderr), (1, b""))


if __name__ == "__main__":
    main()
