"""Code that all verbs on Spark share: documents of a DataFrame, functions over Arrow batches, and stored results."""

import atexit
import itertools
import os
import re
import shutil
import tempfile
import uuid

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import BadInput, Unsupported, about
from .workers import settle

DOC = "doc"  # a document's number: a hash of its id
VERSION = "version"  # a hash of its text
TASK = {"threads": 1, "memory": "512M"}  # the limits of a kernel call within a task
_SEEDS = 8  # hash seeds to try until no two ids have the same hash
MOST_SHARED = 1000  # most hashes that ids may share; it takes over a hundred billion ids to have more


# A DataFrame is evaluated again by each step that reads it. The first evaluation counts: later ones are compared with
# it by VERSION, and a row that differs is an error.
SINCE = ("since the DataFrame was first evaluated; it must give the same rows each time, which one with random or"
         " generated ids does not: write it to files, with its ids, and use what is read from there")


class RowChanged(RuntimeError):
    """Raised by a task if the row of a document is missing, repeated or has another text. The driver looks up the id.
    """

    def __init__(self, doc):
        super().__init__(f"refrain: document {doc} has changed")

    @staticmethod
    def document_in(error):
        """Returns the number of the document if an error from Spark contains a RowChanged, else None."""
        found = re.search(r"refrain: document (-?\d+) has changed", str(error))
        return int(found[1]) if found else None


def refuse(verb, given, known):
    """Raises Unsupported for options of the command line that Spark lacks, and TypeError for unknown ones."""
    for name in given:
        if name in known:
            raise about(name, "not available on Spark", Unsupported)
        raise TypeError(f"{verb}() got an unexpected keyword argument '{name}'")


