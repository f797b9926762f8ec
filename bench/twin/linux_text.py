#!/usr/bin/env python3
"""Real text for the n-gram benches: the first BYTES bytes of source and documentation files of Debian's linux-source
package (about 1.1 GB of them, 180 million tokens), and behind them the text of make_corpus, in files of half a megabyte in one folder.

    linux_text.py --bytes BYTES --output FOLDER

Where the package is not installed (apt install linux-source-6.1), all of it is that of make_corpus, made of what documentation the machine
has.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tarfile

PACKAGE = pathlib.Path("/usr/src/linux-source-6.1.tar.xz")
FILE_BYTES = 500_000


def package_text():
    """The text files of the package, in its order."""
    with tarfile.open(PACKAGE, mode="r|xz") as archive:
        for member in archive:
            if member.isfile():
                content = archive.extractfile(member).read()
                if b"\0" not in content[:8192]:
                    yield content


def machine_text(folder, size):
    """Documents of make_corpus, which stands beside the programs."""
    make_corpus = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "bench" / "make_corpus"
    corpus = folder / "corpus.jsonl"
    subprocess.run([make_corpus, "--bytes", str(size), "--output", corpus], check=True)
    with open(corpus, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"].encode() + b"\n"
    corpus.unlink()
    corpus.with_name(corpus.name + ".planted").unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    if not PACKAGE.exists():
        print(f"{PACKAGE}: not there; taking the machine's own text", file=sys.stderr)
    left, number, buffer = arguments.bytes, 0, bytearray()

    def texts():
        if PACKAGE.exists():
            yield from package_text()
        yield from machine_text(arguments.output, left + FILE_BYTES)

    for text in texts():
        buffer += text[:left]
        left -= min(left, len(text))
        if len(buffer) >= FILE_BYTES or left == 0:
            (arguments.output / f"{number:05}.txt").write_bytes(buffer)
            number, buffer = number + 1, bytearray()
        if left == 0:
            break
    else:
        if buffer:
            (arguments.output / f"{number:05}.txt").write_bytes(buffer)


if __name__ == "__main__":
    main()
