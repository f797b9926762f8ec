"""--tables parquet: pyarrow, polars and DuckDB read from these tables what the text tables say, which are the
oracle."""

import errno
import json
import os
import random
import re
import shutil
import signal
import stat

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from program import BIN_DIR, TestCase, documents, environment, jsonl, main, program

try:
    import duckdb
except ImportError:
    duckdb = None

RANGES = pa.list_(pa.field("element", pa.struct([pa.field("begin", pa.int64(), False),
                                                 pa.field("end", pa.int64(), False)]), False))
# Names and types of the columns; those of REQUIRED are never null.
DECISIONS = {
    "id": pa.string(), "keep": pa.bool_(), "reason": pa.string(), "match": pa.string(), "similarity": pa.float64(),
    "unverified": pa.string(), "known": pa.string(), "known_digest": pa.string(), "verified": pa.bool_(),
    "lost": pa.int64(), "longest_lost": pa.int64(), "lost_attachments": pa.int64(), "as_written": pa.float64(),
    "differs_in": pa.string(), "spans": RANGES, "cluster": pa.int64(), "override": pa.string(),
    "override_seq": pa.int64(),
    "against": pa.struct([pa.field("match", pa.string(), False), pa.field("similarity", pa.float64(), False),
                          pa.field("spans", RANGES, False)])}
MATCHES = {"id1": pa.string(), "id2": pa.string(), "similarity": pa.float64(), "diff": pa.int64()}
CLUSTERS = {"id": pa.string(), "digest": pa.uint64(), "cluster": pa.int64()}
NEAR_MATCHES = {"id1": pa.string(), "id2": pa.string(), "diff": pa.int64(), "similarity": pa.float64()}
NEAR_CLUSTERS = {"id": pa.string(), "simhash": pa.uint64(), "cluster": pa.int64()}
REQUIRED = {"id", "id1", "id2", "keep", "spans", "digest"}
TABLES = ("decisions.parquet", "matches.parquet", "clusters.parquet")
HOSTILE = ["a\tb", "line\nbreak\r", 'quote " and \' here', "back\\slash\\t", "\u6f22\u5b57\u304b\u306a", "\U0001f600",
           "", " ", "null", "-1", "x" * 5000, "\u202e\x01\x7f"]


def decoded(field):
    """Returns a field of a text table as a string, where each byte that is not UTF-8 is U+FFFD."""
    text = field.decode("utf-8", "surrogateescape")
    return "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char for char in text)


def unescaped(field):
    meanings = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}
    return decoded(re.sub(rb"\\(.)", lambda found: meanings.get(found[1], found[1]), field))


def rounded(row):
    """Returns a row with its numbers as they stand in the text tables."""
    digits = {"similarity": 6, "as_written": 3}
    return {name: rounded(value) if isinstance(value, dict)
            else float(f"{value:.{digits[name]}g}") if name in digits and value is not None else value
            for name, value in row.items()}


def by_pyarrow(path):
    return pq.read_table(path).to_pylist()


def by_polars(path):
    return pl.read_parquet(path).to_dicts()


def by_duckdb(path):
    found = duckdb.sql(f"select * from read_parquet('{path}')")
    return [dict(zip(found.columns, row)) for row in found.fetchall()]


FAULTS = os.path.join(BIN_DIR, "faults.so")
READERS = [by_pyarrow, by_polars] + ([by_duckdb] if duckdb else [])


