"""The protocols of power_cuts.py: what is recorded, which results are right, and how a state is completed."""

import bisect
import contextlib
import gzip
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess

from disk_model import LOST, NAMES, Trace, digest, draw, pages_of, read_tree, write_tree
from program import BIN_DIR, TIME_FACTOR, documents, environment, jsonl, program, sentence, vocabulary

RECORDER = os.path.join(BIN_DIR, "recorder.so")
DISK, INPUT = "/proc/self/cwd/disk", "/proc/self/cwd/in"  # the same in every folder, because some paths are stored
OUT, LIBRARY, INDEX = f"{DISK}/out", f"{DISK}/library", f"{DISK}/index"
WORDS = vocabulary(20000, seed=3)
LONG_WORDS = [8 * word for word in WORDS]  # for much text that is quick to process
TOKEN = "a-token-of-no-great-worth"
PARTS = 15
MOST = 8  # segments of one size; adding one more merges them


class Wrong(Exception):
    """From a state, the program did not do what it promises."""


# ---- commands run in a folder of their own: `in` is read, `disk` is hit by the power cut


def make_inputs(folder):
    """Makes the input files, with fixed times, by which a run recognizes its input."""
    texts = documents(250, seed=71, length=60)
    rng = random.Random(72)
    rows = {f"{name}.jsonl": jsonl(texts[first:last], id=lambda at, name=name: f"{name}{at}")
            for name, first, last in [("a", 0, 40), ("b", 40, 70), ("c", 70, 150), ("old", 150, 250)]}
    rows["extra.jsonl"] = json.dumps({"id": "extra", "text": sentence(rng, WORDS, 30)}) + "\n"
    for number in range(PARTS):  # one segment each
        rows[f"part{number}.jsonl"] = jsonl([sentence(rng, LONG_WORDS, 15) for _ in range(40)],
                                            id=lambda at, number=number: f"p{number}-{at}")
    files = {name: content.encode() for name, content in rows.items()}
    files["b.jsonl.gz"] = gzip.compress(files.pop("b.jsonl"), 1, mtime=0)
    items = [" ".join(text.split()[5:30]) for text in texts[3:60:9]]
    files["items.jsonl"] = jsonl(items, id=lambda at: f"t{at}").encode()
    for at in range(6):
        files[f"gone{at}.txt"] = b"".join(b"p%d-%d\n" % (number, at) for number in range(MOST))
    for at in range(6):  # several documents of every segment, and all of one
        files[f"many{at}.txt"] = b"".join(b"p%d-%d\n" % (number, 10 + each) for number in range(PARTS)
                                          for each in range(30) if number == at or (each + number) % 7 == at)
    files["token"] = TOKEN.encode() + b"\n"
    os.mkdir(folder)
    for name, content in files.items():
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(content)
        os.utime(path, ns=(10**18, 10**18))


class Arena:
    """A folder in which commands run."""

    def __init__(self, folder, inputs):
        self.folder, self.disk = folder, os.path.join(folder, "disk")
        os.makedirs(os.path.join(folder, "tmp"))
        os.mkdir(os.path.join(folder, "in"))
        for name in os.listdir(inputs):
            # Not a link: creating or removing another link would look like a change of the input.
            shutil.copy2(os.path.join(inputs, name), os.path.join(folder, "in", name))
        self.env = environment(TMPDIR=os.path.join(folder, "tmp"))
        self.recording = {}

    def put(self, tree):
        shutil.rmtree(self.disk, ignore_errors=True)
        write_tree(self.disk, tree)

    def path(self, *parts):
        return os.path.join(self.disk, *parts)

    def read(self, *parts):
        with open(self.path(*parts), "rb") as file:
            return file.read()

    def start(self, *command, **more):
        return subprocess.Popen([program(), *command], cwd=self.folder, env={**self.env, **self.recording},
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def run(self, *command, codes=(0,), told=r""):
        """Runs a command, which must end with one of these codes. Returns its output or, with `told`, its code and
        its message."""
        with self.start(*command, stdout=subprocess.PIPE) as process:
            try:
                out, err = process.communicate(timeout=60 * TIME_FACTOR)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise Wrong(f"{' '.join(command)}: does not end") from error
        err = err.decode(errors="replace")
        if process.returncode not in codes:
            raise Wrong(f"{' '.join(command)}: exit code {process.returncode}: {err}")
        return (process.returncode, err) if told else out

    @contextlib.contextmanager
    def server(self, last=signal.SIGTERM):
        """Runs a server that adds to the library; yields the function that sends it requests."""
        with self.start("serve", "--library", LIBRARY, "--add", "--token-file", "in/token", "--listen", "127.0.0.1:0",
                        "--threads", "2", "--memory", "64M", stdout=subprocess.DEVNULL) as process:
            told = b""
            try:
                while not (port := re.search(rb"http://127\.0\.0\.1:(\d+)", told)):
                    line = process.stderr.readline()
                    if not line:
                        raise Wrong(f"serve: exit code {process.wait()}: {told.decode(errors='replace')}")
                    told += line
                connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=60 * TIME_FACTOR)

                def ask(rows):
                    body = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows)
                    connection.request("POST", "/v1/seen", body.encode(), {"Authorization": f"Bearer {TOKEN}"})
                    reply = connection.getresponse()
                    answer = reply.read()
                    if reply.status != 200:
                        raise Wrong(f"/v1/seen: {reply.status} {answer[:300]!r}")
                    return [json.loads(line) for line in answer.splitlines()]

                yield ask
                connection.close()
                process.send_signal(last)
                code = process.wait(timeout=60 * TIME_FACTOR)
                if code != (0 if last == signal.SIGTERM else -last):
                    raise Wrong(f"serve: exit code {code}: {process.stderr.read().decode(errors='replace')}")
            finally:
                if process.poll() is None:
                    process.kill()


