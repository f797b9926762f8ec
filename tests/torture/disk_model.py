"""The rules for what a disk may hold after a power cut, in one place.

A trace is what a program did to a folder, call by call, as recorded by tests/fault/recorder.cc. If the power fails
after one of the calls, these rules define what may be found afterwards:

- Bytes of a file (write, truncate, zero, extend) are safe from the next sync of that file on. Before that, each call
  may be lost individually, even if later calls are kept. Any page of a write may be lost, a page may be cut at a
  sector, and the file may have its new size with zeros in place of the bytes.
- Names (create, mkdir, link, unlink, rmdir, rename) are safe from the next sync of their folder on; those of a rename
  from a sync of the target folder on. Before that, each may be lost individually. If a call that created, moved or
  removed a name is lost, later calls that use this name are lost with it. A rename is kept or lost as a whole.
- A sync of a file does not make its name safe. A sync of a folder makes neither the bytes of its files nor its own name
  safe. syncfs makes everything safe.

This is less than common file systems promise, and no more than POSIX does.
"""

import collections
import hashlib
import os

SECTOR, PAGE = 512, 4096
NEVER = float("inf")
ROOT = 0  # the recorded folder

# The effect of a call. `file` is the file whose bytes changed; `names` are the (folder, name) pairs that changed, the
# last of which is the result; `node` is the file or folder that the name refers to. Other fields are None.
Step = collections.namedtuple("Step", "call file place size bytes names node", defaults=(None,) * 6)
DATA = ("write", "truncate", "zero", "extend")
NAMES = ("create", "mkdir", "link", "unlink", "rmdir", "rename")


class Kept(collections.namedtuple("Kept", "ranges grows")):
    """The part of a write that is kept: ranges of its bytes, and whether the file has grown to the write's end
    anyway."""


LOST = Kept((), False)
ZEROS = Kept((), True)


