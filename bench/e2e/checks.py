"""Checks of answers. Each raises Failed if the answer is wrong, and may return a note for the record. Files are read
line by line, because memory of this process would be counted as its children's."""
import filecmp
import itertools
import json
import os
import pathlib
import re
import subprocess

from measure import Failed


def same_file(out, twin, file, may_be_empty=False):
    """The output must be the twin's, byte for byte."""
    if not may_be_empty and (twin / file).stat().st_size == 0:
        raise Failed(f"{file}: the twin found nothing, so nothing was checked")
    if not filecmp.cmp(out / file, twin / file, shallow=False):
        raise Failed(f"{file} differs from the twin's")


def first_rows(out, twin, file, rows):
    """There must be one row per query, the first ones equal to the twin's; some must have a match."""
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
    """The index must be intact according to `refrain ngrams check` (`file` is the program), and must not have taken
    more passes and temporary bytes per token than allowed."""
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
    """All documents must be counted, and every planted copy must be in the cluster of its original."""
    copies = []
    with open(planted, encoding="ascii") as lines:
        documents = int(next(lines).split()[1])
        copies = [tuple(line.split()) for line in lines]
    near_counts(out, _twin, documents=documents, bad_records=0)
    wanted = dict.fromkeys(id for pair in copies for id in pair)
    with open(out / "near" / "clusters.tsv", encoding="utf-8") as rows:
        next(rows)
        for row in rows:
            id, _, cluster, _ = row.rstrip("\n").split("\t")
            if id in wanted:
                wanted[id] = cluster
    lost = [pair for pair in copies if wanted[pair[0]] in (None, "-1") or wanted[pair[0]] != wanted[pair[1]]]
    if lost or not copies:
        raise Failed(f"{len(lost)} of {len(copies)} planted copies were not found")


def same_ranges(out, twin):
    """The repeated ranges must be those of the suffix array."""
    same_file(out / "substrings", twin, "substring_bytes.tsv")


def near_counts(out, _twin, **expected):
    counts(out / "near", expected)


def substring_counts(out, _twin, **expected):
    counts(out / "substrings", expected)


