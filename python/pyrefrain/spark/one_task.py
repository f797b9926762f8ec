"""dedup for the case that one task can hold the sketches of all documents. It takes the steps that need no texts: one
task finds templates, copies and the pairs that meet, many tasks compare the texts, and one settles the crowds and
decides. So only texts that are compared are shuffled.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_schema

from .. import _core
from . import crowds, graph, meeting
from .frames import DOC, MOST_SHARED, VERSION, map_all
from .meeting import CROWD, PAIR
from .sketches import matcher
from .templates import choose, draw, samples_of, windows_of

MOST_BYTES = 512 << 20  # bytes of sketches and ids that one task may hold
_GROUP_BYTES = 1 << 20  # bytes of texts in one group; its last pair may exceed the limit
_TOO_LARGE = -2  # the group of the only row of a plan that is too large for one task
_FOR_DRIVER = -3  # the group of rows for the driver
_DRIVER_COLUMNS = ["site", "place", "windows", "digest", DOC, "bytes"]
_PLAN_COLUMNS = ["group", "rank", "earlier", DOC, VERSION, "template", "lanes", "keys"]
_PLAN = pa.schema([("group", pa.int64()), ("rank", pa.int64()), ("earlier", pa.int64()), (DOC, pa.int64()),
                   (VERSION, pa.int64()), ("template", pa.int32()), ("lanes", pa.binary()), ("keys", pa.binary()),
                   ("site", pa.int64()), ("place", pa.int64()), ("windows", pa.binary()), ("digest", pa.binary()),
                   ("bytes", pa.int64())])


class _Plan:
    def __init__(self, kept, seen):
        self.rows = kept.where(F.col("group") >= CROWD).select(*_PLAN_COLUMNS)
        self.too_much = any(row.group == _TOO_LARGE for row in seen)


class OneTask:
    """`order` is the order of the documents: a document's rank is its position. Its last column is the id."""

    def __init__(self, order, id_type, by_source, exact, options):
        self._order = order
        self._id_type = id_type
        self._by_source = by_source
        self._exact = exact
        self._options = options
        self.sites = self.samples = self.templates = None  # set by look()

    def fits(self, count, id_bytes):
        """Whether a task can hold the sketches of `count` documents."""
        sketch = dict(self._options)["lanes"] + 4 * matcher(self._options).bands + 64
        return count * sketch + id_bytes <= MOST_BYTES

    def look(self, sketched, workspace):
        """Finds templates, or draws samples for templates.find() if texts are missing. Returns the numbers that
        documents share, and the plan. The plan is None if there may be templates, because it must then be made
        without them."""
        plan = workspace.keep(self._planned(sketched, True), "plan")
        seen = plan.where(F.col("group") < CROWD).select("group", *_DRIVER_COLUMNS).collect()
        of_sites = sorted((row for row in seen if row.site is not None), key=lambda row: row.place)
        self.sites = list({row.site: None for row in of_sites})
        self.samples = [row for row in of_sites if row.windows is None]
        self.templates = choose(self.sites,
                                {row.site: bytes(row.windows) for row in of_sites if row.windows is not None})
        shared = [row[DOC] for row in seen if row.site is None and row.group == _FOR_DRIVER]
        return shared, None if _may_have_templates(row.windows for row in of_sites) else _Plan(plan, seen)

    def plan(self, sketched, workspace):
        plan = workspace.keep(self._planned(sketched, False), "plan")
        return _Plan(plan, plan.where(F.col("group") == _TOO_LARGE).select("group").collect())

    def _planned(self, sketched, look):
        """Plans the first round. Each pair that may match is a row with a group, the later rank and the earlier rank.
        Each text that a group needs is a row with its document. The texts of crowds are in the group CROWD, and the
        rows for look() in the group _SEEN."""
        options, exact, by_source = self._options, self._exact, self._by_source
        limits = crowds.ONE_TASK_PAIRS, crowds.ONE_TASK_BYTES
        columns = ["id", "strong", "judged", DOC, VERSION, "template", "bytes", "lanes", "keys", "site", "digest"]
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
        """Returns the result of meeting.compare() for a plan, or None if the plan is too large for one task."""
        if plan.too_much:
            return None
        members = plan.rows.where(f"{DOC} is not null").drop("earlier")
        pairs = plan.rows.where("earlier is not null").select("group", F.col("rank").alias("later"), "earlier")
        return meeting.compare(pairs, F.broadcast(members), texts, self._options, templates)

    def outcome(self, sketched, similar, templates):
        """Returns the rows that _decisions() of dedup.py takes. `similar` must be a stored result."""
        id = self._id_type
        return self._settled(sketched, similar, templates, _outcome, (
            ("id", id), (VERSION, T.LongType()), ("is_copy", T.BooleanType()), ("head_id", id),
            ("copies", T.LongType()), ("match", id), ("similarity", T.DoubleType()), ("lost", T.LongType()),
            ("longest_lost", T.LongType()), ("as_written", T.DoubleType()), ("removed", T.BooleanType()),
            ("cluster", id)))

    def matches(self, sketched, similar, templates):
        """Returns all pairs that match, copies included: id1, id2, similarity. Takes what outcome() takes."""
        return self._settled(sketched, similar, templates, _matches, (
            ("id1", self._id_type), ("id2", self._id_type), ("similarity", T.DoubleType())))

    def _settled(self, sketched, similar, templates, result, columns):
        """Settles the crowds, and returns result(documents, heads, similar pairs, names of columns)."""
        options, exact, windows = self._options, self._exact, tuple(templates.windows)
        schema = T.StructType([T.StructField(name, kind) for name, kind in columns])

        def run(rows):
            is_document = pc.is_valid(rows["judged"])
            documents = in_order(rows.select(of_documents).filter(is_document))
            others = rows.drop_columns(of_documents).filter(pc.invert(is_document))
            heads = _heads(documents, exact)
            return result(documents, heads, _settle(documents, heads, others, matcher(options, windows)), schema.names)

        of_documents = ["id", VERSION, "strong", "judged"]
        rows = sketched.drop("template", "lanes", "keys", "sample").unionByName(similar, allowMissingColumns=True)
        rows, in_order = self._in_order(rows)
        return map_all(rows.select(*of_documents, *similar.columns), run, schema)

    def _in_order(self, rows):
        """Returns the rows as one partition, and a function that sorts a table of them. Spark sorts the rows only if
        `order` names columns, because its sort takes many times as long."""
        rows = rows.coalesce(1)
        if len(self._order) == 1:
            return rows, _by_id
        return rows.sortWithinPartitions(*self._order), lambda table: table.combine_chunks()


