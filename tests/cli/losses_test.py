"""Tests for defects that lose or endanger data; each is named after what would go wrong."""

import errno
import gzip
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tarfile
import threading
import time
import urllib.error
import urllib.request

from program import (BIN_DIR, SANITIZED, TIME_FACTOR, TestCase, documents, environment, jsonl, main, program, running,
                     wait_until)

FAULTS = os.path.join(BIN_DIR, "faults.so")
TEXTS = documents(200, seed=5)


class Folder(TestCase):
    def setUp(self):
        super().setUp()
        self.dir = os.path.realpath(self.dir)

    def tree(self, *parts):
        """Returns everything below a folder, with its contents."""
        found = {}
        for above, folders, names in os.walk(self.path(*parts)):
            for name in folders + names:
                path = os.path.join(above, name)
                found[os.path.relpath(path, self.dir)] = self.read(path) if os.path.isfile(path) else None
        return found

    def faulty(self, *arguments, call, path, error=errno.EIO, at=1):
        """Runs while calls of this kind on `path` fail, from number `at` on."""
        done = subprocess.run([program(), *arguments], cwd=self.dir, capture_output=True, check=False,
                              timeout=60 * TIME_FACTOR,
                              env=environment(LD_PRELOAD=FAULTS, FAULTS_READS="1", FAULTS_FOLDER=self.dir,
                                              FAULTS_ONLY=f"{call} {self.path(path)}", FAULTS_AT=str(at),
                                              FAULTS_ERRNO=str(error), FAULTS_STAYS="1"))
        return done.returncode, done.stderr.decode()

    def needs_faults(self):
        if not os.path.exists(FAULTS):
            self.skipTest(f"{FAULTS}: not built; a sanitizer's library wants to be loaded first")


class Index(Folder):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", jsonl(TEXTS, id=lambda at: f"d{at}"))
        self.run_program("index", "create", "books", "in.jsonl", "--id-field", "id", "-q")

    def test_a_file_put_into_the_index_is_not_deleted_by_whoever_writes(self):
        self.write("books/new.txt", "a file of mine")
        self.write("books/000009/keep.txt", "another")
        before = self.tree("books")
        result = self.run_program("index", "add", "books", "books/new.txt", code=2)
        self.assertIn("inside the index", result.err)
        self.assertEqual(self.tree("books"), before)
        self.run_program("index", "remove", "books", "nobody", code=1)
        self.assertEqual(self.tree("books"), before)
        self.write("more.txt", "some words to add to it")
        self.run_program("index", "add", "books", "more.txt", "-q")
        self.run_program("index", "merge", "books", "-q")
        self.assertEqual(self.read("books", "new.txt"), b"a file of mine")
        self.assertEqual(self.read("books", "000009", "keep.txt"), b"another")

    def test_an_index_inside_what_is_added_is_not_read_as_text(self):
        result = self.run_program("index", "add", "books", ".", code=2)
        self.assertIn("contains the index books", result.err)

    def test_an_index_swapped_under_a_running_server_is_noticed(self):
        self.write("other.jsonl", jsonl(["entirely other words in this one document here"], id=lambda at: "other"))
        self.run_program("index", "create", "next", "other.jsonl", "--id-field", "id", "-q")
        with Server(self) as server:
            self.assertEqual(server.get("/v1/documents/d0")["id"], "d0")
            os.rename(self.path("books"), self.path("gone"))
            os.rename(self.path("next"), self.path("books"))
            self.assertEqual(server.get("/v1/documents/other")["id"], "other")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                server.get("/v1/documents/d0")
            self.assertEqual(refused.exception.code, 404)

    def test_a_segment_cut_off_under_a_running_server_ends_that_query_alone(self):
        names = sorted(name for name in os.listdir(self.path("books", "000001")) if name.startswith("posts"))
        with Server(self) as server:
            server.ask(TEXTS[0])
            for name in names:
                os.truncate(self.path("books", "000001", name), 4096)
            with self.assertRaises(urllib.error.HTTPError) as refused:
                server.ask(TEXTS[0])
            self.assertEqual(refused.exception.code, 500)
            self.assertIn("truncated", refused.exception.read().decode())
            self.assertIsNone(server.process.poll(), "the server is gone")
            self.assertEqual(server.get("/v1/stats")["documents"], len(TEXTS))
        self.assertEqual(self.run_program("index", "query", "books", "in.jsonl", code=4).err.count("\n"), 1)

    def test_a_file_of_the_index_that_became_a_pipe_blocks_nobody(self):
        for name in ("manifest", "000001/documents.bin", "lock"):
            path = self.path("books", name)
            os.rename(path, path + ".away")
            os.mkfifo(path)
            command = ("remove", "books", "d1") if name == "lock" else ("query", "books", "in.jsonl")
            result = self.run_program("index", *command, code=4 if name != "lock" else 0, timeout=20 * TIME_FACTOR)
            if name != "lock":
                self.assertIn("is not a regular file", result.err)
            os.remove(path)
            os.rename(path + ".away", path)

    def test_a_lock_that_the_file_system_does_not_give_is_not_taken_for_another_writer(self):
        self.needs_faults()
        code, err = self.faulty("index", "remove", "books", "d1", call="flock", path="books/lock",
                                error=errno.EBADF)
        self.assertEqual(code, 1, err)
        self.assertIn("books/lock: cannot lock: Bad file descriptor", err)
        self.assertNotIn("another process", err)


