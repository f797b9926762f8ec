"""Clusters and kept sets on Spark, compared with those of a few lines of Python."""

import os
import random
import sys
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from spark_case import LONG, SparkCase, long_form, main


def plain_components(edges):
    least = {node: node for edge in edges for node in edge}
    changed = True
    while changed:
        changed = False
        for a, b in edges:
            low = min(least[a], least[b])
            if (least[a], least[b]) != (low, low):
                least[a] = least[b] = low
                changed = True
    return least


def plain_kept(matches):
    """Decides node by node: removes it for the least kept node that covers it, or keeps it beside the one that lacks
    the least of it."""
    decided, removed = {}, set()
    for later in sorted({match[0] for match in matches}):
        kept = [match for match in sorted(matches) if match[0] == later and match[1] not in removed]
        covering = [match for match in kept if match[6]]
        if covering:
            removed.add(later)
            decided[later] = (*covering[0][1:6], True)
        elif kept:
            decided[later] = (*min(kept, key=lambda match: match[4])[1:6], False)
    return decided


def graphs():
    pick = random.Random(1)
    yield "one edge", [(1, 2)]
    yield "a loop", [(5, 5), (5, 5), (7, 6)]
    yield "a chain in the worst order", [(i, i + 1) for i in range(20)]
    yield "a star", [(0, i) for i in range(1, 200)] + [(500, 300)]
    yield "random", [(pick.randrange(300), pick.randrange(300)) for _ in range(250)]


class Graphs(SparkCase):

    def workspace(self):
        from pyrefrain.spark.frames import Workspace
        return Workspace(self.spark)

    def test_components_are_those_of_the_plain_way(self):
        from pyrefrain.spark import graph
        # All graphs go into one job, because a job takes longer than any single graph.
        edges, expected = [], {}
        for number, (_, some) in enumerate(graphs()):
            edges += [(a + number * 1000, b + number * 1000) for a, b in some]
        expected = plain_components(edges)
        frame = self.frame(edges, "a long, b long")
        for edges_in_one_task in (0, 1_000_000) if LONG else (0,):
            with mock.patch.object(graph, "ONE_TASK_EDGES", edges_in_one_task):
                rows = graph.components(frame, self.workspace()).collect()
            self.assertEqual(len(rows), len(expected))
            self.assertEqual({row.node: row.component for row in rows}, expected, edges_in_one_task)

    @long_form
    def test_who_is_kept_is_decided_as_in_the_plain_way(self):
        from pyrefrain.spark import graph
        pick = random.Random(2)
        pairs = {(max(a, b), min(a, b)) for _, some in graphs() for a, b in some if a != b}
        matches = [(*pair, pick.choice([0.8, 0.9, 1.0]), pick.randrange(50), pick.randrange(0, 40),
                    pick.choice([0.5, 1.0]), pick.randrange(2)) for pair in pairs]
        matches += [(2001 + i, 2000 + i, 0.9, 1, 1, 1.0, 1) for i in range(50)]  # a chain of possible removals
        expected = plain_kept(matches)
        frame = self.frame(matches, "later long, earlier long, similarity double, lost long, longest_lost long, "
                                    "as_written double, covered long")
        self.assertTrue(any(row[-1] for row in expected.values()) and not all(row[-1] for row in expected.values()))
        for edges_in_one_task in (0, 1_000_000):
            with mock.patch.object(graph, "ONE_TASK_EDGES", edges_in_one_task):
                rows = graph.decide(frame, self.workspace()).collect()
            self.assertEqual(len(rows), len(expected))
            self.assertEqual({row[0]: tuple(row[1:]) for row in rows}, expected, edges_in_one_task)

    def test_crowds_know_who_is_removed_whatever_the_ranks(self):
        import pyarrow as pa
        from pyrefrain.spark import crowds, graph
        pick = random.Random(3)
        ranks = sorted(pick.sample(range(1 << 62), 60))
        pairs = sorted({tuple(sorted(pick.sample(ranks, 2), reverse=True)) for _ in range(200)})
        matches = [(*pair, 0.9, 1, pick.randrange(40), 1.0, pick.randrange(2)) for pair in pairs]
        pick.shuffle(matches)
        names = ("later", "earlier", "similarity", "lost", "longest_lost", "as_written", "covered")
        tables = [pa.table(list(map(list, zip(*some))), list(names)) for some in (matches[:120], matches[120:])]
        known = crowds.Crowds.__new__(crowds.Crowds)
        known._similar = tables[0].select(graph.DECIDING).slice(0, 0)
        for count, table in ((120, tables[0]), (200, tables[1])):
            removed = {rank for rank, row in plain_kept(matches[:count]).items() if row[-1]}
            self.assertEqual(set(known._removed(table).tolist()), removed)


if __name__ == "__main__":
    main()
