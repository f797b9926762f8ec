"""dedup where a task can hold the sketches of all documents. It does what needs no texts: one task finds templates, copies and
who meets whom, many compare the texts, and one settles the crowds and decides. So nothing is shuffled but texts that are compared.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_schema

from .. import _core
from . import crowds, graph, meeting
from .frames import DOC, MOST_SHARED, map_all
from .meeting import CROWD, PAIR
from .sketches import matcher
from .templates import choose, draw, samples_of, windows_of

MOST_BYTES = 512 << 20  # of sketches and ids
_GROUP_BYTES = 1 << 20  # of texts that go to one place; the last pair may exceed it
_TOO_MUCH = -2  # the group of the only row of a plan that one task cannot carry out
_SEEN = -3  # the group of rows for the driver
_SEEN_COLUMNS = ["site", "place", "windows", "digest", DOC, "bytes"]
_PLAN_COLUMNS = ["group", "rank", "earlier", DOC, "template", "lanes", "keys"]
_PLAN = pa.schema([("group", pa.int64()), ("rank", pa.int64()), ("earlier", pa.int64()), (DOC, pa.int64()),
                   ("template", pa.int32()), ("lanes", pa.binary()), ("keys", pa.binary()), ("site", pa.int64()),
                   ("place", pa.int64()), ("windows", pa.binary()), ("digest", pa.binary()), ("bytes", pa.int64())])


class _Plan:
    def __init__(self, kept, seen):
        self.rows = kept.where(F.col("group") >= CROWD).select(*_PLAN_COLUMNS)
        self.too_much = any(row.group == _TOO_MUCH for row in seen)


class OneTask:
    """`order` says which documents come first: the rank of a document is its place. The last of it is the id."""

    def __init__(self, order, id_type, by_source, exact, options):
        self._order = order
        self._id_type = id_type
        self._by_source = by_source
        self._exact = exact
        self._options = options
        self.sites = self.samples = self.templates = None  # from look() on

    def fits(self, count, id_bytes):
        """Whether a task can hold the sketches of so many documents."""
        sketch = dict(self._options)["lanes"] + 4 * matcher(self._options).bands + 64
        return count * sketch + id_bytes <= MOST_BYTES

    def look(self, sketched, workspace):
        """Finds templates, or samples for templates.find() where it lacks texts. Gives the numbers that documents share, and the
        plan, which is made in passing: None if there may be templates, without which it has to be made."""
        plan = workspace.keep(self._planned(sketched, True), "plan")
        seen = plan.where(F.col("group") < CROWD).select("group", *_SEEN_COLUMNS).collect()
        of_sites = sorted((row for row in seen if row.site is not None), key=lambda row: row.place)
        self.sites = list({row.site: None for row in of_sites})
        self.samples = [row for row in of_sites if row.windows is None]
        self.templates = choose(self.sites, {row.site: bytes(row.windows) for row in of_sites if row.windows is not None})
        shared = [row[DOC] for row in seen if row.site is None and row.group == _SEEN]
        return shared, None if _may_have_templates(row.windows for row in of_sites) else _Plan(plan, seen)

    def plan(self, sketched, workspace):
        plan = workspace.keep(self._planned(sketched, False), "plan")
        return _Plan(plan, plan.where(F.col("group") == _TOO_MUCH).select("group").collect())

    def _planned(self, sketched, look):
        """The first round. Rows of pairs that may match have a group, the later's rank and the earlier's; and for every text that
        a group needs there is a row with its document. The texts of crowds are for the group CROWD, and rows of the group _SEEN
        for look()."""
        options, exact, by_source = self._options, self._exact, self._by_source
        limits = crowds.ONE_TASK_PAIRS, crowds.ONE_TASK_BYTES
        columns = ["id", "strong", "judged", DOC, "template", "bytes", "lanes", "keys", "site", "digest"]
        sketched, in_order = self._in_order(sketched)

        def run(rows):
            texts = _sampled(rows) if look else {}
            rows = in_order(rows.select(columns))
            heads = _heads(rows, exact)
            seen = _survey(rows, heads, texts, by_source, matcher(options)) if look else _PLAN.empty_table()
            if seen["site"].null_count or _may_have_templates(seen["windows"].to_pylist()):
                return seen
            return pa.concat_tables([seen, _plan(rows, heads, matcher(options), *limits)])

        return map_all(sketched.select(*columns, "sample"), run, from_arrow_schema(_PLAN))

    def similar(self, plan, texts, templates):
        """What meeting.compare() gives of a plan; None where it is too much for this way."""
        if plan.too_much:
            return None
        members = plan.rows.where(f"{DOC} is not null").drop("earlier")
        pairs = plan.rows.where("earlier is not null").select("group", F.col("rank").alias("later"), "earlier")
        return meeting.compare(pairs, F.broadcast(members), texts, self._options, templates)

    def outcome(self, sketched, similar, templates):
        """What _decisions() of dedup.py takes. `similar` was kept."""
        options, exact, windows, id = self._options, self._exact, tuple(templates.windows), self._id_type
        schema = T.StructType([T.StructField(name, kind) for name, kind in (
            ("id", id), ("is_copy", T.BooleanType()), ("head_id", id), ("copies", T.LongType()), ("match", id),
            ("similarity", T.DoubleType()), ("lost", T.LongType()), ("longest_lost", T.LongType()),
            ("as_written", T.DoubleType()), ("removed", T.BooleanType()), ("cluster", id))])

        def run(rows):
            is_document = pc.is_valid(rows["judged"])
            documents = in_order(rows.select(of_documents).filter(is_document))
            others = rows.drop_columns(of_documents).filter(pc.invert(is_document))
            return _outcome(documents, others, matcher(options, windows), exact, schema.names)

        of_documents = ["id", "strong", "judged"]
        rows = sketched.drop("template", "lanes", "keys", "sample").unionByName(similar, allowMissingColumns=True)
        rows, in_order = self._in_order(rows)
        return map_all(rows.select(*of_documents, *similar.columns), run, schema)

    def _in_order(self, rows):
        """The rows as one partition; and what puts a table of them in order, where it has them all: Spark sorts them if columns
        are named to rank by, but takes many times as long."""
        rows = rows.coalesce(1)
        if len(self._order) == 1:
            return rows, _by_id
        return rows.sortWithinPartitions(*self._order), lambda table: table.combine_chunks()


def _by_id(table):
    ids = table["id"].cast(pa.string()).cast(pa.binary())
    order = np.roll(pc.sort_indices(ids).to_numpy(), ids.null_count)  # Spark's nulls are first
    return pa.table({name: table[name].combine_chunks().take(order) for name in table.column_names})


def _heads(rows, exact):
    """Of each row the first that has the same text, if SHA-256 says so."""
    places = np.arange(len(rows))
    if not exact:
        return places
    texts = rows["strong"].combine_chunks().dictionary_encode().indices.to_numpy()
    first = np.empty(len(rows), np.int64)
    first[texts[::-1]] = places[::-1]  # the last that is written is the first of its text
    return first[texts]


def _is_compared(rows, heads):
    return rows["judged"].to_numpy() & (heads == np.arange(len(rows)))


def _sampled(rows):
    """The texts that were kept for samples, by site and digest."""
    kept = rows.select(["site", "digest", "sample"]).filter(pc.is_valid(rows["sample"]))
    texts = kept["sample"].cast(pa.binary())  # they need not be valid UTF-8
    return dict(zip(zip(kept["site"].to_pylist(), kept["digest"].to_pylist()), texts.to_pylist()))


def _survey(rows, heads, texts, by_source, matcher):
    """Rows for the driver: the templates of the largest sources, or as long as it lacks texts the samples that templates.look()
    draws; and numbers that documents share."""
    all_bytes = pc.sum(rows["bytes"]).as_py()
    numbers = np.sort(rows[DOC].to_numpy())
    shared = crowds.distinct(numbers[1:][numbers[1:] == numbers[:-1]])[:MOST_SHARED]
    compared = rows.select(["id", "site", "digest", DOC, "bytes"]).filter(pa.array(_is_compared(rows, heads))).combine_chunks()
    parts = _templates(samples_of(compared, by_source), all_bytes, texts, matcher), {DOC: shared}
    return _joined([{"group": np.full(len(next(iter(part.values()))), _SEEN), **part} for part in parts], _PLAN)


def _may_have_templates(windows):
    """Of what _survey() found for sources: null where a text was missing, empty where there is no template."""
    return any(one != b"" for one in windows)


def _templates(samples, all_bytes, texts, matcher):
    """The templates that are in the samples; or else these, where a text is missing."""
    places = dict(zip(samples["site"].to_pylist(), samples["place"].to_pylist()))
    of_site = {}
    for _, site, digest in draw(list(places), samples.to_pylist(), all_bytes):
        if (site, digest) not in texts:
            return _columns(samples)
        of_site.setdefault(site, []).append(texts[site, digest])
    return {"site": list(of_site), "place": [places[site] for site in of_site],
            "windows": [windows_of(matcher, some) for some in of_site.values()]}


def _plan(rows, heads, matcher, most_pairs, most_bytes):
    alive = np.flatnonzero(_is_compared(rows, heads))
    lanes, keys, sizes = rows["lanes"].chunk(0), rows["keys"].chunk(0), rows["bytes"].to_numpy()
    members = crowds.Members(lanes, keys, matcher)
    pairs, crowd = members.meet(alive, 1)
    later, earlier = members.may_match(pairs)
    if len(later) > most_pairs or sizes[crowd].sum() > most_bytes:
        return _joined([{"group": [_TOO_MUCH]}], _PLAN)
    groups, later, earlier = _in_groups(later, earlier, sizes)
    group_of, rank_of = np.divmod(crowds.distinct(np.concatenate([groups * len(rows) + side for side in (later, earlier)])),
                                  max(len(rows), 1))
    about = rows.select([DOC, "template"])
    return _joined([
        {"group": groups, "rank": later, "earlier": earlier},
        {"group": group_of, "rank": rank_of, **_columns(about.take(rank_of))},
        {"group": np.full(len(crowd), CROWD), "rank": crowd, **_columns(about.take(crowd)), "lanes": lanes.take(crowd),
         "keys": keys.take(crowd)}], _PLAN)


def _in_groups(later, earlier, sizes):
    """The pairs in an order in which few texts are in more than one group, and their groups."""
    least = pa.array(_core.components(len(sizes), pa.array(later), pa.array(earlier))).to_numpy()
    order = np.lexsort((later, earlier, least[later]))
    later, earlier = later[order], earlier[order]
    other = np.append(True, earlier[1:] != earlier[:-1])[:len(earlier)]
    return np.cumsum(sizes[later] + np.where(other, sizes[earlier], 0)) // _GROUP_BYTES, later, earlier


def _columns(table):
    return dict(zip(table.column_names, table.columns))


def _joined(parts, schema):
    """Tables of some of the columns of a schema, one after the other; the other columns are null."""
    made = []
    for part in parts:
        count = len(next(iter(part.values())))
        made.append(pa.table([part.get(field.name, pa.nulls(count, field.type)) for field in schema], schema=schema))
    return pa.concat_tables(made)


def _outcome(documents, others, matcher, exact, names):
    heads = _heads(documents, exact)
    members, similar = crowds.split(others)
    if len(members):
        more = crowds.Crowds(members, similar, matcher).settle(int(_is_compared(documents, heads).sum()))
        similar = pa.concat_tables([similar, *more])
    count = len(documents)
    least = pa.array(_core.components(count, *(similar[name] for name in PAIR))).to_numpy()
    alone = np.full(count, True)
    for name in PAIR:
        alone[similar[name].to_numpy()] = False
    deciding = graph.deciding(similar).combine_chunks()
    decided = np.full(count, -1)
    decided[deciding["later"].to_numpy()] = np.arange(len(deciding))
    of_head = deciding.take(pa.array(decided[heads], mask=decided[heads] < 0))
    ids = documents["id"].combine_chunks()
    return pa.table([
        ids, heads != np.arange(count), ids.take(pa.array(heads)), np.bincount(heads, minlength=count)[heads],
        ids.take(of_head["earlier"].combine_chunks()),
        *(of_head[name] for name in ("similarity", "lost", "longest_lost", "as_written")),
        pc.not_equal(of_head["covered"], 0), ids.take(pa.array(least[heads], mask=alone[heads]))], names)
