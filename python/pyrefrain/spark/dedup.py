"""dedup on Spark: the decisions of the command line, for documents in an order that the caller chooses."""

import json

from pyspark.sql import Window
from pyspark.sql import functions as F

from .. import _core
from .._inputs import check_nulls
from ..errors import BadInput, InvalidArgument, Unsupported, about
from . import crowds, graph, meeting, one_task, tables, templates as template_search
from .frames import (DOC, SINCE, VERSION, Documents, RowChanged, Workspace, check_columns, refuse, shared_numbers,
                     version_of)
from .sketches import matcher, sketch

# Options of the command line that have no place here.
_REFUSED = {row["keyword"] for table in ("input", "device", "dedup") for row in _core.option_table(table)
            if not row["spark"]}
_LOSSES = {"auto": 2**32 - 2, "any": 2**32 - 1}  # what the words mean
_NONE = template_search.Templates([])


def dedup(df, *, text="text", id="id", order=None, source=None, exact=True, near="minhash", threshold=0.8, recall=0.95,
          lanes=128, max_loss="auto", templates=True, keep="first", nulls="keep", tokenizer="words-nfkc", hash="xxh3",
          window=5, seed=0, apply=False, output=None, checkpoint=None, **other):
    """Decides which documents of a DataFrame to keep, and why.

    The kept set is that of `refrain dedup` over the same documents in the same order: documents are ranked, and each
    is kept unless a kept one is similar to it and covers it.

    text, id     columns of the texts, and of ids that are unique and not null
    order        columns to rank by, the best document first; "-name" ranks the greatest value first, and nulls are
                 last. Ties are broken by the bytes of the id, which also decide if no column is named
    source       the column that holds the source of a document, for templates; by default, the host of the id if that
                 is a web address, else one source for all other documents
    nulls        what to do with rows whose text is null: "keep" (they are kept, without a reason), "drop" (they are left
                 out) or "error"
    apply        return the rows of `df` that are kept, instead of the decisions
    output       a folder to which decisions.parquet, matches.parquet and clusters.parquet are written, too, with the
                 columns that `refrain dedup --tables parquet` writes
    checkpoint   a folder for intermediate results that all executors can reach; not needed if Spark runs locally

    All other options mean the same as on the command line. Returns a row for every document: id, keep, reason
    ("exact", "near", or "own_text" if it is kept for text that `match` lacks), match, similarity, lost, longest_lost,
    as_written, cluster (the id of the first document of its cluster; null if it is in none). Runs jobs when called;
    the result is lazy.

    `df` is evaluated several times and must give the same rows each time; a row that changes is an error.
    """
    refuse("dedup", other, _REFUSED)
    if keep != "first":
        raise about("keep", f"{keep!r} is not available on Spark; say with order= what ranks first", Unsupported)
    read = _read_by_engine(exact=exact, near=near, templates=templates, max_loss=max_loss)
    if read["near"] not in ("minhash", "off"):
        raise about("near", f"{near!r} is not available on Spark; use 'minhash' or 'off'", Unsupported)
    if not read["exact"] and read["near"] == "off":
        raise InvalidArgument("exact, near: nothing is left to look for")
    options = tuple(sorted({
        "threshold": threshold, "recall": recall, "lanes": lanes, "tokenizer": tokenizer, "hash": hash,
        "window": window, "seed": seed,
        "max_loss": _LOSSES.get(read["max_loss"], read["max_loss"])}.items()))
    matcher(options)  # raises an error if an option is invalid
    check_nulls(nulls)
    if nulls == "drop":
        check_columns(df, text=text)
        df = df.where(F.col(text).isNotNull())
    output = None if output is None else tables.check(output, df.sparkSession)
    names = [order] if isinstance(order, str) else list(order or [])
    run = _Run(df, text, id, names, source, options, nulls, Workspace(df.sparkSession, checkpoint))
    decisions = run.decide(read["exact"], read["near"] == "minhash", read["templates"] != "off")
    if output is not None:
        tables.write(output, decisions, run.digests, run.matches())
    return _applied(df, text, id, decisions) if apply else decisions.drop(VERSION)


def _read_by_engine(**options):
    """Returns what options mean: every spelling means what it means in pyrefrain.dedup(). Those that are left at their
    defaults are not passed on, because an option that has no effect is refused."""
    defaults = dedup.__kwdefaults__
    given = {name: value for name, value in options.items() if value is not None and value is not defaults[name]}
    return json.loads(_core.dedup_settings(given))["options"]


