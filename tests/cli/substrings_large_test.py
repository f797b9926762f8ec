"""substrings on larger inputs: any threads and any memory give the same bytes, time is linear, and a run that is
killed or finds the disk full leaves nothing that could be mistaken for a complete result."""

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import time

from program import LONG, TIME_FACTOR, jsonl, lines, main, only_in_long_form, running, vocabulary, wait_until
from substrings_oracle import Found, Oracle, SubstringsCase, expected_rows

BUDGET = 64 << 20

# ---- any threads, any memory


def machine_text(least):
    """Yields texts of this machine with their paths, documentation first, then sources: at least `least` bytes, if
    there are enough."""
    total = 0
    for root in ("/usr/share/common-licenses", "/usr/share/doc", "/usr/include", os.path.dirname(os.__file__)):
        for parent, folders, names in os.walk(root):
            folders.sort()
            for path in (os.path.join(parent, name) for name in sorted(names)):
                if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > 1 << 20:
                    continue
                with open(path, "rb") as file:
                    content = file.read()
                if b"\0" in content or content.startswith(b"\x1f\x8b"):
                    continue
                yield path, content.decode(errors="replace")
                total += len(content)
                if total >= least:
                    return


def records(texts):
    return "".join(json.dumps({"id": path, "text": text}) + "\n" for path, text in texts)


class AnyThreadsAnyMemory(SubstringsCase):
    def same(self, variants, *arguments):
        """Returns the answer, which must be the same for all `variants`: (threads, memory)."""
        expected = None
        for threads, memory in variants:
            found = self.substrings(*arguments, "--threads", threads, "--memory", memory)
            answer = found.answer()
            expected = expected or answer
            self.assertTrue(answer == expected, f"{threads} threads, {memory}")
            shutil.rmtree(found.folder)
        return expected

    def test_the_same_bytes_on_the_text_of_this_machine(self):
        self.write("in.jsonl", records(machine_text(3 << 20)))
        variants = list(itertools.product(("1", "2", "3", "8"), ("64M", "128M", "1G")))
        variants = variants if LONG else variants[::3] + variants[-1:]
        files, summary = self.same(variants, "in.jsonl", "--id-field", "id", "--groups")
        self.assertEqual(sorted(files), ["passages.jsonl", "skipped.tsv", "substring_bytes.tsv"])
        self.assertGreater(summary["places"], 1000)
        variants = [("1", "1G"), ("2", "64M"), ("8", "128M")]
        files, _ = self.same(variants, "in.jsonl", "--apply", "--snap", "word")
        self.assertEqual(sorted(files), [".clean.files", "clean/in.jsonl", "skipped.tsv", "substring_bytes.tsv"])
        self.same(variants, "in.jsonl", "--length", "16", "--min-count", "3", "--groups")

    def test_a_place_is_one_however_the_work_was_cut(self):
        # Two equal documents are one passage in two places, whatever their size.
        rng = random.Random(11)
        for size in (30, 3000, 5_000_000):
            text = rng.randbytes(size).hex()[:size]
            self.write("in.txt", f"{text}\n{text}\n")
            for threads, memory in (("1", "1G"), ("2", "64M")):
                found = self.substrings("in.txt", "--format", "lines", "--length", "24", "--groups",
                                        "--threads", threads, "--memory", memory)
                [passage] = found.passages()
                self.assertEqual(passage["places"],
                                 [{"id": name, "start": 0, "end": size, "offset": 0} for name in "01"])
                self.assertTrue(passage["text"] == text)

    def test_a_long_passage_is_written_whole(self):
        # Characters of every width cross the boundaries of the pieces in which it is written.
        text = "".join(f"{number:x}é床😀\"\\\n" for number in range(20_000))
        self.write("d/a", text + "1")
        self.write("d/b", "2" + text)
        [passage] = self.substrings("d", "--length", "1000", "--groups").passages()
        self.assertTrue(passage["text"] == text)
        self.assertEqual([place["end"] - place["start"] for place in passage["places"]], [len(text.encode())] * 2)

    def test_long_windows_are_found_as_short_ones_are(self):
        rng = random.Random(12)
        base = rng.randbytes(3000).hex()
        texts = [base, base[:2500] + "!" + base[2500:], base[7:], base[1000:5000] * 2, base[:4000], "ab" * 3000]
        documents = [text.encode() for text in texts]
        self.write("in.txt", lines(texts))
        for length, min_count in ((2000, 2), (2111, 3), (2112, 2), (2500, 4), (3500, 2), (3500, 3)):
            for flags in ([], ["--groups"]):
                found = self.substrings("in.txt", "--format", "lines", "--length", str(length), "--min-count",
                                        str(min_count), *flags)
                self.assertEqual(found.rows, expected_rows(documents, Oracle(documents, length, min_count)))


