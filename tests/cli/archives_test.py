"""tar and ZIP archives are traversed like folders."""

import gzip
import io
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

from program import TestCase, main, run

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../build/deps/python"))
try:
    import pyarrow as pa
    import pyarrow.parquet
except ImportError:
    pa = None

RANDOM = random.Random(11)
TEXTS = [" ".join(f"{RANDOM.choice('bcdfgklmnprst')}{RANDOM.choice('aeiou')}{RANDOM.randrange(900)}" for _ in range(60))
         for _ in range(40)]
ROWS = "".join(json.dumps({"id": f"r{i}", "text": TEXTS[i % 20]}) + "\n" for i in range(40))
LONG = "a-folder-with-a-long-name/" * 8 + "file.txt"
MEMBERS = {
    "a.txt": TEXTS[30].encode(),
    "deep/b.txt": TEXTS[31].encode(),
    "deep/copy.txt": TEXTS[30].encode(),
    "rows.jsonl": ROWS.encode(),
    "more.jsonl.gz": gzip.compress(ROWS.encode()),
    "page.html": f"<html><body><p>{TEXTS[32]}</p></body></html>".encode(),
    LONG: TEXTS[33].encode(),
    ".hidden": b"hidden",
    "empty.txt": b"",
}
DOCUMENTS = 6 + 80  # the hidden one is not a document
KEPT = 4 + 1 + 20  # including one empty document


