"""All verbs in one session of a local Spark."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dedup_test import Dedup  # noqa: F401
from graph_test import Graphs  # noqa: F401
from random_test import Random  # noqa: F401
from spark_case import main
from verbs_test import Verbs  # noqa: F401
from workers_test import Workers  # noqa: F401

if __name__ == "__main__":
    main()
