"""Parquet with a real Spark: files written by Spark can be read, Spark reads the files that are written, and nothing
else changes."""

import contextlib
import glob
import json
import os
import shutil
import sys
import tempfile
import unittest

from program import SOURCE_DIR, TestCase, documents, jsonl, main

sys.path.insert(0, os.path.join(SOURCE_DIR, "python", "tests", "spark"))
from spark_case import JAVA, LONG, SKIPPED, long_form, make_session  # noqa: E402

try:
    from pyspark.sql import SparkSession
except ImportError:
    SparkSession = None

SETTINGS = {"session.timeZone": "UTC", "parquet.compression.codec": "snappy",
            "parquet.datetimeRebaseModeInWrite": "CORRECTED", "parquet.int96RebaseModeInWrite": "CORRECTED"}
CODECS = ("uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4raw") if LONG else ("snappy", "zstd")
TEXTS = documents(240, seed=29, length=60)
ADDED = ["dup_cluster_id bigint", "dup_cluster_size bigint", "dup_keep boolean", "dup_reason string",
         "dup_match string", "dup_similarity double", "dup_lost bigint", "dup_longest_lost bigint"]

# A column of every kind besides the number and the text.
COLUMNS = """
    n, text,
    named_struct('lang', if(n % 5 = 0, null, 'de'), 'text', text, 'tags', array(substring(text, 1, 3))) as doc,
    if(n % 7 = 0, null, named_struct('score', n / 7D, 'inner', named_struct('l', array(n, null)))) as deep,
    if(n % 4 = 0, null, transform(sequence(0, n % 3), i -> if(i = 1, null, concat('t', i)))) as tags,
    if(n % 3 = 0, array(), array(named_struct('a', n, 'b', array('x', null)), null)) as list,
    if(n % 6 = 0, null, map(concat('k', n), n, 'x', null)) as pairs,
    map(n, array(concat('v', n))) as lists,
    if(n % 5 = 1, null, cast(n / 100 as decimal(9, 2))) as small,
    if(n % 5 = 2, null, cast(-n / 3 as decimal(18, 4))) as middle,
    if(n % 5 = 3, null, cast(n as decimal(38, 10)) * 1000000007) as large,
    if(n % 4 = 1, null, timestamp_micros(1700000000123456 + n * 3600000000L)) as at,
    if(n % 4 = 2, null, timestamp_ntz'2024-02-29 12:00:00.5' + make_dt_interval(n)) as local,
    if(n % 4 = 3, null, date_add(date'2000-02-28', n)) as day,
    date_add(date'1500-02-20', n) as old_day,
    timestamp'1500-02-20 01:02:03.456789' + make_dt_interval(n) as old_time,
    if(n % 6 = 1, null, make_dt_interval(n, 1, 2, 3.5)) as lasted,
    if(n % 6 = 2, null, concat(unhex('00ff'), cast(concat('b', n) as binary))) as raw,
    cast(n % 100 as tinyint) as byte, cast(-n as smallint) as short, if(n % 6 = 3, null, n * 10000000000L) as long,
    cast(n / 3 as float) as single, if(n % 6 = 4, null, -n / 3D) as real, if(n % 6 = 5, null, n % 2 = 0) as flag,
    cast(null as string) as nothing, concat('kind ', n % 5) as `a kind, and (more)`
"""


def setUpModule():
    """Takes the Spark that is running (that of python/tests/spark/local_test.py), or starts one."""
    spark = SparkSession.getActiveSession()
    if spark is None:
        folder = tempfile.mkdtemp(prefix="refrain-spark-")
        unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
        spark = make_session(folder)
        unittest.addModuleCleanup(spark.stop)
    SparkCase.spark = spark
    settings = configured(spark, SETTINGS)
    settings.__enter__()
    unittest.addModuleCleanup(settings.__exit__, None, None, None)


