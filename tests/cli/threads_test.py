"""Every verb on every layout of the input gives the same bytes for any number of threads, even more than there are
cores."""

import gzip
import os
import shutil
import subprocess

from program import LONG, TestCase, documents, jsonl, main, run

THREADS = (1, 2, 3, 8, 16, 64)
FEW_THREADS = THREADS if LONG else (1, 3, 16)
# The least memory for 64 threads, so that there are many small pieces.
LITTLE = "256M"
# With this much, texts are written before their turn, and files in parallel.
PLENTY = "4G"
TEXTS = documents(3000, seed=41, length=140)


def parts(count):
    return [jsonl(TEXTS[len(TEXTS) * i // count:len(TEXTS) * (i + 1) // count]) for i in range(count)]


class Threads(TestCase):
    def lay_out(self, layout):
        os.makedirs(self.path("in"))
        if layout == "parquet":
            try:
                import pyarrow
                import pyarrow.parquet
            except ImportError:
                self.skipTest("skipped: no pyarrow")
            if "Parquet is not available" in run("fingerprint", self.write("none.parquet")).err:
                self.skipTest("skipped: this build has no Parquet module")
            for at in range(3):
                texts = TEXTS[at * 1000:(at + 1) * 1000]
                pyarrow.parquet.write_table(pyarrow.table({"text": texts}), self.path("in", f"{at}.parquet"),
                                            row_group_size=90)
            return
        for at, content in enumerate(parts({"one": 1, "eight": 8, "many": 100, "gzip": 8, "zstd": 8}[layout])):
            name = f"in/{at:03}.jsonl"
            if layout == "gzip":
                self.write(name + ".gz", gzip.compress(content.encode(), 1))
                continue
            self.write(name, content)
            if layout == "zstd":
                subprocess.run(["zstd", "-q", "--rm", self.path(name)], check=True)

    def files(self, folder):
        """Returns all files below a folder, without those that contain the cost of the run."""
        found = {}
        for above, _, names in os.walk(self.path(folder)):
            for name in names:
                if name not in ("summary.json", "report.html"):
                    path = os.path.join(above, name)
                    found[os.path.relpath(path, self.path(folder))] = self.read(path)
        return found

    def answers(self, threads, memory):
        flags = ["--threads", str(threads), "--memory", memory, "-q"]
        found = {"fingerprint": self.run_program("fingerprint", "in", *flags).out}
        for verb, arguments in (("near", ["near", "in"]), ("dedup", ["dedup", "in", "--apply", "--annotate"]),
                                ("substrings", ["substrings", "in", "--apply"]),
                                ("ngrams", ["ngrams", "build", "in", "-n", "5"])):
            self.run_program(*arguments, "-o", "out", *flags)
            found[verb] = self.files("out")
            shutil.rmtree(self.path("out"))
        self.run_program("index", "create", "out", "in", *flags)
        found["extract"] = self.run_program("index", "extract", "out", *flags).out
        shutil.rmtree(self.path("out"))
        return found

    def compare(self, layout, numbers=FEW_THREADS):
        self.lay_out(layout)
        expected = self.answers(numbers[0], LITTLE)
        self.assertGreater(expected["extract"].count(b"\n"), 100)
        self.assertGreater(len(expected["dedup"]["matches.tsv"]), 1000)
        for threads, memory in [(threads, LITTLE) for threads in numbers[1:]] + [(16, PLENTY)]:
            for verb, answer in self.answers(threads, memory).items():
                self.assertTrue(answer == expected[verb],
                                f"{layout}, {verb}, {threads} threads, {memory}: another answer")

    def test_one_file(self):
        self.compare("one")

    def test_eight_files(self):
        self.compare("eight", THREADS)

    def test_a_hundred_files(self):
        self.compare("many")

    def test_gzip(self):
        self.compare("gzip")

    def test_zstd(self):
        self.compare("zstd")

    def test_parquet(self):
        self.compare("parquet")


if __name__ == "__main__":
    main()
