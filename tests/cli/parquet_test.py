"""Parquet: files by pyarrow and polars can be read, they can read the files that are written, and nothing else
changes."""

import datetime
import decimal
import json
import os
import random
import shutil
import subprocess

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from program import TestCase, documents, environment, jsonl, main, program, table

CODECS = ("none", "snappy", "gzip", "zstd", "lz4", "brotli")
TEXTS = documents(400, seed=23, length=60)


def rich_table(texts, seed=5):
    """Makes a table with the text and a column of every supported kind."""
    rng = random.Random(seed)
    count = len(texts)
    some = lambda make: [None if rng.random() < 0.2 else make(i) for i in range(count)]
    utc = datetime.timezone.utc
    return pa.table({
        "n": pa.array(some(lambda i: i), pa.int32()),
        "u": pa.array(some(lambda i: 2**63 + i), pa.uint64()),
        "tags": pa.array(some(lambda i: [None if j == 1 else f"t{j}" for j in range(i % 4)]), pa.list_(pa.string())),
        "deep": pa.array(some(lambda i: [[j] * (i % 3) for j in range(i % 3)]), pa.list_(pa.list_(pa.int16()))),
        "pairs": pa.array(some(lambda i: [(f"k{i}", i), ("x", None)]), pa.map_(pa.string(), pa.int64())),
        "meta": pa.array(some(lambda i: {"source": f"s{i % 3}", "score": i / 7, "inner": {"l": [i % 100]}}),
                         pa.struct([("source", pa.string()), ("score", pa.float64()),
                                    ("inner", pa.struct([("l", pa.list_(pa.int8()))]))])),
        "text": pa.array(texts, pa.string()),
        "price": pa.array(some(lambda i: decimal.Decimal(i) / 100), pa.decimal128(20, 2)),
        "small": pa.array(some(lambda i: decimal.Decimal(-i)), pa.decimal128(5, 0)),
        "when": pa.array(some(lambda i: datetime.datetime(2024, 1, 1, tzinfo=utc) + datetime.timedelta(hours=i)),
                         pa.timestamp("us", tz="Europe/Berlin")),
        "local": pa.array(some(lambda i: datetime.datetime(1969, 1, 1) + datetime.timedelta(days=i)),
                          pa.timestamp("ms")),
        "day": pa.array(some(lambda i: datetime.date(2000, 2, 28) + datetime.timedelta(days=i)), pa.date32()),
        "time": pa.array(some(lambda i: datetime.time(1, i % 60)), pa.time64("us")),
        "kind": pa.array(some(lambda i: f"kind {i % 5}")).dictionary_encode(),
        "flag": pa.array(some(lambda i: i % 2 == 0), pa.bool_()),
        "half": pa.array(some(lambda i: i / 2), pa.float16()),
        "raw": pa.array(some(lambda i: bytes([i % 256, 0, 255])), pa.binary()),
        "fixed": pa.array(some(lambda i: b"%04d" % i), pa.binary(4)),
        "big": pa.array(some(lambda i: f"big {i}"), pa.large_string()),
        "view": pa.array(some(lambda i: f"view {i}" * (i % 9)), pa.string_view()),
        "nothing": pa.nulls(count),
        "always": pa.array(range(count), pa.int64()),
    }).replace_schema_metadata({"huggingface": '{"info": {}}', "pandas": '{"index_columns": []}'})


class ParquetCase(TestCase):

    def fingerprints(self, *arguments, code=0):
        return self.run_program("fingerprint", *arguments, "-q", code=code)

    def expect_read(self, path, texts=None, flags=()):
        """The file gives the same results as the same texts in JSON, for any number of threads."""
        self.write("same.jsonl", jsonl(TEXTS if texts is None else texts))
        code = 3 if texts == [] else 0
        expected = self.fingerprints("same.jsonl", code=code).out
        for threads in ("1", "3"):
            self.assertEqual(self.fingerprints(path, "--threads", threads, *flags, code=code).out, expected, path)

    def put(self, data, name="in.parquet", **how):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        pq.write_table(data, self.path(name), **how)
        return name