class Server:
    """`refrain serve books`, for one test."""

    def __init__(self, test):
        self.test = test

    def __enter__(self):
        self.block = running("serve", "books", "--listen", "127.0.0.1:0", cwd=self.test.dir, stderr=subprocess.PIPE)
        self.process = self.block.__enter__()
        line = self.process.stderr.readline().decode()
        self.address = re.search(r"http://\S+", line).group()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        return self.block.__exit__(*error)

    def get(self, path):
        return json.loads(urllib.request.urlopen(self.address + path, timeout=30).read())

    def ask(self, text):
        body = json.dumps({"text": text}).encode()
        return urllib.request.urlopen(urllib.request.Request(self.address + "/v1/query", body), timeout=30).read()


class Reading(Folder):
    def setUp(self):
        super().setUp()
        self.needs_faults()
        self.write("in/a.jsonl", jsonl(TEXTS[:100], id=lambda at: f"a{at}"))
        self.write("in/b.jsonl", jsonl(TEXTS[100:], id=lambda at: f"b{at}"))
        self.line = ["dedup", "in", "--id-field", "id", "--apply", "-o", "out", "--threads", "2"]

    def test_a_file_that_cannot_be_read_ends_the_run_which_goes_on_later(self):
        for call, error in (("read", errno.EIO), ("open", errno.ESTALE), ("open", errno.EMFILE),
                            ("open", errno.EACCES)):
            code, err = self.faulty(*self.line, "-q", call=call, at=1 if call == "read" else 3, path="in/b.jsonl",
                                    error=error)
            self.assertEqual(code, 1, err)
            self.assertIn(f"in/b.jsonl: cannot {call}: {os.strerror(error)}", err)
            self.assertIn("--skip-unreadable", err)
            self.run_program(*self.line, "-q", "--resume")
            self.assertEqual(self.listing("out", "clean", "in"), ["a.jsonl", "b.jsonl"])
            shutil.rmtree(self.path("out"))

    def test_a_run_folder_that_cannot_be_looked_at_is_an_error_that_names_it(self):
        line = [*self.line, "--read-back", "-q"]
        # The candidates, the clean corpus when it is written, when it is read back, and what a stage has left.
        for call, path, at in (("stat", "out/work/candidates", 1), ("readdir", "out/clean", 1),
                               ("readdir", "out/clean", 2), ("readdir", "out/clean/in", 4), ("readdir", "out/work", 2)):
            code, err = self.faulty(*line, call=call, path=path, at=at)
            self.assertEqual(code, 1, (call, path, at, err))
            self.assertIn(f"{path}: cannot {'list' if call == 'readdir' else call}: Input/output error", err)
            self.assertNotIn("filesystem", err)
            self.run_program(*line, *(["--resume"] if os.path.exists(self.path("out")) else []))
            shutil.rmtree(self.path("out"))

    def test_a_current_folder_that_is_gone_is_an_error_that_says_so(self):
        os.makedirs(self.path("gone"))
        script = f'cd gone && rmdir ../gone && exec {program()} index create {self.path("index")} {self.path("in")} -q'
        done = subprocess.run(["sh", "-c", script], cwd=self.dir, capture_output=True, check=False, env=environment())
        self.assertEqual((done.returncode, done.stderr.decode().split(": ")[1:3]),
                         (1, ["current folder", "cannot getcwd"]))

    def test_an_archive_that_fails_half_way_is_left_out_from_there_on(self):
        with tarfile.open(self.path("in/c.tar"), "w") as archive:
            for at in range(200):
                content = documents(1, seed=at + 1000, length=3000)[0].encode()
                info = tarfile.TarInfo(f"{at}.txt")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        line = ["near", "in", "-o", "out", "--threads", "2"]
        code, err = self.faulty(*line, call="read", path="in/c.tar", at=4)
        self.assertEqual(code, 1, err)
        self.assertIn("in/c.tar/c.tar: cannot read: Input/output error; make it readable, or skip", err)
        code, err = self.faulty(*line, "--skip-unreadable", call="read", path="in/c.tar", at=4)
        self.assertEqual(code, 0, err)
        summary = json.loads(self.read("out", "summary.json"))
        self.assertEqual(summary["unreadable"],
                         [{"path": "in/c.tar/c.tar", "reason": "cannot read: Input/output error"}])
        self.assertGreater(summary["documents"], 200)
        self.assertLess(summary["documents"], 400)

    def test_files_that_may_be_left_out_are_all_named(self):
        code, err = self.faulty(*self.line, "--skip-unreadable", call="read", path="in/b.jsonl")
        self.assertEqual(code, 0, err)
        self.assertIn("1 file could not be read and was skipped:\n  in/b.jsonl: cannot read: Input/output error", err)
        summary = json.loads(self.read("out", "summary.json"))
        self.assertEqual(summary["unreadable"], [{"path": "in/b.jsonl", "reason": "cannot read: Input/output error"}])
        self.assertEqual(summary["documents"], 100)
        self.assertEqual(self.listing("out", "clean", "in"), ["a.jsonl"])
        self.assertIn(b"could not be read", self.read("out", "report.html"))
        self.run_program("explain", "--run", "out", "a7")

    def test_a_named_file_is_left_out_in_every_pass(self):
        for verb in (["dedup", "--apply"], ["substrings", "--apply"], ["ngrams", "build"]):
            code, err = self.faulty(*verb, "in/a.jsonl", "in/b.jsonl", "-o", "out", "--skip-unreadable", call="open",
                                    path="in/b.jsonl")
            self.assertEqual(code, 0, (verb, err))
            self.assertIn("in/b.jsonl: cannot open: Input/output error", err)
            shutil.rmtree(self.path("out"))

    def test_an_input_of_which_nothing_can_be_read_is_an_error(self):
        code, err = self.faulty("dedup", "in/b.jsonl", "-o", "out", "--skip-unreadable", call="read", path="in/b.jsonl")
        self.assertEqual(code, 1, err)
        self.assertIn("no input could be read", err)

    def test_a_clean_folder_that_appears_before_the_run_goes_on_is_not_its_own(self):
        code, err = self.faulty(*self.line, "-q", call="open", path="out/work/decided")
        self.assertEqual(code, 1, err)
        self.write("out/clean/mine.txt", "mine")
        self.assertIn("out/clean: not written by this run", self.run_program(*self.line, "-q", "--resume", code=2).err)
        self.assertEqual(self.read("out", "clean", "mine.txt"), b"mine")
        shutil.rmtree(self.path("out", "clean"))
        self.run_program(*self.line, "-q", "--resume")

    def test_every_verb_that_reads_refuses_alike(self):
        for verb in (["near", "in", "-o", "out"], ["substrings", "in", "-o", "out"], ["fingerprint", "in"],
                     ["ngrams", "build", "in", "-o", "out"], ["index", "create", "out", "in"]):
            code, err = self.faulty(*verb, "--id-field", "id", "-q", call="read", path="in/a.jsonl")
            self.assertEqual(code, 1, (verb, err))
            self.assertIn("in/a.jsonl: cannot read: Input/output error", err)
            self.assertFalse(os.path.exists(self.path("out")), verb)

    def test_a_run_whose_own_file_cannot_be_read_is_not_thrown_away(self):
        code, err = self.faulty(*self.line, "-q", call="open", path="out/work/decided")
        self.assertEqual(code, 1, err)
        self.assertTrue(os.path.exists(self.path("out", "work", "run.txt")))
        self.run_program(*self.line, "-q", "--resume")
        # If the check whether there is a run fails, the run must not be deleted either.
        shutil.rmtree(self.path("out"))
        with running(*self.line, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            self.assertTrue(wait_until(lambda: os.path.exists(self.path("out", "work", "read.done"))))
            process.kill()
        before = self.listing("out", "work")
        code, err = self.faulty(*self.line, "--force", call="stat", path="out/work/run.txt")
        self.assertEqual(code, 1, err)
        self.assertEqual(self.listing("out", "work"), before)


class Outputs(Folder):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", jsonl(TEXTS))

    def test_a_clean_folder_that_no_run_made_is_not_replaced_even_where_it_is_the_input(self):
        self.write("out/clean/precious.txt", "mine")
        line = ["substrings", "in.jsonl", "-o", "out", "--apply", "--force", "-q"]
        self.assertIn("out/clean: exists, but was not written by this verb", self.run_program(*line, code=2).err)
        line[1] = "out/clean"
        self.assertIn("is read from there", self.run_program(*line, code=2).err)
        self.assertEqual(self.tree("out"), {"out/clean": None, "out/clean/precious.txt": b"mine"})
        # A folder that a run made is an input like any other.
        shutil.rmtree(self.path("out"))
        self.run_program("substrings", "in.jsonl", "-o", "out", "--apply", "-q")
        self.assertIn("is read from there", self.run_program(*line, code=2).err)

    def test_a_file_put_into_clean_after_the_run_is_not_deleted(self):
        for verb in (["substrings"], ["dedup"]):
            line = [*verb, "in.jsonl", "-o", "out", "--apply", "-q"]
            self.run_program(*line)
            self.run_program(*line, "--force")
            self.write("out/clean/note.txt", "mine")
            self.assertIn("out/clean/note.txt: was not written by the run",
                          self.run_program(*line, "--force", code=2).err)
            self.assertEqual(self.read("out", "clean", "note.txt"), b"mine")
            shutil.rmtree(self.path("out"))

    def test_a_table_of_another_name_is_not_overwritten(self):
        self.write("out/matches.tsv", "mine")
        self.write("out/summary.json", "{}")
        for verb in (["near"], ["dedup"]):
            result = self.run_program(*verb, "in.jsonl", "-o", "out", "--force", code=2)
            self.assertIn("was not written by this verb", result.err)
        self.assertEqual(self.tree("out"), {"out/matches.tsv": b"mine", "out/summary.json": b"{}"})

    def test_what_lies_beside_under_the_name_of_a_part_is_not_written_through(self):
        """A link planted at the name of the temporary file is not followed."""
        self.write("victim", "mine")
        subprocess.run(["sh", "-c", 'for n in 0 1 2; do ln -s victim pairs.partial-refrain-$$-$n; done; '
                        f'printf "1\\n3\\n" > h; exec {program("simhash-find-all")} -b 6 -d 3 -i h -o pairs'],
                       cwd=self.dir, check=True)
        self.assertEqual(self.read("victim"), b"mine")
        self.assertEqual(self.read("pairs"), b"[1, 3]\n")


class ReadBack(Folder):
    def setUp(self):
        super().setUp()
        half = len(TEXTS) // 2
        notice = " This notice, which is longer than sixty bytes, stands at the end of several documents."
        texts = [text + notice if at % 9 == 0 and text else text for at, text in enumerate(TEXTS)]
        self.write("in/a.jsonl", jsonl(texts[:half], id=lambda at: f"a{at}") + "not JSON\n")
        self.write("in/b.jsonl.gz", gzip.compress(jsonl(texts[half:], id=lambda at: f"b{at}").encode()))
        self.line = ["dedup", "in", "--apply", "--read-back", "--substrings", "60", "-o", "out", "-q"]

    def test_the_clean_corpus_is_compared_with_the_decisions(self):
        self.run_program(*self.line)
        summary = json.loads(self.read("out", "summary.json"))
        self.assertEqual(summary["run"]["read_back"], summary["kept"])
        self.assertGreater(summary["cut_documents"], 0)

    def test_every_format_comes_back_as_it_was_decided(self):
        rows = [(f"d{at}", text.replace('"', "")) for at, text in enumerate(TEXTS[:120])]
        self.write("f/c.csv", "id,text\n" + "".join(f'{name},"{text}"\n' for name, text in rows))
        self.write("f/t.tsv", "id\ttext\n" + "".join(f"{name}\t{text}\n" for name, text in rows))
        self.write("lines.txt", "\ufeff" + "".join(text + "\r\n" for _, text in rows))
        for at, (_, text) in enumerate(rows[:30]):
            self.write(f"files/{at}.txt", text)
        for line in (["f"], ["f", "in"], ["lines.txt", "--format", "lines"], ["files"],
                     ["files/3.txt", "files/2.txt", "files"]):
            self.run_program("dedup", *line, "--apply", "--read-back", "--substrings", "60", "-o", "out", "-q")
            shutil.rmtree(self.path("out"))

    def test_a_byte_that_the_disk_changed_is_found_before_the_run_ends(self):
        # The run is killed after the stage that writes, and a byte is changed.
        with running(*self.line, cwd=self.dir, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL) as process:
            self.assertTrue(wait_until(lambda: os.path.exists(self.path("out", "work", "apply.done"))
                                       or process.poll() is not None))
            process.kill()
        if os.path.exists(self.path("out", "summary.json")):
            self.skipTest("the run ended before it could be stopped")
        path = self.path("out", "clean", "in", "a.jsonl")
        content = bytearray(self.read("out", "clean", "in", "a.jsonl"))
        at = content.index(b'"text": "') + 12
        content[at] ^= 1
        with open(path, "wb") as file:
            file.write(content)
        marker = self.path("out", "work", "read-back.done")
        if os.path.exists(marker):
            os.remove(marker)
        result = self.run_program(*self.line, "--resume", code=4)
        self.assertIn("differs from what was kept", result.err)
        self.assertFalse(os.path.exists(self.path("out", "summary.json")))
        self.run_program(*self.line, "--resume")
        self.assertIn("read_back", json.loads(self.read("out", "summary.json"))["run"])

    def test_it_goes_with_apply_alone(self):
        self.assertIn("--apply", self.run_program("dedup", "in", "--read-back", "-o", "out", code=2).err)


class Terminal(Folder):
    def on_terminal(self, *arguments, stdin=b""):
        """Returns what the program prints to a terminal."""
        mine, theirs = pty.openpty()
        process = subprocess.Popen([program(), *arguments], cwd=self.dir, stdin=subprocess.PIPE, stdout=theirs,
                                   stderr=subprocess.DEVNULL, env=environment())
        os.close(theirs)
        process.stdin.write(stdin)
        process.stdin.close()
        out = b""
        while True:
            ready, _, _ = select.select([mine], [], [], 30)
            try:
                piece = os.read(mine, 65536) if ready else b""
            except OSError:
                piece = b""
            if not piece:
                break
            out += piece
        os.close(mine)
        process.wait()
        return out

    def test_escape_sequences_in_data_do_not_reach_a_terminal(self):
        evil = "\x1b]0;owned\x07\x1b[2J"
        text = f"some words {evil} and more words of this text here"
        self.write("in.jsonl", jsonl([text, text], id=lambda at: f"{evil}{at}"))
        rows = self.run_program("fingerprint", "in.jsonl", "--id-field", "id", "-q").out
        self.assertIn(b"\x1b", rows)  # a file gets the original bytes
        self.write("stored.tsv", rows)
        self.run_program("ngrams", "build", "in.jsonl", "--id-field", "id", "--tokenizer", "chars", "-n", "3",
                         "-o", "grams", "-q")
        for line in (["fingerprint", "in.jsonl", "--id-field", "id"], ["match", "stored.tsv", "stored.tsv"],
                     ["ngrams", "show", "grams"], ["ngrams", "lookup", "grams", f"{evil}"]):
            shown = self.on_terminal(*line)
            self.assertTrue(shown or line[1] == "lookup", line)
            self.assertNotIn(b"\x1b", shown, line)
            self.assertNotIn(b"\x07", shown, line)


class Programs(Folder):
    def test_they_are_built_to_withstand_slips(self):
        if SANITIZED or shutil.which("readelf") is None:
            self.skipTest("a sanitizer has its own ways")
        for name in ("refrain", "simhash-find-all", "librefrain.so", "librefrain_parquet.so"):
            path = os.path.join(BIN_DIR, name)
            if not os.path.exists(path):
                continue
            told = subprocess.run(["readelf", "-dlW", path], capture_output=True, check=True).stdout.decode()
            self.assertIn("GNU_RELRO", told, name)
            self.assertRegex(told, r"BIND_NOW|Flags: NOW", name)
            for found in re.findall(r"R(?:UN)?PATH.*\[(.*)\]", told):
                self.assertEqual(found, "$ORIGIN", name)
            symbols = subprocess.run(["readelf", "-sW", path], capture_output=True, check=True).stdout.decode()
            self.assertIn("__stack_chk_fail", symbols, name)
            if name == "refrain":
                self.assertIn("_chk@", symbols.replace("__stack_chk_fail@", ""), "no fortified call")

    def test_without_proc_no_library_of_the_working_folder_is_run(self):
        if os.geteuid() != 0 or shutil.which("unshare") is None:
            self.skipTest("/proc can be taken away by root only")
        self.write("x.parquet", "PAR1 not really PAR1")
        self.write("lib/librefrain_parquet.so", "not a library")
        script = ("umount -l /proc 2>/dev/null || mount -t tmpfs none /proc || exit 99; "
                  f"exec {program()} near x.parquet -o out")
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script], cwd=self.dir, capture_output=True,
                              check=False, timeout=60, env=environment())
        if done.returncode == 99:
            self.skipTest("/proc cannot be taken away here")
        if b"ASan is ignoring" in done.stderr:
            self.skipTest("the sanitizer itself needs /proc")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"cannot find its own path", done.stderr)


class HostilePage(Folder):
    def test_a_small_page_does_not_stop_a_crawl(self):
        page = b"<!-- <svg> -->" + b"<b>" * 130_000 + b"the end"
        reply = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
        head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.example/\r\nWARC-Record-ID: <urn:x>\r\n"
                f"Content-Type: application/http\r\nContent-Length: {len(reply)}\r\n\r\n").encode()
        self.write("a.warc.gz", gzip.compress(head + reply + b"\r\n\r\n"))
        start = time.monotonic()
        self.run_program("fingerprint", "a.warc.gz", "-q")
        self.assertLess(time.monotonic() - start, 5 * TIME_FACTOR)


if __name__ == "__main__":
    main()