# ---- protocols. Each has scenes: an initial state, and recorded commands. `judge` completes a state.


# Steps, and the steps that must be safe before them, as Trace.describe() prints them. Draws find violations, but not
# always.
ORDER = [
    (r"rename \S+ out/summary\.json", r"(create|write|mkdir|rename) (\S+ )?out/(?!work/|summary\.json)\S+( at .*)?"),
    (r"rename \S+ library(/manifest)?", r"\w+ (\S+ )?out/work/\S+( at .*)?"),
    (r"rename \S+ out/work/run\.txt", r"(unlink|rmdir) out/work/[^/]+"),
    (r"unlink out/work/run\.txt", r"(unlink|rmdir) out/work/[^/]+"),
    (r"unlink out/\.\w+\.files", r"rmdir out/[^/]+"),
    (r"(unlink|rmdir) out/(?!work/|\.)\S+", r"unlink out/summary\.json"),
]


class Scene:
    """One recording of commands, one after the other. `aims` are the commands that the power cuts hit."""

    def __init__(self, protocol, name, before, commands, aims=None):
        self.protocol, self.name, self.before, self.commands = protocol, name, before, commands
        self.aims = range(len(commands)) if aims is None else aims
        self.facts = {}  # the right results

    def record(self, arena, root):
        """Records the initial state, and everything that the commands did."""
        self.before(arena)
        tree, inodes = read_tree(arena.disk)
        log = os.path.join(root, "log")
        arena.recording = {"LD_PRELOAD": RECORDER, "RECORDER_FOLDER": arena.disk, "RECORDER_LOG": log}
        sizes = []
        for command in self.commands:
            self.protocol.act(arena, command)
            sizes.append(os.path.getsize(log))
        arena.recording = {}
        with open(log, "rb") as file:
            self.trace = Trace(file.read(), arena.disk, tree, inodes)
        os.remove(log)
        now, _ = read_tree(arena.disk)
        end = self.trace.tree(len(self.trace.steps))
        if digest(now) != digest(end):
            paths = [path for path in {*now, *end} if now.get(path, 0) != end.get(path, 0)]
            raise Wrong(f"{self.name}: the recording misses something: {sorted(paths)[:9]}")
        self.ends = [bisect.bisect_right(self.trace.ends, size) for size in sizes]  # steps before each acknowledgement
        self.check_order()
        self.choose_cuts()
        self.protocol.learn(arena, self)

    def choose_cuts(self):
        """Sets the moments at which the power may fail. `edges` are those around more important steps; `weights` grow
        with how much may be lost at each moment."""
        begins = [0, *self.ends]
        self.cuts = sorted({cut for at in self.aims for cut in range(begins[at], self.ends[at] + 1)})
        steps = self.trace.steps
        matter = {number for number, step in enumerate(steps) if step.call in (*NAMES, "sync", "syncfs", "send")}
        self.edges = [cut for cut in self.cuts if cut in matter or cut - 1 in matter]
        parts = [len(list(pages_of(step))) if step.call == "write" else 1 for step in steps]
        self.weights = [1 + min(30, sum(parts[number] for number in self.trace.pending(cut))) ** 2 for cut in self.cuts]

    def done(self, cut):
        """Returns how many commands had been acknowledged."""
        return sum(end <= cut for end in self.ends)

    def check_order(self):
        """Records violations of ORDER."""
        self.out_of_order = []
        steps = [self.trace.describe(number) for number in range(len(self.trace.steps))]
        for late, early in ORDER:
            earlier = [number for number, step in enumerate(steps) if re.fullmatch(early, step)]
            unsafe = [(steps[number], steps[other]) for number, step in enumerate(steps) if re.fullmatch(late, step)
                      for other in earlier if other < number < self.trace.safe_from[other]]
            self.out_of_order += [f"{one}: by then {other} is not safe" for one, other in unsafe[:1]]

    def draw(self, rng):
        """Draws a power cut: the number of steps before it, and the kept parts of some of them."""
        kind = rng.random()
        if kind < 0.6:  # where much may be lost
            cuts = rng.choices(self.cuts, self.weights)
        else:
            cuts = self.edges if kind < 0.8 else self.cuts if kind < 0.99 else self.ends
        return draw(self.trace, rng, cuts)


