"""A dedup run that is killed, or that finds the disk full, gives the same bytes when resumed as one that was not
interrupted."""

import errno
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

from program import BIN_DIR, LONG, TIME_FACTOR, TestCase, documents, environment, jsonl, main, program, say

KILLS = 30 if LONG else 12
FAULTS = os.path.join(BIN_DIR, "faults.so")
INPUTS = ["in/a.jsonl", "in/b.jsonl.gz", "test.jsonl"]
TABLES = ["--tables", "parquet"] if os.path.exists(os.path.join(BIN_DIR, "librefrain_parquet.so")) else []
# All stages.
STAGES = ["read", "exact", "templates", "against", "near", "verify", "cluster", "decide", "check", "substrings",
          "write", *(["tables"] if TABLES else []), "apply", "annotate", "library", "report"]


def line(output, *flags):
    return ["dedup", "in", "-o", output, "--id-field", "id", "--against", "test.jsonl", "--against-id-field", "id",
            "--substrings", "60", "--apply", "--annotate", "--sample", "50", "--threads", "2", "--memory", "256M", "-q",
            *TABLES, *flags]


def answer_of(folder):
    """Returns all files of a run by name, without what the run cost."""
    files = {}
    for above, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(above, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    summary = json.loads(files["summary.json"])
    del summary["run"]
    files["summary.json"] = summary
    files["report.html"], cut = re.subn(rb'(?s)<section aria-labelledby="cost">.*?</section>', b"",
                                        files["report.html"])
    if cut != 1:
        raise AssertionError("report.html: no section about what the run cost")
    return files


class Crash(TestCase):
    """A corpus of two files, a set to compare it with, and the result of an undisturbed run."""

    def setUp(self):
        super().setUp()
        self.dir = os.path.realpath(self.dir)
        texts = documents(1500, seed=51)
        self.write(INPUTS[0], jsonl(texts[:800], id=lambda at: f"a{at}"))
        self.write(INPUTS[1], gzip.compress(jsonl(texts[800:], id=lambda at: f"b{at}").encode(), 1))
        items = [text for text in texts if len(text.split()) > 60]
        self.write(INPUTS[2],
                   jsonl([" ".join(text.split()[10:40]) for text in items[5:300:40]], id=lambda at: f"t{at}"))
        self.inputs = self.digests()
        start = time.monotonic()
        self.run_program(*line("whole"))
        self.seconds = time.monotonic() - start
        self.whole = answer_of(self.path("whole"))
        self.assertEqual({os.path.dirname(name) for name in self.whole},
                         {"", "clean/in", "annotated/in", "library", "library/000001"})
        summary = self.whole["summary.json"]
        for reason in ("removed_exact", "removed_near", "removed_against", "cut_documents"):
            self.assertGreater(summary[reason], 0, reason)

    def digests(self):
        """Returns the contents of the inputs and their modification times."""
        digests = []
        for name in INPUTS:
            with open(self.path(name), "rb") as file:
                digests.append((hashlib.sha256(file.read()).hexdigest(), os.stat(file.fileno()).st_mtime_ns))
        return digests, self.listing("in")

    def ended(self, folder):
        """Returns the stages that have ended in an unfinished run."""
        work = self.path(folder, "work")
        return [stage for stage in STAGES if os.path.exists(os.path.join(work, f"{stage}.done"))]

    def assert_complete(self, folder, label):
        answer = answer_of(self.path(folder))
        self.assertEqual(sorted(answer), sorted(self.whole), label)
        for name, content in answer.items():
            # assertEqual would take minutes to format a message about megabytes.
            self.assertTrue(content == self.whole[name], f"{label}: {name} is another")
        self.assertEqual(self.digests(), self.inputs, f"{label}: the input was touched")

    def resume_and_check(self, folder, label):
        """Resumes a run that was killed or failed, checks its result, and returns the stages that had ended before."""
        ended = self.ended(folder)
        begun = os.path.exists(self.path(folder, "work", "run.txt"))
        if os.path.exists(self.path(folder, "summary.json")):
            # Killed after the last step: everything is complete except the cleanup.
            self.assertIn("finished run", self.run_program(*line(folder, "--resume"), code=2).err, label)
        elif begun:
            self.run_program(*line(folder, "--resume"))
            with open(self.path(folder, "summary.json"), encoding="utf-8") as summary:
                self.assertEqual(json.load(summary)["run"]["resumed"], ended, label)
        else:
            # Killed before there was anything to resume.
            self.run_program(*line(folder, "--force"))
        self.assert_complete(folder, label)
        shutil.rmtree(self.path(folder))
        return ended


class Killed(Crash):
    def test_a_run_killed_at_any_moment_goes_on_to_the_same_bytes(self):
        rng = random.Random(52)
        killed = 0
        for number in range(KILLS):
            seconds = (number + rng.random()) / KILLS * self.seconds
            label = f"killed after {seconds:.4f} s"
            # Every third run is killed a second time.
            for again in range(2 if number % 3 == 0 else 1):
                if again and not os.path.exists(self.path("run", "work", "run.txt")):
                    break
                with subprocess.Popen([program(), *line("run", *(["--resume"] if again else []))], cwd=self.dir,
                                      env=environment(), stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL) as process:
                    time.sleep(seconds if not again else rng.random() * (self.seconds - seconds))
                    process.kill()
                self.assertIn(process.returncode, (0, 2, -signal.SIGKILL) if again else (0, -signal.SIGKILL), label)
                killed += process.returncode != 0
            if os.path.exists(self.path("run")):
                self.resume_and_check("run", label)
        say(f"{killed} runs were killed at work")
        self.assertGreater(killed, 0)


class Faults(Crash):
    """For some calls of every stage that change the run's folder: the call fails, or is the last before the run is
    killed."""

    def setUp(self):
        super().setUp()
        if not os.path.exists(FAULTS):
            self.skipTest(f"{FAULTS}: not built; a sanitizer's library wants to be loaded first")
        self.assertEqual(self.run_faulty(LOG=self.path("log")), (0, ""))
        self.calls = self.read("log").decode().replace(self.dir, "").splitlines()
        shutil.rmtree(self.path("run"))
        # Calls of the final cleanup are not tested.
        last = max(at for at, call in enumerate(self.calls) if call.startswith("rename "))
        # Most calls, in two stages, write columns and texts in place; so half of the sample is taken from the other
        # calls.
        numbers = range(1, last + 2)
        others = [number for number in numbers if not self.calls[number - 1].startswith("pwrite ")]
        rng = random.Random(53)
        self.numbers = sorted({*rng.sample(others, KILLS // 2), *rng.sample(numbers, KILLS // 2)})

    def run_faulty(self, **settings):
        more = {f"FAULTS_{key}": str(value) for key, value in settings.items()}
        done = subprocess.run([program(), *line("run")], cwd=self.dir, capture_output=True, timeout=60 * TIME_FACTOR,
                              check=False, env=environment(LD_PRELOAD=FAULTS, FAULTS_FOLDER=self.path("run"), **more))
        return done.returncode, done.stderr.decode()

    def test_a_call_that_is_the_last_loses_no_more_than_its_stage(self):
        ended = []
        for number in self.numbers:
            label = f"killed at call {number}, {self.calls[number - 1]}"
            self.assertEqual(self.run_faulty(AT=number), (-signal.SIGKILL, ""), label)
            ended.append(len(self.resume_and_check("run", label)))
        say(f"{KILLS} runs were killed, behind {sorted(set(ended))} of {len(STAGES)} stages")
        self.assertGreater(len(set(ended)), 5)

    def test_a_disk_that_is_full_or_broken_is_a_clear_error(self):
        for number in self.numbers:
            error, code = ((errno.ENOSPC, 5), (errno.EIO, 1))[number % 2]
            label = f"call {number}, {self.calls[number - 1]}: {errno.errorcode[error]}"
            found, err = self.run_faulty(AT=number, ERRNO=error)
            if found == 0 and self.calls[number - 1].startswith("unlink "):
                self.assert_complete("run", label)  # a failure to clean up is not an error
                shutil.rmtree(self.path("run"))
                continue
            self.assertEqual(found, code, f"{label}: {err}")
            self.assertRegex(err, r"^refrain: [^\n]*run[^\n]*\n$", label)
            self.resume_and_check("run", label)


class FullDisk(Crash):
    """A real disk: its free space ends in the middle of some stage, and there is more when the run is resumed."""

    def test_a_full_disk_is_exit_5_and_the_run_goes_on_when_there_is_space(self):
        megabytes = 32
        command = " ".join(["$REFRAIN", *line("disk/run")])
        stages = set()
        for kilobytes in range(0, 12800, 128):
            said = self.on_small_disk(
                f"""head -c {(megabytes << 20) - (kilobytes << 10)} /dev/zero > disk/filler
                {command} 2>&1; echo "code $?"
                rm disk/filler; ls disk/run/work 2>/dev/null | grep -c '[.]done$'
                if [ -e disk/run/work/run.txt ]; then {command} --resume; else {command} --force; fi 2>&1
                echo "code $?"
                cp -r disk/run out""", megabytes)
            label = f"{kilobytes} KiB: {said}"
            if said.startswith("code 0\n"):
                break
            match = re.fullmatch(r"refrain: ([^\n]+)\ncode 5\n(\d+)\ncode 0\n", said)
            self.assertTrue(match, label)
            self.assertRegex(match.group(1), r"^disk/run/[^:]+: disk full; free some space, or write elsewhere$")
            self.assert_complete("out", label)
            shutil.rmtree(self.path("out"))
            stages.add(int(match.group(2)))
        else:
            self.fail("the largest disk was too small")
        say(f"the disk was full behind {sorted(stages)} of {len(STAGES)} stages")
        self.assertGreater(len(stages), 3)


if __name__ == "__main__":
    main()
