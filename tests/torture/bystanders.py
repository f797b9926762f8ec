"""Bystanders: whatever a run does and however it ends, files that are not its own stay as they are.

Files of strangers, with names similar to Refrain's own, are put into the input, the index, the output, the temporary
folder and the folder above. Then every verb runs and ends normally, with an error, by a signal, by kill -9, or on a
failing disk. Afterwards the whole tree is compared. A stranger's file, or one that was read, must be the same file
with the same bytes, time and mode; everything new must be an output. Nothing unfinished may be left, unless the
program was killed; then running the same command again cleans it up.

    bystanders.py [--full] [--seed N] [--only VERB]

The short form runs every verb with a seeded sample of the ways to end; --full runs all of them, several times each.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import errno
import gzip
import http.client
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
from program import BIN_DIR, SOURCE_DIR, TIME_FACTOR, documents, environment, jsonl, program, run  # noqa: E402

FAULTS = os.path.join(BIN_DIR, "faults.so")
SAMPLE, MOMENTS = 4, 6  # ways to end that the short form tries; moments at which the full form tries each
SEGMENT = "000009"  # a segment of the index, which once had 1 to 8
STRANGERS = ["notes.txt", "000001.bak", "000007/keep.txt", "000008/documents.bin", "000001-000009.removed",
             "manifest.old", "manifest.partial-notes.txt", "manifest.partial-2024", "manifest.tmp", "summary.json.orig",
             ".hidden", "clean.txt", "work.txt", "read-only.txt", ".out.partial-old/x", ".out.partial-2024-01-05/x",
             ".new.partial-old/x", "known.tsv.partial-old", "pairs.txt.partial-old", "refrain-notes.txt"]
Thing = collections.namedtuple("Thing", "mode inode time content")

# ---- the table of verbs: the command, the initial state, what the verb may write, and its exit code

Verb = collections.namedtuple("Verb", "name line scene owns code target")
NOTHING = r"(?!)"
INDEX = r"(manifest|lock|\d{6}(/(documents|texts|posts-\d\d)\.bin)?|\d{6}-\d{6}\.removed)"
LIBRARY = r"(manifest|lock|\d{6}(/(documents|ids|names|keys|filter)\.bin)?|\d{6}-\d{6}\.removed)"
OUTPUTS = {"dedup": r"(decisions|against)\.jsonl|(matches|clusters|substring_bytes|skipped)\.tsv|report\.html|"
                    r"(decisions|matches|clusters)\.parquet|"
                    r"(clean|annotated|attributes|library|work)(/.*)?|\.\w+\.files",
           "near": r"(matches|clusters|skipped)\.tsv|(matches|clusters)\.parquet",
           "substrings": r"(substring_bytes|skipped)\.tsv|passages\.jsonl|clean(/.*)?|\.clean\.files",
           "ngrams": r"(grams|places|documents)\.bin|skipped\.tsv"}
READ, RECORDS = "in --id-field id -q", "in/a.jsonl in/b.jsonl.gz --id-field id -q"
RUNS = {"dedup": f"dedup {RECORDS} -o out --apply --annotate --substrings 60 --against items.jsonl",
        "near": f"near {READ} -o out", "substrings": f"substrings {READ} -o out --length 60 --apply",
        "ngrams": f"ngrams build {READ} -n 4 -o out"}


def row(name, line, scene="bare", owns=NOTHING, code=(0,)):
    target = "out" if " -o out" in line else "new" if " new " in line else ""  # the folder that the verb makes
    if target == "out":
        owns = rf"out(/(summary\.json|{OUTPUTS[line.split()[0]]}))?"
    elif line.startswith(("library merge", "library remove", "library check shelf --repair")):
        owns = f"shelf/{LIBRARY}"
    elif line.startswith(("index add", "index remove", "index merge", "serve")) or "--repair" in line:
        owns = f"books/{INDEX}"
    return Verb(name, line, scene, owns, code, target)


VERBS = [
    *(row(f"dedup {flag}", f"dedup {READ} -o out {flag}") for flag in (
        "--keep longest", "--apply", "--apply --substrings 60", "--against items.jsonl")),
    *(row(f"dedup {flag}", f"dedup {RECORDS} -o out {flag}") for flag in ("--annotate", "--attributes dolma")),
    *(row(f"{verb} --tables", f"{verb} {READ} -o out --tables parquet", code=(0, 3)) for verb in ("dedup", "near")),
    *(row(f"dedup {flag} {scene}", f"{RUNS['dedup']} {flag}", scene, code=(0, 2) if "late" in scene else (0,))
      for flag in ("--resume", "--force") for scene in ("begun", "begun, late clean")),
    *(row(name, line) for name, line in RUNS.items() if name != "dedup"),
    *(row(f"{name} --force", f"{line} --force", name) for name, line in RUNS.items()),
    *(row(f"{name} --force {scene}", f"{RUNS[name]} --force", scene, code=(0,) if scene == "foreign" else (2,))
      for name, scene in [("dedup", "foreign"), ("dedup", "foreign clean"), ("dedup", "foreign work"),
                          ("near", "foreign"), ("dedup", "dedup, late clean"), ("near", "foreign table"),
                          ("substrings", "foreign clean"), ("substrings", "substrings, late clean")]),
    row("substrings --groups", f"substrings {READ} -o out --length 60 --groups"),
    row("match --add", "match known.tsv queries.tsv --add -q", owns=r"known\.tsv"),
    row("index create", f"index create new {READ} --store-text", owns=f"new(/{INDEX})?"),
    row("index add inside", "index add books books/notes.txt -q", code=(2,)),
    *(row(f"index {name}{taken}", line, f"{scene}{taken}")  # taken: the next names exist already, as a stranger's files
      for taken in ("", ", taken") for name, line, scene in [
          ("add", "index add books more --id-field id -q", "bare"), ("merge", "index merge books -q", "bare"),
          ("add --replace", "index add books in --id-field id --replace -q", "bare"),
          ("remove", "index remove books --ids ids.txt -q", "bare"),
          ("check --repair", "index check books --repair -q", "damaged")]),
    *(row(f"library {name}{taken}", line, f"bare{taken}") for taken in ("", ", taken") for name, line in [
        ("merge", "library merge shelf -q"), ("remove", "library remove shelf --source example9.org -q"),
        ("check --repair", "library check shelf --repair -q")]),
    *(row(re.match(r"\w+( (--)?\w+(?= (books|grams|run|shelf)\b))?", line).group(), line) for line in [
        f"fingerprint {READ}", "serve books --listen 127.0.0.1:0 --token-file token", "match known.tsv queries.tsv -q",
        "explain in/deep/0.txt in/deep/1.txt", "explain --run run a1", "ngrams show grams --limit 9 -q",
        "ngrams lookup grams 'nothing like this here' -q", "ngrams stats grams", "ngrams check grams -q",
        "index query books in/deep/0.txt -q", "index extract books -q", "index blots books -q", "index stats books",
        "index check books -q", "library stats shelf", "library check shelf -q", "library export shelf -q"]),
    row("overrides check", "overrides check people.jsonl --run run"),
    row("overrides merge", "overrides merge people.jsonl people.jsonl -o merged.jsonl", owns=r"merged\.jsonl",
        code=(0, 2)),
    *(row(name, f"{name} -b 6 -d 3 -i hashes.txt -o pairs.txt", owns=r"pairs\.txt")
      for name in ("simhash-find-all", "simhash-find-clusters")),
]
READERS = ("dedup", "near", "substrings", "ngrams build", "fingerprint", "index create", "index add")
# The ways to end, and the exit codes of a run that is made to end so; the run may also end by itself before that.
WAYS = {"itself": (), "usage": (1, 2), "bad record": (2, 3), "missing": (2, 3, 7), "memory": (2, 3, 5),
        "SIGINT": (130, -2), "SIGTERM": (130, -15), "SIGKILL": (-9,), "killed at": (-9,), "ENOSPC": (1, 5, 8),
        "EIO": (1, 5, 8)}
BY_CALL = ("killed at", "ENOSPC", "EIO")


def line_of(verb, way):
    """Returns the command, with changes that make it end in this way if the command itself can cause that."""
    words = shlex.split(verb.line)
    if way == "missing" and not verb.line.startswith(READERS):
        operands = {"books", "shelf", "grams", "known.tsv", "run", "hashes.txt", "people.jsonl", "in/deep/0.txt"}
        return ["absent" if word in operands else word for word in words]
    if way == "usage" and verb.target and verb.scene == "bare":
        return words  # the folder exists
    return words + {"bad record": ["bad.jsonl", "--strict"], "missing": ["absent.jsonl"], "usage": ["--no-such-flag"],
                    "memory": ["big.txt", "--memory", "64M"]}.get(way, [])


def line_again(verb, way, arena, rng):
    """Returns the command that continues after an interrupted one, or starts again."""
    words = [word for word in shlex.split(verb.line) if word not in ("--force", "--resume", "--replace")]
    there = [name for name in ("", "summary.json", "work/run.txt") if os.path.exists(os.path.join(arena, "out", name))]
    if verb.target == "out" and there:
        begun = there == ["", "work/run.txt"] and way != "memory"
        words.append(rng.choice(("--resume", "--force")) if begun else "--force")
    return words + (["--replace"] if verb.line.startswith("index add") else [])


def write(root, name, content, mode=0o644):
    path = Path(root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return [name]


def snapshot(root):
    """Returns everything below a folder, by name. The content of folders and pipes is None."""
    found = {}
    for path in Path(root).rglob("*"):
        info = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(root))] = Thing(info.st_mode, info.st_ino, info.st_mtime_ns, content)
    return found


def plant(root, place):
    """Puts files of strangers into a folder, some of them years old; returns their names."""
    folder = os.path.join(root, place)
    os.makedirs(os.path.join(folder, "empty"))
    names = ["empty", "link", "dangling", "000042", "pipe", *STRANGERS]
    for name in STRANGERS:
        write(folder, name, f"{place}/{name}: mine\n", 0o444 if name == "read-only.txt" else 0o640)
        names += [os.path.dirname(name)] if "/" in name else []
    for link, target in zip(names[1:4], ("file.txt", "nowhere", "segment")):
        os.symlink(os.path.relpath(os.path.join(root, "outside", target), folder), os.path.join(folder, link))
    os.mkfifo(os.path.join(folder, "pipe"))
    for at, name in enumerate(names):
        os.utime(os.path.join(folder, name), ns=(10**18 + at,) * 2, follow_symlinks=False)
    return [os.path.normpath(os.path.join(place, name)) for name in names]


def manifest_of(index):
    """Returns the names in an index that its manifest lists, and the numbers of the next segment and the next
    generation."""
    text = Path(index, "manifest").read_text(encoding="utf-8")
    [segment], [generation] = (re.findall(rf"^{key} (\d+)$", text, re.M) for key in ("next-segment", "generation"))
    names = {f"{int(number):06}" for number in re.findall(r"^segment (\d+)", text, re.M)}
    names |= {f"{int(a):06}-{int(b):06}.removed" for a, b in re.findall(r"^removed (\d+) (\d+)", text, re.M)}
    return names, int(segment), int(generation) + 1


def execute(folder, line, code=0, **env):
    done = run(*shlex.split(line), cwd=folder, env=environment(TMPDIR=os.path.join(folder, "tmp"), **env))
    assert done.code == code, f"{line}: exit code {done.code}: {done.err}"


class Scenes:
    """The initial states, made once and copied for each run."""

    def __init__(self, root, kinds):
        self.root, self.base = root, os.path.join(root, "base")
        texts = documents(150, seed=61, length=50)
        rows = {letter: jsonl(texts[first:last], id=lambda at, letter=letter: f"{letter}{at}")
                for letter, first, last in [("a", 0, 60), ("b", 60, 100), ("c", 100, 120), ("d", 120, 130),
                                            ("e", 130, 140), ("x", 0, 3)]}
        for name, content in {
                "in/a.jsonl": rows["a"], "in/b.jsonl.gz": gzip.compress(rows["b"].encode(), 1),
                "more/c.jsonl": rows["c"], "in/deep/0.txt": texts[140], "in/deep/1.txt": texts[141],
                "../d.jsonl": rows["d"], "../e.jsonl": rows["e"],
                "items.jsonl": jsonl([" ".join(text.split()[:20]) for text in texts[3:40:6]], id=lambda at: f"t{at}"),
                "bad.jsonl": rows["x"] + "not JSON\n", "token": "a-token\n", "ids.txt": "a3\na5\nb7\nd0\ne2\n",
                "hashes.txt": "".join(f"{at * 37}\n" for at in range(500)), "tmp/x": "x\n", "outside/file.txt": "far\n",
                "people.jsonl": '{"v": 1, "seq": 1, "op": "keep", "documents": [{"digest": "' + "0" * 32 + '"}]}\n',
                "queries.tsv": "id\thash\n" + "".join(f"q{at}\t{at * 37}\n" for at in range(60)),
                "known.tsv": "id\thash\n" + "".join(f"k{at}\t{at << 20}\n" for at in range(60))}.items():
            write(self.base, name, content)
        self.strangers = set(plant(self.base, "in"))
        for line in [f"index create books {RECORDS} --store-text",  # segments 1-8 are merged into a ninth, then a tenth
                     *["index add books ../d.jsonl --id-field id --replace -q"] * 7, "index merge books -q",
                     "index add books ../e.jsonl --id-field id -q", "index remove books a9 e1 -q",
                     f"dedup {RECORDS} -o run", f"ngrams build {RECORDS} -n 4 -o grams"]:
            execute(self.base, line)
        shutil.copytree(os.path.join(self.base, "books", SEGMENT), os.path.join(self.base, "outside", "segment"))
        shutil.copytree(os.path.join(SOURCE_DIR, "tests", "compat", "v1", "library"), os.path.join(self.base, "shelf"))
        self.outs = {kind: self.make_out(kind) for kind in sorted(kinds)}
        for place in (".", "books", f"books/{SEGMENT}", "shelf", "shelf/000002", "tmp", "outside", "grams"):
            self.strangers.update(plant(self.base, place))
        write(root, "big.txt", os.urandom(22 << 20).hex().replace("0", " "))  # too much for the smallest --memory

    def make_out(self, kind):
        """Makes a folder `out` as left by an earlier run or by someone else; returns the names that belong to
        strangers."""
        others = {"foreign clean": "out/clean/a", "foreign table": "out/matches.tsv",
                  "foreign work": "out/work/run.txt"}
        names = write(self.base, others[kind], "of no run\n") if kind in others else []
        if kind in RUNS:
            execute(self.base, RUNS[kind])
        elif kind == "begun":  # killed while it wrote its last folder, with the note removed that clean/ is done
            execute(self.base, RUNS["dedup"], -signal.SIGKILL, LD_PRELOAD=FAULTS, FAULTS_AT="4",
                    FAULTS_FOLDER=os.path.join(self.base, "out", "work", "annotated"))
            os.remove(os.path.join(self.base, "out", "work", "apply.done"))
        names += plant(self.base, "out")
        os.renames(os.path.join(self.base, "out"), os.path.join(self.root, kind, "out"))
        return names

    def stage(self, arena, verb, way):
        """Prepares the initial state of one run; returns all names that belong to strangers."""
        kind, _, more = verb.scene.partition(", ")
        strangers = set(self.strangers)
        subprocess.run(["cp", "-a", self.base, arena], check=True)
        if kind in self.outs:
            subprocess.run(["cp", "-a", os.path.join(self.root, kind, "out"), arena], check=True)
            strangers.update(self.outs[kind])
            with contextlib.suppress(FileNotFoundError):
                os.chmod(os.path.join(arena, "out", "summary.json"), 0o644)  # the run wrote this file last
                time.sleep(0.02)
        elif way == "usage" and verb.target:
            strangers.update(plant(arena, verb.target))
        if more.startswith("late "):
            strangers.update(plant(arena, more.replace("late ", "out/")))
        if way == "memory":
            os.link(os.path.join(self.root, "big.txt"), os.path.join(arena, "big.txt"))
        if kind == "damaged":
            os.truncate(os.path.join(arena, "books", SEGMENT, "posts-00.bin"), 5000)
        if more == "taken":
            for folder in ("books", "shelf"):
                names, segment, generation = manifest_of(os.path.join(arena, folder))
                taken = [f"{name}-{generation:06}.removed" for name in names if name.isdigit()]
                for name in [f"{segment:06}/keep.txt", f"{segment + 1:06}/documents.bin", *taken]:
                    strangers.update(write(arena, f"{folder}/{name}", "of no index\n"))
        return strangers


def talk(process):
    """Acts as a client of the server: queries, requests everything, adds, and stops it. Returns the server's
    messages."""
    told = process.stderr.readline()
    port = re.search(rb"http://127\.0\.0\.1:(\d+)", told)
    if port is None:
        return told
    text = "a document that comes over the wire, with words enough for a window or two of them, and some more"
    with contextlib.suppress(OSError, http.client.HTTPException):
        for method, path, body in [("POST", "/v1/query", f'{{"text": "{text}"}}'), ("GET", "/v1/passages", None),
                                   ("POST", "/v1/documents", f'{{"id": "wire", "text": "{text}"}}')]:
            client = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=20 * TIME_FACTOR)
            client.request(method, path, body, {"Authorization": "Bearer a-token"})
            reply = client.getresponse()
            told += f"{method} {path}: {reply.status} {reply.read()[:100]}\n".encode()
    process.send_signal(signal.SIGTERM)
    return told


def differences(arena, before, strangers, verb, code, killed):
    """Returns the changes to files that are not the verb's, and the files it left behind."""
    after = snapshot(arena)
    owns = re.compile(verb.owns if code not in (2, 3)
                      else r"out/work(/.*)?" if verb.scene.startswith("begun") else NOTHING)
    # Unfinished files; and those that a failed run may leave for the next one to continue from.
    scrap = (r"(.*/)?[^/]*\.partial-refrain-\d+-\d+(/.*)?|out/work(/.*)?|out/\.summary\.json\.replacing|"
             r"tmp/refrain-[\w-]+")
    is_continued_by = r"out/work(/(?!.*\.partial-refrain-\d+-\d+$).*)?|out/\.summary\.json\.replacing"
    may_stay = scrap if killed else is_continued_by if code in (1, 5, 130) else NOTHING
    named = {f"{index}/{name}" for index in ("books", "new", "shelf") if f"{index}/manifest" in after
             for name in manifest_of(os.path.join(arena, index))[0]}
    found = []
    for name in sorted({*before, *after, *strangers}):
        was, now, theirs = before.get(name), after.get(name), name in strangers
        part = re.match(r"(books|new|shelf)/\d{6}(-\d{6}\.removed)?(?=/|$)", name)
        if was and now and was.content is None and not theirs:
            now = now._replace(time=was.time)  # a folder in which something was created or removed
        fine = True
        if theirs or (was and now != was and not owns.fullmatch(name)):
            parts = [field for field in Thing._fields if was and now and getattr(now, field) != getattr(was, field)]
            how = "gone" if now is None else f"has another {', '.join(parts)}" if parts else ""
            found += [f"{name}: {'a stranger' if theirs else 'a user'}'s, and {how}"] if how else []
        elif re.fullmatch(scrap, name):
            fine = re.fullmatch(may_stay, name) or (code in (2, 3) and was)
        elif part and not killed:  # only segments of the manifest, and folders into which a stranger has put something
            fine = part.group() in named or any(other.startswith(f"{name}/") for other in strangers)
        else:
            fine = was or owns.fullmatch(name)
        found += [f"{name}: left behind"] if now and not fine else []
    return found


