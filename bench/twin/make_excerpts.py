#!/usr/bin/env python3
"""Parts of a folder of files, to add to an index or to query it with. The same folder gives the same bytes.

    make_excerpts.py FOLDER --tail N --output FOLDER      its last files, N bytes of them or slightly more
    make_excerpts.py FOLDER --bytes N --output FILE       N bytes of one of its files
    make_excerpts.py FOLDER --words N --output FILE       N words: excerpts of 200 words of several files, without
                                                          every twentieth word

FILE.planted lists the excerpts in FILE: "begin end name" per line, where `name` is the file that the excerpt is from.
"""
import argparse
import pathlib
import re
import shutil
import sys

WORD = re.compile(rb"[A-Za-z0-9]+")
EXCERPT_WORDS = 200
LOST = 20  # one of this many words is left out


def long_files(folder, words, count):
    """Returns `count` files of at least `words` words, from all over the folder."""
    long_ones = [path for path in sorted(folder.iterdir()) if path.stat().st_size >= 12 * words]
    found = []
    for path in long_ones[len(long_ones) // 7::max(1, len(long_ones) // (2 * count))]:
        content = path.read_bytes()
        if len(WORD.findall(content)) >= words and content.isascii():
            found.append((path, content))
        if len(found) == count:
            return found
    sys.exit(f"make_excerpts: {folder} has no {count} files of {words} words")


def write_tail(folder, limit, output):
    output.mkdir()
    for path in sorted(folder.iterdir(), reverse=True):
        shutil.copy(path, output / path.name)
        limit -= path.stat().st_size
        if limit <= 0:
            return


def write_excerpts(excerpts, output):
    """Writes excerpts, which are (path, bytes)."""
    text, planted = b"", []
    for path, content in excerpts:
        planted.append(f"{len(text)} {len(text) + len(content)} {path.name}\n")
        text += content
    output.write_bytes(text)
    output.with_name(output.name + ".planted").write_text("".join(planted), encoding="utf-8")


def damaged(content):
    """Returns EXCERPT_WORDS words from the middle of a text, without those that are left out, with the separators
    after them."""
    words = list(WORD.finditer(content))
    first = (len(words) - EXCERPT_WORDS) // 2
    # Each word extends to the beginning of the next.
    ends = [word.start() for word in words[first + 1:first + EXCERPT_WORDS + 1]]
    kept = [content[word.start():end]
            for number, (word, end) in enumerate(zip(words[first:], ends)) if number % LOST != LOST - 1]
    return b"".join(kept) + b"\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--tail", type=int)
    size.add_argument("--bytes", type=int)
    size.add_argument("--words", type=int)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if options.tail:
        write_tail(options.folder, options.tail, options.output)
    elif options.bytes:
        [(path, content)] = long_files(options.folder, options.bytes // 2, 1)
        write_excerpts([(path, content[len(content) // 2:][:options.bytes])], options.output)
    else:
        left = EXCERPT_WORDS - EXCERPT_WORDS // LOST
        files = long_files(options.folder, EXCERPT_WORDS + 1, -(-options.words // left))
        write_excerpts([(path, damaged(content)) for path, content in files], options.output)


if __name__ == "__main__":
    main()
