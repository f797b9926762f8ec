"""refrain near: its results and output in every format, compared with brute force over the fingerprints."""

import collections
import csv
import gzip
import io
import json
import os
import random
import shutil
import subprocess

from program import (MADE_WITH, TestCase, components, documents, expected_near, fingerprints, jsonl, lines, main, say,
                     table)

TEXTS = documents(90, seed=21)


def as_table(texts, delimiter, ids=None):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["other", "id", "text"])
    for at, text in enumerate(texts):
        writer.writerow([f'say "{at}", twice', ids[at] if ids else f"n{at}", text])
    return out.getvalue()


def packed(content, how):
    """Compresses the content; None if the program for this is missing."""
    content = content.encode() if isinstance(content, str) else content
    if how == "gz":
        return gzip.compress(content, 6)
    if how == "zst":
        if shutil.which("zstd") is None:
            return None
        return subprocess.run(["zstd", "-q", "-c"], input=content, capture_output=True, check=True).stdout
    return content


class Formats(TestCase):
    def check(self, near, rows, **more):
        matches, clusters = expected_near(rows, **more)
        self.assertEqual(near.matches, matches)
        self.assertEqual(near.clusters, clusters)
        self.assertGreater(len(matches), 20, "the corpus must have something to find")

    def test_every_format_plain_and_packed_finds_what_brute_force_finds(self):
        hashes = [value for _, value in fingerprints("-", stdin=lines(TEXTS))]
        contents = {"lines": lines(TEXTS), "jsonl": jsonl(TEXTS), "csv": as_table(TEXTS, ","),
                    "tsv": as_table(TEXTS, "\t")}
        rows = [[str(at), value] for at, value in enumerate(hashes)]
        for packing in ("", "gz", "zst"):
            for name, content in contents.items():
                data = packed(content, packing)
                if data is None:
                    say(f"{name}, zstd: not run, there is no zstd program")
                    continue
                file = self.write(f"in.{name}{'.' + packing if packing else ''}", data)
                arguments = ["--format", "lines"] if name == "lines" else ["--id-field=none"]
                with self.subTest(format=name, packing=packing):
                    self.check(self.near(file, *arguments, output=f"{name}-{packing}"), rows)

    def test_a_folder_of_files_plain_and_packed_finds_what_brute_force_finds(self):
        hashes = [value for _, value in fingerprints("-", stdin=lines(TEXTS))]
        for packing in ("", "gz", "zst"):
            for at, text in enumerate(TEXTS):
                data = packed(text, packing)
                if data is None:
                    break
                self.write(f"docs{packing}/{at % 4}/d{at:03}.txt{'.' + packing if packing else ''}", data)
            if data is None:
                say("files, zstd: not run, there is no zstd program")
                continue
            # In byte order: folder by folder, then by name.
            rows = [[f"docs{packing}/{folder}/d{at:03}.txt{'.' + packing if packing else ''}", hashes[at]]
                    for folder in range(4) for at in range(folder, len(TEXTS), 4)]
            with self.subTest(packing=packing):
                self.check(self.near(f"docs{packing}", output=f"files-{packing}"), rows)

    def test_a_packed_file_of_many_members_is_read_to_its_end(self):
        half = len(TEXTS) // 2
        self.write("in.jsonl.gz", packed(jsonl(TEXTS[:half]), "gz") + packed(jsonl(TEXTS[half:]), "gz"))
        self.check(self.near("in.jsonl.gz"), fingerprints("-", stdin=lines(TEXTS)))

    def test_an_id_field_names_the_documents(self):
        names = [f"page/{at * 7}" for at in range(len(TEXTS))]
        rows = [[name, value] for name, (_, value) in zip(names, fingerprints("-", stdin=lines(TEXTS)))]
        self.write("in.jsonl", jsonl(TEXTS, url=lambda at: names[at]))
        self.check(self.near("in.jsonl", "--id-field", "url", output="a"), rows)
        self.write("in.csv", as_table(TEXTS, ",", names))
        self.check(self.near("in.csv", "--id-field", "id", output="b"), rows)
        self.write("in.tsv", as_table(TEXTS, "\t", names))
        self.check(self.near("in.tsv", "--id-field=id", output="c"), rows)

    def test_a_text_field_names_the_text(self):
        rows = "".join(json.dumps({"text": "never this one here", "body": text}) + "\n" for text in TEXTS)
        self.write("in.jsonl", rows)
        self.check(self.near("in.jsonl", "--text-field", "body"), fingerprints("-", stdin=lines(TEXTS)))

    def test_distances_from_0_to_20_equal_brute_force(self):
        self.write("in.jsonl", jsonl(TEXTS))
        rows = fingerprints("-", stdin=lines(TEXTS))
        for distance in (0, 1, 2, 5, 8, 20):
            near = self.near("in.jsonl", "--distance", str(distance), output=f"d{distance}")
            self.assertEqual((near.matches, near.clusters), expected_near(rows, distance), distance)

    def test_presets_and_tokenizers_match_their_own_fingerprints(self):
        self.write("in.jsonl", jsonl(TEXTS))
        for flags, distance in ((["--preset", "fpga"], 3), (["--preset", "report"], 4), (["--tokenizer", "chars"], 8),
                                (["--window", "1", "--hash", "jenkins", "--seed", "5"], 8),
                                (["--stop-words", "english", "--tie", "1"], 8)):
            near = self.near("in.jsonl", *flags, output="-".join(flags).replace("--", ""))
            rows = fingerprints("in.jsonl", *flags, cwd=self.dir)
            self.assertEqual((near.matches, near.clusters), expected_near(rows, distance), flags)


