#!/usr/bin/env python3
"""How right Refrain's answers are, on every labelled set that can be had: the record that docs/quality.md is made from.

    bench/quality/run.py [SET...] [--quick] [--offline] [--bin DIR] [--data DIR] [--cache DIR] [--keep]

Without a name, all sets are measured: by default, with the options that GUIDE.md recommends for the task, and with
other bounds of what may be lost. Prints the figures. Sets whose packages cannot be fetched (--offline: that are not in
the cache), or that need --data, are skipped by name. --quick takes a part of a set where this saves time, and never
downloads. --keep replaces these sets in bench/record/<machine>/quality.csv, where each row is one figure, and their
examples in quality-mistakes.jsonl; then tools/quality_page writes the page.

--data is a folder with `passages` (PAN 2013 as bench/pan_passages.py reads it) and `evals` (JSON lines with
`question`): texts that may be used for measuring, but not be distributed.
"""
import argparse
import csv
import dataclasses
import datetime
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "bench" / "e2e")]
import contamination  # noqa: E402
import duplicates  # noqa: E402
import packages  # noqa: E402
import passages  # noqa: E402
import record  # noqa: E402
import runs  # noqa: E402

# Each set is a function of a Run, which adds figures and examples of mistakes, and the folder of --data that it needs.
SETS = {
    "pan": (passages.pan, "passages"),
    "contamination": (contamination.contamination, "evals"),
    "generated": (duplicates.generated, None),
    "code": (duplicates.code, None),
    "standards": (duplicates.standards, None),
    "twins": (duplicates.twins, None),
    "pages": (duplicates.pages, None),
    "manuals": (duplicates.manuals, None),
    "translations": (passages.translations, None),
    "changelogs": (passages.changelogs, None),
    "authors": (passages.authors, None),
}
COLUMNS = ["set", "about", "task", "measure", "options", "value", "of", "published", "source", "command", "seconds",
           "inputs", "date"]


def command_of(name):
    return f"bench/quality/run.py {name}" + (" --data DIR" if SETS[name][1] else "")


def rows_of(name, run, seconds):
    fixed = {"set": name, "about": run.about, "command": command_of(name), "seconds": f"{seconds:.0f}",
             "inputs": ", ".join(f"{package} {version}" for package, version in run.packages.used.items()),
             "date": datetime.date.today().isoformat()}
    for figure in run.figures:
        row = fixed | dataclasses.asdict(figure)
        row["value"] = f"{figure.value:.4g}" if isinstance(figure.value, float) else str(figure.value)
        yield {key: "" if value is None else value for key, value in row.items()}


def save(name, rows, mistakes, folder):
    """Replaces the figures and examples of a set."""
    folder.mkdir(parents=True, exist_ok=True)
    path, examples = folder / "quality.csv", folder / "quality-mistakes.jsonl"
    mistakes = [{"set": name, **dataclasses.asdict(mistake)} for mistake in mistakes]
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            rows += [row for row in csv.DictReader(file) if row["set"] != name and row["set"] in SETS]
        with open(examples, encoding="utf-8") as file:
            mistakes += [row for row in map(json.loads, file) if row["set"] != name and row["set"] in SETS]
    order = list(SETS)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: order.index(row["set"])))
    with open(examples, "w", encoding="utf-8") as file:
        for mistake in sorted(mistakes, key=lambda row: order.index(row["set"])):
            file.write(json.dumps(mistake, ensure_ascii=False) + "\n")


def print_figures(figures):
    task = None
    for figure in figures:
        if figure.task != task:
            task = figure.task
            print(f"  {task}")
        value = f"{figure.value:.3f}" if isinstance(figure.value, float) else f"{figure.value:,}"
        of = f" of {figure.of:,}" if figure.of is not None else ""
        print(f"    {figure.measure:75} {figure.options or 'default':32} {value}{of}"
              + (f"  published {figure.published}" if figure.published else ""))


def print_mistakes(mistakes):
    for mistake in mistakes:
        print(f"  wrong ({mistake.task}, {mistake.options or 'default'}): {mistake.what}\n    | {mistake.left[:300]}\n"
              f"    | {mistake.right[:300]}")


def processor_seconds():
    """Returns the processor time of this process and of those that it has started."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build" / "release")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, default=SOURCE / "build" / "quality")
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--list", action="store_true", help="print the names of the sets")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.sets if name not in SETS]:
        parser.error(f"no such set: {', '.join(unknown)}")
    if arguments.quick and arguments.keep:
        parser.error("--quick is not kept")
    if arguments.list:
        print("\n".join(SETS))
        return 0
    program = (arguments.bin / "refrain").resolve()
    failed = 0
    for name in arguments.sets or SETS:
        measure, needed = SETS[name]
        if needed and not (arguments.data and (arguments.data / needed).is_dir()):
            print(f"{name}: skipped: needs --data DIR with the folder {needed}", flush=True)
            continue
        began = processor_seconds()
        with tempfile.TemporaryDirectory(prefix=f"refrain-quality-{name}-", dir=arguments.scratch) as scratch:
            run = runs.Run(program, packages.Packages(arguments.cache, not (arguments.offline or arguments.quick)),
                           arguments.data, pathlib.Path(scratch), arguments.threads, arguments.quick)
            try:
                measure(run)
            except packages.Unavailable as error:
                print(f"{name}: skipped: {error}", flush=True)
                continue
            except (runs.Failed, subprocess.CalledProcessError) as error:
                print(f"{name}: failed: {error}", flush=True)
                failed += 1
                continue
        seconds = processor_seconds() - began
        print(f"{name}: {run.about}; {seconds:.0f} s of processor time", flush=True)
        print_figures(run.figures)
        print_mistakes(run.mistakes)
        if arguments.keep:
            save(name, list(rows_of(name, run, seconds)), run.mistakes,
                 SOURCE / "bench" / "record" / record.machine_name())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