class Workspace:
    """Intermediate results. Each is written once and read back, so a repeated task starts there and plans stay short.

    All executors must be able to reach `folder`. It may be omitted only if Spark runs on this machine; then it is a
    temporary folder that lasts as long as this process, because results are lazy and may be read late.
    """

    def __init__(self, spark, folder=None):
        self.spark = spark
        if folder is None:
            if not _is_local(spark):
                raise about("checkpoint", "give a folder that all executors can reach, such as hdfs:///tmp/refrain")
            folder = tempfile.mkdtemp(prefix="refrain-spark-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
        self.folder = f"{os.fspath(folder).rstrip('/')}/refrain-{uuid.uuid4().hex}"
        self._numbers = itertools.count()

    def keep(self, frame, name):
        path = f"{self.folder}/{next(self._numbers)}-{name}"
        frame.write.option("parquet.enable.dictionary", "false").parquet(path)  # most values occur only once
        return self.spark.read.schema(frame.schema).parquet(path)


def _is_local(spark):
    if not spark.conf.get("spark.master", "").startswith("local"):
        return False
    connected = type(spark).__module__.startswith("pyspark.sql.connect")  # the server may be on another machine
    return not connected or spark.client.host in ("localhost", "127.0.0.1", "[::1]")


def check_columns(frame, **columns):
    """Raises an error unless there are these columns; each is named by the option of that name."""
    for option, name in columns.items():
        if name not in frame.columns:
            raise about(option, f"there is no column {name!r}; the columns are: {', '.join(frame.columns)}")


class Documents:
    """The texts of a DataFrame, numbered by their ids. Rows with null texts are left out, unless `nulls` is set.

    The number is 8 bytes that represent the id wherever documents are joined. It depends on the id alone, so a
    repeated task computes the same number. Numbers are checked to be unique.
    """

    def __init__(self, frame, text, id, more=(), nulls=False):
        check_columns(frame, text=text, id=id)
        if not isinstance(frame.schema[text].dataType, T.StringType):
            raise about("text", f"column {text!r}: the column of texts must be strings")
        if not isinstance(frame.schema[id].dataType, (T.StringType, T.IntegralType)):
            raise about("id", f"column {id!r}: ids must be strings or whole numbers")
        self.spark = frame.sparkSession
        self.id_type = frame.schema[id].dataType
        chosen = [F.col(id).alias("id"), F.col(text).alias("text"), version_of(text).alias(VERSION)]
        chosen += [F.col(name).alias(f"more_{i}") for i, name in enumerate(more)]
        self._rows = (frame if nulls else frame.where(F.col(text).isNotNull())).select(*chosen)
        self.more = [f"more_{i}" for i in range(len(more))]
        self._id = id
        self.rows = None  # set by numbered()

    def numbered(self, make, shared=None):
        """Returns the result of make(), which builds a DataFrame with doc, id and other columns from `rows`. If ids
        share a number, they get other numbers and make() is called again. `shared` finds such numbers; the default is
        shared_numbers()."""
        number = _number(0)
        for seed in range(1, _SEEDS):
            self.rows = self._rows.withColumn(DOC, number)
            made = make()
            numbers = (shared or shared_numbers)(made)
            if not numbers:
                return made
            if None in numbers:
                raise about("id", "the id of a row is null; give every row an id, or leave such rows out")
            sharing = made.where(F.col(DOC).isin(numbers)).groupBy("id").count().sort("id").limit(4 * MOST_SHARED)
            for row in sharing.where("count > 1").limit(1).collect():
                raise about("id", f"{row.id!r} is the id of {row['count']} rows; ids must be unique")
            number = F.when(F.col("id").isin([row.id for row in sharing.collect()]), _number(seed)).otherwise(number)
        raise about("id", "no hash tells all ids apart")

    def changed(self, id):
        return BadInput(f"{self._id}: row {id!r} has changed or disappeared {SINCE}")

    def number(self):
        """Numbers the rows, for callers that do not build a DataFrame of all rows."""
        self.numbered(lambda: self.rows.select(DOC, "id"))


def shared_numbers(rows):
    """Returns the numbers that several documents have, and None if an id is null."""
    shared = rows.groupBy(DOC).count().where(f"count > 1 or {DOC} is null").limit(MOST_SHARED).collect()
    return [row[DOC] for row in shared]


def version_of(text):
    return F.xxhash64(F.col(text))


def _number(seed):
    return F.when(F.col("id").isNotNull(), F.xxhash64(F.lit(seed), F.col("id").cast("string")))


def map_in_tasks(frame, function, schema):
    """`function` turns an iterator over all pyarrow.RecordBatch of a task into an iterator over others."""

    def run(batches):
        settle()
        return function(batches)

    return frame.mapInArrow(run, schema)


def map_batches(frame, function, schema):
    """`function` turns a pyarrow.RecordBatch into another, whose types must be those of the schema."""

    def run(batches):
        for batch in batches:
            if batch.num_rows:
                yield function(batch)

    return map_in_tasks(frame, run, schema)


def map_all(frame, function, schema):
    """`function` turns a pyarrow.Table of all rows into another. The frame must have one partition, small enough for
    a task."""

    def run(batches):
        if held := list(batches):
            rows = [pa.Table.from_batches(held)]
            held.clear()
            yield from function(rows.pop()).to_batches()  # pop() lets the function free what it has copied

    return map_in_tasks(frame, run, schema)


def map_sorted(frame, by, order, make, schema, placed=False, whole=None):
    """Sends all rows with the same `by` to one task, sorted by `by` and `order`. make() returns a function for each
    task, which is called with the task's batches one after the other and finally with None; it returns a batch or
    None. With `placed`, a window over `by` has already brought the rows together. Consecutive rows with equal values
    in column `whole` are in one batch."""

    def run(batches):
        function = make()
        for batch in batches if whole is None else _cut(batches, whole):
            if batch.num_rows and (made := function(batch)) is not None:
                yield made
        if (made := function(None)) is not None:
            yield made

    together = frame if placed else frame.repartition(*by)
    return map_in_tasks(together.sortWithinPartitions(*by, *order), run, schema)


def _cut(batches, name):
    """Yields the same rows in batches that begin and end where the value of column `name` changes."""
    held, value = [], None
    for batch in batches:
        if not batch.num_rows:
            continue
        values = batch.column(name).to_numpy()
        others = np.flatnonzero(values != values[-1])
        last = others[-1] + 1 if len(others) else 0  # where the last value begins
        if last or (held and value != values[-1]):
            yield _joined([*held, batch.slice(0, last)])
            held = []
        held.append(batch.slice(last))
        value = values[-1]
    if held:
        yield _joined(held)


def _joined(batches):
    one, = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return one
