"""Tests Spark Connect on Spark 4: a few of the tests, unless others are named. A client has no JVM and no RDDs, and
knows columns only after the server has resolved them."""

import os
import sys
from unittest import mock

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
os.environ.setdefault("REFRAIN_SPARK_DIR", os.path.join(SOURCE_DIR, "build", "deps", "spark4"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dedup_test import Decisions, Dedup  # noqa: F401
from graph_test import Graphs  # noqa: F401
from generated import families, rows_of
from random_test import Random  # noqa: F401
from spark_case import main
from verbs_test import Verbs  # noqa: F401


class Connect(Decisions):

    def test_a_crowd_with_a_template_is_decided_alike(self):
        rows = rows_of(families(8, 60, navigation=60, crowd=8))
        summary = self.expect_same(rows)
        self.assertGreater(summary["removed_near"], 10)
        self.assertEqual(summary["templates"]["sources"], 1)

    def test_another_machine_needs_a_folder(self):
        from pyrefrain import errors, spark
        frame = self.frame([("a", "one text")])
        with mock.patch.object(type(self.spark.client), "host", "spark.example"):
            with self.assertRaisesRegex(errors.InvalidArgument, "checkpoint: give a folder"):
                spark.near(frame)


if __name__ == "__main__":
    main(connect=True, tests=["Connect", "Verbs.test_fingerprints_are_those_of_the_kernel",
                              "Verbs.test_contaminated_finds_what_against_finds",
                              "Verbs.test_near_finds_the_same_pairs_and_clusters"])
