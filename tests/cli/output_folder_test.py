"""Output folders: near's appears whole or not at all, dedup's can be resumed; nothing else is touched or left."""

import hashlib
import os
import signal
import subprocess
import time

from program import Near, TestCase, documents, jsonl, lines, main, running, wait_until

TEXTS = documents(60, seed=2)
FILES = ["clusters.tsv", "matches.tsv", "skipped.tsv", "summary.json"]
VERBS = ("near", "dedup")


def partials(folder):
    return [name for name in os.listdir(folder) if ".partial" in name]


class OutputFolder(TestCase):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", jsonl(TEXTS))

    def test_an_existing_folder_is_refused_and_stays_as_it_was(self):
        self.write("out/mine.txt", "mine")
        for verb in VERBS:
            result = self.run_program(verb, "in.jsonl", "-o", "out", code=2)
            self.assertIn("out: already exists", result.err)
            self.assertIn("--force", result.err)
            self.assertEqual((self.listing("out"), self.listing()), (["mine.txt"], ["in.jsonl", "out"]))

    def test_an_existing_file_is_refused_even_with_force(self):
        self.write("out", "mine")
        for verb in VERBS:
            for flags in ([], ["--force"]):
                self.assertIn("out: exists", self.run_program(verb, "in.jsonl", "-o", "out", *flags, code=2).err)
        self.assertEqual(self.read("out"), b"mine")
        self.assertEqual(self.listing(), ["in.jsonl", "out"])

    def test_a_file_above_the_output_is_refused_by_every_verb(self):
        self.write("plain", "mine")
        for verb in (["near"], ["dedup"], ["substrings"], ["ngrams", "build"]):
            for output in ("plain/x", "plain/x/", "plain/x/y", "./plain/x"):
                for flags in ([], ["--force"]):
                    result = self.run_program(*verb, "in.jsonl", "-o", output, *flags, code=2)
                    self.assertIn("plain: is not a folder", result.err)
        self.assertEqual((self.read("plain"), self.listing()), (b"mine", ["in.jsonl", "plain"]))

    def test_a_link_that_leads_nowhere_is_refused_before_anything_is_read(self):
        os.symlink("nowhere", self.path("link"))
        os.mkfifo(self.path("fifo"))
        for output, say in (("link", "link: exists and is not a folder"), ("link/x", "link: is not a folder")):
            for verb in VERBS:
                result = self.run_program(verb, "fifo", "-o", output, code=2, timeout=10)
                self.assertIn(say, result.err)
        self.assertEqual(self.listing(), ["fifo", "in.jsonl", "link"])

    def test_force_replaces_its_own_files_and_keeps_those_of_others(self):
        self.near("in.jsonl", "--distance", "9")
        self.write("out/mine.txt", "mine")
        self.write("out/sub/deep.txt", "deep")
        fresh = self.near("in.jsonl", output="fresh")
        forced = self.near("in.jsonl", "--force")
        self.assertEqual(forced.answer(), fresh.answer())
        self.assertEqual(self.listing("out"), sorted(FILES + ["mine.txt", "sub"]))
        self.assertEqual((self.read("out", "mine.txt"), self.read("out", "sub", "deep.txt")), (b"mine", b"deep"))
        self.assertEqual(self.listing(), ["fresh", "in.jsonl", "out"])

    def test_force_that_fails_leaves_the_old_results_whole(self):
        before = self.near("in.jsonl").answer()
        self.run_program("near", "in.jsonl", "absent", "-o", "out", "--force", code=3)
        self.run_program("near", "in.jsonl", "-o", "out", "--force", "--text-field", "no", "--strict", code=3)
        self.assertEqual(Near(self.path("out")).answer(), before)
        self.assertEqual(self.listing(), ["in.jsonl", "out"])

    def test_dedup_forced_gives_what_a_fresh_run_gives_and_keeps_the_files_of_others(self):
        flags = ("--apply", "-q")
        self.run_program("dedup", "in.jsonl", "-o", "fresh", *flags)
        self.run_program("dedup", "in.jsonl", "-o", "out", "--annotate", "--substrings", "50", *flags)
        self.write("out/mine.txt", "mine")
        self.write("out/sub/deep.txt", "deep")
        self.run_program("dedup", "in.jsonl", "-o", "out", "--force", *flags)
        self.assertEqual(self.listing("out"), sorted(self.listing("fresh") + ["mine.txt", "sub"]))
        for name in ("decisions.jsonl", "matches.tsv", "clusters.tsv", "skipped.tsv", "clean/in.jsonl"):
            self.assertEqual(self.read("out", name), self.read("fresh", name), name)
        self.assertEqual((self.read("out", "mine.txt"), self.read("out", "sub", "deep.txt")), (b"mine", b"deep"))

    def test_force_replaces_the_list_of_skipped_files_only_where_the_verb_wrote_it(self):
        self.write("d/a.txt", "some words to read here")
        self.write("d/.hidden", "x")
        lists = [["near", "-q"], ["dedup", "-q"], ["substrings", "-q"], ["ngrams", "build", "-n", "2", "-q"]]
        for line in lists:
            output = f"out-{line[0]}"
            self.run_program(*line, "d", "in.jsonl", "-o", output)
            self.assertEqual(self.read(output, "skipped.tsv").decode(),
                             "path\tkind\treason\nd/.hidden\thidden file\tits name begins with a dot\n")
            self.run_program(*line, "in.jsonl", "-o", output, "--force")
            self.assertEqual(self.read(output, "skipped.tsv"), b"path\tkind\treason\n")
            self.write(f"foreign-{line[0]}/skipped.tsv", "mine")
            result = self.run_program(*line, "in.jsonl", "-o", f"foreign-{line[0]}", "--force", code=2)
            self.assertIn("skipped.tsv: exists, but was not written by this verb", result.err)
            self.assertEqual(self.read(f"foreign-{line[0]}", "skipped.tsv"), b"mine")

    def test_dedup_refuses_an_output_inside_its_input(self):
        self.write("d/a.txt", "some words to read here")
        for output in ("d", "d/out", "./d/../d/out"):
            for flags in ([], ["--force"]):
                self.assertIn("overlap", self.run_program("dedup", "d", "-o", output, *flags, code=2).err)
        self.assertEqual(self.listing("d"), ["a.txt"])

    def test_folders_above_the_output_are_made(self):
        self.near("in.jsonl", output="a/b/c/")
        self.assertEqual(self.listing("a", "b", "c"), FILES)
        self.assertEqual(self.listing("a", "b"), ["c"])

    def test_an_output_inside_the_input_is_neither_read_nor_counted(self):
        self.write("d/a.txt", "some words to read here")
        near = self.near("d", output="d/out")
        self.assertEqual([row[0] for row in near.clusters], ["d/a.txt"])
        self.assertEqual(near.summary["hidden_skipped"], 0)
        self.assertEqual(self.listing("d"), ["a.txt", "out"])

    def test_nothing_is_left_behind_after_an_error(self):
        self.write("bad.jsonl", jsonl(TEXTS) + "not JSON\n")
        for verb in VERBS:
            self.run_program(verb, "bad.jsonl", "-o", "out", "--strict", code=3)
            self.run_program(verb, "absent", "-o", "out", code=3)
            self.assertEqual(self.listing(), ["bad.jsonl", "in.jsonl"])

    def test_input_files_are_never_touched(self):
        self.write("d/a.txt", "some words to read here")
        os.utime(self.path("d", "a.txt"), (1, 1))
        os.chmod(self.path("d", "a.txt"), 0o444)
        before = os.stat(self.path("d", "a.txt"))
        self.near("d", "in.jsonl", output="one")
        self.run_program("near", "d", "-o", "one", code=2)
        self.run_program("dedup", "d", "in.jsonl", "-o", "two", "--apply", "-q")
        self.run_program("dedup", "d", "-o", "two", code=2)
        after = os.stat(self.path("d", "a.txt"))
        self.assertEqual((before.st_mtime_ns, before.st_ino, before.st_size),
                         (after.st_mtime_ns, after.st_ino, after.st_size))
        self.assertEqual(self.listing("d"), ["a.txt"])


