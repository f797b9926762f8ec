"""One row of a table of options is enough for every face: flags, manual, keywords, summary and identity."""

import errno
import json
import os
import re
import subprocess
import sys
import unittest

from program import TIME_FACTOR, TestCase, environment, jsonl, program

BUILD = os.environ["REFRAIN_BIN_DIR"]
# A flag for each option that a run records, so that all of them show in its summary.
FLAGS = ["--exact", "off", "--near", "simhash", "--tokenizer", "words", "--window", "4", "--seed", "7",
         "--threshold", "0.6", "--max-loss", "any", "--templates", "off", "--distance", "5", "--substrings", "60",
         "--keep", "longest", "--alarm", "40%", "--max-removed-per-source", "0.9", "--sample", "10", "--annotate",
         "--forget", "--against", "items.txt", "--against-format", "lines", "--against-min", "3",
         "--against-share", "0.9", "--against-passage", "9", "--against-action", "mark", "--max-doc-bytes", "1M",
         "--charset", "UTF-8"]
EXPECTED = {"exact": False, "near": "simhash", "tokenizer": "words", "hash": "xxh3", "window": 4, "seed": 7,
            "threshold": 0.6, "max_loss": "any", "templates": "off", "recall": 0.95, "lanes": 128, "distance": 5,
            "close": 63, "short_bytes": 0, "substrings": 60, "keep": "longest", "source_field": "", "alarm": 0.4,
            "max_removed_per_source": 0.9, "sample": 10, "apply": False, "annotate": True, "attributes": "none",
            "forget": True, "against_min": 3, "against_share": 0.9, "against_passage": 9, "against_action": "mark",
            "format": "auto", "text_field": "text", "id_field": "", "max_doc_bytes": 1 << 20, "binary": False,
            "as_is": True, "html": "text", "strict": False, "charset": "utf-8"}


# The tables, with a verb that has all of their options.
VERBS = {"run": "dedup", "input": "index query", "device": "dedup", "dedup": "dedup", "fingerprint": "fingerprint",
         "near": "near", "explain": "explain", "substrings": "substrings", "ngrams": "ngrams build",
         "layout": "index create", "add": "index add", "query": "index query", "passages": "index extract"}


def tables():
    """The tables as the Python package exports them."""
    code = f"import json, _core; print(json.dumps({{n: _core.option_table(n) for n in {list(VERBS)}}}))"
    folder = os.path.join(BUILD, "python", "pyrefrain")
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": folder}, capture_output=True,
                          check=True, text=True)
    return json.loads(done.stdout)


class OptionsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.write("docs.jsonl", jsonl([f"a few words of document {at // 2} that nobody else has" for at in range(12)]))
        self.write("items.txt", "one two three four five\n")

    def test_summary_records_every_option(self):
        self.run_program("dedup", "docs.jsonl", "-o", "out", "-q", *FLAGS)
        options = json.loads(self.read("out", "summary.json"))["options"]
        self.assertEqual({name: options.get(name) for name in EXPECTED}, EXPECTED)

    def test_another_value_is_another_run(self):
        """Every recorded option is part of the identity of a run."""
        faults = os.path.join(BUILD, "faults.so")
        if not os.path.exists(faults):
            self.skipTest(f"{faults}: not built; a sanitizer's library wants to be loaded first")
        start = ["dedup", "docs.jsonl", "-o", "run", "-q"]
        failed = subprocess.run([program(), *start], cwd=self.dir, capture_output=True, check=False,
                                timeout=60 * TIME_FACTOR,
                                env=environment(LD_PRELOAD=faults, FAULTS_READS="1", FAULTS_FOLDER=self.dir,
                                                FAULTS_AT="1", FAULTS_ONLY=f"open {self.path('run/work/decided')}",
                                                FAULTS_STAYS="1", FAULTS_ERRNO=str(errno.EIO)))
        self.assertEqual(failed.returncode, 1, failed.stderr)
        for flags, difference in (
                (["--max-loss", "3"], "with --max-loss auto, not 3"),
                (["--templates", "off"], "with --templates auto, not off"),
                (["--alarm", "0.1"], "with --alarm 0.5, not 0.1"),
                (["--annotate"], "without --annotate"), (["--apply"], "without --apply"),
                (["--strict"], "without --strict"), (["--forget"], "without --forget"),
                (["--exact", "off"], "with --exact on, not off"),
                (["--near", "simhash"], "with --near minhash, not simhash"),
                (["--near", "simhash", "--distance", "5"], "with --near minhash, not simhash"),
                (["--tokenizer", "chars"], "with --tokenizer words-nfkc, not chars"),
                (["--window", "6"], "with --window 5, not 6"),
                (["--html", "text"], "with --html main, not text"),
                (["--substrings", "90"], "with --substrings off, not 90"),
                (["--keep", "longest"], "with --keep first, not longest"),
                (["--source-field", "none"], "without --source-field none"),
                (["--charset", "koi8-r"], "without --charset koi8-r"),
                (["--against", "items.txt", "--against-min", "3"], "with --against-min 8, not 3"),
                (["--against", "items.txt"], "without --against items.txt; use the same"),
                (["--tokenizer", "code"], "with --tokenizer words-nfkc, not code; use the same")):
            with self.subTest(flags=flags):
                self.assertIn(difference, self.run_program(*start, "--resume", *flags, code=2).err)
        self.run_program(*start, "--resume")

    @unittest.skipUnless(os.path.isdir(os.path.join(BUILD, "python", "pyrefrain")), "skipped: no Python package")
    def test_every_row_reaches_help_manual_and_keywords(self):
        found = tables()
        manual = self.run_program("man").out.decode()
        with open(os.path.join(BUILD, "python", "pyrefrain", "_option_tables.py"), encoding="utf-8") as file:
            keywords = file.read()
        shown = 0
        for table, rows in found.items():
            screen = self.run_program(*VERBS[table].split(), "--help").out.decode()
            for row in rows:
                if not row["unit"] and row["kind"] not in ("toggle", "choice"):
                    continue  # offered by no face
                flag = "--" + row["name"].replace("_", "-")
                shown += 1
                if row["command_line"]:
                    self.assertIn(flag.replace("-", "\\-"), manual, row)
                    if table != "input" or row["name"] not in ("compare", "join_hyphens"):  # no question of passages
                        self.assertIn(flag, screen, row)
                if row["python"] and row["keyword"] not in ("text", "id", "annotate"):
                    self.assertRegex(keywords, re.escape(f"    {row['keyword']}: "), row)
        self.assertGreater(shown, 100)


if __name__ == "__main__":
    unittest.main()
