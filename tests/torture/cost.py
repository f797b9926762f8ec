"""Cost: a search for the inputs that take the most time and memory per byte, in every format, verb and request.

An input may take at most one second of CPU time per megabyte, and the program may use at most 10% more memory than
--memory. The file is in a folder beside a good one: whatever the file is, the run must succeed and decide on the good
document. Inputs come from the grammars of hostile.py. The search draws their genes at random, varies the most
expensive inputs, and enlarges them, to find costs that grow faster than the input. Programs run with limits on CPU
time, memory and file size.

    cost.py [--full] [--seed N] [--jobs N] [--minutes M] [--keep FOLDER] [FORMAT...]

Without --full it runs the known worst inputs and some draws of each format. With --full it searches each format for M
minutes. The seed determines the draws; how the search continues depends on the costs it measures, so each failing
input is kept in FOLDER with the command that reads it.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import ctypes
import json
import lzma
import os
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cli"))
from program import SANITIZED, SOURCE_DIR, TIME_FACTOR, environment, jsonl, program  # noqa: E402
import hostile  # noqa: E402

MB = 1e6
SECONDS_PER_MB = 1.0
# `match` counts all rows within the distance; with --against, each piece of a document may lie in 64 items.
SECONDS_PER_MB_OF = {"match": 8.0, "dedup against": 8.0}
# A large answer counts with the input. `near` finds all pairs within the distance, and verifies each of them.
ANSWERS = {"index query": lambda path: 2 * os.path.getsize(path("printed")),
           "substrings": lambda path: os.path.getsize(path("out/passages.jsonl")),
           "near": lambda path: 2 * summary_of(path("out"))["candidates"]}
ANSWER_SECONDS = 60  # until a large answer must be complete
SMALL_SECONDS = 2.0  # for inputs below a few megabytes, which must not take long either
MEMORY = 256 << 20
SERVE_MEMORY = 128 << 20
OVER = 1.1
ADDRESS_SPACE = 4 << 30
FILE_SIZE = 1 << 30
HANG = 40  # seconds of wall time per allowed second of CPU time, because a slow run on a busy machine is not a hang
FIRST_SIZE, LAST_SIZE, MOST_SIZE = 128 << 10, 2 << 20, 48 << 20
MOST_BODY, MOST_CONNECTIONS = (8 << 20) - (1 << 16), 16
ELITE = 8
MOST_FAILURES = 3  # per shape and fault; after that, the search looks for other faults
SIDE_GENES = ("damage", "random", "other", "packed", "tokenizer", "verb")
GOOD = "good.txt"
GOOD_TEXT = "the one good document of this folder, which must be decided whatever lies beside it\n"
TOKENIZERS = ("", "", "", "words", "whitespace", "whitespace-lower", "alpha", "code", "code-kinds", "chars", "bytes",
              "dna")

# The commands of each verb. IN is the folder with the input, FILE the input file.
VERBS = {
    "fingerprint": [["fingerprint", "IN"]],
    "text": [["text", "IN"]],
    "dedup": [["dedup", "IN", "-o", "out", "--apply"]],
    "dedup against": [["dedup", "IN", "-o", "out", "--against", "IN"]],
    "dedup substrings": [["dedup", "IN", "-o", "out", "--substrings", "60"]],
    "near": [["near", "IN", "-o", "out", "--verify"]],
    "substrings": [["substrings", "IN", "-o", "out", "--groups"]],
    "ngrams": [["ngrams", "build", "IN", "-o", "out"]],
    "index create": [["index", "create", "out", "IN"]],
    "index query": [["index", "create", "out", "IN"], ["index", "query", "out", "IN"]],
    "index extract": [["index", "create", "out", "IN"], ["index", "extract", "out"]],
    "explain": [["explain", "FILE", "FILE"]],
    "match": [["match", "FILE", "FILE"]],
}
WITH_TOKENIZER = ("fingerprint", "near", "ngrams", "index create")
# All verbs that read formats parse them alike, so most draws use a cheap one; inputs of text are for all verbs.
READING = ("fingerprint",) * 5 + ("text", "dedup", "explain")
ALL = tuple(verb for verb in VERBS if verb != "match")
# These verbs write lines for each document, so that a document counts as at least LINE_BYTES.
DECIDING = ("dedup", "dedup against", "dedup substrings", "near", "index create", "index query", "index extract")
LINE_BYTES = 16
RECORDS = ("lines", "jsonl", "json", "csv", "tsv", "warc", "warc.gz", "mbox", "parquet", "arrow")
FLAGS = {"lines": ["--format", "lines"]}

REQUEST_HEADS = (b'{"text":"', b'{"id":"', b'{"id":"{n}","text":"', b'{"id":"{c}","text":"', b'{"text":"a","with":[',
                 b'{"text":"a","exclude":[', b"[", b"{",
                 b'{"a":', b'{"text":', b"")
REQUEST_TAILS = (b'"}', b'"}\n', b"]}", b"}", b"\n", b"")
RAW_ITEMS = (b"a", b"%41", b"/", b"?a=b", b"&a=b", b"A: b\r\n", b"Host: localhost\r\n", b"1\r\na\r\n", b"\r\n", b" ",
             b"\0", b"Transfer-Encoding: chunked\r\n",
             b"Content-Length: 5\r\n", b"0\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
             b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
             b"GET /v1/passages HTTP/1.1\r\nHost: localhost\r\n\r\n",
             b"GET /v1/documents/d1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
RAW_HEADS = (b"GET /v1/documents/", b"GET /v1/passages?",
             b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
             b"GET /healthz HTTP/1.1\r\n", b"")
TOKEN = "a-token-of-the-test"

# Inputs that were once too expensive. Genes that are not listed have their first value.
KNOWN = [
    ("warc.gz", "restarts", 30 << 10, {}),
    ("warc", "pump", 256 << 10, {"item": b"WARC/1\n", "per": 1 << 30}),
    ("mbox", "pump", 1 << 20, {"item": b"=?{s}?q?a?= ", "per": 100, "tail": b"\n\na\n\n"}),
    ("zip", "zip", 100 << 10, {"overlap": "same", "kernel": 1 << 20}),
    ("tar", "tar", 200 << 10, {"packing": ".gz", "long": "x", "path_bytes": 1 << 20, "count": 1}),
    ("xz", "members", 100, {"first": b"", "member": hostile.xz_dictionary(b"a\n", 40), "count": 1}),
    ("troff", "pump", 180 << 10, {"prefix": b".Dd x\n.Dt A 1\n.Os\n.Nm " + b"n" * 60000 + b"\n", "item": b".Nm\n",
                                  "per": 1 << 30}),
    ("csv", "pump", 24 << 20, {"prefix": b"text,", "item": b"a,", "per": 1 << 30}),
    ("serve-query", "pump", 8 << 20, {"head": b"[", "item": b"[", "per": 1 << 30, "connections": 16, "threads": "16"}),
    ("serve-query", "pump", 8 << 20, {"head": b'{"text":"a","with":[', "item": b'"a",', "per": 1 << 30,
                                      "connections": 16, "threads": "16"}),
    ("serve-seen", "pump", 2 << 20, {"head": b'{"id":"{c}","text":"', "item": b"", "per": 0, "tail": b'"}\n'}),
    ("warc", "pump", 200 << 10, {"prefix": b"WARC/1.0\r\n", "item": b"WARC/1.0\r\n", "per": 100, "tail": b"\n",
                                 "packed": ".xz", "verb": "dedup"}),
    ("text", "pump", 1 << 20, {"head": b"w{n} ", "item": b"A-", "per": 100, "tail": b"\n", "verb": "index query"}),
    ("lines", "pump", 1 << 20, {"head": b"w{n} ", "item": b"\n", "per": 3, "tail": b"\n", "verb": "index query"}),
    ("xz", "members", 128 << 10, {"member": lzma.compress(b"\n" * 60000, preset=0), "count": 1 << 30,
                                  "verb": "text"}),
    ("arrow", "columns", 8 << 20, {"length": 2000, "group": 1, "dictionary": True, "rows": 20000}),
]


def summary_of(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


class Cost(typing.NamedTuple):
    """The cost of a run: seconds of CPU time beyond those of an empty run, peak memory in bytes, size of the input."""

    cpu: float
    peak: int
    rest: int  # the peak of a run without the input
    size: int
    stands_for: int
    code: int
    told: str
    memory: int
    command: str
    seconds_per_mb: float = SECONDS_PER_MB

    @property
    def allowed(self):
        return max(SMALL_SECONDS, self.seconds_per_mb * self.stands_for / MB) * TIME_FACTOR

    @property
    def per_mb(self):
        return self.cpu / max(self.stands_for / MB, 0.01)

    @property
    def memory_per_byte(self):
        return max(0, self.peak - self.rest) / max(self.stands_for, FIRST_SIZE // 2)

    def score(self, time_counts=True, memory_counts=True):
        """What the search maximizes: seconds per MB, or memory, where 32 bytes per byte of input count as much as a
        second."""
        seconds = self.cpu / max(self.stands_for / MB, 0.1) / self.seconds_per_mb
        return max(seconds * time_counts, self.memory_per_byte / 32 * memory_counts)

    def faults(self):
        found = []
        if self.cpu > self.allowed:
            found.append("time")
        if not SANITIZED and self.peak > OVER * self.memory:
            found.append("memory")
        if self.told and "time" not in found:
            found.append("outcome")
        return found

    def __str__(self):
        stands = f", which stand for {self.stands_for:,}" if self.stands_for != self.size else ""
        told = f": {self.told}" if self.told else ""
        return (f"{self.size:,} bytes{stands}: {self.cpu:.2f} s, {self.per_mb:.2f} s/MB, peak {self.peak / MB:.0f} MB "
                f"of {self.memory / MB:.0f}, exit code {self.code}{told}\n    {self.command}")


def all_shapes():
    found = hostile.shapes(os.path.join(SOURCE_DIR, "build", "deps", "python"))
    found |= {"serve-query": [hostile.Shape("serve-query", 0, hostile.Pump(heads=REQUEST_HEADS, items=hostile.ESCAPES,
                                                                           closes=(b"", b"]", b"}"),
                                                                           tails=REQUEST_TAILS), "")]}
    found["serve-documents"] = [hostile.Shape("serve-documents", 0, found["serve-query"][0].grammar, "")]
    found["serve-seen"] = [hostile.Shape("serve-seen", 0, found["serve-query"][0].grammar, "")]
    found["serve-http"] = [hostile.Shape("serve-http", 0, hostile.Pump(heads=RAW_HEADS, items=RAW_ITEMS,
                                                                       tails=(b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                                                              b"\r\n", b"")), "")]
    for format_, kinds in found.items():
        for shape in kinds:
            if format_.startswith("serve-"):
                shape.genes |= {"verb": (format_,), "connections": (1, 1, 4, MOST_CONNECTIONS), "threads": ("2", "16")}
            else:
                verbs = ("match",) if format_ == "rows" else ALL if format_ in ("text", "lines", "jsonl") else READING
                shape.genes |= {"verb": verbs, "tokenizer": TOKENIZERS}
    return found


# ---- running


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def limit_child(seconds):
    def limit():
        end_with_parent()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A sanitizer reserves terabytes of address space, which it never uses.
    return end_with_parent if SANITIZED else limit


def finished(process, seconds):
    """Waits for a process, and kills it if it hangs. Returns (exit code, CPU seconds, peak memory in bytes)."""
    watchdog = threading.Timer(seconds, process.kill)
    watchdog.start()
    _, status, usage = os.wait4(process.pid, 0)
    watchdog.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


class Arena:
    """A folder in which inputs are made and programs run. Inputs are made by a separate process: Linux counts the
    memory of the parent in the peak of a child, so this process must stay small."""

    def __init__(self, root):
        self.root = root
        self.baselines = {}

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def clear(self):
        for name in os.listdir(self.root):
            path = self.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        os.makedirs(self.path("in"))
        os.makedirs(self.path("tmp"))
        with open(self.path("in", GOOD), "w", encoding="utf-8") as file:
            file.write(GOOD_TEXT)

    def make(self, shape, genes, size):
        """Writes the input. Returns its name, its size, and the number of bytes it stands for."""
        self.clear()
        child = os.fork()
        if child == 0:
            try:
                data, ending, stands_for, lines = shape.make(genes, size)
                if genes["verb"] in DECIDING:
                    stands_for = max(stands_for, LINE_BYTES * lines)
                with open(self.path("in", f"hostile{ending}"), "wb") as file:
                    file.write(data)
                with open(self.path("made"), "w", encoding="utf-8") as file:
                    json.dump([f"hostile{ending}", len(data), max(stands_for, len(data))], file)
                os._exit(0)
            except BaseException as error:  # noqa: B902
                print(f"{shape.name} {genes}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        if status != 0:
            raise RuntimeError(f"{shape.name} cannot be made")
        with open(self.path("made"), encoding="utf-8") as file:
            return json.load(file)

    def run(self, words, seconds):
        command = [program(), *words]
        with open(self.path("printed"), "wb") as out, open(self.path("told"), "wb") as err:
            process = subprocess.Popen(command, cwd=self.root, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env=environment(TMPDIR=self.path("tmp")), preexec_fn=limit_child(seconds))
            code, cpu, peak = finished(process, HANG * seconds)
        with open(self.path("told"), encoding="utf-8", errors="replace") as file:
            return code, cpu, peak, file.read(2000).strip()

    def words(self, verb, format_, name, tokenizer):
        for words in VERBS[verb]:
            replaced = {"IN": "in", "FILE": f"in/{name}"}
            more = ["--memory", str(MEMORY), "-q"] + FLAGS.get(format_, []) * (words[1] in ("IN", "build", "create")
                                                                               or verb == "index query")
            more += ["--threads", "2"] if words[0] not in ("explain", "match") and words[:2] != ["index",
                                                                                                 "extract"] else []
            more += ["--tokenizer", tokenizer] if tokenizer and verb in WITH_TOKENIZER else []
            yield [replaced.get(word, word) for word in words] + more

    def rest(self, verb, format_):
        """Returns CPU seconds and peak of a run with only good files."""
        if (verb, format_) not in self.baselines:
            self.clear()
            name = "hostile.tsv" if verb == "match" else "hostile.txt"
            with open(self.path("in", name), "wb") as file:
                file.write(hostile.ROWS + b"a\t17\n" if verb == "match" else b"a few other words\n")
            runs = [self.run(words, 10) for words in self.words(verb, format_, name, "")]
            if wrong := [told for code, _, _, told in runs if code not in (0, 1)]:
                raise RuntimeError(f"{verb}: {wrong}")
            self.baselines[verb, format_] = sum(cpu for _, cpu, _, _ in runs), max(peak for _, _, peak, _ in runs)
        return self.baselines[verb, format_]

    def measure(self, shape, genes, size):
        if shape.format.startswith("serve-"):
            return Serving(self).measure(shape, genes, size)
        verb = genes["verb"]
        rest_cpu, rest_peak = self.rest(verb, shape.format)
        name, made, stands_for = self.make(shape, genes, size)
        seconds_per_mb = SECONDS_PER_MB_OF.get(verb, SECONDS_PER_MB)
        allowed = max(SMALL_SECONDS, seconds_per_mb * stands_for / MB)
        cpu, peak, told, lines = 0.0, 0, "", []
        for words in self.words(verb, shape.format, name, genes["tokenizer"]):
            code, seconds, most, said = self.run(words, int(1.5 * allowed + (ANSWER_SECONDS if verb in ANSWERS else 3)))
            cpu, peak = cpu + seconds, max(peak, most)
            lines.append(shlex.join(["refrain", *words]))
            told = self.wrong(verb, shape.format, name, code, said, stands_for)
            if told or code != 0:
                break
        if verb in ANSWERS and not told and code == 0:
            stands_for += ANSWERS[verb](self.path)
        return Cost(max(0.0, cpu - rest_cpu), peak, rest_peak, made, stands_for, code, told, MEMORY, " && ".join(lines),
                    seconds_per_mb)

    def wrong(self, verb, format_, name, code, said, stands_for):
        """Returns what is wrong with how a run ended, or an empty string. A damaged text file or archive is a bad
        record. A file of records that is damaged in the middle, or a file that was named, may end the run if the
        message names it. A large one may need more memory."""
        named = verb in ("explain", "match")
        fine = {0} | ({1} if verb.startswith("index") else set())
        if code == 3 and name in said and (named or format_ in RECORDS
                                           or os.path.splitext(name)[0].endswith((".jsonl", ".csv", ".warc"))):
            fine.add(3)
        if named or stands_for > MEMORY // (512 if verb == "index query" else 64):
            fine.add(5)
        if code not in fine:
            return f"exit code {code}: {said[-300:]}"
        if code == 0 and verb == "fingerprint" and format_ != "lines":
            with open(self.path("printed"), "rb") as file:
                if GOOD.encode() not in file.read():
                    return f"{GOOD} was not decided"
        return ""


class Serving:
    """A server, and clients that each send one body at the same time."""

    def __init__(self, arena):
        self.arena = arena

    @contextlib.contextmanager
    def serve(self, seconds, threads):
        for name in ("index", "library"):
            shutil.rmtree(self.arena.path(name), ignore_errors=True)
        with open(self.arena.path("docs.jsonl"), "w", encoding="utf-8") as file:
            file.write(jsonl([f"{GOOD_TEXT} number {at} of a few documents" for at in range(20)],
                             id=lambda at: f"d{at}"))
        with open(self.arena.path("token"), "w", encoding="utf-8") as file:
            file.write(TOKEN + "\n")
        done = self.arena.run(["index", "create", "index", "docs.jsonl", "--id-field", "id", "--store-text", "-q"], 10)
        if done[0] != 0:
            raise RuntimeError(done[3])
        words = ["serve", "index", "--library", "library", "--add", "--listen", "127.0.0.1:0", "--threads", threads,
                 "--memory", str(SERVE_MEMORY),
                 "--token-file", "token"]
        self.command = shlex.join(["refrain", *words])
        with subprocess.Popen([program(), *words], cwd=self.arena.root, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env=environment(TMPDIR=self.arena.path("tmp")),
                              preexec_fn=limit_child(seconds)) as process:
            while not (line := process.stderr.readline()).startswith(b"refrain: listening"):
                if not line:
                    raise RuntimeError("the server did not start")
            self.port = int(re.search(rb":(\d+)\n", line).group(1))
            yield process

    def send(self, format_, path, ready):
        """Uses one connection. The last byte is sent when all clients have sent the rest; the answer is read to its
        end."""
        target = {"serve-query": "/v1/query", "serve-documents": "/v1/documents", "serve-seen": "/v1/seen"}.get(format_)
        size = os.path.getsize(path)
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=60) as link, open(path, "rb") as file:
                if target:
                    link.sendall(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
                                 "Connection: close\r\n"
                                 f"Content-Length: {size}\r\n\r\n".encode())
                link.sendfile(file, 0, max(0, size - 1))
                ready.wait()
                file.seek(max(0, size - 1))
                link.sendall(file.read())
                if not target:
                    link.shutdown(socket.SHUT_WR)
                while link.recv(1 << 16):
                    pass
        except (OSError, threading.BrokenBarrierError):
            ready.abort()  # the server may close the connection on a bad request

    def healthy(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=30) as link:
                link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return b" 200 " in link.recv(1 << 12)
        except OSError:
            return False

    def exchange(self, format_, path, seconds, connections=1, threads="2"):
        """Returns (exit code, CPU seconds, peak, whether the server still answered)."""
        with self.serve(seconds, threads) as process:
            ready = threading.Barrier(connections, timeout=20)
            clients = [threading.Thread(target=self.send, args=(format_, path, ready)) for _ in range(connections)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            well = self.healthy()
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)  # it has not been waited for, so its process id is still valid
            return *finished(process, HANG * seconds), well

    def measure(self, shape, genes, size):
        arena = self.arena
        if "serve" not in arena.baselines:
            arena.clear()
            with open(arena.path("empty"), "wb") as file:
                file.write(b"{}")
            arena.baselines["serve"] = self.exchange("serve-query", arena.path("empty"), 20)[1:3]
        rest_cpu, rest_peak = arena.baselines["serve"]
        name, made, _ = arena.make(shape, genes, min(size, MOST_BODY))
        sent = made * genes["connections"]
        allowed = max(SMALL_SECONDS, SECONDS_PER_MB * sent / MB)
        code, cpu, peak, well = self.exchange(shape.format, arena.path("in", name), int(1.5 * allowed + 3),
                                              genes["connections"], genes["threads"])
        told = "" if code == 0 and well else f"exit code {code}" if code else "the server no longer answered"
        return Cost(max(0.0, cpu - rest_cpu), peak, rest_peak, made, sent, code, told, SERVE_MEMORY,
                    f"{self.command}, {genes['connections']} x {shape.format}")


# ---- the search


class Search:
    """The search for one format."""

    def __init__(self, format_, options):
        self.format, self.options = format_, options
        self.rng = random.Random(f"{options.seed} {format_}")
        self.shapes = all_shapes()[format_]
        self.elite = {shape: [] for shape in self.shapes}
        self.failures, self.failed, self.runs, self.worst = [], set(), 0, None
        self.found = collections.Counter()  # number of failures by shape and fault
        self.first = [(shape, gene, value) for shape in self.shapes for gene in shape.genes if gene not in SIDE_GENES
                      for value in dict.fromkeys(shape.genes[gene])] * 4
        self.rng.shuffle(self.first)
        self.began = time.monotonic()

    def signature(self, shape, genes):
        """Returns the genes that two expensive inputs with the same cause usually share."""
        names = ("head", "item", "seed", "from", "long", "path", "overlap", "unit", "member", "verb", "depth",
                 "columns")
        return shape.name, tuple(str(genes[name]) for name in names if name in genes)

    def measure(self, shape, genes, size):
        cost = self.arena.measure(shape, genes, size)
        self.runs += 1
        if cost.cpu > cost.allowed and cost.cpu < 3 * cost.allowed:  # the machine may just have been busy
            again = self.arena.measure(shape, genes, size)
            cost = min(cost, again, key=lambda one: one.cpu)
        if self.worst is None or cost.score() > self.worst[0].score():
            self.worst = cost, shape, genes
        if faults := self.faults(shape, cost):
            self.fail(shape, genes, cost, faults)
        return cost

    def faults(self, shape, cost):
        """Returns the faults of a run that have not been found often enough."""
        return [fault for fault in cost.faults() if self.found[shape, fault] < MOST_FAILURES]

    def score(self, shape, cost):
        return cost.score(self.found[shape, "time"] < MOST_FAILURES, self.found[shape, "memory"] < MOST_FAILURES)

    def fail(self, shape, genes, cost, faults):
        # Wrong outcomes are distinguished by their messages, and do not stop the search.
        message = re.sub(r"[\d.]+|hostile\S*", "", cost.told)
        signature = message if faults == ["outcome"] else self.signature(shape, genes)
        if signature in self.failed:
            return
        self.failed.add(signature)
        self.found.update((shape, fault) for fault in faults if fault != "outcome")
        kept = ""
        if self.options.keep:
            folder = os.path.join(self.options.keep, f"{self.format}-{len(self.failures)}")
            shutil.rmtree(folder, ignore_errors=True)
            if cost.size < 64 << 20:
                shutil.copytree(self.arena.path("in"), os.path.join(folder, "in"))
                kept = f"\n    kept in {folder}"
        shown = {name: value if len(str(value)) < 70 else f"{str(value)[:60]}..." for name, value in genes.items()}
        text = (f"failed: {', '.join(faults)}: seed {self.options.seed}, {shape.name}, "
                f"after {time.monotonic() - self.began:.0f} s and {self.runs} runs: "
                f"{cost}{kept}\n    {shown}")
        self.failures.append(text)
        print(text, flush=True)

    def grow(self, shape, genes, cost):
        """Measures larger inputs of the same kind, as long as they may become too expensive."""
        size = FIRST_SIZE
        while not self.faults(shape, cost) and size < LAST_SIZE:
            size *= 2
            larger = self.measure(shape, genes, size)
            steeper = larger.cpu > 2.5 * cost.cpu
            suspicious = steeper or larger.per_mb > 0.5 * SECONDS_PER_MB or larger.memory_per_byte > 6
            if not suspicious and "connections" not in genes:
                return
            cost = larger
        if self.faults(shape, cost) or self.found[shape, "memory"] >= MOST_FAILURES:
            return
        if "connections" in genes:
            # Memory depends on how much arrives at the same time.
            self.measure(shape, genes | {"connections": MOST_CONNECTIONS, "threads": "16"}, MOST_BODY)
        elif cost.memory_per_byte > 0:
            needed = int(1.25 * (OVER * cost.memory - cost.rest) / cost.memory_per_byte)
            if size < needed <= MOST_SIZE:
                self.measure(shape, genes, needed)

    def candidate(self):
        """Tries every value of every gene in plain inputs first; then random draws, and variants of the worst inputs
        so far."""
        if self.first:
            shape, gene, value = self.first.pop()
            genes = shape.draw(self.rng) | {gene: value, "damage": "none"}
            genes |= {name: plain for name, plain in (("other", b""), ("packed", "")) if name in genes}
            if gene == "item":
                genes["per"] = self.rng.choice((100, 1 << 30))
            return shape, genes
        shape = self.rng.choice(self.shapes)
        if self.elite[shape] and self.rng.random() < 0.6:
            return shape, shape.mutate(self.rng.choice(self.elite[shape])[1], self.rng)
        return shape, shape.draw(self.rng)

    def step(self):
        shape, genes = self.candidate()
        if self.signature(shape, genes) in self.failed:
            return
        elite = self.elite[shape]
        best = self.score(shape, elite[0][0]) if elite else 0
        cost = self.measure(shape, genes, FIRST_SIZE)
        score = self.score(shape, cost)
        if not self.faults(shape, cost) and (score > 0.15 or score > 1.2 * best):
            self.grow(shape, genes, cost)
        elite.append((cost, genes))
        elite.sort(key=lambda one: -self.score(shape, one[0]))
        self.elite[shape] = [one for one in elite if self.signature(shape, one[1]) not in self.failed][:ELITE]

    def known(self):
        for format_, name, size, changes in KNOWN:
            for shape in self.shapes if format_ == self.format else []:
                if shape.name.split("/")[1] == name:
                    self.measure(shape, {gene: choices[0] for gene, choices in shape.genes.items()} | changes, size)

    def run(self):
        try:
            fast = "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 8 << 30 else None
            with tempfile.TemporaryDirectory(prefix="refrain-cost-", dir=fast) as root:
                self.arena = Arena(os.path.realpath(root))
                if self.options.full:
                    end = time.monotonic() + 60 * self.options.minutes
                    while time.monotonic() < end:
                        self.step()
                    self.began = time.monotonic()
                self.known()
                for shape in self.shapes if not self.options.full else []:
                    for _ in range(self.options.draws):
                        self.measure(shape, shape.draw(self.rng), FIRST_SIZE // 2)
        except Exception as error:  # noqa: B902
            self.failures.append(f"failed: {self.format}: {type(error).__name__}: {error}")
            print(self.failures[-1], flush=True)
        worst = f"; worst: {self.worst[1].name}, {self.worst[0]}" if self.worst else ""
        print(f"{self.format}: {self.runs} runs, {len(self.failures)} failures{worst}", flush=True)
        return self.runs, len(self.failures)


def search(format_, options):
    end_with_parent()
    return Search(format_, options).run()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="search, instead of running what is known and some draws")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--jobs", type=int, default=2, help="formats at the same time (2)")
    parser.add_argument("--minutes", type=float, default=3, help="of search per format (3)")
    parser.add_argument("--draws", type=int, default=2, help="draws per grammar without --full (2)")
    parser.add_argument("--keep", metavar="FOLDER", help="where inputs that failed are kept")
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    options = parser.parse_args()
    formats = list(all_shapes())
    if strange := set(options.formats) - set(formats):
        parser.error(f"no such format: {', '.join(sorted(strange))}; there are {', '.join(formats)}")
    print(f"cost: seed {options.seed}", flush=True)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        results = [pool.submit(search, format_, options) for format_ in options.formats or formats]
        counts = [result.result() for result in results]
    runs, failures = map(sum, zip(*counts))
    print(f"cost: {len(counts)} formats, {runs} runs, {failures} failures, seed {options.seed}", flush=True)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
