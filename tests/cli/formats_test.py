"""Files written by other programs: unusual compression, all kinds of Arrow files, Hugging Face datasets, links."""

import bz2
import gzip
import json
import lzma
import os
import random
import subprocess
import sys

from program import TestCase, main, run

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../build/deps/python"))
try:
    import pyarrow as pa
    from pyarrow import feather
except ImportError:
    pa = None

RANDOM = random.Random(7)
TEXTS = [" ".join(f"{RANDOM.choice('bcdfgklmnprst')}{RANDOM.choice('aeiou')}{RANDOM.randrange(900)}" for _ in range(60))
         for _ in range(40)]


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def lz4(content):
    return subprocess.run(["lz4", "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout


def un_lz4(content):
    return subprocess.run(["lz4", "-dc"], input=content, stdout=subprocess.PIPE, check=True).stdout


PACKINGS = {"xz": (lzma.compress, lzma.decompress), "bz2": (bz2.compress, bz2.decompress), "lz4": (lz4, un_lz4)}


class Formats(TestCase):
    def dedup(self, *arguments, code=0, output="out"):
        return json.loads(self.run_program("dedup", *arguments, "-o", output, "--json", code=code).out)

    def content(self, *parts):
        with open(self.path(*parts), "rb") as file:
            return file.read()

    def test_records_packed_in_rarer_ways_are_read_and_written_the_same_way(self):
        rows = [{"id": f"r{i}", "text": TEXTS[i % 30]} for i in range(60)]
        plain = jsonl(rows)
        kept = jsonl(rows[:30])
        for ending, (pack, unpack) in PACKINGS.items():
            name = f"a.jsonl.{ending}"
            self.write(name, pack(plain.encode()))
            summary = self.dedup(name, "--apply", "--memory", "128M", output=f"out-{ending}")
            self.assertEqual((summary["documents"], summary["kept"]), (60, 30))
            self.assertEqual(unpack(self.content(f"out-{ending}", "clean", name)).decode(), kept)

    def test_words_hyphenated_at_line_ends_are_joined_for_comparison_only(self):
        words = [f"{RANDOM.choice(['gener', 'oper', 'vari'])}{chr(97 + i % 26)}{chr(97 + i // 26)}ation"
                 for i in range(200)]
        plain = " ".join(words)
        cut = plain.replace("ation", "-\n  ation", 40).replace("vari", "vari-\r\n", 9)
        self.write("in/a.txt", plain)
        self.write("in/b.txt", cut)
        self.write("in/c.txt.gz", gzip.compress(cut.replace("-\n", "\u2010\n").encode()))
        self.write("in/d.jsonl", jsonl([{"text": cut.replace("-\n", "\xad\n")}, {"text": "a-\nb"}]))
        self.write("in/e.csv", f'text\n"{cut}"\n')
        self.assertEqual(self.dedup("in", output="off")["removed_exact"], 1)
        for threads in "1", "3":
            summary = self.dedup("in", "--join-hyphens", "--apply", "--force", "--threads", threads)
            self.assertEqual((summary["removed_exact"], summary["options"]["join_hyphens"]), (4, True))
            self.assertEqual(self.content("out", "clean", "in", "d.jsonl").decode(), jsonl([{"text": "a-\nb"}]))
        self.dedup("in/b.txt", "in/d.jsonl", "--join-hyphens", "--apply", output="b")
        self.assertEqual(self.content("b", "clean", "b.txt"), cut.encode())
        told = self.run_program("explain", "--run", "out", self.path("in", "b.txt")[-8:]).out.decode()
        self.assertIn("byte for byte", told)
        found = json.loads(self.run_program("near", "in", "--join-hyphens", "-o", "near", "--json").out)
        self.assertEqual(found["clustered_documents"], 5)
        self.assertEqual(json.loads(self.run_program("text", "in/b.txt", "--join-hyphens").out)["text"], plain)
        for other in ["--substrings", "50"], ["--attributes", "dolma"]:
            error = self.run_program("dedup", "in/d.jsonl", "--join-hyphens", *other, "-o", "no", code=2).err
            self.assertIn(f"--join-hyphens: {other[0]} has ranges of the text as it is; remove one of them", error)

    def test_whole_files_and_archives_of_pages_may_be_packed_so_too(self):
        for ending, (pack, _) in PACKINGS.items():
            self.write(f"in/text.{ending}", pack(TEXTS[3].encode()))
        page = f"<html><body><p>{TEXTS[4]}</p></body></html>".encode()
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
        head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/b\r\nContent-Length: {len(http)}\r\n"
                "Content-Type: application/http; msgtype=response\r\n\r\n")
        self.write("in/b.warc.lz4", lz4(head.encode() + http + b"\r\n\r\n"))
        summary = self.dedup("in")
        self.assertEqual((summary["documents"], summary["kept"]), (4, 2))

    def test_damaged_packing_is_a_bad_record_in_a_folder_and_an_error_when_named(self):
        self.write("in/good.txt", TEXTS[0])
        for ending, (pack, _) in PACKINGS.items():
            self.write(f"in/bad.{ending}", pack(("x" + " ".join(TEXTS)).encode())[:-9])
        self.assertEqual(self.dedup("in")["bad_records"], 3)
        self.assertIn("truncated xz data", self.run_program("dedup", "in/bad.xz", "-o", "no", code=3).err)

    def write_arrow(self, path, table, kind):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        if kind == "stream":
            with pa.OSFile(self.path(path), "wb") as out, pa.ipc.new_stream(out, table.schema) as writer:
                writer.write_table(table, max_chunksize=16)
        elif kind == "file":
            with pa.OSFile(self.path(path), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
                writer.write_table(table, max_chunksize=16)
        else:
            feather.write_feather(table, self.path(path), compression=kind, chunksize=16)

    def read_arrow(self, *parts):
        with open(self.path(*parts), "rb") as file:
            opened = pa.ipc.open_file if file.read(6) == b"ARROW1" else pa.ipc.open_stream
        return opened(pa.OSFile(self.path(*parts))).read_all()

    def table(self, text=None):
        rows = 60
        texts = pa.array([TEXTS[i % 30] for i in range(rows)], text or pa.string())
        return pa.table({"id": [f"r{i}" for i in range(rows)], "meta": [{"url": f"u{i}", "n": i} for i in range(rows)],
                         "text": texts, "tags": [["a"] * (i % 3) for i in range(rows)]})

    def test_arrow_in_all_its_kinds_is_read_and_written_alike(self):
        if pa is None:
            self.skipTest("skipped: no pyarrow")
        for kind in ("stream", "file", "lz4", "zstd"):
            for text in (pa.string(), pa.large_string(), pa.string_view()):
                name = f"{kind}-{text}.arrow"
                table = self.table(text)
                self.write_arrow(name, table, kind)
                summary = self.dedup(name, "--apply", "--id-field", "id", "--threads", "3", output="out-" + name)
                self.assertEqual((summary["documents"], summary["kept"]), (60, 30), name)
                clean = self.read_arrow("out-" + name, "clean", name)
                self.assertEqual(clean.schema, table.schema)
                self.assertEqual(clean.to_pylist(), table.slice(0, 30).to_pylist())

    def test_a_text_in_a_struct_or_a_dictionary_is_found(self):
        if pa is None:
            self.skipTest("skipped: no pyarrow")
        coded = self.table().set_column(2, "text", self.table()["text"].dictionary_encode())
        self.write_arrow("coded.arrow", coded, "stream")
        self.assertEqual(self.dedup("coded.arrow", "--apply", output="coded")["kept"], 30)
        self.assertEqual(self.read_arrow("coded", "clean", "coded.arrow").num_rows, 30)
        nested = pa.table({"doc": [{"text": TEXTS[i % 30], "id": i} for i in range(60)]})
        self.write_arrow("nested.feather", nested, "lz4")
        summary = self.dedup("nested.feather", "--text-field", "doc.text", "--id-field", "doc.id", output="nested")
        self.assertEqual(summary["kept"], 30)

    def test_texts_of_arrow_are_cut_and_fields_added(self):
        if pa is None:
            self.skipTest("skipped: no pyarrow")
        shared = " ".join(TEXTS[30:32])
        table = pa.table({"id": [f"r{i}" for i in range(20)],
                          "text": [f"{TEXTS[i]} {shared} number {i}" for i in range(20)]})
        for kind in ("stream", "zstd"):
            name = f"{kind}.arrow"
            self.write_arrow(name, table, kind)
            self.run_program("dedup", name, "-o", "cut-" + kind, "--substrings", "100", "--apply", "--annotate",
                             "--id-field", "id")
            texts = self.read_arrow("cut-" + kind, "clean", name)["text"].to_pylist()
            self.assertEqual(sum(shared in text for text in texts), 1)
            self.assertTrue(all(TEXTS[i][:-9] in text for i, text in enumerate(texts)))
            annotated = self.read_arrow("cut-" + kind, "annotated", name)
            self.assertEqual(annotated.num_rows, 20)
            self.assertGreater(len(annotated.schema.names), 2)

    def test_texts_of_arrow_need_not_be_utf_8(self):
        if pa is None:
            self.skipTest("skipped: no pyarrow")
        texts = [text.encode() + b" caf\xe9 \xff" for text in TEXTS[:30]] * 2
        strings = {"string": pa.array(texts, pa.binary()).view(pa.string()),
                   "large": pa.array(texts, pa.large_binary()).view(pa.large_string())}
        strings["coded"] = pa.DictionaryArray.from_arrays(list(range(30)) * 2, strings["string"].slice(0, 30),
                                                          safe=False)
        for name, column in strings.items():
            table = pa.table({"id": [f"r{i}" for i in range(60)], "text": column,
                              "in": pa.StructArray.from_arrays([column], ["text"]),
                              "list": pa.ListArray.from_arrays(list(range(61)), column)})
            for kind in ("stream", "file", "zstd"):
                path = f"{name}-{kind}.arrow"
                self.write_arrow(path, table, kind)
                summary = self.dedup(path, "--apply", output="out-" + path)
                self.assertEqual((summary["documents"], summary["kept"], summary["bad_records"]), (60, 30, 0), path)
                self.assertEqual(self.dedup(path, "--text-field", "in.text", output="in-" + path)["kept"], 30, path)
                clean = self.read_arrow("out-" + path, "clean", path)
                self.assertEqual(clean["id"].to_pylist(), [f"r{i}" for i in range(30)])
                if name != "coded":
                    whole = pa.binary() if name == "string" else pa.large_binary()
                    self.assertEqual(clean["text"].combine_chunks().view(whole).to_pylist(), texts[:30])

    def test_damaged_arrow_is_told_so(self):
        if pa is None:
            self.skipTest("skipped: no pyarrow")
        for kind in ("stream", "lz4"):
            self.write_arrow("whole.arrow", self.table(), kind)
            whole = self.content("whole.arrow")
            for at in range(9, len(whole) - 1, len(whole) // 12):
                self.write("cut.arrow", whole[:at])
                self.assertIn(run("dedup", "cut.arrow", "-o", f"cut-{kind}-{at}", cwd=self.dir).code, (0, 3))
                bent = bytearray(whole)
                bent[at] ^= 0x55
                self.write("bent.arrow", bytes(bent))
                self.assertIn(run("dedup", "bent.arrow", "-o", f"bent-{kind}-{at}", cwd=self.dir).code, (0, 3))

    def test_a_data_set_that_hugging_face_saved(self):
        if pa is None:
            self.skipTest("skipped: no pyarrow")
        for split in ("train", "test"):
            for shard in range(2):
                self.write_arrow(f"set/{split}/data-0000{shard}-of-00002.arrow", self.table(), "stream")
            self.write_arrow(f"set/{split}/cache-12ab.arrow", self.table(), "stream")
            self.write(f"set/{split}/state.json",
                       json.dumps({"_data_files": [{"filename": "data-00000-of-00002.arrow"}]}))
            self.write(f"set/{split}/dataset_info.json", json.dumps({"features": {"text": {"dtype": "string"}}}))
        self.write("set/dataset_dict.json", json.dumps({"splits": ["train", "test"]}))
        summary = self.dedup("set", "--id-field", "id")
        self.assertEqual((summary["documents"], summary["kept"], summary["bad_records"]), (240, 30, 0))

    def test_the_cache_of_the_hub_is_read_by_its_links_once(self):
        self.write("cache/blobs/12ab", jsonl([{"text": TEXTS[i]} for i in range(5)]))
        self.write("cache/refs/main", "one")
        self.write("cache/blobs/34cd", jsonl([{"text": TEXTS[i]} for i in range(5, 9)]))
        for revision in ("one", "two"):
            os.makedirs(self.path("cache/snapshots", revision, "data"))
            for name, blob in (("a.jsonl", "12ab"), ("b.jsonl", "34cd")):
                os.symlink(f"../../../blobs/{blob}", self.path("cache/snapshots", revision, "data", name))
        self.assertEqual(self.dedup("cache", output="whole")["documents"], 9)
        self.assertEqual(self.dedup("cache/snapshots/one", output="snapshot")["documents"], 9)

    def test_links_are_followed_out_of_the_tree_once_and_circles_end(self):
        self.write("in/a.txt", TEXTS[0])
        self.write("disk/part/b.txt", TEXTS[1])
        self.write("disk/part/deep/c.txt", TEXTS[2])
        self.write("lone.txt", TEXTS[3])
        os.symlink("a.txt", self.path("in/same.txt"))  # read under its own name
        os.symlink("../disk/part/deep", self.path("in/b-deep"))
        os.symlink("../disk/part", self.path("in/c-part"))  # except for deep, which was read
        os.symlink("../lone.txt", self.path("in/d.txt"))
        os.symlink("../lone.txt", self.path("in/e.txt"))
        os.symlink("nowhere", self.path("in/f.txt"))
        os.symlink("..", self.path("in/g-up"))  # everything except what was read already
        os.symlink("../../in", self.path("disk/part/back"))
        summary = self.dedup("in")
        self.assertEqual((summary["documents"], summary["kept"]), (4, 4))


if __name__ == "__main__":
    main()
