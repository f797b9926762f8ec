"""Sets of documents with known copies, versions or twins: what `refrain dedup` and `near` make of them."""
import collections
import csv
import html.parser
import json
import pathlib
import random
import re
import subprocess
import sys

import code_comments
import dedup_world
import near_distance
from dedup_truth import windows, words
from packages import Unavailable
from runs import LOSSES, WINDOW, Mistake, jaccard, own_text, read_bytes, read_text, similarity, write_jsonl

BENCH = pathlib.Path(__file__).resolve().parents[1]
SOURCE = BENCH.parent
DIFFERENT = 0.5  # below this similarity of their main texts, two pages are no copies


def kept_both(decisions, one, other):
    return decisions[one]["keep"] and decisions[other]["keep"]


def near_removals(decisions):
    return [row for row in decisions.values() if row["reason"] == "near" and not row["keep"]]


# ---- generated documents ----

def families(planted):
    """Returns the family of each document: what was made from one text. Quotations have a text of their own."""
    of = {row["id"]: row["of"] for row in planted if row["of"] and row["kind"] != "quotation"}

    def root(name):
        while name in of:
            name = of[name]
        return name

    return {row["id"]: root(row["id"]) for row in planted}


COPIES = [
    ("laid out or punctuated anew, or exact copies",
     lambda kind, rate: kind in ("rewrapped", "punctuation", "template-copy") or (kind, rate) == ("edited", 0)),
    ("up to 1 % of the words edited", lambda kind, rate: kind in ("edited", "cjk-edited") and 0 < rate <= 0.01),
    ("1.5 to 3 % of the words edited", lambda kind, rate: kind in ("edited", "cjk-edited") and 0.01 < rate <= 0.03),
    ("up to 0.2 % of the characters misread", lambda kind, rate: kind == "ocr" and rate <= 0.002),
]


def generated(run):
    count = 300 if run.quick else 4000
    folder = run.folder("generated")
    dedup_world.World(count, 230, 0).write(folder)
    subprocess.run([sys.executable, "-B", BENCH / "dedup_truth.py", "--least", "0.5", folder], check=True,
                   stdout=subprocess.DEVNULL)
    with open(folder / "planted.tsv", encoding="utf-8") as file:
        planted = list(csv.DictReader(file, delimiter="\t"))
    family, group = families(planted), {row["id"]: row["group"] for row in planted}
    with open(folder / "pairs.tsv", encoding="utf-8") as file:
        pairs = [(one, other, float(value)) for one, other, value, _ in csv.reader(file, delimiter="\t")]
    alike = [(one, other) for one, other, value in pairs if value >= 0.85 and family[one] == family[other]]
    with open(folder / "documents.jsonl", encoding="utf-8") as file:
        texts = {row["id"]: row["text"] for row in map(json.loads, file)}
    run.about = f"{count:,} documents, {len(alike):,} pairs of copies at 0.85 or above"
    for options in LOSSES:
        decisions = run.dedup([folder / "documents.jsonl"], options, "--id-field", "id")
        for name, belongs in COPIES:
            copies = [(row["id"], row["of"]) for row in planted
                      if row["of"] and belongs(row["kind"], float(row["rate"]))]
            run.add("dedup", f"copies found: {name}", options,
                    sum(not kept_both(decisions, *pair) for pair in copies), len(copies))
        run.add("dedup", "pairs of copies found, similarity 0.85 or above", options,
                sum(not kept_both(decisions, *pair) for pair in alike), len(alike))
        removed = [row for row in decisions.values() if not row["keep"]]
        wrong = [row for row in removed if family[row["id"]] != family[row["match"]]]
        slots = [row for row in wrong if group[row["id"]] and group[row["id"]] == group[row["match"]]]
        run.add("dedup", "pages of a template that go for another page, 0.8 alike or more", options, len(slots),
                len(removed))
        run.add("dedup", "other removals of what is no copy of its match", options, len(wrong) - len(slots),
                len(removed))
        for row in slots[: not options]:
            run.mistakes.append(Mistake("dedup", "a page goes for another one of its template, from which it differs in"
                                        " a few words here and there", options,
                                        own_text(texts[row["id"]], texts[row["match"]]),
                                        own_text(texts[row["match"]], texts[row["id"]])))
    truth = {(one, other): value for one, other, value in pairs}
    most = sum(value >= 0.8 for value in truth.values())
    for options in ("", "--verify"):
        found = near_distance.matches(run.program, folder, options.split())
        run.add("near", "pairs at 0.8 or above that are reported", options,
                sum(truth.get(pair[:2], 0) >= 0.8 for pair in found), most)
        run.add("near", "reported pairs below 0.5", options,
                sum(truth.get(pair[:2], 0) < 0.5 for pair in found), len(found))
    done = subprocess.run([sys.executable, "-B", BENCH / "months.py", folder / "documents.jsonl", "--refrain",
                           run.program, "--months", "3", "--folder", run.scratch, "--", "--templates", "off"],
                          capture_output=True, text=True, check=False)
    differing = re.search(r"([\d,]+) decisions differ", done.stdout)
    run.add("dedup", "decisions of three months with `--library` that differ from one run", "--templates off",
            int(differing[1].replace(",", "")) if differing else count, count)


