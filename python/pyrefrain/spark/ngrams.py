"""ngrams on Spark: every n-gram that occurs at least m times.

The location-based algorithm (Huston, Moffat and Croft 2011): every n-gram is shuffled as a hash and its place; places
whose hash occurs often enough are sent back to their texts; the n-grams read there are grouped again by their text,
so no result depends on a hash.
"""

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _core
from ..errors import InvalidArgument
from .frames import DOC, TASK, Documents, Workspace, map_batches, refuse


def ngrams(df, *, text="text", id="id", n=8, m=2, tokenizer="words-nfkc", places=False, checkpoint=None, **other):
    """Finds every n-gram that occurs at least `m` times, as `refrain ngrams build` does.

    Returns rows (ngram, count, documents) or, with places=True, a row (ngram, id, token) for each occurrence, where
    tokens are counted from 0. The text of an n-gram is its normalized tokens, joined by single spaces.
    """
    refuse("ngrams", other, {"algorithm", "html", "format", "force"})
    if m < 2:
        raise InvalidArgument("m: must be 2 or more")
    _core.ngram_keys([], n=n, tokenizer=tokenizer)  # raises an error if an option is invalid
    documents = Documents(df, text, id)
    documents.number()
    workspace = Workspace(df.sparkSession, checkpoint)
    # Every occurrence is represented by its hash; occurrences with equal hashes are counted together.
    of_key = Window.partitionBy("key")
    repeated = _keys(documents.rows.select(DOC, "text"), n, tokenizer).withColumn(
        "places", F.count(F.lit(1)).over(of_key)).where(F.col("places") >= m)
    wanted = repeated.groupBy(DOC).agg(F.sort_array(F.collect_list("token")).alias("tokens"))
    found = workspace.keep(_texts(documents.rows.select(DOC, "id", "text").join(wanted, DOC), documents, n, tokenizer),
                           "grams")
    counted = found.groupBy("ngram").agg(F.sum(F.size("tokens")).alias("count"), F.count(F.lit(1)).alias("documents"))
    counted = counted.where(F.col("count") >= m)
    if not places:
        return counted
    return found.join(counted.select("ngram"), "ngram", "left_semi").select(
        "ngram", "id", F.explode("tokens").alias("token"))


def _keys(rows, n, tokenizer):
    def run(batch):
        found = pa.record_batch(_core.ngram_keys(batch.column("text"), n=n, tokenizer=tokenizer, **TASK))
        row = found.column("row").to_pylist()
        tokens, last, at = [], -1, 0
        for number in row:
            at = at + 1 if number == last else 0
            last = number
            tokens.append(at)
        return pa.record_batch([found.column("key").view(pa.int64()), batch.column(DOC).take(found.column("row")),
                                pa.array(tokens, pa.int32())], ["key", DOC, "token"])

    return map_batches(rows, run, "key long, doc long, token int")


def _texts(rows, documents, n, tokenizer):
    """Returns a row for every document and n-gram, with its places in the document."""
    schema = T.StructType([T.StructField("ngram", T.StringType()), T.StructField("id", documents.id_type),
                           T.StructField("tokens", T.ArrayType(T.IntegerType()))])

    def run(batch):
        lists = batch.column("tokens")
        row, token = lists.value_parent_indices().cast(pa.int64()), lists.flatten().cast(pa.int64())
        grams = pa.array(_core.ngram_texts(batch.column("text"), row, token, n=n,
                                           tokenizer=tokenizer)).cast(pa.binary())
        of = {}
        for number, gram, at in zip(row.to_pylist(), grams.to_pylist(), token.to_pylist()):
            of.setdefault((number, gram), []).append(at)
        ids = batch.column("id").take(pa.array([number for number, _ in of], pa.int64()))
        texts = pa.array([gram for _, gram in of], pa.binary()).view(pa.string())
        return pa.record_batch([texts, ids, pa.array(of.values(), pa.list_(pa.int32()))], schema.names)

    return map_batches(rows.select("id", "text", "tokens"), run, schema)
