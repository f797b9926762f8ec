"""A server for months: one `refrain serve` under load, while clients stall, the clock leaps and the disk misbehaves.

The clients (load.cc) send requests as fast as the server answers, and check every answer against a model of what was
written. The server's clock (tests/fault/clocks.cc) starts an hour before 2^32 seconds, and in 2038; it jumps by hours
and days, and runs hundreds of times as fast for a while, so that months pass. Generations and segments are numbered
from just below 2^31, 2^32 and a million on. In between, the index is merged, swapped, truncated and taken away, and
its disk fills up, becomes read-only, or is unmounted; each time it is restored, and from then on every answer must be
right again. After each such episode the memory, descriptors, threads and temporary files of the server are recorded:
they may not grow. In the end the index and the library are checked, and the library must contain every document that
was answered as added, once.

    server_months.py [--full] [--seed N] [--requests N] [--minutes N] [--state FILE] [--part index|library]
                     [--threads N] [--hard] [--verbose]

The short form runs every episode once, with few requests. With --state the next run continues where this one ended:
the server starts again with the same data, every other time after it was killed. --requests is the total of all these
runs. --hard also adds the same new text many times at once, and queries the library while its disk is unmounted.
Mounts need root; without it, those episodes are left out.
"""

import argparse
import collections
import contextlib
import json
import mmap
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
from program import BIN_DIR, SANITIZED, TIME_FACTOR, environment, program, run  # noqa: E402

CLOCKS, LOAD = os.path.join(BIN_DIR, "clocks.so"), os.path.join(BIN_DIR, "load")
TOKEN = "a-token-of-the-test"
SECOND, HOUR, DAY = 10**9, 3600 * 10**9, 86400 * 10**9
MONOTONIC_START = 2**32 * SECOND - HOUR
CALENDAR_START = 2**31 * SECOND - HOUR
MEMORY = 256 << 20
Size = collections.namedtuple("Size", "pairs solos calm batch stalling clients")
SHORT, FULL = Size(40, 10, 1500, 250, 150, 8), Size(200, 40, 150_000, 6_000, 2000, 32)


class Wrong(Exception):
    """The server did something wrong."""


def sh(*command):
    subprocess.run(command, check=True, capture_output=True)


class FastClock:
    """The clock of the server, in a file that it reads."""

    def __init__(self, path, elapsed):
        with open(path, "wb") as file:
            file.write(bytes(40))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 40)
        self.path, self.changes = path, 0
        self.start, self.rate = MONOTONIC_START + elapsed, 1000
        self.began = time.monotonic_ns()
        self.set(self.start, 1000)

    def now(self):
        return self.start + (time.monotonic_ns() - self.began) // 1000 * self.rate

    def set(self, now, rate):
        self.start, self.rate, self.began = now, rate, time.monotonic_ns()
        self.changes += 2
        struct.pack_into("q", self.memory, 0, self.changes - 1)
        struct.pack_into("qqqq", self.memory, 8, self.began, now, rate, CALENDAR_START - MONOTONIC_START)
        struct.pack_into("q", self.memory, 0, self.changes)

    def leap(self, by):
        self.set(self.now() + by, self.rate)

    def run_at(self, times):
        self.set(self.now(), times * 1000)


