#!/usr/bin/env python3
"""Checks the floors.

    check_layers.py [REPOSITORY [BUILD]]

The rooms and what each uses are read from src/CMakeLists.txt. A room includes only what it uses, directly or through
another; public headers include the standard library alone; no room uses another in a circle, and none grows past 25
sources or a source past 500 lines. With a build folder, symbols are checked too: what the objects of a room leave
undefined must be defined in a room that it uses.
"""
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOM = re.compile(r"^refrain_room\(([^)]*)\)", re.MULTILINE)
TESTS = re.compile(r"^refrain_tests\(([^)]*)\)", re.MULTILINE)
MAX_LINES = 500
MAX_SOURCES = 25
# Built as a module of its own, with its own list of libraries.
MODULES = {"corpus/parquet": {"base", "base/files"}, "engines/cuda/kernels": set()}
MODULE_HEADERS = {"corpus/files/parquet_module.h", "engines/cuda/device.h"}  # and what those include


def words_after(words, keyword):
    """The words between a keyword and the next one."""
    if keyword not in words:
        return []
    rest = words[words.index(keyword) + 1 :]
    return rest[: next((i for i, word in enumerate(rest) if word.isupper()), len(rest))]


def read_rooms(table):
    """Room -> rooms that it uses, itself and all indirect ones included, and room -> names of refrain_ targets behind it."""
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
    """Folder -> the folders whose tests are built into one program with its own."""
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
        count = sum(not is_test(path) for path in sources)
        if count > MAX_SOURCES:
            yield f"{folder}: {count} sources; split it at {MAX_SOURCES}"
        allowed = rooms.get(room, MODULES.get(room))
        if allowed is None:
            if any(not is_test(path) for path in sources):
                yield f"{folder}: no such room in src/CMakeLists.txt"
            allowed = set()
        for path in sources:
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MAX_LINES:
                yield f"{path}: {lines} lines; split it at {MAX_LINES}"
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
    """The Python package is a face: of the library it sees the public headers alone."""
    source = root / "python" / "src"
    for folder in [source, *sorted(path for path in source.rglob("*") if path.is_dir())]:
        sources = sorted(path for path in folder.iterdir() if path.suffix in (".h", ".cc"))
        if len(sources) > MAX_SOURCES:
            yield f"{folder}: {len(sources)} sources; split it at {MAX_SOURCES}"
        for path in sources:
            if len(path.read_text(encoding="utf-8").splitlines()) > MAX_LINES:
                yield f"{path}: split it at {MAX_LINES} lines"
            for number, quoted, name in includes(path):
                if quoted and not name.startswith("refrain/") and not (source / name).is_file():
                    yield f"{path}:{number}: the Python package may not include {name}"


def symbols(library):
    """What a static library defines, and what it leaves undefined, of Refrain's own names."""
    listed = subprocess.run(["nm", "--extern-only", "--format=posix", library], capture_output=True, text=True, check=True)
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
        # A face calls what include/refrain declares, wherever it is defined; the table says so with refrain_verbs.
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