def _by_id(table):
    ids = table["id"].cast(pa.string()).cast(pa.binary())
    order = np.roll(pc.sort_indices(ids).to_numpy(), ids.null_count)  # Spark sorts nulls first
    return pa.table({name: table[name].combine_chunks().take(order) for name in table.column_names})


def _heads(rows, exact):
    """For each row, the position of the first row with the same text, as decided by SHA-256."""
    places = np.arange(len(rows))
    if not exact:
        return places
    texts = rows["strong"].combine_chunks().dictionary_encode().indices.to_numpy()
    first = np.empty(len(rows), np.int64)
    first[texts[::-1]] = places[::-1]  # the last write wins, and is that of the first row with the text
    return first[texts]


def _is_compared(rows, heads):
    return rows["judged"].to_numpy() & (heads == np.arange(len(rows)))


def _sampled(rows):
    """The texts kept for samples, by site and digest."""
    kept = rows.select(["site", "digest", "sample"]).filter(pc.is_valid(rows["sample"]))
    texts = kept["sample"].cast(pa.binary())  # they may be invalid UTF-8
    return dict(zip(zip(kept["site"].to_pylist(), kept["digest"].to_pylist()), texts.to_pylist()))


def _survey(rows, heads, texts, by_source, matcher):
    """Makes the rows for the driver: the templates of the largest sources, or the samples that templates.look() draws
    if texts are missing; and the result of shared_numbers()."""
    all_bytes = pc.sum(rows["bytes"]).as_py()
    numbers = np.sort(rows[DOC].drop_null().to_numpy())
    shared = crowds.distinct(numbers[1:][numbers[1:] == numbers[:-1]])[:MOST_SHARED].tolist()
    shared += [None] if rows[DOC].null_count else []
    compared = rows.select(["id", "site", "digest", DOC, "bytes"]).filter(
        pa.array(_is_compared(rows, heads))).combine_chunks()
    parts = _templates(samples_of(compared, by_source), all_bytes, texts, matcher), {DOC: shared}
    return _joined([{"group": np.full(len(next(iter(part.values()))), _FOR_DRIVER), **part} for part in parts], _PLAN)