class TablesCase(TestCase):

    def rows_of_text(self, name):
        """Returns the header of a text table, and its rows as lists of bytes."""
        header, *rows = self.read(name).split(b"\n")[:-1]
        return header.decode().split("\t"), [row.split(b"\t") for row in rows]

    def expected(self, folder, verb):
        """Returns the rows of the tables, by the name of their file, from the text tables."""
        ranges = lambda spans: [{"begin": begin, "end": end} for begin, end in spans]
        tables = {}
        if verb == "dedup":
            rows = []
            for line in self.read(folder, "decisions.jsonl").decode().splitlines():
                row = json.loads(line)
                self.assertLessEqual(set(row), set(DECISIONS))
                row["spans"] = ranges(row["spans"])
                if "override" in row:
                    row["override_seq"], row["override"] = row["override"]["seq"], row["override"]["op"]
                if row.get("against"):
                    row["against"]["spans"] = ranges(row["against"]["spans"])
                rows.append({name: row.get(name) for name in DECISIONS})
            tables["decisions.parquet"] = rows
        number = lambda field: int(field) if field not in (b"-1", b"") else None
        names, rows = self.rows_of_text(os.path.join(folder, "clusters.tsv"))
        tables["clusters.parquet"] = [{"id": unescaped(row[0]), names[1]: number(row[1]), "cluster": number(row[2])}
                                      for row in rows]
        kinds = {"id1": unescaped, "id2": unescaped, "diff": int, "similarity": float}
        names, rows = self.rows_of_text(os.path.join(folder, "matches.tsv"))
        tables["matches.parquet"] = [{name: kinds[name](field) for name, field in zip(names, row)} for row in rows]
        return tables

    def check(self, folder="out", verb="dedup"):
        """All readers read the rows of the text tables, with the expected types. Returns the numbers of rows."""
        types = {"decisions.parquet": DECISIONS, "matches.parquet": MATCHES if verb == "dedup" else NEAR_MATCHES,
                 "clusters.parquet": CLUSTERS if verb == "dedup" else NEAR_CLUSTERS}
        sizes = []
        for name, expected in self.expected(folder, verb).items():
            path = self.path(folder, name)
            schema = pq.read_schema(path)
            self.assertEqual({field.name: field.type for field in schema}, types[name], name)
            optional = {field.name for field in schema if field.nullable}
            self.assertFalse(optional & REQUIRED, name)
            for read in READERS:
                found = read(path)
                self.assertEqual(len(found), len(expected), (name, read.__name__))
                for row, wanted in zip(found, expected):
                    self.assertEqual(list(row), list(types[name]))
                    # The text table leaves this out, for example the similarity with --near simhash.
                    row = {column: value for column, value in rounded(row).items()
                           if column in wanted or name == "decisions.parquet"}
                    self.assertEqual(row, wanted, (name, read.__name__))
            sizes.append(len(expected))
        return sizes

    def dedup(self, *arguments, output="out", code=0, **more):
        return self.run_program("dedup", *arguments, "-o", output, "--tables", "parquet", "-q", code=code, **more)

    def tables(self, folder="out"):
        return {name: self.read(folder, name) for name in TABLES if os.path.exists(self.path(folder, name))}