def counts(folder, expected):
    """Compares counts of summary.json."""
    with open(folder / "summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    for key, value in expected.items():
        if summary[key] != int(value):
            raise Failed(f"summary.json: {key} is {summary[key]} and not {value}")


def index_whole(out, _twin, program, folder=None, file=None, **expected):
    """The index {out}/index must be intact according to `refrain index check`, contain as many documents as the
    folder has files, or the JSONL file lines, and match what else is expected of `refrain index stats`."""
    check = json.loads(index_verb(program, "check", out / "index", "--json"))
    stats = json.loads(index_verb(program, "stats", out / "index", "--json"))
    if not check["whole"] or check["changed_documents"]:
        raise Failed(f"the index is not whole: {check['damages'] or check['changed']}")
    if folder is not None:
        expected["documents"] = sum(len(os.listdir(one)) for one in folder.split())
    if file is not None:
        with open(file, "rb") as lines:
            expected["documents"] = sum(1 for _ in lines)
    for key, value in expected.items():
        if stats[key] != int(value):
            raise Failed(f"index stats: {key} is {stats[key]} and not {value}")
    if stats["posts"] == 0 or (stats["posts"], stats["documents"]) != (check["posts"], check["documents"]):
        raise Failed(f"{check['posts']} posts of {check['documents']} documents were read,"
                     f" {stats['posts']} of {stats['documents']} promised")


def index_verb(program, *arguments):
    done = subprocess.run([program, "index", *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        raise Failed(f"refrain index {arguments[0]}: exit {done.returncode}:"
                     f" {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout


PASSAGES_READ = 2000  # this many passages, from the first, are compared with the files


def passages_true(out, _twin, file, least=1, files=True, planted=None):
    """There must be at least `least` passages, in valid rows. If ids are paths, the text of the first ones must match
    the files. With `planted` (the answer to a query), for each excerpt there must be a passage that covers half of it
    and occurs in its file, unless more files match than are shown."""
    passages, told = 0, []
    with open(out / file, "rb") as rows:
        for line in rows:
            passages += 1
            if passages > PASSAGES_READ:
                continue
            row = json.loads(line)
            if "passage" not in row:  # a cursor
                passages -= 1
                continue
            if len(row["occurrences"]) < (1 if "query" in row else 2):
                raise Failed(f"passage {passages} has {len(row['occurrences'])} places")
            for place in row["occurrences"] if files else []:
                with open(place["id"], "rb") as document:
                    document.seek(place["begin"])
                    if document.read(place["end"] - place["begin"]).decode(errors="replace") != place["text"]:
                        raise Failed(f"{place['id']}: {place['begin']} to {place['end']} is not what passage"
                                     f" {passages} shows")
            if planted is not None:
                told.append((row["begin"], row["end"], [os.path.basename(place["id"]) for place in row["occurrences"]]))
    if passages < int(least):
        raise Failed(f"{passages} passages, and {least} were expected")
    if planted is None:
        return
    with open(planted, encoding="utf-8") as rows:
        excerpts = [(int(begin), int(end), name) for begin, end, name in map(str.split, rows)]
    shown = 20  # documents, by default
    for begin, end, name in excerpts:
        if not any(2 * (min(last, end) - max(first, begin)) >= end - begin and (name in ids or len(ids) == shown)
                   for first, last, ids in told):
            raise Failed(f"bytes {begin} to {end} of the query are from {name}, and that was not found")
    if not excerpts:
        raise Failed("nothing is planted, so nothing was checked")


def dedup_known(out, _twin, file, known):
    """Exactly the last `known` documents of the JSONL `file` must have been removed for documents of the library."""
    with open(file, "rb") as records, open(out / "run" / "decisions.jsonl", "rb") as decisions:
        documents = sum(1 for _ in records)
        for number, line in enumerate(decisions):
            decision = json.loads(line)
            if ("known" in decision) != (number >= documents - known) or (decision["keep"] and "known" in decision):
                raise Failed(f"document {number}: {decision}")
    if number + 1 != documents:
        raise Failed(f"{number + 1} decisions on {documents} documents")
    with open(out / "run" / "summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    if summary["known"]["exact"] + summary["known"]["near"] != known or summary["known"]["added"] != summary["kept"]:
        raise Failed(f"the summary does not count them: {summary['known']}")
    return f"{summary['known']['bytes_read']} bytes of old text read"


def dedup_whole(out, _twin, file, nearly_all_removed=False, alarms=None, **expected):
    """Every record of the JSONL `file` must be in the clean one, byte for byte and in order, or have been removed for
    an earlier kept one; and the summary must count them so."""
    run, kept = out / "run", bytearray()
    with open(file, "rb") as records, open(run / "decisions.jsonl", "rb") as decisions, \
            open(run / "clean" / os.path.basename(file), "rb") as clean:
        for number, (record, line) in enumerate(itertools.zip_longest(records, decisions)):
            if record is None or line is None:
                raise Failed(f"decisions.jsonl has {'more' if record is None else 'fewer'} lines than"
                             " there are documents")
            decision = json.loads(line)
            if decision["id"] != str(number):
                raise Failed(f"document {number}: decisions.jsonl has {decision['id']} there")
            if decision["keep"] and (decision["reason"] is not None or clean.readline() != record):
                raise Failed(f"document {number} is kept, and is not in the clean file as it was")
            if not decision["keep"] and not (int(decision["match"]) < number and kept[int(decision["match"])]):
                raise Failed(f"document {number} was removed for {decision['match']},"
                             " which is not a kept one before it")
            kept.append(decision["keep"])
        if clean.read(1):
            raise Failed("the clean file has more than what is kept")
    with open(run / "summary.json", encoding="utf-8") as summary_file:
        summary = json.load(summary_file)
    removed = len(kept) - sum(kept)
    if ((summary["documents"], summary["kept"]) != (len(kept), sum(kept))
            or summary["removed_exact"] + summary["removed_near"] != removed):
        raise Failed(f"the summary does not count the {sum(kept)} of {len(kept)} that are kept")
    counts(run, expected)
    check = summary["check"]
    if check["below_threshold"]:
        raise Failed(f"{check['below_threshold']} of {check['removals']} removals did not match on recheck")
    if alarms is not None and len(summary["alarms"]) != int(alarms):
        raise Failed(f"{len(summary['alarms'])} sources raised the alarm and not {alarms}")
    if nearly_all_removed and 100 * sum(kept) > len(kept):
        raise Failed(f"{sum(kept)} of {len(kept)} are kept")
    # Without removed near-duplicates there is no recall to estimate.
    span = f" ({check['recall_low']:.4f} to {check['recall_high']:.4f})" if summary["removed_near"] else ""
    return (f"{removed} of {len(kept)} removed; {check['missed']} missed of {check['sampled']} kept ones,"
            f" recall {check['recall']:.4f}{span}")


def dedup_agrees(out, twin, file, program):
    """Removed documents must match by their true similarity. Notes how far the twin's kept set agrees. `program` is a
    Python with pyarrow."""
    agreement = pathlib.Path(__file__).resolve().parents[1] / "dedup_agreement.py"
    done = subprocess.run([program, "-B", agreement, file, out / "run", twin / "kept"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failed(f"dedup_agreement: {done.stderr.strip()[-500:]}")
    found = json.loads(done.stdout)
    if found["false"]:
        raise Failed(f"{found['false']} were removed for one that is not similar")
    if not found["neither"]:
        raise Failed("nothing was removed by both, so nothing was checked")
    log = (twin / "log").read_text(encoding="utf-8")
    times = {name: float(seconds) for name, seconds in re.findall(r"(Loading|Total|seconds)[\s\":]+([\d.]+)", log)}
    own = times["seconds"] if "seconds" in times else times["Total"] - times["Loading"]
    share = f" ({found['wrongful'] / found['ours']:.0%})" if found["ours"] else ""
    return (f"kept by both {found['both']}, by us alone {found['ours']}, by the peer alone {found['theirs']},"
            f" by neither {found['neither']}; of what the peer alone removed {found['wrongful']}{share} are below the"
            f" threshold to all that it kept; of what it alone kept {found['missed']} are above it to another;"
            f" its own time without loading {own:.3g} s")