class Comments(TestCase):
    """Code and a copy with other comments are equal, unless comments are included."""

    def setUp(self):
        super().setUp()
        code = [f"int f{i}(int x) {{ return x * {i}; }} // " for i in range(40)]
        self.write("a.c", lines(f"{line}one two {i}" for i, line in enumerate(code)))
        self.write("b.c", "/* three\n   four */" + lines(f"{line}five six {i} seven" for i, line in enumerate(code)))

    def test_they_are_skipped_wherever_there_is_a_tokenizer(self):
        for tokenizer in ("code", "code-kinds"):
            for flags, same in (([], True), (["--comments"], False)):
                flags = ["--tokenizer", tokenizer, *flags]
                (_, one), (_, two) = fingerprints("a.c", "b.c", *flags, cwd=self.dir)
                self.assertEqual(one == two, same, flags)
                name = f"{tokenizer}-{same}"
                self.run_program("dedup", "a.c", "b.c", "-o", f"{name}-run", "--threshold", "0.95", "--quiet", *flags)
                decisions = [json.loads(line)["keep"] for line in self.read(f"{name}-run/decisions.jsonl").splitlines()]
                self.assertEqual(decisions, [True, not same])
                if tokenizer == "code-kinds":
                    continue  # for which all lines are equal
                self.run_program("ngrams", "build", "a.c", "b.c", "-n", "200", "-o", f"{name}-grams", "--quiet", *flags)
                grams = json.loads(self.run_program("ngrams", "stats", f"{name}-grams", "--json").out)
                self.assertEqual(grams["multi"] > 0, same, flags)
                self.run_program("index", "create", f"{name}-index", "a.c", "--quiet", *flags)
                rows = self.run_program("index", "query", f"{name}-index", "b.c", "--edits", "none").out.splitlines()
                self.assertEqual(len(rows) == 1, same, flags)

    def test_what_was_made_with_them_is_not_mixed_with_what_was_not(self):
        flags = ["--tokenizer", "code"]
        self.run_program("dedup", "a.c", "-o", "one", "--library", "lib", "--quiet", *flags, "--comments")
        found = self.run_program("dedup", "b.c", "-o", "two", "--library", "lib", "--quiet", *flags, code=2)
        self.assertIn("lib: holds comments; use --comments", found.err)
        self.run_program("dedup", "b.c", "-o", "two", "--library", "lib", "--quiet", *flags, "--comments")
        self.run_program("dedup", "a.c", "-o", "three", "--library", "bare", "--quiet", *flags)
        found = self.run_program("dedup", "b.c", "-o", "four", "--library", "bare", "--quiet", *flags, "--comments",
                                 code=2)
        self.assertIn("bare: holds no comments; remove --comments", found.err)
        for more in ([], ["--tokenizer", "words"]):
            found = self.run_program("near", "a.c", "-o", "near", *more, "--comments", code=2)
            self.assertIn("--comments: only code has comments", found.err)


