#!/usr/bin/env python3
"""Figures 2, 3 and 5 of the literature ("Efficient Indexing of Repeated n-Grams") for this machine: time against the
length N of the text, time against n, and peak temporary disk against N, for every algorithm of `refrain ngrams
build`.

    ngrams_figures.py [--quick] [--bin FOLDER]

Writes ngrams-figures.csv and ngrams-figure-{2,3,5}.svg to bench/record/<machine>. All indexes of a point must have
the same bytes, otherwise nothing is saved. --quick takes a tenth of every size and writes to a temporary folder
instead.
"""
import argparse
import csv
import hashlib
import html
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "bench" / "e2e"))
import measure  # noqa: E402
import record  # noqa: E402

ALGORITHMS = ["auto", "memory", "disk", "hash", "spex", "spex-log", "blocked", "location"]
COLOURS = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#8c6d31", "#999999", "#cc0000"]
SIZES = [25_000_000, 50_000_000, 100_000_000, 200_000_000]  # bytes; about a sixth as many tokens
LENGTHS = [1, 2, 3, 4, 6, 8, 12, 20, 30]
MEMORY = "128M"
COLUMNS = ["n", "bytes", "tokens", "grams", "algorithm", "seconds", "passes", "f1_bytes", "f2_bytes", "f3_bytes",
           "sequence_bytes", "temp_peak_bytes", "peak_rss_bytes", "index_bytes"]


def digest(folder):
    whole = hashlib.sha256()
    for name in ("grams.bin", "places.bin", "documents.bin"):
        with open(folder / name, "rb") as file:
            while block := file.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()


def build(program, text, n, algorithm, scratch):
    """Builds an index. Returns a row of the table, and the digest of the index."""
    command = [program, "ngrams", "build", text, "-o", scratch / "index", "--force", "-n", str(n),
               "--algorithm", algorithm, "--memory", MEMORY, "--temp-dir", scratch, "--json", "-q"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{algorithm}, n {n}, {text}: {done.stderr.decode(errors='replace')}")
    report = json.loads(done.stdout)
    row = {"n": n, "bytes": report["text_bytes"], "algorithm": algorithm, "tokens": report["tokens"],
           "grams": report["grams"], "index_bytes": report["grams_bytes"] + report["places_bytes"]}
    row.update({key: report["run"][key] for key in COLUMNS if key in report["run"] and key not in row})
    return row, digest(scratch / "index")


def point(program, text, n, scratch):
    """Runs all algorithms on one text, and compares their indexes."""
    rows, digests = [], set()
    for algorithm in ALGORITHMS:
        row, found = build(program, text, n, algorithm, scratch)
        print(f"n {n:2}  N {row['grams']:>11,}  {algorithm:9} {row['seconds']:8.2f} s"
              f"  {row['temp_peak_bytes'] / 1e6:9.1f} MB", flush=True)
        rows.append(row)
        digests.add(found)
    if len(digests) != 1:
        sys.exit(f"n {n}, {text}: the indexes differ")
    return rows


def ticks(top):
    """Returns about five round numbers from 0 to `top`."""
    step = 10 ** (len(str(int(top))) - 1) if top >= 1 else 0.1
    while top / step > 6:
        step *= 2
    while top / step < 3:
        step /= 2
    return [i * step for i in range(int(top / step) + 1)]


def plot(path, title, x_title, y_title, series):
    """Plots lines as a plain SVG. `series`: name -> [(x, y)]."""
    width, height, left, right, top, bottom = 760, 460, 70, 130, 40, 50
    most_x = max(x for points in series.values() for x, _ in points)
    most_y = max(y for points in series.values() for _, y in points) or 1
    at_x = lambda x: left + (width - left - right) * x / most_x  # noqa: E731
    at_y = lambda y: height - bottom - (height - top - bottom) * y / most_y  # noqa: E731
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
           ' font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="22" font-size="15">{html.escape(title)}</text>']
    for value in ticks(most_y):
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{at_y(value):.1f}" y2="{at_y(value):.1f}"'
                   ' stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{at_y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in ticks(most_x):
        out.append(f'<text x="{at_x(value):.1f}" y="{height - bottom + 18}" text-anchor="middle">{value:g}</text>')
    out.append(f'<path d="M{left} {top}V{height - bottom}H{width - right}" fill="none" stroke="black"/>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}"'
               f' text-anchor="middle">{html.escape(x_title)}</text>')
    out.append(f'<text transform="translate(18 {height / 2}) rotate(-90)"'
               f' text-anchor="middle">{html.escape(y_title)}</text>')
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in sorted(points))
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}"'
                   f' stroke-width="{3 if name == "auto" else 1.5}"/>')
        for x, y in points:
            out.append(f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{colour}"/>')
        y = top + 18 * number
        out.append(f'<line x1="{width - right + 14}" x2="{width - right + 38}" y1="{y}" y2="{y}" stroke="{colour}"'
                   ' stroke-width="3"/>')
        out.append(f'<text x="{width - right + 44}" y="{y + 4}">{html.escape(name)}</text>')
    path.write_text("\n".join(out) + "\n</svg>\n", encoding="utf-8")


def series(rows, x, y, extra=None):
    lines = {algorithm: [(x(row), y(row)) for row in rows if row["algorithm"] == algorithm] for algorithm in ALGORITHMS}
    for name, value in (extra or {}).items():
        lines[name] = [(x(row), value(row)) for row in rows if row["algorithm"] == "auto"]
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=SOURCE / "build" / "release")
    arguments = parser.parse_args()
    program = arguments.bin / "refrain"
    sizes = [size // 10 if arguments.quick else size for size in SIZES]
    data = SOURCE / "build" / "bench-data"
    with tempfile.TemporaryDirectory(prefix="refrain-figures-") as folder:
        scratch = pathlib.Path(folder)
        texts = {}
        for size in sizes:
            texts[size] = data / f"source-{size}"
            measure.make(SOURCE / "bench" / "twin" / "make_source.py", ["--bytes", str(size)], texts[size])
        by_size = [row for size in sizes for row in point(program, texts[size], 8, scratch)]
        by_n = [row for n in LENGTHS for row in point(program, texts[sizes[0]], n, scratch)]
        target = scratch if arguments.quick else SOURCE / "bench" / "record" / record.machine_name()
        target.mkdir(parents=True, exist_ok=True)
        with open(target / "ngrams-figures.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(by_size + by_n)
        million = lambda row: row["grams"] / 1e6  # noqa: E731
        where = f"{record.machine_name()}, --memory {MEMORY}"
        plot(target / "ngrams-figure-2.svg", f"Time against N, n = 8, m = 2 ({where})", "N, million n-grams", "seconds",
             series(by_size, million, lambda row: row["seconds"]))
        plot(target / "ngrams-figure-3.svg", f"Time against n, m = 2 ({where})", "n", "seconds",
             series(by_n, lambda row: row["n"], lambda row: row["seconds"]))
        plot(target / "ngrams-figure-5.svg", f"Peak temporary disk against N, n = 8, m = 2 ({where})",
             "N, million n-grams", "MB",
             series(by_size, million, lambda row: row["temp_peak_bytes"] / 1e6,
                    {"index": lambda row: row["index_bytes"] / 1e6, "sequence": lambda row: 4 * row["tokens"] / 1e6}))
        print(f"written to {target}" if not arguments.quick else "quick: nothing kept")


if __name__ == "__main__":
    main()
