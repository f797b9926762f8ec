"""Random documents with planted passages whose copies are known, for passages_accuracy.py.

The words are drawn from a vocabulary: flat (all equally frequent) or zipf (the n-th word with frequency 1/n, as in a
language). A passage is in one document, the original, as it is, and in another, the copy, damaged:

  exact         word for word                              quoted       "> " at the beginning of lines
  rewrapped     other line breaks, capitals, points        overlapping  two originals overlap in one copy of both
  edited        every word has the chance `noise` of being substituted, lost, or preceded by an inserted word
  ocr           every word has the chance `noise` of being misread (rn for m, 1 for l), split, or joined to the next
                one
  family        edited, four times: each copy in its own way and in another document

The text between the passages is random, too. Seeded: the same documents every time.
"""
import collections
import itertools
import random
import re
import string

LENGTHS = [10, 15, 20, 30, 50, 100, 200]  # tokens of a passage
VOCABULARIES = ["flat", "zipf"]
DAMAGES = [("exact", 0), ("quoted", 0), ("rewrapped", 0), ("overlapping", 0), ("edited", 0.02), ("edited", 0.05),
           ("edited", 0.1), ("edited", 0.15), ("edited", 0.2), ("family", 0.1), ("ocr", 0.05), ("ocr", 0.1),
           ("ocr", 0.2)]
EXACT = {"exact", "quoted", "rewrapped", "overlapping"}
WORDS = 20_000
PLANTS_A_DOCUMENT = 10
PLANTS_OF_A_PASSAGE = {"overlapping": 2, "family": 4}  # otherwise 1
WORD = re.compile("[A-Za-z0-9]+")
MISREAD = [("m", "rn"), ("l", "1"), ("o", "0"), ("e", "c"), ("h", "b"), ("s", "5"), ("i", "j"), ("u", "ii"),
           ("n", "ri"), ("a", "d"), ("t", "f"), ("r", "v")]

Plant = collections.namedtuple("Plant", "length exact original copy")  # places are (document, first token, last token)


class Document:
    """Turns words into text: lines of `width` letters, with sentences."""

    def __init__(self, number, name):
        self.number = number
        self.name = name
        self.words = []
        self.quoted = []  # quoted runs of words

    def add(self, words, quoted=False):
        """Appends words, and returns their place."""
        place = self.number, len(self.words), len(self.words) + len(words)
        self.words += words
        if quoted:
            self.quoted.append(place[1:])
        return place

    def lay_out(self, pick):
        width = pick.choice([40, 60, 72, 100])
        marked = {at for first, last in self.quoted for at in range(first, last)}
        text, line, sentence = [], 0, True
        for at, word in enumerate(self.words):
            quoted = at in marked
            if at and (line + len(word) > width or quoted != (at - 1 in marked)):
                text.append("\n> " if quoted else "\n")
                line = 0
            elif at:
                text.append(" ")
            text.append(word.capitalize() if sentence else word)
            line += len(word) + 1
            sentence = pick.random() < 0.08
            if sentence:
                text.append(".")
        self.text = "".join(text) + "\n"
        spans = [match.span() for match in WORD.finditer(self.text)]
        assert len(spans) == len(self.words)
        self.begins, self.ends = [list(bounds) for bounds in zip(*spans)]


class World:
    def __init__(self, vocabulary, damage, noise):
        self.vocabulary, self.damage, self.noise = vocabulary, damage, noise
        self.documents = []  # the originals, then the copies
        self.first_copy = 0
        self.plants = []

    def finish(self, pick):
        for document in self.documents:
            document.lay_out(pick)
        self.by_name = {document.name: document for document in self.documents}
        self.by_copy = collections.defaultdict(list)
        for plant in self.plants:
            self.by_copy[plant.copy[0]].append(plant)

    def write(self, folder):
        for document in self.documents:
            part = folder / ("originals" if document.number < self.first_copy else "copies")
            part.mkdir(parents=True, exist_ok=True)
            (part / document.name).write_text(document.text, encoding="ascii")

    def windows(self, place, span):
        words = self.documents[place[0]].words
        return {tuple(words[at:at + span]) for at in range(place[1], place[2] - span + 1)}

    def planted_alike(self, x, y):
        """Whether half the tokens of each place are an original and its copy, or two copies of one original."""
        x, y = sorted([x, y])
        theirs = [plant for plant in self.by_copy[y[0]] if half_in(y, plant.copy)]
        if any(half_in(x, plant.original) for plant in theirs):
            return True
        originals = {plant.original for plant in theirs}
        return any(plant.original in originals and half_in(x, plant.copy) for plant in self.by_copy[x[0]])


