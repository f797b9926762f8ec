"""Clusters and the kept set: graphs whose nodes are ranks; a smaller number is a better rank.

A graph of up to a few million edges is processed by one task, which reads its edges in order. A larger one is first
divided into its components, in rounds of large-star and small-star (Kiveris et al. 2014), each of which is stored;
then the components are processed in parallel. The result is the same either way.
"""

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from .. import _core
from .frames import map_sorted

ONE_TASK_EDGES = 4_000_000
_MOST_ROUNDS = 100


def components(edges, workspace, count=None):
    """Returns a row (node, component) for each node of the edges (a, b); a component is named by its least node.

    `count` is the number of edges, if the caller knows it.
    """
    if (edges.count() if count is None else count) <= ONE_TASK_EDGES:
        return _united(edges)
    return _stars(edges, workspace)


def _united(edges):
    def make():
        parents = {}

        def root(node):
            top = node
            while (above := parents.setdefault(top, top)) != top:
                top = above
            while parents[node] != top:
                parents[node], node = top, parents[node]
            return top

        def unite(batch):
            if batch is None:
                nodes = list(parents)
                return pa.record_batch([pa.array(nodes, pa.int64()), pa.array(map(root, nodes), pa.int64())],
                                       ["node", "component"])
            for a, b in zip(batch.column("a").to_pylist(), batch.column("b").to_pylist()):
                a, b = root(a), root(b)
                parents[max(a, b)] = min(a, b)
            return None

        return unite

    one = edges.select(F.lit(0).alias("all"), "a", "b")
    return map_sorted(one, ["all"], [], make, "node long, component long")


def _stars(edges, workspace):
    """Replaces edges, in each round, by ones that lead to lesser nodes, until every node leads directly to the least.
    """
    nodes = edges.select(F.col("a").alias("node")).union(edges.select("b")).distinct()
    now = edges.where("a <> b").selectExpr("least(a, b) as low", "greatest(a, b) as high").distinct()
    now = workspace.keep(now, "edges")
    before = None
    for _ in range(_MOST_ROUNDS):
        now = workspace.keep(_small_star(_large_star(now)), "stars")
        mixed = F.sum(F.xxhash64("low", "high").cast("decimal(20)"))
        state = now.agg(F.count(F.lit(1)), mixed).collect()[0]  # the cheapest way to compare two states
        if state == before:
            break
        before = state
    else:
        raise RuntimeError(f"components: not settled after {_MOST_ROUNDS} rounds")
    found = nodes.join(now.select(F.col("high").alias("node"), F.col("low").alias("component")), "node", "left")
    return found.select("node", F.coalesce("component", "node").alias("component"))


def _large_star(edges):
    """Connects every neighbor greater than a node to the least of the node and its neighbors."""
    both = edges.select(F.col("high").alias("node"), F.col("low").alias("other")).union(edges.select("low", "high"))
    least = both.groupBy("node").agg(F.least(F.min("other"), F.col("node")).alias("least"))
    return both.where("other > node").join(least, "node").select(F.col("least").alias("low"),
                                                                 F.col("other").alias("high")).distinct()


def _small_star(edges):
    """Connects a node and its lesser neighbors to the least of them."""
    least = edges.groupBy("high").agg(F.min("low").alias("least"))
    moved = edges.join(least, "high")
    ends = moved.where("low <> least").select(F.col("least").alias("low"), F.col("low").alias("high"))
    return ends.union(least.select(F.col("least").alias("low"), "high")).distinct()


DECIDING = ["later", "earlier", "longest_lost", "covered"]  # the columns that decide
DECIDED = ("later long, earlier long, similarity double, lost long, longest_lost long, as_written double,"
           " removed boolean")


def decide(matches, workspace, count=None):
    """Decides which nodes are kept: each one, unless a lesser kept node matches it and covers it.

    `matches` has later, earlier, similarity, lost, longest_lost, as_written, covered (1 if the earlier node covers
    the later). A row of the result is either a removed node with the node it was removed for, or a node that is kept
    although it is similar to kept ones, with the one of these that lacks the least of it.
    """
    if (matches.count() if count is None else count) <= ONE_TASK_EDGES:
        cut = matches.withColumn("component", F.lit(0))
    else:
        of = _stars(matches.select(F.col("later").alias("a"), F.col("earlier").alias("b")), workspace)
        cut = matches.join(of, matches["later"] == of["node"])
    columns = ["later", "earlier", "similarity", "lost", "longest_lost", "as_written", "covered"]

    def make():
        kept = _core.KeptSet()

        def settle(batch):
            if batch is None:
                return None
            rows = _deciding(kept, batch.select(columns))
            return pa.record_batch([*rows.columns[:-1], pc.not_equal(rows["covered"], 0)], [*columns[:-1], "removed"])

        return settle

    return map_sorted(cut.select("component", *columns), ["component"], ["later", "earlier"], make, DECIDED,
                      whole="later")


def deciding(matches):
    """Returns the rows of a table of matches that decide, as in decide()."""
    return _deciding(_core.KeptSet(), matches.sort_by([("later", "ascending"), ("earlier", "ascending")]))


def deciding_rows(matches):
    """Returns the numbers of the rows that decide, of a table of matches in order."""
    return pa.array(_core.KeptSet().add(*(matches[name] for name in DECIDING))).to_numpy()


def _deciding(kept, matches):
    return matches.take(pa.array(kept.add(*(matches[name] for name in DECIDING))))
