"""All tests that need a local Spark, in one session, because a session takes long to start: all verbs of
pyrefrain.spark, and the Parquet files that the command line reads and writes."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, os.pardir, os.pardir, "tests", "cli")]
from dedup_test import Dedup  # noqa: F401
from graph_test import Graphs  # noqa: F401
from random_test import Random  # noqa: F401
from spark_case import main
from spark_test import Reading, Writing  # noqa: F401
from verbs_test import Verbs  # noqa: F401
from workers_test import Workers  # noqa: F401

if __name__ == "__main__":
    main()
