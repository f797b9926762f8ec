"""Inputs that change while a verb reads them, and before a run is resumed.

A verb is stopped at one of its calls that look at the input (tests/fault/faults.cc). Then one file of the input
grows, shrinks, is replaced, or is edited with its size and time kept, and the verb continues. It must either give the
answer for the old input or for the new one, byte for byte, or end with an error that names the file. If it is run
again after an error, it must give the answer for the new input. A dedup run is also killed between its stages: after
a change, --resume must refuse to continue and name the file.

    changed_inputs.py [--full] [--seed N] [--jobs N] [NAME...]

Without --full a few commands are tried, each with one change. NAME selects commands by a part of their name.
"""

import argparse
import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cli"))
sys.path.insert(0, HERE)
from program import TIME_FACTOR, documents, environment, jsonl, lines, program  # noqa: E402
from read_faults import FAULTS, LOOKS, Case, add_part_options, answer, parquet, run_parts  # noqa: E402

TEXTS = documents(40, seed=12, length=60)
COMMON = ["--threads", "2", "-q"]
SHORT_CASES = 14  # commands tried without --full, each with one change at one call


def rows(texts, prefix="b"):
    return jsonl(texts, id=lambda at: f"{prefix}{at}").encode()


def packed(texts, prefix="b"):
    return gzip.compress(rows(texts, prefix), 1, mtime=0)


def table(texts, prefix="b"):
    rows = [("id", "text"), *((f"{prefix}{at}", text.replace(",", " ").replace('"', " "))
                              for at, text in enumerate(texts))]
    return "".join(f"{name},{text}\n" for name, text in rows).encode()