# ---- standards that replace one another ----

RFC_PACKAGES = ["doc-rfc-std", "doc-rfc-old-std", "doc-rfc-fyi-bcp", "doc-rfc-others", "doc-rfc-std-proposed",
                "doc-rfc-informational", "doc-rfc-experimental", "doc-rfc-misc"]
MONTHS = {name: number for number, name in enumerate(
    ("January February March April May June July August September October November December").split(), 1)}


def rfc_number(name):
    found = re.fullmatch(r"\s*RFC0*(\d+)\s*", name, re.IGNORECASE)
    return int(found[1]) if found else None


def standards(run):
    about, paths = {}, {}
    for package in RFC_PACKAGES:
        for path in sorted(run.packages.debian(package, r"/rfc\d+\.(txt\.gz|json)$").rglob("rfc*")):
            number = rfc_number(path.name.partition(".")[0])
            if path.is_symlink() or number is None:
                continue
            if path.suffix == ".json":
                about.setdefault(number, json.loads(path.read_text(encoding="utf-8", errors="replace")))
            else:
                paths.setdefault(number, path)

    def date(number):
        month, _, year = about[number]["pub_date"].partition(" ")
        return f"{year}-{MONTHS.get(month, 1):02}"

    replaced = [(old, new) for new in about for old in map(rfc_number, about[new]["obsoletes"])
                if old in paths and new in paths and old in about]
    texts = {number: read_text(paths[number]) for pair in replaced for number in pair}
    related = dict(zip(texts, texts))

    def root(number):
        while related[number] != number:
            number = related[number]
        return number

    for new in texts:
        for field in ("obsoletes", "updates", "see_also"):
            for old in map(rfc_number, about[new][field]):
                if old in texts:
                    related[root(old)] = root(new)
    sets = {}

    def window_set(number):
        if number not in sets:
            sets[number] = windows(words(texts[number]), WINDOW)
        return sets[number]

    # Texts of which one is twice as long as the other are less than half alike.
    alike = {(old, new): jaccard(window_set(old), window_set(new)) for old, new in replaced
             if 0.45 < len(texts[old]) / max(1, len(texts[new])) < 2.2}
    documents = {f"rfc{number}": {"text": texts[number], "date": date(number)}
                 for number in sorted(texts, key=lambda number: (date(number), number))}
    path = write_jsonl(run.scratch / "standards.jsonl", documents)
    run.about = (f"{len(documents):,} standards, {len(replaced):,} pairs of which the newer replaces the older; "
                 + ", ".join(f"{sum(value >= least for value in alike.values())} of them at {least:g} or above"
                             for least in (0.9, 0.8, 0.5)))
    for least in (0.9, 0.8, 0.5):
        wanted = [(f"rfc{old}", f"rfc{new}") for (old, new), value in alike.items() if value >= least]
        for loss in LOSSES:
            decisions = run.dedup([path], f"--threshold {least:g} {loss}", "--id-field", "id")
            task = f"`--threshold {least:g}`"
            run.add(task, "pairs of which one is removed", loss,
                    sum(not kept_both(decisions, *pair) for pair in wanted), len(wanted))
            removed = near_removals(decisions)
            stray = [row for row in removed if root(rfc_number(row["id"])) != root(rfc_number(row["match"]))]
            run.add(task, "near removals for a standard that is not related", loss, len(stray), len(removed))
            run.add(task, "longest run of words lost", loss, max((row["longest_lost"] for row in removed), default=0))
            run.add(task, "words lost per removal, mean", loss,
                    round(sum(row["lost"] for row in removed) / max(1, len(removed))))
            if not loss and least > 0.5:
                missed = [pair for pair in wanted if kept_both(decisions, *pair)]
                missed.sort(key=lambda pair: -alike[rfc_number(pair[0]), rfc_number(pair[1])])
                for old, new in missed[:2]:
                    value = alike[rfc_number(old), rfc_number(new)]
                    run.mistakes.append(Mistake(
                        task, f"both kept: {old} and {new}, which replaces it, {value:.2f} alike", loss,
                        own_text(documents[new]["text"], documents[old]["text"]),
                        own_text(documents[old]["text"], documents[new]["text"])))
                for row in sorted(stray, key=lambda row: row["similarity"])[:1]:
                    run.mistakes.append(Mistake(
                        task, f"{row['id']} removed for {row['match']}, which is not related to it", loss,
                        own_text(documents[row["id"]]["text"], documents[row["match"]]["text"]),
                        own_text(documents[row["match"]]["text"], documents[row["id"]]["text"])))