class MemoryIsACeiling(SubstringsCase):
    def fits(self, *arguments, seconds=30):
        """Runs in 64 MiB; returns the result and the time it took."""
        started = time.monotonic()
        found = self.substrings(*arguments, "--memory", "64M", timeout=seconds * TIME_FACTOR)
        self.assertEqual(found.summary["run"]["memory_bytes"], BUDGET)
        self.assert_kept_memory(found.summary, arguments)
        return found, time.monotonic() - started

    @only_in_long_form
    def test_a_hundred_megabytes_of_the_text_of_this_machine(self):
        size = 0
        with open(self.path("in.jsonl"), "w", encoding="utf-8") as file:
            for copy in itertools.count():
                for path, text in machine_text(52 << 20):
                    # The second time, the text is reversed, so most of it is different.
                    size += file.write(records([(path, text if copy == 0 else text[::-1])]))
                    if size > 104 << 20:
                        break
                if size > 104 << 20 or size == 0:
                    break
        found, _ = self.fits("in.jsonl", "--id-field", "id", "--groups", "--threads", "2")
        self.assertGreater(found.summary["run"]["temp_peak_bytes"], BUDGET)
        again, _ = self.fits("in.jsonl", "--id-field", "id", "--groups", "--threads", "8", "--apply", "--keep", "none")
        self.assertTrue(found.bytes == again.bytes)
        self.assertTrue(found.read("passages.jsonl") == again.read("passages.jsonl"))
        cut = sum(int(y) - int(x) for _, x, y in again.rows)
        self.assertLessEqual(again.summary["removed_bytes"], cut)
        self.assertGreaterEqual(again.summary["removed_bytes"], cut - 6 * len(again.rows))  # characters are never cut

    def test_records_of_two_megabytes_on_many_threads(self):
        rng = random.Random(13)
        words = vocabulary(3000)
        long = [" ".join(rng.choices(words, k=300_000)) for _ in range(6)]
        self.write("in.jsonl", jsonl([text for number, one in enumerate(long * 3) for text in ["short"] * 500 + [one]]))
        found, _ = self.fits("in.jsonl", "--threads", "8")
        self.assertEqual(found.summary["documents"], 18 * 501)

    def test_a_clean_copy_takes_no_more_than_reading(self):
        # Documents about as long as can be read at all.
        def text(megabytes, letters):
            return random.Random(16).randbytes(megabytes << 20).translate((letters * 26)[:256])

        formats = {
            "file.txt": (36, b"abcdefghi\n", [], lambda of: of),
            "lines.txt": (18, b"abcdefghi ", ["--format", "lines"], lambda of: b"short\n" + of + b"\nshort\n"),
            "in.jsonl": (4, b"abcdefghi\n", [], lambda of: jsonl(["short", of.decode(), "short"]).encode()),
            "in.csv": (17, b'abcdefghi"', [], lambda of: b'text\nshort\n"' + of.replace(b'"', b'""') + b'"\nshort\n'),
        }
        for name, (megabytes, letters, flags, written) in formats.items() if LONG else list(formats.items())[1:3]:
            once = text(megabytes, letters) + b"!"
            self.write(name, written(once + once[:100_000]))
            found, _ = self.fits(name, *flags, "--threads", "2", "--apply")
            self.assertEqual(found.summary["removed_bytes"], 100_000)
            self.assertTrue(found.read("clean", name) == written(once), name)

    def test_a_passage_as_long_as_its_document(self):
        text = random.Random(14).randbytes(12 << 20).translate(bytes(14 + byte % 18 for byte in range(256)))
        self.write("d/a", text)
        self.write("d/b", text)
        found, _ = self.fits("d", "--groups", "--threads", "2")
        self.assertEqual(found.rows, [["d/a", "0", str(12 << 20)], ["d/b", "0", str(12 << 20)]])
        self.assertGreater(os.path.getsize(os.path.join(found.folder, "passages.jsonl")), 6 * (11 << 20))

    def test_very_many_equal_documents_on_many_threads(self):
        text = "the very same words stand on every one of these lines, and there are enough of them to be found again"
        count = 1_000_000 if LONG else 200_000
        self.write("in.txt", f"{text}\n" * count)
        found, took = self.fits("in.txt", "--format", "lines", "--threads", "8", "--apply")
        self.assertEqual((found.summary["ranges"], found.summary["changed_documents"]), (count, count - 1))
        self.assertTrue(found.read("clean", "in.txt") == text.encode() + b"\n" * count)
        self.assertLess(took, 30 * TIME_FACTOR)

    def test_windows_of_a_megabyte(self):
        text = random.Random(15).randbytes(6 << 20)
        self.write("d/a", text)
        self.write("d/b", text[:3 << 20] + b"!" + text[3 << 20:])
        found, took = self.fits("d", "--binary", "--length", "1048576", "--threads", "4")
        self.assertEqual(found.rows, [["d/a", "0", str(6 << 20)], ["d/b", "0", str(3 << 20)],
                                      ["d/b", str((3 << 20) + 1), str((6 << 20) + 1)]])
        self.assertLess(took, 20 * TIME_FACTOR)

    def test_more_equal_windows_than_fit_that_are_too_few(self):
        self.write("in.txt", b"a" * 3_000_000)
        for min_count, rows in (("2999901", 1), ("2999902", 0)):
            found, _ = self.fits("in.txt", "--min-count", min_count, "--threads", "2")
            self.assertEqual(len(found.rows), rows)


