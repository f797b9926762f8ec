"""pyrefrain.spark.dedup makes the decisions of the command line, however the documents are partitioned."""

import contextlib
import json
import os
import pathlib
import random
import sys
import tempfile
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generated import families, rows_of, words
from spark_case import LONG, SOURCE_DIR, SparkCase, long_form, main

DECISION = ("id", "keep", "reason", "match", "similarity", "lost", "longest_lost", "as_written", "cluster")


def in_many_tasks():
    """Within this context, no task may hold all sketches."""
    from pyrefrain.spark import one_task
    return mock.patch.object(one_task, "MOST_BYTES", 0)


class Decisions(SparkCase):

    @staticmethod
    def shown(row):
        """Returns a decision with numbers as the program prints them."""
        digits = {"similarity": 6, "as_written": 3}
        return tuple(value if value is None or name not in digits else f"{value:.{digits[name]}g}"
                     for name, value in zip(DECISION, row))

    def decisions(self, frame, **options):
        from pyrefrain import spark
        rows = spark.dedup(frame, **options).collect()
        self.assertEqual(tuple(rows[0].asDict()), DECISION)
        found = {}
        for row in rows:
            self.assertNotIn(row.id, found)
            found[row.id] = self.shown(row)
        return found

    def expected(self, rows, *flags, more=()):
        checked = () if "--near" in flags else ("--sample", "0")
        out = self.program("dedup", rows, *checked, *flags, more=more)
        found = {}
        with open(os.path.join(out, "decisions.jsonl"), encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["cluster"] is not None:
                    row["cluster"] = rows[row["cluster"]][0]
                found[row["id"]] = self.shown([row.get(name) for name in DECISION])
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            return found, json.load(file)

    def expect_same(self, rows, *flags, more=(), schema="id string, text string", frame=None, **options):
        expected, summary = self.expected(rows, *flags, more=more)
        found = self.decisions(self.frame(rows, schema) if frame is None else frame, **options)
        self.assertEqual(found, expected)
        return summary


class Changing:
    """A DataFrame whose rows are read from a file again each time it is evaluated."""

    def __init__(self, case, rows):
        import pyarrow as pa
        path = self._path = tempfile.mkstemp(dir=case.folder)[1]
        self.write(rows)

        def read(batches):
            for _ in batches:
                with open(path, encoding="utf-8") as file:
                    columns = [pa.array(column, pa.string()) for column in zip(*json.load(file))]
                yield pa.record_batch(columns, ["id", "text"])

        self.frame = case.spark.range(1).coalesce(1).mapInArrow(read, "id string, text string")

    def write(self, rows):
        with open(self._path, "w", encoding="utf-8") as file:
            json.dump(rows, file)


def changed(rows, at):
    return [(id, text + " more" if row == at else text) for row, (id, text) in enumerate(rows)]


class Dedup(Decisions):

    def test_crowds_copies_and_own_texts_are_decided_alike(self):
        rows = rows_of(families(1, 300) + ["", "short", "short", "\u6f22\u5b57 and so on"])
        summary = self.expect_same(rows)
        with in_many_tasks():
            self.expect_same(rows)
        self.assertGreater(summary["rounds"], 2)
        self.assertGreater(summary["removed_near"], 50)
        self.assertGreater(summary["removed_exact"], 20)
        self.assertGreater(summary["own_text"], 0)

    def test_templates_of_sources_and_another_order_are_alike(self):
        pick = random.Random(2)
        texts = (families(2, 60, navigation=150, crowd=12) + families(3, 60, navigation=200, crowd=12)
                 + families(4, 60, crowd=12))
        rows = [(f"d{i:03}", text, f"s{i // 60}", pick.randrange(100)) for i, text in enumerate(texts)]
        pick.shuffle(rows)
        rows.sort(key=lambda row: (-row[3], row[0]))
        given = {"more": ("source", "score"), "source": "source", "order": "-score",
                 "schema": "id string, text string, source string, score int"}
        with in_many_tasks():
            summary = self.expect_same(rows, "--source-field", "source", **given)
        if LONG:
            self.expect_same(rows, "--source-field", "source", **given)
        self.assertEqual(summary["templates"]["sources"], 2)
        self.assertGreater(summary["removed_near"], 20)

    @long_form
    def test_hosts_are_sources(self):
        texts = families(5, 50, navigation=150, crowd=12) + families(6, 50, crowd=12)
        rows = [(f"https://{'www.' if i % 2 else ''}site{i // 50}.example/{i}", text) for i, text in enumerate(texts)]
        # With this many more sources, the sketching tasks do not keep all texts of samples.
        rows = sorted(rows + [(f"https://other{i // 8}.example/{i}", text)
                              for i, text in enumerate(families(7, 80, crowd=80))])
        summary = self.expect_same(rows, frame=self.frame(rows).coalesce(1))
        self.assertEqual(summary["templates"]["sources"], 1)
        self.assertGreater(summary["removed_near"], 10)

    def test_every_spelling_means_the_same_to_the_program_to_pyrefrain_and_to_spark(self):
        import pyrefrain
        from pyrefrain.spark.dedup import _read_by_engine
        defaults = {"exact": True, "near": "minhash", "templates": True, "max_loss": "auto"}
        rows = rows_of(["a few words"])
        for name, spellings in {"exact": ("on", "off"), "near": ("minhash", "off"), "templates": ("auto", "off"),
                                "max_loss": ("0", "16", "auto", "any")}.items():
            for spelling in spellings:
                with self.subTest(option=name, spelling=spelling):
                    read = self.expected(rows, "--" + name.replace("_", "-"), spelling)[1]["options"][name]
                    value = int(spelling) if spelling.isdigit() else spelling
                    values = [value] + [flag for flag, word in ((True, "on"), (True, "auto"), (False, "off"))
                                        if word == spelling and name in ("exact", "templates")]
                    for one in values:
                        self.assertEqual(pyrefrain.dedup(["a few words"], **{name: one}).report["options"][name], read)
                        self.assertEqual(_read_by_engine(**{**defaults, name: one})[name], read)
        self.assertEqual(_read_by_engine(**dict.fromkeys(defaults))["max_loss"], "auto")

    def test_the_tables_are_those_of_the_program(self):
        import pyarrow as pa
        import pyarrow.parquet as pq
        from pyrefrain import errors, spark
        # The tables are read as Spark writes them: it knows no unsigned numbers, and no column that is never null.
        rows = rows_of(families(17, 250) + ["", "short", "short", "\u6f22\u5b57 and so on"])
        out = self.program("dedup", rows, "--sample", "0", "--tables", "parquet")
        plain = self.program("dedup", rows, "--near", "off", "--tables", "parquet")
        frame = self.frame(rows)
        ways = ((False, out, {}), (True, out, {}), (False, plain, {"near": "off"}))
        for number, (many, folder, options) in enumerate(ways if LONG else ways[:1]):
            written = os.path.join(self.folder, f"tables-{number}")
            with in_many_tasks() if many else contextlib.nullcontext():
                kept = spark.dedup(frame, apply=True, output=written, **options).count()
            for name in ("decisions", "matches", "clusters"):
                expected, found = (pq.read_table(os.path.join(above, f"{name}.parquet")) for above in (folder, written))
                if name == "clusters":
                    expected = expected.set_column(1, "digest", expected["digest"].cast(pa.decimal128(20, 0)))
                self.assertEqual(found.column_names, expected.column_names)
                for one, other in zip(found.schema, expected.schema):
                    self.assertTrue(one.type == other.type or str(one.type).startswith(("list", "struct")), one)
                columns = [(column, "ascending") for column in expected.column_names[:2] if column.startswith("id")]
                expected, found = (table.sort_by(columns).to_pylist() for table in (expected, found))
                numbers = {}
                if name == "decisions":  # Spark does not look for these details (docs/spark.md)
                    self.assertEqual({row.pop("differs_in") for row in found}, {None})
                    self.assertGreater(sum(row.pop("differs_in") is not None for row in expected), 0)
                for one, other in zip(found, expected):
                    if "cluster" in one:  # another number of the same cluster
                        self.assertEqual(numbers.setdefault(one["cluster"], other["cluster"]), other.pop("cluster"))
                        one.pop("cluster")
                self.assertEqual(len(set(numbers.values())), len(numbers))
                self.assertEqual(found, expected, name)
                self.assertGreater(len(found), 10)
            self.assertEqual(kept, sum(row["keep"] for row in pq.read_table(f"{folder}/decisions.parquet").to_pylist()))
        os.rename(os.path.join(written, "matches.parquet"), os.path.join(written, "others.parquet"))
        with self.assertRaisesRegex(errors.InvalidArgument, "^output: .*/clusters.parquet exists already"):
            spark.dedup(frame, output=pathlib.Path(written))
        self.assertEqual(sorted(os.listdir(written)), ["clusters.parquet", "decisions.parquet", "others.parquet"])

    @long_form
    def test_partitions_change_nothing(self):
        rows = rows_of(families(9, 80, crowd=8))
        self.spark.conf.set("spark.sql.shuffle.partitions", 1)
        try:
            frame = self.frame(rows).repartition(17)
            with in_many_tasks():
                summary = self.expect_same(rows, "--templates", "off", frame=frame, templates="off")
            self.expect_same(rows, "--templates", "off", frame=frame, templates=False)
        finally:
            self.spark.conf.set("spark.sql.shuffle.partitions", 2)
        self.assertGreater(summary["removed_near"], 10)

    @long_form
    def test_crowds_that_one_task_cannot_hold_are_decided_alike(self):
        from pyrefrain.spark import crowds
        with mock.patch.object(crowds, "ONE_TASK_BYTES", 0):  # so the plan of one task is abandoned
            summary = self.expect_same(rows_of(families(11, 120, crowd=3)))
        self.assertGreater(summary["rounds"], 2)
        self.assertGreater(summary["own_text"], 0)

    @long_form
    def test_a_page_of_many_copies_costs_no_more_than_many_pages(self):
        from pyrefrain import spark
        pick = random.Random(7)
        page, before, after = (" ".join(words(pick, count)) for count in (60, 40, 40))
        # Copies of one text; and near duplicates, which form one group of a band.
        copies, dated = 100_000, 1_000
        rows = rows_of([page] * copies + [f"{before} day{i} {after}" for i in range(dated)])
        frame = self.spark.range(copies + dated).selectExpr(
            "format_string('d%06d', id) as id",
            f"if(id < {copies}, '{page}', concat('{before} day', id - {copies}, ' {after}')) as text")
        kept = spark.dedup(frame, apply=True)
        self.assertEqual(kept.columns, frame.columns)
        expected, summary = self.expected(rows)
        self.assertLess(summary["kept"], 20)
        expected = sorted(id for id, row in expected.items() if row[1])
        self.assertEqual(sorted(row.id for row in kept.collect()), expected)
        with in_many_tasks():
            kept = spark.dedup(frame, apply=True)
        self.assertEqual(sorted(row.id for row in kept.collect()), expected)

    @long_form
    def test_ids_that_share_a_number_are_told_apart(self):
        from pyrefrain import errors, spark
        from pyrefrain.spark import frames
        from pyspark.sql import functions as F
        rows = rows_of(families(12, 40))
        number = frames._number
        with mock.patch.object(frames, "_number", lambda seed: F.pmod(number(seed), F.lit((30, 2**62)[seed]))):
            self.expect_same(rows)
        with self.assertRaisesRegex(errors.InvalidArgument, "'d000003' is the id of 2 rows"):
            spark.dedup(self.frame([*rows, rows[3]]))

    def test_a_row_that_is_not_what_it_was_is_an_error_that_names_it(self):
        from pyrefrain import errors, spark
        from pyrefrain.spark.frames import Workspace
        rows = rows_of(families(13, 40, navigation=60))
        removed = next(at for at, row in enumerate(self.expected(rows)[0].values()) if row[2] == "near")
        frame = Changing(self, rows)
        keep = Workspace.keep
        moments = (("similar", changed(rows, removed), contextlib.nullcontext),  # compares texts
                   ("sketched_again", changed(rows, removed), contextlib.nullcontext),  # uses templates
                   ("similar", [*rows[:removed], *rows[removed + 1:]], in_many_tasks))
        for step, others, way in moments if LONG else moments[:1]:

            def while_it_changes(workspace, made, name, step=step, others=others):
                frame.write(others if name == step else rows)
                return keep(workspace, made, name)

            with (self.subTest(step=step, way=way.__name__),
                  mock.patch.object(Workspace, "keep", while_it_changes), way()):
                frame.write(rows)
                with self.assertRaisesRegex(errors.BadInput,
                                            f"^id: row '{rows[removed][0]}' has changed or disappeared"):
                    spark.dedup(frame.frame)

    def test_rows_that_are_kept_are_those_that_were_decided_on(self):
        from pyrefrain import spark
        rows = rows_of(families(13, 40))
        frame = Changing(self, rows)
        kept = spark.dedup(frame.frame, apply=True)
        self.assertEqual(kept.columns, ["id", "text"])
        expected, summary = self.expected(rows)
        self.assertGreater(summary["removed_near"], 3)
        self.assertEqual(sorted(map(tuple, kept.collect())), sorted(row for row in rows if expected[row[0]][1]))
        for how, others in (("changed", changed(rows, 7)), ("disappeared", [*rows[:7], *rows[8:]]),
                            ("been repeated", [*rows, rows[7]]),
                            ("appeared", [*rows[:7], ("d000007x", rows[7][1]), *rows[7:]])):
            frame.write(others)
            with self.subTest(how), self.assertRaisesRegex(Exception, f"id: row 'd000007x?' has {how} since"):
                kept.select("*").collect()  # a different query, because the same one need not read again

    def test_a_null_is_no_id(self):
        from pyrefrain import errors, spark
        rows = [*rows_of(families(14, 20)), (None, "a text of its own")]
        for verb, way in (((spark.dedup, contextlib.nullcontext), (spark.near, contextlib.nullcontext),
                           (spark.dedup, in_many_tasks)) if LONG else ((spark.dedup, contextlib.nullcontext),)):
            with way(), self.assertRaisesRegex(errors.InvalidArgument, "^id: the id of a row is null"):
                verb(self.frame(rows))

    def test_rows_without_a_text_are_kept_dropped_or_an_error(self):
        from pyrefrain import errors, spark
        rows, expected, missing, frame = self.with_missing_texts()
        self.assertEqual(self.decisions(frame), expected | {id: (id, True, *[None] * 7) for id, _ in missing})
        with self.assertRaisesRegex(errors.BadInput, "^text: 2 rows have no text"):
            spark.dedup(frame, nulls="error")
        with self.assertRaisesRegex(errors.InvalidArgument, "^nulls: there is no 'skip'"):
            spark.dedup(frame, nulls="skip")
        if LONG:
            self.assertEqual(self.decisions(frame, nulls="drop"), expected)
            with self.assertRaisesRegex(errors.InvalidArgument, "'d000003' is the id of 2 rows"):
                spark.dedup(self.frame([*rows, (rows[3][0], None)]))
            self.assertEqual(len(self.decisions(self.frame(missing))), 2)

    @long_form
    def test_rows_without_a_text_are_kept_by_many_tasks_and_when_texts_are_returned(self):
        from pyrefrain import errors, spark
        rows, expected, missing, frame = self.with_missing_texts()
        with in_many_tasks():
            self.assertEqual(self.decisions(frame), expected | {id: (id, True, *[None] * 7) for id, _ in missing})
        kept = sorted([row for row in rows if expected[row[0]][1]], key=str)
        self.assertEqual(sorted(map(tuple, spark.dedup(frame, apply=True).collect()), key=str),
                         sorted(kept + missing, key=str))
        self.assertEqual(sorted(map(tuple, spark.dedup(frame, apply=True, nulls="drop").collect()), key=str), kept)
        with self.assertRaisesRegex(errors.InvalidArgument, "^id: the id of a row is null"):
            spark.dedup(self.frame([*rows, (None, None)]))

    def with_missing_texts(self):
        """Returns (rows, their decisions, rows without a text, a DataFrame of both)."""
        # The page is long enough for templates, so that texts are sketched a second time.
        rows = rows_of(families(13, 40, navigation=60))
        missing = [("d000004x", None), ("null", None)]
        return rows, self.expected(rows)[0], missing, self.frame([*rows[:5], missing[0], *rows[5:], missing[1]])

    def test_the_example_keeps_what_other_libraries_keep(self):
        sys.path.insert(0, os.path.join(SOURCE_DIR, "examples"))
        self.addCleanup(sys.path.pop, 0)
        import same_answer
        self.assertEqual(same_answer.main({name: same_answer.WAYS[name] for name in ("a list", "Spark")}), 0)

    def test_nothing_and_a_single_document_are_decided(self):
        from pyrefrain import spark
        self.assertEqual(spark.dedup(self.frame([])).collect(), [])
        self.expect_same([("a", "one text that is all there is of it")])

    @long_form
    def test_exact_copies_in_many_partitions(self):
        rows = rows_of(families(8, 60)) + [("null", None)]
        expected, summary = self.expected(rows[:-1], "--near", "off")
        self.assertGreater(summary["removed_exact"], 5)
        self.assertEqual(self.decisions(self.frame(rows).repartition(200), near="off"),
                         expected | {"null": ("null", True, *[None] * 7)})


if __name__ == "__main__":
    main()
