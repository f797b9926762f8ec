"""Files found in practice: other charsets and delimiters, incomplete characters, and a hundred odd files."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import tarfile
import zipfile
import zlib

from program import TestCase, main, run

RANDOM = random.Random(13)
TEXTS = [" ".join(f"{RANDOM.choice('bcdfgklmnprst')}{RANDOM.choice('aeiou')}{RANDOM.randrange(900)}" for _ in range(60))
         for _ in range(40)]
LANGUAGES = {
    "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.\n":
        ["koi8-r", "windows-1251", "iso-8859-5", "cp866"],
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。\n":
        ["cp932", "euc-jp"],
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有资格享有本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教。\n": ["gb18030"],
    "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。人人有資格享有本宣言所載的一切權利和自由，不分種族、膚色、性別、語言、宗教。\n": ["big5"],
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.\n": ["euc-kr"],
}
OTHERS = {
    "french": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de"
              " conscience, déjà, où, très. " * 4,
    "italian": "Perché la libertà è più di ciò che si può dire: così è la verità, già da età lontane, e sarà là. " * 4,
    "german": "Alle Menschen sind frei und gleich an Würde und Rechten geboren: Größe, Füße, Äpfel,"
              " Öl, Übermut, süß. " * 4,
    "greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."
             " Είναι προικισμένοι με λογική. " * 4,
    "hebrew": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון. " * 4,
    "polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw."
              " Są oni obdarzeni rozumem. " * 4,
}
RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. " * 3


def rows(texts):
    return "".join(json.dumps({"id": f"r{i}", "text": text}, ensure_ascii=False) + "\n" for i, text in enumerate(texts))


def odd_files():
    """Returns names and contents, none of which is a valid file of a supported format."""
    zip_of_nothing = io.BytesIO()
    zipfile.ZipFile(zip_of_nothing, "w").close()
    tar_of_nothing = io.BytesIO()
    tarfile.open(fileobj=tar_of_nothing, mode="w").close()
    magics = {
        "pdf": b"%PDF-1.4\n%\xe2\xe3\n", "png": b"\x89PNG\r\n\x1a\n\0\0", "jpg": b"\xff\xd8\xff\xe0\0\x10JFIF\0",
        "gif": b"GIF89a\0\1\0", "webp": b"RIFF\0\0\0\0WEBPVP8 \0", "ico": b"\0\0\1\0\1\0", "tif": b"II*\0\x08\0",
        "wav": b"RIFF\0\0\0\0WAVEfmt \0", "mp3": b"ID3\3\0\0", "ogg": b"OggS\0\2\0", "flac": b"fLaC\0\0\0",
        "mp4": b"\0\0\0\x18ftypmp42\0", "mkv": b"\x1a\x45\xdf\xa3\0", "elf": b"\x7fELF\2\1\1\0", "exe": b"MZ\x90\0\3\0",
        "class": b"\xca\xfe\xba\xbe\0\0", "macho": b"\xcf\xfa\xed\xfe\x07\0", "woff": b"wOFF\0\1\0",
        "woff2": b"wOF2\0\1\0", "ttf": b"\0\1\0\0\0\x0f", "otf": b"OTTO\0\x0b",
        "doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "rtf": b"{\\rtf1\\ansi", "ps": b"%!PS-Adobe-3.0\n",
        "db": b"SQLite format 3\0\x10\0", "h5": b"\x89HDF\r\n\x1a\n\0", "npy": b"\x93NUMPY\1\0v\0",
        "7z": b"7z\xbc\xaf\x27\x1c\0\4", "rar": b"Rar!\x1a\x07\1\0", "a": b"!<arch>\ndebian-binary",
        "bin": bytes(range(256)), "zeros": b"\0" * 5000, "o": b"\0asm\1\0\0\0",
    }
    found = {f"kind.{ending}": magic + b"\0" * 40 for ending, magic in magics.items()}
    found.update({f"upper.{ending.upper()}": magic + b"\1\0\2" * 40 for ending, magic in magics.items()})
    for ending in ("jsonl", "json", "ndjson", "csv", "tsv", "parquet", "arrow", "feather", "warc", "wet", "wat", "arc",
                   "mbox"):
        found[f"empty.{ending}"] = b""
        found[f"zeros.{ending}"] = b"\0" * 300
    text = " ".join(TEXTS).encode()
    found.update({
        "cut.gz": gzip.compress(text)[:-12], "cut.xz": lzma.compress(text)[:-12], "cut.bz2": bz2.compress(text)[:-12],
        "cut.lz4": b"\x04\x22\x4d\x18\x64\x40\xa7\0", "cut.zst": b"\x28\xb5\x2f\xfd\x24\x05",
        "nothing.zip": zip_of_nothing.getvalue(), "nothing.tar": tar_of_nothing.getvalue(),
        "settings.jsonl": b'[1, 2, 3]\n"text"\n', "no-text.jsonl": b'{"body": "x"}\n', "no-text.csv": b"a,b\n1,2\n",
        "null.jsonl": b'{"text": null}\n', "half.jsonl": b'{"text": "abc', "numbers.jsonl": b"1\n2\n3\n",
        "latin.jsonl": '{"text": "é"}'.encode("latin-1"), "magic.parquet": b"PAR1" * 3,
    })
    return found


class OddFiles(TestCase):
    def dedup(self, *arguments, code=0, output="out"):
        return json.loads(self.run_program("dedup", *arguments, "-o", output, "--json", code=code).out)

    def test_a_hundred_odd_files_are_never_read_as_nothing_with_success(self):
        files = odd_files()
        self.assertGreaterEqual(len(files), 100)
        for name, content in files.items():
            self.write(f"odd/{name}", content)
            for verb in ("dedup", "near"):
                done = run(verb, f"odd/{name}", "-o", f"out-{verb}-{name}", "--json", cwd=self.dir)
                self.assertIn(done.code, (0, 3), f"{name}: {done.err}")
                self.assertTrue(done.code == 3 or json.loads(done.out)["documents"] > 0,
                                f"{verb} {name}: nothing read, and exit 0")
                if done.code == 3:
                    self.assertIn("refrain:", done.err)
        done = run("dedup", "odd", "-o", "all", "--json", cwd=self.dir)
        self.assertTrue(done.code == 3 or json.loads(done.out)["documents"] > 0, done.err)

    def test_a_small_file_with_a_large_dictionary_or_window_does_not_end_the_run(self):
        def xz(text, dictionary):
            """Compresses the text, and sets the dictionary size in the header: 2 or 3 times a power of two."""
            packed = bytearray(lzma.compress(text.encode(),
                                             filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 16}]))
            packed[16] = dictionary
            size = (packed[12] + 1) * 4 - 4
            packed[12 + size:16 + size] = zlib.crc32(packed[12:12 + size]).to_bytes(4, "little")
            return bytes(packed)

        self.write("in/a.txt.xz", xz(TEXTS[0], 37))  # 1.5 GiB
        self.write("in/b.txt.xz", xz(TEXTS[1], 28))  # 64 MiB, as from xz -9
        self.write("in/c.jsonl.xz", xz(rows(TEXTS[2:4]), 40))
        self.write("in/d.warc.xz", xz("WARC/1.0\r\n", 39))
        # A zstd frame with one raw block and a window of 128 MiB.
        raw = TEXTS[5].encode()
        self.write("in/e.txt.zst", b"\x28\xb5\x2f\xfd\x00\x88" + (len(raw) << 3 | 1).to_bytes(3, "little") + raw)
        summary = self.dedup("in", "--memory", "64M")
        self.assertEqual((summary["documents"], summary["bad_records"], summary["skipped"]), (2, 1, 2))
        self.assert_kept_memory(summary)
        for bad in summary["bad_record_examples"] + summary["skipped_kinds"][0]["examples"]:
            self.assertIn("xz dictionary larger than 128 MiB", bad["reason"])
        self.assertIn("dictionary", self.run_program("near", "in/a.txt.xz", "-o", "named", code=3).err)

    def test_a_header_of_millions_of_columns_takes_no_memory_and_is_no_table(self):
        self.write("in/wide.csv", "text" + ",x" * 4_000_000 + "\nsome text\n")
        self.write("in/a.csv", "text" + ",x" * 65_535 + "\nsome text\n")
        summary = self.dedup("in", "--memory", "256M")
        self.assertEqual((summary["documents"], summary["bad_records"], summary["skipped"]), (1, 0, 1))
        self.assertIn("more than 65536 columns", summary["skipped_kinds"][0]["examples"][0]["reason"])
        self.assert_kept_memory(summary)
        done = self.run_program("dedup", "in/a.csv", "--text-field", "body", "-o", "none", code=3)
        self.assertIn("no column 'body'; the header has 'text', 'x', 'x',", done.err)
        self.assertLess(len(done.err), 1000)

    def test_charsets_are_told_by_what_is_frequent_in_them_and_named(self):
        for text, charsets in LANGUAGES.items():
            for charset in charsets:
                folder = f"in-{charset}"
                self.write(f"{folder}/a.txt", text.encode(charset))
                with self.subTest(charset=charset, text=text[:20]):
                    done = self.run_program("text", folder)
                    self.assertEqual(json.loads(done.out)["text"], text)
                    summary = self.dedup(folder, output="out-" + charset)
                    self.assertEqual((summary["recoded_from"], summary["replaced"]), ({charset: 1}, 0))

    def test_text_of_other_languages_is_not_taken_for_russian_or_chinese(self):
        for name, text in OTHERS.items():
            for charset in ("windows-1252", "windows-1253", "windows-1255", "iso-8859-2"):
                try:
                    content = text.encode(charset)
                except UnicodeEncodeError:
                    continue
                self.write(f"{name}-{charset}/a.txt", content)
                summary = self.dedup(f"{name}-{charset}", output=f"out-{name}-{charset}")
                self.assertEqual(summary["recoded_from"], {"windows-1252": 1}, (name, charset))

    def test_what_was_recoded_and_what_could_not_be_is_told(self):
        for at in range(3):
            self.write(f"in/{at}.txt", f"Größe Nr. {at} für dich und für mich".encode("latin-1"))
        self.write("in/wide.txt",
                   b"\xff\xfe" + "one ".encode("utf-16-le") + b"\x00\xd8" + " two three".encode("utf-16-le"))
        self.write("in/rows.jsonl",
                   b"\xff\xfe" + '{"text": "a b '.encode("utf-16-le") + b"\x00\xdc" + ' c d"}\n'.encode("utf-16-le"))
        summary = self.dedup("in")
        self.assertEqual((summary["recoded"], summary["replaced"]), (5, 2))
        self.assertEqual(summary["recoded_from"], {"windows-1252": 3, "utf-16": 2})
        out = self.run_program("near", "in", "-o", "near").out.decode()
        self.assertIn("3 files from windows-1252, 2 from utf-16", out)
        self.assertIn("2 characters unknown to the charset, read as U+FFFD", out)

    def test_a_page_with_a_zero_byte_is_a_page(self):
        for at, start in enumerate((b"<!DOCTYPE html>", b"\n <HTML>", b"\xef\xbb\xbf<html>")):
            self.write(f"in/{at}.html", start + b"<body><p>One t\0wo three four five</p></body>")
        self.write("in/no.html", b"\1\0\2 < \0")
        summary = self.dedup("in")
        self.assertEqual((summary["documents"], summary["pages"], summary["binary_skipped"]), (3, 3, 1))

    def test_a_charset_that_is_named(self):
        self.write("utf8.txt", RUSSIAN)
        self.write("in/koi8.txt", RUSSIAN.encode("koi8-r"))
        self.write("rows.jsonl", rows([RUSSIAN]).encode("koi8-r"))
        wanted = json.loads(self.run_program("text", "utf8.txt").out)["text"]
        for file in ("in/koi8.txt", "rows.jsonl"):
            self.assertEqual(json.loads(self.run_program("text", file, "--charset", "KOI8-R").out)["text"], wanted)
        self.assertIn("no such character set",
                      self.run_program("text", "rows.jsonl", "--charset", "klingon", code=2).err)

    def test_records_in_utf_16_are_read_and_unchanged_files_keep_their_bytes(self):
        texts = TEXTS[:20]
        for charset in ("utf-16", "utf-16-be", "utf-32"):
            mark = "\ufeff" if charset == "utf-16-be" else ""
            for name, content in (("a.jsonl", rows(texts + texts)),
                                  ("b.csv", "id;text\n" + "".join(f"c{i};{text}\n" for i, text in enumerate(texts))),
                                  ("c.jsonl", rows(TEXTS[25:30]).replace('"r', '"x'))):
                self.write(f"{charset}/{name}", (mark + content).encode(charset))
            summary = self.dedup(charset, "--apply", "--id-field=none", output="out-" + charset)
            self.assertEqual((summary["documents"], summary["kept"], summary["recoded"], summary["bad_records"]),
                             (65, 25, 3, 0))
            with open(self.path("out-" + charset, "clean", charset, "a.jsonl"), "rb") as file:
                self.assertEqual(file.read().decode(), rows(texts))
            with (open(self.path("out-" + charset, "clean", charset, "c.jsonl"), "rb") as file,
                  open(self.path(charset, "c.jsonl"), "rb") as before):
                self.assertEqual(file.read(), before.read())

    def test_csv_as_spreadsheets_write_it(self):
        for number, delimiter in enumerate(";\t|,"):
            body = "".join(f'{i}{delimiter}"{text[:40]}{delimiter} {text}"{delimiter}end\n'
                           for i, text in enumerate(TEXTS[:10]))
            self.write(f"{number}.csv", f"id{delimiter}text{delimiter}more\n" + body + body)
            summary = self.dedup(f"{number}.csv", "--apply", "--id-field=none", output=f"out-{number}")
            self.assertEqual((summary["documents"], summary["kept"], summary["bad_records"]), (20, 10, 0),
                             repr(delimiter))
            self.assertEqual(self.read(f"out-{number}", "clean", f"{number}.csv").decode(),
                             f"id{delimiter}text{delimiter}more\n" + body)
        self.write("odd.csv", "id~text\n1~some words of a text\n")
        self.assertEqual(self.dedup("odd.csv", "--delimiter", "~", output="tilde")["documents"], 1)
        self.assertIn("--delimiter", self.run_program("dedup", "odd.csv", "--delimiter", "ab", "-o", "x", code=2).err)

    def test_halves_of_surrogate_pairs_are_counted_not_fatal(self):
        self.write("in.jsonl", r'{"text": "one \ud800 two \udc00 three \ud83d\ude00 four five"}' + "\n"
                   + rows([TEXTS[0], TEXTS[0]]))
        summary = self.dedup("in.jsonl", "--apply")
        self.assertEqual((summary["documents"], summary["bad_records"], summary["surrogates"]), (3, 0, 2))
        self.assertEqual(self.read("out", "clean", "in.jsonl").decode().splitlines()[0],
                         r'{"text": "one \ud800 two \udc00 three \ud83d\ude00 four five"}')
        self.assertEqual(json.loads(self.run_program("text", "in.jsonl").out.splitlines()[0])["text"],
                         "one \ufffd two \ufffd three \U0001f600 four five")

    def test_ids_are_taken_where_every_record_has_one(self):
        self.write("in.jsonl", rows(TEXTS[:5] + TEXTS[:5]))
        self.run_program("dedup", "in.jsonl", "-o", "run")
        self.assertIn("r2", self.run_program("explain", "--run", "run", "r7").out.decode())
        self.write("url.jsonl", "".join(json.dumps({"url": f"http://a/{i}", "id": 0, "text": text}) + "\n"
                                        for i, text in enumerate(TEXTS[:5])))
        said = self.run_program("dedup", "url.jsonl", "-o", "url").err
        self.assertIn('1 file: 1 JSONL; text from "text", ids from "url"\n', said)
        self.write("none.jsonl", rows(TEXTS[:5]) + json.dumps({"text": TEXTS[6]}) + "\n")
        self.assertIn("ids are ordinals", self.run_program("dedup", "none.jsonl", "-o", "none").err)
        # A missing id after the records that were surveyed is replaced by the record's place.
        many = [f"{i} {TEXTS[i % 40]}" for i in range(1200)]
        self.write("late.jsonl", rows(many) + json.dumps({"text": TEXTS[7]}) + "\n")
        self.dedup("late.jsonl", "--near", "off", output="late")
        last = json.loads(self.read("late", "decisions.jsonl").splitlines()[-1])["id"]
        self.assertEqual(last, f"late.jsonl:{len(rows(many))}")

    def test_mixed_folders_say_what_was_recognised(self):
        for i in range(3):
            self.write(f"in/{i}.jsonl.gz", gzip.compress(rows(TEXTS[i * 5:i * 5 + 5]).replace('"r', f'"{i}r').encode()))
        self.write("in/page.html", f"<html><body><p>{TEXTS[20]}</p></body></html>")
        self.write("in/note.txt", TEXTS[21])
        self.assertIn('5 files: 3 JSONL (gzip), 1 HTML, 1 document; text from "text", ids from "id"\n',
                      self.run_program("dedup", "in", "-o", "out").err)


if __name__ == "__main__":
    main()