def tar(mode, tar_format=tarfile.PAX_FORMAT, members=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tar_format) as archive:
        folder = tarfile.TarInfo("deep")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        link = tarfile.TarInfo("deep/link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "../a.txt"
        archive.addfile(link)
        for name, content in (members or MEMBERS).items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(packing=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as archive:
        archive.writestr("deep/", "")
        for name, content in MEMBERS.items():
            archive.writestr(name, content)
    return out.getvalue()


def of_files(files):
    """Makes a tar of (name, content) pairs, in this order."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zip_of(entries):
    """Makes a ZIP of entries (name, local header and data, their offset or None to follow the previous entry,
    compressed size, uncompressed size, checksum)."""
    body, directory = b"", b""
    for name, local, begin, packed, plain, checksum in entries:
        begin = len(body) if begin is None else begin
        body += local
        directory += struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 0, checksum, packed, plain, len(name),
                                 0, 0, 0, 0, 0, begin) + name
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    return body + directory + end


def deflated(name, content):
    """Returns a local header with its data, and the sizes and the checksum for the directory."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    checksum = zlib.crc32(content)
    local = (struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, checksum, len(packed), len(content), len(name), 0)
             + name + packed)
    return local, len(packed), len(content), checksum


class Archives(TestCase):
    def dedup(self, *arguments, code=0, output="out"):
        return json.loads(self.run_program("dedup", *arguments, "-o", output, "--json", code=code).out)

    def content(self, *parts):
        with open(self.path(*parts), "rb") as file:
            return file.read()

    def test_every_kind_gives_the_same_documents_and_clean_files(self):
        kinds = {
            "a.tar": tar("w"), "b.tar.gz": tar("w:gz"), "c.tgz": tar("w:gz", tarfile.GNU_FORMAT),
            "d.tar.bz2": tar("w:bz2"), "e.tar.xz": tar("w:xz", tarfile.GNU_FORMAT), "f.zip": zipped(),
            "g.ZIP": zipped(zipfile.ZIP_STORED),
        }
        for name, content in kinds.items():
            self.write(name, content)
            summary = self.dedup(name, "--apply", "--threads", "3", output="out-" + name)
            self.assertEqual((summary["documents"], summary["kept"], summary["bad_records"]), (DOCUMENTS, KEPT, 0),
                             name)
            clean = ("out-" + name, "clean", name)
            self.assertEqual(self.content(*clean, "deep/b.txt"), MEMBERS["deep/b.txt"])
            self.assertEqual(self.content(*clean, LONG), MEMBERS[LONG])
            self.assertEqual(self.content(*clean, "page.html"), MEMBERS["page.html"])
            self.assertEqual(self.content(*clean, "rows.jsonl").decode(), "".join(ROWS.splitlines(True)[:20]))
            self.assertEqual(gzip.decompress(self.content(*clean, "more.jsonl.gz")), b"")
            self.assertFalse(os.path.exists(self.path(*clean, "deep/copy.txt")))

    def test_parquet_in_an_archive_is_read_and_written(self):
        if pa is None:
            self.skipTest("skipped: no pyarrow")
        out = io.BytesIO()
        table = pa.table({"id": [f"p{i}" for i in range(40)], "text": [TEXTS[i % 20] for i in range(40)]})
        pyarrow.parquet.write_table(table, out, row_group_size=10)
        self.write("set.tar.gz",
                   tar("w:gz", members={"part-0.parquet": out.getvalue(), "part-1.parquet": out.getvalue()}))
        summary = self.dedup("set.tar.gz", "--apply")
        self.assertEqual((summary["documents"], summary["kept"]), (80, 20))
        clean = pyarrow.parquet.read_table(self.path("out/clean/set.tar.gz/part-0.parquet"))
        self.assertEqual(clean.to_pylist(), table.slice(0, 20).to_pylist())

    def test_in_a_folder_beside_other_files(self):
        self.write("in/set.tar.gz", tar("w:gz"))
        self.write("in/x.txt", TEXTS[35])
        self.assertEqual(self.dedup("in")["documents"], DOCUMENTS + 1)
        ids = [json.loads(line)["id"] for line in self.run_program("text", "in/set.tar.gz").out.splitlines()]
        self.assertIn("in/set.tar.gz/deep/b.txt", ids)

    def test_names_that_lead_out_of_the_archive_are_not_written_there(self):
        members = {"../../out-of.txt": TEXTS[0].encode(), "/tmp/absolute.txt": TEXTS[1].encode(),
                   "x/../../y.txt": TEXTS[2].encode(), "fine.txt": TEXTS[3].encode()}
        self.write("evil.tar", tar("w", members=members))
        summary = self.dedup("evil.tar", "--apply")
        self.assertEqual(summary["documents"], 2)
        found = [os.path.join(folder, name) for folder, _, names in os.walk(self.path("out", "clean"))
                 for name in names]
        self.assertEqual(sorted(os.path.relpath(path, self.path("out", "clean")) for path in found),
                         ["evil.tar/fine.txt", "evil.tar/tmp/absolute.txt"])

    def test_a_name_that_comes_twice_is_kept_twice(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for text in TEXTS[:2]:
                info = tarfile.TarInfo("same.txt")
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        self.write("twice.tar", out.getvalue())
        self.assertEqual(self.dedup("twice.tar", "--apply")["documents"], 2)
        self.assertEqual(self.content("out/clean/twice.tar/same~2.txt").decode(), TEXTS[1])

    def test_a_damaged_archive_is_a_bad_record_in_a_folder_and_an_error_when_named(self):
        self.write("in/cut.tar", tar("w")[:3000])
        self.write("in/cut.zip", zipped()[:-30])
        summary = self.dedup("in", "--apply", output="a")
        self.assertEqual((summary["documents"], summary["bad_records"]), (2, 2))
        self.assertEqual([bad["path"] for bad in summary["bad_record_examples"]], ["in/cut.tar", "in/cut.zip"])
        self.assertIn("truncated tar archive", summary["bad_record_examples"][0]["reason"])
        self.assertIn("in/cut.tar: truncated tar archive",
                      self.run_program("dedup", "in/cut.tar", "-o", "named", code=3).err)
        self.write("cut.tar.gz", tar("w:gz")[:-400])
        self.assertIn("cut.tar.gz: truncated gzip data", self.run_program("dedup", "cut.tar.gz", "-o", "b", code=3).err)
        whole = zipped()
        self.write("cut.zip", whole[:-30])
        self.assertIn("cut.zip: truncated ZIP archive", self.run_program("dedup", "cut.zip", "-o", "c", code=3).err)
        for name, content in (("bent.zip", whole), ("bent.tar", tar("w"))):
            for at in range(5, len(content), len(content) // 40):
                bent = bytearray(content)
                bent[at] ^= 0x55
                self.write(name, bytes(bent))
                self.assertIn(run("text", name, cwd=self.dir).code, (0, 3))

    def written(self, *parts):
        """Returns the files below a folder, by their paths."""
        top = self.path(*parts)
        return {os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(top) for name in names}

    def test_read_back_takes_the_files_of_an_archive_in_their_order(self):
        files = [(name, TEXTS[at % 9].encode())
                 for at, name in enumerate(["z.txt", "b/c.txt", "a.txt", "b.txt", "same", "same", "b/a.txt"])]
        files.insert(3, ("m.jsonl", ROWS.encode()))
        self.write("in/set.tar", of_files(files))
        self.write("in/set.zip", zipped())
        self.write("in/a.txt", TEXTS[20])
        for inputs in (["in"], ["in/set.zip", "in/set.tar", "in"]):
            summary = self.dedup(*inputs, "--apply", "--read-back", output="out")
            self.assertEqual(summary["run"]["read_back"], summary["kept"])
            self.assertLess(summary["kept"], summary["documents"])
            shutil.rmtree(self.path("out"))

    def test_a_truncated_archive_brings_nothing_back(self):
        whole = of_files([("a.txt", TEXTS[0].encode()), ("b.txt", TEXTS[1].encode()), ("copy.txt", TEXTS[0].encode()),
                          ("cut.txt", b"x" * 5000)])
        self.write("in/cut.tar", whole[:5000])
        self.write("in/x.txt", TEXTS[2])
        summary = self.dedup("in", "--apply", "--read-back")
        self.assertEqual((summary["documents"], summary["kept"], summary["bad_records"]), (4, 3, 1))
        self.assertEqual([bad["path"] for bad in summary["bad_record_examples"]], ["in/cut.tar"])
        self.assertEqual(self.written("out", "clean", "in"), {"cut.tar/a.txt", "cut.tar/b.txt", "x.txt"})
        self.assertEqual(self.dedup("out/clean/in", output="again")["documents"], 3)

    def test_a_file_that_cannot_be_read_is_a_bad_record_and_its_archive_is_read_on(self):
        entries = [(name.encode(), *deflated(name.encode(), content)) for name, content in list(MEMBERS.items())[:3]]
        entries = [(name, local, None, packed, plain, checksum ^ (at == 1))
                   for at, (name, local, packed, plain, checksum) in enumerate(entries)]
        self.write("in/bent.zip", zip_of(entries))
        sparse = tarfile.TarInfo("sparse.txt")
        sparse.pax_headers = {"GNU.sparse.major": "1"}
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for info, content in ((sparse, b"1\n"), (tarfile.TarInfo("plain.txt"), TEXTS[3].encode())):
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        self.write("in/sparse.tar", out.getvalue())
        summary = self.dedup("in", "--apply", "--read-back")
        self.assertEqual((summary["documents"], summary["bad_records"]), (3, 2))
        self.assertEqual([bad["path"] for bad in summary["bad_record_examples"]],
                         ["in/bent.zip/deep/b.txt", "in/sparse.tar/sparse.txt"])
        self.assertEqual(self.written("out", "clean", "in"), {"bent.zip/a.txt", "sparse.tar/plain.txt"})

    def test_files_that_share_their_bytes_are_damage(self):
        # 300 files of a megabyte each share the same few kilobytes.
        local, packed, plain, checksum = deflated(b"a.txt", b"the same words again " * 50_000)
        first = (b"a.txt", local, None, packed, plain, checksum)
        self.write("in/one.zip",
                   zip_of([first] + [(b"%d.txt" % at, b"", 0, packed, plain, checksum) for at in range(300)]))
        # The second entry begins inside the first.
        inner = deflated(b"b.txt", b"some other words")
        around = (b"a.txt", struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 5, 0) + b"a.txt")
        self.write("in/two.zip", zip_of([(*around, None, 1000, 1000, 0), (b"b.txt", inner[0], None, *inner[1:])]))
        self.write("in/x.txt", TEXTS[2])
        summary = self.dedup("in")
        self.assertEqual((summary["documents"], summary["bad_records"]), (1, 2))
        for bad, name in zip(summary["bad_record_examples"], ("one.zip", "two.zip")):
            self.assertEqual(bad["path"], "in/" + name)
            self.assertIn("overlap", bad["reason"])
        self.assertIn("overlap", self.run_program("near", "in/one.zip", "-o", "named", code=3).err)

    def test_names_that_no_file_can_have_are_bad_records(self):
        long = "long-name-" * 24 + ".jsonl"  # too long for a file system, but its content can be kept
        files = [("a.txt", TEXTS[0].encode()), ("b/" * 500_000 + "b.txt", TEXTS[1].encode()),
                 ("c/" * 150 + "c.txt", TEXTS[2].encode()), (long, ROWS.encode()), (long, ROWS.encode()),
                 ("x", TEXTS[33].encode()), ("x~", TEXTS[34].encode()), ("x/y", TEXTS[35].encode())]
        self.write("in/long.tar.gz", gzip.compress(of_files(files)))
        with self.at_most(5):
            summary = self.dedup("in", "--apply", "--read-back", "--memory", "256M")
        self.assertEqual((summary["documents"], summary["bad_records"]), (84, 2))
        self.assert_kept_memory(summary)
        for bad in summary["bad_record_examples"]:
            self.assertLess(len(bad["path"]), 300)
        written = self.written("out", "clean", "in", "long.tar.gz")
        self.assertEqual({name for name in written if len(name) < 50}, {"a.txt", "x", "x~", "x~~/y"})
        self.assertEqual(len([name for name in written if ".jsonl" in name]), 2)

    def test_an_archive_of_nothing_is_no_document(self):
        self.write("empty.tar", of_files([]))
        self.write("in/empty.tar.gz", gzip.compress(of_files([])))
        self.write("in/x.txt", TEXTS[2])
        self.assertIn("no document", self.run_program("dedup", "empty.tar", "-o", "a", code=3).err)
        summary = self.dedup("in", "empty.tar")
        self.assertEqual((summary["documents"], summary["bad_records"], summary["binary_skipped"]), (1, 0, 0))

    def test_files_of_records_stay_when_all_records_are_removed(self):
        text = TEXTS[3]
        mail = f"From a@b Thu Jan  1 00:00:00 2026\nMessage-ID: <1>\n\n{text}\n\n".encode()
        rows = json.dumps({"text": text}).encode()
        files = [("x.mbox", mail), ("x.jsonl", rows), ("x.json", b"[" + rows + b"]"), ("x.csv", b"text\n" + text.encode()),
                 ("x.txt", text.encode())]
        for name, content in files:
            self.write(f"in/{name}", content)
        self.write("in/set.tar", of_files(files))
        self.write("in/a.txt", text)
        self.assertEqual(self.dedup("in", "--apply", "--max-loss", "any")["kept"], 1)
        for folder in (), ("set.tar",):
            left = {name: self.content("out", "clean", "in", *folder, name)
                    for name in self.written("out", "clean", "in", *folder) if name.startswith("x.")}
            self.assertEqual(left, {"x.mbox": b"", "x.jsonl": b"", "x.json": b"[]", "x.csv": b"text\n"}, folder)

    def test_what_is_no_archive_in_spite_of_its_name_is_a_file(self):
        self.write("in/notes.tar", TEXTS[0])
        self.write("in/notes.zip", TEXTS[1])
        self.assertEqual(self.dedup("in")["documents"], 2)

    def test_an_encrypted_archive_is_told_so(self):
        self.write("a.txt", TEXTS[0])
        subprocess.run(["zip", "-q", "-P", "secret", "locked.zip", "a.txt"], cwd=self.dir, check=True)
        self.assertIn("encrypted", self.run_program("dedup", "locked.zip", "-o", "a", code=3).err)

    def test_an_index_refers_to_no_copy_that_is_gone(self):
        self.write("set.zip", zipped())
        self.run_program("index", "create", "idx", "set.zip")
        self.write("question.txt", TEXTS[31])
        found = self.run_program("index", "query", "idx", "question.txt").out.decode()
        self.assertIn("set.zip/deep/b.txt", found)


if __name__ == "__main__":
    main()