class Trace:
    """The steps of a program, and when each of them becomes safe.

    `tree` is the initial content of the folder: path -> bytes, or None for a folder; `inodes` is path -> inode, with
    "" for the folder itself.
    """

    def __init__(self, log, root, tree, inodes):
        self.root = root
        self.files, self.folders = {}, {ROOT: {}}  # before the first step: node -> bytes, node -> name -> node
        self.steps, self.ends = [], []  # `ends`: the offsets in the log where the steps end
        self._nodes, self._places = {inodes[""]: ROOT}, {}  # inode -> node, node -> (folder, name)
        self._count = 1
        for path in sorted(tree):
            node = self._new(inodes[path])
            if tree[path] is None:
                self.folders[node] = {}
            else:
                self.files[node] = tree[path]
            folder, name = self._places[node] = self._place(path, self.folders)
            self.folders[folder][name] = node
        self._now = {node: dict(names) for node, names in self.folders.items()}
        self._read(log)
        self.safe_from = self._safe_from()

    def _new(self, inode):
        node = self._nodes[inode] = self._count
        self._count += 1
        return node

    def _place(self, path, folders):
        *above, name = path.split("/")
        folder = ROOT
        for part in above:
            folder = folders[folder][part]
        return folder, name

    def _find(self, path):
        return self._place(os.path.relpath(path, self.root), self._now)

    def _read(self, log):
        at = 0
        while at < len(log):
            end = log.index(b"\n", at)
            call, *fields = log[at:end].decode().split("\t")
            at, content = end + 1, None
            if call in ("write", "send"):
                size = int(fields[-1])
                content, at = log[at:at + size], at + size + 1
            self.steps.append(self._step(call, fields, content))
            self.ends.append(at)

    def _step(self, call, fields, content):
        if call in ("create", "mkdir"):
            node = self._new(int(fields[0]))
            place = self._find(fields[1])
            self._now[place[0]][place[1]] = node
            self._places[node] = place
            if call == "mkdir":
                self._now[node] = {}
            return Step(call, names=(place,), node=node)
        if call == "nameless":
            return Step(call, node=self._new(int(fields[0])))
        if call == "link":
            node, place = self._nodes[int(fields[0])], self._find(fields[1])
            self._now[place[0]][place[1]] = node
            return Step(call, names=(place,), node=node)
        if call in ("unlink", "rmdir"):
            place = self._find(fields[0])
            return Step(call, names=(place,), node=self._now[place[0]].pop(place[1]))
        if call == "rename":
            source, target = self._find(fields[0]), self._find(fields[1])
            node = self._now[source[0]].pop(source[1])
            self._now[target[0]][target[1]] = node
            return Step(call, names=(source, target), node=node)
        if call == "sync":
            return Step(call, node=self._nodes[int(fields[0])])
        if call == "syncfs":
            return Step(call)
        if call == "send":
            return Step(call, file=int(fields[0]), bytes=content)
        file, *numbers = map(int, fields)
        place, size = numbers if len(numbers) == 2 else (0, numbers[0])
        return Step(call, file=self._nodes[file], place=place, size=size, bytes=content)

    def _safe_from(self):
        """Returns, for each step, the number of steps after which it is safe, including the step that makes it safe."""
        safe = [0] * len(self.steps)  # steps that change nothing cannot be lost
        synced, all_synced, later, gone = {}, NEVER, {}, {}  # of the steps after the current one
        linked = {step.node for step in self.steps if step.call == "link"}  # may have another name
        for number in range(len(self.steps) - 1, -1, -1):
            step = self.steps[number]
            if step.call == "syncfs":
                all_synced = number + 1
            elif step.call == "sync":
                synced[step.node] = number + 1
            elif step.call in DATA:
                safe[number] = min(all_synced, synced.get(step.file, NEVER), gone.get(step.file, NEVER))
            elif step.call in NAMES:
                # If a step is safe, so are the steps it depends on.
                folder = step.names[-1][0]
                safe[number] = min(all_synced, synced.get(folder, NEVER), gone.get(folder, NEVER),
                                   *(later.get(name, NEVER) for name in step.names))
                later.update((name, safe[number]) for name in step.names)
                if step.call in ("unlink", "rmdir") and step.node not in linked:
                    gone[step.node] = safe[number]  # changes to it can no longer be seen
        return safe

    def pending(self, cut):
        """Returns the steps among the first `cut` that a power cut may undo."""
        return [number for number in range(cut) if self.safe_from[number] > cut]

    def closed(self, cut, left):
        """Adds to `left` (step -> its kept part, for incomplete steps) the steps that depend on lost names."""
        left, gone = dict(left), set()
        for number in self.pending(cut):
            step = self.steps[number]
            if step.call not in NAMES:
                continue
            if number in left or not gone.isdisjoint(step.names):
                left[number] = LOST
                gone.update(step.names)
        return left

    def needed(self, number, cut):
        """Returns the pending steps that a kept step depends on."""
        names, needed = set(self.steps[number].names or ()), []
        for earlier in reversed([other for other in self.pending(cut) if other < number]):
            step = self.steps[earlier]
            if step.call in NAMES and not names.isdisjoint(step.names):
                names.update(step.names)
                needed.append(earlier)
        return needed

    def tree(self, cut, left=()):
        """Returns the content after a power cut that follows the first `cut` steps: path -> bytes, None for a folder.
        """
        left = self.closed(cut, left)
        folders = {node: dict(names) for node, names in self.folders.items()}
        files = dict(self.files)
        for number in range(cut):
            step = self.steps[number]
            what = left.get(number)
            if step.call in DATA:
                change(files, step, what)
            elif step.call in NAMES and what is None:
                *sources, (folder, name) = step.names
                for source, old in sources:
                    del folders[source][old]
                if step.call in ("unlink", "rmdir"):
                    del folders[folder][name]
                else:
                    folders[folder][name] = step.node
            if step.call == "mkdir":
                folders[step.node] = {}
        found = {}

        def walk(node, above):
            for name, inner in folders[node].items():
                if inner in folders:
                    found[above + name] = None
                    walk(inner, above + name + "/")
                else:
                    found[above + name] = bytes(files.get(inner, b""))

        walk(ROOT, "")
        return found

    def describe(self, number):
        """Describes a step: the call, and the names that it uses."""
        step = self.steps[number]
        if step.call in NAMES:
            return f"{step.call} " + " ".join(f"{self._name_of(folder)}{name}" for folder, name in step.names)
        if step.call in DATA:
            return f"{step.call} {self._name_of(step.file)[:-1]} at {step.place}, {step.size} bytes"
        return f"{step.call} {self._name_of(step.node)[:-1] if step.node is not None else ''}"

    def _name_of(self, node):
        """Returns the first path of a file or folder, followed by a slash."""
        folder, name = self._places.get(node, (ROOT, f"<{node}>"))
        return "" if node == ROOT else f"{self._name_of(folder)}{name}/"


def change(files, step, kept):
    """Applies the kept part of a step to a file; all of it if `kept` is None."""
    if kept == LOST:
        return
    content = files.get(step.file, b"")
    if not isinstance(content, bytearray):
        content = files[step.file] = bytearray(content)
    if step.call == "write":
        end = step.place + step.size
        ranges = ((0, step.size),) if kept is None else kept.ranges
        grown = end if kept is None or kept.grows else step.place + max((last for _, last in ranges), default=0)
        if (kept is None or kept.grows or ranges) and grown > len(content):
            content.extend(bytes(grown - len(content)))
        for first, last in ranges:
            content[step.place + first:step.place + last] = step.bytes[first:last]
    elif step.call == "truncate":
        content.extend(bytes(max(0, step.size - len(content))))
        del content[step.size:]
    elif step.call == "extend":
        content.extend(bytes(max(0, step.size - len(content))))
    else:
        end = min(step.place + step.size, len(content))
        if end > step.place:
            content[step.place:end] = bytes(end - step.place)


