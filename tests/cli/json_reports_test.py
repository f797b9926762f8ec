"""Every JSON report that is written, whatever wrote it: each of its objects has a key once."""

import os

from index_case import Index, run_of
from program import jsonl, main, parse_json

TEXTS = [run_of(0, 60), run_of(0, 60), run_of(5, 60), f"{run_of(100, 40)} {run_of(10, 30)}", "short"]


class JsonReports(Index):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", jsonl(TEXTS, id=str) + "not JSON\n")
        self.write("item.txt", run_of(100, 30) + "\n")
        self.write("query.txt", run_of(0, 40))
        # Characters that its charset does not have, so that none of the counts of the reading is zero.
        self.write("old/page.html", b"<meta charset=shift_jis><p>\x81\xff " + run_of(200, 40).encode())

    def test_no_report_names_a_key_twice(self):
        read = ("in.jsonl", "old", "--id-field", "id")
        commands = [("fingerprint", *read), ("text", *read), ("near", *read, "-o", "near", "--verify"),
                    ("dedup", *read, "-o", "dedup", "--against", "item.txt", "--library", "library"),
                    ("dedup", "in.jsonl", "--id-field", "id", "-o", "applied", "--apply", "--annotate",
                     "--attributes", "dolma", "--substrings", "50"),
                    ("substrings", *read, "-o", "substrings", "--groups"), ("ngrams", "build", *read, "-o", "grams"),
                    ("ngrams", "show", "grams"), ("ngrams", "stats", "grams"), ("ngrams", "check", "grams"),
                    ("ngrams", "lookup", "grams", " ".join(TEXTS[0].split()[:8])), ("explain", "--run", "dedup", "1"),
                    ("explain", "0", "1", "--in", "in.jsonl", "--id-field", "id"), ("index", "create", "index", *read),
                    ("index", "add", "index", *read, "--replace"), ("index", "query", "index", "query.txt"),
                    ("index", "extract", "index"), ("index", "stats", "index"), ("index", "check", "index"),
                    ("index", "remove", "index", "0"), ("index", "merge", "index"), ("library", "stats", "library"),
                    ("library", "check", "library"), ("library", "export", "library"), ("library", "merge", "library"),
                    ("devices",)]
        for command in commands:
            self.run_program(*command, "--json", code=None)  # which looks at what comes out
        seen = 0
        for folder, _, names in os.walk(self.dir):
            for name in names:
                if not name.endswith((".json", ".jsonl")) or "in.jsonl" in name:
                    continue
                data = self.read(folder, name)
                for text in data.splitlines() if name.endswith(".jsonl") else [data]:
                    parse_json(text)
                    seen += 1
        self.assertGreater(seen, 10)

    def test_an_index_tells_replaced_documents_from_replaced_characters(self):
        self.run_program("index", "create", "index", "in.jsonl", "--id-field", "id", "-q")
        self.write("new/page.html", self.read("old", "page.html"))
        added = parse_json(self.run_program("index", "add", "index", "new", "--json").out)
        self.assertEqual((added["documents"], added["added"], added["replaced"]), (1, 1, 0))
        self.assertGreater(added["replaced_characters"], 0)
        again = parse_json(self.run_program("index", "add", "index", "new", "--replace", "--json").out)
        self.assertEqual((again["replaced"], again["replaced_characters"]), (1, added["replaced_characters"]))

    def test_a_query_counts_the_documents_that_were_asked_about(self):
        self.run_program("index", "create", "index", "in.jsonl", "--id-field", "id", "-q")
        self.write("two.jsonl", jsonl(TEXTS[:2], id=str))
        for question, asked in ((("query.txt",), 1), (("two.jsonl",), 2), (("--id", "0"), 1),
                                (("--id", "0", "--with", "1"), 1)):
            summary = parse_json(self.run_program("index", "query", "index", *question, "--json").err)
            self.assertEqual(summary["documents"], asked, question)


if __name__ == "__main__":
    main()
