"""Base of the tests with a real Spark: one session per module, documents as DataFrames, and the program to compare
with."""

import contextlib
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BIN_DIR = os.environ.get("REFRAIN_BIN_DIR", os.path.join(SOURCE_DIR, "build", "release"))
SPARK_DIR = os.environ.get("REFRAIN_SPARK_DIR", os.path.join(SOURCE_DIR, "build", "deps", "spark"))
# Spark's workers are separate processes. Spark's folder comes first because it has the pandas version that this Spark
# supports.
PATHS = [os.path.join(BIN_DIR, "python"), SPARK_DIR, os.path.join(SOURCE_DIR, "build", "deps", "python"),
         os.path.dirname(os.path.abspath(__file__))]
# `make test` runs a short form; `make check STAGE=cluster` runs the long one, and `STAGE=spark4` on Spark 4.
LONG = os.environ.get("REFRAIN_LONG") == "1"
SKIPPED = 77  # ctest's exit code for a skipped test


def long_form(test):
    """Marks a test that only the long form has."""
    return test if LONG else None


JAVA = next(iter(glob.glob("/usr/lib/jvm/java-17-openjdk-*/bin/java")), None) or shutil.which("java")

sys.path[:0] = PATHS


def missing():
    """Returns what the tests need and cannot find, or an empty string."""
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


def prepare(folder, master, settings):
    """Sets up the environment of a Spark that writes only to `folder`, and returns its settings."""
    for name in [name for name in os.environ if name.startswith(("SPARK_", "PYSPARK_", "HADOOP_"))]:
        del os.environ[name]
    os.environ.update(JAVA_HOME=os.path.dirname(os.path.dirname(os.path.realpath(JAVA))), SPARK_LOCAL_IP="127.0.0.1",
                      SPARK_LOCAL_DIRS=folder, PYSPARK_PYTHON=sys.executable, TZ="UTC",
                      PYTHONPATH=os.pathsep.join(PATHS))
    time.tzset()
    warnings.simplefilter("ignore", ResourceWarning)  # Spark leaves sockets to the garbage collector
    java = f"-Djava.io.tmpdir={folder} -Duser.timezone=UTC -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData"
    return {
        "spark.master": master,
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


def make_session(folder, master="local[2]", **settings):
    settings = prepare(folder, master, settings)
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.appName("refrain")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


@contextlib.contextmanager
def classic_session(folder, master, settings):
    spark = make_session(folder, master, **settings)
    yield spark
    spark.stop()


@contextlib.contextmanager
def connected_session(folder, master, settings):
    """Yields a Spark Connect session. Its server is a separate process, so the client cannot use a local JVM instead.
    """
    settings = prepare(folder, master, settings)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings.update({"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": port})
    command = [os.path.join(SPARK_DIR, "pyspark", "bin", "spark-submit"), "--class",
               "org.apache.spark.sql.connect.service.SparkConnectServer",
               "--driver-memory", settings.pop("spark.driver.memory"),
               "--driver-java-options", settings.pop("spark.driver.extraJavaOptions")]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    with open(os.path.join(folder, "server.log"), "w+", encoding="utf-8") as log:
        server = subprocess.Popen([*command, "spark-internal"], stdout=log, stderr=log, start_new_session=True)
        try:
            while server.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.2)
            else:
                log.seek(0)
                sys.exit(f"Spark Connect did not start:\n{log.read()[-3000:]}")
            from pyspark.sql import SparkSession
            spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
            yield spark
            spark.stop()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGTERM)
            server.wait()


class SparkCase(unittest.TestCase):
    spark = None
    folder = None

    def frame(self, rows, schema="id string, text string"):
        """Returns a DataFrame with the rows in several partitions, in no particular order."""
        return self.spark.createDataFrame(rows, schema).repartition(3)

    def program(self, verb, rows, *flags, more=()):
        """Runs `refrain VERB` over rows (id, text, ...), written to a file in this order, and returns the output
        folder."""
        folder = tempfile.mkdtemp(dir=self.folder)
        path = os.path.join(folder, "in.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(dict(zip(("id", "text", *more), row))) + "\n")
        out = os.path.join(folder, "out")
        done = subprocess.run([os.path.join(BIN_DIR, "refrain"), *verb.split(), path, "-o", out, "--id-field", "id",
                               "-q", "--threads", "2", *flags], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out


def main(master="local[2]", connect=False, tests=None, **settings):
    """Runs the tests of the calling module in one session, or says why it cannot. `tests` are the default selection,
    if no tests are named on the command line."""
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="refrain-spark-", ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = folder
        SparkCase.folder = folder
        with (connected_session if connect else classic_session)(folder, master, settings) as SparkCase.spark:
            result = unittest.main(module="__main__", defaultTest=tests, exit=False, verbosity=2,
                                   warnings="ignore").result
    sys.exit(0 if result.wasSuccessful() else 1)
