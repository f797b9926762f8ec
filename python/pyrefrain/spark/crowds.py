"""The rounds of dedup after the first, in one task that holds the sketches of all crowds. A round that is run as
Spark jobs takes seconds even if there is little to do, so small crowds are processed this way.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from .. import _core
from . import graph
from .frames import map_all
from .meeting import COMPARED, PAIR, SIMILAR, similar
from .sketches import keys_of, matcher

ONE_TASK_BYTES = 128 << 20  # bytes of texts that one task may hold
ONE_TASK_PAIRS = 4_000_000  # similar pairs found so far
_LANE_PAIRS = 100_000  # pairs whose signatures are compared at a time
_MOST_ROUNDS = 64
_LEAST_ROUNDS = 3  # each round looks at the crowds in a different order
_MANY_ROUNDS = 8  # from then on, a round that leaves more than this share of documents is the last
_WORTH_IT = 0.9


def rounds(documents, found, removed):
    """Yields the numbers of the rounds, from the second on, until a round finds nothing or too little.

    documents() returns the number of documents that are compared, removed() how many of them are removed so far, and
    found() two counts of pairs that the last round found: matches, and all similar pairs.
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


def split(rows):
    """Splits the result of meeting.compare() into the members of the crowds and the similar pairs."""
    is_member = pc.is_valid(rows["rank"])
    return (rows.filter(is_member).drop_columns(PAIR + COMPARED),
            rows.filter(pc.invert(is_member)).select(PAIR + COMPARED))


def fit_one_task(among, similar):
    """Whether one task can hold the texts of the crowds and the pairs that are similar so far."""
    return similar <= ONE_TASK_PAIRS and (among.agg(F.sum("bytes")).collect()[0][0] or 0) <= ONE_TASK_BYTES


def settle(compared, documents, options, templates):
    """Finds the similar pairs of all rounds after the first. `compared` is the result of meeting.compare() for the
    first."""
    windows = tuple(templates.windows)

    def run(rows):
        found = Crowds(*split(rows), matcher(options, windows)).settle(documents)
        return pa.concat_tables(found)

    return map_all(compared.coalesce(1), run, SIMILAR)


def distinct(numbers):
    """The distinct numbers, ascending. np.unique() hashes integers, which takes many times as long."""
    numbers = np.sort(numbers)
    return numbers[np.append(True, numbers[1:] != numbers[:-1])[:len(numbers)]]


class Members:
    """The sketches of documents in order of rank. A document is identified by its position, and a pair by one number,
    later * documents + earlier."""

    def __init__(self, lanes, keys, matcher):
        self._lanes = lanes
        self._keys = keys_of(keys, matcher.bands)
        self._matcher = matcher

    def meet(self, alive, round):
        """Returns the distinct pairs of the documents at positions `alive` that meet in a round, and the positions of
        the crowds' members."""
        bands = self._keys.shape[1]
        pairs = crowds = np.zeros(0, np.int64)
        for band in range(bands):
            met, groups, crowd = self._walk(self._keys[alive, band], alive, band, round)
            other = self._keys[crowd, _core.MeetingPlan.other_band(band, bands, round)]
            again = pa.array(_core.crowd_groups(pa.array(groups), pa.array(other))).to_numpy()
            once_more, *_ = self._walk(again, crowd, band, round)
            pairs = distinct(np.concatenate([pairs, met, once_more]))  # most pairs have met in another band already
            crowds = distinct(np.concatenate([crowds, crowd]))
        return pairs, crowds

    def _walk(self, keys, places, band, round):
        """Returns the pairs that meet, and the groups and positions of the entries in crowds."""
        entries = (keys.astype(np.uint64) << 32) | places.astype(np.uint64)
        entries.sort()
        keys = entries >> 32
        alike = np.zeros(len(keys) + 1, bool)
        alike[1:-1] = keys[1:] == keys[:-1]
        entries = entries[alike[1:] | alike[:-1]]  # documents with a unique key meet nobody
        groups, places = (band << 32) + (entries >> 32).astype(np.int64), (entries & 0xFFFFFFFF).astype(np.int64)
        pairs, crowd = map(pa.record_batch, _core.MeetingPlan(round).add(pa.array(groups), pa.array(places)))
        later, earlier = (pairs[name].to_numpy() for name in PAIR)
        return later * len(self._lanes) + earlier, crowd["group"].to_numpy(), crowd["rank"].to_numpy()

    def may_match(self, pairs):
        """Returns the later and the earlier positions of the pairs that the signatures do not rule out."""
        later, earlier = self.split(pairs)
        may = np.concatenate([np.zeros(0, bool), *(
            pa.array(self._matcher.may_match(self._lanes.take(later[part]),
                                             self._lanes.take(earlier[part]))).to_numpy(False)
            for part in (slice(begin, begin + _LANE_PAIRS) for begin in range(0, len(pairs), _LANE_PAIRS)))])
        return later[may], earlier[may]

    def split(self, pairs):
        return np.divmod(pairs, max(len(self._lanes), 1))


class Crowds:
    """Settles the crowds. `members` are the documents of the crowds; `known`, the similar pairs of all documents in
    round one."""

    def __init__(self, members, known, matcher):
        members = members.sort_by("rank").combine_chunks()
        self._matcher = matcher
        self._ranks = members["rank"].to_numpy()
        lanes, keys, self._texts, self._templates = (members[name].chunk(0)
                                                     for name in ("lanes", "keys", "text", "template"))
        self._members = Members(lanes, keys, matcher)
        self._found = _found(known)
        self._similar = known.select(graph.DECIDING).slice(0, 0)
        self._gone = self._removed(known)
        inside = np.logical_and(*(np.isin(known[name].to_numpy(), self._ranks) for name in PAIR))
        later, earlier = (np.searchsorted(self._ranks, known[name].to_numpy()[inside]) for name in PAIR)
        self._met = later * len(self._ranks) + earlier

    def settle(self, documents):
        """Yields the similar pairs that each round finds. `documents` is the number of all documents that are
        compared."""
        for round in rounds(lambda: documents, lambda: self._found, lambda: len(self._gone)):
            alive = np.flatnonzero(np.isin(self._ranks, self._gone, invert=True))
            pairs = np.setdiff1d(self._members.meet(alive, round)[0], self._met, assume_unique=True)
            self._met = np.concatenate([self._met, pairs])
            places = self._members.may_match(pairs)
            ranks = [self._ranks[place] for place in places]
            made = pa.table(similar(self._matcher, self._texts, self._templates, places, ranks))
            self._found = _found(made)
            self._gone = self._removed(made)
            yield made

    def _removed(self, made):
        """Adds the pairs to those known so far, and returns the ranks of the documents that are now removed."""
        known = pa.concat_tables([self._similar, made.select(graph.DECIDING)]).combine_chunks()
        later, earlier = (known[name].to_numpy() for name in PAIR)
        self._similar = known.take(np.lexsort((earlier, later)))
        deciding = graph.deciding_rows(self._similar)
        return self._similar["later"].to_numpy()[deciding][self._similar["covered"].to_numpy()[deciding] != 0]


def _found(similar):
    """Returns (matches, all similar pairs)."""
    return int(similar["covered"].to_numpy().sum()), len(similar)
