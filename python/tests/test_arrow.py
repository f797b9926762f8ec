"""The Arrow C data interface, as another library might fill it in: structs built field by field, then broken one
field at a time.

Every case runs in its own process, which a crash would end. The size of a buffer is not part of the interface, so
arrays that claim more rows than their buffers have cannot be detected, and are not tested.
"""
import ctypes
import random
import struct
import subprocess
import sys

import pyarrow as pa
import pytest

from pyrefrain import _core, errors, kernels

TEXTS = ["one text", "", "a longer text that lies outside of its view", "the last one"]
RUNS = 3000


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


for kind in (Schema, Array):
    kind.Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(kind))
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)), ("release", Schema.Release), ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
    ("release", Array.Release), ("private_data", ctypes.c_void_p)]


# There is nothing to release, because Python owns everything. This is a C function because Python functions may not
# run while an exception propagates.
RELEASE = {kind: ctypes.cast(ctypes.CDLL(None).getpid, kind.Release) for kind in (Schema, Array)}
NO_CUTS = {"document": [], "begin": [], "end": []}
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Node:
    """A column: its schema, its array, and all that they point to. Every list of pointers ends with an extra NULL."""

    def __init__(self, format, length, buffers, children=(), dictionary=None, name=b"text", nulls=0):
        self.children, self.dictionary = list(children), dictionary
        self.data = [None if data is None else ctypes.create_string_buffer(data, len(data)) for data in buffers]
        self.buffers = (ctypes.c_void_p * (len(buffers) + 1))(*(data and ctypes.addressof(data) for data in self.data))
        self.schemas = (ctypes.POINTER(Schema) * (len(self.children) + 1))(
            *(ctypes.pointer(child.schema) for child in self.children))
        self.arrays = (ctypes.POINTER(Array) * (len(self.children) + 1))(
            *(ctypes.pointer(child.array) for child in self.children))
        self.schema = Schema(format=format, name=name, n_children=len(self.children), children=self.schemas,
                             release=RELEASE[Schema], dictionary=dictionary and ctypes.pointer(dictionary.schema))
        self.array = Array(length=length, null_count=nulls, n_buffers=len(buffers), n_children=len(self.children),
                           buffers=self.buffers, children=self.arrays, release=RELEASE[Array],
                           dictionary=dictionary and ctypes.pointer(dictionary.array))

    def __arrow_c_array__(self, requested_schema=None):
        return (new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.array), b"arrow_array", None))

    def all(self):
        yield self
        for child in [*self.children, *([self.dictionary] if self.dictionary else [])]:
            yield from child.all()

    def change(self, buffer, kind, at, value):
        struct.pack_into(kind, self.data[buffer], struct.calcsize(kind) * at, value)


def plain(wide=False, name=b"text"):
    ends = [0]
    for text in TEXTS:
        ends.append(ends[-1] + len(text))
    kind = "q" if wide else "i"
    return Node(b"U" if wide else b"u", 4, [b"\x0f", struct.pack(f"5{kind}", *ends), "".join(TEXTS).encode()],
                name=name, nulls=-1)


def views():
    made, out = b"", b""
    for text in map(str.encode, TEXTS):
        made += (struct.pack("i12s", len(text), text) if len(text) <= 12
                 else struct.pack("i4sii", len(text), text[:4], 0, len(out)))
        out += text if len(text) > 12 else b""
    return Node(b"vu", 4, [None, made, out, struct.pack("q", len(out))])


def dictionary():
    return Node(b"i", 4, [None, struct.pack("4i", 0, 1, 2, 3)], dictionary=plain())


def numbers(format=b"l", kind="q", name=b"text"):
    return Node(format, 4, [None, struct.pack(f"4{kind}", 0, 1, 2, 3)], name=name)


def table(column=plain):
    return Node(b"+s", 4, [None], [column(), numbers(name=b"id")])


def lanes(listed=True):
    values = Node(b"I", 12, [None, struct.pack("12I", *range(12))], name=b"item")
    return Node(b"+w:3", 4, [None], [values]) if listed else Node(b"w:12", 4, [None, bytes(48)])


def read_texts(data):
    return kernels.digests(data)[3]


def read_documents(data):
    cuts = pa.table(NO_CUTS, pa.schema([(name, pa.int64()) for name in NO_CUTS]))
    return pa.array(_core.Documents(data, id=("id", "id")).texts_at([0, 1, 2, 3], cuts)).to_pylist()


def read_numbers(data):
    return kernels.hamming_pairs(data, distance=3)