class Protocol:
    """`act` runs what is recorded, `learn` stores the right results, `judge` completes a state and compares it."""

    name = ""

    def act(self, arena, command):
        arena.run(*command)

    def learn(self, arena, scene):
        """Stores the right results."""

    def judge(self, arena, scene, cut, tree, rng):
        raise NotImplementedError


class Segments(Protocol):
    """Changes of an index or a library: the answers are those before a commit, or those after it."""

    def __init__(self, verb, folder, scenes, extra, codes=()):
        self.name, self.kind, self.folder, self.codes = "-".join(verb), verb[0], folder, codes
        self.extra = extra  # one more change, after which nothing may be left over
        self.scenes = []
        for name, before, commands in scenes:
            aims = [at for at, words in enumerate(commands) if words[:2] == verb]
            self.scenes.append(Scene(self, name, before, commands, aims))

    def answer(self, arena):
        """Returns all documents, and the number of segments."""
        show = ["blots", self.folder, "--min-documents", "1"] if self.kind == "index" else ["export", self.folder]
        return arena.run(self.kind, *show, "-q"), self.manifest(arena).count("\nsegment ")

    def manifest(self, arena):
        return arena.read(os.path.basename(self.folder), "manifest").decode()

    def at(self, arena, scene, cut, more):
        """Returns the right answer after `cut` steps, or after one more change; and the texts that must be gone then.
        """
        if (cut, more) not in scene.facts:
            arena.put(scene.trace.tree(cut))
            if more:
                arena.run(*self.extra)
            left = b"".join(content or b"" for content in read_tree(arena.disk)[0].values())
            texts = [text for path, content in scene.trace.tree(0).items() if "texts/" in path
                     for text in re.findall(rb'"text":"([^"]+)"', content)]
            scene.facts[cut, more] = self.answer(arena), [text for text in texts if text not in left]
        return scene.facts[cut, more]

    def judge(self, arena, scene, cut, tree, rng):
        done = scene.done(cut)
        command, after = scene.commands[min(done, len(scene.commands) - 1)], scene.ends[min(done, len(scene.ends) - 1)]
        before = [0, *scene.ends][done]
        commits = [number + 1 for number in range(before, after) if scene.trace.steps[number].call == "rename"
                   and scene.trace.steps[number].names[-1][1] == "manifest"]
        right = [self.at(arena, scene, moment, False)[0] for moment in (before, *commits)]
        wanted, _ = self.at(arena, scene, after, False)
        final, gone = self.at(arena, scene, after, True)
        arena.put(tree)
        arena.run(self.kind, "check", self.folder, "-q")
        answer = self.answer(arena)
        if answer not in right:
            raise Wrong("the answer is none that there was since the last acknowledgement")
        # If the command is done already, it is refused or finds nothing to do.
        arena.run(*command, codes=(0, *self.codes) if answer == wanted else (0,))
        arena.run(*self.extra)
        if self.answer(arena) != final:
            raise Wrong("the result is another")
        self.check_litter(arena)
        content = b"".join(each or b"" for each in read_tree(arena.disk)[0].values())
        if any(text in content for text in gone):
            raise Wrong("a removed text is still there")

    def check_litter(self, arena):
        name, manifest = os.path.basename(self.folder), self.manifest(arena)
        named = {"manifest", "lock", *(f"{int(number):06}" for number in re.findall(r"^segment (\d+)", manifest, re.M)),
                 *(f"{int(a):06}-{int(b):06}.removed" for a, b in re.findall(r"^removed (\d+) (\d+)", manifest, re.M))}
        left = {*os.listdir(arena.path(name)), *(f"../{other}" for other in os.listdir(arena.disk) if other != name)}
        if left - named - {"texts"}:
            raise Wrong(f"left behind: {sorted(left - named)}")


