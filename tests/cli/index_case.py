"""Shared by the tests of the index: generated text, and the verbs as functions."""

import json

from program import TestCase, vocabulary

WORDS = vocabulary(4000, seed=3)
# Words that none of the texts above contains.
UNIQUE = [f"{word}q{i}" for i, word in enumerate(WORDS)]


def run_of(first, count):
    """Returns consecutive words that occur nowhere else."""
    return " ".join(UNIQUE[first:first + count])


class Index(TestCase):
    def create(self, *inputs, index="index", **more):
        return self.run_program("index", "create", index, *inputs, "-q", **more)

    def rows(self, *arguments, code=0, **more):
        """Returns the rows that a verb prints, and its cursor."""
        out = self.run_program(*arguments, code=code, **more).out.decode()
        self.assertTrue(out == "" or out.endswith("\n"), out[-200:])
        rows = [json.loads(line) for line in out.splitlines()]
        cursor = rows.pop()["cursor"] if rows and "cursor" in rows[-1] else None
        return rows, cursor

    def query(self, *arguments, index="index", **more):
        return self.rows("index", "query", index, *arguments, **more)[0]

    def extract(self, *arguments, index="index", **more):
        return self.rows("index", "extract", index, *arguments, **more)[0]

    def blots(self, *arguments, **more):
        return self.rows("index", "blots", *arguments, **more)[0]

    def stats(self, index="index"):
        return json.loads(self.run_program("index", "stats", index, "--json").out)

    def places(self, row):
        return [(place["id"], place["begin"], place["end"]) for place in row["occurrences"]]

    def assert_in_files(self, row):
        """Checks every place of a passage against the contents of the file."""
        for place in row["occurrences"]:
            content = self.read(place["id"])
            self.assertEqual(place["text"], content[place["begin"]:place["end"]].decode("utf-8", "replace"))


class ThreeDocuments(Index):
    """a and b share a run of 30 words."""

    def setUp(self):
        super().setUp()
        self.write("docs/a", f"{run_of(0, 60)} the end of a\n")
        self.write("docs/b", f"b begins. {run_of(20, 30)} and goes on {run_of(100, 15)}")
        self.write("docs/c", f"nothing of the kind, {run_of(200, 40)}")