class Campaign:
    def __init__(self, options, root):
        self.options, self.root = options, root
        self.size = FULL if options.full else SHORT
        self.state = {"seed": options.seed, "cycles": 0, "requests": 0, "runs": 0, "elapsed": 0, "seconds": 0.0,
                      "counts": {}, "measured": []}
        if options.state and os.path.exists(options.state):
            with open(options.state, encoding="utf-8") as file:
                self.state = json.load(file)
        self.seed = self.state["seed"]
        self.rng = random.Random(self.seed * 1000 + self.state["runs"])
        self.has_index, self.has_library = options.part != "library", options.part != "index"
        self.mounts = os.geteuid() == 0 and os.environ.get("MONTHS_MOUNTS") == "1"
        for name in ("store", "disk", "tmp", "aside"):
            os.makedirs(self.path(name))
        if self.mounts:
            sh("mount", "-t", "tmpfs", "-o", "size=2g", "none", self.path("store"))
            sh("mount", "-t", "tmpfs", "-o", "size=2g", "none", self.path("tmp"))
            sh("mount", "--bind", self.path("store"), self.path("disk"))
        else:
            os.rmdir(self.path("disk"))
            os.symlink("store", self.path("disk"))
        self.books, self.shelf = self.path("disk", "books"), self.path("disk", "shelf")
        self.model = self.path("model")
        self.clock = FastClock(self.path("clock"), self.state["elapsed"])
        self.process, self.port, self.began = None, 0, time.monotonic()
        self.log = None

    def path(self, *names):
        return os.path.join(self.root, *names)

    # ---- the data

    def prepare(self):
        with open(self.path("token"), "w", encoding="utf-8") as file:
            file.write(TOKEN + "\n")
        kept = f"{self.options.state}.world" if self.options.state else ""
        if kept and os.path.exists(kept):
            for name in os.listdir(kept):
                sh("cp", "-a", os.path.join(kept, name), self.model if name == "model" else self.path("store"))
            return
        self.load_program("--create", f"{self.size.pairs},{self.size.solos}", "--seed", str(self.seed))
        with open(self.path("in.jsonl"), "wb") as file:
            file.write(self.load_program("--fill"))
        if self.has_index:
            self.refrain("index", "create", self.books, self.path("in.jsonl"), "--id-field", "id", "--store-text", "-q")
            self.renumber(self.books, 2**32 - 9, 999_995)
        if self.has_library:  # a server creates it
            self.start()
            self.stop(signal.SIGTERM)
            self.renumber(self.shelf, 2**31 - 5, 2**32 - 5)

    def renumber(self, folder, generation, segment):
        sh(LOAD, "--renumber", os.path.join(folder, "manifest"), str(generation), str(segment))

    def keep(self):
        """Saves the data beside the state."""
        if not self.options.state:
            return
        new = f"{self.options.state}.world.new"
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(new)
        sh("cp", "-a", self.model, os.path.join(new, "model"))
        for name in ("books", "shelf"):
            if os.path.exists(self.path("store", name)):
                sh("cp", "-a", self.path("store", name), new)
        shutil.rmtree(f"{self.options.state}.world", ignore_errors=True)
        os.rename(new, f"{self.options.state}.world")
        with open(f"{self.options.state}.new", "w", encoding="utf-8") as file:
            json.dump(self.state, file, indent=1)
        os.replace(f"{self.options.state}.new", self.options.state)

    def refrain(self, *arguments):
        done = run(*arguments, env=environment(TMPDIR=self.path("tmp")), timeout=600 * TIME_FACTOR)
        if done.code != 0:
            raise Wrong(f"refrain {' '.join(arguments)}: exit code {done.code}: {done.err}")
        return done.out

    def start(self):
        self.log = open(self.path("log"), "ab+")
        flags = [self.books] if self.has_index else []
        flags += ["--library", self.shelf, "--add"] if self.has_library else []
        self.process = subprocess.Popen(
            [program(), "serve", *flags, "--listen", "127.0.0.1:0", "--token-file", self.path("token"), "--threads",
             str(self.options.threads), "--memory", str(MEMORY), "--max-connections", "4096"], stderr=self.log,
            env=environment(TMPDIR=self.path("tmp"), LD_PRELOAD=CLOCKS, CLOCKS_FILE=self.clock.path))
        start = self.log.seek(0, os.SEEK_END)
        for _ in range(int(3000 * TIME_FACTOR)):
            self.log.seek(start)
            told = re.search(rb"refrain: listening on http://127\.0\.0\.1:(\d+)\n", self.log.read())
            if told:
                self.port = int(told.group(1))
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise Wrong(f"the server did not start: {self.said()}")

    def said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")[-2000:]

    def stop(self, number):
        self.clock.run_at(1)
        self.process.send_signal(number)
        code = self.process.wait(timeout=120 * TIME_FACTOR)
        if code not in (0, -signal.SIGKILL):
            raise Wrong(f"the server ended with exit code {code}: {self.said()}")
        self.process = None

    # ---- load

    def load_program(self, *flags):
        done = subprocess.run([LOAD, "--model", self.model, *flags], capture_output=True, check=False,
                              timeout=3600 * TIME_FACTOR)
        if done.returncode != 0:
            raise Wrong(done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace"))
        return done.stdout

    def load(self, requests, *flags, during=None, stalling=0):
        """Sends `requests` requests; `during` is called meanwhile."""
        flags = list(flags) + (["--crowds"] if self.options.hard else [])
        flags += ["--no-index"] if not self.has_index else ["--no-library"] if not self.has_library else []
        command = [LOAD, "--model", self.model, "--port", str(self.port), "--token", TOKEN, "--requests", str(requests),
                   "--seconds", str(300 * TIME_FACTOR), "--seed", str(self.rng.getrandbits(32)), "--stalling",
                   str(stalling), "--connections", str(self.size.clients), *flags]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                if during:
                    during()
                out, err = process.communicate(timeout=600 * TIME_FACTOR)
            except subprocess.TimeoutExpired as error:
                raise Wrong(f"the clients do not end: {' '.join(command)}") from error
            finally:
                if process.poll() is None:
                    process.kill()
        if self.process.poll() is not None:
            raise Wrong(f"the server ended by itself, with {self.process.returncode}: {self.said()}")
        if process.returncode != 0:
            raise Wrong(f"{' '.join(command[3:])}\n{err.decode(errors='replace')}{out.decode(errors='replace')}")
        counts = json.loads(out)
        self.state["requests"] += counts["requests"]
        self.add_counts(counts)
        if counts["overloaded"] > counts["requests"] / 4:
            raise Wrong(f"the server was too busy for most requests: {counts}")
        return counts

    def add_counts(self, counts):
        for name, value in counts.items():
            for key, number in value.items() if isinstance(value, dict) else [("", value)]:
                if name not in ("requests", "seconds", "statuses"):
                    key = f"{name}: {key}" if key else name
                    self.state["counts"][key] = self.state["counts"].get(key, 0) + number

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60 * TIME_FACTOR) as reply:
            return int(re.search(rf"^refrain_{name} (\d+)$", reply.read().decode(), re.M).group(1))

    def measure(self, episode):
        """Records the resources of the server after all clients have disconnected."""
        end = time.monotonic() + 30 * TIME_FACTOR
        while self.metric("http_connections") > 1:
            if time.monotonic() > end:
                raise Wrong(f"{self.metric('http_connections')} connections are still open")
            time.sleep(0.02)
        folder = f"/proc/{self.process.pid}"
        with open(f"{folder}/status", encoding="utf-8") as file:
            status = dict(line.split(":", 1) for line in file.read().splitlines())
        links = []
        for name in os.listdir(f"{folder}/fd"):
            with contextlib.suppress(FileNotFoundError):
                links.append(os.readlink(f"{folder}/fd/{name}"))
        kinds = collections.Counter("socket" if link.startswith("socket")
                                    else "temporary" if link.startswith(self.path("tmp"))
                                    else "removed" if link.endswith("(deleted)") else "other" for link in links)
        found = {"episode": episode, "run": self.state["runs"], "rss": int(status["VmRSS"].split()[0]) << 10,
                 "peak": int(status["VmHWM"].split()[0]) << 10, "threads": int(status["Threads"]),
                 "sockets": kinds["socket"], "temporary": kinds["temporary"], "removed": kinds["removed"],
                 "files": kinds["other"], "in_tmp": len(os.listdir(self.path("tmp")))}
        self.state["measured"].append(found)
        if not SANITIZED and found["peak"] > MEMORY:
            raise Wrong(f"after {episode}: the server took {found['peak'] >> 20} MiB of {MEMORY >> 20}")

    # ---- episodes

    def merge(self):
        def merging():
            for _ in range(3):
                done = run("index", "merge", self.books, "-q", env=environment(TMPDIR=self.path("tmp")))
                if done.code not in (0, 1):  # 1: the server is writing
                    raise Wrong(f"index merge: {done.err}")
                time.sleep(0.05)
        self.load(self.size.batch, during=merging)

    def swap(self):
        """Replaces the index with another one that has the same documents."""
        def swapping():
            for number in range(2):
                new = self.path("disk", f"new{number}")
                shutil.copytree(self.books, new)
                self.refrain("index", "merge", new, "-q")
                os.rename(self.books, self.path("disk", "old"))
                os.rename(new, self.books)
                shutil.rmtree(self.path("disk", "old"))
        self.load(self.size.batch, "--no-writes", "--faulty", during=swapping)  # for a moment there is no index

    def segment_files(self):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.books) for name in names
                      if name.endswith(".bin"))

    def truncate(self):
        path = self.rng.choice(self.segment_files())
        with open(path, "rb") as file:
            content = file.read()
        os.truncate(path, self.rng.randrange(len(content)))
        self.load(self.size.batch, "--no-writes", "--faulty")
        with open(path, "r+b") as file:
            file.write(content)

    def unlink(self):
        """Moves a file of the index, or a whole segment, away and back."""
        path = self.rng.choice([os.path.join(self.books, "manifest"), *self.segment_files(),
                                *{os.path.dirname(path) for path in self.segment_files()}])
        away = self.path("disk", "away")
        os.rename(path, away)
        self.load(self.size.batch, "--no-writes", "--faulty")
        os.rename(away, path)

    def fill_up(self, name, *flags):
        """Leaves only 64 KiB of free space on a disk."""
        used = subprocess.run(["df", "-B1", "--output=used", self.path(name)], check=True, capture_output=True).stdout
        sh("mount", "-o", f"remount,size={int(used.split()[-1]) + (64 << 10)}", self.path(name))
        self.load(self.size.batch, *flags)
        sh("mount", "-o", "remount,size=2g", self.path(name))

    def full(self):
        self.fill_up("store", "--full")

    def full_temporary(self):
        self.fill_up("tmp", "--faulty")

    def read_only(self):
        sh("mount", "--bind", self.path("store"), self.path("disk"))  # on top: files may be open for writing
        sh("mount", "-o", "remount,ro,bind", self.path("disk"))
        self.load(self.size.batch, "--full")
        sh("umount", "-l", self.path("disk"))

    def unmount(self):
        sh("umount", "-l", self.path("disk"))
        self.load(self.size.batch, "--faulty", *([] if self.options.hard else ["--no-library"]))
        left = os.listdir(self.path("disk"))
        sh("mount", "--bind", self.path("store"), self.path("disk"))
        if left:
            raise Wrong(f"the server wrote where its disk had been: {left}")

    def leaps(self):
        def leaping():
            for _ in range(6):
                time.sleep(0.15)
                self.clock.leap(self.rng.choice((61 * SECOND, 5 * HOUR, DAY, 9 * DAY)))
        self.load(self.size.batch, "--drops", "--least-seconds", "1.1", during=leaping, stalling=self.size.stalling)

    def fast(self):
        def running():
            self.clock.run_at(300)
            time.sleep(0.5 if self.size is SHORT else 5)
            self.clock.run_at(1)
        self.load(self.size.batch, "--drops", "--least-seconds", "0.6", during=running, stalling=self.size.stalling)

    def calm(self):
        self.load(self.size.calm, stalling=self.size.stalling)
        self.clock.leap(61 * SECOND)  # disconnects those that still stall

    def episodes(self):
        out = [self.leaps, self.fast]
        if self.has_index:
            out += [self.merge, self.swap, self.truncate, self.unlink]
        if self.mounts:
            out += [self.full, self.full_temporary, self.read_only]
        if self.mounts and (self.has_index or self.options.hard):
            out += [self.unmount]
        self.rng.shuffle(out)
        return [self.calm, *out]

    def check_flat(self):
        """Checks that nothing grows: the maximum of the last third of the run is not above that of the second."""
        measured = [one for one in self.state["measured"] if one["run"] == self.state["runs"]]
        third = len(measured) // 3
        if self.size is SHORT or third < 10:
            middle, last = measured, measured[-1:]
        else:
            middle, last = measured[third:2 * third], measured[2 * third:]
        for name, slack in (("rss", 24 << 20), ("threads", 0), ("sockets", 8), ("temporary", 2), ("removed", 64),
                            ("files", 64), ("in_tmp", 0)):
            before, after = (max(one[name] for one in part) for part in (middle, last))
            if after > before + slack:
                raise Wrong(f"{name} grew from {before} to {after}")

    def check_data(self):
        """Checks, after the last write, that everything acknowledged is there."""
        if self.has_index:
            self.refrain("index", "check", self.books, "-q")
        if not self.has_library:
            return
        self.refrain("library", "check", self.shelf, "-q")
        ids = collections.Counter(json.loads(line)["id"]
                                  for line in self.refrain("library", "export", self.shelf, "-q").splitlines())
        with open(self.model, encoding="utf-8") as file:
            numbers = file.read().split()
        versions = int(numbers[1]) + int(numbers[2])
        unknown = set(numbers[5 + 2 * versions:])
        lost = [number for number in map(str, range(int(numbers[3])))
                if number not in unknown and ids[f"n{number}"] != 1]
        if lost:
            raise Wrong(f"{len(lost)} documents were answered as added, and are not there once: n{lost[0]}: "
                        f"{ids[f'n{lost[0]}']} times")
        twice = [name for name, count in ids.items() if count > 1]
        if twice:
            raise Wrong(f"{len(twice)} documents are there more than once: {twice[0]}")

    def is_over(self):
        minutes = (time.monotonic() - self.began) / 60
        return self.state["requests"] >= self.options.requests or minutes >= self.options.minutes

    def run(self):
        self.prepare()
        self.start()
        episode = None
        try:
            while True:
                for episode in self.episodes():
                    episode()
                    self.clock.leap(2 * SECOND)  # failed operations are retried after a moment
                    time.sleep(0.1)
                    self.load(self.size.batch // 2)  # everything works again
                    self.measure(episode.__name__)
                    if self.options.verbose:
                        print(f"server_months: {time.monotonic() - self.began:.1f} s: {self.state['measured'][-1]}",
                              flush=True)
                    if self.options.full and self.is_over():
                        break
                self.state["cycles"] += 1
                if not self.options.full or self.is_over():
                    break
                self.say()
            episode = self.check_flat
            self.check_flat()
            episode = self.stop
            killed = self.state["runs"] % 2 == 1
            self.stop(signal.SIGKILL if killed else signal.SIGTERM)
            if killed:
                self.start()
                self.load(self.size.batch)
                self.stop(signal.SIGTERM)
            episode = self.check_data
            self.check_data()
        except Wrong as error:
            raise Wrong(f"{episode.__name__}: {error}\nthe server said: {self.said() if self.log else ''}") from error
        finally:
            if self.process and self.process.poll() is None:
                self.process.kill()
                self.process.wait()
        self.state["runs"] += 1
        self.state["elapsed"] = self.clock.now() - MONOTONIC_START
        self.state["seconds"] += time.monotonic() - self.began
        self.keep()

    def say(self):
        last = self.state["measured"][-1]
        print(f"server_months: {self.state['requests']:,} requests, {(self.clock.now() - MONOTONIC_START) / DAY:.1f}"
              f" days, RSS {last['rss'] >> 20} MiB, peak {last['peak'] >> 20} MiB, {last['threads']} threads, "
              f"{last['files'] + last['removed'] + last['temporary'] + last['sockets']} descriptors, "
              f"{time.monotonic() - self.began:.0f} s", flush=True)


def in_own_mounts():
    """Starts this program again in a private mount namespace, if possible."""
    if os.geteuid() != 0 or "MONTHS_MOUNTS" in os.environ or shutil.which("unshare") is None:
        return
    probe = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True,
                           check=False)
    if probe.returncode == 0:
        os.environ["MONTHS_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(30))
    parser.add_argument("--requests", type=int, default=10_000_000)
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--state")
    parser.add_argument("--part", choices=["index", "library"])
    parser.add_argument("--threads", type=int, default=min(8, os.cpu_count()))
    parser.add_argument("--hard", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    for name in (CLOCKS, LOAD):
        if not os.path.exists(name):
            print(f"server_months: {name} is not built; left out")
            return 0
    in_own_mounts()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    root = os.path.realpath(tempfile.mkdtemp(prefix="refrain-months-"))
    try:
        campaign = Campaign(options, root)
        print(f"server_months: seed {campaign.seed}{'' if campaign.mounts else ', without mounts'}", flush=True)
        campaign.run()
    except Wrong as error:
        print(f"server_months: {error}\nserver_months: failed; seed {campaign.seed},"
              f" {campaign.state['requests']:,} requests")
        return 1
    finally:
        if os.environ.get("MONTHS_MOUNTS") == "1":
            for name in ("disk", "tmp", "store"):
                subprocess.run(["umount", "-l", os.path.join(root, name)], capture_output=True, check=False)
        shutil.rmtree(root, ignore_errors=True)
    campaign.say()
    print("server_months: "
          + ", ".join(f"{name} {number:,}" for name, number in sorted(campaign.state["counts"].items())))
    print(f"server_months: all right; seed {campaign.seed}, {campaign.state['runs']} runs,"
          f" {campaign.state['cycles']} cycles, {campaign.state['requests']:,} requests in"
          f" {campaign.state['seconds']:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
