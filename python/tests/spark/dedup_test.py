"""pyrefrain.spark.dedup: the decisions of the command line, however the documents lie."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from made_up import families, rows_of, words
from spark_case import SparkCase, main

DECISION = ("id", "keep", "reason", "match", "similarity", "lost", "longest_lost", "cluster")


class Dedup(SparkCase):

    def decisions(self, frame, **options):
        from pyrefrain import spark
        rows = spark.dedup(frame, **options).collect()
        self.assertEqual(tuple(rows[0].asDict()), DECISION)
        found = {}
        for row in rows:
            self.assertNotIn(row.id, found)
            found[row.id] = tuple(f"{value:.6g}" if isinstance(value, float) else value for value in row)
        return found

    def expected(self, rows, *flags, more=()):
        out = self.program("dedup", rows, "--sample", "0", *flags, more=more)
        found = {}
        with open(os.path.join(out, "decisions.jsonl"), encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["cluster"] is not None:
                    row["cluster"] = rows[row["cluster"]][0]
                if row["similarity"] is not None:
                    row["similarity"] = f"{row['similarity']:.6g}"
                found[row["id"]] = tuple(row.get(name) for name in DECISION)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            return found, json.load(file)

    def expect_same(self, rows, *flags, more=(), schema="id string, text string", frame=None, **options):
        expected, summary = self.expected(rows, *flags, more=more)
        found = self.decisions(self.frame(rows, schema) if frame is None else frame, **options)
        self.assertEqual(found, expected)
        return summary

    def test_crowds_copies_and_own_texts_are_decided_alike(self):
        summary = self.expect_same(rows_of(families(1, 400)))
        self.assertGreater(summary["rounds"], 2)
        self.assertGreater(summary["removed_near"], 50)
        self.assertGreater(summary["removed_exact"], 20)
        self.assertGreater(summary["own_text"], 0)

    def test_templates_are_left_out_alike(self):
        rows = rows_of(families(2, 300, navigation=150))
        summary = self.expect_same(rows)
        self.assertEqual(summary["templates"]["sources"], 1)


if __name__ == "__main__":
    main()
