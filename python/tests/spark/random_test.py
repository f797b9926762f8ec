"""Random documents, options, orders and partitions: Spark, the package and the program return the same rows."""

import contextlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dedup_test import DECISION, Decisions, in_many_tasks
from spark_case import BIN_DIR, SKIPPED, SOURCE_DIR, long_form, main
from verbs_test import tsv

sys.path.append(os.path.join(SOURCE_DIR, "build", "deps", "site-packages"))  # last: Spark has its own pandas
try:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st
except ImportError as error:
    print(f"skipped: no {error.name}; run 'tools/setup test'")
    sys.exit(SKIPPED)

# A small vocabulary, so that much of the text recurs; with symbols, which only some comparisons consider.
WORDS = st.sampled_from(["the", "old", "bridge", "over", "river", "Straße", "café", "日本", "x1", "a==b", "a!=b", "and",
                         "\r\n"])
TEXT = st.one_of(st.lists(WORDS, max_size=40).map(" ".join),
                 st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
ID = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)


@st.composite
def corpora(draw):
    """Draws rows (id, text, score): originals, copies and edits of them, and arbitrary texts."""
    originals = draw(st.lists(st.lists(WORDS, min_size=12, max_size=60), min_size=1, max_size=4))
    texts = draw(st.lists(TEXT, max_size=8))
    for _ in range(draw(st.integers(1, 24))):
        words = list(draw(st.sampled_from(originals)))
        for _ in range(draw(st.integers(0, 3))):
            words[draw(st.integers(0, len(words) - 1))] = draw(WORDS)
        texts.append(" ".join(words))
    ids = draw(st.lists(ID, min_size=len(texts), max_size=len(texts), unique=True))
    return [(id, text, draw(st.integers(0, 3))) for id, text in zip(ids, texts)]


DEDUP = st.fixed_dictionaries({}, optional={
    "threshold": st.sampled_from([0.5, 0.7, 0.9]), "window": st.integers(1, 6),
    "max_loss": st.sampled_from([0, 3, 64, "auto"]),
    "tokenizer": st.sampled_from(["words", "chars", "code"]), "seed": st.integers(0, 9),
    "exact": st.booleans(), "templates": st.booleans()})
# A failure is reported as it was found, because shrinking it would take hundreds of jobs.
FEW = {"phases": [Phase.generate], "deadline": None, "database": None, "derandomize": True,
       "suppress_health_check": list(HealthCheck)}


def flags_of(options):
    found = []
    for name, value in options.items():
        on_and_off = ("off", "auto") if name == "templates" else ("off", "on")
        found += [f"--{name.replace('_', '-')}", on_and_off[value] if isinstance(value, bool) else str(value)]
    return found


class Random(Decisions):

    def shuffled(self, rows, partitions, schema="id string, text string"):
        return self.spark.createDataFrame(rows, schema).repartition(partitions)

    @long_form
    @settings(max_examples=5, **FEW)
    @given(corpora(), DEDUP, st.booleans(), st.integers(1, 9), st.booleans())
    def test_decisions(self, rows, options, by_score, partitions, spread):
        import pyarrow as pa
        import pyrefrain
        rows.sort(key=lambda row: (-row[2] if by_score else 0, row[0].encode()))
        expected, _ = self.expected(rows, *flags_of(options), more=("score",))
        frame = self.shuffled(rows, partitions, "id string, text string, score int")
        with in_many_tasks() if spread else contextlib.nullcontext():
            self.assertEqual(self.decisions(frame, order="-score" if by_score else None, **options), expected)
        table = pa.table({"id": [row[0] for row in rows], "text": [row[1] for row in rows]})
        found = {row["id"]: row for row in pyrefrain.dedup(table, id="id", sample=0, **options)}
        for row in found.values():
            if row["cluster"] is not None:
                row["cluster"] = rows[row["cluster"]][0]
        self.assertEqual({id: self.shown([row[name] for name in DECISION]) for id, row in found.items()}, expected)

    @long_form
    @settings(max_examples=3, **FEW)
    @given(corpora(), st.integers(0, 20), st.integers(1, 5), st.integers(2, 4), st.integers(1, 9))
    def test_the_other_verbs(self, rows, distance, n, least, partitions):
        import pyarrow as pa
        import pyrefrain
        from pyrefrain import spark
        rows = sorted(((id, text) for id, text, _ in rows), key=lambda row: row[0].encode())
        frame = self.shuffled(rows, partitions)
        given = {"data": pa.table({"id": [id for id, _ in rows], "text": [text for _, text in rows]}), "id": "id"}

        out = self.program("near", rows, "--distance", str(distance))
        expected = sorted((a, b, int(diff)) for a, b, diff in tsv(out, "matches.tsv"))
        self.assertEqual(sorted(tuple(row) for row in spark.near(frame, distance=distance).matches.collect()), expected)
        found = pyrefrain.near(**given, distance=distance)
        self.assertEqual(sorted((row["id1"], row["id2"], row["diff"]) for row in found), expected)

        out = self.program("substrings", rows, "--length", "16", "--min-count", str(least))
        expected = sorted((id, int(begin), int(end)) for id, begin, end in tsv(out, "substring_bytes.tsv"))
        found = spark.substrings(frame, length=16, min_count=least).collect()
        self.assertEqual(sorted(tuple(row) for row in found), expected)
        found = pyrefrain.substrings(**given, length=16, min_count=least)
        self.assertEqual(sorted((row["id"], row["x"], row["y"]) for row in found), expected)

        out = self.program("ngrams build", rows, "-n", str(n), "-m", str(least))
        shown = subprocess.run([os.path.join(BIN_DIR, "refrain"), "ngrams", "show", out], capture_output=True,
                               check=True)
        lines = [line.split("\t") for line in shown.stdout.decode().split("\n")[1:-1]]
        expected = sorted((ngram, int(count), int(documents)) for ngram, count, documents, _ in lines)
        found = spark.ngrams(frame, n=n, m=least).collect()
        self.assertEqual(sorted((row.ngram, row["count"], row.documents) for row in found), expected)
        found = pyrefrain.ngrams(**given, n=n, m=least)
        self.assertEqual(sorted((row["ngram"], row["count"], row["documents"]) for row in found), expected)


if __name__ == "__main__":
    main()
