#!/usr/bin/env python3
"""Checks that the layers of the architecture are respected.

    check_layers.py [REPOSITORY [BUILD]]

The rooms, and the rooms that each uses, are read from src/CMakeLists.txt. A room includes only headers of the rooms
that it uses, directly or indirectly; public headers include only the standard library; no rooms use each other in a
circle. With a build folder, symbols are checked too: those that the objects of a room leave undefined must be defined
in a room that it uses.
"""
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOM = re.compile(r"^refrain_room\(([^)]*)\)", re.MULTILINE)
TESTS = re.compile(r"^refrain_tests\(([^)]*)\)", re.MULTILINE)
# Modules that are loaded at run time, with the rooms that each is linked with.
MODULES = {"corpus/parquet": {"base", "base/files"}, "engines/cuda/kernels": set()}
MODULE_HEADERS = {"corpus/files/parquet_module.h", "engines/cuda/device.h"}  # and the headers that these include


def words_after(words, keyword):
    """Returns the words between a keyword and the next keyword."""
    if keyword not in words:
        return []
    rest = words[words.index(keyword) + 1 :]
    return rest[: next((i for i, word in enumerate(rest) if word.isupper()), len(rest))]


def read_rooms(table):
    """Returns two dicts: a room to all rooms that it uses, itself included, and a room to the libraries that it links
    with."""
    direct, linked = {}, {}
    for match in ROOM.finditer(table):
        words = match.group(1).split()
        direct[words[0]] = words_after(words, "USES")
        linked[words[0]] = words_after(words, "LINKS")
    closed = {}

    def close(room, path):
        if room in path:
            raise SystemExit(f"src/CMakeLists.txt: a circle: {' -> '.join(path + [room])}")
        if room not in closed:
            closed[room] = {room}.union(*(close(used, path + [room]) for used in direct[room]))
        return closed[room]

    for room in direct:
        close(room, [])
    return closed, linked


def read_tests(table):
    """Maps each folder to the folders whose tests are built into the same program."""
    families = {}
    for match in TESTS.finditer(table):
        words = match.group(1).split()[1:]
        folders = words[: words.index("LINKS")] if "LINKS" in words else words
        for folder in folders:
            families[folder] = set(folders)
    return families


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if found := INCLUDE.match(line):
            yield number, found.group(1) == '"', found.group(2)


def is_test(path):
    return path.name.endswith("_test.cc") or path.name.startswith("test_") or path.name.startswith("fake_")


def check_public(root):
    for path in sorted((root / "include" / "refrain").glob("*.h")):
        for number, quoted, name in includes(path):
            if quoted and not name.startswith("refrain/"):
                yield f"{path}:{number}: a public header includes {name}"
            if not quoted and ("/" in name or "." in name):
                yield f"{path}:{number}: a public header includes <{name}>, which is not the standard library"


def check_includes(root, rooms, families):
    src = root / "src"
    for folder in sorted(p for p in src.rglob("*") if p.is_dir()):
        room = str(folder.relative_to(src))
        sources = sorted(p for p in folder.iterdir() if p.suffix in (".h", ".cc", ".cu", ".cuh"))
        allowed = rooms.get(room, MODULES.get(room))
        if allowed is None:
            if any(not is_test(path) for path in sources):
                yield f"{folder}: no such room in src/CMakeLists.txt"
            allowed = set()
        for path in sources:
            mine = allowed | {room}
            if is_test(path):
                mine = mine.union(*(rooms.get(other, {other}) for other in families.get(room, ())))
            for number, quoted, name in includes(path):
                if not quoted or name.startswith("refrain/"):
                    continue
                if is_test(path) and (root / "tests" / name).is_file():
                    continue
                if name.rsplit("/", 1)[0] not in mine and not (room in MODULES and name in MODULE_HEADERS):
                    yield f"{path}:{number}: {room} may not include {name}"


def check_python(root):
    """Checks the Python package, which may include only the public headers of the library."""
    source = root / "python" / "src"
    for folder in [source, *sorted(path for path in source.rglob("*") if path.is_dir())]:
        for path in sorted(path for path in folder.iterdir() if path.suffix in (".h", ".cc")):
            for number, quoted, name in includes(path):
                if quoted and not name.startswith("refrain/") and not (source / name).is_file():
                    yield f"{path}:{number}: the Python package may not include {name}"


def symbols(library):
    """Returns the symbols of Refrain that a static library defines, and those that it leaves undefined."""
    listed = subprocess.run(["nm", "--extern-only", "--format=posix", library], capture_output=True, text=True,
                            check=True)
    defined, undefined = set(), set()
    for line in listed.stdout.splitlines():
        parts = line.split()
        if len(parts) < 2 or "7refrain" not in parts[0]:
            continue
        (undefined if parts[1] == "U" else defined).add(parts[0])
    return defined, undefined - defined


def check_symbols(build, rooms, linked):
    found = {room: symbols(build / "src" / f"librefrain_{room.replace('/', '_')}.a") for room in rooms}
    home = {}
    for room, (defined, _) in found.items():
        for symbol in defined:
            home.setdefault(symbol, set()).add(room)
    behind = {room for room, libraries in linked.items() if any(name.startswith("refrain_") for name in libraries)}
    for room, (_, undefined) in sorted(found.items()):
        # The functions that include/refrain declares may be defined in any room; faces link with refrain_verbs for
        # them.
        if rooms[room] & behind or room.startswith("faces/"):
            continue
        for symbol in sorted(undefined):
            if symbol in home and not home[symbol] & rooms[room]:
                name = subprocess.run(["c++filt", symbol], capture_output=True, text=True).stdout.strip()
                yield f"{room} calls {name}, which is at home in {', '.join(sorted(home[symbol]))}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    table = (root / "src" / "CMakeLists.txt").read_text(encoding="utf-8")
    table = re.sub(r"#.*", "", table)
    rooms, linked = read_rooms(table)
    found = list(check_public(root)) + list(check_includes(root, rooms, read_tests(table))) + list(check_python(root))
    if len(sys.argv) > 2:
        found += check_symbols(pathlib.Path(sys.argv[2]), rooms, linked)
    print("\n".join(found) if found else "the floors hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
