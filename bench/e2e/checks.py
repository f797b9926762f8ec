"""Was the answer right? Each check raises Failed where it was not. Files are read a line at a time: what this process
holds would count as its children's memory."""
import filecmp
import itertools
import json
import subprocess

from measure import Failed


def same_file(out, twin, file, may_be_empty=False):
    """The output is the twin's, byte for byte."""
    if not may_be_empty and (twin / file).stat().st_size == 0:
        raise Failed(f"{file}: the twin found nothing, so nothing was checked")
    if not filecmp.cmp(out / file, twin / file, shallow=False):
        raise Failed(f"{file} differs from the twin's")


def first_rows(out, twin, file, rows):
    """As many rows as there are queries, and the first of them as the twin has them; some with a match."""
    with open(out / file, "rb") as ours, open(twin / file, "rb") as theirs:
        expected = theirs.readlines()
        if list(itertools.islice(ours, len(expected))) != expected:
            raise Failed(f"{file} differs from the twin's")
        if all(row.split(b"\t")[1] == b"" for row in expected[1:]):
            raise Failed("no query of the twin's had a match, so nothing was checked")
        count = len(expected) - 1 + sum(1 for _ in ours)
        if count != int(rows):
            raise Failed(f"{file} has {count} rows and not {rows}")


def ngrams_whole(out, _twin, file, passes=None, temp_per_token=None, entries=None, documents=None):
    """The index is whole by `refrain ngrams check` (`file` is the program), and took no more passes and temporary bytes a
    token than allowed."""
    done = subprocess.run([file, "ngrams", "check", out / "index"], capture_output=True, check=False)
    if done.returncode != 0:
        raise Failed(f"the index is not whole: {done.stderr.decode(errors='replace').strip()}")
    with open(out / "index" / "summary.json", encoding="utf-8") as summary_file:
        summary = json.load(summary_file)
    if summary["entries"] == 0:
        raise Failed("no n-gram repeats, so nothing was checked")
    for key, value in (("entries", entries), ("documents", documents)):
        if value is not None and summary[key] != int(value):
            raise Failed(f"summary.json: {key} is {summary[key]} and not {value}")
    if passes is not None and summary["run"]["passes"] > int(passes):
        raise Failed(f"{summary['run']['passes']} passes, and {passes} are allowed")
    if temp_per_token is not None and summary["run"]["temp_peak_bytes"] > int(temp_per_token) * summary["tokens"]:
        raise Failed(f"{summary['run']['temp_peak_bytes']} bytes of temporary disk for {summary['tokens']} tokens")


def near_copies(out, _twin, planted):
    """All documents were counted, and every planted copy is in the cluster of its original."""
    copies = []
    with open(planted, encoding="ascii") as lines:
        documents = int(next(lines).split()[1])
        copies = [tuple(line.split()) for line in lines]
    near_counts(out, _twin, documents=documents, bad_records=0)
    wanted = dict.fromkeys(id for pair in copies for id in pair)
    with open(out / "near" / "clusters.tsv", encoding="utf-8") as rows:
        for row in rows:
            id, _, cluster = row.rstrip("\n").split("\t")
            if id in wanted:
                wanted[id] = cluster
    lost = [pair for pair in copies if wanted[pair[0]] in (None, "-1") or wanted[pair[0]] != wanted[pair[1]]]
    if lost or not copies:
        raise Failed(f"{len(lost)} of {len(copies)} planted copies were not found")


def same_ranges(out, twin):
    """The repeated ranges are the suffix array's."""
    same_file(out / "substrings", twin, "substring_bytes.tsv")


def near_counts(out, _twin, **expected):
    counts(out / "near", expected)


def substring_counts(out, _twin, **expected):
    counts(out / "substrings", expected)


def counts(folder, expected):
    """The counts of summary.json."""
    with open(folder / "summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    for key, value in expected.items():
        if summary[key] != int(value):
            raise Failed(f"summary.json: {key} is {summary[key]} and not {value}")
