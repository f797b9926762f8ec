"""Which documents meet, round by round, and which of those are similar: the pairs of dedup, one for one.

A band's groups are walked by the kernel that walks them on one machine. In a large group each document meets only a few, so
a million similar pages cost a million pairs; those that are kept meet others in the next round.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Window
from pyspark.sql import functions as F

from .. import _core
from .frames import DOC, TASK, map_batches, map_sorted
from .sketches import keys_of, matcher

PAIR = ["later", "earlier"]
COMPARED = ["similarity", "lost", "longest_lost", "as_written", "covered"]
SIMILAR = "later long, earlier long, similarity double, lost long, longest_lost long, as_written double, covered long"
MEMBER = "rank long, template int, lanes binary, keys binary, text string"
CROWD = -1
_GROUP_PAIRS = 64


def meet(ranked, round, bands, before, workspace):
    """Of documents (rank, keys): the pairs that meet and have not met `before`; and the ranks of the crowds, or None
    where the first round has none."""
    met = workspace.keep(_walk(_entries(ranked, bands), round), "met")
    pairs = met.where("earlier is not null").select(*PAIR)
    crowd = met.where("earlier is null").select(F.col("crowd").alias("group"), F.col("later").alias("rank"))
    crowded = not crowd.isEmpty()
    if crowded:
        once_more = _walk(_crowds(crowd, ranked, round, bands), round).where("earlier is not null").select(*PAIR)
        pairs = pairs.union(once_more)
    pairs = pairs.distinct()
    if before is not None:
        pairs = pairs.join(before, PAIR, "left_anti")
    elif not crowded:
        return pairs, None  # there is no other round
    return workspace.keep(pairs, "pairs"), crowd.select("rank").distinct()


def _entries(ranked, bands):
    """A row (group, rank) for each band of a document."""

    def run(batch):
        groups = (np.arange(bands) << 32) + keys_of(batch.column("keys"), bands)
        ranks = np.repeat(batch.column("rank").to_numpy(), bands)
        return pa.record_batch([pa.array(groups.ravel()), pa.array(ranks)], ["group", "rank"])

    return map_batches(ranked.select("rank", "keys"), run, "`group` long, rank long")


def _crowds(crowd, ranked, round, bands):
    """The same entries in smaller groups: by another key of theirs, in every round another one."""
    others = np.array([_core.MeetingPlan.other_band(band, bands, round) for band in range(bands)])

    def run(batch):
        band = others[batch.column("group").to_numpy() >> 32]
        other = keys_of(batch.column("keys"), bands)[np.arange(len(band)), band]
        groups = pa.array(_core.crowd_groups(batch.column("group"), pa.array(other)))
        return pa.record_batch([groups, batch.column("rank")], ["group", "rank"])

    keyed = crowd.join(ranked.select("rank", "keys"), "rank").select("group", "rank", "keys")
    return map_batches(keyed, run, "`group` long, rank long")


def _walk(entries, round):
    def make():
        plan = _core.MeetingPlan(round)

        def add(batch):
            if batch is None:
                return None
            pairs, crowd = plan.add(batch.column("group"), batch.column("rank"))
            pairs, crowd = pa.record_batch(pairs), pa.record_batch(crowd)
            none = [pa.nulls(table.num_rows, pa.int64()) for table in (pairs, crowd)]
            return pa.record_batch([
                pa.concat_arrays([pairs.column("later"), crowd.column("rank")]),
                pa.concat_arrays([pairs.column("earlier"), none[1]]),
                pa.concat_arrays([none[0], crowd.column("group")]),
            ], ["later", "earlier", "crowd"])

        return add

    return map_sorted(entries, ["group"], ["rank"], make, "later long, earlier long, crowd long")


def may_match(pairs, ranked, options, workspace):
    """The pairs that signatures do not rule out, which they do for most that are not similar; and where they are compared."""
    sketches = ranked.select("rank", DOC, "template", "lanes")
    both = _in_groups(pairs)
    for side in ("earlier", "later"):
        both = both.join(sketches.select(*(F.col(name).alias(side if name == "rank" else f"{side}_{name}")
                                           for name in sketches.columns)), side)
    kept = ["group", *PAIR, "later_doc", "earlier_doc", "later_template", "earlier_template"]

    def run(batch):
        may = pa.array(matcher(options).may_match(batch.column("later_lanes"), batch.column("earlier_lanes")))
        return batch.select(kept).filter(may)

    chosen = both.select(*kept, "later_lanes", "earlier_lanes")
    return workspace.keep(map_batches(chosen, run, "group long, later long, earlier long, later_doc long, earlier_doc long, "
                                                   "later_template int, earlier_template int"), "left")


def _in_groups(pairs):
    """The pairs by their earlier documents, so few of each that a task can hold their texts: a `group` more."""
    many = pairs.withColumn("many", F.count(F.lit(1)).over(Window.partitionBy("earlier")))
    part = F.expr(f"pmod(xxhash64(later), ceil(many / {_GROUP_PAIRS}))")
    return many.withColumn("group", F.xxhash64(F.col("earlier"), part)).drop("many")


def members_of(pairs):
    """Which texts are needed where, of pairs that may_match() gave."""
    sides = [pairs.select("group", F.col(side).alias("rank"), F.col(f"{side}_doc").alias(DOC),
                          F.col(f"{side}_template").alias("template")) for side in PAIR]
    unknown = [F.lit(None).cast(kind).alias(name) for name, kind in (("lanes", "binary"), ("keys", "binary"))]
    return sides[0].union(sides[1]).distinct().select("*", *unknown)


def compare(pairs, members, texts, options, templates):
    """Of pairs (group, later, earlier) those that are similar, and what would be lost: rows of SIMILAR.

    `members` says which texts a group needs: group, rank, doc, template. Each is sent there once, whatever the number of its
    pairs. Those of the group CROWD are not compared, but given back with their texts, lanes and keys: rows of MEMBER.
    """
    fetched = texts.join(members, DOC).drop(DOC)
    rows = fetched.unionByName(pairs.select("group", F.col("later").alias("rank"), "earlier"), allowMissingColumns=True)
    windows = tuple(templates.windows)

    def make():
        return lambda batch: None if batch is None else _compared(batch, matcher(options, windows))

    return map_sorted(rows, ["group"], [], make, f"{SIMILAR}, {MEMBER}", whole="group")


def _compared(batch, matcher):
    in_crowd = pc.equal(batch["group"], CROWD)
    batch, crowd = batch.filter(pc.invert(in_crowd)), batch.filter(in_crowd)
    is_pair = pc.is_valid(batch["earlier"])
    texts, pairs = batch.filter(pc.invert(is_pair)), batch.filter(is_pair)
    pairs = pairs.sort_by([("group", "ascending"), ("earlier", "ascending"), ("rank", "ascending")])
    ranks = [pairs[name].to_numpy() for name in ("rank", "earlier")]
    made = similar(matcher, texts["text"], texts["template"], _rows_of(texts, pairs, ranks), ranks)
    both = [pa.table(made), pa.table(crowd.select(["rank", "template", "lanes", "keys", "text"]))]
    return next(iter(pa.concat_tables(both, promote_options="default").combine_chunks().to_batches()), None)


def _rows_of(texts, pairs, ranks):
    """The rows of the texts of pairs: of the later ones, and of the earlier ones."""
    _, groups = np.unique(np.concatenate([table["group"].to_numpy() for table in (texts, pairs, pairs)]), return_inverse=True)
    different, ranks = np.unique(np.concatenate([texts["rank"].to_numpy(), *ranks]), return_inverse=True)
    there, wanted = np.split(groups * len(different) + ranks, [len(texts)])
    order = np.argsort(there)
    rows = order[np.searchsorted(there[order], wanted) % max(len(order), 1)]
    if (there[rows] != wanted).any():
        raise RuntimeError("dedup: a text that was there is gone; the input has changed")
    return np.split(rows, 2)


def similar(matcher, texts, templates, rows, ranks):
    """Of pairs of rows of `texts`, which are the later document's and the earlier one's, those that are similar."""
    found = pa.record_batch(matcher.compare(texts, *map(pa.array, rows), templates, **TASK))
    made = pa.record_batch([*map(pa.array, ranks), *found.columns], [*PAIR, *COMPARED])
    return made.filter(pc.greater(found["similarity"], 0))
