"""Read-side faults: every call with which a verb looks at a file fails in turn, in every way a disk can fail.

A run that meets a fault must either end with an error, in one line that names a file, after which the same command
(with --resume if a run was started) gives the fault-free answer; or it must succeed with the fault-free answer, byte
for byte. Crashes, silent losses, and runs that cannot be continued are failures.

    read_faults.py [--full | --every-error] [--seed N] [--calls N] [--jobs N] [NAME...]

Without a flag some calls of each command fail; with --full every call does, in two ways that the seed draws; with
--every-error in every way. NAME selects commands by a part of their name.
"""

import argparse
import errno
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cli"))
from program import BIN_DIR, SOURCE_DIR, TIME_FACTOR, documents, environment, jsonl, lines, program  # noqa: E402

FAULTS = os.path.join(BIN_DIR, "faults.so")
ERRORS = [errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENOMEM, errno.EACCES, errno.EINTR, "short"]
TEXTS = documents(90, seed=11, length=60)
ROWS = jsonl(TEXTS, id=lambda at: f"d{at}")
COMMON = ["--threads", "2", "-q"]


def table(delimiter):
    rows = [delimiter.join(("id", "text"))]
    rows += [delimiter.join((f"d{at}", text.replace(delimiter, " "))) for at, text in enumerate(TEXTS)]
    return "\n".join(rows) + "\n"


def archive():
    out = b""
    for at, text in enumerate(TEXTS):
        page = f"<html><body><p>{text}</p></body></html>".encode()
        reply = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
        head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.example/{at}\r\n"
                f"WARC-Record-ID: <urn:uuid:{at}>\r\nContent-Type: application/http\r\n"
                f"Content-Length: {len(reply)}\r\n\r\n").encode()
        out += gzip.compress(head + reply + b"\r\n\r\n", 1, mtime=0)
    return out


def parquet(path, rows=None):
    """Writes two row groups. Returns False if Arrow for Python is missing."""
    packages = os.path.join(SOURCE_DIR, "build", "deps", "python")
    script = ("import pyarrow as pa, pyarrow.parquet as pq, json, sys; rows = [json.loads(l) for l in sys.stdin]; "
              "pq.write_table(pa.table({k: [r[k] for r in rows] for k in ('id', 'text')}), sys.argv[1],"
              " row_group_size=50)")
    done = subprocess.run([sys.executable, "-c", script, path], input=(rows or ROWS).encode(), check=False,
                          capture_output=True, env=environment(PYTHONPATH=packages))
    return done.returncode == 0