def windows(text):
    words = text.lower().replace(",", "").split()
    return {tuple(words[at:at + 3]) for at in range(len(words) - 2)}


class Verify(TestCase):
    def similarity(self, a, b):
        a, b = windows(TEXTS[int(a)]), windows(TEXTS[int(b)])
        return len(a & b) / len(a | b)

    def test_keeps_the_candidates_whose_texts_are_similar_and_clusters_them(self):
        self.write("in.jsonl", jsonl(TEXTS))
        candidates = self.near("in.jsonl", "--distance", "12", output="candidates")
        every = self.near("in.jsonl", "--distance", "12", "--all-pairs", output="every")
        for threshold in (0.95, 0.98, 1):
            self.run_program("near", "in.jsonl", "-o", f"v{threshold}", "--verify", "--distance", "12", "--threshold",
                             str(threshold))
            rows = table(self.read(f"v{threshold}", "matches.tsv"), "id1\tid2\tdiff\tsimilarity")
            expected = [row for row in candidates.matches if self.similarity(*row[:2]) >= threshold]
            self.assertEqual([row[:3] for row in rows], expected, threshold)
            self.assertLess(len(expected), len(candidates.matches), "something must be refused")
            for first, second, _, value in rows:
                self.assertAlmostEqual(float(value), self.similarity(first, second), 5)
            least = components(len(TEXTS), [(int(row[0]), int(row[1])) for row in rows])
            sizes = collections.Counter(least)
            clusters = table(self.read(f"v{threshold}", "clusters.tsv"), "id\tsimhash\tcluster")
            self.assertEqual([int(row[2]) for row in clusters], [first if sizes[first] > 1 else -1 for first in least])
            summary = json.loads(self.read(f"v{threshold}", "summary.json"))
            self.assertEqual(summary["matches"], len(rows))
            # Texts with equal fingerprints add more comparisons.
            self.assertGreaterEqual(summary["candidates"], len(candidates.matches))
            self.assertLess(summary["candidates"], len(every.matches))
            self.assertEqual([stage["stage"] for stage in summary["run"]["stages"]],
                             ["read", "group", "join", "verify", "write"])

    def test_searches_further_by_default_and_says_what_was_compared(self):
        self.write("in.jsonl", jsonl(TEXTS))
        out = self.run_program("near", "in.jsonl", "-o", "out", "--verify").out.decode()
        self.assertRegex(out, "candidate pairs +[0-9]+  at most 10 of 64 bits differ")
        self.assertRegex(out, "near-duplicate pairs +[0-9]+  similarity 0.8 or more")
        options = json.loads(self.read("out", "summary.json"))["options"]
        self.assertEqual((options["distance"], options["verify"], options["threshold"]), (10, True, 0.8))

    def test_texts_beyond_the_memory_go_to_temporary_files_and_change_nothing(self):
        texts = documents(1500, seed=5, length=2500)
        self.write("in.jsonl", jsonl(texts))
        self.run_program("near", "in.jsonl", "-o", "wide", "--verify", "-q")
        self.run_program("near", "in.jsonl", "-o", "tight", "--verify", "-q", "--memory", "64M", "--temp-dir", self.dir)
        for name in ("matches.tsv", "clusters.tsv"):
            self.assertEqual(self.read("wide", name), self.read("tight", name))
        summary = json.loads(self.read("tight", "summary.json"))
        self.assertGreater(summary["run"]["temp_peak_bytes"], summary["text_bytes"] // 2)
        self.assertGreater(summary["matches"], 100)
        self.assert_kept_memory(summary)

    def families(self, count, seed):
        """Generates families of similar texts that all have one fingerprint, because a very frequent word decides it.
        """
        choice = random.Random(seed)
        texts = []
        for family in range(count):
            words = [f"f{family}w{at}" for at in range(20)]
            for _ in range(choice.randrange(1, 5)):
                edited = [word if choice.random() > 0.03 else f"e{choice.randrange(10 ** 6)}" for word in words]
                texts.append(" ".join(["often"] * 400 + edited))
            texts.append(texts[-1])
        choice.shuffle(texts)
        return texts

    def test_similar_texts_of_one_fingerprint_are_found_whichever_is_the_first(self):
        for count in (1, 2, 4):
            for seed in range(5):
                texts = self.families(count, seed)
                self.write("in.jsonl", jsonl(texts))
                self.run_program("near", "in.jsonl", "-o", "out", "--verify", "--window", "1", "--force")
                sets = [set(text.split()) for text in texts]
                pairs = [(a, b) for b in range(len(texts)) for a in range(b)
                         if len(sets[a] & sets[b]) / len(sets[a] | sets[b]) >= 0.8]
                least = components(len(texts), pairs)
                clusters = table(self.read("out", "clusters.tsv"), "id\tsimhash\tcluster")
                self.assertEqual(len({row[1] for row in clusters}), 1, "all must have one fingerprint")
                sizes = collections.Counter(least)
                # If more texts share the fingerprint than represent it, a text may be compared with too few.
                if len(set(texts)) <= 4:
                    self.assertEqual([int(row[2]) for row in clusters], [at if sizes[at] > 1 else -1 for at in least])
                for row in table(self.read("out", "matches.tsv"), "id1\tid2\tdiff\tsimilarity"):
                    self.assertIn((int(row[0]), int(row[1])), pairs)
                for text in set(texts):
                    self.assertEqual(len({clusters[at][2] for at, other in enumerate(texts) if other == text}), 1)

    def test_very_many_texts_of_one_fingerprint_take_linear_time(self):
        texts = [" ".join(["often"] * 60 + [f"w{at}" for at in range(30)] + [f"date{copy}"]) for copy in range(20000)]
        self.write("in.jsonl", jsonl(texts))
        self.run_program("near", "in.jsonl", "-o", "out", "--verify", "--window", "1", "-q")
        summary = json.loads(self.read("out", "summary.json"))
        self.assertEqual(summary["distinct_fingerprints"], 1)
        self.assertEqual((summary["candidates"], summary["matches"], summary["clusters"]), (19999, 19999, 1))

    def test_a_threshold_alone_is_refused(self):
        self.write("in.jsonl", jsonl(TEXTS[:3]))
        err = self.run_program("near", "in.jsonl", "-o", "out", "--threshold", "0.5", code=2).err
        self.assertIn("--threshold: has no effect without --verify", err)
        err = self.run_program("near", "in.jsonl", "-o", "out", "--verify", "--threshold", "0", code=2).err
        self.assertIn("--threshold: must be above 0", err)


class ManyMatches(TestCase):
    def test_matches_beyond_the_memory_go_to_temporary_files_and_change_nothing(self):
        choice = random.Random(3)
        words = [f"w{at}" for at in range(400)]
        texts = []
        for _ in range(2600):
            edited = list(words)
            for _ in range(5):
                edited[choice.randrange(400)] = f"e{choice.randrange(10 ** 6)}"
            texts.append(" ".join(edited))
        self.write("in.jsonl", jsonl(texts))
        self.run_program("near", "in.jsonl", "-o", "wide", "-q", "--distance", "20")
        self.run_program("near", "in.jsonl", "-o", "tight", "-q", "--distance", "20", "--memory", "64M",
                         "--temp-dir", self.dir)
        summary = json.loads(self.read("tight", "summary.json"))
        self.assertGreater(24 * summary["matches"], 64 << 20)
        self.assertGreater(summary["run"]["temp_peak_bytes"], 1 << 20)
        self.assert_kept_memory(summary)
        for name in ("matches.tsv", "clusters.tsv"):
            self.assertEqual(self.read("wide", name), self.read("tight", name))


class Rows(TestCase):
    def test_the_files_are_these_bytes(self):
        text = "one two three four five six"
        self.write("in.jsonl", jsonl([text, "too short", text.upper(), "", "quite other words stand here", text]))
        near = self.near("in.jsonl")
        [same] = {value for name, value in fingerprints("in.jsonl", cwd=self.dir) if name in "025"}
        [other] = {value for name, value in fingerprints("in.jsonl", cwd=self.dir) if name == "4"}
        self.assertEqual(near.matches_bytes, b"id1\tid2\tdiff\n0\t2\t0\n0\t5\t0\n")
        self.assertEqual(near.clusters_bytes.decode(), f"id\tsimhash\tcluster\t{MADE_WITH}\n"
                         f"0\t{same}\t0\t\n1\t\t-1\t\n2\t{same}\t0\t\n3\t\t-1\t\n4\t{other}\t-1\t\n5\t{same}\t0\t\n")
        self.assertEqual(self.listing("out"), ["clusters.tsv", "matches.tsv", "skipped.tsv", "summary.json"])

    def test_the_summary_counts_what_was_found(self):
        self.write("in.jsonl", jsonl(TEXTS))
        near = self.near("in.jsonl", "--distance", "4")
        rows = fingerprints("in.jsonl", cwd=self.dir)
        matches, clusters = expected_near(rows, 4)
        members = [row[2] for row in clusters if row[2] != "-1"]
        largest = min(set(members), key=lambda name: (-members.count(name), int(name)))
        expected = {"documents": len(TEXTS), "matches": len(matches), "clusters": len(set(members)),
                    "clustered_documents": len(members), "largest_cluster": members.count(largest),
                    "largest_cluster_representative": largest, "bad_records": 0, "files": 1,
                    "too_short": sum(value is None for _, value in rows), "verb": "near",
                    "distinct_fingerprints": len({value for _, value in rows} - {None}),
                    "text_bytes": sum(len(text.encode()) for text in TEXTS)}
        self.assertEqual({key: near.summary[key] for key in expected}, expected)
        self.assertEqual(near.summary["options"]["distance"], 4)
        run = near.summary["run"]
        self.assertEqual(run["bytes_read"], os.path.getsize(self.path("in.jsonl")))
        self.assertGreater(run["peak_rss_bytes"], 1 << 20)
        self.assertEqual([stage["stage"] for stage in run["stages"]], ["read", "group", "join", "write"])

    def test_json_prints_the_summary_file(self):
        self.write("in.jsonl", jsonl(TEXTS))
        out = self.run_program("near", "in.jsonl", "-o", "out", "--json").out
        self.assertEqual(json.loads(out), json.loads(self.read("out", "summary.json")))

    def test_ids_are_escaped_so_that_no_id_breaks_a_row(self):
        names = ["a\tb", "c\nd", "e\\f", "g\r\nh", "\\t", "", "ü\u2028", "a b"]
        texts = ["the very same words in all of them"] * len(names)
        self.write("in.jsonl", jsonl(texts, id=lambda at: names[at]))
        near = self.near("in.jsonl", "--id-field", "id")
        escaped = ["a\\tb", "c\\nd", "e\\\\f", "g\\r\\nh", "\\\\t", "", "ü\u2028", "a b"]
        self.assertEqual([row[0] for row in near.clusters], escaped)
        self.assertEqual(near.matches, [[escaped[0], name, "0"] for name in escaped[1:]])

    def test_whole_numbers_are_ids_too(self):
        self.write("in.jsonl", jsonl(["one two three four"] * 3, id=lambda at: [7, -3, 12345678901234567890][at]))
        self.assertEqual([row[0] for row in self.near("in.jsonl", "--id-field", "id").clusters],
                         ["7", "-3", "12345678901234567890"])

    def test_folders_are_read_in_byte_order_and_ids_are_paths_as_given(self):
        names = ["B.txt", "a/z.txt", "a.txt", "a-b.txt", "a/b/c.txt", "Z/x", "é.txt", "10", "9"]
        for name in names:
            self.write(f"d/{name}", "the same few words are in all files")
        expected = ["10", "9", "B.txt", "Z/x", "a/b/c.txt", "a/z.txt", "a-b.txt", "a.txt", "é.txt"]
        # Names are in byte order within each folder: the folder "a" comes where its own name does.
        expected.sort(key=lambda name: [part.encode() for part in name.split("/")])
        for number, (given, prefix) in enumerate([("d", "d/"), ("./d", "./d/"), ("d/", "d/"),
                                                  (self.path("d"), self.path("d") + "/")]):
            near = self.near(given, output=f"out{number}")
            self.assertEqual([row[0] for row in near.clusters], [prefix + name for name in expected], given)

    def test_inputs_are_read_in_the_order_given_and_ordinals_run_through(self):
        self.write("b.jsonl", jsonl(["first words of b here", "second words of b here"]))
        self.write("a.jsonl", jsonl(["third words of a here"]))
        near = self.near("b.jsonl", "a.jsonl", "b.jsonl")
        self.assertEqual([row[0] for row in near.clusters], ["0", "1", "2", "3", "4"])
        self.assertEqual(near.matches, [["0", "3", "0"], ["1", "4", "0"]])
        self.assertEqual([row[2] for row in near.clusters], ["0", "1", "-1", "0", "1"])

    def test_the_cluster_number_is_the_ordinal_of_the_first_document(self):
        texts = ["alone with its own words", "never", "twins are equal in words", "twins, are equal. In words",
                 "pair of another sort entirely", "pair of another sort entirely"]
        self.write("in.jsonl", "not JSON\n" + jsonl(texts, id=lambda at: f"n{at}"))
        near = self.near("in.jsonl", "--id-field", "id")
        # The bad record keeps ordinal 0.
        self.assertEqual([[row[0], row[2]] for row in near.clusters],
                         [["n0", "-1"], ["n1", "-1"], ["n2", "3"], ["n3", "3"], ["n4", "5"], ["n5", "5"]])


class EqualFingerprints(TestCase):
    def corpus(self):
        # Groups of equal documents, mixed with near neighbors of groups.
        texts = documents(120, seed=5)
        texts += texts[10:20] * 3 + [text.upper() for text in texts[:30]]
        self.write("in.jsonl", jsonl(texts))
        rows = fingerprints("in.jsonl", cwd=self.dir)
        values = [value for _, value in rows if value is not None]
        self.assertGreater(len(values) - len(set(values)), 30)
        return rows

    def test_equal_fingerprints_collapse_onto_the_first(self):
        rows = self.corpus()
        near = self.near("in.jsonl")
        self.assertEqual((near.matches, near.clusters), expected_near(rows))

    def test_all_pairs_writes_every_pair_and_the_same_clusters(self):
        rows = self.corpus()
        every = self.near("in.jsonl", "--all-pairs", output="all")
        self.assertEqual((every.matches, every.clusters), expected_near(rows, all_pairs=True))
        firsts = self.near("in.jsonl", output="firsts")
        self.assertGreater(len(every.matches), len(firsts.matches))
        self.assertEqual(every.clusters_bytes, firsts.clusters_bytes)

    def test_the_first_document_comes_first_in_every_match(self):
        self.corpus()
        for flags in ([], ["--all-pairs"]):
            near = self.near("in.jsonl", *flags, output="o" + "".join(flags))
            pairs = [(int(a), int(b)) for a, b, _ in near.matches]
            self.assertTrue(all(a < b for a, b in pairs))
            self.assertEqual(pairs, sorted(set(pairs)))


if __name__ == "__main__":
    main()