class Campaign:
    """All combinations of a verb and a way to end, started at once."""

    def __init__(self, root, options):
        self.root, self.seed, self.full = root, options.seed, options.full
        self.seconds, self.compared, self.costs, self.futures, combinations = [], [], {}, {}, []
        if not os.path.exists(FAULTS):
            print(f"skipped: {', '.join(BY_CALL)}: faults.so is not built; a sanitizer's library wants to"
                  " be loaded first")
        for verb in VERBS:
            needs = "faults.so" if verb.scene.startswith("begun") else verb.name if "simhash" in verb.name else ""
            if not os.path.exists(os.path.join(BIN_DIR, needs)):
                print(f"skipped: {verb.name}: {needs} is not built", flush=True)
                continue
            left_out = BY_CALL if not os.path.exists(FAULTS) else ()
            left_out += ("memory", "bad record") if not verb.line.startswith(READERS) else ()
            ways = [way for way in WAYS if way not in left_out] if 0 in verb.code else ["itself"]
            if not self.full:
                ways = ways[:1] + random.Random(f"{self.seed} {verb.name}").sample(ways[1:], min(SAMPLE, len(ways) - 1))
            combinations += [(verb, way) for way in ways if options.only in verb.name]
        self.scenes = Scenes(root, {verb.scene.split(", ")[0] for verb, _ in combinations} - {"bare", "damaged"})
        pool = concurrent.futures.ThreadPoolExecutor(2)
        combinations.sort(key=lambda both: both[1] != "itself")
        self.futures.update((both, pool.submit(self.combination, *both)) for both in combinations)

    def combination(self, verb, way):
        """Returns what is wrong if the verb ends in this way, at one moment or at several."""
        if way != "itself":
            self.futures[verb, "itself"].result()
        moments = MOMENTS if self.full and (way in BY_CALL or way.startswith("SIG")) else 1
        return "".join(self.once(verb, way, random.Random(f"{self.seed} {verb.name} {way} {at}"))
                       for at in range(moments))

    def once(self, verb, way, rng):
        """Does one run and, if it was interrupted, one that continues. Returns what is wrong."""
        arena = os.path.join(tempfile.mkdtemp(dir=self.root), "arena")
        strangers = self.scenes.stage(arena, verb, way)
        before = snapshot(arena)
        code, told, cost = self.run(arena, line_of(verb, way), way, rng, self.costs.get(verb))
        self.costs.setdefault(verb, cost)
        wrong = [] if code in (*verb.code, *WAYS[way]) else [f"exit code {code}"]
        wrong += re.findall(r"[A-Z]+ /v1/\w+: [45].*", told) if way == "itself" else []
        # Leftovers that could not be removed stay, as after a kill.
        killed = code < 0 or re.search(r"call \d+, unlink |a power failure may undo it", told) is not None
        wrong += differences(arena, before, strangers, verb, code, killed)
        if (code not in (0, 2, 3) or killed) and not (verb.target == "new"
                                                      and os.path.exists(os.path.join(arena, "new"))):
            code, more, _ = self.run(arena, line_again(verb, way, arena, rng), "itself", rng, None)
            told += f"\n  again: {more}"
            wrong += [] if code in verb.code else [f"exit code {code}, the second time"]
            wrong += [f"{each}, the second time" for each in differences(arena, before, strangers, verb, 0, code == 2)]
        self.compared.append(len(strangers))
        shutil.rmtree(arena)
        return "\n  ".join([f"\nseed {self.seed}, {verb.name}: {way}", told, *wrong[:20]]) if wrong else ""

    def run(self, arena, words, way, rng, cost):
        """Runs a command that should end in this way. Returns its exit code, a description of the run, and its
        seconds and calls."""
        env = environment(TMPDIR=os.path.join(arena, "tmp"))
        how, at, log, delay, number = "", 0, Path(f"{arena}.log"), 60 * TIME_FACTOR, signal.SIGKILL
        if way in BY_CALL and cost[1]:
            kind = rng.choice(sorted({call.split()[0] for call in cost[1]}))
            at = rng.choice([at for at, call in enumerate(cost[1], 1) if call.startswith(f"{kind} ")])
            env |= {"FAULTS_AT": str(at)} | ({} if way == "killed at" else {"FAULTS_ERRNO": str(getattr(errno, way))})
        elif way.startswith("SIG"):
            delay, number = rng.random() * 1.1 * cost[0], getattr(signal, way)
            how = f"after {delay:.4f} s: "
        if os.path.exists(FAULTS) and way in (*BY_CALL, "itself"):
            env |= {"LD_PRELOAD": FAULTS, "FAULTS_FOLDER": arena, "FAULTS_LOG": str(log)}
        line = [program(), *words] if "simhash" not in words[0] else [program(words[0]), *words[1:]]
        start = time.monotonic()
        with subprocess.Popen(line, cwd=arena, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            timer = threading.Timer(delay, process.send_signal, [number])
            timer.start()
            told = (talk(process) if words[0] == "serve" else b"") + process.stderr.read()
            code = process.wait()
            timer.cancel()
        self.seconds.append(time.monotonic() - start)
        code = 0 if code == 1 and not told else code  # nothing was found
        calls = log.read_text(encoding="utf-8").replace(f"{arena}/", "").splitlines() if log.exists() else []
        how = f"call {at}, {calls[at - 1]}: " if 0 < at <= len(calls) else how
        told = f"{shlex.join(words)}\n  {how}exit code {code}: {told.decode(errors='replace').strip()}"
        return code, told, (self.seconds[-1], calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="every way to end, several times")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", default="", metavar="VERB", help="verbs whose name holds it")
    options = parser.parse_args()
    print(f"bystanders: seed {options.seed}", flush=True)
    fast = "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 1 << 30 else None
    with tempfile.TemporaryDirectory(prefix="refrain-bystanders-", dir=fast) as root:
        campaign = Campaign(os.path.realpath(root), options)
        tests = type("Bystanders", (unittest.TestCase,), {
            f"test_{verb.name}: {way}": lambda self, future=future: future.result() and self.fail(future.result())
            for (verb, way), future in campaign.futures.items()})
        result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(tests))
    print(f"bystanders: {len(campaign.futures)} combinations, {len(campaign.seconds)} runs, "
          f"{sum(campaign.compared)} things of strangers compared, seed {options.seed}", flush=True)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
