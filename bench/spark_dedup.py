#!/usr/bin/env python3
"""dedup on a local Spark against the program: the same kept set, the time of both, and the bytes that were shuffled.

    spark_dedup.py [--master local[2]] [--memory 4g] DOCUMENTS.jsonl

DOCUMENTS.jsonl has {"id", "text", ...} a line, as dedup_world.py writes it. Prints JSON. Needs what `tools/setup test` fetches, and a build
with the Python package.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python", "tests", "spark"))
from spark_case import BIN_DIR, make_session, missing  # noqa: E402


def shuffled(folder):
    """Bytes written to shuffles by step, from Spark's log of events."""
    step_of, written = {}, collections.Counter()
    for path in glob.glob(os.path.join(folder, "*")):
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


def by_program(path, folder):
    """The kept ids, in the order of ids, and the seconds it took."""
    ordered = os.path.join(folder, "ordered.jsonl")
    with open(path, encoding="utf-8") as file:
        rows = sorted((json.loads(line) for line in file), key=lambda row: str(row["id"]).encode())
    with open(ordered, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({"id": str(row["id"]), "text": row["text"]}, ensure_ascii=False) + "\n")
    begin = time.monotonic()
    subprocess.run([os.path.join(BIN_DIR, "refrain"), "dedup", ordered, "-o", os.path.join(folder, "out"), "--id-field", "id",
                    "--sample", "0", "--forget", "-q"], check=True)
    seconds = time.monotonic() - begin
    with open(os.path.join(folder, "out", "decisions.jsonl"), encoding="utf-8") as file:
        kept = {row["id"] for row in map(json.loads, file) if row["keep"]}
    return ordered, kept, seconds, sum(len(row["text"].encode()) for row in rows), len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("documents")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="4g")
    arguments = parser.parse_args()
    if reason := missing():
        sys.exit(f"spark_dedup: {reason}")
    with tempfile.TemporaryDirectory(prefix="refrain-spark-") as folder:
        ordered, expected, program_seconds, text_bytes, documents = by_program(arguments.documents, folder)
        log = os.path.join(folder, "events")
        os.mkdir(log)
        spark = make_session(folder, arguments.master, **{
            "spark.driver.memory": arguments.memory, "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder}",
            "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{log}", "spark.sql.codegen.wholeStage": "true",
            "spark.sql.shuffle.partitions": "8", "spark.sql.parquet.compression.codec": "snappy"})
        from pyrefrain import spark as refrain
        from pyrefrain.spark.frames import Workspace
        keep = Workspace.keep
        names = []

        def described(workspace, frame, name):
            spark.sparkContext.setJobDescription(name)
            begin = time.monotonic()
            kept = keep(workspace, frame, name)
            names.append((name, round(time.monotonic() - begin, 1)))
            spark.sparkContext.setJobDescription(None)
            return kept

        Workspace.keep = described
        frame = spark.read.schema("id string, text string").json(ordered)
        begin = time.monotonic()
        kept = {row.id for row in refrain.dedup(frame).where("keep").select("id").collect()}
        seconds = time.monotonic() - begin
        spark.stop()
        if kept != expected:
            sys.exit(f"spark_dedup: another kept set: {len(kept)} documents, and {len(expected)} by the program")
        written = shuffled(log)
        without_texts = sum(count for name, count in written.items() if name != "similar")
        json.dump({"documents": documents, "text_bytes": text_bytes, "kept": len(kept),
                   "program_seconds": round(program_seconds, 2), "spark_seconds": round(seconds, 2),
                   "shuffled_bytes": written, "without_texts_a_byte": round(without_texts / text_bytes, 4),
                   "texts_a_byte": round(written.get("similar", 0) / text_bytes, 4), "steps": names}, sys.stdout)
        print()


if __name__ == "__main__":
    main()