def read_lanes(data):
    return kernels.band_keys(data, bands=1, rows=2, lanes=3)


CASES = [*((make, read_texts) for make in (plain, lambda: plain(True), views, dictionary, table, lambda: table(views),
                                           lambda: table(dictionary))),
         *((lambda column=column: table(column), read_documents) for column in (plain, views, dictionary)),
         *((make, read_numbers) for make in (numbers, lambda: numbers(b"I", "I"))),
         (lanes, read_lanes), (lambda: lanes(False), read_lanes)]


def break_content(node, pick):
    """Puts a value that points outside into a buffer; does nothing if the layout has no such value."""
    format = node.schema.format
    if format in (b"u", b"U"):
        node.change(1, "q" if format == b"U" else "i", pick.randrange(5), pick.choice([-1, -2**31, 2**31 - 1][:2]))
    elif format == b"vu":
        node.change(1, "i", 8 + pick.choice([0, 2, 3]), pick.choice([-1, -2**31, 2**31 - 1, 99]))
    elif format == b"i":
        node.change(1, "i", pick.randrange(4), pick.choice([-1, 4, 2**31 - 1]))


def break_schema(node, pick):
    values = {"format": [None, b"", b"?", b"+w:", b"+w:x", b"+w:99999999999999999999", b"w:-4"], "name": [None],
              "n_children": [-1, -2**63, node.schema.n_children + 1], "children": [None], "dictionary": [None],
              "release": [Schema.Release()]}
    name = pick.choice(list(values))
    setattr(node.schema, name, pick.choice(values[name]))


def break_array(node, pick):
    values = {"length": [-1, -2**63, 0, 1], "offset": [-1, -2**63, 2**62], "null_count": [2, -2, 2**63 - 1],
              "n_buffers": [-1, 0, 1, 2], "n_children": [-1, 0, node.array.n_children + 1], "buffers": [None],
              "children": [None], "dictionary": [None], "release": [Array.Release()]}
    name = pick.choice(list(values))
    setattr(node.array, name, pick.choice(values[name]))


def break_list(node, pick):
    chosen = pick.choice([node.buffers, node.schemas, node.arrays])
    for at in range(len(chosen) - 1):
        if pick.random() < 0.5:
            chosen[at] = None if chosen is node.buffers else type(chosen[at])()


def fuzz(seed):
    pick = random.Random(int(seed))
    refused = 0
    for run in range(RUNS):
        make, read = pick.choice(CASES)
        data = make()
        for _ in range(pick.choice([1, 1, 1, 2])):
            pick.choice([break_content, break_schema, break_array, break_list])(pick.choice(list(data.all())), pick)
        print(f"run {run}: {read.__name__}", file=sys.stderr, flush=True)
        try:
            read(data)
        except (errors.Error, IndexError, KeyError):
            refused += 1
    print(f"{refused} refused")


def nameless():
    """Tables may have columns without names: Arrow allows it."""
    data = table()
    data.children[1].schema.name = None
    assert read_texts(data) == read_texts(plain())
    data = table()
    data.children[0].schema.name = None
    with pytest.raises(errors.InvalidArgument, match="there is no column 'text'; the columns are: , id"):
        read_texts(data)


def run(*what):
    done = subprocess.run([sys.executable, __file__, *what], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_column_may_have_no_name():
    run("nameless")


def test_what_is_broken_is_refused_and_nothing_crashes():
    assert int(run("fuzz", "1").split()[0]) > RUNS / 3


def test_what_is_whole_is_read():
    for make, read in CASES:
        read(make())
    wanted = kernels.digests(TEXTS)
    for make in (plain, lambda: plain(True), views, dictionary, table):
        found = kernels.digests(make())
        assert [found[at] for at in range(4)] == [wanted[at] for at in range(4)]


@pytest.mark.parametrize("field, value, message", [
    ("length", -1, "a length or an offset is out of range"), ("length", 3, "a column has fewer rows than its table"),
    ("offset", -1, "a length or an offset is out of range"),
    ("n_buffers", 2, "a column of format 'u' has too few buffers")])
def test_a_refusal_says_what_is_wrong(field, value, message):
    data = table()
    setattr(data.children[0].array, field, value)
    with pytest.raises(errors.InvalidArgument, match=f"^the Arrow data is malformed: {message}$"):
        read_texts(data)


if __name__ == "__main__":
    {"fuzz": fuzz, "nameless": nameless}[sys.argv[1]](*sys.argv[2:])