class Linear(SubstringsCase):
    def within(self, seconds, *arguments):
        started = time.monotonic()
        found = self.substrings(*arguments)
        self.assertLess(time.monotonic() - started, seconds * TIME_FACTOR, arguments)
        return found

    def test_one_letter(self):
        size = 30_000_000 if LONG else 5_000_000
        self.write("in.txt", b"a" * size)
        for flags in ([], ["--length", "8", "--memory", "64M", "--min-count", "7"], ["--memory", "64M"], ["--apply"]):
            found = self.within(15, "in.txt", *flags)
            self.assertEqual(found.rows, [["in.txt", "0", str(size)]])
            # The first window of the document stays.
            self.assertEqual(found.summary["removable_bytes"], size - found.summary["options"]["length"])
        self.assertEqual(found.read("clean", "in.txt"), b"a" * 100)

    def test_one_letter_with_its_places(self):
        size = 300_000
        self.write("in.txt", b"a" * size)
        [passage] = self.within(15, "in.txt", "--groups").passages()
        self.assertEqual((passage["start"], passage["end"], len(passage["places"])), (0, 100, size - 99))

    def test_equal_documents(self):
        text = "the very same words stand on every one of these lines, and there are enough of them to be found again"
        self.write("in.txt", f"{text}\n" * 200_000)
        for flags in ([], ["--memory", "64M", "--groups"]):
            found = self.within(15, "in.txt", "--format", "lines", *flags)
            self.assertEqual(found.bytes,
                             b"id\tx\ty\n" + b"".join(b"%d\t0\t%d\n" % (at, len(text)) for at in range(200_000)))
        [passage] = found.passages()
        self.assertEqual(len(passage["places"]), 200_000)

    def test_short_windows_of_text_without_a_period(self):
        # Every byte begins a sample, but no sample may be compared with all others.
        rng = random.Random(16)
        words = vocabulary(5000)
        self.write("in.txt", " ".join(rng.choices(words, k=700_000)))
        for length in ("8", "9"):
            self.within(20, "in.txt", "--length", length)


