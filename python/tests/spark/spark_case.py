"""For tests with a real Spark: one session for a module, documents as DataFrames, and the program beside it."""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BIN_DIR = os.environ.get("REFRAIN_BIN_DIR", os.path.join(SOURCE_DIR, "build", "release"))
SPARK_DIR = os.environ.get("REFRAIN_SPARK_DIR", os.path.join(SOURCE_DIR, "build", "deps", "spark"))
# The workers of Spark are processes of their own. Its folder comes first: it has the pandas that this Spark knows.
PATHS = [os.path.join(BIN_DIR, "python"), SPARK_DIR, os.path.join(SOURCE_DIR, "build", "deps", "python"),
         os.path.dirname(os.path.abspath(__file__))]
SKIPPED = 77  # what ctest takes for it
JAVA = next(iter(glob.glob("/usr/lib/jvm/java-17-openjdk-*/bin/java")), None) or shutil.which("java")

sys.path[:0] = PATHS


def missing():
    """What the tests need and is not there; empty where everything is."""
    if JAVA is None:
        return "no Java; run 'tools/setup test'"
    try:
        import pandas  # noqa: F401  Spark wants it for functions over Arrow batches
        import pyarrow  # noqa: F401
        import pyspark  # noqa: F401
    except ImportError as error:
        return f"no {error.name}; run 'tools/setup test'"
    try:
        import pyrefrain  # noqa: F401
    except ImportError as error:
        return f"no Python package in {PATHS[0]}: {error}"
    return ""


def make_session(folder, master="local[2]", **settings):
    """A Spark that writes nowhere but in `folder`."""
    for name in [name for name in os.environ if name.startswith(("SPARK_", "PYSPARK_", "HADOOP_"))]:
        del os.environ[name]
    os.environ.update(JAVA_HOME=os.path.dirname(os.path.dirname(os.path.realpath(JAVA))), SPARK_LOCAL_IP="127.0.0.1",
                      SPARK_LOCAL_DIRS=folder, PYSPARK_PYTHON=sys.executable, TZ="UTC",
                      PYTHONPATH=os.pathsep.join(PATHS))
    time.tzset()
    warnings.simplefilter("ignore", ResourceWarning)  # it leaves sockets to the garbage collector
    from pyspark.sql import SparkSession
    java = f"-Djava.io.tmpdir={folder} -Duser.timezone=UTC -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData"
    all_settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": java,
        "spark.executor.extraJavaOptions": java,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": os.path.join(folder, "warehouse"),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.parquet.compression.codec": "uncompressed",
        **settings,
    }
    builder = SparkSession.builder.master(master).appName("refrain")
    for name, value in all_settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class SparkCase(unittest.TestCase):
    spark = None
    folder = None

    def frame(self, rows, schema="id string, text string"):
        """Rows in several partitions, in no order."""
        return self.spark.createDataFrame(rows, schema).repartition(3)

    def program(self, verb, rows, *flags, more=()):
        """Runs `refrain VERB` over rows (id, text, ...), which are written in their order; gives the output folder."""
        folder = tempfile.mkdtemp(dir=self.folder)
        path = os.path.join(folder, "in.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(dict(zip(("id", "text", *more), row))) + "\n")
        out = os.path.join(folder, "out")
        done = subprocess.run([os.path.join(BIN_DIR, "refrain"), *verb.split(), path, "-o", out, "--id-field", "id", "-q", "--threads", "2",
                               *flags], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out


def main(master="local[2]", **settings):
    """Runs the tests of the calling module in one session, or says why not."""
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="refrain-spark-", ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = folder
        SparkCase.folder = folder
        SparkCase.spark = make_session(folder, master, **settings)
        result = unittest.main(module="__main__", exit=False, verbosity=2, warnings="ignore").result
        SparkCase.spark.stop()
    sys.exit(0 if result.wasSuccessful() else 1)
