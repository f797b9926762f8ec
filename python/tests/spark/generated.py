"""Generated documents: families of near duplicates, copies, and templates."""

import random


def words(pick, count, different=100_000):
    return [f"w{pick.randrange(different)}" for _ in range(count)]


def families(seed, count, navigation=0, crowd=6):
    """Generates texts of which a third are unique and the rest are edits of `crowd` originals, some with text of
    their own."""
    pick = random.Random(seed)
    originals = [words(pick, pick.randint(80, 280)) for _ in range(crowd)]
    around = words(pick, navigation)
    texts = []
    while len(texts) < count:
        if texts and pick.random() < 0.125:
            texts.append(pick.choice(texts))
            continue
        text = words(pick, pick.randrange(200)) if pick.random() < 1 / 3 else list(pick.choice(originals))
        if text:
            for _ in range(pick.randrange(5)):
                text[pick.randrange(len(text))] = f"w{pick.randrange(1000)}"
        if pick.random() < 0.25:
            text += words(pick, pick.randint(10, 30))
        texts.append(" ".join(text + around))
    return texts


def rows_of(texts):
    """Adds ids that sort in the order of the texts."""
    return [(f"d{i:06}", text) for i, text in enumerate(texts)]
