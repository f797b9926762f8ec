"""Shared by the command-line tests: the programs, temporary folders, generated text, and slow, obvious answers."""

import collections
import contextlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN_DIR = os.path.abspath(os.environ.get("REFRAIN_BIN_DIR") or os.path.join(SOURCE_DIR, "build", "release"))
# Every limit on time is multiplied by this: 100 means that time is not tested.
TIME_FACTOR = float(os.environ.get("REFRAIN_TIME_FACTOR", "1"))
# Sanitizers use memory of their own, which counts against no limit.
SANITIZED = os.environ.get("REFRAIN_SANITIZED") == "1"
# Some tests have a long form, with larger inputs, more kills or more faults. `make test` runs the short one.
LONG = os.environ.get("REFRAIN_LONG") == "1"
only_in_long_form = unittest.skipUnless(LONG, "only in long form: make check STAGE=long")
FIND_ALL = "simhash-find-all"
FIND_CLUSTERS = "simhash-find-clusters"

Result = collections.namedtuple("Result", "code out err")


def parse_json(text):
    """Returns the value of a JSON text. An object that names a key twice is refused: readers would disagree about its value."""
    def unique(pairs):
        twice = [name for name, count in collections.Counter(name for name, _ in pairs).items() if count > 1]
        if twice:
            raise AssertionError(f"keys that stand twice in one object: {', '.join(twice)}")
        return dict(pairs)
    return json.loads(text, object_pairs_hook=unique)


def check_json(text):
    """Refuses an output with --json, rows or a report, that has a key twice in one object. Ignores output that is
    not JSON."""
    with contextlib.suppress(ValueError):
        parse_json(text)
        return
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            parse_json(line)


def program(name="refrain"):
    """Returns the path of a program, and waits for it if it is being linked."""
    path = os.path.join(BIN_DIR, name)
    for _ in range(60):
        if os.access(path, os.X_OK):
            return path
        time.sleep(0.5)
    raise FileNotFoundError(f"{path}: not built; run 'make', or set REFRAIN_BIN_DIR")


def environment(**changes):
    """Returns the environment of a run: no color settings, plain messages."""
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE")}
    env.update(changes)
    return env


