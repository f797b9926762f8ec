"""The decisions, matches and clusters of dedup as Parquet, with the columns of `refrain dedup --tables parquet`."""

import os

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from ..errors import about

_RANGES = "array<struct<begin:bigint,end:bigint>>"
_DECISIONS = {
    "id": "string", "keep": "boolean", "reason": "string", "match": "string", "similarity": "double",
    "unverified": "string", "known": "string", "known_digest": "string", "verified": "boolean", "lost": "bigint",
    "longest_lost": "bigint", "lost_attachments": "bigint", "as_written": "double", "differs_in": "string",
    "spans": _RANGES, "cluster": "bigint", "override": "string", "override_seq": "bigint",
    "against": f"struct<match:string,similarity:double,spans:{_RANGES}>"}
_MATCHES = {"id1": "string", "id2": "string", "similarity": "double", "diff": "bigint"}
_CLUSTERS = {"id": "string", "digest": "decimal(20,0)", "cluster": "bigint"}
_TABLES = {"matches": _MATCHES, "clusters": _CLUSTERS, "decisions": _DECISIONS}


def check(folder, session):
    """Returns where the tables go. Raises an error if one of them is there already."""
    folder = os.fspath(folder).rstrip("/")
    for name in _TABLES:
        path = f"{folder}/{name}.parquet"
        try:
            session.read.text(path).schema  # looks for the path
        except AnalysisException as error:
            if "PATH_NOT_FOUND" in str(error):
                continue
            raise
        raise about("output", f"{path} exists already; name another folder")
    return folder


def write(folder, decisions, digests, matches):
    """Writes the three tables into `folder`. `digests` has the id of each document and the digest of its text."""
    number = F.when(F.col("cluster").isNotNull(), F.xxhash64(F.col("cluster").cast("string")))
    decisions = decisions.withColumn("cluster", number).withColumn("spans", F.array())
    high = F.conv(F.substring(F.hex("digest"), 1, 16), 16, 10)
    clusters = decisions.select("id", "cluster").join(digests, "id", "left").withColumn("digest", high)
    for (name, columns), frame in zip(_TABLES.items(), (matches, clusters, decisions)):
        there = set(frame.columns)
        chosen = [(F.col(column) if column in there else F.lit(None)).cast(kind).alias(column)
                  for column, kind in columns.items()]
        frame.select(chosen).write.parquet(f"{folder}/{name}.parquet")