# ---- pages ----

class PlainText(html.parser.HTMLParser):
    """The text of a page, without scripts and styles: as crude as it can be."""

    def __init__(self):
        super().__init__()
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style") and self.hidden > 0

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def plain_text(page):
    parser = PlainText()
    parser.feed(page)
    return " ".join(parser.parts)


def main_texts(run):
    """Returns a function that extracts the main text of a page, independently of Refrain."""
    run.packages.python_path("trafilatura", "2.3.1", "lxml_html_clean")
    import trafilatura  # in the cache

    texts = {}

    def extract(path):
        if path not in texts:
            texts[path] = trafilatura.extract(pathlib.Path(path).read_bytes(), include_comments=False) or ""
        return texts[path]

    return extract


def unpacked_pages(run, package, name):
    """Copies the pages of a package, unpacked if they are compressed, into a folder of their own."""
    folder = run.folder(name)
    home = run.packages.debian(package)
    for path in sorted((home / "usr/share/doc").rglob("*")):
        if path.is_file() and not path.is_symlink() and re.search(r"\.html(\.gz)?$", path.name):
            to = folder / str(path.relative_to(home / "usr/share/doc")).removesuffix(".gz")
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(read_bytes(path))
    return folder


def twins(run):
    """Pairs of a page and the text it was made from."""
    kinds = [("git-doc", "AsciiDoc", r"^(.*)\.html$", r"\1.txt"),
             ("nodejs-doc", "Markdown", r"^(.*)\.html$", r"\1.md.gz"),
             ("python3.11-doc", "reStructuredText", r"^(.*/html)/(.*)\.html$", r"\1/_sources/\2.rst.txt")]
    counts = []
    for package, markup, page, source in kinds:
        home = run.packages.debian(package)
        folder = run.folder(f"twins-{package}")
        pairs = {}
        for path in sorted(home.rglob("*.html")):
            other = home / re.sub(page, source, str(path.relative_to(home)))
            if path.is_symlink() or not other.is_file() or path == other:
                continue
            name = str(path.relative_to(home).with_suffix("")).removeprefix("usr/share/doc/").replace("/", "_")
            for text, suffix in ((read_text(path), "html"), (read_text(other), "txt")):
                (folder / suffix).mkdir(exist_ok=True)
                (folder / suffix / f"{name}.{suffix}").write_text(text, encoding="utf-8")
            pairs[str(folder / "html" / f"{name}.html")] = str(folder / "txt" / f"{name}.txt")
        alike = {pair: similarity(plain_text(read_text(pathlib.Path(pair[0]))), read_text(pathlib.Path(pair[1])))
                 for pair in pairs.items()}
        counts.append(f"{len(pairs)} twins in {markup} ({package}), {sum(value >= 0.8 for value in alike.values())} of"
                      " them at 0.8 or above")
        for loss in LOSSES:
            decisions = run.dedup([folder / "html", folder / "txt"], loss)
            missing = [name for pair in pairs.items() for name in pair if name not in decisions]
            known = {pair: value for pair, value in alike.items() if not set(missing).intersection(pair)}
            run.add(markup, "twins of which one is removed", loss,
                    sum(not kept_both(decisions, *pair) for pair in known), len(known))
            high = [pair for pair, value in known.items() if value >= 0.8]
            run.add(markup, "twins of which one is removed, similarity 0.8 or above", loss,
                    sum(not kept_both(decisions, *pair) for pair in high), len(high))
            partner = {**pairs, **{other: one for one, other in pairs.items()}}
            removed = [row for row in decisions.values() if not row["keep"]]
            run.add(markup, "removals for another document than the twin", loss,
                    sum(partner.get(row["id"]) != row["match"] for row in removed), len(removed))
            if not loss:
                missed = sorted((pair for pair in high if kept_both(decisions, *pair)), key=lambda pair: -known[pair])
                for one, other in missed[:1]:
                    left, right = plain_text(read_text(pathlib.Path(one))), read_text(pathlib.Path(other))
                    run.mistakes.append(Mistake(markup, f"both kept: {pathlib.Path(one).stem}, {known[one, other]:.2f}"
                                                " alike (the page, then its source)", loss, own_text(left, right),
                                                own_text(right, left)))
    run.about = "; ".join(counts)


PAGE_PACKAGES = ["selinux-policy-doc", "wx3.2-doc", "nodejs-doc", "postgresql-doc-15", "libstdc++-12-doc",
                 "apache2-doc", "python3.11-doc"]