def pages_of(step):
    """Yields the ranges of a write that belong to different pages of the file."""
    first = step.place
    while first < step.place + step.size:
        last = min(first // PAGE * PAGE + PAGE, step.place + step.size)
        yield first - step.place, last - step.place
        first = last


def torn(rng, step):
    """Draws one of the ways in which a write may be incomplete."""
    if step.call != "write":
        return LOST
    way = rng.randrange(10)
    if way < 2:
        return (LOST, ZEROS)[way]
    grows = rng.random() < 0.5
    if way < 5:  # cut at a sector or at a page
        unit = rng.choice((SECTOR, PAGE))
        ends = range(step.place // unit * unit + unit, step.place + step.size, unit)
        return Kept(((0, rng.choice(ends) - step.place),), grows) if ends else rng.choice((LOST, ZEROS))
    pages = list(pages_of(step))
    kept = [page for page in pages if rng.random() < 0.5]
    if way < 8 and kept:  # and the last of these is cut at a sector
        first, last = kept.pop()
        ends = range((step.place + first) // SECTOR * SECTOR + SECTOR, step.place + last, SECTOR)
        if ends:
            kept.append((first, rng.choice(ends) - step.place))
    return Kept(tuple(kept), grows)


# The kinds of loss, with weights. The bytes of a file whose name is lost cannot be seen, so bytes are lost alone more
# often.
WAYS = {"nothing": 1, "everything": 1, "some": 4, "one": 3, "all but one": 2, "zeros": 1, "bytes": 1, "names": 3,
        "some bytes": 6, "last bytes": 8}


def draw(trace, rng, cuts=None):
    """Draws a power cut: the number of steps before it, and the kept parts of steps that are neither safe nor
    complete.

    `cuts` are the numbers of steps to choose from. Moments at which nothing can be lost are drawn less often.
    """
    for _ in range(4):
        cut = rng.choice(cuts) if cuts else rng.randint(0, len(trace.steps))
        pending = trace.pending(cut)
        if pending:
            break
    else:
        return cut, {}
    data = [number for number in pending if trace.steps[number].call in DATA]
    names = [number for number in pending if trace.steps[number].call in NAMES]
    [way] = rng.choices(list(WAYS), list(WAYS.values()))
    if way == "nothing":  # is lost: the program was killed
        left = {}
    elif way == "everything":
        left = dict.fromkeys(pending, LOST)
    elif way == "some":
        share = rng.choice((0.05, 0.2, 0.5, 0.8, 0.95))
        left = {number: torn(rng, trace.steps[number]) for number in pending if rng.random() < share}
    elif way == "one":
        number = rng.choice(pending)
        left = {number: torn(rng, trace.steps[number])}
    elif way == "all but one":
        number = rng.choice(pending)
        left = dict.fromkeys(set(pending) - {number, *trace.needed(number, cut)}, LOST)
    elif way == "zeros":  # in files that keep their size
        left = {number: ZEROS if trace.steps[number].call == "write" else LOST for number in data}
    elif way == "bytes":
        left = dict.fromkeys(data, LOST)
    elif way == "names":
        share = rng.choice((0.3, 0.7, 1))
        left = {number: LOST for number in names if rng.random() < share}
    else:
        some = [number for number in data if rng.random() < 0.5] if way == "some bytes" else []
        left = {number: torn(rng, trace.steps[number]) for number in some or data[-1:]}
    return cut, trace.closed(cut, left)


def digest(tree):
    """Returns the same digest for equal trees."""
    whole = hashlib.blake2b(digest_size=16)
    for path in sorted(tree):
        content = tree[path]
        whole.update(f"{path}\0{-1 if content is None else len(content)}\0".encode())
        whole.update(content or b"")
    return whole.hexdigest()


def read_tree(root):
    """Reads a folder: path -> bytes, None for a folder; and path -> inode, "" for the folder itself."""
    tree, inodes = {}, {"": os.stat(root).st_ino}
    for above, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(above, name)
            short = os.path.relpath(path, root)
            inodes[short] = os.lstat(path).st_ino
            tree[short] = None
            if name in files:
                with open(path, "rb") as file:
                    tree[short] = file.read()
    return tree, inodes


def write_tree(root, tree):
    """Creates a folder with this content."""
    os.mkdir(root)
    for path in sorted(tree):
        content = tree[path]
        if content is None:
            os.mkdir(os.path.join(root, path))
        else:
            with open(os.path.join(root, path), "wb", buffering=0) as file:
                file.write(content)
