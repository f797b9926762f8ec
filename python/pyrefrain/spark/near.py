"""near on Spark: every pair of documents whose fingerprints differ in few bits, and the clusters that they form."""

import functools

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F

from .. import _core
from ..errors import InvalidArgument
from . import graph
from .columns import fingerprinted
from .frames import DOC, TASK, Documents, Workspace, map_sorted, refuse

_KEY_BITS = 8  # at most this many bits of a block are its key


class Near:
    """`matches`: rows (id1, id2, diff), where id1 sorts before id2. `clusters`: rows (id, fingerprint, cluster),
    where cluster is the id of its first document, or null if the document is in no cluster."""

    def __init__(self, matches, prints, workspace):
        self.matches = matches.select("id1", "id2", "diff")
        self._edges = matches.select(F.col("doc1").alias("a"), F.col("doc2").alias("b"))
        self._prints = prints
        self._workspace = workspace

    @functools.cached_property
    def clusters(self):
        of = graph.components(self._edges, self._workspace)
        members = of.withColumnRenamed("node", DOC).join(self._prints.select(DOC, "id"), DOC)
        least = members.groupBy("component").agg(F.min_by("id", F.col("id").cast("string")).alias("cluster"))
        named = self._workspace.keep(of.join(least, "component").select(F.col("node").alias(DOC), "cluster"),
                                     "clusters")
        return self._prints.join(named, DOC, "left").select("id", "fingerprint", "cluster")


def near(df, *, text="text", id="id", distance=8, tokenizer="words-nfkc", hash="xxh3", window=3, seed=0, tie=False,
         stop_words=(), checkpoint=None, **other):
    """Finds pairs of documents whose fingerprints differ in at most `distance` bits, as `refrain near` does.

    Documents with equal fingerprints are represented by the first of them, in the byte order of ids: the others are
    paired with it alone. Rows whose text is null are left out. Returns a Near.
    """
    refuse("near", other, {"verify", "threshold", "all_pairs", "blocks", "device", "preset", "html", "format", "force"})
    if not 0 <= distance <= 63:
        raise InvalidArgument("distance: must be from 0 to 63")
    documents = Documents(df, text, id)
    workspace = Workspace(df.sparkSession, checkpoint)
    prints = documents.numbered(lambda: workspace.keep(
        fingerprinted(documents.rows.select(DOC, "id", "text"), tokenizer=tokenizer, hash=hash, window=window,
                      seed=seed, tie=tie, stop_words=list(stop_words)), "fingerprints"))
    of_print = Window.partitionBy("fingerprint").orderBy(F.col("id").cast("string"))
    grouped = prints.where("fingerprint is not null").select(
        DOC, "id", "fingerprint", F.first(DOC).over(of_print).alias("doc1"), F.first("id").over(of_print).alias("id1"))
    grouped = workspace.keep(grouped, "grouped")
    equal = grouped.where(f"doc1 <> {DOC}").select("doc1", F.col(DOC).alias("doc2"), "id1", F.col("id").alias("id2"),
                                                   F.lit(0).alias("diff"))
    close = workspace.keep(_join(grouped.where(f"doc1 = {DOC}").select(DOC, "fingerprint"), distance), "close")
    firsts = grouped.select(DOC, "id")
    for side in ("a", "b"):
        close = close.join(firsts.select(F.col(DOC).alias(side), F.col("id").alias(f"{side}_id")), side)
    ahead = F.col("a_id").cast("string") < F.col("b_id").cast("string")
    close = close.select(*(F.when(ahead, F.col(x)).otherwise(F.col(y)).alias(name) for name, x, y in (
        ("doc1", "a", "b"), ("doc2", "b", "a"), ("id1", "a_id", "b_id"), ("id2", "b_id", "a_id"))), "diff")
    return Near(equal.unionByName(close), prints, workspace)


def _join(nodes, distance):
    """Returns pairs (a, b, diff) of different fingerprints. Two that differ in `distance` bits agree in at least one
    of `distance` + 1 blocks of bits. The kernel joins each group; a pair is emitted in the group of the first such
    block."""
    if distance == 0:
        return nodes.select(F.col(DOC).alias("a"), F.col(DOC).alias("b"), F.lit(0).alias("diff")).limit(0)
    blocks = distance + 1
    width = 64 // blocks
    bits = min(_KEY_BITS, width)
    mask = (1 << bits) - 1
    block = F.explode(F.sequence(F.lit(0), F.lit(distance)))
    placed = nodes.select(DOC, "fingerprint", block.alias("block")).withColumn(
        "group", F.expr(f"block * {1 << bits}L + (shiftrightunsigned(fingerprint, block * {width}) & {mask}L)"))

    def make():
        held = {"group": None, "docs": [], "prints": []}

        def join():
            if len(held["docs"]) < 2:
                return []
            mine = held["group"] >> bits
            prints, docs = held["prints"], held["docs"]
            found = pa.record_batch(_core.hamming_pairs(pa.array(prints, pa.int64()).view(pa.uint64()),
                                                        distance=distance, **TASK))
            rows = []
            for first, second, difference in zip(*(found.column(i).to_pylist() for i in range(3))):
                apart = prints[first] ^ prints[second]
                if all(apart >> (block * width) & mask for block in range(mine)):
                    rows.append((docs[first], docs[second], difference))
            return rows

        def take(batch):
            rows = []
            if batch is not None:
                for group, doc, one in zip(*(batch.column(name).to_pylist() for name in ("group", DOC, "fingerprint"))):
                    if group != held["group"]:
                        rows += join()
                        held.update(group=group, docs=[], prints=[])
                    held["docs"].append(doc)
                    held["prints"].append(one)
            else:
                rows = join()
            columns = zip(*rows) if rows else [[]] * 3
            kinds = [pa.int64(), pa.int64(), pa.int32()]
            return pa.record_batch([pa.array(column, kind) for column, kind in zip(columns, kinds)], ["a", "b", "diff"])

        return take

    return map_sorted(placed.select("group", DOC, "fingerprint"), ["group"], [DOC], make, "a long, b long, diff int")
