"""POST /v1/seen over HTTP: its answers, who may ask, and that no document answered as added is ever lost."""

import contextlib
import errno
import http.client
import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import threading
import unittest

from program import (BIN_DIR, SOURCE_DIR, TIME_FACTOR, TestCase, environment, jsonl, main, program, running, say,
                     sentence, vocabulary)
from serve_test import API, BEARER, TOKEN, misfit

KILLS = 12
FAULTS = os.path.join(BIN_DIR, "faults.so")
WORDS = vocabulary(20000, seed=3)


def record(name, text):
    return json.dumps({"id": name, "text": text}) + "\n"


class Client:
    """A connection that stays open."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60 * TIME_FACTOR)

    def ask(self, body, headers=BEARER):
        self.connection.request("POST", "/v1/seen", body if isinstance(body, bytes) else body.encode(), headers)
        reply = self.connection.getresponse()
        return reply.status, reply.read()

    def seen(self, documents):
        status, body = self.ask("".join(record(*document) for document in documents))
        if status != 200:
            raise AssertionError((status, body))
        return [json.loads(line) for line in body.splitlines()]


class Served(TestCase):
    def setUp(self):
        super().setUp()
        self.dir = os.path.realpath(self.dir)
        self.rng = random.Random(7)
        self.write("token", TOKEN + "\n")

    def serve(self, *flags, add=True, env=None):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        flags = [*flags, *(["--add", "--token-file", "token"] if add else [])]
        process = stack.enter_context(running("serve", "--library", "library", "--listen", "127.0.0.1:0",
                                              "--threads", "2", *flags, cwd=self.dir, stdout=subprocess.PIPE,
                                              stderr=subprocess.PIPE, env=env or environment()))
        stack.callback(process.stdout.close)
        stack.callback(process.stderr.close)
        self.told = []
        while not (told := re.fullmatch(rb"refrain: listening on http://127\.0\.0\.1:(\d+)\n",
                                        line := process.stderr.readline())):
            if not line:
                self.fail(b"".join(self.told))
            self.told.append(line)
        return process, int(told.group(1))

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60 * TIME_FACTOR), 0)

    def client(self, port):
        client = Client(port)
        self.addCleanup(client.connection.close)
        return client

    def text(self, words=60):
        return sentence(self.rng, WORDS, words)

    def exported(self):
        return [json.loads(line)["id"]
                for line in self.run_program("library", "export", "library", "-q").out.splitlines()]


class Answers(Served):
    def test_every_kind_of_answer(self):
        process, port = self.serve()
        client = self.client(port)
        first, second = self.text(), self.text()
        more = first + " " + self.text(40)
        rows = client.seen([("https://a.org/1", first), ("2", first), ("3", first + " more"), ("4", second)])
        for row in rows:
            self.assertEqual(misfit(row, {"$ref": "#/components/schemas/Seen"}), "")
        self.assertEqual([(row["id"], row["status"], row["match"], row["added"]) for row in rows], [
            ("https://a.org/1", "new", None, True), ("2", "exact", "https://a.org/1", False),
            ("3", "near", "https://a.org/1", False), ("4", "new", None, True)])
        self.assertEqual([row["verified"] for row in rows], [False, True, True, False])
        # A single object that is not on one line, with an id that is not a valid path.
        status, body = client.ask(json.dumps({"id": "https://a.org/../5", "text": more}, indent=1))
        self.assertEqual((status, json.loads(body)["status"]), (200, "new"))
        # Records of crawls have other fields.
        status, body = client.ask(json.dumps({"id": "4", "metadata": {"at": [1, None, {"id": 7}]}, "text": second}))
        self.assertEqual((status, json.loads(body)["match"]), (200, "4"))
        # It was added before, so it matches itself.
        self.assertEqual(client.seen([("4", second)])[0]["match"], "4")
        self.end(process)
        self.assertEqual(self.exported(), ["https://a.org/1", "4", "https://a.org/../5"])
        self.run_program("library", "check", "library", "-q")
        # A run knows and explains what a server added.
        self.write("in.jsonl", jsonl([second, self.text()], id=lambda at: f"n{at}"))
        self.run_program("dedup", "in.jsonl", "-o", "out", "--id-field", "id", "--library", "library", "-q")
        self.assertIn(b'"match": "4"', self.read("out", "decisions.jsonl").splitlines()[0])
        # The server knows what the run added.
        process, port = self.serve()
        self.assertEqual(self.client(port).seen([("again", second)])[0]["status"], "exact")
        self.end(process)

    def test_the_clients_of_the_guide_work(self):
        with open(os.path.join(SOURCE_DIR, "GUIDE.md"), encoding="utf-8") as file:
            section = file.read().split("\n### Has the crawler seen this page?\n")[1].split("\n### ")[0]
        [python] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        [curl] = re.findall(r"^curl .*", section, re.MULTILINE)
        self.write("pages.jsonl", record("https://a.org/0", self.text()))
        process, port = self.serve()

        def output(*command):
            command = [word.replace("127.0.0.1:7878", f"127.0.0.1:{port}") for word in command]
            return subprocess.run(command, cwd=self.dir, check=True, capture_output=True, timeout=60).stdout.decode()

        self.assertEqual(json.loads(output("bash", "-c", curl))["status"], "new")
        self.assertEqual(output(sys.executable, "-c", python),
                         "https://a.org/1 new None\nhttps://b.org/2 exact https://a.org/1\n")
        self.end(process)

    def test_who_may_ask(self):
        self.run_program("serve", "--library", "library", "--listen", "127.0.0.1:0", code=3)
        self.run_program("serve", "--listen", "127.0.0.1:0", code=2)
        self.run_program("serve", "--library", "library", "--add", "--listen", "127.0.0.1:0", code=2)
        process, port = self.serve()
        body = record("a", self.text())
        self.assertEqual(self.client(port).ask(body, {})[0], 401)
        self.assertEqual(self.client(port).ask(body)[0], 200)
        # One writer, any number of readers, and no second writer.
        refused = self.run_program("serve", "--library", "library", "--add", "--token-file", "token", "--listen",
                                   "127.0.0.1:0", code=1)
        self.assertIn("library", refused.err)
        self.write("in.jsonl", body)
        self.run_program("dedup", "in.jsonl", "-o", "out", "--library", "library", "-q", code=1)
        self.end(process)
        process, port = self.serve(add=False)
        self.assertEqual(json.loads(self.client(port).ask(body, {})[1])["status"], "exact")
        self.assertEqual(json.loads(self.client(port).ask(record("b", self.text()), {})[1])["added"], False)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for method, path, status in [("GET", "/v1/stats", 404), ("GET", "/v1/passages", 404), ("GET", "/metrics", 200),
                                     ("GET", "/v1/seen", 405), ("GET", "/v1/documents/a", 404)]:
            connection.request(method, path)
            reply = connection.getresponse()
            self.assertEqual((path, reply.status), (path, status))
            reply.read()
        self.end(process)
        self.assertEqual(self.exported(), ["a"])

    def test_hostile_bodies(self):
        process, port = self.serve()
        client = self.client(port)
        good = record("good", self.text())
        for body in ["", "x", "[]", "{}", '{"id": "a"}', '{"text": "a"}', '{"id": "", "text": "a"}',
                     '{"id": 1, "text": "a"}', '{"id": "a", "text": null}', '{"id": "a", "text": "b", "more": [1}',
                     '{"id": "a\\u0000", "text": "b"}', '{"id": "a", "text": "\\ud800"}', good + good, good + "{",
                     good + '{"id": "b", "text": "' + "[" * 5000, b'{"id": "a", "text": "\xff"}',
                     json.dumps({"id": "i" * 5000, "text": ""})]:
            status, answer = client.ask(body)
            self.assertEqual(status, 400, body[:80])
            self.assertEqual(misfit(json.loads(answer), {"$ref": "#/components/schemas/Error"}), "")
        self.assertEqual(client.ask(b"x" * (9 << 20))[0], 413)
        # Nothing that came with it was added. Odd texts are stored unchanged.
        client = self.client(port)
        texts = ["", "\u0000\u0001\n\r\t\"\\/", "\U0001F600" * 20, "\u2028 \ufeff", self.text(20000)]
        for again in (False, True):
            for at, text in enumerate(texts):
                row = client.seen([(f"odd{at}", text)])[0]
                self.assertEqual((row["added"], row["status"]), (not again, "exact" if again else "new"))
        self.end(process)
        self.assertEqual(len(self.exported()), len(texts))
        process, port = self.serve()
        for at, text in enumerate(texts):
            row = self.client(port).seen([("other", text)])[0]
            self.assertEqual((row["status"], row["match"], row["verified"]), ("exact", f"odd{at}", True))
        self.end(process)


class Losses(Served):
    """The server is killed at any moment: everything that was answered as added is there, and nothing twice."""

    def add_until_killed(self, port, number, added, sent):
        """Adds documents, in batches and singly, some of which others add too, until the server is gone."""
        rng = random.Random(number)
        client = self.client(port)
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                batch = []
                for _ in range(rng.choice([1, 1, 5, 40])):
                    text = (sentence(rng, WORDS, 40) if rng.random() < 0.8
                            else sentence(random.Random(rng.randrange(300)), WORDS, 40))
                    batch.append((f"{number}-{len(sent)}-{len(batch)}", text))
                sent.extend(batch)
                for (name, text), row in zip(batch, client.seen(batch)):
                    if row["added"]:
                        added[name] = text

    def test_kill_while_adding(self):
        texts, numbers = {}, 0
        answered = {}
        for kill in range(KILLS):
            # With this little memory, segments are made all the time.
            process, port = self.serve("--memory", "64M")
            added = [{} for _ in range(3)]
            sent = [[] for _ in range(3)]
            threads = [threading.Thread(target=self.add_until_killed, args=(port, numbers + i, added[i], sent[i]))
                       for i in range(3)]
            numbers += 3
            for thread in threads:
                thread.start()
            threading.Event().wait(self.rng.uniform(0.05, 1.5))
            process.kill()
            process.wait()
            for thread in threads:
                thread.join()
            for one in added:
                answered.update(one)
            for one in sent:
                texts.update(dict(one))
        process, _ = self.serve()
        self.end(process)
        ids = self.exported()
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(set(answered) - set(ids), set())
        kept = [texts[name] for name in ids]
        self.assertEqual(len(kept), len(set(kept)))  # no text is there twice
        self.run_program("library", "check", "library", "-q")
        say(f"{KILLS} kills: {len(answered)} documents answered as added, {len(ids)} in the library")
        self.assertGreater(len(answered), 100)

    @unittest.skipUnless(os.path.exists(FAULTS),
                         "faults.so is not built: a sanitizer's library wants to be loaded first")
    def test_full_disk(self):
        process, port = self.serve()
        self.client(port).seen([("before", self.text())])
        self.end(process)
        before = self.exported()
        for call in ["pwrite", "fdatasync", "openat", "open"]:
            for stays in (False, True):
                folder = os.path.join(self.dir, "library", "texts")
                number = 1 + max(int(name[:6]) for name in os.listdir(folder))
                env = environment(LD_PRELOAD=FAULTS, FAULTS_FOLDER=self.dir, FAULTS_AT="1",
                                  FAULTS_ERRNO=str(errno.ENOSPC), FAULTS_ONLY=f"{call} {folder}/{number:06}.jsonl",
                                  **({"FAULTS_STAYS": "1"} if stays else {}))
                process, port = self.serve(env=env)
                client = self.client(port)
                name, text = f"{call}{stays}", self.text()
                status, body = client.ask(record(name, text))
                if status == 507:
                    self.assertEqual(json.loads(body)["error"]["code"], "over_budget")
                    # There is room in another file.
                    retried = client.seen([(name, text)])[0]
                    self.assertTrue(retried["added"], (call, retried))
                else:
                    self.assertEqual(status, 200, body)  # this call is not made
                self.end(process)
                before.append(name)
                self.assertEqual(self.exported(), before, call)
        self.run_program("library", "check", "library", "-q")

    @unittest.skipUnless(os.path.exists(FAULTS),
                         "faults.so is not built: a sanitizer's library wants to be loaded first")
    def test_a_commit_that_fails_gives_up_no_lock(self):
        process, port = self.serve()
        self.client(port).seen([("first", self.text())])
        self.end(process)
        env = environment(LD_PRELOAD=FAULTS, FAULTS_FOLDER=self.dir, FAULTS_AT="1", FAULTS_ERRNO=str(errno.ENOSPC),
                          FAULTS_ONLY=f"rename {self.dir}/library/manifest", FAULTS_STAYS="1")
        process, port = self.serve("--memory", "64M", env=env)
        client = self.client(port)
        added, told = ["first"], b""
        while b"safe in" not in told:  # until a table is full and cannot become a segment
            batch = [(f"{len(added)}-{i}", f"{len(added)} {i} " + self.text(12)) for i in range(200)]
            added += [row["id"] for row in client.seen(batch) if row["added"]]
            if select.select([process.stderr], [], [], 0)[0]:
                told += os.read(process.stderr.fileno(), 1 << 16)
        # No other process may take over the log that the server still appends to.
        for words in (["merge", "library"], ["remove", "library", "first"], ["check", "library", "--repair"]):
            self.assertIn("library/lock", self.run_program("library", *words, code=1).err)
        self.assertTrue(client.seen([("later", self.text())])[0]["added"])
        self.end(process)
        self.run_program("library", "merge", "library", "-q")
        self.assertEqual(self.exported(), [*added, "later"])
        self.run_program("library", "check", "library", "-q")

    def test_damaged_texts_are_named_and_dropped(self):
        texts = [self.text() for _ in range(4)]
        process, port = self.serve()
        client = self.client(port)
        for at, text in enumerate(texts):
            client.seen([(f"d{at}", text)])
        process.kill()
        process.wait()
        log = self.read("library", "texts", "000001.jsonl")
        # The last batch may not have reached the disk, so zeros in it are not damage.
        at = log.index(texts[3].encode())
        self.write("library/texts/000001.jsonl", log[:at] + bytes(50) + log[at + 50:])
        for verb in ("stats", "check"):
            self.run_program("library", verb, "library", "-q" if verb == "check" else "--json")
        # Before it, they are.
        at = log.index(texts[1].encode())
        self.write("library/texts/000001.jsonl", log[:at] + bytes(50) + log[at + 50:])
        named = r"(?m)^refrain: library/texts/000001\.jsonl: damaged at byte \d+ .*'refrain library check --repair'$"
        for words in (["check", "library"], ["merge", "library"]):
            self.assertRegex(self.run_program("library", *words, code=4).err, named)
        damaged = self.read("library", "texts", "000001.jsonl")
        told = json.loads(self.run_program("library", "check", "library", "--repair", "--json", code=4).out)
        self.assertEqual((told["whole"], told["repaired"], told["dropped"]), (False, True, 1))
        self.write("library/texts/000001.jsonl", damaged)
        done = self.run_program("library", "check", "library", "--repair", code=4)
        self.assertRegex(done.err, named)
        self.assertRegex(done.out.decode(), r"^library: repaired: 1 damaged place dropped: ")
        self.assertTrue(json.loads(self.run_program("library", "check", "library", "--repair", "--json").out)["whole"])
        process, port = self.serve()
        rows = self.client(port).seen([(f"again{at}", text) for at, text in enumerate(texts)])
        self.assertEqual([row["match"] for row in rows], ["d0", None, "d2", "d3"])
        self.end(process)

    def test_memory_is_kept_to(self):
        process, port = self.serve("--memory", "96M")
        client = self.client(port)
        for first in range(0, 6000, 100):
            client.seen([(f"https://host{i % 50}.org/{i}", self.text(400)) for i in range(first, first + 100)])
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))
        say(f"peak {peak} KiB")
        self.end(process)
        self.assertLessEqual(peak, 96 << 10)
        self.assertEqual(len(self.exported()), 6000)


if __name__ == "__main__":
    main()
