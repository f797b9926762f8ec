"""Finds the templates of sources: text that many otherwise different documents of a source share. Uses samples, as
dedup does."""

import bisect

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Window
from pyspark.sql import functions as F

from .. import _core
from .frames import DOC, TASK, RowChanged, map_in_tasks, map_sorted
from .sketches import matcher

LIMITS = _core.template_sample


class Templates:
    """The sources that have a template. numbers[site] counts from 1; windows[number - 1] are the hashes to leave out.
    """

    def __init__(self, found):
        self.numbers = {site: number for number, (site, _) in enumerate(found, start=1)}
        self.windows = [windows for _, windows in found]

    def __bool__(self):
        return bool(self.windows)


def look(compared, by_source):
    """Returns the largest sources, and their samples: rows (site, digest, doc, bytes). `compared` has a row for every
    document that is compared: doc, id, site, digest, bytes."""
    sites = _largest(compared, by_source)
    return sites, _samples(compared, set(sites)) if sites else []


def samples_of(compared, by_source):
    """Does the same for a table of all compared documents. Returns rows (site, digest, doc, bytes, place), sorted by
    the places of the sources and by digest."""
    sites = compared["site"].to_numpy()
    different, counts = np.unique(sites, return_counts=True)
    if by_source:
        by_id = pc.sort_indices(compared["id"].cast(pa.string()).cast(pa.binary())).to_numpy()
        ties = np.unique(sites[by_id], return_index=True)[1]
    else:
        ties = different.view(np.uint64)
    largest = np.lexsort((ties, -counts))[:LIMITS["most_sources"]]
    largest = largest[counts[largest] >= LIMITS["least_documents"]]
    places = np.full(len(different), -1)
    places[largest] = np.arange(len(largest))
    place = places[np.searchsorted(different, sites)]
    fitting = (place >= 0) & (compared["bytes"].to_numpy() <= LIMITS["document_bytes"])
    drawn = compared.select(["site", "digest", DOC, "bytes"]).append_column("place", pa.array(place)).filter(
        pa.array(fitting))
    drawn = drawn.sort_by([("place", "ascending"), ("digest", "ascending")]).combine_chunks()
    place, digest = drawn["place"].to_numpy(), drawn["digest"]
    first = np.full(len(drawn), True)  # of those with the same source and digest
    first[1:] = ((place[1:] != place[:-1])
                 | pc.not_equal(digest.slice(1), digest.slice(0, len(digest.slice(1)))).to_numpy())
    drawn, place = drawn.filter(pa.array(first)), place[first]
    return drawn.filter(pa.array(np.arange(len(place)) - np.searchsorted(place, place) < LIMITS["most_documents"]))


def find(documents, sketched, sites, samples, all_bytes, options):
    """Finds the templates of the largest sources in their samples."""
    drawn = draw(sites, samples, all_bytes)
    if not drawn:
        return Templates([])
    rows = F.broadcast(documents.spark.createDataFrame(drawn, "doc long, site long, digest binary"))
    kept = sketched.where("sample is not null").select("site", "digest", F.col("sample").alias("text"))
    found, seen = _templates(kept.join(rows, ["site", "digest"]), options)
    if len(seen) < len(drawn):  # with many sources, not all texts were kept
        found, seen = _templates(documents.rows.select(DOC, "text").join(rows, DOC), options)
    for doc, site, digest in drawn:
        if (site, bytes(digest)) not in seen:
            raise RowChanged(doc)
    return choose(sites, found)


def choose(sites, found):
    """Returns the templates that fit into the limit, largest sources first."""
    chosen, room = [], LIMITS["most_windows"]
    for site in sites:
        windows = found.get(site, b"")
        if windows and len(windows) // 8 <= room:
            room -= len(windows) // 8
            chosen.append((site, windows))
    return Templates(chosen)


def windows_of(matcher, texts):
    """Returns the windows that many texts of a sample share. The texts must be in order of their digests."""
    found = pa.array(matcher.find_template(pa.array(texts, pa.binary())))
    return found.buffers()[1].to_pybytes()[:8 * len(found)] if len(found) else b""


