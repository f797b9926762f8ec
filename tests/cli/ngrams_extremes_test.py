"""ngrams build with extreme texts: one word, two alternating words, very many equal documents, one huge document,
long documents among short ones; and a process that is killed. The cost of a run is judged by its passes, temporary
disk and memory, not by the clock."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

from program import LONG, TIME_FACTOR, TestCase, environment, main, program, say, vocabulary

BINARIES = ["grams.bin", "places.bin", "documents.bin"]
VARIANTS = [(threads, memory) for threads in ("1", "2", "4") for memory in ("64M", "128M", "1G")]
if not LONG:
    VARIANTS = VARIANTS[::2]


class Extremes(TestCase):
    def write_blocks(self, name, block, count):
        """Writes `block` `count` times. The whole is too large to be held in memory."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            for _ in range(count):
                file.write(block)
        return name

    def build(self, *arguments, output="index", **more):
        """Builds an index, checks that the run stayed within its memory, and returns the summary."""
        more.setdefault("timeout", 100 * TIME_FACTOR)
        result = self.run_program("ngrams", "build", *arguments, "-o", output, "--force", "--json", "-q", **more)
        summary = json.loads(result.out)
        self.assert_kept_memory(summary, arguments)
        return summary

    def binaries(self, output="index"):
        return [self.read(output, name) for name in BINARIES]

    def cost(self, summary, passes, disk=0):
        """Checks the number of passes and the bytes of temporary disk per token."""
        self.assertLessEqual(summary["run"]["passes"], passes)
        self.assertLessEqual(summary["run"]["temp_peak_bytes"], disk * summary["tokens"])

    def lookup(self, phrase, index="index"):
        """Returns count and documents."""
        out = self.run_program("ngrams", "lookup", index, phrase).out.split(b"\n")
        self.assertEqual(len(out), 3)
        text, count, documents, places = out[1].split(b"\t")
        self.assertEqual(text.decode(), phrase)
        self.assertEqual(places.count(b",") + 1, int(count))
        return int(count), int(documents)

    def same_bytes(self, *arguments, variants=tuple(VARIANTS)):
        """Any threads and memory give the same index; the last one is left."""
        expected = None
        for threads, memory in variants:
            self.build(*arguments, "--threads", threads, "--memory", memory)
            expected = expected or self.binaries()
            self.assertTrue(self.binaries() == expected, f"{arguments}: {threads} threads, {memory}")
        self.run_program("ngrams", "check", "index")