class Run(Protocol):
    """A run of dedup. `again` completes it as the program's messages say."""

    def __init__(self, name, scenes):
        self.name = name
        self.scenes = [Scene(self, scene, before, [command]) for scene, before, command in scenes]

    def answer(self, arena):
        """Returns all results of a run, without what it cost."""
        tree, _ = read_tree(arena.path("out"))
        files = {path: content for path, content in tree.items() if not f"{path}/".startswith("work/")}
        if "summary.json" not in files:
            raise Wrong("out: there is no summary")
        summary = json.loads(files["summary.json"])
        del summary["run"]
        if "report.html" in files:
            cost = rb'(?s)<section aria-labelledby="cost">.*?</section>'
            files["report.html"] = re.sub(cost, b"", files["report.html"])
        files["summary.json"] = summary
        # A library contains the name of the folder in which it was made.
        files = {path: content for path, content in files.items() if not path.startswith("library/")}
        for library in (f"{OUT}/library", LIBRARY):
            if os.path.exists(os.path.join(arena.folder, os.path.relpath(library, os.path.dirname(DISK)))):
                arena.run("library", "check", library, "-q")
                files[library] = arena.run("library", "export", library, "-q")
        return files

    def compare(self, found, expected, what):
        names = [name for name in sorted({*found, *expected}) if found.get(name, b"?") != expected.get(name, b"?")]
        if names:
            raise Wrong(f"{what}: {names[:6]} differ")

    def learn(self, arena, scene):
        trace = scene.trace
        scene.facts["after"] = self.answer(arena)
        arena.put(trace.tree(0))
        whole = os.path.exists(arena.path("out", "summary.json"))
        scene.facts["before"] = self.answer(arena) if whole else None
        scene.facts["old"] = arena.read("out", "summary.json") if whole else b""

    def judge(self, arena, scene, cut, tree, rng):
        arena.put(tree)
        after = scene.facts["after"]
        command = [word for word in scene.commands[0] if word not in ("--force", "--resume")]
        if os.path.exists(arena.path("library")):
            arena.run("library", "check", LIBRARY, "-q")
        if os.path.exists(arena.path("out", "summary.json")):
            old = scene.facts["before"] is not None and arena.read("out", "summary.json") == scene.facts["old"]
            if old and cut == len(scene.trace.steps):
                raise Wrong("what was acknowledged is lost")
            self.compare(self.answer(arena), scene.facts["before"] if old else after, "a run that says it is whole")
            code, told = arena.run(*command, "--resume", codes=(2,), told=True)
            if "finished run" not in told:
                raise Wrong(f"a run that is whole: exit code {code}: {told}")
            if not old and "--library" not in command and rng.random() < 0.3:  # the run can be replaced
                arena.run(*command, "--force")
            elif old:
                arena.run(*command, "--force")
        elif cut == len(scene.trace.steps):
            raise Wrong("what was acknowledged is lost")
        else:
            self.again(arena, command)
        self.compare(self.answer(arena), after, "the run")
        left = [path for path in read_tree(arena.disk)[0] if ".partial-refrain-" in path or path.startswith("out/work")]
        if left:
            raise Wrong(f"left behind: {left[:6]}")

    def again(self, arena, command):
        """Resumes, or starts again if the program says that there is nothing to resume."""
        code, told = arena.run(*command, "--resume", codes=(0, 2), told=True)
        if code == 0:
            return
        if "remove --resume" in told:
            code, told = arena.run(*command, codes=(0, 2), told=True)
        if code == 0:
            return
        if "with --force" not in told:
            raise Wrong(f"{told}")
        arena.run(*command, "--force")


