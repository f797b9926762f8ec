#!/usr/bin/env python3
"""Random documents of which it is known what is a copy of what, and how: for dedup_truth.py and dedup_accuracy.py.

    dedup_world.py [--documents N] [--words MEDIAN] [--seed N] FOLDER

FOLDER/documents.jsonl gets one object per line: {"id", "text", "source", "kind", "of", "rate"}; `of` is the id of the
document it was made from, or null. FOLDER/planted.tsv has id, kind, of, rate and group per line; pages of one
template and links of one chain form a group. The kinds:

  original      words of a Zipfian vocabulary in sentences and paragraphs
  edited        every word has the chance `rate` of being substituted, lost, or preceded by an inserted word; rate 0
                is an exact copy
  ocr           every character has the chance `rate` of being misread or lost, or of gaining or losing a space before
                it
  rewrapped     different line breaks, indents and capitals
  punctuation   different quotes, dashes and stops, including full-width ones
  template      a page of a family: fixed text, and slots that make up `rate` of the words; all pages are distinct
  template-copy a copy of such a page, rewrapped
  quotation     a text of its own that contains paragraphs of another one
  cjk           Han and Kana, written without spaces; cjk-edited: the same with edits
  short         one to twelve words; short-edited: the same with one word substituted (or none, rate 0)
  chain         each link is an edit of the one before: neighbors are similar, the ends are not

Seeded: the same bytes every time. Copies may precede the documents they were made from.
"""
import argparse
import csv
import itertools
import json
import math
import pathlib
import random
import string

from passages_world import MISREAD

VOCABULARY = 20_000
CJK_VOCABULARY = 5_000
EDITS = [0, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5]
OCR = [0.0005, 0.001, 0.002, 0.004, 0.01, 0.03, 0.1]
SLOTS = [0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.35, 0.5]
CHAIN_RATES = [0.01, 0.015, 0.02]
LINKS = 5
SLOT_WORDS = 3
# Shares of all documents; the others are originals.
SHARES = {"edited": 0.2, "ocr": 0.06, "rewrapped": 0.04, "punctuation": 0.04, "template": 0.1, "quotation": 0.04,
          "cjk": 0.03, "cjk-edited": 0.03, "short": 0.02, "short-edited": 0.02, "chain": 0.04}
SOURCES = ["web", "news", "forum", "books", "papers", "mail", "wiki", "code"]
MARKS = [(". ", "。"), (", ", "，"), ("? ", "？"), ("! ", "！"), ("; ", "；"), (": ", "：")]


class TextGenerator:
    """Draws words by a Zipfian law, and builds sentences of them. Each word is paired with the text that follows it."""

    def __init__(self, pick, words, space):
        self.pick = pick
        self.known = words
        self.space = space
        self.limits = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def say(self, count):
        return self.pick.choices(self.known, cum_weights=self.limits, k=count)

    def other(self, word):
        return next(other for other in iter(lambda: self.say(1)[0], None) if other != word)

    def text(self, count):
        """Returns [word, after] pairs."""
        out, pick = [], self.pick
        comma, stop = (", ", ". ") if self.space else ("，", "。")
        paragraph = pick.randint(40, 150)
        while len(out) < count:
            words = self.say(min(pick.randint(5, 25), count - len(out)))
            sentence = [[word, comma if pick.random() < 0.07 else self.space] for word in words]
            sentence[-1][1] = stop if pick.random() < 0.9 or not self.space else pick.choice(["? ", "! "])
            if self.space and pick.random() < 0.1:
                pick.choice(sentence[:-1] or sentence)[1] = pick.choice([" - ", ' "', '" ', "'s ", "; "])
            out += sentence
            paragraph -= len(words)
            if paragraph < 0:
                out[-1][1] = stop.rstrip() + "\n\n"
                paragraph = pick.randint(40, 150)
        out[-1][1] = stop.rstrip() + "\n"
        return out

    def edited(self, text, rate):
        """Edits words; each kind of edit is used a third of the time."""
        out = []
        for word, after in text:
            way = self.pick.randrange(3) if self.pick.random() < rate else None
            if way == 0:
                out.append([self.other(word), after])
            elif way == 1:
                out += [[self.say(1)[0], self.space], [word, after]]
            elif way is None:
                out.append([word, after])
        return out


def render(text):
    out, capital = [], True
    for word, after in text:
        out += [word.capitalize() if capital else word, after]
        capital = after[:1] in ".?!"
    return "".join(out)


