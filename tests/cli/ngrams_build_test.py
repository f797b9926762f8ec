"""ngrams build: every algorithm gives the same bytes with any threads and memory, equal to those of a few lines of
Python."""

import collections
import json
import os
import random
import re
import signal
import subprocess
import time

from program import LONG, TIME_FACTOR, TestCase, environment, main, program

ALGORITHMS = ["auto", "memory", "disk", "hash", "spex", "spex-log", "blocked", "location"]
BINARIES = ["grams.bin", "places.bin", "documents.bin"]


def real_text():
    """Returns licenses and documentation of this machine, if there are any, and generated sentences."""
    texts = []
    for folder in ("/usr/share/common-licenses", "/usr/share/doc"):
        for root, _, files in sorted(os.walk(folder)):
            for name in sorted(files):
                path = os.path.join(root, name)
                if len(texts) < (600 if LONG else 150) and not name.endswith((".gz", ".png")) and os.path.isfile(path):
                    with open(path, "rb") as file:
                        texts.append(file.read(40_000))
    random.seed(1)
    words = [f"w{i}" for i in range(300)]
    for _ in range(200):
        texts.append(" ".join(random.choice(words) for _ in range(random.randrange(200))).encode())
    return texts


def oracle(texts, n, m):
    places = collections.defaultdict(list)
    for d, text in enumerate(texts):
        tokens = re.findall(r"[a-z0-9]+", text)
        for at in range(len(tokens) - n + 1):
            places[" ".join(tokens[at:at + n])].append(f"{d}:{at}")
    return {text: found for text, found in places.items() if len(found) >= m}


