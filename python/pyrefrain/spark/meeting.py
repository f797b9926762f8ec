"""Which documents meet, round by round, and which of those are similar: the pairs of dedup, one for one.

A band's groups are walked by the kernel that walks them on one machine. In a large group each document meets only a few, so
a million similar pages cost a million pairs; those that are kept meet others in the next round.
"""

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from .. import _core
from .frames import DOC, TASK, map_batches, map_sorted
from .sketches import matcher

PAIR = ["later", "earlier"]
COMPARED = ["similarity", "lost", "longest_lost", "as_written", "covered"]
SIMILAR = "later long, earlier long, similarity double, lost long, longest_lost long, as_written double, covered long"
_UNSIGNED = 0xFFFFFFFF


def meet(ranked, round, bands, before, workspace):
    """Of documents (rank, keys): the pairs that meet and have not met `before`; and the ranks of the crowds, or None
    where the first round has none."""
    entries = ranked.select("rank", F.posexplode("keys").alias("band", "key")).select(
        F.expr(f"shiftleft(cast(band as long), 32) + (cast(key as long) & {_UNSIGNED}L)").alias("group"), "rank")
    met = workspace.keep(_walk(entries, round), "met")
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


def _crowds(crowd, ranked, round, bands):
    """The same entries in smaller groups: by another key of theirs, in every round another one."""
    others = [_core.MeetingPlan.other_band(band, bands, round) for band in range(bands)]
    other = F.expr(f"keys[array({', '.join(map(str, others))})[cast(shiftright(`group`, 32) as int)]]")
    keyed = crowd.join(ranked.select("rank", "keys"), "rank").select(
        "group", "rank", (other.cast("long").bitwiseAND(F.lit(_UNSIGNED))).alias("other"))

    def run(batch):
        groups = pa.array(_core.crowd_groups(batch.column("group"), batch.column("other")))
        return pa.record_batch([groups, batch.column("rank")], ["group", "rank"])

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
    """The pairs that signatures do not rule out, which they do for most that are not similar."""
    sketches = ranked.select("rank", DOC, "template", "lanes")
    both = pairs
    for side in PAIR:
        both = both.join(sketches.select(*(F.col(name).alias(side if name == "rank" else f"{side}_{name}")
                                           for name in sketches.columns)), side)
    kept = [*PAIR, "later_doc", "earlier_doc", "later_template", "earlier_template"]

    def run(batch):
        may = pa.array(matcher(options).may_match(batch.column("later_lanes"), batch.column("earlier_lanes")))
        return batch.select(kept).filter(may)

    chosen = both.select(*kept, "later_lanes", "earlier_lanes")
    return workspace.keep(map_batches(chosen, run, "later long, earlier long, later_doc long, earlier_doc long, "
                                                   "later_template int, earlier_template int"), "left")


def compare(left, texts, options, templates, workspace):
    """Of the pairs that may match, those that are similar, and what would be lost. Of no other document the text is fetched."""
    members = left.select(F.col("later_doc").alias(DOC)).union(left.select("earlier_doc")).distinct()
    texts = texts.join(members, DOC, "left_semi")
    both = left
    for side in ("earlier", "later"):
        both = both.join(texts.select(F.col(DOC).alias(f"{side}_doc"), F.col("text").alias(f"{side}_text")), f"{side}_doc")
    windows = tuple(templates.windows)

    def run(batch):
        found = pa.record_batch(matcher(options, windows).compare(
            batch.column("earlier_text"), batch.column("later_text"), batch.column("earlier_template"),
            batch.column("later_template"), **TASK))
        made = pa.record_batch([batch.column("later"), batch.column("earlier"), *found.columns],
                               [*PAIR, *COMPARED])
        return made.filter(pc.greater(found["similarity"], 0))

    chosen = both.select(*PAIR, "earlier_text", "later_text", "earlier_template", "later_template")
    return workspace.keep(map_batches(chosen, run, SIMILAR), "similar")