def misread(text, rate, pick):
    """Adds misread characters to a rendered text. Draws the distances between them, which is faster."""
    ways = {}
    for good, bad in MISREAD:
        ways.setdefault(good, []).append(bad)
    out, at = [], 0
    while True:
        gap = int(math.log(1 - pick.random()) / math.log(1 - rate))
        out.append(text[at:at + gap])
        at += gap
        if at >= len(text):
            return "".join(out)
        way, character = pick.randrange(10), text[at]
        if way < 7:
            out.append(pick.choice(ways.get(character, string.ascii_lowercase)))
        elif way == 8:
            out.append(" " + character)
        elif way == 9 and character != " ":
            out.append(character + "\n")
        at += 1


def rewrapped(text, pick):
    width, indent = pick.choice([40, 60, 72, 100]), pick.choice(["", "  ", "> ", "\t"])
    lines = []
    for paragraph in text.split("\n\n"):
        line = indent
        for word in paragraph.split():
            if len(line) + len(word) > width and line != indent:
                lines.append(line.rstrip(" "))
                line = indent
            line += word + " "
        lines.append(line.rstrip(" "))
    text = "\n".join(lines) + "\n"
    return text.upper() if pick.random() < 0.1 else text


def repunctuated(text, pick):
    marks = [(" - ", pick.choice([" — ", " – ", "—"])), (' "', " " + pick.choice("“«„")),
             ('" ', pick.choice("”»“") + " "), ("'", pick.choice("’‘´"))]
    if pick.random() < 0.3:
        marks += MARKS
    elif pick.random() < 0.3:
        marks += [(", ", " , "), (". ", " ... ")]
    for old, new in marks:
        text = text.replace(old, new)
    return text


class Template:
    """Fixed text that is cut at slots of SLOT_WORDS words, which make up `rate` of the words."""

    def __init__(self, speaker, words, rate):
        self.fixed = speaker.text(words)
        slots = max(1, round(rate / (1 - rate) * len(self.fixed) / SLOT_WORDS))
        self.cuts = sorted(speaker.pick.choices(range(1, len(self.fixed)), k=slots))

    def page(self, fill):
        """Returns a page; `fill` returns the words of a slot."""
        text, before = [], 0
        for cut in self.cuts:
            text += self.fixed[before:cut] + [[word, " "] for word in fill()]
            before = cut
        return text + self.fixed[before:]


