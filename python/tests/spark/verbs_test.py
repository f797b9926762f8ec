"""The verbs on Spark other than dedup find the same as the command line."""

import csv
import json
import os
import random
import subprocess
import sys
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generated import families, rows_of
from spark_case import BIN_DIR, SparkCase, main


def tsv(*path):
    """Returns the rows after the header, which some files precede with their options."""
    with open(os.path.join(*path), encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        columns = sum(not name.startswith("refrain ") for name in next(rows))
        return [row[:columns] for row in rows]


class Verbs(SparkCase):

    def test_near_finds_the_same_pairs_and_clusters(self):
        from pyrefrain import spark
        rows = rows_of(families(3, 250) + ["", "too short", None])
        found = spark.near(self.frame(rows))
        out = self.program("near", [row for row in rows if row[1] is not None])
        expected = sorted((a, b, int(diff)) for a, b, diff in tsv(out, "matches.tsv"))
        self.assertGreater(len({diff for *_, diff in expected}), 3)
        self.assertEqual(sorted(tuple(row) for row in found.matches.collect()), expected)
        ids = [id for id, _ in rows]
        clusters = {id: (int(hash) if hash else None, None if cluster == "-1" else ids[int(cluster)])
                    for id, hash, cluster in tsv(out, "clusters.tsv")}
        made = {row.id: (None if row.fingerprint is None else row.fingerprint % 2**64, row.cluster)
                for row in found.clusters.collect()}
        self.assertEqual(made, clusters)

    def test_fingerprints_are_those_of_the_kernel(self):
        from pyrefrain import kernels, spark
        rows = rows_of(families(4, 60) + ["", None])
        import pyarrow as pa
        expected = pa.array(kernels.fingerprints([text for _, text in rows], window=2, stop_words=["w1"])).to_pylist()
        made = {row.id: row.fingerprint for row in
                spark.fingerprint(self.frame(rows), window=2, stop_words=["w1"]).collect()}
        self.assertEqual([made[id] if made[id] is None else made[id] % 2**64 for id, _ in rows], expected)
        self.assertIsNone(expected[-1])

    def test_contaminated_finds_what_against_finds(self):
        from pyrefrain import errors, spark
        texts = families(5, 40)
        rows = rows_of(texts)
        items = ([(f"q{i}", " ".join(texts[i * 7].split()[20:40])) for i in range(5)]
                 + [("none", "not one of these words is there at all")])
        path = os.path.join(self.folder, "items.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for id, text in items:
                file.write(json.dumps({"id": id, "text": text}) + "\n")
        out = self.program("dedup", rows, "--against", path, "--against-id-field", "id", "--near", "off")
        expected = set()
        with open(os.path.join(out, "against.jsonl"), encoding="utf-8") as file:
            for item in map(json.loads, file):
                expected |= {(place["id"], item["id"], f"{place['share']:.6g}", place["begin"], place["end"])
                             for place in item["found"]}
        self.assertGreater(len(expected), 10)
        frame = spark.contaminated(self.frame(rows), self.spark.createDataFrame(items, "id string, text string"))
        self.assertEqual({(row.id, row.item, f"{row.share:.6g}", row.begin, row.end) for row in frame.collect()},
                         expected)
        by_place = spark.contaminated(self.frame(rows), [text for _, text in items]).select("item").distinct()
        self.assertEqual({row.item for row in by_place.collect()}, {int(id[1:]) for _, id, *_ in expected})
        of_one = {(row.id, row.item) for row in spark.contaminated(self.frame(rows), items[0][1]).collect()}
        self.assertEqual(of_one, {(id, 0) for id, item, *_ in expected if item == "q0"})
        with self.assertWarnsRegex(UserWarning, "1 of 2 items are null or have fewer than 8 tokens"):
            spark.contaminated(self.frame(rows), [items[0][1], "too short"])
        with self.assertRaisesRegex(errors.InvalidArgument, "^items: none has 8 tokens"):
            spark.contaminated(self.frame(rows), "too short")

    def test_ngrams_are_those_of_the_index(self):
        from pyrefrain import spark
        rows = rows_of(families(6, 60) + ["Straße, STRASSE und straße", "STRASSE und Straße; straße", "", None])
        given = [row for row in rows if row[1] is not None]
        out = self.program("ngrams build", given, "-n", "3", "-m", "3")
        shown = subprocess.run([os.path.join(BIN_DIR, "refrain"), "ngrams", "show", out], capture_output=True,
                               text=True, check=True)
        lines = [line.split("\t") for line in shown.stdout.splitlines()[1:]]
        self.assertGreater(len(lines), 500)
        counts = spark.ngrams(self.frame(rows), n=3, m=3).collect()
        self.assertEqual(sorted((row.ngram, row["count"], row.documents) for row in counts),
                         sorted((ngram, int(count), int(documents)) for ngram, count, documents, _ in lines))
        places = spark.ngrams(self.frame(rows), n=3, m=3, places=True).collect()
        expected = [(ngram, *place.split(":")) for ngram, _, _, places in lines for place in places.split(",")]
        self.assertEqual(sorted((row.ngram, row.id, str(row.token)) for row in places), sorted(expected))

    def test_substrings_are_those_of_the_program(self):
        from pyrefrain import spark
        pick = random.Random(7)
        texts = families(7, 40) + ["ab" * 300, "x" * 500, "x" * 30, "é" * 200, None, ""]
        passage = "one passage of which every copy goes on in another way: "
        texts += [passage + "".join(pick.choices("abcdef", k=pick.randrange(80))) for _ in range(40)]
        rows = rows_of(texts)
        for min_count in (2, 4):
            out = self.program("substrings", [row for row in rows if row[1] is not None], "--length", "40",
                               "--min-count", str(min_count))
            expected = sorted((id, int(begin), int(end)) for id, begin, end in tsv(out, "substring_bytes.tsv"))
            self.assertGreater(len(expected), 60)
            made = spark.substrings(self.frame(rows), length=40, min_count=min_count)
            self.assertEqual(sorted(tuple(row) for row in made.collect()), expected, min_count)

    def test_ids_that_share_a_number_get_others(self):
        from pyrefrain import errors
        from pyrefrain.spark import frames
        from pyspark.sql import functions as F
        number = frames._number
        rows = [(f"d{i}", "text") for i in range(20)]
        with mock.patch.object(frames, "_number", lambda seed: F.pmod(number(seed), F.lit((7, 60, 2**62)[seed]))):
            documents = frames.Documents(self.frame(rows), "text", "id")
            documents.number()
            twice = frames.Documents(self.frame([*rows, rows[3]]), "text", "id")
            with self.assertRaisesRegex(errors.InvalidArgument, "'d3' is the id of 2 rows"):
                twice.number()
        self.assertEqual(documents.rows.select(frames.DOC).distinct().count(), len(rows))

    def test_what_is_not_there_is_refused_by_name(self):
        from pyrefrain import errors, spark
        frame = self.frame([("a", "one text"), ("b", "another")])
        for verb, option in ((spark.near, {"verify": True}), (spark.ngrams, {"algorithm": "spex"}),
                             (spark.dedup, {"known": ["x"]}), (spark.dedup, {"near": "simhash"}),
                             (spark.dedup, {"keep": "longest"}), (spark.dedup, {"overrides": "people.jsonl"}),
                             (spark.fingerprint, {"device": "cuda"})):
            with self.assertRaisesRegex(errors.Unsupported, next(iter(option))) as caught:
                verb(frame, **option)
            self.assertEqual(caught.exception.option, next(iter(option)))
        for verb in (spark.near, spark.dedup, spark.ngrams, spark.fingerprint):
            with self.assertRaisesRegex(TypeError, "colour"):
                verb(frame, colour="red")
            for option in ("text", "id"):
                with self.assertRaisesRegex(errors.InvalidArgument, f"^{option}: there is no column 'words'") as caught:
                    verb(frame, **{option: "words"})
                self.assertEqual(caught.exception.option, option)
        for option in ({"order": "words"}, {"source": "words"}):
            with self.assertRaises(errors.InvalidArgument) as caught:
                spark.dedup(frame, **option)
            self.assertEqual(caught.exception.option, next(iter(option)))
        with self.assertRaises(errors.InvalidArgument):
            spark.dedup(frame, threshold=3)
        twice = self.frame([("a", "one text"), ("b", "another"), ("a", "a third")])
        with self.assertRaisesRegex(errors.InvalidArgument, "'a' is the id of 2 rows"):
            spark.dedup(twice)


if __name__ == "__main__":
    main()