@contextlib.contextmanager
def configured(spark, settings):
    before = {name: spark.conf.get(f"spark.sql.{name}") for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(f"spark.sql.{name}", value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(f"spark.sql.{name}", value)


class SparkCase(TestCase):
    spark = None

    def frame(self, texts=None):
        """Returns a row for each text, numbered."""
        self.write("texts/in.json", jsonl(TEXTS if texts is None else texts, n=lambda i: i))
        return self.spark.read.schema("n int, text string").json(self.path("texts"))

    def rich(self, texts=None):
        frame = self.frame(texts)
        frame.createOrReplaceTempView("texts")
        rich = self.spark.sql(f"select {COLUMNS} from texts")
        return rich.withMetadata("n", {"comment": "the \"number\" of a row, é"})

    def put(self, frame, name="set", parts=3, by=(), **options):
        """Writes a folder of `parts` files, whose rows are in the order of n."""
        ordered = frame.repartitionByRange(parts, "n") if parts > 1 else frame.coalesce(1)
        ordered.sortWithinPartitions(*by, "n").write.mode("overwrite").options(**options).parquet(
            self.path(name), partitionBy=list(by))
        return name

    def get(self, *parts):
        return self.spark.read.parquet(self.path(*parts))

    def row_groups(self, path):
        java = self.spark.sparkContext._jvm
        file = java.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(
            java.org.apache.hadoop.fs.Path(path), java.org.apache.hadoop.conf.Configuration())
        reader = java.org.apache.parquet.hadoop.ParquetFileReader.open(file)
        try:
            return reader.getFooter().getBlocks().size()
        finally:
            reader.close()

    def rows(self, frame):
        """Returns the rows by number."""
        rows = [row.asDict(recursive=True) for row in frame.collect()]
        made = {row["n"]: row for row in rows}
        self.assertEqual(len(made), len(rows))
        return made

    def expect_rows(self, made, expected):
        self.assertEqual(sorted(made), sorted(expected))
        for n, row in made.items():
            if row != expected[n]:  # for a readable message
                self.assertEqual(list(row), list(expected[n]))
                for name, value in row.items():
                    self.assertEqual(value, expected[n][name], f"row {n}, {name}")

    def twin(self, frame, by=()):
        """Returns the same rows, in the same order, as JSON with number and text."""
        rows = sorted(frame.select("n", "text", *by).collect(), key=lambda row: [*(row[name] for name in by), row.n])
        return "".join(json.dumps({"n": row.n, "text": row.text}) + "\n" for row in rows)

    def kept_of_json(self, content, *flags):
        """Returns the numbers of the rows that the same run keeps of JSON."""
        self.write("twin.jsonl", content)
        self.run_program("dedup", "twin.jsonl", "-o", "twin", "--id-field", "n", "--apply", "-q", "--force", *flags)
        return [json.loads(line)["n"] for line in self.read("twin", "clean", "twin.jsonl").splitlines()]

    def expect_deduped(self, name="set", by=(), flags=()):
        """Checks that the right rows of a folder by Spark are kept, and that Spark reads these, and the annotations
        of all rows, unchanged."""
        whole = self.get(name)
        rows = self.rows(whole)
        kept = self.kept_of_json(self.twin(whole, by), *flags)
        self.assertTrue(0 < len(kept) < len(rows))
        self.run_program("dedup", name, "-o", "out", "--id-field", "n", "--apply", "--annotate", "-q", "--force",
                         *flags)

        clean = self.get("out", "clean", name)
        self.assertEqual(clean.schema, whole.schema)
        self.expect_rows(self.rows(clean), {n: rows[n] for n in kept})

        annotated = self.get("out", "annotated", name)
        columns = len(whole.columns) - len(by)
        self.assertEqual(annotated.schema.fields[:columns] + annotated.schema.fields[columns + len(ADDED):],
                         whole.schema.fields)
        self.assertEqual([f"{field.name} {field.dataType.simpleString()}"
                          for field in annotated.schema.fields[columns:columns + len(ADDED)]], ADDED)
        decisions = [json.loads(line) for line in self.read("out", "decisions.jsonl").splitlines()]
        sizes = {}
        for decision in decisions:
            sizes[decision["cluster"]] = sizes.get(decision["cluster"], 0) + 1
        expected = {}
        for decision in decisions:
            n, cluster = int(decision["id"]), decision["cluster"]
            expected[n] = {**rows[n], "dup_cluster_id": cluster,
                           "dup_cluster_size": 1 if cluster is None else sizes[cluster], "dup_keep": decision["keep"],
                           "dup_reason": decision["reason"], "dup_match": decision["match"],
                           "dup_similarity": decision["similarity"], "dup_lost": decision.get("lost"),
                           "dup_longest_lost": decision.get("longest_lost")}
        made = self.rows(annotated)
        for row in made.values():
            if row["dup_similarity"] is not None:
                row["dup_similarity"] = round(row["dup_similarity"], 6)  # as in the annotations
        self.expect_rows(made, expected)
        self.assertEqual([n for n in expected if expected[n]["dup_keep"]], kept)
        return rows, kept


class Reading(SparkCase):

    def test_every_codec_of_spark_gives_what_json_gives(self):
        frame = self.frame().cache()
        self.write("twin.jsonl", self.twin(frame))
        expected = self.near("twin.jsonl", "--id-field", "n", output="twin").answer()[:2]
        self.assertGreater(len(expected[0].splitlines()), 20)
        for codec in CODECS:
            self.put(frame, codec, compression=codec)
            self.assertEqual(len(glob.glob(self.path(codec, "part-*.parquet"))), 3)
            self.assertIn("_SUCCESS", self.listing(codec))
            self.assertEqual(self.near(codec, "--id-field", "n", output=f"out-{codec}").answer()[:2], expected, codec)

    def test_exact_copies_are_those_that_spark_finds(self):
        frame = self.frame([text for text in TEXTS if len(text) > 100])
        self.put(frame)
        self.run_program("dedup", "set", "-o", "out", "--near", "off", "--apply", "-q")
        firsts = frame.groupBy("text").min("n").collect()
        self.assertLess(len(firsts), frame.count())
        self.assertEqual(sorted(self.rows(self.get("out", "clean", "set"))), sorted(row["min(n)"] for row in firsts))

    def test_what_streams_and_unfinished_jobs_leave_is_passed_over(self):
        self.put(self.frame(), parts=1)
        stream = self.spark.readStream.schema("n int, text string").parquet(self.path("set")).writeStream
        stream.trigger(availableNow=True).option("checkpointLocation", self.path("checkpoint")).format("parquet").start(
            self.path("stream")).awaitTermination()
        self.assertIn("_spark_metadata", self.listing("stream"))
        part = glob.glob(self.path("stream", "part-*.parquet"))[0]
        left = self.path("stream", "_temporary", "0", "_temporary", "attempt_1")
        os.makedirs(left)
        shutil.copy(part, left)
        self.assertEqual(self.get("stream").count(), len(TEXTS))

        expected = self.near("set", "--id-field", "n", output="before")
        made = self.near("stream", "--id-field", "n")
        self.assertEqual(made.answer()[:2], expected.answer()[:2])
        self.assertEqual(made.summary["documents"], len(TEXTS))


class Writing(SparkCase):

    def test_every_column_survives_whatever_the_codec(self):
        frame = self.rich().cache()
        for codec in CODECS:
            with self.subTest(codec):
                self.put(frame, compression=codec)
                rows, _ = self.expect_deduped()
                self.expect_rows(rows, self.rows(frame))

    @long_form
    def test_old_ways_of_writing_survive(self):
        for way in (
                {"parquet.writeLegacyFormat": "true"},
                {"parquet.outputTimestampType": "TIMESTAMP_MICROS"},
                {"parquet.outputTimestampType": "TIMESTAMP_MILLIS"},
                {"parquet.datetimeRebaseModeInWrite": "LEGACY", "parquet.int96RebaseModeInWrite": "LEGACY"},
        ):
            with self.subTest(way):
                with configured(self.spark, way):
                    self.put(self.rich())
                self.expect_deduped()

    def test_new_pages_and_several_row_groups_survive(self):
        self.put(self.rich(documents(500, seed=31, length=40)), parts=1,
                 **{"parquet.writer.version": "v2", "parquet.block.size": "4096", "parquet.page.size": "512"})
        self.assertGreater(self.row_groups(glob.glob(self.path("set", "part-*.parquet"))[0]), 2)
        self.expect_deduped()
        self.put(self.rich(), **{"parquet.enable.dictionary": "false", "parquet.bloom.filter.enabled#n": "true"})
        self.expect_deduped()

    def test_columns_that_are_folders_survive(self):
        sources = "case n % 4 when 0 then 'a' when 1 then 'b/c = %d' when 2 then 'é ü' end"
        self.put(self.rich().selectExpr("*", f"{sources} as source", "n % 2 as half").filter("n % 4 < 3"), parts=2,
                 by=("half", "source"))
        # In the order of the folders' names, which are escaped.
        order = sorted(path[len(self.path("set/")):] for path in glob.glob(self.path("set/*/*")))
        self.assertEqual(len(order), 3, order)
        rows, kept = self.expect_deduped(by=("half", "source"))
        self.assertEqual({row["source"] for row in rows.values()}, {"a", "b/c = %d", "é ü"})
        for folder in ("clean", "annotated"):
            self.assertEqual(sorted(path[len(self.path("out", folder, "set/")):]
                                    for path in glob.glob(self.path("out", folder, "set/*/*"))), order)

    def test_a_folder_of_which_nothing_is_left_is_still_one(self):
        text = "one page that stands here again and again, in every source there is, with the same words"
        frame = self.spark.createDataFrame([(n, text) for n in range(6)], "n int, text string")
        self.put(frame.selectExpr("*", "if(n = 5, null, concat('s', n)) as source"), parts=1, by=("source",))
        self.run_program("dedup", "set", "-o", "out", "--apply", "-q")
        self.assertEqual(sum("source=" in name for name in self.listing("out", "clean", "set")), 6)
        clean = self.get("out", "clean", "set")
        self.assertEqual(clean.schema, self.get("set").schema)
        self.assertEqual([row.asDict() for row in clean.collect()], [{"n": 5, "text": text, "source": None}])

    def test_a_first_file_without_rows_has_the_new_columns_too(self):
        # Spark takes the schema of a folder from its first file, and writes that file even if it has no rows.
        self.put(self.rich(), parts=2)
        empty = self.put(self.rich().filter("n < 0"), "empty", parts=1)
        part = glob.glob(self.path(empty, "part-*.parquet"))[0]
        shutil.copy(part, self.path("set", "part-00000-0.parquet"))
        self.expect_deduped()
        self.assertEqual(self.get("out", "clean", "set", "part-00000-0.parquet").count(), 0)

    def test_texts_in_a_struct_are_judged_and_cut(self):
        self.put(self.rich())
        whole = self.rows(self.get("set"))
        kept = self.kept_of_json(self.twin(self.get("set")))
        self.run_program("dedup", "set", "-o", "doc", "--text-field", "doc.text", "--apply", "-q")
        self.assertEqual(sorted(self.rows(self.get("doc", "clean", "set"))), sorted(kept))

        flags = ("--length", "40", "--apply", "-q")
        self.run_program("substrings", "twin.jsonl", "-o", "cut-twin", *flags)
        cut = {row["n"]: row["text"]
               for row in map(json.loads, self.read("cut-twin", "clean", "twin.jsonl").splitlines())}
        self.assertNotEqual(cut, {n: row["text"] for n, row in whole.items()})
        self.run_program("substrings", "set", "-o", "cut", "--text-field", "doc.text", *flags)
        self.expect_rows(self.rows(self.get("cut", "clean", "set")),
                         {n: {**row, "doc": {**row["doc"], "text": cut[n]}} for n, row in whole.items()})

    def test_times_of_spark_are_not_taken_for_those_of_others(self):
        # With this setting, Spark converts old timestamps to its time zone, unless it knows that its own library
        # wrote them.
        self.put(self.rich())
        with configured(self.spark, {"parquet.int96TimestampConversion": "true",
                                     "session.timeZone": "America/Los_Angeles"}):
            self.expect_deduped()


if __name__ == "__main__":
    if SparkSession is None or JAVA is None:
        print(f"skipped: no {'Spark' if SparkSession is None else 'Java'}; run 'tools/setup test'")
        sys.exit(SKIPPED)
    main()