def write_inputs(folder):
    """Writes one folder per format, with two files each, as a user would have them; only those that can be made here.
    """
    half = len(ROWS) // 2
    half = ROWS.index("\n", half) + 1
    files = {"jsonl": {"a.jsonl": ROWS[:half], "b.jsonl": ROWS[half:]},
             "gzip": {"a.jsonl.gz": gzip.compress(ROWS[:half].encode(), 1, mtime=0),
                      "sub/b.jsonl.gz": gzip.compress(ROWS[half:].encode(), 1, mtime=0)},
             "csv": {"a.csv": table(",").replace('"', "")}, "tsv": {"a.tsv": table("\t")},
             "warc": {"a.warc.gz": archive()},
             "files": {f"{'sub/' if at % 3 else ''}{at}.txt": text for at, text in enumerate(TEXTS[:20])},
             "lines": {"a.txt": lines(TEXTS)}}
    for kind, named in files.items():
        for name, content in named.items():
            path = os.path.join(folder, "in", kind, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
    kinds = list(files)
    for kind, name, make in (("zstd", "a.jsonl.zst", zstd), ("parquet", "a.parquet", parquet)):
        path = os.path.join(folder, "in", kind, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if make(path):
            kinds.append(kind)
        else:
            print(f"note: {kind} cannot be made here, and is left out", flush=True)
    with open(os.path.join(folder, "items.jsonl"), "w", encoding="utf-8") as file:
        file.write(jsonl([" ".join(text.split()[5:30]) for text in TEXTS[3:60:9]], id=lambda at: f"t{at}"))
    return kinds


def zstd(path):
    return shutil.which("zstd") is not None and subprocess.run(["zstd", "-q", "-o", path], input=ROWS.encode(),
                                                               check=False).returncode == 0


def reading(kind):
    return {"lines": ["--format", "lines"], "files": [], "warc": []}.get(kind, ["--id-field", "id"])


# A command: commands to run before it without faults, the command itself, and commands that show its answer if the
# folder that it makes is not the answer.
class Case:
    def __init__(self, name, command, before=(), shows=()):
        self.name, self.command, self.before, self.shows = name, command, before, shows
        self.resumes = command[0] == "dedup"


def cases(kinds):
    found = []
    for kind in kinds:
        read = [f"in/{kind}", *reading(kind)]
        apply = ["--apply"] if kind != "warc" else []
        found += [Case(f"dedup-{kind}", ["dedup", *read, "--apply", "-o", "out", "--sample", "20", *COMMON]),
                  Case(f"near-{kind}", ["near", *read, "-o", "out", *COMMON]),
                  Case(f"fingerprint-{kind}", ["fingerprint", *read, *COMMON]),
                  Case(f"substrings-{kind}", ["substrings", *read, *apply, "--length", "60", "-o", "out", *COMMON]),
                  Case(f"ngrams-{kind}", ["ngrams", "build", *read, "-n", "4", "-o", "out", *COMMON]),
                  Case(f"index-create-{kind}", ["index", "create", "out", *read, *COMMON], shows=LOOKS)]
    jsonl_in = ["in/jsonl", "--id-field", "id"]
    create = ["index", "create", "out", "in/gzip", "--id-field", "id", *COMMON]
    refer = ["index", "create", "out", "in/files", *COMMON]
    ngrams = ["ngrams", "build", *jsonl_in, "-n", "4", "-o", "grams", *COMMON]
    run = ["dedup", *jsonl_in, "-o", "run", *COMMON]
    found += [
        Case("dedup-all", ["dedup", *jsonl_in, "--apply", "--annotate", "--substrings", "60",
                           "--against", "items.jsonl", "--against-id-field", "id", "-o", "out", "--sample", "20",
                           *COMMON]),
        Case("dedup-dolma", ["dedup", *jsonl_in, "--attributes", "dolma", "-o", "out", *COMMON]),
        Case("dedup-simhash", ["dedup", *jsonl_in, "--near", "simhash", "-o", "out", *COMMON]),
        Case("explain-run", ["explain", "--run", "run", "d7"], [run]),
        Case("explain", ["explain", "d1", "d2", "--in", *jsonl_in]),
        Case("index-add", ["index", "add", "out", "in/files", *COMMON], [create], LOOKS),
        Case("index-replace", ["index", "add", "out", "in/jsonl", "--id-field", "id", "--replace", *COMMON], [create],
             LOOKS),
        Case("index-remove", ["index", "remove", "out", "d3", "d9"], [create], LOOKS),
        Case("index-merge", ["index", "merge", "out", "-q"],
             [create, ["index", "add", "out", "in/files", *COMMON]], LOOKS),
        Case("index-query", ["index", "query", "out", "in/files/0.txt", "-q"], [create]),
        Case("index-extract", ["index", "extract", "out", *COMMON], [create]),
        Case("index-extract-referred", ["index", "extract", "out", *COMMON], [refer]),
        Case("index-blots", ["index", "blots", "out", "-q"], [create]),
        Case("index-stats", ["index", "stats", "out"], [create]),
        Case("index-check", ["index", "check", "out", "--json"], [create]),
        Case("library-stats", ["library", "stats", "shelf"]),
        Case("library-check", ["library", "check", "shelf", "-q"]),
        Case("library-export", ["library", "export", "shelf", "-q"]),
        Case("library-remove", ["library", "remove", "shelf", "--source", "example9.org", "-q"], shows=SHELF),
        Case("library-merge", ["library", "merge", "shelf", "-q"], shows=SHELF),
        Case("ngrams-show", ["ngrams", "show", "grams", "-q"], [ngrams]),
        Case("ngrams-check", ["ngrams", "check", "grams", "--json"], [ngrams]),
        Case("ngrams-stats", ["ngrams", "stats", "grams"], [ngrams]),
        Case("match", ["match", "hashes.tsv", "hashes.tsv", "-q"], [["fingerprint", *jsonl_in, "-q"]]),
    ]
    return found


SHELF = [["library", "export", "shelf", "-q"], ["library", "check", "shelf", "-q"]]
LOOKS = [["index", "extract", "out", "-q"], ["index", "check", "out", "-q"]]


def run_in(folder, command, **settings):
    more = {f"FAULTS_{key}": str(value) for key, value in settings.items()}
    if more:
        more |= {"LD_PRELOAD": FAULTS, "FAULTS_READS": "1", "FAULTS_FOLDER": folder}
    return subprocess.run([program(), *command], cwd=folder, capture_output=True, check=False, timeout=60 * TIME_FACTOR,
                          stdin=subprocess.DEVNULL, env=environment(TMPDIR=os.path.join(folder, "tmp"), **more))


def timeless(text):
    return re.sub(rb'"(seconds|peak_rss_bytes|temp_peak_bytes)": ?[0-9.e+-]+', b'""', text)


def answer(folder, case, printed):
    """Returns all results of a command by name, without what it cost."""
    files = {"stdout": timeless(printed)}
    for look in case.shows:
        shown = run_in(folder, look)
        files[" ".join(look)] = (shown.returncode, timeless(shown.stdout))
    out = os.path.join(folder, "out")
    if case.shows or not os.path.isdir(out):
        return files
    for above, _, names in os.walk(out):
        for name in names:
            with open(os.path.join(above, name), "rb") as file:
                files[os.path.relpath(os.path.join(above, name), out)] = file.read()
    if "summary.json" in files:
        # A complete run may have left its working files.
        files = {name: content for name, content in files.items() if not name.startswith("work/")}
        summary = json.loads(files["summary.json"])
        summary.pop("run", None)
        files["summary.json"] = summary
    if "report.html" in files:
        files["report.html"] = re.sub(rb'(?s)<section aria-labelledby="cost">.*?</section>', b"", files["report.html"])
    return files


class Campaign(unittest.TestCase):
    full = False
    errors = 2  # ways in which each call fails
    seed = 0
    names = ()
    calls = 4
    part = (0, 1)  # the first command to try, and the distance to the next
    runs = 0
    refused = 0

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(FAULTS):
            raise unittest.SkipTest(f"skipped: {FAULTS} is not built; a sanitizer's library wants to be loaded first")
        cls.root = os.path.realpath(tempfile.mkdtemp(prefix="refrain-faults-"))
        cls.kinds = write_inputs(cls.root)

    @classmethod
    def tearDownClass(cls):
        if hasattr(cls, "root"):
            shutil.rmtree(cls.root, ignore_errors=True)
            print(f"read faults: {cls.runs} runs, of which {cls.refused} ended with an error, seed {cls.seed}",
                  flush=True)

    def prepare(self, case):
        """Makes the folder as it is before the command, to be copied for each run."""
        for name in ("out", "run", "grams", "hashes.tsv", "tmp"):
            path = os.path.join(self.root, name)
            shutil.rmtree(path, ignore_errors=True)
            if os.path.isfile(path):
                os.remove(path)
        os.mkdir(os.path.join(self.root, "tmp"))
        shutil.rmtree(os.path.join(self.root, "shelf"), ignore_errors=True)
        shutil.copytree(os.path.join(SOURCE_DIR, "tests", "compat", "v1", "library"), os.path.join(self.root, "shelf"))
        for command in case.before:
            done = run_in(self.root, command)
            self.assertEqual(done.returncode, 0, done.stderr)
            if command[0] == "fingerprint":
                with open(os.path.join(self.root, "hashes.tsv"), "wb") as file:
                    file.write(done.stdout)
        self.ready = {name for name in ("out", "run", "grams", "shelf") if os.path.isdir(os.path.join(self.root, name))}
        for name in self.ready:
            shutil.copytree(os.path.join(self.root, name), os.path.join(self.root, "ready", name))

    def reset(self):
        for name in ("out", "run", "grams", "shelf"):
            shutil.rmtree(os.path.join(self.root, name), ignore_errors=True)
        for name in self.ready:
            shutil.copytree(os.path.join(self.root, "ready", name), os.path.join(self.root, name))

    def one(self, case):
        rng = random.Random(f"{self.seed} {case.name}")  # independent of other commands
        self.prepare(case)
        log = os.path.join(self.root, "log")
        try:
            whole = run_in(self.root, case.command, LOG=log)
            self.assertEqual(whole.returncode, 0, whole.stderr)
            expected = answer(self.root, case, whole.stdout)
            with open(log, encoding="utf-8") as file:
                calls = [call.replace(self.root, "") for call in file.read().splitlines()]
            os.remove(log)
            numbers = range(1, len(calls) + 1)
            pairs = [(number, error) for number in numbers for error in ERRORS]
            if self.errors < len(ERRORS):
                pairs = [(number, error) for number in numbers for error in rng.sample(ERRORS, self.errors)]
            if not self.full:
                pairs = rng.sample(pairs, min(self.calls, len(pairs)))
            for number, error in sorted(pairs, key=str):
                stays = error not in ("short", errno.EINTR) and rng.random() < 0.5
                with self.subTest(case.name, call=number, error=error):
                    try:
                        self.fault(case, expected, calls[number - 1], number, error, stays)
                    except AssertionError as failure:
                        print(f"failed: {failure}", flush=True)  # immediately, because a full run takes long
                        raise
        finally:
            shutil.rmtree(os.path.join(self.root, "ready"), ignore_errors=True)

    def fault(self, case, expected, call, number, error, stays):
        self.reset()
        how = {"SHORT": 1, "ERRNO": errno.EIO} if error == "short" else {"ERRNO": error}
        if stays:
            how["STAYS"] = 1
        done = run_in(self.root, case.command, AT=number, **how)
        name = error if error == "short" else errno.errorcode[error]
        label = (f"seed {self.seed}, {case.name}: {' '.join(case.command)}: call {number}, {call}: {name}"
                f"{', which stays' if stays else ''}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
        type(self).runs += 1
        if done.returncode == 0:
            self.compare(answer(self.root, case, done.stdout), expected, label)
            return
        type(self).refused += 1
        self.assertIn(done.returncode, (1, 5) if error == errno.ENOMEM else (1,), label)
        self.assertRegex(done.stderr.decode(errors="replace"), r"^refrain: [^\n]+: [^\n]+\n$", label)
        if b"the change was made" in done.stderr:
            # Committed, though perhaps not yet safe on the disk: nothing needs to be repeated.
            self.compare(answer(self.root, case, expected["stdout"]), expected, label)
            return
        again = list(case.command)
        if case.resumes and os.path.exists(os.path.join(self.root, "out", "work", "run.txt")):
            again.append("--resume")
        elif case.resumes and os.path.isdir(os.path.join(self.root, "out")):
            again.append("--force")
        if case.resumes and "--resume" in again and os.path.exists(os.path.join(self.root, "out", "summary.json")):
            again.remove("--resume")
            again.append("--force")
        done = run_in(self.root, again)
        self.assertEqual(done.returncode, 0, f"{label}\nand again: {done.stderr.decode(errors='replace')}")
        self.compare(answer(self.root, case, done.stdout), expected, f"{label}\nand again")

    def compare(self, found, expected, label):
        self.assertEqual(sorted(found), sorted(expected), label)
        for name, content in expected.items():
            self.assertTrue(found[name] == content, f"{label}: {name} is another")

    def test_every_call_that_fails_is_an_error_or_makes_no_difference(self):
        chosen = [case for case in cases(self.kinds)
                  if not self.names or any(name in case.name for name in self.names)]
        first, step = self.part
        for case in chosen[first::step]:
            with self.subTest(case.name):
                self.one(case)


def add_part_options(parser):
    parser.add_argument("--jobs", type=int, default=1, help="commands to try at the same time (1)")
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help=argparse.SUPPRESS)


def run_parts(options):
    """Runs this program once for each job, with a part of the commands. Returns the exit code."""
    jobs = [subprocess.Popen([sys.executable, *sys.argv, "--seed", str(options.seed), "--jobs", "1",
                              "--part", str(at), str(options.jobs)]) for at in range(options.jobs)]
    return max([job.wait() for job in jobs])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--every-error", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--calls", type=int, default=Campaign.calls,
                        help="of each command that fail without --full (4)")
    add_part_options(parser)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.jobs > 1:
        sys.exit(run_parts(options))
    if options.every_error:
        options.full, Campaign.errors = True, len(ERRORS)
    Campaign.full, Campaign.seed, Campaign.names = options.full, options.seed, tuple(options.names)
    Campaign.calls, Campaign.part = options.calls, tuple(options.part)
    print(f"read faults: seed {options.seed}", flush=True)
    unittest.main(argv=[sys.argv[0]], verbosity=1)


if __name__ == "__main__":
    main()
