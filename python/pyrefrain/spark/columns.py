"""Verbs that process each document by itself: fingerprints, and the items of a test set that a document contains."""

import functools
import warnings

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _core
from ..errors import InvalidArgument
from .frames import TASK, check_columns, map_batches, refuse


def fingerprint(df, *, text="text", id="id", tokenizer="words-nfkc", hash="xxh3", window=3, seed=0, tie=False,
                stop_words=(), **other):
    """Computes the SimHash of each text: rows (id, fingerprint). Lazy.

    A fingerprint is a long with the same 64 bits that the command line prints as an unsigned number. It is null if
    the text is null or too short.
    """
    refuse("fingerprint", other, {"preset", "device", "html", "format"})
    check_columns(df, text=text, id=id)
    return fingerprinted(df.select(F.col(id).alias("id"), F.col(text).alias("text")), tokenizer=tokenizer, hash=hash,
                         window=window, seed=seed, tie=tie, stop_words=list(stop_words))


def fingerprinted(rows, **options):
    """Returns the rows with the column `text` replaced by `fingerprint`."""
    _core.fingerprints([], **options)  # raises an error if an option is invalid
    schema = T.StructType([field for field in rows.schema if field.name != "text"])
    names = list(schema.names)
    schema = schema.add("fingerprint", T.LongType())

    def run(batch):
        found = pa.array(_core.fingerprints(batch.column("text"), **TASK, **options))
        return pa.record_batch([*(batch.column(name) for name in names), found.view(pa.int64())],
                               [*names, "fingerprint"])

    return map_batches(rows, run, schema)


def contaminated(df, items, *, text="text", id="id", item_text="text", item_id="id", min_tokens=8, share=0.8,
                 passage=50, tokenizer="words-nfkc", **other):
    """Finds the items of a test set that the documents contain, as `refrain dedup --against` does. Lazy.

    items        a text or a list of texts, whose ids are their positions; or a DataFrame with `item_text` and
                 `item_id`. Every task gets all items, so nothing is shuffled.
    min_tokens   shorter items are not searched for; a warning counts them, and it is an error if there are no others
    share        the share of an item's tokens that a stretch of the document must contain, in order; 0.6 to 1
    passage      this many tokens in a row are enough to report that a document contains part of an item

    Returns rows (id, item, share, begin, end): the best place of each item in each document, in bytes of the text.
    """
    refuse("contaminated", other, {"action", "device", "html", "format"})
    check_columns(df, text=text, id=id)
    if hasattr(items, "collect"):
        check_columns(items, item_text=item_text, item_id=item_id)
        rows = items.select(item_id, item_text).collect()
        kind = items.schema[item_id].dataType
        ids, texts = [row[0] for row in rows], [row[1] for row in rows]
    else:
        texts = [items] if isinstance(items, str) else list(items)
        ids, kind = list(range(len(texts))), T.LongType()
    if not texts:
        raise InvalidArgument("items: there are none")
    rules = (("min_tokens", min_tokens), ("share", share), ("passage", passage), ("tokenizer", tokenizer))
    _core.ItemSearcher([], **dict(rules))  # raises an error if an option is invalid
    schema = T.StructType([
        T.StructField("id", df.schema[id].dataType), T.StructField("item", kind),
        T.StructField("share", T.DoubleType()), T.StructField("begin", T.LongType()),
        T.StructField("end", T.LongType())])
    given = tuple(texts)
    _check_searched(given, rules, min_tokens)

    def run(batch):
        found = pa.record_batch(_searcher(given, rules).find(batch.column(1), **TASK))
        item_kind = {T.LongType(): pa.int64(), T.IntegerType(): pa.int32()}.get(kind, pa.string())
        named = pa.array([ids[item] for item in found.column("item").to_pylist()], item_kind)
        return pa.record_batch([batch.column(0).take(found.column("row")), named, found.column("share"),
                                found.column("begin").cast(pa.int64()), found.column("end").cast(pa.int64())],
                               schema.names)

    return map_batches(df.select(id, text), run, schema)


def _check_searched(texts, rules, min_tokens):
    searcher = _searcher(texts, rules)
    short = sum(searcher.skipped(item) for item in range(len(texts)))
    if short == len(texts):
        raise InvalidArgument(f"items: none has {min_tokens} tokens or more; lower min_tokens")
    if short != 0:
        warnings.warn(f"{short:,} of {len(texts):,} items are null or have fewer than {min_tokens} tokens, and are not "
                      "searched for", stacklevel=3)


@functools.lru_cache(maxsize=1)
def _searcher(texts, rules):
    return _core.ItemSearcher(list(texts), **dict(rules))