class Tables(TablesCase):

    def test_rows_with_hostile_ids_are_those_of_the_text_tables(self):
        texts = documents(300, seed=71)
        ids = HOSTILE + [f"id {at}" for at in range(len(HOSTILE), len(texts))]
        random.Random(72).shuffle(ids)
        self.write("in.jsonl", jsonl(texts, id=lambda at: ids[at]))
        self.dedup("in.jsonl", "--id-field", "id")
        decided, clustered, matched = self.check()
        self.assertEqual((decided, clustered), (300, 300))
        self.assertGreater(matched, 20)
        self.run_program("near", "in.jsonl", "--id-field", "id", "-o", "near", "--tables", "parquet", "-q")
        self.assertEqual(self.check("near", "near")[0], 300)
        self.assertFalse(os.path.exists(self.path("near", "decisions.parquet")))

    def test_ids_that_are_not_utf8_are_as_in_decisions(self):
        text = documents(1, seed=73, length=60)[0]
        for name in (b"\xff", b"a\xe6\xbc", b"\xc0\xaf\xed\xa0\x80", "ok-\u6f22".encode()):
            os.makedirs(self.path("in"), exist_ok=True)
            with open(os.path.join(os.fsencode(self.path("in")), name), "w", encoding="utf-8") as file:
                file.write(text)
        self.dedup("in")
        self.assertEqual(self.check(), [4, 4, 3])
        self.run_program("near", "in", "-o", "near", "--tables", "parquet", "-q", "--verify")
        self.assertEqual(self.check("near", "near"), [4, 3])

    def test_every_column_is_filled_as_in_decisions(self):
        texts = documents(400, seed=74)
        words = documents(1, seed=83)[0].split()
        texts += [f" {sign} ".join(words) for sign in ("==", "!=")]
        one = documents(1, seed=84)[0]
        texts += [f"{one} {number}" for number in (5, 6)]
        self.write("old.jsonl", jsonl(texts[:100], id=lambda at: f"old {at}"))
        self.write("in.jsonl", jsonl(texts[80:], id=lambda at: f"new {at}"))
        self.write("items.jsonl", jsonl([" ".join(texts[at].split()[5:30]) for at in range(100, 400, 9)]))
        self.run_program("dedup", "old.jsonl", "--id-field", "id", "--substrings", "60",
                         "--max-loss", "2", "-o", "old", "-q")
        kept = map(json.loads, self.run_program("library", "export", "old/library").out.decode().splitlines())
        shared = [row["digest"] for row in kept if int(row["id"].split()[1]) >= 80]
        self.write("people.jsonl",
                   json.dumps({"v": 1, "seq": 1, "op": "remove", "documents": [{"digest": shared[0]}]}))
        common = ("in.jsonl", "--id-field", "id", "--known", "old", "--substrings", "60", "--max-loss", "2",
                  "--overrides", "people.jsonl")
        self.dedup(*common, "--against", "items.jsonl")
        self.check()
        rows = by_pyarrow(self.path("out", TABLES[0]))
        self.assertLessEqual({"exact", "near", "own_text", "against", "overridden", None},
                             {row["reason"] for row in rows})
        self.dedup(*common, "--against", "items.jsonl", "--against-action", "mark", output="marked")
        self.check("marked")
        rows += by_pyarrow(self.path("marked", TABLES[0]))
        os.rename(self.path("old.jsonl"), self.path("gone.jsonl"))
        self.dedup(*common, output="unverified")
        self.check("unverified")
        rows += by_pyarrow(self.path("unverified", TABLES[0]))
        self.dedup(*common, "--trust-signatures", output="trusted")
        self.check("trusted")
        rows += by_pyarrow(self.path("trusted", TABLES[0]))
        filled = {name for row in rows for name, value in row.items() if value not in (None, [])}
        self.assertEqual(set(DECISIONS) - filled, {"lost_attachments"})

    def test_other_methods_have_the_same_columns(self):
        self.write("in.jsonl", jsonl(documents(300, seed=75)))
        for method in ("simhash", "off"):
            self.dedup("in.jsonl", "--near", method, output=method)
            self.check(method)
        diffs = {row["diff"] is None for row in by_pyarrow(self.path("simhash", "matches.parquet"))}
        self.assertEqual(diffs, {False})
        self.run_program("near", "in.jsonl", "-o", "near", "--tables", "parquet", "--verify", "--all-pairs", "-q")
        self.assertGreater(self.check("near", "near")[1], 20)

    def test_few_documents_or_none(self):
        for count in (1, 2):
            self.write("few.txt", "some words that are read\n" * count)
            for verb in ("dedup", "near"):
                out = f"{verb}{count}"
                self.run_program(verb, "few.txt", "--format", "lines", "-o", out, "--tables", "parquet", "-q")
                sizes = self.check(out, verb)
                self.assertEqual(sizes, [count] * (len(sizes) - 1) + [count - 1])
        self.write("none.jsonl")
        for verb in ("dedup", "near"):
            self.run_program(verb, "none.jsonl", "-o", f"{verb}0", "--tables", "parquet", "-q", code=3)
            self.assertEqual(set(self.check(f"{verb}0", verb)), {0})

    def test_threads_and_memory_do_not_change_a_byte(self):
        # Several row groups in each table.
        texts = documents(2000, seed=76, length=20)
        pick = random.Random(77)
        rows = [texts[pick.randrange(len(texts))] for _ in range(45_000)]
        self.write("in.jsonl", jsonl(rows, id=lambda at: f"https://www.example.org/{at}/" + "long/" * (at % 40)))
        runs = {"one": ("--threads", "1"), "eight": ("--threads", "8"), "small": ("--threads", "2", "--memory", "64M")}
        for verb in ("dedup", "near"):
            answers = []
            for name, flags in runs.items():
                folder = f"{verb}-{name}"
                self.run_program(verb, "in.jsonl", "--id-field", "id", "-o", folder, "--tables", "parquet", *flags)
                answers.append(self.tables(folder))
                summary = json.loads(self.read(folder, "summary.json"))
                self.assert_kept_memory(summary, folder)
            self.assertEqual(answers[0].keys(), set(TABLES if verb == "dedup" else TABLES[1:]))
            for name in answers[0]:
                self.assertTrue(answers[0][name] == answers[1][name] == answers[2][name], f"{verb}: {name}")
                self.assertGreater(pq.ParquetFile(self.path(f"{verb}-one", name)).num_row_groups, 1, name)
        self.check("dedup-one")
        self.check("near-one", "near")

    def test_a_forced_run_without_them_leaves_no_old_tables(self):
        self.write("in.jsonl", jsonl(documents(60, seed=78)))
        for verb in ("dedup", "near"):
            self.run_program(verb, "in.jsonl", "-o", verb, "--tables", "parquet", "-q")
            self.assertTrue(self.tables(verb))
            self.write(f"{verb}/mine.parquet", "mine")
            self.run_program(verb, "in.jsonl", "-o", verb, "--force", "-q")
            self.assertEqual(self.tables(verb), {})
            self.assertEqual(self.read(verb, "mine.parquet"), b"mine")
            self.write(f"foreign/{TABLES[1]}", "mine")
            result = self.run_program(verb, "in.jsonl", "-o", "foreign", "--tables", "parquet", "--force", code=2)
            self.assertIn(f"{TABLES[1]}: exists, but was not written by this verb", result.err)
            self.assertEqual(self.read("foreign", TABLES[1]), b"mine")

    def test_tables_that_a_user_made_beside_a_run_stay(self):
        self.write("in.jsonl", jsonl(documents(60, seed=78)))
        for verb in ("dedup", "near"):
            self.run_program(verb, "in.jsonl", "-o", verb, "-q")
            self.write(f"{verb}/{TABLES[1]}", "mine")
            self.run_program(verb, "in.jsonl", "-o", verb, "--force", "-q")
            self.assertEqual(self.read(verb, TABLES[1]), b"mine")
            result = self.run_program(verb, "in.jsonl", "-o", verb, "--tables", "parquet", "--force", code=2)
            self.assertIn(f"{TABLES[1]}: exists, but was not written by this verb", result.err)
            self.assertEqual(self.read(verb, TABLES[1]), b"mine")

    def with_faults(self, *line, folder, code=0, **settings):
        """Runs a command with a disk that fails as FAULTS_... say. Returns the calls that change `folder`, and the
        messages."""
        if not os.path.exists(FAULTS):
            self.skipTest(f"{FAULTS}: not built; a sanitizer's library wants to be loaded first")
        more = {f"FAULTS_{name}": str(value) for name, value in settings.items()}
        log = self.path("log")
        result = self.run_program(*line, code=code, env=environment(
            LD_PRELOAD=FAULTS, FAULTS_FOLDER=os.path.realpath(folder), FAULTS_LOG=log, **more))
        calls = self.read("log").decode().splitlines() if os.path.exists(log) else []
        if calls:
            os.unlink(log)
        return calls, result.err

    def test_a_resumed_run_may_ask_for_them_or_not(self):
        self.write("in.jsonl", jsonl(documents(200, seed=79)))
        self.dedup("in.jsonl", output="whole")
        plain, typed = ("dedup", "in.jsonl", "-o", "out", "-q"), ("--tables", "parquet")
        for first, then in (((), typed), (typed, ()), (typed, typed)):
            calls, _ = self.with_faults(*plain, *first, folder=self.path("out"))
            shutil.rmtree(self.path("out"))
            # It is killed when the last stage but one has ended.
            last = max(at for at, call in enumerate(calls, 1) if call.startswith("rename ") and "library.done" in call)
            self.with_faults(*plain, *first, folder=self.path("out"), code=-signal.SIGKILL, AT=last)
            self.assertEqual(bool(self.tables()), bool(first))
            self.run_program(*plain, "--resume", *then)
            self.assertEqual(self.tables(), self.tables("whole") if then else {})
            shutil.rmtree(self.path("out"))

    def test_any_call_that_writes_them_may_fail_or_be_the_last(self):
        # Ids that cannot be compressed make tables that are larger than the buffer of a file.
        rng = random.Random(82)
        ids = [rng.randbytes(60).hex() for _ in range(8000)]
        texts = [f"{at // 2} {at // 2 * 7 % 8191} {at // 2 * 13 % 8191}" for at in range(len(ids))]
        self.write("in.jsonl", jsonl(texts, id=lambda at: ids[at]))
        for verb in ("dedup", "near"):
            line = (verb, "in.jsonl", "--id-field", "id", "--tables", "parquet", "-q", "-o")
            self.run_program(*line, f"whole-{verb}")
            os.mkdir(self.path(verb))
            calls, _ = self.with_faults(*line, f"{verb}/out", folder=self.path(verb))
            numbers = [at for at, call in enumerate(calls, 1) if call.endswith(".parquet")]
            self.assertGreater(sum(calls[at - 1].startswith("write ") for at in numbers), 4)
            for at in numbers:
                shutil.rmtree(self.path(verb, "out"), ignore_errors=True)
                error, code = ((errno.ENOSPC, 5), (errno.EIO, 1), (None, -signal.SIGKILL))[at % 3]
                settings = {} if error is None else {"ERRNO": error}
                _, err = self.with_faults(*line, f"{verb}/out", folder=self.path(verb), code=code, AT=at, **settings)
                if error is not None:
                    self.assertRegex(err, r"^refrain: [^\n]*(decisions|matches|clusters)\.parquet: [^\n]*\n$")
                    self.assertIn({5: "disk full", 1: "cannot"}[code], err)
                self.run_program(*line, f"{verb}/out", *(["--resume"] if verb == "dedup" else []))
                self.assertEqual(self.tables(f"{verb}/out"), self.tables(f"whole-{verb}"), calls[at - 1])

    def test_text_tables_and_the_summary_stay_as_they_are(self):
        self.write("in.jsonl", jsonl(documents(200, seed=80)))
        for verb in ("dedup", "near"):
            self.run_program(verb, "in.jsonl", "-o", "plain", "-q")
            self.run_program(verb, "in.jsonl", "-o", "out", "--tables", "parquet", "-q")
            for name in ("decisions.jsonl", "matches.tsv", "clusters.tsv"):
                if verb == "dedup" or name != "decisions.jsonl":
                    self.assertEqual(self.read("out", name), self.read("plain", name), name)
            plain, typed = (json.loads(self.read(folder, "summary.json")) for folder in ("plain", "out"))
            self.assertNotIn("tables", plain["options"])
            self.assertEqual(typed["options"].pop("tables"), "parquet")
            del plain["run"], typed["run"]
            self.assertEqual(typed, plain)
            shown = self.run_program(verb, "in.jsonl", "-o", "shown", "--tables", "parquet").out.decode()
            for name in self.tables("shown"):
                self.assertIn(f"shown/{name}\n", shown)
            for folder in ("plain", "out", "shown"):
                shutil.rmtree(self.path(folder))

    def test_without_the_library_nothing_is_begun(self):
        os.makedirs(self.path("bin"))
        shutil.copy(program(), self.path("bin", "refrain"))
        os.chmod(self.path("bin", "refrain"), stat.S_IRWXU)
        self.write("in.jsonl", jsonl(documents(20, seed=81)))
        for verb in ("dedup", "near"):
            result = self.run_program(verb, "in.jsonl", "-o", "out", "--tables", "parquet", "-q", code=3,
                                      executable=self.path("bin", "refrain"))
            self.assertRegex(result.err,
                             r"^refrain: --tables parquet: Parquet is not available: [^\n]*, or remove --tables\n$")
            self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    main()
