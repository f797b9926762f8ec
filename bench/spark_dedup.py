#!/usr/bin/env python3
"""dedup on a local Spark against the program: the same kept set, the time of both, and the bytes that were shuffled.

    spark_dedup.py [--master local[2]] [--memory 4g] [--parquet] [--spread] [--java=OPTIONS] [--conf NAME=VALUE]...
        DOCUMENTS.jsonl...

A line of DOCUMENTS.jsonl has {"id", "text", ...}, as written by dedup_world.py. Documents of several files are
distinguished by their file. Both programs read the same file: JSON Lines, or with --parquet a Parquet file made of
them. --spread runs dedup as with data too large for one task to hold the sketches or the texts of crowds, and for
Spark to broadcast tables. Prints a line of JSON: wall and CPU seconds of both, for Spark also by step and by user
(the JVM, or Python with the kernels), shuffled bytes by step, bytes of intermediate results, and the peak memory of a
Python worker. Spark's start is not included. Needs what `tools/setup test` fetches, and a build with the Python
package.
"""
import argparse
import collections
import glob
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python", "tests", "spark"))
from scale_model import PARTITION_BYTES, TEXTS  # noqa: E402
from spark_case import BIN_DIR, make_session, missing  # noqa: E402

# As docs/spark.md advises for one machine: in a run of a minute, few methods are worth compiling at the highest
# level.
JAVA = ("-XX:+UseParallelGC -XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
        "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000")
TICKS = os.sysconf("SC_CLK_TCK")


def shuffled(folder):
    """Returns the bytes written to shuffles by step, from Spark's event log."""
    step_of, written = {}, collections.Counter()
    for path in glob.glob(os.path.join(folder, "**", "*"), recursive=True):
        if os.path.isdir(path):
            continue
        with open(path, encoding="utf-8") as file:
            for event in map(json.loads, file):
                if event["Event"] == "SparkListenerJobStart":
                    name = event["Properties"].get("spark.job.description", "other")
                    for stage in event["Stage IDs"]:
                        step_of[stage] = name
                elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                    metrics = event["Task Metrics"]["Shuffle Write Metrics"]
                    written[step_of.get(event["Stage ID"], "other")] += metrics["Shuffle Bytes Written"]
    return dict(written)


def processes():
    """Yields all descendants of this process: (name, CPU seconds including those of ended children, resident bytes).
    A JVM thread that starts a program is a process for a moment, with the thread's name."""
    of_parent = collections.defaultdict(list)
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                name, fields = file.read().rsplit(")", 1)
        except OSError:
            continue  # it has just ended
        fields = fields.split()
        of_parent[int(fields[1])].append((int(name.split(" ")[0]), name.split("(", 1)[1],
                                          sum(map(int, fields[11:15])) / TICKS,
                                          int(fields[21]) * resource.getpagesize()))
    waiting = [os.getpid()]
    while waiting:
        for pid, name, seconds, resident in of_parent[waiting.pop()]:
            waiting.append(pid)
            yield name, seconds, resident


def cpu_seconds():
    """Returns {"jvm", "python"}: the CPU seconds of the JVM and of the workers."""
    used = {"jvm": 0.0, "python": 0.0}
    for name, seconds, _ in processes():
        used["python" if name.startswith("python") else "jvm"] += seconds
    return used


class Watch:
    """Tracks the peak memory of a worker while the context is open."""

    def __enter__(self):
        self.peak = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self):
        while not self._stop.wait(0.2):
            self.peak = max([self.peak, *(resident for name, _, resident in processes() if name.startswith("python"))])

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names)


def in_order(paths, parquet, folder):
    """Writes the documents in the order of their ids; returns the file, the bytes of all texts, and the number of
    documents."""
    rows = []
    for number, path in enumerate(paths):
        with open(path, encoding="utf-8") as file:
            rows += ((f"{number}-{row['id']}", row["text"]) for row in map(json.loads, file))
    rows.sort(key=lambda row: row[0].encode())
    ordered = os.path.join(folder, "ordered.parquet" if parquet else "ordered.jsonl")
    if parquet:
        import pyarrow
        import pyarrow.parquet
        table = pyarrow.table({"id": [id for id, _ in rows], "text": [text for _, text in rows]})
        pyarrow.parquet.write_table(table, ordered, row_group_size=20_000)
    else:
        with open(ordered, "w", encoding="utf-8") as file:
            for id, text in rows:
                file.write(json.dumps({"id": id, "text": text}, ensure_ascii=False) + "\n")
    return ordered, sum(len(text.encode()) for _, text in rows), len(rows)


