"""What the pages that are made from bench/record share: tools/benchmarks_page and tools/quality_page."""
import csv
import difflib
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
RECORD = SOURCE / "bench" / "record"

# Descriptions of the machines, which their folders do not contain.
MACHINES = {
    "nvidia-h200": "virtual machine, one NVIDIA H200, 16 cores of an Intel Xeon (Sapphire Rapids), 128 GiB of memory,"
                   " Ubuntu 24.04",
    "x86_64-intel-xeon-2c": "virtual machine, two cores of an Intel Xeon (Sapphire Rapids), 24 GiB of memory,"
                            " Debian 12; shared with other work, so times vary from run to run",
    "x86_64-intel-xeon-16c": "virtual machine, 16 cores of an Intel Xeon (Sapphire Rapids), 128 GiB of memory,"
                             " Ubuntu 24.04; the host is shared, so times vary by a fifth from day to day",
}


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(titles, rows):
    """Yields a Markdown table; columns after the first are right-aligned."""
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "|".join(["---"] + ["---:"] * (len(titles) - 1)) + "|"
    yield from ("| " + " | ".join(row) + " |" for row in rows)
    yield ""


def settle(path, new, check, tool):
    """Writes a page, or only checks that it is what the record gives."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if check and new != old:
        sys.stdout.writelines(list(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                                        str(path.relative_to(SOURCE)), "the record", n=0))[:40])
        sys.exit(f"{path.relative_to(SOURCE)}: does not match bench/record; run '{tool}'")
    if new != old:
        path.write_text(new, encoding="utf-8")
