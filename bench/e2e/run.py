"""Runs the benchmarks that the .toml files beside it describe. `tools/bench` builds what is needed and calls it.

    run.py [--quick] [NAME...]      NAME: part of the name of a bench or a case ("near", "skew", "fpga"); none means
                                    all
    --quick                         a tenth of every size, one run; targets are not judged and nothing is saved: a
                                    smoke test

A [[case]] measures a whole command:
    bench, name    its names
    data           files to make first, with programs of bench/twin; kept in build/bench-data
    prepare        commands to run first, unmeasured, once for all cases of a file that name them; their output is in
                   {kept}
    before         commands to run before every run, unmeasured, when {out} is new
    command        the measured command; its standard output goes to the file {out}/`stdout`, if given
    runs           number of runs; the best counts [3], or with take = "median" the median
    twin           the baseline (a command that several cases share is run only once); its standard output goes to
                   {twin}/`stdout`
    twin_runs      number of its runs; the best counts [1]
    check          a function of checks.py; no figure counts unless the answer of every run is right; its note is
                   printed and saved
    work, unit     rate = work / seconds (work_counts: the work is this number of the output's summary.json, beside
                   `work` bytes); the unit's first letter scales it (M: millions, k: thousands)
    work_seconds   take the seconds from this number under "run" in the JSON on standard error (the twin's too), not
                   from the whole command
    twin_work      the baseline's work if it is smaller than ours; its seconds are then scaled up
    twin_counts    false: the twin is only there for its answer
    against        an earlier case of the same bench: rate_kept = this rate / that rate
    allowing       another one: the time it takes beyond `against` is not counted
    disk           a folder that the command leaves: disk_share = its bytes / `work`
    bar            the target: conditions on rate, ratio, rate_kept, disk_share, seconds, peak_rss_mb, temp_mb
In strings, {bin}, {bench}, {data}, {source}, {kept}, {out}, {twin}, {temp} are folders and all other names are sizes
of [sizes].

A [[micro]] is a program of bench/micro with the benchmarks to record; their seconds are those for a gigabyte or a
million items. Peak RSS is never less than this driver's own 18 MB or so, because a child begins as its copy.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import tomllib

import checks
import measure
import record

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = SOURCE / "build" / "release"
DATA = SOURCE / "build" / "bench-data"
SCALES = {"M": 1e6, "k": 1e3}


def say(text):
    print(text, file=sys.stderr, flush=True)


def human(size):
    for unit, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if size >= unit:
            return f"{size / unit:g} {letter}"
    return str(size)


def work_seconds(case, measured):
    return json.loads(measured.stderr)["run"][case["work_seconds"]] if "work_seconds" in case else measured.seconds


class CaseRunner:
    """Runs the cases of one .toml file."""

    def __init__(self, sizes, quick, scratch):
        self.quick = quick
        self.scratch = scratch
        self.measured = {}  # of the cases so far, by bench and name
        self.baselines = {}  # of the twins so far, by command: seconds, and the folder with the answer
        self.prepared = set()
        self.kept = scratch / "kept"
        self.kept.mkdir()
        self.words = {"bin": BIN, "bench": BIN / "bench", "data": DATA, "source": SOURCE, "kept": self.kept}
        self.sizes = {name: size // 10 if quick else size for name, size in sizes.items()}
        self.words.update(self.sizes)

    def fill(self, text, **more):
        return str(text).format(**self.words, **more)

    def number(self, text):
        """Parses a size, or a size less a number: "{million} - 1"."""
        first, *rest = self.fill(text).split(" - ")
        return int(first) - sum(map(int, rest))

    def label(self, text):
        """Formats a name, with readable sizes: "{two}B" is 2 GB."""
        return text.format(**{name: human(size) for name, size in self.sizes.items()})

    def fresh_folders(self):
        folders = {name: self.scratch / name for name in ("out", "temp")}
        for folder in folders.values():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        return folders

    def prepare(self, case):
        for words in case.get("prepare", []):
            command = tuple(map(self.fill, words))
            if command not in self.prepared:
                measure.run(command)
            self.prepared.add(command)

    def run_twin(self, case, work):
        """Returns the seconds of the baseline for the same amount of work, and the folder with its answer."""
        key = tuple(self.fill(word, twin="") for word in case["twin"])
        if key not in self.baselines:
            folder = self.scratch / f"twin-{len(self.baselines)}"
            folder.mkdir()
            command = [self.fill(word, twin=folder) for word in case["twin"]]
            stdout = folder / case["stdout"] if "stdout" in case else None
            runs = [measure.run(command, stdout=stdout) for _ in range(1 if self.quick else case.get("twin_runs", 1))]
            self.baselines[key] = min(work_seconds(case, one) for one in runs), folder
        seconds, folder = self.baselines[key]
        return seconds * work / self.number(case.get("twin_work", work)), folder

    def check(self, case, out, twin):
        arguments = dict(case["check"])
        function = getattr(checks, arguments.pop("name"))
        for key, value in arguments.items():
            if key in ("file", "planted", "program", "folder"):
                arguments[key] = self.fill(value)
            elif not isinstance(value, bool):
                arguments[key] = self.number(value)
        return function(out, twin, **arguments) or ""

    def measure_once(self, case, twin):
        folders = self.fresh_folders()
        for words in case.get("before", []):
            measure.run([self.fill(word, **folders) for word in words])
        command = [self.fill(word, **folders) for word in case["command"]]
        stdout = folders["out"] / case["stdout"] if "stdout" in case else None
        measured = measure.run(command, watched=list(folders.values()), stdout=stdout)
        measured.note = self.check(case, folders["out"], twin)
        return measured

    def run(self, case):
        figure = record.Figure(case["bench"], self.label(case["name"]), unit=case["unit"], bar=case.get("bar", ""))
        work = self.number(case["work"])
        try:
            for data in case.get("data", []):
                program, *arguments = map(self.fill, data["make"])
                maker = SOURCE / "bench" / "twin" / program if program.endswith(".py") else BIN / "bench" / program
                measure.make(maker, arguments, DATA / self.fill(data["file"]))
            self.prepare(case)
            twin = None
            if "twin" in case:
                baseline_seconds, twin = self.run_twin(case, work)
                if case.get("twin_counts", True):
                    figure.baseline_seconds = baseline_seconds
            runs = [self.measure_once(case, twin) for _ in range(1 if self.quick else case.get("runs", 3))]
            take = statistics.median if case.get("take") == "median" else min
            figure.seconds = take(work_seconds(case, one) for one in runs)
            figure.note = runs[-1].note
            if "disk" in case:
                figure.disk_share = measure.folder_bytes([self.fill(case["disk"], out=self.scratch / "out")]) / work
        except (measure.Failed, OSError, KeyError, ValueError) as error:  # an unreadable answer is wrong, too
            figure.error = str(error) if isinstance(error, measure.Failed) else repr(error)
            return figure
        if "work_counts" in case:
            with open(self.scratch / "out" / case["work_counts"][0], encoding="utf-8") as file:
                work = json.load(file)[case["work_counts"][1]]
        figure.rate = work / figure.seconds / SCALES[case["unit"][0]]
        figure.peak_rss_mb = max(one.peak_rss_mb for one in runs)
        figure.temp_mb = max(one.temp_mb for one in runs)
        self.measured[figure.bench, figure.case] = figure
        against, allowing = (self.measured.get((figure.bench, self.label(case.get(name, ""))))
                             for name in ("against", "allowing"))
        if against is not None:
            extra = allowing.seconds - against.seconds if allowing else 0
            figure.rate_kept = figure.rate * figure.seconds / (figure.seconds - extra) / against.rate
        return figure


def run_micro(micro, names, quick, scratch):
    """Returns the figures of a program of bench/micro: the best of three repetitions of each benchmark."""
    out = scratch / "micro.json"
    cases = [case for case in micro["cases"] if wanted(names, micro["program"], case["name"])]
    only = "|".join(sorted({f"^{name}$" for case in cases for name in (case["name"], case["twin"])}))
    command = [BIN / "bench" / micro["program"], f"--benchmark_filter={only}", f"--benchmark_out={out}",
               f"--benchmark_repetitions={1 if quick else 3}", f"--benchmark_min_time={0.05 if quick else 0.5}"]
    figures = [record.Figure(micro["program"], case["name"].removesuffix("/real_time"), unit=micro["unit"],
                             bar=case.get("bar", "")) for case in cases]
    best, temp_mb = {}, {}
    try:
        peak_rss_mb = measure.run(command, env={"BENCH_SCALE": "0.1" if quick else "1"}).peak_rss_mb
        for one in json.loads(out.read_text(encoding="utf-8"))["benchmarks"]:
            if one.get("error_occurred"):
                raise measure.Failed(f"{one['run_name']}: {one['error_message']}")
            rate = one.get("bytes_per_second") or one.get("items_per_second")
            if one["run_type"] == "iteration":
                best[one["run_name"]] = max(rate, best.get(one["run_name"], 0))
                temp_mb[one["run_name"]] = max(one.get("spilled_mb", 0), temp_mb.get(one["run_name"], 0))
    except measure.Failed as error:
        for figure in figures:
            figure.error = str(error)
        return figures
    for figure, case in zip(figures, cases):
        rate, twin = best[case["name"]], best[case["twin"]]
        figure.rate = rate / SCALES[micro["unit"][0]]
        # Both are the time for a gigabyte, or for a million items.
        figure.seconds, figure.baseline_seconds = [(1e9 if "B/s" in micro["unit"] else 1e6) / r for r in (rate, twin)]
        figure.peak_rss_mb, figure.temp_mb = peak_rss_mb, temp_mb[case["name"]]
    return figures


def wanted(names, bench, case):
    return not names or any(name in bench or name in case for name in names)


def run_all(names, quick, scratch):
    for path in sorted(pathlib.Path(__file__).parent.glob("*.toml"), key=lambda p: (p.stem != "micro", p.stem)):
        with open(path, "rb") as file:
            plan = tomllib.load(file)
        for micro in plan.get("micro", []):
            if any(wanted(names, micro["program"], case["name"]) for case in micro["cases"]):
                say(f"bench: {micro['program']}")
                yield from run_micro(micro, names, quick, scratch)
        (scratch / path.stem).mkdir()
        runner = CaseRunner(plan.get("sizes", {}), quick, scratch / path.stem)
        for case in plan.get("case", []):
            name = runner.label(case["name"])
            if wanted(names, case["bench"], name):
                say(f"bench: {case['bench']}: {name}")
                yield runner.run(case)


def main():
    parser = argparse.ArgumentParser(prog="tools/bench", description="Measures Refrain against its plain twins.")
    parser.add_argument("--quick", action="store_true", help="a tenth of every size, one run, no bars, nothing kept")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only benches and cases with this in their name")
    options = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    machine = record.machine_name()
    say(f"bench: on {machine}; load {os.getloadavg()[0]:.1f} before the start")
    with tempfile.TemporaryDirectory(dir=DATA, prefix="run.") as scratch:
        figures = list(run_all(options.names, options.quick, pathlib.Path(scratch)))
    record.print_table(figures, judged=not options.quick)
    for figure in figures:
        if figure.error:
            print(f"{figure.bench}: {figure.case}: {figure.error}")
        elif figure.note:
            print(f"{figure.bench}: {figure.case}: {figure.note}")
    if not options.quick:
        print(f"kept in {record.save(figures, SOURCE / 'bench' / 'record' / machine).relative_to(SOURCE)}")
    # A missed target is for a person to judge (the machine may be busy); a wrong answer is a failure.
    return 1 if not figures or any(figure.error for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
