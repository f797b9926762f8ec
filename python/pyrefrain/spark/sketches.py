"""The sketch of every document in dedup: a digest of its text, its signature, and its band keys."""

import functools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _core
from .frames import DOC, TASK, VERSION, map_in_tasks

NO_SITE = 1  # for documents without a source
_MADE = [T.StructField("template", T.IntegerType()), T.StructField("digest", T.BinaryType()),
         T.StructField("judged", T.BooleanType()), T.StructField("lanes", T.BinaryType()),
         T.StructField("keys", T.BinaryType()), T.StructField("sample", T.StringType())]
_SAMPLED_SITES = 8  # per task; with more sites, texts would be kept that no sample needs


@functools.lru_cache(maxsize=4)
def matcher(options, templates=()):
    """Cached, one per process and options. `options` is a tuple of (name, value) pairs."""
    return _core.DocumentMatcher(**dict(options), templates=list(templates))


def site_of(source):
    """A column with the number of a document's source. If `source` is None, it is null and sketch() uses the host in
    the id."""
    if source is None:
        return F.lit(None).cast("long")
    return F.xxhash64(F.coalesce(F.col(source).cast("string"), F.lit("")))


def sketch(documents, source, options, templates=None):
    """Returns rows of doc, version, id, more columns, site, template, strong, bytes, digest, judged, lanes, keys and
    sample. The sample is the text if the search for templates may need it, else null.

    If `templates` is given, only documents of its sites are sketched.
    """
    passed = documents.rows.select(
        DOC, VERSION, "id", *documents.more, site_of(source).alias("site"),
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
        columns += [of, digests, made.column("judged"), made.column("lanes").cast(pa.binary()),
                    _packed(made.column("keys")), pc.if_else(pa.array(sampled, pa.bool_()), text, None)]
        return pa.record_batch(columns, schema.names)

    def run(batches):
        samples = _Samples()
        for batch in batches:
            if batch.num_rows:
                yield made_of(batch, samples)

    return map_in_tasks(passed, run, schema)


class _Samples:
    """Chooses the texts of a task that may be in the sample of a source: those with the least digests so far."""

    def __init__(self):
        self._least = {}  # by site, ascending

    def choose(self, batch, digests, judged):
        """Returns a mask of the chosen rows of a batch."""
        most = _core.template_sample["most_documents"]
        sites = batch.column("site").to_numpy()
        fits = pc.and_kleene(judged, pc.less_equal(batch.column("bytes"), _core.template_sample["document_bytes"]))
        chosen = np.zeros(len(sites), bool)
        for site in sorted(set(sites.tolist())):
            if site not in self._least and len(self._least) == _SAMPLED_SITES:
                continue
            least = self._least.setdefault(site, [])
            lesser = pc.less(digests, least[-1]) if len(least) == most else pa.scalar(True)
            rows = np.flatnonzero((sites == site) & pc.and_kleene(fits, lesser).to_numpy(zero_copy_only=False))
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
    """Packs fixed-size lists into bytes, because Spark reads and writes arrays element by element."""
    numbers = lists.flatten().to_numpy()
    width = lists.type.list_size * numbers.itemsize
    return pa.Array.from_buffers(pa.binary(width), len(lists), [None, pa.py_buffer(numbers)]).cast(pa.binary())


def keys_of(packed, bands):
    """Unpacks the keys of documents into a uint32 array with a row per document and a column per band."""
    packed = packed.cast(pa.binary())
    begin, end = (np.frombuffer(packed.buffers()[1], np.int32)[packed.offset + i] for i in (0, len(packed)))
    return np.frombuffer(packed.buffers()[2], np.uint8)[begin:end].view(np.uint32).reshape(len(packed), bands)
