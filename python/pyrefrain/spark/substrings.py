"""substrings on Spark: every byte range covered by windows of `length` bytes that occur at least `min_count` times.

Equal windows choose equal cores, so only samples are shuffled (docs/kernels.md). Samples with equal cores and
contexts have the same windows. Where the contexts of a core differ, single windows are grouped by their hashes. Each
result so far is a claim: it is sent back to its text, where a collision-resistant digest confirms it. If a hash has
collided, the search restarts with another seed.
"""

import hashlib

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _core
from ..errors import InvalidArgument
from .frames import DOC, TASK, Documents, Workspace, map_batches, map_sorted, refuse

_SEEDS = 8
_FOUND = ["kind", "core", DOC, "first", "windows", "weight", "group"]
_CLAIM, _OPEN = 0, 1


def substrings(df, *, text="text", id="id", length=100, min_count=2, checkpoint=None, **other):
    """Finds the byte ranges of each text that recur in it or in another text, as `refrain substrings` does.

    Returns rows (id, begin, end): all bytes in windows of `length` bytes that occur at least `min_count` times.
    """
    refuse("substrings", other, {"snap", "groups", "apply", "until_clean", "keep", "text_csv", "ids", "html", "format",
                                 "force"})
    if min_count < 2:
        raise InvalidArgument("min_count: must be 2 or more")
    _core.substring_samples([], length=length, min_count=min_count)  # raises an error if an option is invalid
    documents = Documents(df, text, id)
    documents.number()
    search = _Search(documents, length, min_count, Workspace(df.sparkSession, checkpoint))
    for seed in range(_SEEDS):
        found = search.run(seed)
        if found is not None:
            return found
    raise RuntimeError("substrings: no seed tells all windows apart")


class _Search:
    def __init__(self, documents, length, min_count, workspace):
        self.documents = documents
        self.length = length
        self.min_count = min_count
        self.workspace = workspace

    def run(self, seed):
        met = self.workspace.keep(self._meet(self._samples(seed)), "met")
        claims = met.where(f"kind = {_CLAIM}").select(DOC, "first", "windows", "group")
        windows = self._windows(met.where(f"kind = {_OPEN}"), seed)
        settled = self.workspace.keep(self._settle(claims.union(windows)), "settled")
        checks = settled.where("`group` is not null").groupBy("group").agg(
            F.min("strong").alias("a"), F.max("strong").alias("b"))
        if not checks.where("a <> b").isEmpty():
            return None
        return settled.where("`group` is null").select("id", "begin", "end")

    def _samples(self, seed):
        """Returns samples, and folds, which have `offset` -1."""
        settings = {"length": self.length, "min_count": self.min_count, "seed": seed}

        def run(batch):
            samples, folds = map(pa.record_batch, _core.substring_samples(batch.column("text"), **settings, **TASK))
            docs = batch.column(DOC)
            offsets = [core - first
                       for core, first in zip(*(samples.column(name).to_pylist() for name in ("core", "first")))]
            of_folds = docs.take(folds.column("row"))
            columns = [
                [samples.column("core_hash").view(pa.int64()), of_folds],
                [samples.column("context_hash").view(pa.int64()), of_folds],
                [pa.array(offsets, pa.int32()), pa.array([-1] * folds.num_rows, pa.int32())],
                [samples.column("windows"), folds.column("windows")],
                [docs.take(samples.column("row")), of_folds],
                [samples.column("first"), folds.column("first")],
            ]
            return pa.record_batch([pa.concat_arrays(both) for both in columns],
                                   ["core", "context", "offset", "windows", DOC, "first"])

        return map_batches(self.documents.rows.select(DOC, "text"), run,
                           "core long, context long, offset int, windows long, doc long, first long")

    def _meet(self, samples):
        """Returns claims that all windows of a sample recur, and open samples, whose windows must be compared one by
        one."""
        of_core = Window.partitionBy("core")
        several = samples.withColumn("samples", F.count(F.lit(1)).over(of_core)).where(
            f"samples >= {self.min_count} or offset < 0").drop("samples")
        min_count = self.min_count

        def make():
            cores = _Cores(min_count)

            def add(batch):
                if batch is None:
                    return _found(cores.finish())
                columns = (batch.column(name).to_pylist()
                           for name in ("core", "context", "offset", "windows", DOC, "first"))
                return _found(cores.add(zip(*columns)))

            return add

        return map_sorted(several, ["core"], ["context", "offset", "windows", DOC, "first"], make,
                          "kind int, core long, doc long, first long, windows long, weight long, `group` string",
                          placed=True)

    def _windows(self, opened, seed):
        """Returns claims about single windows: those of open samples with the same core that have the same hash."""
        wanted = opened.groupBy(DOC).agg(
            F.collect_list(F.struct("core", "first", "windows", "weight")).alias("samples"))
        length = self.length

        def run(batch):
            cores, docs, firsts, counts, weights, stretches = [], [], [], [], [], []
            texts = batch.column("text").cast(pa.binary()).to_pylist()
            for doc, text, samples in zip(batch.column(DOC).to_pylist(), texts, batch.column("samples").to_pylist()):
                for one in samples:
                    first, windows = one["first"], one["windows"]
                    stretches.append(text[first:first + windows - 1 + length])
                    cores.append(one["core"])
                    docs.append(doc)
                    firsts.append(first)
                    counts.append(windows)
                    weights.append(one["weight"])
            hashed = pa.record_batch(_core.window_hashes(pa.array(stretches, pa.binary()),
                                                         pa.array([0] * len(counts), pa.int64()),
                                                         pa.array(counts, pa.int64()), length=length, seed=seed))
            row = hashed.column("row")
            begins = [firsts[i] + at for i, at in zip(row.to_pylist(), hashed.column("begin").to_pylist())]
            take = lambda values: pa.array(values, pa.int64()).take(row)
            return pa.record_batch([take(cores), hashed.column("hash").view(pa.int64()), take(weights), take(docs),
                                    pa.array(begins, pa.int64())], ["core", "hash", "weight", DOC, "first"])

        texts = self.documents.rows.select(DOC, "text").join(wanted, DOC)
        hashed = map_batches(texts, run, "core long, hash long, weight long, doc long, first long")
        of_window = Window.partitionBy("core", "hash")
        repeated = hashed.withColumn("places", F.sum("weight").over(of_window)).where(F.col("places") >= self.min_count)
        return repeated.select(DOC, "first", F.lit(1).cast("long").alias("windows"),
                               F.concat_ws(":", "core", "hash").alias("group"))

    def _settle(self, claims):
        """Returns the ranges of each text and, for each claim, a digest of the text it is about."""
        of_doc = claims.groupBy(DOC).agg(F.collect_list(F.struct("first", "windows", "group")).alias("claims"))
        length = self.length
        schema = T.StructType([
            T.StructField("id", self.documents.id_type), T.StructField("begin", T.LongType()),
            T.StructField("end", T.LongType()), T.StructField("group", T.StringType()),
            T.StructField("strong", T.BinaryType())])

        def run(batch):
            rows = []
            texts = batch.column("text").cast(pa.binary()).to_pylist()
            for row, (text, made) in enumerate(zip(texts, batch.column("claims").to_pylist())):
                ranges = []
                for one in sorted(made, key=lambda one: one["first"]):
                    begin, end = one["first"], one["first"] + one["windows"] - 1 + length
                    if one["group"] is not None:
                        rows.append((row, None, None, one["group"],
                                     hashlib.blake2b(text[begin:end], digest_size=32).digest()))
                    if ranges and begin <= ranges[-1][1]:
                        ranges[-1][1] = max(end, ranges[-1][1])
                    else:
                        ranges.append([begin, end])
                rows += [(row, begin, end, None, None) for begin, end in ranges]
            places, *columns = zip(*rows) if rows else [[]] * 5
            kinds = [pa.int64(), pa.int64(), pa.string(), pa.binary()]
            return pa.record_batch([batch.column("id").take(pa.array(places, pa.int64())),
                                    *(pa.array(column, kind) for column, kind in zip(columns, kinds))], schema.names)

        rows = self.documents.rows.select(DOC, "id", "text").join(of_doc, DOC)
        return map_batches(rows.select("id", "text", "claims"), run, schema)


