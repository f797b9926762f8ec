"""The figures of a run: judged by their targets, printed as a table, saved as bench/record/<machine>/<date>.csv."""
import csv
import dataclasses
import datetime
import operator
import os
import platform
import re
import subprocess

COLUMNS = ["bench", "case", "seconds", "rate", "unit", "peak_rss_mb", "temp_mb", "baseline_seconds", "ratio", "bar",
           "ok", "note"]
COMPARE = {">=": operator.ge, "<=": operator.le}


@dataclasses.dataclass
class Figure:
    """One row. `baseline_seconds` is the time that the baseline takes, or would take, for the same work; `ratio` is
    how many times as fast we are. `rate_kept` is this rate relative to that of another case, and `disk_share` the
    remaining disk space relative to the work. `note` is the note of the check."""

    bench: str
    case: str
    seconds: float = None
    rate: float = None
    unit: str = ""
    peak_rss_mb: float = None
    temp_mb: float = None
    baseline_seconds: float = None
    rate_kept: float = None
    disk_share: float = None
    bar: str = ""
    error: str = ""
    note: str = ""

    @property
    def ratio(self):
        return self.baseline_seconds / self.seconds if self.baseline_seconds and self.seconds else None

    def verdict(self, judged=True):
        """Returns "yes", "no", "wrong" (the answer), or "" if there is no target."""
        if self.error:
            return "wrong"
        if not self.bar or not judged:
            return ""
        for condition in self.bar.split(","):
            name, sign, limit = re.fullmatch(r"\s*(\w+) (>=|<=) ([\d.]+)\s*", condition).groups()
            value = getattr(self, name)
            if value is None or not COMPARE[sign](value, float(limit)):
                return "no"
        return "yes"

    def row(self, judged):
        bar = self.bar
        for name in ("rate_kept", "disk_share"):
            if getattr(self, name) is not None:
                bar = bar.replace(name, f"{name}({getattr(self, name):.2f})")
        values = [self.seconds, self.rate, self.peak_rss_mb, self.temp_mb, self.baseline_seconds, self.ratio]
        seconds, rate, rss, temp, baseline, ratio = ["" if v is None else f"{v:.4g}" if v < 1000 else f"{v:.0f}"
                                                     for v in values]
        return [self.bench, self.case, seconds, rate, self.unit, rss, temp, baseline, ratio, bar, self.verdict(judged),
                self.note]


def machine_name():
    """Returns architecture, processor and cores as one word: x86_64-intel-xeon-2c."""
    model = ""
    try:
        for line in subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout.splitlines():
            if line.lower().startswith("model name:") and not model:
                model = line.split(":", 1)[1]
    except OSError:
        pass
    model = re.sub(r"\([^)]*\)|@.*|\b(cpu|processor|[0-9]+-core)\b", " ", model.lower())
    words = re.findall(r"[a-z0-9.]+", model) or ["unknown"]
    return "-".join([platform.machine(), *words, f"{len(os.sched_getaffinity(0))}c"])


def save(figures, folder, judged=True):
    """Writes today's file; rows of an earlier run today that were not repeated are kept."""
    path = folder / f"{datetime.date.today().isoformat()}.csv"
    rows = {}
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            rows = {tuple(row[:2]): row + [""] * (len(COLUMNS) - len(row)) for row in list(csv.reader(file))[1:]}
    for figure in figures:
        rows[figure.bench, figure.case] = figure.row(judged)
    folder.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows.values())
    return path


def print_table(figures, judged):
    titles = ["bench", "case", "seconds", "rate", "unit", "RSS MB", "temp MB", "baseline s", "ratio", "bar", "met"]
    rows = [titles] + [figure.row(judged)[:-1] for figure in figures]  # notes are printed separately
    widths = [max(len(row[i]) for row in rows) for i in range(len(titles))]
    to_the_right = {2, 3, 5, 6, 7, 8}
    for number, row in enumerate(rows):
        cells = [cell.rjust(width) if i in to_the_right else cell.ljust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