def pages(run):
    extract = main_texts(run)
    judged = collections.Counter()
    for package in PAGE_PACKAGES:
        folder = unpacked_pages(run, package, f"pages-{package}")
        for loss in LOSSES:
            decisions = run.dedup([folder], loss)
            removed = near_removals(decisions)
            values = [(similarity(extract(row["id"]), extract(row["match"])), row) for row in removed]
            wrong = sorted(((value, row) for value, row in values if value < DIFFERENT), key=lambda item: item[0])
            run.add(package, "near removals whose main texts are less than 0.5 alike", loss, len(wrong), len(removed))
            run.add(package, "pages kept", loss, sum(row["keep"] for row in decisions.values()), len(decisions))
            judged[loss, "wrong"] += len(wrong)
            judged[loss, "all"] += len(removed)
            judged[loss, "pages"] += len(decisions)
            if not loss:
                for value, row in wrong[:1]:
                    one, other = (str(pathlib.Path(row[key]).relative_to(folder)).removesuffix(".html")
                                  for key in ("id", "match"))
                    run.mistakes.append(Mistake(
                        package, f"{one} removed for {other}; main texts {value:.2f} alike", loss,
                        own_text(extract(row["id"]), extract(row["match"])),
                        own_text(extract(row["match"]), extract(row["id"]))))
    for loss in LOSSES:
        run.add("all packages", "near removals whose main texts are less than 0.5 alike", loss, judged[loss, "wrong"],
                judged[loss, "all"])
    run.about = f"{judged['', 'pages']:,} pages of {len(PAGE_PACKAGES)} packages"


# ---- source code ----

def code(run):
    """Source files of this repository and of Python, whose comments are rewritten."""
    count = 12 if run.quick else 60
    folders = [SOURCE / "src", pathlib.Path(json.__file__).parents[1]]
    rng = random.Random(1)
    try:
        chosen = code_comments.choose([folder for folder in folders if folder.is_dir()], count, rng)
    except SystemExit as error:
        raise Unavailable(str(error)) from error
    folder = run.folder("code")
    originals = [(f"{place}", text) for place, (_, text, _) in enumerate(chosen)]
    copies = [(f"{place}'", code_comments.changed(text, found, rng)) for place, (_, text, found) in enumerate(chosen)]
    write_jsonl(folder / "documents.jsonl", dict(originals + copies))
    for options in ("", "--tokenizer code", "--tokenizer code-kinds", "--tokenizer code --comments"):
        found = code_comments.found_of(run.program, folder, options.split())
        run.add("dedup", "files found again after every word of their comments was replaced", options,
                sum(name in found for name, _ in copies), len(copies))
    run.about = f"{len(chosen)} files in C++ and Python, of which 10 to 60 % are comments"


# ---- manual pages of this machine ----

def troff_text(page):
    """Returns the words of a manual page without its requests: as crude as it can be."""
    lines = (re.sub(r"^[.'][A-Za-z]*", "", line) for line in page.splitlines()
             if not re.match(r"[.']\s*\\\"", line))
    return re.sub(r"\\f.|\\[&e-]|\\\(..", "", "\n".join(lines))


def manuals(run):
    paths = [path for section in range(1, 9) for path in sorted(pathlib.Path(f"/usr/share/man/man{section}").glob("*"))
             if path.is_file() and not path.is_symlink()]
    if len(paths) < 100:
        raise Unavailable("needs the manual pages of the system, which are not installed")
    if run.quick:
        paths = paths[:: max(1, len(paths) // 300)]
    folder, texts = run.folder("manuals"), {}
    for path in paths:
        name = folder / path.name.removesuffix(".gz")
        text = read_text(path)
        if not text.startswith(".so "):  # a reference to another page
            name.write_text(text, encoding="utf-8")
            texts[str(name)] = text
    run.about = f"{len(texts):,} manual pages of this machine"
    for loss in LOSSES:
        decisions = run.dedup([folder], loss)
        removed = near_removals(decisions)
        values = [(similarity(troff_text(texts[row["id"]]), troff_text(texts[row["match"]])), row) for row in removed]
        wrong = sorted(((value, row) for value, row in values if value < DIFFERENT), key=lambda item: item[0])
        run.add("dedup", "near removals whose texts are less than 0.5 alike", loss, len(wrong), len(removed))
        run.add("dedup", "longest run of words lost", loss, max((row["longest_lost"] for row in removed), default=0))
        for value, row in wrong[: 1 if not loss else 0]:
            one, other = troff_text(texts[row["id"]]), troff_text(texts[row["match"]])
            run.mistakes.append(Mistake(
                "dedup", f"{pathlib.Path(row['id']).name} removed for {pathlib.Path(row['match']).name}; texts"
                f" {value:.2f} alike", loss, own_text(one, other), own_text(other, one)))