class Build(TestCase):
    def build(self, *arguments, output="index", **more):
        """Builds an index, and returns the bytes of the three files and the summary."""
        result = self.run_program("ngrams", "build", *arguments, "-o", output, "--force", "--json", "-q", **more)
        return tuple(self.read(output, name) for name in BINARIES), json.loads(result.out)

    def check_rows(self, texts, n, m):
        out = self.run_program("ngrams", "show", "index").out.decode().split("\n")[1:-1]
        rows = {text: places.split(",") for text, _, _, places in (row.split("\t") for row in out)}
        self.assertEqual(rows, oracle(texts, n, m))

    def write_lines(self, texts):
        return self.write("texts.txt", "".join(text + "\n" for text in texts))

    def test_every_algorithm_gives_the_same_bytes_on_real_text(self):
        for number, text in enumerate(real_text()):
            self.write(f"texts/{number:04}", text)
        for n, m in ((8, 2), (1, 3), (3, 2), (30, 2)) if LONG else ((8, 2), (1, 3)):
            expected, _ = self.build("texts", "-n", str(n), "-m", str(m), "--algorithm", "memory")
            self.assertGreater(len(expected[0]), 4096)
            for algorithm in ALGORITHMS:
                found, summary = self.build("texts", "-n", str(n), "-m", str(m), "--algorithm", algorithm,
                                            "--memory", "256M")
                self.assertEqual(found, expected, f"{algorithm} n {n} m {m}")
                self.assertEqual(summary["run"]["algorithm"], algorithm)
        self.run_program("ngrams", "check", "index")

    def test_threads_and_memory_change_nothing(self):
        for number, text in enumerate(real_text()):
            self.write(f"texts/{number:04}", text)
        expected, _ = self.build("texts", "--algorithm", "memory")
        for threads in (1, 2, 3, 8):
            for memory in ("64M", "128M", "1G") if LONG else ("64M", "1G"):
                found, summary = self.build("texts", "--threads", str(threads), "--memory", memory)
                self.assertEqual(found, expected, f"{threads} {memory}")
                self.assert_kept_memory(summary)
        for algorithm in ("disk", "hash", "spex", "blocked", "location"):
            for threads, memory in ((1, "64M"), (3, "128M"), (8, "64M")) if LONG else ((3, "64M"),):
                found, _ = self.build("texts", "--algorithm", algorithm, "--threads", str(threads), "--memory", memory)
                self.assertEqual(found, expected, f"{algorithm} {threads} {memory}")

    def test_a_small_budget_takes_slices_and_a_smaller_one_a_filter(self):
        random.seed(2)
        words = [f"w{i}" for i in range(30_000)]
        known = [" ".join(random.choice(words) for _ in range(40)) for _ in range(500)]
        lines = []
        for _ in range(110_000):  # seven million tokens
            lines.append(random.choice(known) + " " + " ".join(random.choices(words, k=24)))
        for copies, filtered in ((1, False), (6, True)) if LONG else ((1, False),):
            path = self.write("lines.txt", "\n".join(lines * copies) + "\n")
            few, small = self.build(path, "--format", "lines", "--memory", "64M", "--threads", "2", timeout=600)
            many, large = self.build(path, "--format", "lines", "--memory", "2G", timeout=600)
            self.assertEqual(few, many)
            self.assertGreater(small["run"]["passes"], 3)
            self.assertEqual(large["run"]["passes"], 3)
            stages = [stage["stage"] for stage in small["run"]["stages"]]
            self.assertEqual("filter" in stages, filtered)
            self.assertLessEqual(small["run"]["temp_peak_bytes"], 4 * small["tokens"] if filtered else 0)
            self.assert_kept_memory(small)

    def test_rows_are_those_of_the_oracle(self):
        random.seed(3)
        for n, m, alphabet in ((1, 2, 5), (2, 2, 3), (4, 3, 2), (9, 2, 2)):
            texts = [" ".join(random.choice("abcdefgh"[:alphabet]) for _ in range(random.randrange(60)))
                     for _ in range(60)]
            path = self.write_lines(texts)
            for algorithm in ALGORITHMS:
                self.build(path, "--format", "lines", "-n", str(n), "-m", str(m), "--algorithm", algorithm)
                self.check_rows(texts, n, m)

    def test_one_word_and_two_that_alternate(self):
        million = 1_000_000 if LONG else 250_000
        for text in ("word " * (2 * million), "yin yang " * (3 * million // 2)):
            path = self.write("one.txt", text)
            before = time.monotonic()
            expected, summary = self.build(path, "--memory", "1G")
            self.assertLess(time.monotonic() - before, 60 * TIME_FACTOR)
            self.assertEqual(summary["entries"], len(set(text.split())))
            self.assertEqual(summary["places"], summary["grams"])
            found, _ = self.build(path, "--memory", "64M", "--threads", "3")
            self.assertEqual(found, expected)
            self.assertEqual(self.build(path, "--algorithm", "location", "--memory", "64M")[0], expected)

    def test_equal_documents(self):
        path = self.write("equal.txt", "the quick brown fox jumps over the lazy dog and away\n" * 300_000)
        expected, summary = self.build(path, "--format", "lines", "--memory", "1G")
        self.assertEqual((summary["entries"], summary["places"]), (4, 4 * 300_000))
        found, small = self.build(path, "--format", "lines", "--memory", "64M")
        self.assertEqual(found, expected)
        self.assert_kept_memory(small)

    def test_standard_input_is_as_good_as_a_file(self):
        text = "to be or not to be\nthat is the question\nto be or not\n"
        path = self.write("hamlet.txt", text)
        expected, _ = self.build(path, "--format", "lines", "-n", "2")
        for algorithm in ("auto", "disk"):
            self.assertEqual(self.build("-", "-n", "2", "--algorithm", algorithm, stdin=text)[0], expected)
        self.assertEqual(self.build("-", path, "-n", "2", "--format", "lines", stdin="")[0], expected)

    def test_a_killed_run_leaves_no_index(self):
        random.seed(4)
        words = [f"w{i}" for i in range(1000)]
        path = self.write("big.txt", "\n".join(" ".join(random.choices(words, k=200)) for _ in range(10_000)))
        for wait in (0.05, 0.2, 0.5, 1.0):
            run = subprocess.Popen([program(), "ngrams", "build", path, "--format", "lines", "-n", "2", "-o", "killed",
                                    "-q"],
                                   cwd=self.dir, env=environment())
            time.sleep(wait)
            run.send_signal(signal.SIGKILL)
            if run.wait() == 0:
                break
            self.assertFalse(os.path.exists(self.path("killed")))
            self.run_program("ngrams", "show", "killed", code=3)
        self.build(path, "--format", "lines", "-n", "2", output="killed")
        self.run_program("ngrams", "check", "killed")

    def test_what_makes_no_sense_is_usage(self):
        path = self.write("few.txt", "a b c d\n" * 10)
        self.build(path, "-n", "2")
        self.run_program("ngrams", "build", path, "-n", "0", "-o", "other", code=2)
        self.run_program("ngrams", "build", path, "-m", "1", "-o", "other", code=2)
        self.run_program("ngrams", "build", path, "-o", "index", code=2)

    def test_a_vocabulary_that_does_not_fit_is_refused_and_auto_does_without(self):
        path = self.write("words.txt",
                          " ".join(f"word{i}" for i in range(1_500_000)) + " same thing twice same thing twice")
        result = self.run_program("ngrams", "build", path, "-n", "3", "-o", "other", "--memory", "64M",
                                  "--algorithm", "disk", code=5)
        self.assertIn("vocabulary", result.err)
        _, summary = self.build(path, "-n", "3", "--memory", "64M")
        self.assertEqual(summary["entries"], 1)


class FullDisk(TestCase):
    """A disk of one megabyte, for the index or for temporary files."""

    def write_text(self):
        random.seed(6)
        words = [f"w{i}" for i in range(300)]
        self.write("in.txt", "".join(" ".join(random.choices(words, k=100)) + "\n" for _ in range(12_000)))
        self.write("one.txt", ("word " * 1000 + "\n") * 5000)
        os.mkdir(self.path("disk"))

    def fails(self, command, message):
        """Expects exit code 5 with only this message, and nothing left on the disk or beside it."""
        before = self.listing()
        out = self.on_small_disk(f'{command} --memory 64M --threads 2 -q 2>&1; echo "code $?"; ls -A disk')
        self.assertRegex(out, rf"^refrain: {message}[^\n]*\ncode 5\n$", command)
        self.assertEqual(self.listing(), before, command)

    def test_for_the_index_is_exit_5_and_leaves_nothing(self):
        self.write_text()
        for algorithm in ALGORITHMS:
            self.fails(f"$REFRAIN ngrams build in.txt --format lines -n 2 --algorithm {algorithm} -o disk/out",
                       r"disk/\S*: disk full")

    def test_for_temporary_files_is_exit_5_and_leaves_nothing(self):
        self.write_text()
        full = "disk: disk full after .* of temporary files"
        for algorithm in ALGORITHMS:
            if algorithm == "auto":  # uses temporary files only if an n-gram is too frequent, or the input is a pipe
                self.fails("$REFRAIN ngrams build one.txt --format lines -n 1 -o out --temp-dir disk", full)
                self.fails("$REFRAIN ngrams build - --format lines -n 2 -o out --temp-dir disk < in.txt", full)
            else:
                self.fails("$REFRAIN ngrams build in.txt --format lines -n 2 -o out --temp-dir disk "
                           f"--algorithm {algorithm}", full)

    def test_with_force_keeps_the_old_index(self):
        self.write_text()
        self.write("few.txt", "a b c d\n" * 10)
        out = self.on_small_disk("$REFRAIN ngrams build few.txt --format lines -n 2 -o disk/out -q && "
                                 "$REFRAIN ngrams build in.txt --format lines -n 2 -o disk/out --force -q 2>/dev/null; "
                                 'echo "code $?"; ls -A disk; $REFRAIN ngrams check disk/out -q && '
                                 "$REFRAIN ngrams show disk/out | cut -f 1,2")
        self.assertEqual(out, "code 5\nout\nngram\tcount\na b\t10\nb c\t10\nc d\t10\n")


if __name__ == "__main__":
    main()