def _may_have_templates(windows):
    """Looks at the windows that _survey() found for each source: null if a text was missing, empty if there is no
    template."""
    return any(one != b"" for one in windows)


def _templates(samples, all_bytes, texts, matcher):
    """The templates found in the samples, or the samples themselves if a text is missing."""
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
        return _joined([{"group": [_TOO_LARGE]}], _PLAN)
    groups, later, earlier = _in_groups(later, earlier, sizes)
    group_of, rank_of = np.divmod(
        crowds.distinct(np.concatenate([groups * len(rows) + side for side in (later, earlier)])), max(len(rows), 1))
    about = rows.select([DOC, VERSION, "template"])
    return _joined([
        {"group": groups, "rank": later, "earlier": earlier},
        {"group": group_of, "rank": rank_of, **_columns(about.take(rank_of))},
        {"group": np.full(len(crowd), CROWD), "rank": crowd, **_columns(about.take(crowd)), "lanes": lanes.take(crowd),
         "keys": keys.take(crowd)}], _PLAN)


def _in_groups(later, earlier, sizes):
    """Orders the pairs so that few texts are in more than one group, and returns them with their groups."""
    least = pa.array(_core.components(len(sizes), pa.array(later), pa.array(earlier))).to_numpy()
    order = np.lexsort((later, earlier, least[later]))
    later, earlier = later[order], earlier[order]
    other = np.append(True, earlier[1:] != earlier[:-1])[:len(earlier)]
    return np.cumsum(sizes[later] + np.where(other, sizes[earlier], 0)) // _GROUP_BYTES, later, earlier


def _columns(table):
    return dict(zip(table.column_names, table.columns))


def _joined(parts, schema):
    """Concatenates tables that have some of the columns of a schema; the other columns are null."""
    made = []
    for part in parts:
        count = len(next(iter(part.values())))
        made.append(pa.table([part.get(field.name, pa.nulls(count, field.type)) for field in schema], schema=schema))
    return pa.concat_tables(made)


def _settle(documents, heads, others, matcher):
    """Returns the similar pairs of all rounds."""
    members, similar = crowds.split(others)
    if not len(members):
        return similar
    more = crowds.Crowds(members, similar, matcher).settle(int(_is_compared(documents, heads).sum()))
    return pa.concat_tables([similar, *more])


def _matches(documents, heads, similar, names):
    copies = np.flatnonzero(heads != np.arange(len(heads)))
    ids = documents["id"].combine_chunks()
    earlier, later = (np.concatenate([places, similar[name].to_numpy()])
                      for places, name in ((heads[copies], "earlier"), (copies, "later")))
    similarity = np.concatenate([np.ones(len(copies)), similar["similarity"].to_numpy()])
    return pa.table([ids.take(pa.array(earlier)), ids.take(pa.array(later)), similarity], names)


def _outcome(documents, heads, similar, names):
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
        ids, documents[VERSION], heads != np.arange(count), ids.take(pa.array(heads)),
        np.bincount(heads, minlength=count)[heads], ids.take(of_head["earlier"].combine_chunks()),
        *(of_head[name] for name in ("similarity", "lost", "longest_lost", "as_written")),
        pc.not_equal(of_head["covered"], 0), ids.take(pa.array(least[heads], mask=alone[heads]))], names)