def by_program(path, folder):
    """Returns the kept ids, and wall and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run([os.path.join(BIN_DIR, "refrain"), "dedup", path, "-o", os.path.join(folder, "out"),
                    "--id-field", "id", "--threads", "2", "--sample", "0", "--forget", "-q"], check=True)
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(folder, "out", "decisions.jsonl"), encoding="utf-8") as file:
        kept = {row["id"] for row in map(json.loads, file) if row["keep"]}
    return kept, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_spark(path, text_bytes, folder, arguments):
    """Returns the kept ids, and the costs."""
    log = os.path.join(folder, "events")
    os.mkdir(log)
    spark = make_session(folder, arguments.master, **{
        "spark.driver.memory": arguments.memory,
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder} {arguments.java}",
        "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{log}", "spark.sql.codegen.wholeStage": "true",
        "spark.sql.shuffle.partitions": str(max(8, math.ceil(text_bytes / PARTITION_BYTES))),
        "spark.sql.execution.arrow.pyspark.enabled": "true", "spark.sql.parquet.compression.codec": "snappy",
        **({"spark.sql.autoBroadcastJoinThreshold": "-1", "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1"}
           if arguments.spread else {}), **dict(one.split("=", 1) for one in arguments.conf)})
    from pyrefrain import spark as refrain
    from pyrefrain.spark import crowds, one_task
    from pyrefrain.spark.frames import Workspace
    if arguments.spread:
        one_task.MOST_BYTES = crowds.ONE_TASK_BYTES = 0
    keep, steps = Workspace.keep, []

    def told(name, work):
        spark.sparkContext.setJobDescription(name)
        before, begin = cpu_seconds(), time.monotonic()
        result = work()
        used = {kind: round(seconds - before[kind], 2) for kind, seconds in cpu_seconds().items()}
        steps.append({"step": name, "seconds": round(time.monotonic() - begin, 2), **used})
        spark.sparkContext.setJobDescription("other")
        return result

    Workspace.keep = lambda workspace, frame, name: told(name, lambda: keep(workspace, frame, name))
    spark.sparkContext.setJobDescription("other")
    reader = spark.read.schema("id string, text string")
    frame = reader.parquet(path) if path.endswith(".parquet") else reader.json(path)
    frame.limit(1).mapInArrow(lambda batches: batches, frame.schema).collect()  # starts Spark and its first worker
    before, begin = cpu_seconds(), time.monotonic()
    with Watch() as watch:
        decisions = refrain.dedup(frame, checkpoint=f"file://{folder}/kept")
        kept = set(told("read", lambda: decisions.where("keep").select("id").toPandas())["id"])
    seconds = time.monotonic() - begin
    used = {kind: round(now - before[kind], 2) for kind, now in cpu_seconds().items()}
    spark.stop()
    Workspace.keep = keep
    return kept, {"spark_seconds": round(seconds, 2), "spark_cpu_seconds": round(sum(used.values()), 2),
                  "spark_cpu_by": used, "worker_bytes": watch.peak,
                  "checkpoint_bytes": folder_bytes(os.path.join(folder, "kept")), "steps": steps,
                  "shuffled_bytes": shuffled(log)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("documents", nargs="+")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="4g")
    parser.add_argument("--parquet", action="store_true")
    parser.add_argument("--java", default=JAVA,
                        help="options of the JVM, as in --java=-XX:+UseParallelGC [%(default)s]")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE",
                        help="a setting of Spark, as --conf spark.shuffle.compress=false")
    parser.add_argument("--spread", action="store_true")
    arguments = parser.parse_args()
    if reason := missing():
        sys.exit(f"spark_dedup: {reason}")
    with tempfile.TemporaryDirectory(prefix="refrain-spark-") as folder:
        path, text_bytes, documents = in_order(arguments.documents, arguments.parquet, folder)
        expected, seconds, cpu = by_program(path, folder)
        kept, told = by_spark(path, text_bytes, folder, arguments)
        if kept != expected:
            sys.exit(f"spark_dedup: another kept set: {len(kept)} documents, and {len(expected)} by the program")
        texts = sum(told["shuffled_bytes"].get(step, 0) for step in TEXTS)
        without_texts = sum(told["shuffled_bytes"].values()) - texts
        print(json.dumps({
            "format": "parquet" if arguments.parquet else "jsonl", "spread": arguments.spread, "java": arguments.java,
            "conf": arguments.conf, "documents": documents, "text_bytes": text_bytes, "kept": len(kept),
            "program_seconds": round(seconds, 2), "program_cpu_seconds": round(cpu, 2), **told,
            "without_texts_a_byte": round(without_texts / text_bytes, 4),
            "texts_a_byte": round(texts / text_bytes, 4)}))


if __name__ == "__main__":
    main()