def _largest(compared, by_source):
    """Returns sites by size; ties are broken by the least id of a document or, without `by_source`, by the site's
    number."""
    ties = ["least"] if by_source else [F.expr("site < 0"), "site"]
    largest = compared.groupBy("site").agg(F.count(F.lit(1)).alias("documents"), F.min(F.col("id").cast("string"))
                                           .alias("least"))
    largest = largest.where(F.col("documents") >= LIMITS["least_documents"])
    rows = largest.sort(F.desc("documents"), *ties).limit(LIMITS["most_sources"]).select("site").collect()
    return [row.site for row in rows]


def _samples(compared, sites):
    """Returns the least digests of each site. Each task first finds its own least, so that a large source is not
    moved."""
    most = LIMITS["most_documents"]

    def run(batches):
        best = {}
        for batch in batches:
            for site, digest, doc, size in zip(*(batch.column(i).to_pylist() for i in range(4))):
                if site not in sites:
                    continue
                sample = best.setdefault(site, [])
                if len(sample) == most and digest >= sample[-1][0]:
                    continue
                place = bisect.bisect_left(sample, (digest,))
                if place == len(sample) or sample[place][0] != digest:
                    sample.insert(place, (digest, doc, size))
                    del sample[most:]
        rows = [(site, *row) for site, sample in best.items() for row in sample]
        columns = list(zip(*rows)) if rows else [[]] * 4
        kinds = [pa.int64(), pa.binary(), pa.int64(), pa.int64()]
        yield pa.record_batch([pa.array(column, kind) for column, kind in zip(columns, kinds)],
                              ["site", "digest", DOC, "bytes"])

    fitting = compared.where(F.col("bytes") <= LIMITS["document_bytes"]).select("site", "digest", DOC, "bytes")
    least = map_in_tasks(fitting, run, "site long, digest binary, doc long, bytes long")
    least = least.dropDuplicates(["site", "digest"])
    order = Window.partitionBy("site").orderBy("digest")
    return least.withColumn("place", F.row_number().over(order)).where(F.col("place") <= most).collect()


def draw(sites, samples, all_bytes):
    """Returns the documents of the samples that fit into the limits, as rows (doc, site, digest)."""
    of_site = {}
    for row in sorted(samples, key=lambda row: row["digest"]):
        of_site.setdefault(row["site"], []).append(row)
    left = max(LIMITS["all_bytes"], all_bytes // LIMITS["share_of_text"])
    drawn = []
    for site in sites:
        used, chosen = 0, []
        for row in of_site.get(site, []):
            if used + row["bytes"] > LIMITS["source_bytes"]:
                break
            used += row["bytes"]
            chosen.append((row[DOC], site, row["digest"]))
        if used > left:
            break
        left -= used
        drawn += chosen
    return drawn


def _templates(sampled, options):
    """Returns the windows by site, and the (site, digest) of each text that was found. A text whose digest has
    changed is left out."""

    def make():
        held = {"site": None, "texts": {}}

        def finish(made):
            if held["texts"]:
                made.append((held["site"], windows_of(matcher(options), list(held["texts"].values())),
                             list(held["texts"])))

        def take(batch):
            made = []
            if batch is not None:
                texts = batch.column("text").cast(pa.binary())  # they may be invalid UTF-8
                columns = batch.column("site"), batch.column("digest"), pa.array(_core.digests(texts, **TASK)), texts
                for site, digest, now, text in zip(*(column.to_pylist() for column in columns)):
                    if site != held["site"]:
                        finish(made)
                        held.update(site=site, texts={})
                    if now == digest:
                        held["texts"][digest] = text
            else:
                finish(made)
            kinds = [pa.int64(), pa.binary(), pa.list_(pa.binary())]
            columns = list(zip(*made)) if made else [[]] * 3
            return pa.record_batch([pa.array(column, kind) for column, kind in zip(columns, kinds)],
                                   ["site", "windows", "digests"])

        return take

    found = map_sorted(sampled.select("site", "digest", "text"), ["site"], ["digest"], make,
                       "site long, windows binary, digests array<binary>").collect()
    return ({row.site: bytes(row.windows) for row in found},
            {(row.site, bytes(one)) for row in found for one in row.digests})