def _found(rows):
    columns = zip(*rows) if rows else [[]] * len(_FOUND)
    kinds = [pa.int32(), *[pa.int64()] * 5, pa.string()]
    return pa.record_batch([pa.array(column, kind) for column, kind in zip(columns, kinds)], _FOUND)


class _Cores:
    """Turns samples, in order of core and context, into claims and open samples. Holds the contexts of one core at a
    time."""

    def __init__(self, min_count):
        self._min_count = min_count
        self._core = None
        self._contexts = []  # of this core: [count, [(doc, first)], windows]; a large one keeps only one place
        self._context = None

    def add(self, rows):
        found = []
        for core, context, offset, windows, doc, first in rows:
            if offset < 0:  # a fold, which the sampler has compared already
                found.append((_CLAIM, core, doc, first, windows, 0, None))
                continue
            if core != self._core:
                self._close(found)
                self._core, self._context = core, None
            if (context, offset, windows) != self._context:
                self._context = (context, offset, windows)
                self._contexts.append([0, [], windows])
            self._place(doc, first, found)
        return found

    def finish(self):
        found = []
        self._close(found)
        return found

    def _place(self, doc, first, found):
        """Holds back the first places of a context until there are `min_count`."""
        held = self._contexts[-1]
        held[0] += 1
        if held[0] < self._min_count:
            held[1].append((doc, first))
            return
        group = ":".join(map(str, (self._core, *self._context)))
        for one_doc, one_first in [*(held[1] if held[0] == self._min_count else []), (doc, first)]:
            found.append((_CLAIM, self._core, one_doc, one_first, held[2], 0, group))
        held[1] = [(doc, first)]  # represents all of them

    def _close(self, found):
        small = any(count < self._min_count for count, _, _ in self._contexts)
        if small and len(self._contexts) > 1:
            for count, places, windows in self._contexts:
                weight = 1 if count < self._min_count else self._min_count
                found += [(_OPEN, self._core, doc, first, windows, weight, None) for doc, first in places]
        self._contexts = []
