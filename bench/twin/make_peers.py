#!/usr/bin/env python3
"""Installs the peers that `refrain dedup` is compared with (text-dedup, rensa, datasketch) into a virtual
environment.

    make_peers.py FOLDER

Does nothing if the environment exists. All versions are those of peers.txt beside this file: only the packages that
text-dedup's minhash imports.
"""
import pathlib
import shutil
import subprocess
import sys

WANTED = pathlib.Path(__file__).with_name("peers.txt")


def main():
    folder = pathlib.Path(sys.argv[1])
    mark = folder / "peers.txt"
    if mark.exists() and mark.read_bytes() == WANTED.read_bytes():
        return
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    # Without dependencies: text-dedup names whole frameworks that its minhash does not use.
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    "--only-binary", ":all:", "--no-deps", "-r", WANTED], check=True)
    shutil.copyfile(WANTED, mark)


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"make_peers: {error}; it needs python3-venv and the Python package index")
