"""What all verbs on Spark share: the documents of a DataFrame, functions over Arrow batches, and results that are kept."""

import atexit
import itertools
import shutil
import tempfile
import uuid

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ..errors import InvalidArgument, Unsupported
from .workers import settle

DOC = "doc"  # the number of a document: a hash of its id
TASK = {"threads": 1, "memory": "512M"}  # what a kernel may use
_SEEDS = 8  # that are tried until no two ids have the same hash;
MOST_SHARED = 1000  # hashes that may be, which takes more than a hundred billion ids


def refuse(verb, given, known):
    """Options of the command line that are not available here are refused by name; others are no options at all."""
    for name in given:
        if name in known:
            raise Unsupported(f"{name}: not available on Spark")
        raise TypeError(f"{verb}() got an unexpected keyword argument '{name}'")


class Workspace:
    """Intermediate results. Each is written once and read back: a task that is repeated starts there, and plans stay short.

    `folder` is one that all executors can reach. Without it, which only a Spark of this machine may be, it is a temporary
    folder that lasts as long as this process: results are lazy, and may be read late.
    """

    def __init__(self, spark, folder=None):
        self.spark = spark
        if folder is None:
            if not _is_local(spark):
                raise InvalidArgument("checkpoint: give a folder that all executors can reach, such as hdfs:///tmp/refrain")
            folder = tempfile.mkdtemp(prefix="refrain-spark-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
        self.folder = f"{folder.rstrip('/')}/refrain-{uuid.uuid4().hex}"
        self._numbers = itertools.count()

    def keep(self, frame, name):
        path = f"{self.folder}/{next(self._numbers)}-{name}"
        frame.write.option("parquet.enable.dictionary", "false").parquet(path)  # most of it occurs once
        return self.spark.read.schema(frame.schema).parquet(path)


def _is_local(spark):
    if not spark.conf.get("spark.master", "").startswith("local"):
        return False
    connected = type(spark).__module__.startswith("pyspark.sql.connect")  # to a server, which may be another machine
    return not connected or spark.client.host in ("localhost", "127.0.0.1", "[::1]")


def check_columns(frame, *names):
    for name in names:
        if name not in frame.columns:
            raise InvalidArgument(f"{name}: there is no such column; there are {', '.join(frame.columns)}")


class Documents:
    """The texts of a DataFrame, numbered by their ids. Null texts are left out.

    The number is 8 bytes that stand for the id wherever documents meet. It is made of the id alone, so it is the same
    however often a task runs. That no two ids share one is checked.
    """

    def __init__(self, frame, text, id, more=()):
        check_columns(frame, text, id, *more)
        if not isinstance(frame.schema[text].dataType, T.StringType):
            raise InvalidArgument(f"{text}: the column of texts must be strings")
        if not isinstance(frame.schema[id].dataType, (T.StringType, T.IntegralType)):
            raise InvalidArgument(f"{id}: ids must be strings or whole numbers")
        self.spark = frame.sparkSession
        self.id_type = frame.schema[id].dataType
        chosen = [F.col(id).alias("id"), F.col(text).alias("text")]
        chosen += [F.col(name).alias(f"more_{i}") for i, name in enumerate(more)]
        self._rows = frame.where(F.col(text).isNotNull()).select(*chosen)
        self.more = [f"more_{i}" for i in range(len(more))]
        self._id = id
        self.rows = None  # from numbered() on

    def numbered(self, make, shared=None):
        """What make() gives of `rows`, which is rows of doc and id among others. If ids share a number these get others, and it
        is made again. `shared` finds such numbers; by default it is shared_numbers()."""
        number = _number(0)
        for seed in range(1, _SEEDS):
            self.rows = self._rows.withColumn(DOC, number)
            made = make()
            numbers = (shared or shared_numbers)(made)
            if not numbers:
                return made
            sharing = made.where(F.col(DOC).isin(numbers)).groupBy("id").count().sort("id").limit(4 * MOST_SHARED)
            for row in sharing.where("count > 1").limit(1).collect():
                raise InvalidArgument(f"{self._id}: {row.id!r} is the id of {row['count']} rows; ids must be unique")
            number = F.when(F.col("id").isin([row.id for row in sharing.collect()]), _number(seed)).otherwise(number)
        raise InvalidArgument(f"{self._id}: no hash tells all ids apart")

    def number(self):
        """Numbers the rows where nothing is made of all of them that could be looked at."""
        self.numbered(lambda: self.rows.select(DOC, "id"))


def shared_numbers(rows):
    shared = rows.groupBy(DOC).count().where("count > 1").limit(MOST_SHARED).collect()
    return [row[DOC] for row in shared]


def _number(seed):
    return F.xxhash64(F.lit(seed), F.col("id").cast("string"))


def map_in_tasks(frame, function, schema):
    """`function` takes an iterator of pyarrow.RecordBatch, all of a task, and gives others."""

    def run(batches):
        settle()
        return function(batches)

    return frame.mapInArrow(run, schema)


def map_batches(frame, function, schema):
    """`function` takes and gives pyarrow.RecordBatch; what it gives is brought into the types of the schema."""

    def run(batches):
        for batch in batches:
            if batch.num_rows:
                yield function(batch)

    return map_in_tasks(frame, run, schema)


def map_all(frame, function, schema):
    """`function` takes a pyarrow.Table of all rows, and gives another. The frame is one partition, which a task can hold."""

    def run(batches):
        if held := list(batches):
            rows = [pa.Table.from_batches(held)]
            held.clear()
            yield from function(rows.pop()).to_batches()  # which may let go of what it has copied

    return map_in_tasks(frame, run, schema)


def map_sorted(frame, by, order, make, schema, placed=False, whole=None):
    """All rows with the same `by` go to one task, in order of `by` and `order`. make() gives a function for each task, which
    is called with its batches one after the other, and with None at the end; it gives batches, or None. If they are `placed`,
    a window over `by` has brought them together before. Consecutive rows that are equal in column `whole` are in one batch."""

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
    """The same rows in batches that begin and end where column `name` changes."""
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
