"""A query is compared with named documents, pairs, or the index itself; and flags that do not apply then."""

import json
import re

from index_case import ThreeDocuments, run_of
from program import main


class Compared(ThreeDocuments):
    def test_a_query_is_compared_with_the_documents_that_are_named(self):
        self.create("docs")
        self.write("q", f"zz yy {run_of(25, 20)} xx {run_of(210, 20)}")
        self.assertEqual({place["id"] for row in self.query("q") for place in row["occurrences"]},
                         {"docs/a", "docs/b", "docs/c"})
        told = self.query("q", "--with", "docs/b", "--with", "docs/c")
        # The passage of b is also in a and counts as less rare for that, although a is not asked about.
        self.assertEqual([[place["id"] for place in row["occurrences"]] for row in told], [["docs/c"], ["docs/b"]])
        self.assertIn("docs/x: no document",
                      self.run_program("index", "query", "index", "q", "--with", "docs/x", code=3).err)
        self.write("q2", run_of(25, 20))
        self.write("pairs", "q\tdocs/c\nq2\tdocs/a\nq2\tdocs/x\nq3\tdocs/a\n")
        result = self.run_program("index", "query", "index", "q", "q2", "--pairs", "pairs")
        told = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([(row["query"], [place["id"] for place in row["occurrences"]]) for row in told],
                         [("q", ["docs/c"]), ("q2", ["docs/a"])])
        self.assertEqual(result.err,
                         "refrain: --pairs: 1 row skipped: the document is not in the index, such as docs/x\n"
                                     "refrain: --pairs: 1 query not found in the input\n")
        self.write("q.txt", "one\ntwo\n")
        self.assertIn("--id-field", self.run_program("index", "query", "index", "q.txt", "--format", "lines",
                                                     "--pairs", "pairs", code=3).err)
        self.run_program("index", "query", "index", "q", "--pairs", "pairs", "--with", "docs/a", code=2)

    def test_a_row_that_is_none_is_named_with_its_file_and_line(self):
        self.create("docs")
        self.write("q", run_of(25, 20))
        for rows, what in (("id1\tid2\tdiff\nq\tdocs/a\nq docs/b\n", "line 3: has no tab"),
                           ("\tdocs/a\n", "line 1: has no query id"),
                           ("q\tdocs/a\n\nq\t\n", "line 3: has no document id")):
            self.write("pairs", rows)
            result = self.run_program("index", "query", "index", "q", "--pairs", "pairs", code=3)
            self.assertIn(f"pairs: {what}; a row is 'query id<TAB>document id'", result.err)
            self.assertEqual(result.out, b"")

    def test_flags_of_an_input_that_is_not_read_are_refused_by_name(self):
        self.create("docs")
        self.write("q", run_of(25, 20))
        flags = ["--format lines", "--text-field t", "--id-field t", "--delimiter ;", "--charset latin1",
                 "--max-doc-bytes 9", "--binary", "--html main", "--as-is", "--strict", "--skip-unreadable",
                 "--skipped x.tsv"]
        for asked, why in (("--id docs/a", "--id: reads no input"), ("--self", "--self: reads no input"),
                           ("q --raw", "--raw: reads every INPUT as plain text"),
                           ("--id docs/a --raw", "--id: reads no input")):
            for flag in flags:
                result = self.run_program("index", "query", "index", *asked.split(), *flag.split(), code=2)
                self.assertIn(f"{why}; remove {flag.split()[0]}\n", result.err)
            both = self.run_program("index", "query", "index", *asked.split(), "--strict", "--format", "lines",
                                    "--strict", code=2)
            self.assertIn(f"{why}; remove --strict, --format\n", both.err)
            self.query(*asked.split())
        [listed] = re.findall(r"(?s)\nInput:(.*?)\n\n", self.run_program("index", "query", "--help").out.decode())
        self.assertEqual(re.findall(r"--[a-z-]+", listed), [flag.split()[0] for flag in flags])

    def test_an_index_is_compared_with_itself(self):
        self.write("docs/d", f"{run_of(0, 60)} {run_of(205, 30)} {run_of(0, 60)}")
        self.create("docs")
        told = self.query("--self", "--limit", "0")
        pairs = [(row["query"], place["id"]) for row in told for place in row["occurrences"]]
        self.assertEqual(set(pairs),
                         {("docs/a", "docs/b"), ("docs/a", "docs/d"), ("docs/b", "docs/d"), ("docs/c", "docs/d")})
        for row in told:
            self.assert_in_files(row)
        self.write("matches.tsv", "id1\tid2\tdiff\ndocs/c\tdocs/d\t3\n")
        [row] = self.query("--self", "--pairs", "matches.tsv")
        self.assertEqual((row["query"], row["passage"]), ("docs/c", run_of(205, 30)))
        result = self.run_program("index", "query", "index", "--self", "--limit", "1")
        self.assertRegex(result.err,
                         r"^refrain: \d of 3 documents may have more than 1 passage; for all of them, add --limit 0\n$")
        self.run_program("index", "query", "index", "--self", "docs/a", code=2)
        self.run_program("index", "query", "index", "--self", "--id", "docs/a", code=2)
        self.create("docs/c", index="one")
        self.query("--self", index="one", code=1)

    def test_pairs_that_are_left_out_are_counted(self):
        for number in range(30):
            self.write(f"many/{number:02}",
                       f"{run_of(100 + 20 * number, 20)} {run_of(0, 40)} {run_of(1000 + 20 * number, 20)}")
        self.create("many")

        def pairs(*flags):
            result = self.run_program("index", "query", "index", "--self", "--output", "tsv", "--no-text", *flags)
            rows = [line.split("\t") for line in result.out.decode().splitlines()[1:]]
            return len({(row[0], row[3]) for row in rows}), result.err

        self.assertEqual(pairs("--limit", "0"), (435, ""))
        self.assertEqual(pairs("--limit", "0", "--max-occurrences", "0"), (435, ""))
        said = "refrain: 45 more candidates were not compared; to compare all of them, add --max-occurrences 0\n"
        self.assertEqual(pairs("--limit", "0", "--max-occurrences", "20"), (390, said))
        self.assertEqual(pairs(), (390, said))
        self.assertEqual(pairs("--quiet"), (390, ""))
        summary = json.loads(self.run_program("index", "query", "index", "--self", "--json", "--no-text").err)
        self.assertEqual((summary["occurrences"], summary["unverified"]), (390, 45))


if __name__ == "__main__":
    main()