class _Run:
    def __init__(self, df, text, id, order, source, options, nulls, workspace):
        more = [name.removeprefix("-") for name in order] + ([source] if source else [])
        for name in more:
            check_columns(df, **{"source" if name == source else "order": name})
        self.documents = Documents(df, text, id, more, nulls=True)
        self.text = text
        self.options = options
        self.nulls = nulls
        self.workspace = workspace
        self.source = self.documents.more[-1] if source else None
        columns = map(F.col, self.documents.more)
        self.order = [column.desc_nulls_last() if name.startswith("-") else column.asc_nulls_last()
                      for name, column in zip(order, columns)]
        self.order.append(F.col("id").cast("string").asc())
        # Set by decide(). matches() returns the pairs that match: id1, id2, similarity.
        self.digests = self.matches = None

    def decide(self, exact, near, templates):
        task = one_task.OneTask(self.order, self.documents.id_type, self.source is not None, exact, self.options)
        one, plan, missing = False, None, 0
        has_text = F.col("bytes").isNotNull()

        def shared(sketched):
            nonlocal one, plan, missing
            sums = [F.coalesce(F.sum(size), F.lit(0))
                    for size in (F.octet_length(F.col("id").cast("string")), F.col("bytes"))]
            rows, count, id_bytes, self.all_bytes = sketched.agg(F.count(F.lit(1)), F.count("bytes"),
                                                                 *sums).collect()[0]
            missing = rows - count
            if missing and self.nulls == "error":
                raise BadInput(f"{self.text}: {missing:,} rows have no text, and nulls is 'error'")
            one = near and count > 0 and task.fits(count, id_bytes)
            if (missing or not one) and (numbers := shared_numbers(sketched)):
                return numbers
            if not one:
                return []
            numbers, plan = task.look(sketched.where(has_text) if missing else sketched, self.workspace)
            return numbers

        sketched = self.documents.numbered(
            lambda: self.workspace.keep(sketch(self.documents, self.source, self.options), "sketched"), shared)
        kept = None
        if missing:
            kept = sketched.where(~has_text).select("id", F.lit(True).alias("keep"), VERSION)
            sketched = sketched.where(has_text)
            self.documents.rows = self.documents.rows.where(F.col("text").isNotNull())
        self.digests = sketched.select("id", "digest")
        try:
            rows = self._in_one_task(task, plan, sketched, templates) if one else None
            decided = _decisions(self._in_many_tasks(sketched, exact, near, templates) if rows is None else rows)
            return decided if kept is None else decided.unionByName(kept, allowMissingColumns=True)
        except Exception as error:
            doc = RowChanged.document_in(error)
            if doc is None:
                raise
            raise self.documents.changed(sketched.where(F.col(DOC) == doc).first().id) from None

    def _in_one_task(self, task, plan, sketched, templates):
        """Returns the rows that _decisions() takes, or None if this is too much for one task."""
        found = _NONE
        if templates and plan is None:
            found = self._find(sketched, task.sites, task.samples) if task.samples else task.templates
            sketched = self._without(found, sketched)
        if plan is None:
            plan = task.plan(sketched, self.workspace)
        similar = task.similar(plan, self.texts(), found)
        if similar is None:
            return None
        similar = self.workspace.keep(similar, "similar")
        self.matches = lambda: task.matches(sketched, similar, found)
        return self.workspace.keep(task.outcome(sketched, similar, found), "outcome")

    def _in_many_tasks(self, sketched, exact, near, templates):
        unique = self._unique(sketched, exact)
        rows = unique.select("id", VERSION, "head", "is_copy", "head_id", "copies")
        copies = unique.where("is_copy").select(F.col("head_id").alias("id1"), F.col("id").alias("id2"),
                                                F.lit(1.0).alias("similarity"))
        if not near:
            self.matches = lambda: copies
            nothing = {"match": self.documents.id_type, "similarity": "double", "lost": "long", "longest_lost": "long",
                       "as_written": "double", "removed": "boolean", "cluster": self.documents.id_type}
            return rows.select("*", *(F.lit(None).cast(kind).alias(name) for name, kind in nothing.items()))
        found = _NONE
        if templates:
            drawn = template_search.look(unique.where("judged and not is_copy"), self.source is not None)
            found = self._find(sketched, *drawn)
            sketched = self._without(found, sketched)
        ranked = self._rank(sketched, unique)
        similar, count = self._rounds(ranked, sketched.select(DOC, "lanes"), found)
        self.matches = lambda: copies.unionByName(_named(similar, ranked).select(copies.columns))
        return rows.join(self.workspace.keep(self._heads(ranked, similar, count), "heads"), "head", "left")

    def texts(self):
        return self.documents.rows.select(DOC, VERSION, "text")

    def _find(self, sketched, sites, samples):
        return template_search.find(self.documents, sketched, sites, samples, self.all_bytes, self.options)

    def _without(self, templates, sketched):
        """Returns the sketches, where those of sources with templates are made again without the templates."""
        if not templates:
            return sketched
        has_template = F.col("site").isin(list(templates.numbers))
        again = self.workspace.keep(sketch(self.documents, self.source, self.options, templates), "sketched_again")
        self._expect_same(sketched.where(has_template), again)
        return sketched.where(~has_template).union(again)

    def _expect_same(self, first, again):
        """Raises RowChanged unless both have the same rows of documents; their sketches may differ."""
        row = F.xxhash64(DOC, VERSION, "site", *self.documents.more)
        first, again = (rows.select(DOC, row.alias("row")) for rows in (first, again))
        both = first.withColumn("which", F.lit(1)).union(again.withColumn("which", F.lit(2)))
        sums = both.groupBy("which").agg(F.count(F.lit(1)), F.expr("bit_xor(row)")).collect()
        if len({tuple(one)[1:] for one in sums}) > 1 or len(sums) == 1:
            for left, right in ((first, again), (again, first)):
                for other in left.join(right, [DOC, "row"], "left_anti").limit(1).collect():
                    raise RowChanged(other[DOC])
            raise RowChanged(again.groupBy(DOC).count().where("count > 1").first()[DOC])

    def _unique(self, sketched, exact):
        """Returns a row for every document; `head` is the best-ranked one with the same text, `copies` the number of
        these.

        Texts are equal if their SHA-256 is, so the texts themselves are not moved.
        """
        columns = [DOC, VERSION, "id", "site", "digest", "bytes", "judged"]
        if not exact:
            return sketched.select(*columns, F.col(DOC).alias("head"), F.lit(False).alias("is_copy"),
                                   F.col("id").alias("head_id"), F.lit(1).cast("long").alias("copies"))
        of_text = Window.partitionBy("strong")
        first = of_text.orderBy(*self.order)
        rows = sketched.select(*columns, F.first(DOC).over(first).alias("head"),
                               F.first("id").over(first).alias("head_id"),
                               F.count(F.lit(1)).over(of_text).alias("copies"))
        return self.workspace.keep(rows.withColumn("is_copy", F.expr(f"head <> {DOC}")), "unique")

    def _rank(self, sketched, unique):
        """Returns the documents that are compared, numbered in the order of ranking."""
        copies = unique.where("is_copy").select(DOC)
        compared = sketched.where("judged").join(copies, DOC, "left_anti")
        ordered = compared.sort(*self.order).select(F.monotonically_increasing_id().alias("rank"), DOC, VERSION, "id",
                                                    "template", "bytes", "keys")
        return self.workspace.keep(ordered, "ranked")

    def _rounds(self, ranked, lanes, templates):
        """Returns the similar pairs of all rounds, and their number."""
        bands = matcher(self.options).bands
        texts = self.texts()
        met, crowded = meeting.meet(ranked, 1, bands, None, self.workspace)
        members = met.select(F.col("later").alias("rank")).union(met.select("earlier")).distinct()
        left = meeting.may_match(met, ranked.join(members, "rank", "left_semi").join(lanes, DOC), self.options,
                                 self.workspace)
        members = meeting.members_of(left)
        if crowded is not None:
            among = self.workspace.keep(ranked.join(crowded, "rank", "left_semi"), "crowd")
            few = crowds.fit_one_task(among, left.count())
            if few:
                crowd = F.broadcast(among).join(lanes, DOC)  # smaller than the crowds' texts, which are known to be few
                members = members.unionByName(crowd.select(F.lit(meeting.CROWD).cast("long").alias("group"),
                                                           *members.columns[1:]))
        compared = self.workspace.keep(meeting.compare(left, members, texts, self.options, templates), "similar")
        similar = compared.where("later is not null").select(*meeting.PAIR, *meeting.COMPARED)
        found = _counts(similar)
        count = found[1]
        if crowded is None:
            return similar, count
        if few:
            more = crowds.settle(compared, ranked.count(), self.options, templates)
            similar = similar.union(self.workspace.keep(more, "crowd_similar"))
            return similar, similar.count()
        texts = self.workspace.keep(texts.join(among.select(DOC, VERSION), [DOC, VERSION], "left_semi"), "crowd_texts")
        among = self.workspace.keep(among.join(lanes, DOC), "crowd_lanes")
        for side in meeting.PAIR:  # only members of crowds meet again
            met = met.join(among.select(F.col("rank").alias(side)), side, "left_semi")
        met = self.workspace.keep(met.select(*meeting.PAIR), "crowd_met")
        removed = self._removed(similar, count)
        for round in crowds.rounds(ranked.count, lambda: found, lambda: removed.count()):
            alive = among.join(removed, "rank", "left_anti")
            pairs, _ = meeting.meet(alive, round, bands, met, self.workspace)
            met = met.union(pairs)
            left = meeting.may_match(pairs, among, self.options, self.workspace)
            found = (0, 0)
            if not left.isEmpty():
                more = meeting.compare(left, meeting.members_of(left), texts, self.options, templates)
                more = self.workspace.keep(more, "similar").select(*meeting.PAIR, *meeting.COMPARED)
                similar = similar.union(more)
                found = _counts(more)
                count += found[1]
                removed = self._removed(similar, count)
        return similar, count

    def _removed(self, similar, count):
        decided = graph.decide(similar, self.workspace, count)
        return self.workspace.keep(decided.where("removed").select(F.col("later").alias("rank")), "removed")

    def _heads(self, ranked, similar, count):
        """Returns the documents that are similar to another, and what was decided about each."""
        decided = graph.decide(similar, self.workspace, count)
        of = graph.components(similar.select(F.col("later").alias("a"), F.col("earlier").alias("b")), self.workspace,
                              count)
        rows = of.join(decided, of["node"] == decided["later"], "left")
        for name, by, column in (("head", "node", DOC), ("cluster", "component", "id"), ("match", "earlier", "id")):
            named = ranked.select(F.col("rank").alias(by), F.col(column).alias(name))
            rows = rows.join(named, by, "left")
        return rows.select("head", "match", "similarity", "lost", "longest_lost", "as_written", "removed", "cluster")