class Seen(Protocol):
    """Documents that a server adds: each one that was answered as added is there once, whatever happened since."""

    name = "seen-add"

    def __init__(self, scenes):
        rng = random.Random(73)
        self.batches = []
        for number in range(60):
            rows = [(f"s{number}-{at}", sentence(rng, WORDS, 300)) for at in range(rng.choice((1, 3, 8, 12)))]
            if number % 3 == 2:
                rows.append((f"s{number}-copy", self.batches[number // 2][0][1]))  # a copy of one that was added before
            self.batches.append(rows)
        self.scenes = [Scene(self, name, before, ["serve"]) for name, before in scenes]

    def act(self, arena, command):
        with arena.server() as ask:
            for batch in self.batches:
                ask(batch)

    def learn(self, arena, scene):
        """Stores when each document was acknowledged, and the final content of the library."""
        waiting, acknowledged = {}, {}
        for number, step in enumerate(scene.trace.steps):
            if step.call != "send":
                continue
            text = waiting.pop(step.file, b"") + step.bytes
            text, cut, rest = text.rpartition(b"\n")
            waiting[step.file] = rest
            for line in (text + cut).splitlines():
                row = json.loads(line) if line.startswith(b'{"id"') else {}
                if row.get("added"):
                    acknowledged[row["id"]] = number
        added = {name for batch in self.batches for name, _ in batch if not name.endswith("-copy")}
        if set(acknowledged) != added:
            raise Wrong(f"{scene.name}: the recording has {len(acknowledged)} of {len(added)} answers")
        scene.facts = {"acknowledged": acknowledged, "final": self.ids(arena)}

    def ids(self, arena):
        return sorted(json.loads(row)["id"] for row in arena.run("library", "export", LIBRARY, "-q").splitlines())

    def judge(self, arena, scene, cut, tree, rng):
        arena.put(tree)
        facts = scene.facts
        acknowledged = {name for name, number in facts["acknowledged"].items() if number < cut}
        if os.path.exists(arena.path("library", "manifest")):
            arena.run("library", "check", LIBRARY, "-q")
            arena.run("library", "stats", LIBRARY)
            if rng.random() < 0.2:
                arena.run("library", "merge", LIBRARY, "-q")
        with arena.server() as ask:
            for first in range(0, len(self.batches), 10):
                rows = [row for batch in self.batches[first:first + 10] for row in batch]
                for (name, _), answer in zip(rows, ask(rows)):
                    if name in acknowledged and (answer["status"], answer["match"]) != ("exact", name):
                        raise Wrong(f"what was acknowledged is lost: {answer}")
        if self.ids(arena) != facts["final"]:
            raise Wrong(f"the library is another: {sorted(set(self.ids(arena)) ^ set(facts['final']))[:10]}")
        arena.run("library", "check", LIBRARY, "-q")


# ---- initial states


def nothing(arena):
    arena.put({})


class Base:
    """A folder that is made once, and copied for each scene."""

    def __init__(self, make):
        self.make, self.tree = make, None

    def __call__(self, arena):
        if self.tree is None:
            nothing(arena)
            self.make(arena)
            self.tree, _ = read_tree(arena.disk)
        arena.put(self.tree)


LIMITS = ["--threads", "2", "--memory", "128M", "-q"]
FIELDS = ["--id-field", "id"]
DEDUP = ["dedup", f"{INPUT}/a.jsonl", f"{INPUT}/b.jsonl.gz", *FIELDS, "-o", OUT, "--sample", "20", *LIMITS]
AGAINST = ["--against", "in/items.jsonl", "--against-id-field", "id"]
APPLY = [*DEDUP, "--apply", "--annotate", "--substrings", "60", *AGAINST]
GROW = [*DEDUP, "--library", LIBRARY]


def add_part(number, *flags):
    return ["index", "add", INDEX, f"in/part{number}.jsonl", *FIELDS, *flags, *LIMITS]


def make_index(parts, *changes):
    def make(arena):
        arena.run("index", "create", INDEX, "in/part0.jsonl", *FIELDS, "--store-text", *LIMITS)
        for number in range(1, parts):
            arena.run(*add_part(number))
        for change in changes:
            arena.run(*change)
    return make


def make_library(arena):
    """Makes a library by two runs of dedup, a server whose additions became segments, and a server that was killed."""
    for name in ("old", "c"):
        arena.run("dedup", f"{INPUT}/{name}.jsonl", *FIELDS, "-o", f"{DISK}/{name}", "--library", LIBRARY, *LIMITS)
        shutil.rmtree(arena.path(name))
    rng = random.Random(74)
    for last, count in ((signal.SIGTERM, 100), (signal.SIGKILL, 60)):
        with arena.server(last) as ask:
            ask([(f"https://{last.name.lower()}.example/{at}", sentence(rng, WORDS, 40)) for at in range(count)])


def make_old_run(arena):
    """Makes another run, whose outputs have different names."""
    arena.run("dedup", f"{INPUT}/c.jsonl", f"{INPUT}/old.jsonl", *FIELDS, "-o", OUT, "--apply", *LIMITS)


def cut_at(scene, share, lost):
    """Returns a function that restores what a run leaves if it ends at this share of its steps."""
    def make(arena):
        trace = scene.trace
        whole = max(number for number, step in enumerate(trace.steps) if step.call == "rename")  # of the summary
        cut = int(whole * share)
        arena.put(trace.tree(cut, dict.fromkeys(trace.pending(cut), LOST) if lost else ()))
    return make


def protocols():
    library = Base(make_library)
    add_extra = ["index", "add", INDEX, "in/extra.jsonl", *FIELDS, *LIMITS]
    merge_index, merge_library = ["index", "merge", INDEX, "-q"], ["library", "merge", LIBRARY, "-q"]
    remove_ids = [["index", "remove", INDEX, "--ids", f"in/gone{at}.txt", "-q"] for at in range(6)]
    remove_many = [["index", "remove", INDEX, "--ids", f"in/many{at}.txt", "-q"] for at in range(6)]
    merged = [merge_index, *map(add_part, range(MOST, PARTS))]  # a large segment, and small ones
    sites = [f"https://sig{last}.example" for last in ("term", "kill")]
    remove_known = [["library", "remove", LIBRARY, *words, "-q"] for words in (
        ["old3", "c5"], [f"{sites[1]}/3", "old5"], *([f"{site}/{at}" for site in sites] for at in (7, 8, 9)),
        ["old7", "c8", "c11"], ["--source", "sigterm.example"], ["--source", "sigkill.example", "old9"])]
    apply = Run("dedup-apply", [
        ("apply", nothing, APPLY),
        ("apply --force", Base(make_old_run), [*APPLY, "--force"]),
        ("attributes", nothing, [*DEDUP, "--attributes", "dolma", "--apply", "--read-back"])])
    fresh = apply.scenes[0]
    apply.scenes.append(Scene(apply, "apply --force, unfinished", Base(cut_at(fresh, 0.9, False)),
                              [[*DEDUP, "--apply", "--force"]]))
    resumed = [(f"resume at {share:.0%}{', synced only' if lost else ''}", Base(cut_at(fresh, share, lost)),
                [*APPLY, "--resume"]) for share, lost in ((0.3, False), (0.6, True), (0.85, False), (0.9, True))]
    return [
        apply,
        Run("dedup-resume", resumed),
        Segments(["index", "add"], INDEX, [("add", Base(make_index(1)), [
            *(add_part(number) for number in range(1, PARTS)), add_part(3, "--replace")])], add_extra, codes=(2, 3)),
        Segments(["index", "remove"], INDEX, [
            ("remove", Base(make_index(MOST)), remove_ids),
            ("remove many", Base(make_index(MOST)), remove_many),
            ("remove after a merge", Base(make_index(MOST, remove_ids[0], *merged)), [*remove_many, remove_ids[1]])],
                 add_extra, codes=(1, 2)),
        Segments(["index", "merge"], INDEX, [
            ("merge", Base(make_index(4)), [
                merge_index, add_part(5), remove_ids[1], merge_index, remove_ids[2], add_part(6), merge_index]),
            ("merge many", Base(make_index(MOST)), [*merged, merge_index, remove_many[0], merge_index]),
            ("merge after removals", Base(make_index(MOST, remove_ids[0], *remove_many[:2])), [
                *merged, remove_many[2], merge_index, remove_ids[3], remove_many[3], merge_index])], add_extra),
        Run("library-add", [("new", nothing, GROW), ("grown", library, GROW)]),
        Segments(["library", "remove"], LIBRARY, [("remove", library, remove_known)], merge_library, codes=(1, 2)),
        Segments(["library", "merge"], LIBRARY, [("merge", library, [
            merge_library, remove_known[0], merge_library, remove_known[6], merge_library])], merge_library),
        Seen([("new", nothing), ("grown", library)]),
    ]
