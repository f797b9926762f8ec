#!/usr/bin/env python3
"""Source code to measure with: the text files of the machine's source packages (linux-source, gcc-source,
binutils-source).

    make_source.py --bytes N --output FOLDER             their first N bytes, one file each, in the order of the
                                                         packages
    make_source.py --bytes N --shuffled --output FILE    JSONL: N bytes of them in a random order that is always the
                                                         same
    make_source.py --bytes N --letter x --output FILE    N times that letter

The same packages give the same bytes. Shuffled files are prefixes of each other.
"""
import argparse
import glob
import json
import pathlib
import random
import sys
import tarfile

ARCHIVES = ("/usr/src/linux-source-*.tar.xz", "/usr/src/gcc-*/gcc-*.tar.xz", "/usr/src/binutils/binutils-*.tar.xz")


def documents():
    archives = [path for pattern in ARCHIVES for path in sorted(glob.glob(pattern))]
    if not archives:
        sys.exit("make_source: no source package found; install linux-source, a gcc-source and binutils-source")
    for path in archives:
        with tarfile.open(path, "r|xz") as archive:
            for member in archive:
                content = archive.extractfile(member).read() if member.isfile() else b""
                if content and b"\0" not in content[:8192]:
                    yield content


def first(limit):
    for content in documents():
        yield content[:limit]
        limit -= len(content)
        if limit <= 0:
            return
    sys.exit(f"make_source: the source packages have {limit} bytes too few; install another")


def write_folder(limit, folder):
    folder.mkdir()
    for number, content in enumerate(first(limit)):
        (folder / f"{number:07}.txt").write_bytes(content)


def write_shuffled(limit, path):
    everything = [content.decode("utf-8", "replace") for content in documents()]
    random.Random(1).shuffle(everything)
    with open(path, "w", encoding="utf-8") as out:
        for text in everything:
            if limit <= 0:
                return
            if len(text.encode()) > limit:  # exactly this many bytes, without cutting a character
                text = text.encode()[:limit].decode("utf-8", "ignore")
                text += " " * (limit - len(text.encode()))
            limit -= len(text.encode())
            out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    if limit > 0:
        sys.exit(f"make_source: the source packages have {limit} bytes too few; install another")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--letter")
    options = parser.parse_args()
    if options.letter:
        options.output.write_bytes(options.letter.encode() * options.bytes)
    elif options.shuffled:
        write_shuffled(options.bytes, options.output)
    else:
        write_folder(options.bytes, options.output)


if __name__ == "__main__":
    main()