def _applied(df, text, id, decisions):
    """Returns the rows of `df` that are kept. Rows are joined with their decisions by id, so that a row that is new,
    changed, missing or repeated raises an error when the result is evaluated."""
    rows = df.select(F.col(id).alias("id"), version_of(text).alias("now"), F.struct("*").alias("row"))
    met = rows.unionByName(decisions.select("id", "keep", VERSION), allowMissingColumns=True)
    of_id = Window.partitionBy("id")
    met = met.select("row", "now", *(found.over(of_id).alias(name) for name, found in (
        ("rows", F.count("now")), ("keep", F.max("keep")), (VERSION, F.max(VERSION)))), "id")
    how = F.when(F.col("keep").isNull(), "appeared").when(F.col("rows") == 0, "disappeared")
    how = how.when(F.col("rows") > 1, "been repeated").when(F.col("now") != F.col(VERSION), "changed")
    shown = F.coalesce(F.concat(F.lit("'"), F.col("id").cast("string"), F.lit("'")), F.lit("null"))
    message = F.concat(F.lit(f"{id}: row "), shown, F.lit(" has "), how, F.lit(f" {SINCE}"))
    chosen = F.when(how.isNotNull(), F.raise_error(message)).otherwise(F.col("now").isNotNull() & F.col("keep"))
    return met.where(chosen).select("row.*")


