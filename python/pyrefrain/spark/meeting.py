"""Finds which documents meet, round by round, and which of these are similar: the same pairs as dedup.

A band's groups are processed by the same kernel as on one machine. In a large group each document meets only a few
others, so a million similar pages cost a million pairs; those that are kept meet others in the next round.
"""

import collections

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Window
from pyspark.sql import functions as F

from .. import _core
from .frames import DOC, TASK, VERSION, RowChanged, map_batches, map_sorted
from .sketches import keys_of, matcher

PAIR = ["later", "earlier"]
COMPARED = ["similarity", "lost", "longest_lost", "as_written", "covered"]
SIMILAR = "later long, earlier long, similarity double, lost long, longest_lost long, as_written double, covered long"
MEMBER = "rank long, template int, lanes binary, keys binary, text string"
CROWD = -1
_GROUP_PAIRS = 64


def meet(ranked, round, bands, before, workspace):
    """Returns the pairs of documents (rank, keys) that meet and have not met `before`; and the ranks of the crowds'
    members, or None if the first round has no crowds."""
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
        return pairs, None  # without crowds there is no other round
    return workspace.keep(pairs, "pairs"), crowd.select("rank").distinct()


def _entries(ranked, bands):
    """Returns a row (group, rank) for each band of each document."""

    def run(batch):
        groups = (np.arange(bands) << 32) + keys_of(batch.column("keys"), bands)
        ranks = np.repeat(batch.column("rank").to_numpy(), bands)
        return pa.record_batch([pa.array(groups.ravel()), pa.array(ranks)], ["group", "rank"])

    return map_batches(ranked.select("rank", "keys"), run, "`group` long, rank long")


def _crowds(crowd, ranked, round, bands):
    """Regroups the crowds' entries into smaller groups by another key of each document; the key changes with the
    round."""
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
    """Returns the pairs that signatures do not rule out, with the group in which each is compared. Most dissimilar
    pairs are ruled out."""
    sketches = ranked.select("rank", DOC, VERSION, "template", "lanes")
    both = _in_groups(pairs)
    for side in ("earlier", "later"):
        both = both.join(sketches.select(*(F.col(name).alias(side if name == "rank" else f"{side}_{name}")
                                           for name in sketches.columns)), side)
    kept = ["group", *PAIR, *(f"{side}_{name}" for name in (DOC, VERSION, "template") for side in PAIR)]

    def run(batch):
        may = pa.array(matcher(options).may_match(batch.column("later_lanes"), batch.column("earlier_lanes")))
        return batch.select(kept).filter(may)

    chosen = both.select(*kept, "later_lanes", "earlier_lanes")
    return workspace.keep(map_batches(chosen, run, "group long, later long, earlier long, later_doc long, "
                                                   "earlier_doc long, later_version long, earlier_version long, "
                                                   "later_template int, earlier_template int"), "left")


def _in_groups(pairs):
    """Adds the column `group`: pairs are grouped by their earlier document, and each group is small enough for a
    task."""
    many = pairs.withColumn("many", F.count(F.lit(1)).over(Window.partitionBy("earlier")))
    part = F.expr(f"pmod(xxhash64(later), ceil(many / {_GROUP_PAIRS}))")
    return many.withColumn("group", F.xxhash64(F.col("earlier"), part)).drop("many")


def members_of(pairs):
    """Returns the texts that each group of pairs needs; `pairs` is a result of may_match()."""
    sides = [pairs.select("group", F.col(side).alias("rank"), *(F.col(f"{side}_{name}").alias(name)
                                                                for name in (DOC, VERSION, "template")))
             for side in PAIR]
    unknown = [F.lit(None).cast(kind).alias(name) for name, kind in (("lanes", "binary"), ("keys", "binary"))]
    return sides[0].union(sides[1]).distinct().select("*", *unknown)


def compare(pairs, members, texts, options, templates):
    """Returns the pairs of `pairs` (group, later, earlier) that are similar, and what would be lost: rows of SIMILAR.

    `members` lists the texts that each group needs: group, rank, doc, version, template. Each text is sent to a group
    once, however many pairs it is in. Members of the group CROWD are not compared but returned with their texts,
    lanes and keys, as rows of MEMBER. Raises RowChanged if a group does not get each text that it needs exactly once.
    """
    fetched = texts.join(members, [DOC, VERSION]).drop(DOC, VERSION)
    needed = members.select("group", "rank", DOC)
    asked = needed.unionByName(pairs.select("group", F.col("later").alias("rank"), "earlier"), allowMissingColumns=True)
    rows = fetched.unionByName(asked, allowMissingColumns=True)
    windows = tuple(templates.windows)

    def make():
        return lambda batch: None if batch is None else _compared(batch, matcher(options, windows))

    return map_sorted(rows, ["group"], [], make, f"{SIMILAR}, {MEMBER}", whole="group")


def _compared(batch, matcher):
    is_text, in_crowd = pc.is_valid(batch["text"]), pc.equal(batch["group"], CROWD)
    _check_texts(batch.select(["group", "rank", DOC]), is_text)
    texts, crowd = batch.filter(pc.and_not(is_text, in_crowd)), batch.filter(pc.and_(is_text, in_crowd))
    pairs = batch.select(["group", "rank", "earlier"]).filter(pc.is_valid(batch["earlier"]))
    pairs = pairs.sort_by([("group", "ascending"), ("earlier", "ascending"), ("rank", "ascending")])
    ranks = [pairs[name].to_numpy() for name in ("rank", "earlier")]
    made = similar(matcher, texts["text"], texts["template"], _rows_of(texts, pairs, ranks), ranks)
    both = [pa.table(made), pa.table(crowd.select(["rank", "template", "lanes", "keys", "text"]))]
    return next(iter(pa.concat_tables(both, promote_options="default").combine_chunks().to_batches()), None)


def _check_texts(rows, is_text):
    """Raises RowChanged unless each text that a group needs (a row with a doc) was received exactly once."""
    by_rank = [("group", "ascending"), ("rank", "ascending")]
    needed, there = (rows.filter(mask).sort_by(by_rank) for mask in (pc.is_valid(rows[DOC]), is_text))
    there = there.select(["group", "rank"])
    if not needed.select(["group", "rank"]).equals(there):
        found = collections.Counter(zip(*there.to_pydict().values()))
        raise RowChanged(next(doc for *text, doc in zip(*needed.to_pydict().values()) if found[tuple(text)] != 1))


def _rows_of(texts, pairs, ranks):
    """Returns, for each pair, the row of the later text and the row of the earlier text."""
    _, groups = np.unique(np.concatenate([table["group"].to_numpy() for table in (texts, pairs, pairs)]),
                          return_inverse=True)
    different, ranks = np.unique(np.concatenate([texts["rank"].to_numpy(), *ranks]), return_inverse=True)
    there, wanted = np.split(groups * len(different) + ranks, [len(texts)])
    order = np.argsort(there)
    return np.split(order[np.searchsorted(there[order], wanted)], 2)


def similar(matcher, texts, templates, rows, ranks):
    """Returns the similar pairs. `rows` are the rows in `texts` of the later and the earlier documents."""
    found = pa.record_batch(matcher.compare(texts, *map(pa.array, rows), templates, **TASK))
    made = pa.record_batch([*map(pa.array, ranks), *found.columns], [*PAIR, *COMPARED])
    return made.filter(pc.greater(found["similarity"], 0))