class OneWord(Extremes):
    def test_millions_of_times_in_one_document(self):
        tokens = 10_000_000 if LONG else 2_000_000
        self.write_blocks("in.txt", b"word " * 10_000, tokens // 10_000)
        summary = self.build("in.txt", "--memory", "256M", "--threads", "2")
        self.assertEqual((summary["tokens"], summary["entries"], summary["places"]), (tokens, 1, tokens - 7))
        self.cost(summary, passes=5, disk=8)

    def test_millions_of_times_on_many_lines_in_little_memory(self):
        lines = 10_000 if LONG else 2000
        self.write_blocks("in.txt", b"word " * 1000 + b"\n", lines)
        summary = self.build("in.txt", "--format", "lines", "--memory", "64M", "--threads", "2")
        self.assertEqual((summary["entries"], summary["places"]), (1, lines * 993))
        self.cost(summary, passes=20, disk=8)

    def test_passes_do_not_grow_with_the_square_of_the_text(self):
        passes = []
        for lines in (1000, 4000):
            self.write_blocks("in.txt", b"word " * 1000 + b"\n", lines)
            passes.append(self.build("in.txt", "--format", "lines", "--memory", "64M",
                                     "--threads", "16")["run"]["passes"])
        self.assertLessEqual(passes[1], 4 * passes[0])

    # All n-grams may fit in memory, while the sorted n-grams and the candidates together do not.
    def test_no_memory_is_too_little_for_a_frequent_word(self):
        self.write_blocks("in.txt", b"word " * 500 + b"\n", 5000)
        for threads, memories in (("1", (72, 80, 88, 96)), ("2", (80, 88, 96, 104)), ("8", (64, 112, 120, 128)),
                                  ("16", (64, 72, 80, 112))):
            for memory in memories if LONG else memories[1::2]:
                summary = self.build("in.txt", "--format", "lines", "--memory", f"{memory}M", "--threads", threads)
                self.assertEqual(summary["places"], 5000 * 493)

    def test_the_same_bytes_for_any_threads_and_memory(self):
        self.write_blocks("one.txt", b"word " * 1000, 200)
        self.same_bytes("one.txt")
        self.write_blocks("lines.txt", b"word " * 100 + b"\n", 2000)
        self.same_bytes("lines.txt", "--format", "lines")


class TwoWords(Extremes):
    def test_counts_are_those_of_arithmetic(self):
        tokens = 4_000_000 if LONG else 1_000_000
        self.write_blocks("in.txt", b"yin yang " * 10_000, tokens // 20_000)
        for n in (2, 8):
            summary = self.build("in.txt", "-n", str(n), "--memory", "128M", "--threads", "2")
            self.assertEqual((summary["tokens"], summary["entries"], summary["places"]), (tokens, 2, tokens - n + 1))
            self.cost(summary, passes=9, disk=8)
            # Places at even tokens, then those at odd ones.
            for first, phrase in enumerate(("yin yang", "yang yin")):
                places = len(range(first, tokens - n + 1, 2))
                self.assertEqual(self.lookup(" ".join([phrase] * (n // 2))), (places, 1))

    def test_the_same_bytes_for_any_threads_and_memory(self):
        self.write_blocks("in.txt", b"yin yang " * 1000, 100)
        for n in ("2", "8"):
            self.same_bytes("in.txt", "-n", n)


class EqualDocuments(Extremes):
    TEXT = "eight words stand in each of these documents"

    def records(self, count):
        self.write_blocks("in.jsonl", json.dumps({"text": self.TEXT}).encode() + b"\n", count)
        return "in.jsonl"

    def test_very_many(self):
        count = 1_000_000 if LONG else 200_000
        summary = self.build(self.records(count), "--memory", "64M", "--threads", "2")
        self.assertEqual((summary["documents"], summary["entries"], summary["places"]), (count, 1, count))
        self.assertEqual(self.lookup(self.TEXT), (count, count))
        self.cost(summary, passes=6, disk=8)

    def test_the_same_bytes_for_any_threads_and_memory(self):
        self.same_bytes(self.records(20_000))
        self.assertEqual(self.lookup(self.TEXT), (20_000, 20_000))


class LongDocuments(Extremes):
    def long_document(self, name, size, seed):
        """Words of about forty bytes, so that a large document has few of them; half of the text recurs."""
        rng = random.Random(seed)
        parts = vocabulary(300)
        words = ["".join(rng.choices(parts, k=7)) for _ in range(5000)]
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        known = " ".join(rng.choices(words, k=2000))
        with open(self.path(name), "w", encoding="ascii") as file:
            while file.tell() < size:
                file.write(f"{known} {' '.join(rng.choices(words, k=2000))}\n")
        return name

    def test_one_of_very_many_megabytes(self):
        self.long_document("in.txt", (200 if LONG else 40) << 20, seed=1)
        arguments = ("in.txt", "--max-doc-bytes", "300M", "--threads", "2")
        summary = self.build(*arguments, "--memory", "512M")
        self.assertEqual(summary["documents"], 1)
        copies = summary["tokens"] // 4000
        # The repeated half has this many n-grams; no others recur.
        self.assertGreaterEqual(summary["places"], copies * 1993)
        self.assertLess(summary["places"], copies * 2100)
        self.cost(summary, passes=3)

    def test_as_any_other_for_any_threads_and_memory(self):
        self.long_document("in.txt", 6 << 20, seed=2)
        self.same_bytes("in.txt", "-n", "3")

    # Later passes may process more long documents at once than the first one, with less memory.
    def test_a_build_is_not_refused_once_its_first_pass_is_done(self):
        for number in range(6):
            self.long_document(f"in/{number}0/long.txt", (6 + number) << 20, seed=number)
            for other in range(60):
                self.write(f"in/{number}1/{other}.txt", f"a few words that are said again, in {number}\n" * 20)
        expected = None
        for threads, memories in (("2", ("64M", "72M", "96M", "128M")), ("4", ("64M", "72M", "96M", "128M")),
                                  ("8", ("64M", "72M", "96M", "256M"))):
            for memory in memories if LONG else memories[::2]:
                for _ in range(2 if LONG else 1):  # which documents are processed at once is random
                    self.build("in", "--memory", memory, "--threads", threads)
                    expected = expected or self.binaries()
                    self.assertTrue(self.binaries() == expected, f"{threads} threads, {memory}")
        self.build("in")
        self.assertTrue(self.binaries() == expected)


class Killed(Extremes):
    def test_at_any_moment_leaves_nothing_that_is_taken_for_whole(self):
        rng = random.Random(4)
        words = vocabulary(1000)
        self.write("in.txt", "\n".join(" ".join(rng.choices(words, k=200)) for _ in range(4000)))
        arguments = ("in.txt", "--format", "lines", "-n", "2", "--memory", "64M", "--threads", "2")
        before = time.monotonic()
        self.build(*arguments)
        took = time.monotonic() - before
        expected = self.binaries()
        shutil.rmtree(self.path("index"))
        killed = 0
        moments = 20 if LONG else 10
        for moment in range(moments):
            with subprocess.Popen([program(), "ngrams", "build", *arguments, "-o", "index", "-q"], cwd=self.dir,
                                  env=environment()) as run:
                time.sleep((moment + rng.random()) / moments * took)
                run.send_signal(signal.SIGKILL)
                code = run.wait()
            self.assertTrue(code != 0 or "index" in self.listing())
            killed += code == -signal.SIGKILL
            for name in self.listing():
                if name != "in.txt":
                    self.check_left(name, expected)
        say(f"{killed} of {moments} were killed, the others were quicker")
        self.assertGreaterEqual(killed, moments // 2)

    def check_left(self, name, expected):
        """Checks that a result which looks complete is complete."""
        codes = [self.code_of("ngrams", *verb) for verb in (["show", name], ["stats", name], ["check", name],
                                                            ["lookup", name, "no such"])]
        if codes[2] == 0 or name == "index":
            self.assertEqual(codes, [0, 0, 0, 1], name)  # 1: no such phrase
            self.assertTrue(self.binaries(name) == expected)
        else:
            self.assertLessEqual(set(codes), {3, 4}, name)
        shutil.rmtree(self.path(name))

    def code_of(self, *arguments):
        return subprocess.run([program(), *arguments], cwd=self.dir, env=environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    main()