def _decisions(rows):
    """Makes the result of dedup(). `rows` has id, version, is_copy, head_id and copies of each document, and, of the
    first document with the same text, match, similarity, lost, longest_lost, as_written, removed and cluster, each
    possibly null."""
    removed = F.coalesce("removed", F.lit(False))
    exact = F.col("is_copy") & ~removed  # if the head is removed, so are its copies, for the same reason
    of_head = F.col("match").isNotNull() & ~exact
    return rows.select(
        "id", (~F.col("is_copy") & ~removed).alias("keep"),
        F.when(exact, "exact").when(removed, "near").when(of_head, "own_text").alias("reason"),
        F.when(exact, F.col("head_id")).when(of_head, F.col("match")).alias("match"),
        F.when(exact, F.lit(1.0)).when(of_head, F.col("similarity")).alias("similarity"),
        F.when(of_head, F.col("lost")).alias("lost"), F.when(of_head, F.col("longest_lost")).alias("longest_lost"),
        F.when(of_head & ~removed & (F.col("as_written") < 1), F.col("as_written")).alias("as_written"),
        F.coalesce(F.col("cluster"), F.when(F.col("copies") > 1, F.col("head_id"))).alias("cluster"), VERSION)


def _named(similar, ranked):
    """Adds the ids of the earlier and the later document of each pair, as id1 and id2."""
    for side, name in (("earlier", "id1"), ("later", "id2")):
        similar = similar.join(ranked.select(F.col("rank").alias(side), F.col("id").alias(name)), side)
    return similar


def _counts(similar):
    """Returns (matches, all similar pairs)."""
    return tuple(similar.agg(F.coalesce(F.sum("covered"), F.lit(0)), F.count(F.lit(1))).collect()[0])
