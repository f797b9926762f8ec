"""Power cuts: whatever a disk holds after one, nothing acknowledged is lost, and running the command again suffices.

A run of each protocol is recorded, call by call (tests/fault/recorder.cc). From the recording, states are drawn that
a power cut could leave: after any call, without any part of what had not been synced by then (disk_model.py has the
rules). Each state is opened, checked and completed. What was acknowledged must be there, nothing may be there twice,
and the result must be that of an undisturbed run.

    power_cuts.py [--full | --states N] [--seed N] [--jobs N] [NAME...]
    power_cuts.py --again FILE

The full form draws until 5,000 different states of each protocol were tried. NAME selects protocols by a part of
their name. A state that fails is kept in a file, and --again tries it alone, in a folder that is kept.
"""

import argparse
import multiprocessing
import os
import pickle
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "cli"))
from disk_model import digest, write_tree  # noqa: E402
from power_protocols import RECORDER, Arena, Seen, Wrong, make_inputs, protocols  # noqa: E402

FULL, SHORT = 5000, 6  # states per protocol
DRAWS = 20  # draws per state, at most: many give a state that was tried before


class Campaign:
    """All protocols, one after the other, each on all cores."""

    def __init__(self, root, options):
        self.root, self.options = root, options
        self.target = options.states or (FULL if options.full else SHORT)
        self.inputs = os.path.join(root, "in")
        make_inputs(self.inputs)
        self.protocols, arena = protocols(), Arena(os.path.join(root, "recording"), self.inputs)
        names = options.names or [""]
        wanted = [each for each in self.protocols if any(name in each.name for name in names)]
        needed = [self.protocols[0].scenes[0]] if self.protocols[1] in wanted else []
        needed += [scene for protocol in wanted for scene in protocol.scenes if scene not in needed]
        self.out_of_order = 0
        for scene in needed:
            scene.record(arena, root)
            self.out_of_order += len(scene.out_of_order)
            for what in scene.out_of_order:
                print(f"failed: {scene.protocol.name}, {scene.name}: {what}", flush=True)
        self.protocols = wanted
        self.kept = os.path.join(tempfile.gettempdir(), f"refrain-power-cuts-{options.seed}-{os.getpid()}")
        count = len(wanted)
        fork = multiprocessing.get_context("fork")
        self.numbers = [fork.Value("q", 0) for _ in range(count)]
        self.states = [fork.Value("q", 0) for _ in range(count)]
        self.failures = [fork.Value("q", 0) for _ in range(count)]
        self.seconds = [fork.Value("d", 0) for _ in range(count)]
        for protocol in wanted:
            os.makedirs(os.path.join(root, "tried", protocol.name))
        self.workers = [fork.Process(target=self.work, args=(number,)) for number in range(options.jobs)]

    def run(self):
        """Returns whether all states were right."""
        start = time.monotonic()
        for worker in self.workers:
            worker.start()
        told = 0
        while any(worker.is_alive() for worker in self.workers):
            self.workers[0].join(0.2)
            if time.monotonic() - start > 60 * (told + 1):
                told += 1
                print(f"power cuts: {told} min, {sum(each.value for each in self.states)} states", flush=True)
        for at, protocol in enumerate(self.protocols):
            steps = ", ".join(f"{scene.name}: {len(scene.trace.steps)} calls" for scene in protocol.scenes)
            draws = min(self.numbers[at].value, DRAWS * self.target)
            states, failures, seconds = (counts[at].value for counts in (self.states, self.failures, self.seconds))
            print(f"{protocol.name}: {states} states of {draws} draws, {failures} failed, {seconds:.1f} s of CPU time "
                  f"({steps})", flush=True)
        failed = self.out_of_order + sum(each.value for each in self.failures)
        states = sum(each.value for each in self.states)
        print(f"power cuts: {states} states, {failed} failed, seed {self.options.seed}, "
              f"{time.monotonic() - start:.0f} s", flush=True)
        return failed == 0 and all(worker.exitcode == 0 for worker in self.workers)

    def work(self, number):
        arena = Arena(os.path.join(self.root, f"worker{number}"), self.inputs)
        for at, protocol in enumerate(self.protocols):
            before = cpu_seconds()
            while self.states[at].value < self.target and self.failures[at].value < 20:
                with self.numbers[at].get_lock():
                    drawn, self.numbers[at].value = self.numbers[at].value, self.numbers[at].value + 1
                if drawn >= DRAWS * self.target:
                    break
                self.try_state(arena, at, protocol, drawn)
            with self.seconds[at].get_lock():
                self.seconds[at].value += cpu_seconds() - before
        shutil.rmtree(arena.folder)

    def try_state(self, arena, at, protocol, number):
        scene = protocol.scenes[number % len(protocol.scenes)]
        rng = random.Random(f"{self.options.seed} {protocol.name} {number}")
        cut, left = scene.draw(rng)
        tree = scene.trace.tree(cut, left)
        # The same bytes may be right at one moment but not later, after more was acknowledged.
        same = f"{number % len(protocol.scenes)}-{acknowledged(protocol, scene, cut)}-{digest(tree)}"
        try:
            os.close(os.open(os.path.join(self.root, "tried", protocol.name, same), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        with self.states[at].get_lock():
            self.states[at].value += 1
        then = rng.getstate()
        try:
            protocol.judge(arena, scene, cut, tree, rng)
        except Exception as error:  # pylint: disable=broad-except
            why = str(error) if isinstance(error, Wrong) else traceback.format_exc()
            with self.failures[at].get_lock():
                self.failures[at].value += 1
            self.keep(scene, protocol, number, why, {"cut": cut, "left": left, "rng": then})

    def keep(self, scene, protocol, number, why, state):
        os.makedirs(self.kept, exist_ok=True)
        file = os.path.join(self.kept, f"{protocol.name}-{number}")
        inputs = {}
        for name in os.listdir(self.inputs):
            with open(os.path.join(self.inputs, name), "rb") as content:
                inputs[name] = content.read()
        with open(file, "wb") as out:
            pickle.dump({"protocol": protocol.name, "scene": scene.name, "facts": scene.facts, "ends": scene.ends,
                         "trace": scene.trace, "inputs": inputs, **state}, out)
        cut, left = state["cut"], state["left"]
        last = scene.trace.describe(cut - 1) if cut else "nothing"
        print(f"failed: seed {self.options.seed}, {protocol.name}, {scene.name}, state {number}: cut after {last}; "
              f"{len(left)} steps are not whole: {why}\n  again: python3 {os.path.relpath(__file__)} --again {file}",
              flush=True)


def acknowledged(protocol, scene, cut):
    """Returns how much had been acknowledged by then."""
    if isinstance(protocol, Seen):
        return sum(number < cut for number in scene.facts["acknowledged"].values())
    return scene.done(cut)


def cpu_seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def again(file):
    """Tries one kept state, in a folder that is kept. Returns whether it was right."""
    with open(file, "rb") as kept:
        state = pickle.load(kept)
    root = tempfile.mkdtemp(prefix="refrain-power-cut-")
    os.mkdir(os.path.join(root, "in"))
    for name, content in state["inputs"].items():
        path = os.path.join(root, "in", name)
        with open(path, "wb") as out:
            out.write(content)
        os.utime(path, ns=(10**18, 10**18))
    arena = Arena(os.path.join(root, "arena"), os.path.join(root, "in"))
    protocol = next(each for each in protocols() if each.name == state["protocol"])
    scene = next(each for each in protocol.scenes if each.name == state["scene"])
    trace = scene.trace = state["trace"]
    scene.facts, scene.ends, cut, left = state["facts"], state["ends"], state["cut"], state["left"]
    print(f"{protocol.name}, {scene.name}: {' '.join(scene.commands[min(scene.done(cut), len(scene.commands) - 1)])}")
    for number in range(max(0, cut - 12), cut):
        print(f"  {number} {trace.describe(number)}")
    print(f"  -- the power fails here, in {len(trace.steps)} steps; not whole:")
    for number, kept in sorted(left.items()):
        print(f"  {number} {trace.describe(number)}: {'lost' if not any(kept) else f'kept {kept[0]}, size {kept[1]}'}")
    tree = trace.tree(cut, left)
    write_tree(os.path.join(root, "state"), tree)
    print(f"the state: {root}/state")
    rng = random.Random()
    rng.setstate(state["rng"])
    try:
        protocol.judge(arena, scene, cut, tree, rng)
    except Wrong as error:
        print(f"failed: {error}\nwhat is left: {arena.disk}")
        return False
    print("it went well")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--states", type=int, metavar="N", help="different states of each protocol")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", metavar="FILE")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.again:
        sys.exit(0 if again(options.again) else 1)
    if not os.path.exists(RECORDER):
        print(f"skipped: {RECORDER} is not built; a sanitizer's library wants to be loaded first")
        return
    print(f"power cuts: seed {options.seed}", flush=True)
    fast = "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 1 << 30 else None
    with tempfile.TemporaryDirectory(prefix="refrain-power-", dir=fast) as root:
        went_well = Campaign(os.path.realpath(root), options).run()
    sys.exit(0 if went_well else 1)


if __name__ == "__main__":
    main()
