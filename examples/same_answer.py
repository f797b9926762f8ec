"""Removes the same duplicates with pandas, polars, DuckDB, datasets, datatrove and Spark: one function for each.

    python3 same_answer.py          prints how many texts each keeps; exit code 1 if two differ

Libraries that are not installed are left out.
"""

import json
import logging
import pathlib
import random
import sys
import tempfile

import pyrefrain


def make_rows(seed=3):
    """Returns rows with an id and a text: 200 articles, and copies and edited copies of some of them."""
    pick = random.Random(seed)
    words = [f"word{number}" for number in range(2000)]
    rows = []
    for _ in range(200):
        article = pick.choices(words, k=pick.randint(40, 150))
        rows.append(" ".join(article))
        for _ in range(pick.choice([0, 0, 1, 3])):
            edited = [pick.choice(words) if pick.random() < 0.01 else word for word in article]
            rows.append(" ".join(pick.choice([article, edited])))
    return [{"id": number, "text": text} for number, text in enumerate(rows)]


def with_lists(rows):
    decisions = pyrefrain.dedup([row["text"] for row in rows])
    return [row["id"] for row, decision in zip(rows, decisions) if decision["keep"]]


def with_pandas(rows):
    import pandas

    frame = pandas.DataFrame(rows)
    return pyrefrain.dedup(frame, id="id").kept()["id"].tolist()


def with_polars(rows):
    import polars

    frame = polars.DataFrame(rows)
    return pyrefrain.dedup(frame, id="id").kept()["id"].to_list()


def with_duckdb(rows):
    import duckdb
    import pyarrow

    articles = pyarrow.Table.from_pylist(rows)
    decisions = pyarrow.table(pyrefrain.dedup(duckdb.sql("SELECT * FROM articles"), id="id"))
    return [number for (number,) in duckdb.sql("SELECT id FROM decisions WHERE keep ORDER BY id").fetchall()]


def with_a_dataset(rows):
    import datasets

    return pyrefrain.dedup(datasets.Dataset.from_list(rows))["id"][:]


def with_map_and_filter(rows):
    import datasets

    dataset = datasets.Dataset.from_list(rows)
    decisions = pyrefrain.dedup(dataset["text"])
    dataset = dataset.map(lambda row, at: {"keep": decisions[at]["keep"]}, with_indices=True)
    return dataset.filter(lambda row: row["keep"])["id"][:]


def with_a_stream(rows):
    import datasets

    stream = datasets.Dataset.from_list(rows).to_iterable_dataset()
    return [row["id"] for row in pyrefrain.dedup_stream(stream)]


def with_datatrove(rows):
    """Four tasks, each with a file of its own, share a library."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter
    from pyrefrain.datatrove import Unseen

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "data").mkdir()
        size = -(-len(rows) // 4)
        for task in range(4):
            lines = [json.dumps({**row, "id": str(row["id"])}) for row in rows[task * size:(task + 1) * size]]
            (folder / "data" / f"{task}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        steps = [JsonlReader(str(folder / "data")), Unseen(str(folder / "seen.library")),
                 JsonlWriter(str(folder / "clean"), compression=None)]
        LocalPipelineExecutor(steps, tasks=4, workers=1, logging_dir=str(folder / "logs")).run()
        return sorted(int(json.loads(line)["id"]) for path in (folder / "clean").iterdir()
                      for line in path.read_text(encoding="utf-8").splitlines())


def with_spark(rows):
    from pyspark.sql import SparkSession

    from pyrefrain import spark

    session = SparkSession.builder.getOrCreate()
    frame = session.createDataFrame([(row["id"], row["text"]) for row in rows], "id long, text string")
    decisions = spark.dedup(frame, order="id").collect()  # in order of the numbers, not of their digits
    return sorted(row.id for row in decisions if row.keep)


WAYS = {"a list": with_lists, "pandas": with_pandas, "polars": with_polars, "DuckDB": with_duckdb,
        "a dataset": with_a_dataset, "a dataset, map and filter": with_map_and_filter,
        "a dataset, streaming": with_a_stream, "datatrove, 4 tasks": with_datatrove, "Spark": with_spark}


def main(ways=WAYS):
    rows, kept = make_rows(), {}
    for name, function in ways.items():
        try:
            kept[name] = function(rows)
        except ImportError as error:
            print(f"{name}: left out: {error}")
            continue
        print(f"{name}: {len(kept[name])} of {len(rows)} texts kept")
    return 0 if all(ids == kept["a list"] for ids in kept.values()) else 1


if __name__ == "__main__":
    logging.disable(logging.INFO)
    sys.exit(main())