class World:
    def __init__(self, documents, words, seed):
        self.pick = random.Random(f"dedup {seed}")
        self.count = documents
        self.median = words
        self.rows = []  # kind, text, of (an index of rows, or None), rate, group
        self.groups = 0
        self.words = TextGenerator(self.pick, self.make_vocabulary(VOCABULARY), " ")
        self.cjk = TextGenerator(self.pick, self.spell_cjk(CJK_VOCABULARY), "")
        self.make()

    def make_vocabulary(self, count):
        """Generates words of one to four syllables, the frequent ones short, as in a language."""
        pick, words = self.pick, {}
        while len(words) < count:
            syllables = 1 + min(3, int(pick.random() * math.log10(10 + len(words))))
            words["".join(pick.choice("bcdfghklmnprstvw") + pick.choice(["a", "e", "i", "o", "u", "ea", "ou"]) +
                          pick.choice(["", "", "n", "r", "s", "t", "l"]) for _ in range(syllables))] = None
        return list(words)

    def spell_cjk(self, count):
        pick, words = self.pick, {}
        while len(words) < count:
            word = "".join(chr(pick.randint(0x4E00, 0x5E00)) for _ in range(pick.randint(1, 2)))
            if pick.random() < 0.3:
                word += chr(pick.randint(0x3042, 0x3093))
            words[word] = None
        return list(words)

    def length(self):
        return max(30, min(20 * self.median, int(self.pick.lognormvariate(math.log(self.median), 0.8))))

    def add(self, kind, text, of=None, rate=0, group=""):
        self.rows.append((kind, text if isinstance(text, str) else render(text), of, rate, group))
        return len(self.rows) - 1

    def new_group(self, name):
        self.groups += 1
        return f"{name}-{self.groups}"

    def make(self):
        counts = {kind: round(share * self.count) for kind, share in SHARES.items()}
        originals = []  # (index, text)
        for _ in range(self.count - sum(counts.values())):
            text = self.words.text(self.length())
            originals.append((self.add("original", text), text))
        # Only a third of the originals is copied, so that some have many copies.
        copied = originals[:len(originals) // 3 or 1]
        for i in range(counts["edited"]):
            of, text = self.pick.choice(copied)
            rate = EDITS[i % len(EDITS)]
            self.add("edited", self.words.edited(text, rate), of, rate)
        for i in range(counts["ocr"]):
            of, text = self.pick.choice(copied)
            rate = OCR[i % len(OCR)]
            self.add("ocr", misread(render(text), rate, self.pick), of, rate)
        for kind, change in (("rewrapped", rewrapped), ("punctuation", repunctuated)):
            for _ in range(counts[kind]):
                of, text = self.pick.choice(copied)
                self.add(kind, change(render(text), self.pick), of)
        self.make_quotations(counts["quotation"], originals)
        self.make_templates(counts["template"])
        self.make_chains(counts["chain"])
        self.make_copies("cjk", self.cjk, [self.length() for _ in range(counts["cjk"])], counts["cjk-edited"], EDITS)
        self.make_copies("short", self.words, [self.pick.randint(1, 12) for _ in range(counts["short"])],
                         counts["short-edited"], [0, 1])

    def make_quotations(self, count, originals):
        for _ in range(count):
            of, text = self.pick.choice(originals)
            paragraphs = render(text).split("\n\n")
            own = render(self.words.text(self.length())).split("\n\n")
            quoted = self.pick.sample(paragraphs, min(len(paragraphs), self.pick.randint(1, 3)))
            for paragraph in quoted:
                own.insert(self.pick.randrange(len(own) + 1), "> " + paragraph.rstrip("\n"))
            total = sum(map(len, own))
            self.add("quotation", "\n\n".join(own), of, round(sum(map(len, quoted)) / total, 2))

    def make_templates(self, count):
        """Makes two families for each rate."""
        families = [rate for rate in SLOTS for _ in range(2)]
        for number, rate in enumerate(families):
            group = self.new_group("template")
            template = Template(self.words, self.pick.randint(150, 400), rate)
            pages = count * (number + 1) // len(families) - count * number // len(families)
            last = None
            for page in range(pages):
                if page % 20 == 19 or 0 < page == pages - 1:
                    self.add("template-copy", rewrapped(self.rows[last][1], self.pick), last, rate, group)
                    continue
                last = self.add("template", template.page(lambda: self.words.say(SLOT_WORDS)), None, rate, group)

    def make_chains(self, count):
        for first in range(0, count, LINKS):
            group, rate = self.new_group("chain"), CHAIN_RATES[first // LINKS % len(CHAIN_RATES)]
            text, last = self.words.text(max(150, self.length())), None
            for _ in range(min(LINKS, count - first)):
                last = self.add("chain", text, last, rate if last is not None else 0, group)
                text = self.words.edited(text, rate)

    def make_copies(self, kind, speaker, lengths, copies, rates):
        """Makes new texts, and edits of them. Rate 1 substitutes a single word."""
        texts = []
        for length in lengths:
            text = speaker.text(length)
            texts.append((self.add(kind, text), text))
        for i in range(copies if texts else 0):
            of, text = self.pick.choice(texts)
            rate = rates[i % len(rates)]
            if rate == 1:
                changed = [list(pair) for pair in text]
                pair = self.pick.choice(changed)
                pair[0] = speaker.other(pair[0])
            else:
                changed = speaker.edited(text, rate)
            self.add(f"{kind}-edited", changed, of, rate)

    def write(self, folder):
        """Writes the documents, shuffled; ids are in the order of the file."""
        folder.mkdir(parents=True, exist_ok=True)
        order = list(range(len(self.rows)))
        self.pick.shuffle(order)
        ids = [""] * len(order)
        for place, row in enumerate(order):
            ids[row] = f"d{place:06}"
        with open(folder / "documents.jsonl", "w", encoding="utf-8") as documents, \
                open(folder / "planted.tsv", "w", newline="", encoding="utf-8") as planted:
            table = csv.writer(planted, delimiter="\t", lineterminator="\n")
            table.writerow(["id", "kind", "of", "rate", "group"])
            for row in order:
                kind, text, of, rate, group = self.rows[row]
                of = None if of is None else ids[of]
                record = {"id": ids[row], "text": text, "source": self.pick.choice(SOURCES), "kind": kind, "of": of,
                          "rate": rate}
                documents.write(json.dumps(record, ensure_ascii=False) + "\n")
                table.writerow([ids[row], kind, of or "", f"{rate:g}", group])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--documents", type=int, default=20_000, help="how many (default 20,000, about 40 MB)")
    parser.add_argument("--words", type=int, default=230, help="in half of the texts at most so many (default 230)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    World(arguments.documents, arguments.words, arguments.seed).write(arguments.folder)


if __name__ == "__main__":
    main()