class Reading(ParquetCase):

    def test_every_codec_page_version_and_encoding_of_pyarrow_is_read(self):
        data = pa.table({"id": range(len(TEXTS)), "text": TEXTS})
        for codec in CODECS:
            for version in ("1.0", "2.0"):
                for how in ({"use_dictionary": True}, {"use_dictionary": False},
                            {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
                            {"use_dictionary": False, "column_encoding": {"text": "DELTA_LENGTH_BYTE_ARRAY"}}):
                    self.put(data, compression=codec, data_page_version=version, row_group_size=150,
                             data_page_size=1000, **how)
                    self.expect_read("in.parquet")

    def test_every_codec_of_polars_is_read(self):
        for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"):
            pl.DataFrame({"text": TEXTS, "n": range(len(TEXTS))}).write_parquet(
                self.path("in.parquet"), compression=codec, row_group_size=99)
            self.expect_read("in.parquet")

    def test_a_text_may_be_of_any_kind_of_string(self):
        plain = pa.array(TEXTS)
        for made in (plain, plain.cast(pa.large_string()), plain.cast(pa.binary()), plain.cast(pa.string_view()),
                     plain.cast(pa.large_binary()), plain.dictionary_encode()):
            self.put(pa.table({"text": made}), row_group_size=130)
            self.expect_read("in.parquet")

    def test_a_dot_walks_into_structs_unless_a_column_has_it_in_its_name(self):
        inner = pa.array([{"body": {"text": text}} for text in TEXTS])
        self.put(pa.table({"meta": inner}))
        self.expect_read("in.parquet", flags=("--text-field", "meta.body.text"))
        self.put(pa.table({"meta": inner, "meta.body.text": TEXTS[::-1]}))
        self.expect_read("in.parquet", TEXTS[::-1], flags=("--text-field", "meta.body.text"))

    def test_ids_are_strings_or_integers(self):
        for ids in ([f"a{i}" for i in range(len(TEXTS))], list(range(7, 7 + len(TEXTS)))):
            self.put(pa.table({"key": ids, "text": TEXTS}), row_group_size=100)
            rows = table(self.fingerprints("in.parquet", "--id-field", "key").out, "id\tsimhash")
            self.assertEqual([row[0] for row in rows], [str(name) for name in ids])

    def test_null_texts_and_null_structs_are_bad_records_with_their_row(self):
        texts = list(TEXTS)
        texts[3] = texts[250] = None
        self.put(pa.table({"text": texts}), row_group_size=100)
        result = self.near("in.parquet")
        self.assertEqual(result.summary["bad_records"], 2)
        self.assertEqual([(bad["line"], bad["reason"]) for bad in result.summary["bad_record_examples"]],
                         [(4, "field 'text' is null"), (251, "field 'text' is null")])
        self.assertIn("in.parquet:4: field 'text' is null",
                      self.run_program("near", "in.parquet", "-o", "strict", "--strict", code=3).err)

    def test_folders_of_parts_are_read_in_order_and_markers_are_passed_over(self):
        for at, name in enumerate(("lang=de/part-0", "lang=de/part-1", "lang=en/year=2024/part-0")):
            self.put(pa.table({"text": TEXTS[at * 100:at * 100 + 100]}), f"set/{name}.parquet", row_group_size=30)
        self.put(pa.table({"text": TEXTS[300:]}), "last.parquet")
        self.write("set/_SUCCESS")
        self.write("set/_spark_metadata/0", "v1\n")
        self.put(pa.table({"text": TEXTS}), "set/lang=de/_temporary/0/part-0.parquet")
        self.write("same.jsonl", jsonl(TEXTS))
        expected = self.fingerprints("same.jsonl").out
        self.assertEqual(self.fingerprints("set", "last.parquet").out, expected)
        self.assertEqual(self.fingerprints("set", "last.parquet", "--threads", "7").out, expected)

    def test_near_gives_the_same_as_for_json(self):
        self.write("same.jsonl", jsonl(TEXTS))
        expected = self.near("same.jsonl", output="json")
        self.put(rich_table(TEXTS), row_group_size=70)
        found = self.near("in.parquet", output="parquet")
        self.assertEqual(found.matches_bytes, expected.matches_bytes)
        self.assertEqual(found.clusters_bytes, expected.clusters_bytes)
        self.assertEqual(found.summary["documents"], len(TEXTS))

    def test_empty_tables_and_empty_row_groups_are_read(self):
        empty = pa.table({"text": pa.array([], pa.string())})
        self.put(empty)
        self.expect_read("in.parquet", [])
        with pq.ParquetWriter(self.path("in.parquet"), empty.schema) as writer:
            for texts in ([], TEXTS[:3], [], TEXTS[3:9], []):
                writer.write_table(pa.table({"text": pa.array(texts, pa.string())}))
        self.expect_read("in.parquet", TEXTS[:9])
        with pq.ParquetWriter(self.path("in.parquet"), empty.schema):
            pass
        self.expect_read("in.parquet", [])

    def test_an_index_holds_its_texts(self):
        self.put(pa.table({"text": TEXTS}), row_group_size=150)
        self.run_program("index", "create", "index", "in.parquet", "-q")
        self.write("query.txt", max(TEXTS, key=len))
        os.remove(self.path("in.parquet"))
        found = self.run_program("index", "query", "index", "query.txt", "-q")
        self.assertNotEqual(found.out, b"")


class Refusing(ParquetCase):

    def complaint(self, name, *flags, code=3):
        return self.run_program("near", name, "-o", "out", *flags, code=code).err

    def test_what_is_no_parquet_is_told(self):
        for content, words in ((b"", "too short"), (b"PAR1", "too short"), (b"x" * 100, "not a Parquet file"),
                               (b"PAR1" + b"\xff" * 40 + b"\xff\xff\xff\x00PAR1", "damaged"),
                               (b"PAR1" + b"\xff" * 40 + b"\x10\x00\x00\x00PAR1", "cannot read as Parquet"),
                               (b"PAR1" + b"\x00" * 40 + b"\x10\x00\x00\x00PARE", "encrypted")):
            self.write("bad.parquet", content)
            message = self.complaint("bad.parquet")
            self.assertIn("bad.parquet", message)
            self.assertIn(words, message)

    def test_damage_anywhere_is_told_and_never_a_crash(self):
        self.put(pa.table({"text": TEXTS, "n": range(len(TEXTS))}), compression="zstd", row_group_size=100,
                 data_page_size=2000, write_page_checksum=True)
        whole = self.read("in.parquet")
        rng = random.Random(3)
        codes = set()
        for _ in range(60):
            broken = bytearray(whole)
            for _ in range(rng.randint(1, 4)):
                broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
            if rng.random() < 0.2:
                del broken[rng.randrange(len(broken)):]
            self.write("bad.parquet", bytes(broken))
            done = subprocess.run([program(), "fingerprint", "bad.parquet", "-q"], cwd=self.dir, capture_output=True,
                                  timeout=60, check=False, env=environment())
            self.assertIn(done.returncode, (0, 3, 5), done.stderr)
            codes.add(done.returncode)
        self.assertIn(3, codes)

    def test_a_bad_file_in_a_folder_is_skipped_and_listed(self):
        self.put(pa.table({"text": TEXTS}), "set/a.parquet")
        self.write("set/b.parquet", b"no table at all")
        result = self.near("set")
        self.assertEqual(result.summary["documents"], len(TEXTS))
        self.assertEqual(result.summary["skipped_kinds"][0]["examples"][0]["path"], "set/b.parquet")

    def test_columns_that_cannot_be_texts_are_told(self):
        self.put(rich_table(TEXTS))
        self.assertIn("columns are 'n', 'u'", self.complaint("in.parquet", "--text-field", "absent"))
        self.assertIn("not a string; name another with --text-field", self.complaint("in.parquet", "--text-field", "n"))
        against = ("dedup", "in.parquet", "-o", "out", "--against", "in.parquet", "--against-text-field", "n")
        self.assertIn("not a string; name another with --against-text-field", self.run_program(*against, code=3).err)
        self.assertIn("a list or a struct", self.complaint("in.parquet", "--text-field", "tags", code=2))
        self.assertIn("a list or a struct", self.complaint("in.parquet", "--text-field", "meta", code=2))

    def test_standard_input_is_refused(self):
        self.assertIn("cannot be read from standard input",
                      self.run_program("near", "-", "--format", "parquet", "-o", "out", code=2).err)

    def test_without_the_module_the_message_says_what_to_install(self):
        self.put(pa.table({"text": TEXTS}))
        os.makedirs(self.path("alone"))
        shutil.copy(program(), self.path("alone", "refrain"))
        done = subprocess.run([self.path("alone", "refrain"), "near", "in.parquet", "-o", "out"], cwd=self.dir,
                              capture_output=True, timeout=60, check=False, env=environment())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("pyarrow", done.stderr.decode())

    def test_programs_that_meet_no_parquet_do_not_load_it(self):
        self.write("a.txt", "some words that stand here alone")
        self.put(pa.table({"text": TEXTS}))
        for name, loaded in (("a.txt", False), ("in.parquet", True)):
            done = subprocess.run([program(), "fingerprint", name], cwd=self.dir, capture_output=True, timeout=60,
                                  check=True, env=environment(LD_DEBUG="files"))
            self.assertEqual(b"libarrow" in done.stderr, loaded)


class Writing(ParquetCase):

    def substrings(self, *inputs, output="out"):
        self.run_program("substrings", *inputs, "-o", output, "--length", "40", "--apply", "-q")
        return os.path.join(self.dir, output, "clean")

    def expected_texts(self, texts):
        """Returns the result of the same run for the same texts in JSON."""
        self.write("same.jsonl", jsonl(texts))
        folder = self.substrings("same.jsonl", output="json")
        with open(os.path.join(folder, "same.jsonl"), encoding="utf-8") as file:
            return [json.loads(line)["text"] for line in file]

    def test_cut_texts_are_replaced_and_other_columns_are_equal(self):
        texts = [text + " é日本語🙂" * (i % 4) for i, text in enumerate(TEXTS)]
        data = rich_table(texts)
        expected = self.expected_texts(texts)
        self.assertNotEqual(expected, texts)
        for codec in CODECS:
            for version in ("1.0", "2.0"):
                self.put(data, compression=codec, data_page_version=version, row_group_size=90, data_page_size=500,
                         write_page_index=version == "2.0")
                folder = self.substrings("in.parquet", output=f"out-{codec}-{version}")
                path = os.path.join(folder, "in.parquet")
                made = pq.read_table(path)
                self.assertEqual(made.column("text").to_pylist(), expected)
                whole = pq.read_schema(self.path("in.parquet"))
                self.assertTrue(made.schema.equals(whole, check_metadata=True), f"{made.schema}\n{whole}")
                for name in set(data.column_names) - {"text"}:
                    self.assertEqual(made.column(name).to_pylist(), data.column(name).to_pylist(), name)
                before, after = pq.ParquetFile(self.path("in.parquet")), pq.ParquetFile(path)
                self.assertEqual(after.metadata.metadata, before.metadata.metadata)
                self.assertEqual(after.schema, before.schema)
                self.assertEqual([after.metadata.row_group(i).num_rows for i in range(after.num_row_groups)],
                                 [before.metadata.row_group(i).num_rows for i in range(before.num_row_groups)])
                for i in range(before.metadata.num_columns):
                    self.assertEqual(after.metadata.row_group(0).column(i).compression,
                                     before.metadata.row_group(0).column(i).compression)
                polars = pl.read_parquet(path, columns=["text", "n", "tags", "when"])
                self.assertEqual(polars["text"].to_list(), expected)
                self.assertEqual(polars["tags"].to_list(), data.column("tags").to_pylist())

    def dedup(self, name, *flags):
        output = "dedup-" + name
        self.run_program("dedup", name, "-o", output, "--apply", "-q", *flags)
        return self.path(output, "clean", name)

    def test_dedup_leaves_out_the_same_rows_as_of_json(self):
        texts = [text + f" {i % 50} and some more words" for i, text in enumerate(TEXTS)]
        data = rich_table(texts)
        self.put(data, row_group_size=64, compression="zstd")
        rows = [{"text": text, "always": i, "day": None if day is None else day.isoformat(), "source": f"s{i % 3}"}
                for i, (text, day) in enumerate(zip(texts, data.column("day").to_pylist()))]
        self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        for flags in ((), ("--keep", "max:always"), ("--keep", "newest:day", "--threshold", "0.6")):
            with open(self.dedup("in.jsonl", "--force", *flags), encoding="utf-8") as file:
                kept = [json.loads(line)["always"] for line in file]
            self.assertLess(len(kept), len(texts))
            path = self.dedup("in.parquet", "--force", *flags)
            made = pq.read_table(path)
            whole = pq.read_schema(self.path("in.parquet"))
            self.assertTrue(made.schema.equals(whole, check_metadata=True), f"{made.schema}\n{whole}")
            expected = {name: [column[i] for i in kept] for name, column in data.to_pydict().items()}
            self.assertEqual(made.to_pydict(), expected)
            frame = pl.read_parquet(path, columns=["always", "deep", "price"])
            self.assertEqual(frame["always"].to_list(), kept)
            self.assertEqual(frame["deep"].to_list(), expected["deep"])

    def test_annotations_stand_in_every_schema_also_of_a_file_without_rows(self):
        key = "org.apache.spark.sql.parquet.row.metadata"
        field = {"name": "text", "type": "string", "nullable": True, "metadata": {"comment": "]}"}}
        added = [("dup_cluster_id", "long"), ("dup_cluster_size", "long"), ("dup_keep", "boolean"),
                 ("dup_reason", "string"), ("dup_match", "string"), ("dup_similarity", "double"),
                 ("dup_lost", "long"), ("dup_longest_lost", "long")]
        expected = [field] + [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in added]
        for stored in (json.dumps({"type": "struct", "fields": [field]}, separators=(",", ":")), "no schema"):
            data = pa.table({"text": TEXTS}).replace_schema_metadata({key: stored})
            self.put(data, "set/b.parquet", row_group_size=150)
            with pq.ParquetWriter(self.path("set/a.parquet"), data.schema):
                pass
            self.assertEqual(pq.read_metadata(self.path("set/a.parquet")).num_row_groups, 0)
            self.run_program("dedup", "set", "-o", "out", "--annotate", "-q", "--force")
            for name, rows in (("a.parquet", 0), ("b.parquet", len(TEXTS))):
                made = self.path("out", "annotated", "set", name)
                self.assertEqual(pq.read_table(made).num_rows, rows)
                self.assertEqual(pq.read_schema(made).names, ["text"] + [name for name, _ in added])
                self.assertEqual(pl.read_parquet(made).columns, ["text"] + [name for name, _ in added])
                # A schema that is not understood is left out, because it is no longer correct.
                schema = pq.read_metadata(made).metadata.get(key.encode())
                self.assertEqual(schema and json.loads(schema)["fields"], None if stored == "no schema" else expected)

    def test_what_polars_wrote_is_written_again(self):
        frame = pl.DataFrame({
            "text": TEXTS, "n": range(len(TEXTS)), "list": [[i, None] for i in range(len(TEXTS))],
            "cat": pl.Series([f"c{i % 4}" for i in range(len(TEXTS))], dtype=pl.Categorical),
            "at": [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=i) for i in range(len(TEXTS))],
            "s": [{"a": i, "b": None if i % 3 else "x"} for i in range(len(TEXTS))],
        })
        frame.write_parquet(self.path("in.parquet"), row_group_size=120)
        folder = self.substrings("in.parquet")
        made = pl.read_parquet(os.path.join(folder, "in.parquet"))
        self.assertEqual(made["text"].to_list(), self.expected_texts(TEXTS))
        self.assertTrue(made.drop("text").equals(frame.drop("text")))
        self.assertEqual(made.schema, frame.schema)

    def test_a_nested_text_is_cut_and_its_neighbours_stay(self):
        data = pa.table({"meta": [{"lang": "de", "text": text, "tags": [text[:3]]} for text in TEXTS]})
        self.put(data)
        self.run_program("substrings", "in.parquet", "-o", "out", "--length", "40", "--apply", "-q", "--text-field",
                         "meta.text")
        made = pq.read_table(self.path("out", "clean", "in.parquet"))
        self.assertEqual([row["text"] for row in made.column("meta").to_pylist()], self.expected_texts(TEXTS))
        self.assertEqual([{**row, "text": ""} for row in made.column("meta").to_pylist()],
                         [{**row, "text": ""} for row in data.column("meta").to_pylist()])

    def test_a_character_that_is_cut_in_two_stays_utf_8(self):
        # The first byte of the two last characters is part of the repeated text; the second is not.
        shared = "x" + "repeated words stand here, more than forty bytes of them: "
        texts = ["é unlike " + shared + "é", "è other " + shared + "è"]
        self.put(pa.table({"text": texts}))
        folder = self.substrings("in.parquet")
        made = pl.read_parquet(os.path.join(folder, "in.parquet"))["text"].to_list()
        self.assertEqual(made, self.expected_texts(texts))

    def test_a_file_in_which_nothing_changes_is_copied_byte_for_byte(self):
        self.put(rich_table([f"{i} unlike" for i in range(50)]), "set/x=1/a.parquet", row_group_size=20)
        self.put(pa.table({"text": TEXTS}), "set/x=2/a.parquet")
        self.write("set/broken.parquet", b"no table")
        folder = self.substrings("set")
        self.assertEqual(self.read("set/x=1/a.parquet"), self.read(folder, "set/x=1/a.parquet"))
        self.assertNotEqual(self.read("set/x=2/a.parquet"), self.read(folder, "set/x=2/a.parquet"))
        self.assertFalse(os.path.exists(self.path(folder, "set/broken.parquet")))  # it is listed in skipped.tsv

    def test_a_full_disk_is_told(self):
        rng = random.Random(9)
        texts = [rng.randbytes(600).hex() for _ in range(2000)]
        texts[7] = texts[5]
        self.put(pa.table({"text": texts}), compression="none", use_dictionary=False)
        said = self.on_small_disk("$REFRAIN substrings in.parquet -o disk/out --length 40 --apply -q 2>&1; echo $?; "
                                  "ls -A disk")
        self.assertIn("disk full", said)
        self.assertEqual(said.split("\n")[-2], "5")

    def test_the_same_bytes_for_any_threads_and_memory(self):
        self.put(rich_table(TEXTS), row_group_size=33)
        made = []
        for at, flags in enumerate((["--threads", "1"], ["--threads", "2"], ["--threads", "8", "--memory", "200M"])):
            self.run_program("substrings", "in.parquet", "-o", f"out{at}", "--length", "40", "--apply", "-q", *flags)
            made.append(self.read(f"out{at}", "clean", "in.parquet"))
        self.assertEqual(made[0], made[1])
        self.assertEqual(made[0], made[2])


if __name__ == "__main__":
    main()
