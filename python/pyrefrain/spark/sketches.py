"""What dedup keeps of every document: a digest of its text, its signature, and its keys."""

import functools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _core
from .frames import DOC, TASK, map_in_tasks

NO_SITE = 1  # of documents that come from nowhere in particular
_MADE = [T.StructField("template", T.IntegerType()), T.StructField("digest", T.BinaryType()),
         T.StructField("judged", T.BooleanType()), T.StructField("lanes", T.BinaryType()),
         T.StructField("keys", T.BinaryType()), T.StructField("sample", T.StringType())]
_SAMPLED_SITES = 8  # of a task: with more of them, texts would be kept that no sample needs


@functools.lru_cache(maxsize=4)
def matcher(options, templates=()):
    """One a process. `options` are pairs of names and values."""
    return _core.DocumentMatcher(**dict(options), templates=list(templates))


def site_of(source):
    """A column: the number of a document's source. Null where it is the host that the id names, if any: see sketch()."""
    if source is None:
        return F.lit(None).cast("long")
    return F.xxhash64(F.coalesce(F.col(source).cast("string"), F.lit("")))


def sketch(documents, source, options, templates=None):
    """Rows of doc, id, more columns, site, template, strong, bytes, digest, judged, lanes, keys and sample: the text, where that
    may be needed to find templates, and else null.

    `templates` maps sites to their numbers and windows; then only documents of these sites are sketched.
    """
    passed = documents.rows.select(
        DOC, "id", *documents.more, site_of(source).alias("site"),
        F.unhex(F.sha2(F.col("text"), 256)).alias("strong"), F.octet_length("text").cast("long").alias("bytes"), "text")
    if templates and source is not None:
        passed = passed.where(F.col("site").isin(list(templates.numbers)))
    kept = [field for field in passed.schema if field.name != "text"]
    schema = T.StructType(kept + _MADE)
    numbers = templates.numbers if templates else {}
    windows = tuple(templates.windows) if templates else ()

    def made_of(batch, samples):
        if source is None:
            batch = _with_hosts(batch)
        if numbers:
            batch = batch.filter(pa.array([site in numbers for site in batch.column("site").to_pylist()], pa.bool_()))
        text = batch.column("text")
        of = pa.array([numbers.get(site, 0) for site in batch.column("site").to_pylist()], pa.int32())
        made = pa.record_batch(matcher(options, windows).sketches(text, of, **TASK))
        digests = pa.array(_core.digests(text, **TASK)).cast(pa.binary())
        sampled = [False] * len(text) if numbers else samples.choose(batch, digests, made.column("judged"))
        columns = [batch.column(field.name) for field in kept]
        columns += [of, digests, made.column("judged"), made.column("lanes").cast(pa.binary()), _packed(made.column("keys")),
                    pc.if_else(pa.array(sampled, pa.bool_()), text, None)]
        return pa.record_batch(columns, schema.names)

    def run(batches):
        samples = _Samples()
        for batch in batches:
            if batch.num_rows:
                yield made_of(batch, samples)

    return map_in_tasks(passed, run, schema)


class _Samples:
    """Chooses the texts of a task that may be in the sample of a source: those with the least digests that have come by."""

    def __init__(self):
        self._least = {}  # by site, ascending

    def choose(self, batch, digests, judged):
        """Which rows of a batch those are."""
        most = _core.template_sample["most_documents"]
        sites = batch.column("site").to_numpy()
        fits = pc.and_(judged, pc.less_equal(batch.column("bytes"), _core.template_sample["document_bytes"]))
        chosen = np.zeros(len(sites), bool)
        for site in sorted(set(sites.tolist())):
            if site not in self._least and len(self._least) == _SAMPLED_SITES:
                continue
            least = self._least.setdefault(site, [])
            lesser = pc.less(digests, least[-1]) if len(least) == most else pa.scalar(True)
            rows = np.flatnonzero((sites == site) & pc.and_(fits, lesser).to_numpy(zero_copy_only=False))
            known = set(least)
            enough = len(known) + most
            for row in rows[pc.sort_indices(digests.take(pa.array(rows))).to_numpy()].tolist():
                if (digest := digests[row].as_py()) not in known:
                    known.add(digest)
                    chosen[row] = True
                if len(known) == enough:
                    break
            self._least[site] = sorted(known)[:most]
        return chosen


def _with_hosts(batch):
    sites = pa.array(_core.sites_of_addresses(batch.column("id").cast(pa.string()))).view(pa.int64())
    sites = pa.array([site or NO_SITE for site in sites.to_pylist()], pa.int64())
    return batch.set_column(batch.schema.get_field_index("site"), "site", sites)


def _packed(lists):
    """Lists of one size as bytes: Spark reads and writes arrays number by number."""
    numbers = lists.flatten().to_numpy()
    width = lists.type.list_size * numbers.itemsize
    return pa.Array.from_buffers(pa.binary(width), len(lists), [None, pa.py_buffer(numbers)]).cast(pa.binary())


def keys_of(packed, bands):
    """The keys of documents by row and band: uint32."""
    packed = packed.cast(pa.binary())
    begin, end = (np.frombuffer(packed.buffers()[1], np.int32)[packed.offset + i] for i in (0, len(packed)))
    return np.frombuffer(packed.buffers()[2], np.uint8)[begin:end].view(np.uint32).reshape(len(packed), bands)