def column(texts, prefix="b"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.parquet")
        if not parquet(path, rows(texts, prefix).decode()):
            return None
        with open(path, "rb") as file:
            return file.read()


# A format: the name of the second of two files, a function that makes its content from texts, and the flags to read
# it.
FORMATS = {"jsonl": ("b.jsonl", rows, ["--id-field", "id"]), "gzip": ("b.jsonl.gz", packed, ["--id-field", "id"]),
           "csv": ("b.csv", table, ["--id-field", "id"]), "parquet": ("b.parquet", column, ["--id-field", "id"]),
           "lines": ("b.txt", lambda texts, _="b": lines(texts).encode(), ["--format", "lines"]),
           "file": ("b.txt", lambda texts, _="b": texts[0].encode(), [])}
CHANGES = ("grow", "shrink", "replace", "edit")


def changed_texts(texts, change):
    """Returns the texts of a file after a change; an edit keeps the number of bytes."""
    more = documents(3, seed=13, length=60)
    if len(texts) == 1:
        return {"grow": [texts[0] + " " + more[0]], "shrink": [texts[0][:len(texts[0]) // 2]], "replace": [more[0]],
                "edit": [texts[0][::-1]]}[change]
    return {"grow": texts + more, "shrink": texts[:len(texts) // 2], "replace": more + texts[3:],
            "edit": texts[:1] + [text[::-1] for text in texts[1:]]}[change]


def put(path, content, change):
    """Writes the new content in the way of the given change."""
    before = os.stat(path)
    if change == "replace":
        with open(path + ".new", "wb") as file:
            file.write(content)
        os.rename(path + ".new", path)
        return
    with open(path, "r+b") as file:
        file.write(content)
        file.truncate()
    if change == "edit":
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cases(kind):
    read = ["in", *FORMATS[kind][2]]
    annotate = [] if kind in ("lines", "file") else ["--annotate"]  # plain text has no fields
    yield Case(f"dedup-{kind}", ["dedup", *read, "--apply", "--read-back", *annotate, "-o", "out", *COMMON])
    yield Case(f"dedup-substrings-{kind}", ["dedup", *read, "--apply", "--substrings", "60", "-o", "out", *COMMON])
    yield Case(f"dedup-against-{kind}", ["dedup", "in/a" + FORMATS[kind][0][1:], *FORMATS[kind][2], "--against",
                                         "in/" + FORMATS[kind][0], "-o", "out", *COMMON])
    yield Case(f"near-{kind}", ["near", *read, "--verify", "-o", "out", *COMMON])
    yield Case(f"substrings-{kind}", ["substrings", *read, "--apply", "--length", "60", "-o", "out", *COMMON])
    yield Case(f"ngrams-{kind}", ["ngrams", "build", *read, "-n", "4", "-o", "out", *COMMON])
    yield Case(f"index-create-{kind}", ["index", "create", "out", *read, *COMMON], shows=LOOKS)


def shown(folder, case, printed):
    """Returns the answer without the parts that contain times of the input: the library, and the name of the run in
    the report."""
    return {name: content for name, content in answer(folder, case, printed).items()
            if not name.startswith("library/") and name != "report.html"}


class Campaign(unittest.TestCase):
    full = False
    seed = 0
    names = ()
    part = (0, 1)  # the first command to try, and the distance to the next
    runs = 0
    refused = 0

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(FAULTS):
            raise unittest.SkipTest(f"skipped: {FAULTS} is not built; a sanitizer's library must be loaded first")

    @classmethod
    def tearDownClass(cls):
        print(f"changed inputs: {cls.runs} runs, of which {cls.refused} ended with an error, seed {cls.seed}",
              flush=True)

    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="refrain-changed-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)

    def reset(self, kind, texts):
        """Leaves only the two input files in the folder."""
        for name in os.listdir(self.root):
            path = os.path.join(self.root, name)
            os.remove(path) if os.path.isfile(path) else shutil.rmtree(path)
        os.mkdir(os.path.join(self.root, "tmp"))
        os.mkdir(os.path.join(self.root, "in"))
        name, make, _ = FORMATS[kind]
        half = TEXTS[:20] if kind != "file" else TEXTS[:1]
        for at, content in (("a" + name[1:], make(half, "a")), (name, make(texts))):
            with open(os.path.join(self.root, "in", at), "wb") as file:
                file.write(content)
        return os.path.join(self.root, "in", name)

    def run_program(self, command, **faults):
        more = {f"FAULTS_{key}": str(value) for key, value in faults.items()}
        if more:
            more = {"LD_PRELOAD": FAULTS, "FAULTS_FOLDER": os.path.join(self.root, "in"), **more}
        return subprocess.run([program(), *command], cwd=self.root, capture_output=True, check=False,
                              timeout=60 * TIME_FACTOR, stdin=subprocess.DEVNULL,
                              env=environment(TMPDIR=os.path.join(self.root, "tmp"), **more))

    def run_with_change(self, command, at, change):
        """Runs the command, and calls `change` while it is stopped at a call. Returns False if the call never
        happened."""
        env = environment(TMPDIR=os.path.join(self.root, "tmp"), LD_PRELOAD=FAULTS, FAULTS_READS="1", FAULTS_STOPS="1",
                          FAULTS_AT=str(at), FAULTS_FOLDER=os.path.join(self.root, "in"))
        out, err = os.path.join(self.root, "stdout"), os.path.join(self.root, "stderr")
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            process = subprocess.Popen([program(), *command], cwd=self.root, stdout=out_file, stderr=err_file,
                                       stdin=subprocess.DEVNULL, env=env)
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            stopped = os.WIFSTOPPED(status)
            if stopped:
                change()
                os.kill(process.pid, signal.SIGCONT)
                _, status = os.waitpid(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(out, "rb") as out_file, open(err, "rb") as err_file:
            return stopped, process.returncode, out_file.read(), err_file.read().decode(errors="replace")

    def expected(self, case, kind, texts):
        self.reset(kind, texts)
        done = self.run_program(case.command)
        self.assertEqual(done.returncode, 0, f"{case.name}: {done.stderr}")
        return shown(self.root, case, done.stdout)

    def names_file(self, message, kind, label):
        self.assertRegex(message, r"^refrain: [^\n]+: [^\n]+\n$", label)
        self.assertIn("in/" + FORMATS[kind][0], message, label)

    def one(self, case, kind):
        rng = random.Random(f"{self.seed} {case.name}")
        old = TEXTS[20:] if kind != "file" else TEXTS[20:21]
        before = self.expected(case, kind, old)
        self.reset(kind, old)
        log = os.path.join(self.root, "log")
        self.run_program(case.command, READS=1, LOG=log)
        with open(log, "rb") as file:
            calls = file.read().count(b"\n")
        for change in CHANGES if self.full else rng.sample(CHANGES, 1):
            new = changed_texts(old, change)
            after = self.expected(case, kind, new)
            places = range(1, calls + 1)
            for at in places if self.full else [rng.choice(places)]:
                with self.subTest(case.name, change=change, call=at):
                    self.change_at(case, kind, (old, new), (before, after), change, at)
            if case.resumes:
                with self.subTest(case.name, change=change, resumed=True):
                    self.change_before_resume(case, kind, (old, new), after, change, rng)

    def change_at(self, case, kind, texts, answers, change, at):
        path = self.reset(kind, texts[0])
        content = FORMATS[kind][1](texts[1])
        stopped, code, out, err = self.run_with_change(case.command, at, lambda: put(path, content, change))
        if not stopped:
            return  # with two threads, a run may make fewer calls
        type(self).runs += 1
        label = f"seed {self.seed}, {case.name}: {' '.join(case.command)}: {change} at call {at}: exit {code}: {err}"
        if code == 0:
            # An index refers to the texts in the input; extract names the texts that have changed.
            found = shown(self.root, case, out)
            self.assertTrue(found in answers or (case.shows and self.is_noticed(kind)), label)
            return
        type(self).refused += 1
        self.assertIn(code, (1, 3), label)
        self.names_file(err, kind, label)
        self.repeat(case, answers[1], label)

    def is_noticed(self, kind):
        done = self.run_program(["index", "extract", "out"])
        return b"in/" + FORMATS[kind][0].encode() in done.stderr

    def repeat(self, case, expected, label):
        shutil.rmtree(os.path.join(self.root, "out"), ignore_errors=True)
        done = self.run_program(case.command)
        self.assertEqual(done.returncode, 0, f"{label}\nand again: {done.stderr.decode(errors='replace')}")
        self.assertTrue(shown(self.root, case, done.stdout) == expected, f"{label}\nand again: another answer")

    def change_before_resume(self, case, kind, texts, after, change, rng):
        out = os.path.join(self.root, "out")
        self.reset(kind, texts[0])
        log = os.path.join(self.root, "log")
        self.run_program(case.command, FOLDER=out, LOG=log)
        with open(log, "rb") as file:
            calls = file.read().count(b"\n")
        for _ in range(8 if self.full else 1):
            path = self.reset(kind, texts[0])
            at = rng.randrange(calls // 4, calls)
            self.run_program(case.command, FOLDER=out, AT=at)
            if not os.path.exists(os.path.join(out, "work", "run.txt")):
                continue  # killed before it started, or after it ended
            if os.path.exists(os.path.join(out, "summary.json")):
                continue
            type(self).runs += 1
            put(path, FORMATS[kind][1](texts[1]), change)
            done = self.run_program([*case.command, "--resume"])
            err = done.stderr.decode(errors="replace")
            label = (f"seed {self.seed}, {case.name}: {' '.join(case.command)}: killed at write {at}, then {change}, "
                    f"then --resume: exit {done.returncode}: {err}")
            if done.returncode == 0:  # nothing of it had been read, or the --against set was read again
                self.assertTrue(shown(self.root, case, done.stdout) == after, label)
                continue
            type(self).refused += 1
            self.assertIn(done.returncode, (2, 3), label)
            self.names_file(err, kind, label)
            self.repeat(case, after, label)

    def test_a_changed_input_is_an_error_or_makes_no_difference(self):
        chosen = []
        for kind, (_, make, _) in FORMATS.items():
            if make(TEXTS[:2]) is None:
                print(f"note: {kind} cannot be made here, and is left out", flush=True)
                continue
            chosen += [(case, kind) for case in cases(kind)
                       if not self.names or any(name in case.name for name in self.names)]
        if not self.full:
            chosen = random.Random(self.seed).sample(chosen, min(SHORT_CASES, len(chosen)))
        first, step = self.part
        for case, kind in chosen[first::step]:
            with self.subTest(case.name):
                self.one(case, kind)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    add_part_options(parser)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.jobs > 1:
        sys.exit(run_parts(options))
    Campaign.full, Campaign.seed, Campaign.names = options.full, options.seed, options.names
    Campaign.part = tuple(options.part)
    print(f"changed inputs: seed {options.seed}", flush=True)
    unittest.main(argv=[sys.argv[0]], verbosity=1)


if __name__ == "__main__":
    main()