class Interrupted(TestCase):
    """Each run reads a large file and is stopped in the middle of it."""

    def setUp(self):
        super().setUp()
        block = lines(documents(400, seed=3)).encode()
        with open(self.path("in.txt"), "wb") as file:
            while file.tell() < 600 << 20:
                file.write(block)

    def digest(self):
        with open(self.path("in.txt"), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def end_by(self, number, *flags):
        with running("near", "in.txt", "--format", "lines", "-o", "out", *flags, cwd=self.dir,
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            self.assertTrue(wait_until(lambda: partials(self.dir)), "no output is being staged")
            time.sleep(0.1)
            self.assertIsNone(process.poll(), "ended too soon to interrupt")
            process.send_signal(number)
            started = time.monotonic()
            code = process.wait(timeout=20)
            self.assertLess(time.monotonic() - started, 5, "slow to stop")
            return code, process.stderr.read().decode()

    def test_a_signal_ends_a_run_with_130_and_leaves_nothing(self):
        before = self.digest()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            code, err = self.end_by(number)
            self.assertEqual(code, 130, err)
            self.assertIn("interrupted", err)
            self.assertEqual(self.listing(), ["in.txt"], number)
        self.assertEqual(self.digest(), before)

    def test_a_signal_ends_a_dedup_run_with_130_and_it_can_be_taken_up_or_begun_anew(self):
        with running("dedup", "in.txt", "--format", "lines", "-o", "out", "--substrings", "100", "-q", cwd=self.dir,
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            self.assertTrue(wait_until(lambda: os.path.exists(self.path("out", "work", "text.0"))), "nothing is read")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=20), 130)
            self.assertIn("interrupted", process.stderr.read().decode())
        self.assertEqual(self.listing("out"), ["work"])
        for flags, hint in (([], "--resume"), (["--resume"], "out: was started with --substrings 100")):
            result = self.run_program("dedup", "in.txt", "--format", "lines", "-o", "out", *flags, code=2)
            self.assertIn(hint, result.err)
        self.write("small.txt", "a few words only")
        self.run_program("dedup", "small.txt", "-o", "out", "--force", "-q")
        self.assertNotIn("work", self.listing("out"))

    def test_a_killed_run_leaves_no_target_and_the_next_one_clears_up(self):
        self.assertEqual(self.end_by(signal.SIGKILL)[0], -signal.SIGKILL)
        self.assertNotIn("out", self.listing())
        self.assertEqual(len(partials(self.dir)), 1)
        # The files of a running process, or of another program, must stay.
        os.mkdir(self.path(".other.partial-refrain-1-0"))
        self.write("small.txt", "a few words only")
        self.near("small.txt")
        self.assertEqual(self.listing(), [".other.partial-refrain-1-0", "in.txt", "out", "small.txt"])

    def test_two_runs_at_once_do_not_clear_up_each_other(self):
        self.write("small.txt", "a few words only")
        with running("near", "in.txt", "--format", "lines", "-o", "out", "-q", cwd=self.dir) as process:
            self.assertTrue(wait_until(lambda: partials(self.dir)))
            staged = partials(self.dir)
            self.run_program("near", "small.txt", "-o", "out", code=0)
            self.assertIsNone(process.poll(), "ended too soon")
            self.assertEqual(partials(self.dir), staged)


class InterruptedWhileWaiting(TestCase):
    def test_a_signal_ends_a_run_that_waits_for_its_input(self):
        # A pipe that delivers nothing for a while: Ctrl-C must still clean up.
        for number in (signal.SIGINT, signal.SIGTERM):
            with running("near", "-", "-o", "out", "-q", cwd=self.dir, stdin=subprocess.PIPE,
                         stderr=subprocess.DEVNULL) as process:
                process.stdin.write(b"some words in a line\n")
                process.stdin.flush()
                time.sleep(0.5)
                self.assertIsNone(process.poll(), "ended too soon")
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=5), 130)
            self.assertEqual(self.listing(), [], number)


if __name__ == "__main__":
    main()
