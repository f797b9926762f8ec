"""The treatment of files found in practice: web pages, other charsets, other names, and files that are not text."""

import collections
import csv
import gzip
import io
import json
import os
import random
import shutil
import socket
import subprocess
import tarfile
import unicodedata
import zipfile

from program import TestCase, jsonl, main, run

MARKUP = "".join(f'<img class="icon deep" src="../part/{i}.png" width="20" height="20">' for i in range(300))
RANDOM = random.Random(5)
TEXTS = [" ".join(f"{RANDOM.choice('bcdfgklmnprst')}{RANDOM.choice('aeiou')}{RANDOM.randrange(900)}" for _ in range(60))
         for _ in range(40)]


def page(text, head=""):
    return f"<!DOCTYPE html><html><head><title>x</title>{head}</head><body>{MARKUP}<p>{text}</p></body></html>"


class Recognize(TestCase):
    def dedup(self, *arguments, code=0, output="out"):
        result = self.run_program("dedup", *arguments, "-o", output, "--json", code=code)
        return json.loads(result.out)

    def no_text(self, folder):
        """Writes files that are not text, one of every kind with a simple example."""
        kinds = {"a.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
                 "e.tar": b"name".ljust(257, b"\0") + b"ustar\0" + b"00", "f": b"ARROW1\0\0",
                 "g.png": b"\x89PNG\r\n\x1a\n\0\0\0\r", "h.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
                 "i.db": b"SQLite format 3\0", "j": b"FEA1\0",
                 "k.dat": b"filedesc://x.arc 0.0.0.0 2009 text/plain 76\n", "l": b"some\0thing",
                 "m.elf": b"\x7fELF\2\1\1"}
        for name, content in kinds.items():
            self.write(f"{folder}/{name}", content + b" " + TEXTS[0].encode())
        with zipfile.ZipFile(self.path(folder, "n.docx"), "w") as file:
            file.writestr("[Content_Types].xml", "<Types/>")
        with zipfile.ZipFile(self.path(folder, "o"), "w") as file:
            file.writestr("a.txt", TEXTS[0])
        return len(kinds) + 2

    def test_what_is_no_text_is_skipped_by_kind_and_name(self):
        count = self.no_text("in")
        self.write("in/text.txt", TEXTS[1])
        summary = self.dedup("in")
        self.assertEqual((summary["documents"], summary["binary_skipped"]), (1, count))
        kinds = {kind["kind"]: [file["path"] for file in kind["examples"]] for kind in summary["skipped_kinds"]}
        self.assertEqual(kinds["PDF document"], ["in/a.pdf"])
        self.assertEqual(kinds["Office document"], ["in/h.doc", "in/n.docx"])
        self.assertEqual(kinds["ZIP archive"], ["in/o"])
        self.assertEqual(kinds["binary file"], ["in/l"])
        shown = self.run_program("dedup", "in", "-o", "again").out.decode()
        self.assertIn("1 PDF document: in/a.pdf (not text; convert to text first, for example with pdftotext)", shown)

    def test_texts_that_begin_like_something_else_are_texts(self):
        for at, text in enumerate(("OTTO VON BISMARCK", "ID3 tags", "THE NEW WAVE of", "BZh is", "GIF89 as", "PAR1 of",
                                   "The ftyp box")):
            self.write(f"in/{at}.txt", text)
        self.assertEqual(self.dedup("in")["documents"], 7)

    def test_junk_between_records_is_counted_not_fatal(self):
        self.write("a.json", "[{}x" + "{}x" * 200000 + '{"text": "one two three four five"}]')
        self.assertEqual(len(self.run_program("text", "a.json").out.splitlines()), 1)

    def test_a_run_that_reads_nothing_fails_and_says_why(self):
        self.no_text("in")
        os.makedirs(self.path("empty"))
        for verb in (["dedup"], ["near"], ["substrings"], ["ngrams", "build", "-n", "3"]):
            result = self.run_program(*verb, "in", "-o", "out-" + verb[0], code=3)
            self.assertIn("no document was read; skipped: ", result.err)
            self.assertIn("; 1 PDF document: in/a.pdf (not text", result.err)
            self.assertIn("the input is empty", self.run_program(*verb, "empty", "-o", "none-" + verb[0], code=3).err)
        self.run_program("fingerprint", "in", code=3)
        self.run_program("index", "create", "index", "in", code=3)
        # Also if the file is named explicitly.
        self.assertIn("PDF", self.run_program("near", "in/a.pdf", "-o", "pdf", code=3).err)
        self.run_program("near", "in/a.pdf", "--binary", "-o", "pdf", "--force")

    def test_records_under_every_name_that_they_have(self):
        for name in ("a.JSONL", "b.jsonlines", "c.jl", "d.ldjson", "e.NDJSON"):
            self.write(f"in/{name}", jsonl(TEXTS[:7]))
        self.assertEqual(self.dedup("in")["documents"], 35)

    def test_json_however_it_is_laid_out(self):
        records = [{"n": {"text": "not this"}, "text": text, "odd": 'a \\" } { [ ] ,'} for text in TEXTS]
        self.write("in/lines.json", "".join(json.dumps(record) + "\n" for record in records))
        self.write("in/array.json", json.dumps(records))
        self.write("in/pretty.json", json.dumps(records, indent=2))
        self.write("in/pretty_values.json", "\n".join(json.dumps(record, indent=1) for record in records))
        self.write("in/packed.json.gz", gzip.compress(json.dumps(records, indent=3).encode()))
        self.write("in/one.json", json.dumps(records[0]))
        self.write("in/one_pretty.json", json.dumps(records[1], indent=2))
        self.write("in/bom.json", "\ufeff" + json.dumps(records[:3]))
        found = {}
        for threads, memory in (("1", "64M"), ("3", "1G")):
            self.run_program("near", "in", "-o", "out", "--force", "-q", "--threads", threads, "--memory", memory)
            with open(self.path("out", "summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
            self.assertEqual((summary["documents"], summary["bad_records"]), (5 * 40 + 5, 0))
            found[threads] = self.read("out", "clusters.tsv")
        self.assertEqual(found["1"], found["3"])
        self.assertEqual(self.dedup("in", output="kept")["kept"], 40)
        # A file without records is a document; if a field is named, it is a bad record.
        self.write("settings/a.json", '{"name": "x", "nested": {"text": "y"}}')
        self.write("settings/b.json", '[1, 2, 3]')
        self.write("settings/c.json", json.dumps({str(i): "word " * 10 for i in range(5000)}))
        self.assertEqual(self.dedup("settings", output="settings-out")["documents"], 3)
        self.assertIn("no field 'body'",
                      self.run_program("near", "settings/a.json", "--text-field", "body", "-o", "x", code=3).err)
        # One value over many lines, longer than the part that is looked at.
        self.write("manual/all.json", json.dumps({str(i): "word " * 20 for i in range(60000)}, indent=1))
        self.assertEqual((lambda s: (s["documents"], s["bad_records"]))(self.dedup("manual", output="manual-out")),
                         (1, 0))
        # The text may come late in a long record, and a pipe can be read only once.
        self.write("long/a.json",
                   "".join(json.dumps({"html": "x" * 300000, "text": text}) + "\n" for text in TEXTS[:3]))
        self.assertEqual(self.dedup("long", output="long-out")["documents"], 3)
        os.mkfifo(self.path("pipe.json"))
        with subprocess.Popen(["sh", "-c", "cat long/a.json > pipe.json"], cwd=self.dir) as writer:
            self.run_program("near", "pipe.json", "--text-field", "text", "-o", "piped", timeout=20)
            self.assertEqual(writer.wait(), 0)

    def test_json_is_written_again_as_it_is_laid_out(self):
        records = [{"n": {"text": "not this"}, "text": text, "odd": 'é \\" } { [ ] ,'}
                   for text in TEXTS[:20] + TEXTS[5:15]]
        half = records[:20]
        self.write("in/a.json", json.dumps(records, indent=2))
        self.write("in/b.json", json.dumps(half + [{"text": "something else that is in no other file of them"}]))
        self.write("in/c.json", "\n".join(json.dumps(record, indent=1) for record in half))
        self.write("in/d.json", json.dumps(half))
        self.write("in/e.json", "".join(json.dumps(record) + "\n" for record in half))
        self.write("in/f.json.gz", gzip.compress(json.dumps(records[::-1], ensure_ascii=False, indent=4).encode()))
        self.run_program("dedup", "in", "--apply", "--read-back", "--annotate", "-o", "out", "-q")
        clean = {name: self.read("out", "clean", "in", name) for name in self.listing("out", "clean", "in")}
        self.assertEqual(clean["a.json"].decode(), json.dumps(half, indent=2))
        self.assertEqual(clean["b.json"], b'[{"text": "something else that is in no other file of them"}]')
        self.assertEqual((clean["c.json"], clean["d.json"], clean["e.json"]), (b"", b"[]", b""))
        self.assertEqual(json.loads(gzip.decompress(clean["f.json.gz"])), [])
        annotated = json.loads(self.read("out", "annotated", "in", "a.json"))
        self.assertEqual([record["dup_keep"] for record in annotated], [True] * 20 + [False] * 10)
        self.assertEqual([record["text"] for record in annotated], [record["text"] for record in records])
        # The output can be read like the input: an empty file gives no documents.
        self.assertEqual(self.dedup("out/clean/in", output="again")["documents"], 21)

    def test_text_is_cut_out_of_json_that_is_not_in_lines(self):
        quote = "the same sentence with an é and a \\ and a \" in it, again and again. "
        records = [{"text": f"{at} {quote}{at}", "more": [at, {"text": quote}]} for at in range(5)]
        for content in (json.dumps(records), json.dumps(records, indent=2, ensure_ascii=False)):
            self.write("in.json", content)
            self.run_program("substrings", "in.json", "--length", "40", "--apply", "-o", "out", "-q", "--force")
            clean = json.loads(self.read("out", "clean", "in.json"))
            self.assertEqual([record["more"] for record in clean], [record["more"] for record in records])
            self.assertEqual([record["text"] for record in clean],
                             [records[0]["text"]] + [f"{at}{at}" for at in range(1, 5)])

    def test_damage_in_a_json_array_costs_the_damaged_records(self):
        records = [json.dumps({"text": text}) for text in TEXTS[:9]]
        records[3] = records[3][:40]
        records[6] = '"a string"'
        self.write("a.json", "[" + ",\n".join(records) + "]")
        self.run_program("near", "a.json", "-o", "out", "-q")
        with open(self.path("out", "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        self.assertGreater(summary["bad_records"], 0)
        self.assertGreaterEqual(summary["documents"], 3)
        self.run_program("near", "a.json", "-o", "strict", "--strict", code=3)

    def test_pages_are_compared_by_their_content(self):
        frame = ("<header>" + TEXTS[0][:600] + "</header><nav>" + TEXTS[1][:600] + "</nav>%s<footer>"
                 + TEXTS[2][:600] + "</footer>")
        for at, text in enumerate(TEXTS[3:23]):
            self.write(f"in/{at:02}.html", page(frame % ("<p>" + text[:100] + "</p>")))
        self.write("in/other.html", page("<nav>" + TEXTS[30] + "</nav><p>" + TEXTS[3][:100] + "</p>"))
        summary = self.dedup("in", "--apply", "--max-loss", "any")
        self.assertEqual((summary["documents"], summary["kept"]), (21, 20))
        self.assertEqual(self.read("out", "clean", "in", "00.html"), self.read("in", "00.html"))
        self.assertLess(self.dedup("in", "--html", "text", "--max-loss", "any", output="text")["kept"], 10)
        self.assertLess(self.dedup("in", "--html", "raw", "--max-loss", "any", output="raw")["kept"], 10)
        shown = [json.loads(line)["text"] for line in self.run_program("text", "in", "--html", "main").out.splitlines()]
        self.assertEqual(shown[0].split("\n")[-1], TEXTS[3][:100].strip())
        self.assertIn(b"<nav>", self.run_program("text", "in/00.html", "--html", "raw").out)
        # explain reads the document again as the run did: only the main part of the page.
        told = self.run_program("explain", "--run", "out", "in/other.html").out.decode()
        self.assertIn("removed  in/other.html", told)
        self.assertNotIn(TEXTS[30][:30], told)

    def test_what_a_document_has_of_its_own_is_not_lost(self):
        text = " ".join(TEXTS[:6])
        self.write("in/a.txt", text)
        self.write("in/b.txt", "On Monday Ann wrote:\n" + text)
        self.write("in/c.txt",
                   text + " I do not agree with any of this, and here is why it cannot work in our case at all.")
        self.dedup("in")
        with open(self.path("out", "decisions.jsonl"), encoding="utf-8") as file:
            a, b, c = [json.loads(line) for line in file]
        self.assertEqual((a["keep"], a["reason"]), (True, None))
        self.assertEqual((b["keep"], b["reason"], b["lost"], b["longest_lost"]), (False, "near", 4, 4))
        self.assertEqual((c["keep"], c["reason"], c["match"], c["longest_lost"]), (True, "own_text", "in/a.txt", 20))
        self.assertIn(b"lacks 20 tokens of it, 20 in a row",
                      self.run_program("explain", "--run", "out", "in/c.txt").out)
        self.assertEqual(self.dedup("in", "--max-loss", "any", output="any")["kept"], 1)
        self.assertEqual(self.dedup("in", "--max-loss", "0", output="none")["kept"], 3)
        # A comment above a quoted memo has only 13 words, but most of them are new.
        memo = " ".join(" ".join(TEXTS[7:]).split()[:150])
        self.write("memos/1.txt", memo)
        self.write("memos/2.txt", "I do not agree with this at all; I will go to the auditors.\n\n> " + memo)
        self.assertEqual(self.dedup("memos", output="memos_out")["kept"], 2)
        self.assertEqual(self.dedup("memos", "--max-loss", "16", output="memos_16")["kept"], 1)
        # The longest one contains everything that the others contain.
        self.assertEqual(self.dedup("in", "--keep", "longest", output="longest")["kept"], 1)
        self.assertIn("--max-loss: invalid value 'many'", self.run_program("dedup", "in", "-o", "x",
                                                                           "--max-loss", "many", code=2).err)

    def test_the_form_of_unicode_does_not_matter(self):
        languages = {
            "Vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi,"
                          " mọi người đều được tạo hoá ban cho lý trí",
            "Korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다 인간은 천부적으로 이성과 양심을 부여받았으며",
            "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα,"
                     " είναι προικισμένοι με λογική",
            "French": "Tous les êtres humains naissent libres et égaux en dignité et en droits, doués de raison,"
                      " ils doivent être frères à côté",
            "German": "Alle Menschen sind frei und gleich an Würde und Rechten geboren, sie müssen einander im Geiste"
                      " der Brüderlichkeit begegnen",
            "Czech": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv,"
                     " jsou nadáni rozumem a svědomím a mají spolu jednat",
            "Spanish": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y,"
                       " dotados como están de razón, según el espíritu señor",
            "Japanese": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており",
            "Hindi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है,"
                     " उन्हें बुद्धि और अन्तरात्मा की देन ज़रूर",
            "Russian": "Все люди рождаются свободными и равными в своём достоинстве и правах, они наделены разумом и"
                       " совестью и должны поступать ёлка йод",
        }
        for name, text in languages.items():
            for at, form in enumerate(("NFC", "NFD", "NFKC", "NFKD")):
                self.write(f"in/{name}-{at}.txt", unicodedata.normalize(form, text) + "." * at)
            self.write(f"in/{name}-4.txt", text.replace(" ", " \u200b").replace("e", "e\u00ad"))
        self.write("in/wide-0.txt", "all human beings are born free and equal in dignity and rights")
        self.write("in/wide-1.txt", "".join(chr(ord(c) + 0xFEE0) if c != " " else c
                                            for c in "all human beings are born free and equal in dignity and rights"))
        self.dedup("in")
        with open(self.path("out", "decisions.jsonl"), encoding="utf-8") as file:
            decisions = [json.loads(line) for line in file]
        kept = [decision["id"] for decision in decisions if decision["keep"]]
        self.assertEqual(kept, sorted([f"in/{name}-0.txt" for name in languages] + ["in/wide-0.txt"]))
        self.assertEqual({decision["similarity"] for decision in decisions if not decision["keep"]}, {1})
        self.assertGreater(self.dedup("in", "--normalize", "none", output="none")["kept"], 20)
        error = self.run_program("dedup", "in", "-o", "x", "--normalize", "nfkc", "--tokenizer", "code", code=2).err
        self.assertIn("only words are normalized", error)
        # Fingerprints from before words were normalized can be made again.
        old = self.run_program("fingerprint", "in", "--normalize", "none").out
        self.assertIn(b"version=1 tokenizer=words ", old)
        self.assertEqual(old, self.run_program("fingerprint", "in", "--tokenizer", "words").out)

    def test_pages_are_compared_by_what_they_say_and_kept_as_they_are(self):
        for at, text in enumerate(TEXTS):
            self.write(f"in/{at:02}.html", page(text[:300]))
        self.write("in/copy.html", page(TEXTS[3][:300], "<style>p { color: red }</style>"))
        summary = self.dedup("in", "--apply")
        self.assertEqual((summary["documents"], summary["pages"], summary["kept"]), (41, 41, 40))
        kept = self.listing("out", "clean", "in")
        self.assertEqual(len(kept), 40)
        for name in kept:
            self.assertEqual(self.read("out", "clean", "in", name), self.read("in", name))
        self.assertLess(self.dedup("in", "--as-is", "--max-loss", "any", output="raw")["kept"], 20)
        # A page without the word html in it is recognized by its name; a text that mentions HTML is not a page.
        self.write("odd/a.htm", "<p>one &amp; two</p>")
        self.write("odd/b.txt", "the tag <html> begins a page")
        self.assertEqual(self.dedup("odd", output="odd-out")["pages"], 1)
        # Ranges are in bytes of the file.
        self.write("latin/a.txt", ("Größe " * 40 + TEXTS[0]).encode("latin-1"))
        self.write("latin/b.html", page(TEXTS[0]))
        self.run_program("substrings", "latin", "--length", "50", "--apply", "-o", "cut")
        self.assertLess(len(self.read("cut", "clean", "latin", "b.html")), len(self.read("latin", "b.html")))
        self.assertTrue(self.read("cut", "clean", "latin", "a.txt").startswith("Größe ".encode("latin-1")))
        self.run_program("dedup", "latin", "--substrings", "50", "--apply", "-o", "cut-too")
        self.assertEqual(self.read("cut-too", "clean", "latin", "b.html"), self.read("cut", "clean", "latin", "b.html"))

    def test_text_shows_what_is_compared(self):
        self.write("in/a.html", page("one &lt;two&gt; &eacute;"))
        self.write("in/b.jsonl", jsonl(["first", "second\nline"]) + "oops\n")
        self.write("in/c.txt", b"plain \xc3\xa9 \xff")
        result = self.run_program("text", "in")
        rows = [json.loads(line) for line in result.out.decode().splitlines()]
        self.assertEqual(rows, [{"id": "in/a.html", "text": "x\none <two> é"}, {"id": "1", "text": "first"},
                                {"id": "2", "text": "second\nline"}, {"id": "in/c.txt", "text": "plain é \ufffd"}])
        self.assertIn("in/b.jsonl:3: not a JSON object", result.err)
        # Its output, used as input, gives the same texts.
        self.write("again.jsonl", result.out)
        again = self.run_program("text", "again.jsonl").out.splitlines()
        self.assertEqual([json.loads(line)["text"] for line in again], [row["text"] for row in rows])
        for threads in ("1", "5"):
            self.assertEqual(self.run_program("text", "in", "--threads", threads).out, result.out)
        self.run_program("text", "missing", code=3)

    def test_an_index_of_pages_finds_and_shows_their_text(self):
        for at, text in enumerate(TEXTS[:5]):
            self.write(f"in/{at}.html", page(text))
        self.write("query.txt", TEXTS[2])
        self.run_program("index", "create", "index", "in")
        self.run_program("index", "check", "index")
        found = json.loads(self.run_program("index", "query", "index", "query.txt", "--json").out.splitlines()[0])
        self.assertIn("in/2.html", json.dumps(found))

    def test_symbols_tell_pages_apart_that_words_do_not(self):
        text = " ".join(TEXTS[0].split()[:30])
        operators = {f"op{at}": f"{text} a {sign} b and x{sign}y, see operator{sign}: {text[::-1]}"
                     for at, sign in enumerate(("==", "!=", "<=", ">="))}
        dates = {f"date{at}": f"{TEXTS[1]} {TEXTS[2]} on {day}/11/2026 for ${day}.99 *at once*"
                 for at, day in enumerate((11, 12, 13))}
        self.write("in.jsonl", "".join(json.dumps({"id": name, "text": words}) + "\n"
                                       for name, words in {**operators, **dates}.items()))
        summary = self.dedup("in.jsonl", "--id-field", "id", "--max-loss", "20")
        self.assertEqual((summary["kept"], summary["removed_near"]), (5, 2))
        rows = [json.loads(row) for row in self.read("out/decisions.jsonl").splitlines()]
        self.assertEqual([row["id"] for row in rows if row["keep"]], [*operators, "date0"])
        self.assertEqual([row["reason"] for row in rows[1:4]], ["own_text"] * 3)
        self.assertTrue(all(row["as_written"] < 0.8 <= row["similarity"] for row in rows[1:4]), rows)
        self.assertIn("where symbols count", self.run_program("explain", "--run", "out", "op1").out.decode())
        # The same rule applies to known documents; if any loss is allowed, only words decide.
        self.write("new.jsonl", json.dumps({"id": "op9", "text": operators["op0"].replace("==", "&&")}))
        self.assertEqual(self.dedup("new.jsonl", "--id-field", "id", "--max-loss", "20", "--known", "out",
                                    output="new")["kept"], 1)
        self.assertEqual(self.dedup("in.jsonl", "--id-field", "id", "--max-loss", "any", output="any")["kept"], 2)

    def test_charsets_other_than_utf_8_match_their_twins(self):
        text = "Größe, Français, naïve façade: déjà vu, señor, smörgåsbord, Ærøskøbing. " * 5
        self.write("in/a.txt", text)
        for name, charset in (("b", "utf-16"), ("c", "utf-32"), ("d", "latin-1"), ("e", "utf-16-be")):
            mark = b"\xfe\xff" if charset == "utf-16-be" else b""
            self.write(f"in/{name}.txt", mark + text.encode(charset))
        summary = self.dedup("in")
        self.assertEqual((summary["documents"], summary["recoded"], summary["kept"]), (5, 4, 1))
        # A lone surrogate is replaced by one character.
        self.write("lone/a.txt",
                   b"\xff\xfe" + "one ".encode("utf-16-le") + b"\x00\xd8" + " two three".encode("utf-16-le"))
        self.assertEqual(json.loads(self.run_program("text", "lone").out)["text"], "one \ufffd two three")
        # A few invalid bytes do not change the detected charset from UTF-8.
        self.write("bad/a.txt", text.encode() + b"\xff")
        self.assertEqual(self.dedup("bad", output="bad-out")["recoded"], 0)


class Skipped(TestCase):
    """Every verb lists the files that it does not read, with their kind and the reason."""

    VERBS = (["dedup", "-o", "out"], ["near", "-o", "out"], ["substrings", "--length", "50", "-o", "out"],
             ["ngrams", "build", "-n", "3", "-o", "out"], ["text"], ["fingerprint"], ["index", "create", "out"],
             ["index", "add", "index"], ["index", "query", "index"], ["index", "blots"])
    IMAGE, DOT, REGULAR = ("image", "not text"), "its name begins with a dot", "not a regular file"

    def folder(self):
        """Returns the expected rows for a folder with everything that is not read, except unreadable files."""
        self.write("in/text.txt", TEXTS[0])
        self.write("in/sub/rows.csv", f"id,text\n1,{TEXTS[1]}\n")
        self.write("in/sub/labels.csv", "id,label\n1,good\n")
        self.write("in/sub.tsv", "a\tb\n1\t2\n")
        self.write("in/a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        self.write("in/zero", b"some\0thing")
        for i in range(5):
            self.write(f"in/{i}\t\n.png", b"\x89PNG\r\n\x1a\n\0")
        self.write("in/.hidden", TEXTS[2])
        self.write("in/.git/config", TEXTS[2])
        self.write("in/_SUCCESS", "")
        self.write("outside.txt", TEXTS[3])
        os.symlink("text.txt", self.path("in/inner"))
        os.symlink("nowhere", self.path("in/dangling"))
        os.symlink(".", self.path("in/loop"))
        os.symlink("../outside.txt", self.path("in/read"))
        os.symlink("../outside.txt", self.path("in/second"))
        os.symlink("/dev/null", self.path("in/special"))
        os.mkfifo(self.path("in/pipe"))
        with socket.socket(socket.AF_UNIX) as made:
            here = os.open(self.path("in"), os.O_PATH)  # the path of a socket must be short
            made.bind(f"/proc/self/fd/{here}/socket")
            os.close(here)
        members = {"doc.txt": TEXTS[4], ".DS_Store": "x", "__MACOSX/doc.txt": "x", "../evil.txt": "x",
                   "picture.png": b"\x89PNG\r\n\x1a\n\0"}
        with zipfile.ZipFile(self.path("in/pack.zip"), "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        with tarfile.open(self.path("in/pack.tar"), "w") as archive:
            for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("device", tarfile.CHRTYPE),
                               ("folder", tarfile.DIRTYPE)):
                info = tarfile.TarInfo(name)
                info.type, info.linkname = kind, "doc.txt"
                archive.addfile(info)
            info = tarfile.TarInfo("doc.txt")
            info.size = len(TEXTS[6])
            archive.addfile(info, io.BytesIO(TEXTS[6].encode()))
        inside, archived = "its target is in the input itself", "links in archives are not followed"
        return sorted([
            ("in/a.pdf", "PDF document", "not text; convert to text first, for example with pdftotext"),
            ("in/zero", "binary file", "has a NUL in its first 8 KiB; to read it anyway, give --binary"),
            *((f"in/{i}\\t\\n.png", *self.IMAGE) for i in range(5)),
            ("in/.hidden", "hidden file", self.DOT), ("in/.git", "hidden folder", self.DOT),
            ("in/_SUCCESS", "job file", "written by Spark or Hadoop beside the data"),
            ("in/inner", "link", inside), ("in/loop", "link", inside),
            ("in/dangling", "dangling link", "its target does not exist"),
            ("in/second", "link", "its target was already reached by another path"),
            ("in/special", "link", "its target is not a regular file"), ("in/pipe", "named pipe", self.REGULAR),
            ("in/socket", "socket", self.REGULAR),
            ("in/sub/labels.csv", "unusable file", "no column 'text'; the header has 'id', 'label'"),
            ("in/sub.tsv", "unusable file", "no column 'text'; the header has 'a', 'b'"),
            ("in/pack.zip/.DS_Store", "hidden file", "a part of its path begins with a dot"),
            ("in/pack.zip/__MACOSX/doc.txt", "job file", "written by macOS beside the data"),
            ("in/pack.zip/../evil.txt", "unsafe name", "its name leads out of the archive"),
            ("in/pack.zip/picture.png", *self.IMAGE), ("in/pack.tar/link", "link", archived),
            ("in/pack.tar/hard", "link", archived), ("in/pack.tar/device", "special file", self.REGULAR)])

    def table(self, *name):
        """Reads the file as plain tab-separated values, without quoting."""
        with open(self.path(*name), encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        self.assertEqual(header, ["path", "kind", "reason"])
        return [tuple(row) for row in rows]

    def test_every_verb_lists_them_whatever_the_threads(self):
        expected = self.folder()
        self.write("one.txt", TEXTS[5])
        self.run_program("index", "create", "index", "one.txt", "-q")
        for verb in self.VERBS:
            for threads in (("1", "7") if verb[0] in ("text", "near") else ("2",)):
                with self.subTest(verb=verb, threads=threads):
                    shutil.rmtree(self.path("out"), ignore_errors=True)
                    folder = "-o" in verb
                    listed = [] if folder else ["--skipped", "list.tsv"]
                    result = run(*verb, "in", *listed, "--threads", threads, cwd=self.dir)
                    self.assertIn(result.code, (0, 1), result.err)  # a query may find nothing
                    self.assertEqual(self.table("out/skipped.tsv" if folder else "list.tsv"), expected)
                    said = (result.out.decode() if folder or verb[1:] == ["create", "out"] or "add" in verb
                            else result.err)
                    for word in ("6 images: in/0\\t\\n.png, ", "1 PDF document: in/a.pdf (not text;",
                                 "1 dangling link: in/dangling (", "named pipe: in/pipe"):
                        self.assertIn(word, said)

    def test_the_summary_counts_them_by_kind(self):
        expected = self.folder()
        for verb in (["dedup", "-o", "out"], ["text"]):
            result = self.run_program(*verb, "in", "--json")
            summary = json.loads(result.out if "-o" in verb else result.err)
            self.assertEqual(summary["skipped"], len(expected))
            kinds = {kind["kind"]: kind["files"] for kind in summary["skipped_kinds"]}
            self.assertEqual(kinds, dict(collections.Counter(row[1] for row in expected)))
            [images] = [kind for kind in summary["skipped_kinds"] if kind["kind"] == "image"]
            self.assertEqual([file["path"] for file in images["examples"]], [f"in/{i}\t\n.png" for i in range(3)])
            self.assertEqual((summary["bad_records"], summary["files"], summary["documents"]), (0, 5, 5))

    def test_a_table_that_is_not_read_is_a_file_and_clean_lacks_it(self):
        self.folder()
        self.run_program("dedup", "in", "-o", "out", "--apply", "-q")
        lacking = {row[0] for row in self.table("out/skipped.tsv")}
        clean = {os.path.relpath(os.path.join(root, name), self.path("out/clean"))
                 for root, _, names in os.walk(self.path("out/clean")) for name in names}
        self.assertEqual(clean,
                         {"in/text.txt", "in/sub/rows.csv", "in/read", "in/pack.zip/doc.txt", "in/pack.tar/doc.txt"})
        self.assertFalse(clean & lacking)
        for line, code in ((["near", "in/sub/labels.csv", "-o", "a"], 3), (["text", "in", "--strict"], 3)):
            self.assertIn("no column 'text'; the header has", self.run_program(*line, code=code).err)
        self.write("only/labels.csv", "id,label\n1,good\n")
        for verb in (["near", "-o", "b"], ["dedup", "-o", "c"], ["text"], ["index", "create", "d"]):
            self.assertIn("only/labels.csv: no column 'text'; the header has 'id', 'label'",
                          self.run_program(*verb, "only", code=3).err)

    def test_the_list_replaces_nothing_but_a_list(self):
        self.folder()
        self.write("notes.tsv", "mine")
        os.mkdir(self.path("folder"))
        for name in ("notes.tsv", "-"):
            self.assertIn("name a", self.run_program("text", "in", "--skipped", name, code=2).err)
        self.assertNotEqual(run("text", "in", "--skipped", "folder", cwd=self.dir).code, 0)
        self.assertEqual((self.read("notes.tsv"), os.listdir(self.path("folder"))), (b"mine", []))
        for _ in range(2):
            self.run_program("text", "in", "-q", "--skipped", "list.tsv")
        self.run_program("text", "absent", "--skipped", "none.tsv", code=3)
        self.assertEqual([name for name in self.listing() if ".tsv" in name], ["list.tsv", "notes.tsv"])

    def test_quiet_is_quiet_and_a_remark_names_the_flag_that_lists_all(self):
        self.folder()
        self.assertEqual(self.run_program("text", "in", "-q").err, "")
        self.assertEqual(self.run_program("text", "outside.txt").err, "")
        self.assertIn("to list all of them, add --skipped FILE", self.run_program("text", "in").err)
        self.assertNotIn("add --skipped", self.run_program("text", "in", "--skipped", "list.tsv").err)


if __name__ == "__main__":
    main()