def half_in(place, planted):
    return 2 * overlap(place, planted) >= place[2] - place[1]


def overlap(x, y):
    return max(0, min(x[2], y[2]) - max(x[1], y[1])) if x[0] == y[0] else 0


class TextGenerator:
    """Draws words."""

    def __init__(self, vocabulary, pick):
        self.pick = pick
        taken = set()
        while len(taken) < WORDS:
            taken.add("".join(pick.choices(string.ascii_lowercase, k=pick.randint(3, 10))))
        self.known = sorted(taken)
        pick.shuffle(self.known)
        weights = [1] * WORDS if vocabulary == "flat" else [1 / rank for rank in range(1, WORDS + 1)]
        self.limits = list(itertools.accumulate(weights))

    def say(self, count):
        return self.pick.choices(self.known, cum_weights=self.limits, k=count)

    def between(self):
        return self.say(self.pick.randint(15, 60))


def edited(words, noise, speaker):
    out = []
    for word in words:
        if speaker.pick.random() >= noise:
            out.append(word)
            continue
        way = speaker.pick.randrange(3)
        if way == 0:
            out.append(next(other for other in iter(lambda: speaker.say(1)[0], None) if other != word))
        elif way == 1:
            out += [speaker.say(1)[0], word]
    return out


def misread(words, noise, pick):
    out, joined = [], False
    for word in words:
        if joined:
            out[-1] += word
            joined = False
        elif pick.random() >= noise:
            out.append(word)
        else:
            way = pick.randrange(4)  # misread half the time
            if way == 0:
                at = pick.randrange(1, len(word))
                out += [word[:at], word[at:]]
            elif way == 1:
                out.append(word)
                joined = True
            else:
                ways = [pair for pair in MISREAD if pair[0] in word] or [(word[0], "q" if word[0] != "q" else "g")]
                out.append(word.replace(*pick.choice(ways), 1))
    return out


def make(vocabulary, damage, noise, planted):
    """Makes a set of documents with `planted` passages of each length."""
    pick = random.Random(f"{vocabulary} {damage} {noise}")
    speaker = TextGenerator(vocabulary, pick)
    world = World(vocabulary, damage, noise)
    together = PLANTS_OF_A_PASSAGE.get(damage, 1)
    lengths = LENGTHS * (planted // together)
    pick.shuffle(lengths)
    count = -(-len(lengths) * together // PLANTS_A_DOCUMENT)
    # Two overlapping originals are in two documents.
    originals = [Document(number, f"o{number:04}.txt")
                 for number in range(2 * count if damage == "overlapping" else count)]
    copies = [Document(len(originals) + number, f"c{number:04}.txt") for number in range(count)]
    world.documents, world.first_copy = originals + copies, len(originals)

    def put(document, words, quoted=False):
        document.add(speaker.between())
        return document.add(words, quoted)

    for length in lengths:
        original = originals[pick.randrange(count)]
        if damage == "overlapping":
            behind = pick.randrange(1, length)  # offset of the second original from the first
            words = speaker.say(length + behind)
            document, first, last = put(pick.choice(copies), words)
            other = originals[count + pick.randrange(count)]
            world.plants.append(Plant(length, True, put(original, words[:length]), (document, first, first + length)))
            world.plants.append(Plant(length, True, put(other, words[behind:]), (document, first + behind, last)))
            continue
        words = speaker.say(length)
        place = put(original, words)
        for copy in pick.sample(copies, together):
            if damage in EXACT:
                changed = words
            else:
                changed = misread(words, noise, pick) if damage == "ocr" else edited(words, noise, speaker)
            world.plants.append(Plant(length, damage in EXACT, place, put(copy, changed, quoted=damage == "quoted")))
    for document in world.documents:
        document.add(speaker.between())
    world.finish(pick)
    return world
