"""The verbs that maintain a library: their output, their changes, and what is left when they are interrupted."""

import concurrent.futures
import errno
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

from program import BIN_DIR, SOURCE_DIR, TIME_FACTOR, TestCase, environment, main, program, say

FAULTS = os.path.join(BIN_DIR, "faults.so")
FIXTURE = os.path.join(SOURCE_DIR, "tests", "compat", "v1", "library")  # 60 documents in two segments, 14 removed
FILES = ["documents.bin", "filter.bin", "ids.bin", "keys.bin", "names.bin"]


class Library(TestCase):
    def setUp(self):
        super().setUp()
        # The test makes thousands of syncs, which are slow on a disk.
        fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="refrain-cli-", dir=fast))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        shutil.copytree(FIXTURE, self.path("library"))

    def export(self, library="library"):
        return [json.loads(line) for line in self.run_program("library", "export", library, "-q").out.splitlines()]

    def stats(self, library="library"):
        return json.loads(self.run_program("library", "stats", library, "--json").out)

    def assert_no_litter(self, library):
        """The folder contains only what its manifest names."""
        named = {"manifest", "lock"}
        with open(self.path(library, "manifest"), encoding="utf-8") as manifest:
            for words in map(str.split, manifest):
                if words[0] == "segment":
                    named.add(f"{int(words[1]):06}")
                    self.assertEqual(self.listing(library, f"{int(words[1]):06}"), FILES)
                elif words[0] == "removed":
                    named.add(f"{int(words[1]):06}-{int(words[2]):06}.removed")
        self.assertEqual(set(self.listing(library)), named)


