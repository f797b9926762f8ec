"""The rounds of dedup after the first. A round of jobs costs seconds however little there is to do, so where the crowds are
small one task does all of them: it holds their sketches and texts, and does what meeting.py does with DataFrames.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from .. import _core
from .frames import DOC, TASK
from .meeting import COMPARED, PAIR, SIMILAR
from .sketches import matcher

ONE_TASK_BYTES = 128 << 20  # of texts
ONE_TASK_PAIRS = 1_000_000  # that are similar so far
_TEXT_BYTES = 16 << 20  # that are compared at a time
_LANE_PAIRS = 100_000  # the same
_MOST_ROUNDS = 64
_LEAST_ROUNDS = 3  # each looks at the crowds in another order
_MANY_ROUNDS = 8  # after which one that leaves more than this share is the last
_WORTH_IT = 0.9


def rounds(documents, found, removed):
    """The second round and those after it, until one finds nothing or too little.

    documents() and removed() tell how many are compared and how many of them are removed by now; found(), how many pairs the
    round before has found: matches, and all that are similar.
    """
    own_texts, kept = False, None
    for round in range(2, _MOST_ROUNDS + 1):
        matches, similar = found()
        own_texts = own_texts or similar > matches
        if matches == 0 and round > _LEAST_ROUNDS:
            return
        if round >= _MANY_ROUNDS:
            now = documents() - removed()
            if own_texts and round > _MANY_ROUNDS and now > _WORTH_IT * kept:
                return
            kept = now
        yield round


def fit_one_task(texts, similar):
    """Whether a task can hold the texts of the crowds, and the pairs that are similar so far."""
    return similar <= ONE_TASK_PAIRS and (texts.agg(F.sum(F.octet_length("text"))).collect()[0][0] or 0) <= ONE_TASK_BYTES


def settle(similar, found, among, texts, documents, options, templates):
    """The similar pairs of all rounds after the first, which has `found` those of `similar`."""
    known = similar.select(F.col("later").alias("rank"), "earlier", "covered")
    members = among.join(texts, DOC).select("rank", "template", "lanes", "keys", "text")
    windows = tuple(templates.windows)

    def run(batches):
        yield from _Crowds(pa.Table.from_batches(batches), matcher(options, windows)).settle(found, documents)

    return known.unionByName(members, allowMissingColumns=True).coalesce(1).mapInArrow(run, SIMILAR)


class _Crowds:
    """Documents are known by their places in the order of ranks, and a pair by one number: later * documents + earlier."""

    def __init__(self, rows, matcher):
        is_pair = pc.is_valid(rows["earlier"])
        pairs, members = rows.filter(is_pair), rows.filter(pc.invert(is_pair)).sort_by("rank").combine_chunks()
        self._matcher = matcher
        self._ranks = members["rank"].to_numpy()
        self._lanes, self._texts, self._templates, keys = (members[name].chunk(0) for name in ("lanes", "text", "template", "keys"))
        self._keys = keys.flatten().to_numpy().view(np.uint32).astype(np.int64).reshape(len(members), -1)
        self._sizes = pc.binary_length(self._texts).to_numpy().astype(np.int64)
        later, earlier = (pairs[name].to_numpy() for name in ("rank", "earlier"))
        covered = pairs["covered"].to_numpy() != 0
        self._covered = [np.stack([later[covered], earlier[covered]])]  # ranks; the later of the two may go
        inside = np.isin(later, self._ranks) & np.isin(earlier, self._ranks)
        self._met = self._numbers(later[inside], earlier[inside])
        self._removed = None

    def settle(self, found, documents):
        """Yields what each round finds."""
        for round in rounds(lambda: documents, lambda: found, lambda: len(self._gone())):
            alive = np.isin(self._ranks, self._gone(), invert=True)
            pairs = np.setdiff1d(self._meet(alive, round), self._met)
            self._met = np.concatenate([self._met, pairs])
            found = (0, 0)
            for made in self._compare(pairs):
                covered = made["covered"].to_numpy() != 0
                self._covered.append(np.stack([made[name].to_numpy()[covered] for name in PAIR]))
                found = (found[0] + int(covered.sum()), found[1] + len(covered))
                yield made
            self._removed = None

    def _numbers(self, later, earlier):
        return np.searchsorted(self._ranks, later) * len(self._ranks) + np.searchsorted(self._ranks, earlier)

    def _gone(self):
        """The ranks that are removed, by what is known so far."""
        if self._removed is None:
            later, earlier = np.concatenate(self._covered, axis=1)
            order = np.lexsort((earlier, later))
            gone = set()
            for one, other in zip(later[order].tolist(), earlier[order].tolist()):
                if other not in gone:
                    gone.add(one)
            self._removed = np.fromiter(gone, np.int64, len(gone))
        return self._removed

    def _meet(self, alive, round):
        bands = self._keys.shape[1]
        groups = (np.arange(bands) << 32) + self._keys[alive]
        pairs, groups, ranks = self._walk(groups.ravel(), np.repeat(self._ranks[alive], bands), round)
        others = np.array([_core.MeetingPlan.other_band(band, bands, round) for band in range(bands)])
        other = self._keys[np.searchsorted(self._ranks, ranks), others[groups >> 32]]
        once_more, *_ = self._walk(pa.array(_core.crowd_groups(pa.array(groups), pa.array(other))).to_numpy(), ranks, round)
        return np.concatenate([pairs, once_more])

    def _walk(self, groups, ranks, round):
        """Pairs, and the groups and ranks of the crowds."""
        order = np.lexsort((ranks, groups))
        pairs, crowd = _core.MeetingPlan(round).add(pa.array(groups[order]), pa.array(ranks[order]))
        pairs, crowd = pa.record_batch(pairs), pa.record_batch(crowd)
        return self._numbers(*(pairs[name].to_numpy() for name in PAIR)), crowd["group"].to_numpy(), crowd["rank"].to_numpy()

    def _compare(self, pairs):
        """Yields those that are similar."""
        later, earlier = np.divmod(pairs, max(len(self._ranks), 1))
        may = np.concatenate([np.zeros(0, bool), *(
            pa.array(self._matcher.may_match(self._lanes.take(later[part]), self._lanes.take(earlier[part]))).to_numpy(False)
            for part in (slice(begin, begin + _LANE_PAIRS) for begin in range(0, len(pairs), _LANE_PAIRS)))])
        later, earlier = later[may], earlier[may]
        bounds = np.flatnonzero(np.diff(np.cumsum(self._sizes[later] + self._sizes[earlier]) // _TEXT_BYTES)) + 1
        for one, other in zip(np.split(later, bounds), np.split(earlier, bounds)):
            found = pa.record_batch(self._matcher.compare(
                self._texts.take(other), self._texts.take(one), self._templates.take(other), self._templates.take(one), **TASK))
            made = pa.record_batch([pa.array(self._ranks[one]), pa.array(self._ranks[other]), *found.columns], [*PAIR, *COMPARED])
            yield made.filter(pc.greater(found["similarity"], 0))