def run(*arguments, stdin=b"", timeout=120 * TIME_FACTOR, name="refrain", **more):
    """Runs the program to its end. `out` is bytes, `err` is str."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    more.setdefault("env", environment())
    done = subprocess.run([program(name), *arguments], input=stdin, capture_output=True, timeout=timeout, check=False,
                          **more)
    if "--json" in arguments:
        check_json(done.stdout)
        check_json(done.stderr)
    return Result(done.returncode, done.stdout, done.stderr.decode(errors="replace"))


def processor_seconds():
    """Returns the processor time of all child processes so far, which does not depend on the load of the machine."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class TestCase(unittest.TestCase):
    """A test with its own folder, `self.dir`, in which programs run."""

    maxDiff = 4000

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="refrain-cli-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, content=b""):
        """Writes a file, creating its parent folders; returns its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, *parts):
        with open(self.path(*parts), "rb") as file:
            return file.read()

    def run_program(self, *arguments, code=0, **more):
        """Runs the program in self.dir and checks the exit code."""
        more.setdefault("cwd", self.dir)
        result = run(*arguments, **more)
        message = f"{arguments}: {result.err}{result.out[-500:]!r}"
        if code is None:
            self.assertNotIn(result.code, (2, 3), message)
        else:
            self.assertEqual(result.code, code, message)
        return result

    def assert_kept_memory(self, summary, *what):
        """Checks that the run with this summary stayed within its memory limit."""
        if not SANITIZED:
            self.assertLessEqual(summary["run"]["peak_rss_bytes"], summary["run"]["memory_bytes"], what)

    @contextlib.contextmanager
    def at_most(self, seconds):
        """The commands run in this context take at most `seconds` of processor time."""
        start = processor_seconds()
        yield
        self.assertLess(processor_seconds() - start, seconds * TIME_FACTOR)

    def near(self, *arguments, output="out", code=0, **more):
        """Runs `refrain near` into self.dir/<output>. Returns Near, or None if it was expected to fail."""
        self.run_program("near", *arguments, "-o", output, "-q", code=code, **more)
        return Near(self.path(output)) if code == 0 else None

    def on_small_disk(self, command, megabytes=1):
        """Runs a shell command in which ./disk is a temporary file system of the given size, and returns its output.
        $REFRAIN is the program."""
        if os.geteuid() != 0 or shutil.which("unshare") is None:
            self.skipTest("a small disk can be mounted by root only")
        os.makedirs(self.path("disk"), exist_ok=True)
        script = f"mount -t tmpfs -o size={megabytes}m none disk || exit 99\n{command}"
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script], cwd=self.dir, capture_output=True,
                              timeout=60, check=False, env=environment(REFRAIN=program()))
        if done.returncode == 99 or b"unshare" in done.stderr:
            self.skipTest(f"a small disk cannot be mounted here: {done.stderr.decode().strip()}")
        return done.stdout.decode()

    def listing(self, *parts):
        return sorted(os.listdir(self.path(*parts)))


class Near:
    """The output of near: bytes of both tables, their rows, and the summary."""

    def __init__(self, folder):
        with open(os.path.join(folder, "matches.tsv"), "rb") as file:
            self.matches_bytes = file.read()
        with open(os.path.join(folder, "clusters.tsv"), "rb") as file:
            self.clusters_bytes = file.read()
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            self.summary = parse_json(file.read())
        self.matches = table(self.matches_bytes, "id1\tid2\tdiff")
        self.clusters = table(self.clusters_bytes, "id\tsimhash\tcluster")

    def answer(self):
        """Returns everything that must not depend on how near was run."""
        summary = {key: value for key, value in self.summary.items() if key != "run"}
        return self.matches_bytes, self.clusters_bytes, summary


MADE_WITH = "refrain fingerprint version=2 tokenizer=words-nfkc hash=xxh3 window=3 seed=0 tie=0 stop_words=none"


def table(content, header):
    """Returns the rows of a TSV as lists of strings. Its first line must be `header`, after an optional line with the
    options of the fingerprints, and its last line must end with a newline."""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    names, _, options = lines[0].rpartition("\t")
    made_with = options.startswith(MADE_WITH[:20])
    if (names if made_with else lines[0]) != header or lines[-1] != "":
        raise AssertionError(f"no table with the header {header!r}: {content[:200]!r}")
    rows = [line.split("\t") for line in lines[1:-1]]
    if not made_with:
        return rows
    if wrong := [row for row in rows if len(row) != header.count("\t") + 2 or row[-1] != ""]:
        raise AssertionError(f"not a row with an empty last cell: {wrong[0]}")
    return [row[:-1] for row in rows]


def fingerprints(*arguments, **more):
    """Returns [id, hash or None] of every document, by `refrain fingerprint`."""
    result = run("fingerprint", *arguments, "-q", **more)
    if result.code != 0 and not (result.code == 3 and "no document was read" in result.err):
        raise AssertionError(result.err)
    return [[name, int(value) if value else None] for name, value in table(result.out, "id\tsimhash")]


# ---- slow, obvious answers


def difference(a, b):
    return bin(a ^ b).count("1")


def components(size, edges):
    """For each of 0..size-1, returns the least number that edges connect it to."""
    neighbours = [[] for _ in range(size)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    least = [-1] * size
    for start in range(size):
        if least[start] >= 0:
            continue
        least[start] = start
        waiting = [start]
        while waiting:
            for other in neighbours[waiting.pop()]:
                if least[other] < 0:
                    least[other] = start
                    waiting.append(other)
    return least


def expected_near(rows, distance=8, all_pairs=False):
    """Returns the rows of matches.tsv and clusters.tsv for rows of [id, hash or None], if no record is bad."""
    first = {}
    for at, (_, value) in enumerate(rows):
        if value is not None:
            first.setdefault(value, at)
    edges = []
    for i, (_, a) in enumerate(rows):
        for j in range(i + 1, len(rows)):
            b = rows[j][1]
            if a is None or b is None or difference(a, b) > distance:
                continue
            if all_pairs or (first[a] == i and (a == b or first[b] == j)):
                edges.append((i, j))
    matches = [[rows[i][0], rows[j][0], str(difference(rows[i][1], rows[j][1]))] for i, j in edges]
    least = components(len(rows), edges)
    sizes = collections.Counter(least)
    clusters = [[name, "" if value is None else str(value), str(least[at] if sizes[least[at]] > 1 else -1)]
                for at, (name, value) in enumerate(rows)]
    return matches, clusters


# ---- generated text


def vocabulary(size, seed=1):
    rng = random.Random(seed)
    letters = "etaoinshrdlucmfw"
    return ["".join(rng.choice(letters) for _ in range(rng.randint(2, 9))) for _ in range(size)]


def sentence(rng, words, count):
    return " ".join(rng.choices(words, k=count))


def changed(rng, text, words, count):
    """Returns `text` with `count` of its words replaced."""
    out = text.split(" ")
    for at in rng.sample(range(len(out)), min(count, len(out))):
        out[at] = rng.choice(words) + "x"
    return " ".join(out)


def documents(count, seed=7, length=120):
    """Texts of one line: new ones, copies, re-cased copies, slightly changed ones, chains of those, and short ones."""
    rng = random.Random(seed)
    words = vocabulary(2000)
    out = []
    while len(out) < count:
        kind = rng.random()
        if kind < 0.45 or not out:
            out.append(sentence(rng, words, rng.randint(length // 2, length * 2)))
        elif kind < 0.6:
            out.append(rng.choice(out))
        elif kind < 0.65:
            out.append(rng.choice(out).upper().replace(" ", ", "))
        elif kind < 0.92:
            out.append(changed(rng, rng.choice(out), words, 1))
        elif kind < 0.96:
            out.append(sentence(rng, words, rng.randint(0, 2)))
        else:
            out.append("")
    return out


def jsonl(texts, **fields):
    """Returns one JSON object per line; the value of each field is a function of the line's number."""
    rows = ({**{name: make(i) for name, make in fields.items()}, "text": text} for i, text in enumerate(texts))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def lines(texts):
    return "".join(text + "\n" for text in texts)


@contextlib.contextmanager
def running(*arguments, name="refrain", **more):
    """A running program, which is ended when the block ends."""
    more.setdefault("env", environment())
    with subprocess.Popen([program(name), *arguments], **more) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def wait_until(condition, seconds=20):
    """Returns whether the condition became true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.002)
    return False


def say(message):
    """Prints a remark for the log, such as a variant that was not run."""
    print(f"note: {message}", flush=True)


def sizes_in(message):
    """Returns the sizes with units in a message, in bytes."""
    units = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    return [float(number) * units[unit] for number, unit in re.findall(r"([0-9.]+) (bytes|KiB|MiB|GiB)", message)]


def main():
    unittest.main(verbosity=2)