# ---- whole or not at all


class WholeOrNotAtAll(SubstringsCase):
    def test_a_full_disk_for_temporary_files_is_exit_5_and_leaves_nothing(self):
        self.write("in.jsonl", records(machine_text(20 << 20)))
        before = self.listing() + ["disk"]
        out = self.on_small_disk("$REFRAIN substrings in.jsonl -o out --memory 64M --temp-dir disk -q 2>&1; "
                                 'echo "code $?"; ls -A disk', 4)
        self.assertRegex(out, r"^refrain: disk: .*(full|free|room|space).*\ncode 5\n$")
        self.assertEqual(self.listing(), sorted(before))

    def test_a_full_disk_for_the_output_is_exit_5_and_leaves_nothing(self):
        self.write("in.txt",
                   "".join(f"{at // 2} some words that occur in two lines, {at // 2}\n" for at in range(200_000)))
        for flags in ("", "--groups", "--apply"):
            out = self.on_small_disk("$REFRAIN substrings in.txt --format lines -o disk/out --length 40"
                                     f" -q {flags} 2>&1; "
                                     'echo "code $?"; ls -A disk', 1)
            self.assertRegex(out, r"^refrain: .*disk.* full.*\ncode 5\n$")

    def killed(self, seconds, *arguments, number=signal.SIGKILL):
        with running("substrings", *arguments, "-o", "out", "-q", cwd=self.dir, stderr=subprocess.PIPE) as process:
            self.assertTrue(wait_until(lambda: any("partial" in name for name in self.listing()) or
                                       process.poll() is not None), "no output is being made")
            time.sleep(seconds)
            process.send_signal(number)
            return process.wait(timeout=20)

    def test_a_killed_run_leaves_no_output_and_the_next_is_whole(self):
        self.write("in.jsonl", records(machine_text(20 << 20)))
        os.mkdir(self.path("temp"))
        arguments = ("in.jsonl", "--groups", "--apply", "--memory", "64M", "--temp-dir", "temp")
        codes = []
        for seconds in (0, 0.2, 0.6):
            codes.append(self.killed(seconds, *arguments))
            self.assertEqual("out" in self.listing(), codes[-1] == 0)
            if codes[-1] == 0:
                break
            self.assertEqual(self.listing("temp"), [], "temporary files have no names")
        self.assertEqual(codes[0], -signal.SIGKILL)
        self.run_program("substrings", *arguments, "-o", "out", "-q", "--force")
        expected = self.substrings(*arguments)
        self.assertTrue(Found(self.path("out")).answer() == expected.answer())
        self.assertEqual(self.listing(), sorted(["in.jsonl", "out", os.path.basename(expected.folder), "temp"]))

    def test_an_interrupted_run_is_exit_130_and_leaves_nothing(self):
        self.write("in.jsonl", records(machine_text(20 << 20)))
        before = self.listing()
        for seconds in (0, 0.3):
            self.assertEqual(self.killed(seconds, "in.jsonl", "--groups", "--memory", "64M", number=signal.SIGTERM),
                             130)
            self.assertEqual(self.listing(), before)

    def test_a_run_that_fails_keeps_the_old_results(self):
        self.write("in.txt", "the same words, the same words")
        self.run_program("substrings", "in.txt", "-o", "out", "--length", "10", "-q")
        before = Found(self.path("out")).answer()
        self.run_program("substrings", "in.txt", "absent", "-o", "out", "--force", "-q", code=3)
        self.assertEqual(Found(self.path("out")).answer(), before)


if __name__ == "__main__":
    main()
