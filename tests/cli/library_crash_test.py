"""A run of dedup that extends a library is killed, or the disk fails. When resumed, it decides and adds the same as
an undisturbed run, and adds nothing twice. Until its only commit, the library is unchanged."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

from program import BIN_DIR, LONG, TIME_FACTOR, TestCase, documents, environment, jsonl, main, program, say

FAULTS = os.path.join(BIN_DIR, "faults.so")
KILLS = 20 if LONG else 10
CALLS = 40


def line(*flags):
    return ["dedup", "february.jsonl", "-o", "work/run", "--library", "work/library", "--id-field", "id",
            "--sample", "20", "--threads", "2", "--memory", "256M", "-q", *flags]


class Grown(TestCase):
    def setUp(self):
        super().setUp()
        fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # the test makes thousands of syncs
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="refrain-cli-", dir=fast))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        texts = documents(700, seed=61)
        self.write("january.jsonl", jsonl(texts[:400], id=lambda at: f"a{at}"))
        # Some of them were already in the January input.
        self.write("february.jsonl", jsonl(texts[400:] + texts[:400:20], id=lambda at: f"b{at}"))
        self.run_program("dedup", "january.jsonl", "-o", "january", "--library", "base/library", "--id-field", "id",
                         "-q")
        self.before = self.export("base/library")
        self.seconds = min(self.seconds_of_a_run() for _ in range(3))  # a machine with other work makes some slow
        self.decisions, self.after = self.read("work/run/decisions.jsonl"), self.export("work/library")
        self.assertGreater(len(self.after), len(self.before))
        self.assertIn(b'"known": ', self.decisions)

    def export(self, library):
        return [json.loads(row)["id"] for row in self.run_program("library", "export", library, "-q").out.splitlines()]

    def seconds_of_a_run(self):
        self.start()
        begun = time.monotonic()
        self.run_program(*line())
        return time.monotonic() - begun

    def start(self):
        """Restores the library of January."""
        shutil.rmtree(self.path("work"), ignore_errors=True)
        shutil.copytree(self.path("base"), self.path("work"))

    def resume_and_check(self, label):
        """Resumes the run and checks the result. Returns whether the library had been extended before."""
        left = self.export("work/library")
        self.assertIn(left, (self.before, self.after), label)
        self.run_program("library", "check", "work/library", "-q")
        if os.path.exists(self.path("work/run/summary.json")):
            self.assertEqual(left, self.after, label)
        elif os.path.exists(self.path("work/run/work/run.txt")):
            self.run_program(*line("--resume"))
        else:
            self.assertEqual(left, self.before, label)
            self.run_program(*line("--force"))
        self.assertEqual(self.read("work/run/decisions.jsonl"), self.decisions, label)
        self.assertEqual(self.export("work/library"), self.after, label)
        self.run_program("library", "check", "work/library", "-q")
        return left == self.after

    def test_killed_at_any_moment(self):
        rng = random.Random(62)
        killed = grown = 0
        for number in range(KILLS):
            self.start()
            seconds = (number + rng.random()) / KILLS * self.seconds * 1.1
            with subprocess.Popen([program(), *line()], cwd=self.dir, env=environment(), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                time.sleep(seconds)
                process.kill()
            killed += process.returncode != 0
            grown += self.resume_and_check(f"killed after {seconds:.4f} s")
        say(f"{killed} of {KILLS} runs were killed at work, {grown} had grown the library")
        self.assertGreater(killed, 0)


class Faulty(Grown):
    def setUp(self):
        super().setUp()
        if not os.path.exists(FAULTS):
            self.skipTest(f"{FAULTS}: not built; a sanitizer's library wants to be loaded first")
        self.start()
        self.assertEqual(self.run_faulty(LOG=self.path("log")), (0, ""))
        self.calls = self.read("log").decode().replace(self.dir, "").splitlines()
        numbers = range(1, len(self.calls) + 1)
        of_library = [number for number in numbers if "/work/library" in self.calls[number - 1]]
        self.assertGreater(len(of_library), CALLS // 2)
        rng = random.Random(63)
        self.numbers = sorted({*rng.sample(of_library, CALLS // 2), *rng.sample(numbers, CALLS // 2)})

    def run_faulty(self, **settings):
        more = {f"FAULTS_{key}": str(value) for key, value in settings.items()}
        done = subprocess.run([program(), *line()], cwd=self.dir, capture_output=True, timeout=60 * TIME_FACTOR,
                              check=False, env=environment(LD_PRELOAD=FAULTS, FAULTS_FOLDER=self.path("work"), **more))
        return done.returncode, done.stderr.decode()

    def test_killed_at_any_moment(self):
        grown = 0
        for number in self.numbers:
            self.start()
            label = f"killed at call {number}, {self.calls[number - 1]}"
            self.assertEqual(self.run_faulty(AT=number)[0], -signal.SIGKILL, label)
            grown += self.resume_and_check(label)
        say(f"{len(self.numbers)} runs were killed, {grown} of them after the library had grown")

    def test_a_disk_that_is_full_or_broken(self):
        failed = 0
        for number in self.numbers:
            self.start()
            error, code = ((errno.ENOSPC, 5), (errno.EIO, 1))[number % 2]
            label = f"call {number}, {self.calls[number - 1]}: {errno.errorcode[error]}"
            found, err = self.run_faulty(AT=number, ERRNO=error)
            self.assertIn(found, (0, code), f"{label}: {err}")  # a failed cleanup is not an error
            if found != 0:
                self.assertRegex(err, r"^refrain: [^\n]*work/[^\n]*\n$", label)
            failed += found != 0
            self.resume_and_check(label)
        say(f"{failed} of {len(self.numbers)} faults were errors")
        self.assertGreater(failed, CALLS // 2)


if __name__ == "__main__":
    main()