class Verbs(Library):
    def test_stats_say_what_there_is(self):
        stats = self.stats()
        self.assertEqual((stats["verb"], stats["documents"], stats["removed"], stats["segments"], stats["generation"]),
                         ("library stats", 46, 14, 2, 3))
        self.assertEqual(stats["rules"]["tokenizer"], "words")
        sizes = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(self.path("library"))
                    for name in names)
        self.assertEqual(sum(value for key, value in stats.items() if key.endswith("_bytes") and key != "text_bytes"),
                         sizes)
        told = self.run_program("library", "stats", "library").out.decode()
        self.assertRegex(told, r"(?m)^  documents +46  14 more removed but not yet merged away$")

    def test_export_has_a_row_for_every_document(self):
        rows = self.export()
        self.assertEqual(len(rows), 46)
        for row in rows:
            self.assertEqual(list(row), ["id", "digest", "source", "origin", "file", "begin", "bytes", "text_bytes"])
            self.assertRegex(row["digest"], r"^[0-9a-f]{32}$")
            self.assertEqual(row["file"] is None, row["origin"] is None)
        self.assertEqual({row["origin"] for row in rows}, {None, "run-one", "run-two"})
        told = self.run_program("library", "export", "library", "--json").err
        self.assertEqual(json.loads(told)["documents"], 46)

    def test_documents_go_by_id_by_list_and_by_source(self):
        rows = self.export()
        by_id, by_list, source = rows[0]["id"], [row["id"] for row in rows[5:9]], rows[20]["source"]
        self.write("gone.txt", "".join(f"{name}\r\n" for name in by_list) + "nobody\n")
        done = self.run_program("library", "remove", "library", by_id, by_id, "--ids", "gone.txt", "--source", source,
                                "--source", "nowhere")
        gone = [row for row in rows if row["id"] in (by_id, *by_list) or row["source"] == source]
        self.assertEqual(done.out.decode(), f"library: {len(gone)} documents removed\n")
        self.assertEqual(done.err,
                         "refrain: not in the library: 'nobody'\nrefrain: no document of this source: 'nowhere'\n")
        left = [row for row in rows if row not in gone]
        self.assertEqual(self.export(), left)
        self.assertEqual((self.stats()["documents"], self.stats()["removed"]), (len(left), 60 - len(left)))
        told = json.loads(self.run_program("library", "remove", "library", by_id, "--json", code=1).out)
        self.assertEqual((told["removed"], told["unknown_ids"], told["generation"]), (0, [by_id], 4))

        # Removed documents stay on the disk until a merge.
        self.assertEqual(self.run_program("library", "merge", "library").out.decode().split(";")[0],
                         "library: 2 segments merged")
        self.assertEqual(self.export(), left)
        self.assertEqual((self.stats()["removed"], self.stats()["segments"]), (0, 1))
        self.assert_no_litter("library")
        self.run_program("library", "check", "library")
        self.assertTrue(self.run_program("library", "merge", "library").out.startswith(b"library: nothing to merge; "))

    def test_all_documents_may_go(self):
        self.write("all.txt", "".join(row["id"] + "\n" for row in self.export()))
        self.run_program("library", "remove", "library", "--ids", "all.txt", "-q")
        self.assertEqual((self.export(), self.stats()["segments"]), ([], 0))
        self.run_program("library", "check", "library")
        self.run_program("library", "merge", "library", "-q")
        self.assert_no_litter("library")

    def test_what_is_wrong_is_said(self):
        self.assertEqual(self.run_program("library", "remove", "library", code=2).err,
                         "refrain: 'library remove' needs an ID, --ids FILE or --source NAME\n")
        os.mkdir(self.path("empty"))
        for verb in ("stats", "check", "merge", "export"):
            for name in ("absent", "empty"):
                self.assertRegex(self.run_program("library", verb, name, code=3).err,
                                 rf"^refrain: {name}: not a library; ")
            self.run_program("library", verb, code=2)
        with open(self.path("library", "lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for verb in (["merge", "library"], ["remove", "library", "x"]):
                self.assertRegex(self.run_program("library", *verb, code=1).err, r"^refrain: library/lock: [^\n]+\n$")
            self.assertEqual(len(self.export()), 46)

    def test_an_index_is_not_a_library_and_the_other_way_round(self):
        self.write("a.txt", "the council met on monday to talk about the old bridge over the river")
        self.run_program("index", "create", "index", "a.txt", "-q")
        self.assertIn("this is an index, not a library", self.run_program("library", "stats", "index", code=2).err)
        self.assertIn("this is a library, not an index", self.run_program("index", "stats", "library", code=2).err)

    def test_damage_is_named_and_never_served(self):
        right = self.export()
        for name in ["manifest", *(f"00000{segment}/{file}" for segment in (1, 2) for file in FILES),
                     "000001-000003.removed"]:
            path = self.path("library", name)
            with open(path, "rb") as file:
                content = file.read()
            for at in {len(content) // 3, len(content) - 100, 20}:
                self.write(f"library/{name}", content[:at] + bytes([content[at] ^ 4]) + content[at + 1:])
                self.assertRegex(self.run_program("library", "check", "library", code=4).err,
                                 rf"(?m)^refrain: library/{name}: ")
                done = subprocess.run([program(), "library", "export", "library", "-q"], cwd=self.dir,
                                      capture_output=True, check=False, env=environment())
                self.assertIn(done.returncode, (0, 4), name)
                rows = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual(rows, right if done.returncode == 0 else right[:len(rows)], name)
            self.write(f"library/{name}", content)
        self.assertEqual(self.export(), right)


class Faults(Library):
    """Every call that changes the library fails, or is the last one before a kill; and calls that read it fail."""

    def setUp(self):
        super().setUp()
        if not os.path.exists(FAULTS):
            self.skipTest(f"{FAULTS}: not built; a sanitizer's library wants to be loaded first")
        self.before = self.export()
        names = [row["id"] for row in self.before]
        # Each verb, with the documents expected after it.
        gone = [names[3], names[40]]
        self.verbs = {"remove": (["remove", *gone], [row for row in self.before if row["id"] not in gone]),
                      "merge": (["merge"], self.before)}

    def run_faulty(self, folder, words, **settings):
        more = {f"FAULTS_{key}": str(value) for key, value in settings.items()}
        done = subprocess.run([program(), "library", words[0], f"{folder}/library", *words[1:], "-q"], cwd=self.dir,
                              capture_output=True, timeout=60 * TIME_FACTOR, check=False,
                              env=environment(LD_PRELOAD=FAULTS, FAULTS_FOLDER=self.path(folder), **more))
        return done.returncode, done.stderr.decode(), done.stdout

    def fresh(self, name):
        shutil.copytree(self.path("library"), self.path(name, "library"))
        return name

    def calls(self, name, words, **settings):
        folder = self.fresh(f"{name}-counted")
        code, err, _ = self.run_faulty(folder, words, LOG=self.path("log"), **settings)
        self.assertEqual((code, err), (0, ""))
        calls = self.read("log").decode().splitlines()
        os.remove(self.path("log"))
        self.assertGreater(len(calls), 5)
        return list(enumerate(calls, 1))

    def each(self, work, items):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            failures = [done.exception() for done in [pool.submit(work, *item) for item in items]]
        failures = [repr(failure) for failure in failures if failure is not None]
        self.assertEqual(len(failures), 0, "\n".join(failures[:20]))

    def assert_can_continue(self, verb, folder, told):
        """The library is intact, as before or after the verb; the verb can be run again, and nothing of the
        interrupted run is left."""
        words, after = self.verbs[verb]
        library = f"{folder}/library"
        self.run_program("library", "check", library, "-q")
        self.assertIn(self.export(library), (self.before, after), told)
        done = self.stats(library)["generation"] > 3
        self.run_program("library", words[0], library, *words[1:], "-q", code=1 if done and verb == "remove" else 0)
        self.assertEqual(self.export(library), after, told)
        self.run_program("library", "merge", library, "-q")
        self.assert_no_litter(library)
        shutil.rmtree(self.path(folder))

    def test_a_call_that_fails_or_is_the_last_leaves_one_commit(self):
        items = []
        for verb, (words, _) in self.verbs.items():
            for number, call in self.calls(verb, words):
                items += [(verb, number, call, error) for error in ((errno.ENOSPC, errno.EIO)[number % 2], 0)]
        say(f"{len(items)} faults")

        def fail(verb, number, call, error):
            folder = self.fresh(f"{verb}-{number}-{error}")
            told = f"{verb}, call {number}, {call}: {errno.errorcode.get(error, 'killed')}"
            code, err, _ = self.run_faulty(folder, self.verbs[verb][0], AT=number,
                                           **({"ERRNO": error} if error else {}))
            if error == 0:
                self.assertEqual(code, -signal.SIGKILL, told)
            else:
                # A failed cleanup is not an error: the next writer does it.
                self.assertIn(code, (0, 1, 5) if call.startswith("unlink ") else (1, 5), f"{told}: {err}")
                self.assertRegex(err, r"^refrain: [^\n]+\n$" if code else r"^$", told)
            self.assert_can_continue(verb, folder, told)

        self.each(fail, items)

    def test_a_call_that_cannot_read_is_an_error_or_the_right_answer(self):
        looks = {"check": ["check"], "export": ["export"], **{name: words for name, (words, _) in self.verbs.items()}}
        items = []
        for name, words in looks.items():
            # A sample of the calls; tests/torture/read_faults.py tests the others.
            for number, call in self.calls(name, words, READS=1)[::4]:
                items.append((name, number, call, (errno.EIO, errno.EMFILE, errno.EACCES)[len(items) % 3]))
        say(f"{len(items)} faults")

        def fail(name, number, call, error):
            folder = self.fresh(f"{name}-{number}-read")
            told = f"{name}, call {number}, {call}: {errno.errorcode[error]}"
            code, err, out = self.run_faulty(folder, looks[name], READS=1, AT=number, ERRNO=error)
            # A file that may not be opened is reported as a missing input.
            self.assertIn(code, (0, 1, 3) if error == errno.EACCES else (0, 1), f"{told}: {err}")
            self.assertEqual(bool(re.fullmatch(r"refrain: [^\n]+\n", err)), code != 0, told)
            if name == "export" and code == 0:
                self.assertEqual([json.loads(line) for line in out.splitlines()], self.before, told)
            if name in self.verbs:
                self.assert_can_continue(name, folder, told)

        self.each(fail, items)


if __name__ == "__main__":
    main()
