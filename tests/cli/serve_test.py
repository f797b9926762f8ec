"""refrain serve over HTTP: every path of docs/openapi.json, hostile clients, and readers beside a writer.

    serve_test.py [--long]     with --long, readers and the writer run for two minutes
"""

import contextlib
import http.client
import json
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

from program import SOURCE_DIR, TIME_FACTOR, TestCase, jsonl, main, program, parse_json, running, vocabulary

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
TOKEN = "a-token-of-the-test"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
SHARED = "the quick brown fox jumps over the lazy dog and runs far away into the deep dark forest tonight"

with open(os.path.join(SOURCE_DIR, "docs", "openapi.json"), encoding="utf-8") as file:
    API = json.load(file)


def resolve(thing):
    """Follows a $ref of the API's description."""
    while "$ref" in thing:
        at = API
        for key in thing["$ref"][2:].split("/"):
            at = at[key]
        thing = at
    return thing


def misfit(value, schema):
    """Returns why `value` does not match `schema`, or an empty string."""
    schema = resolve(schema)
    if "oneOf" in schema:
        reasons = [misfit(value, choice) for choice in schema["oneOf"]]
        return "" if reasons.count("") == 1 else f"{value!r} fits {reasons.count('')} of the choices: {reasons}"
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
             "null": type(None)}
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not isinstance(value, tuple(kinds[name] for name in types)):
        return f"{value!r} is no {' or '.join(types)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is none of {schema['enum']}"
    if schema["type"] == "array":
        return next(filter(None, (misfit(item, schema["items"]) for item in value)), "")
    if schema["type"] == "object":
        for key in schema.get("required", []):
            if key not in value:
                return f"{key} is missing in {value!r}"
        fields = schema.get("properties", {})
        if (unknown := value.keys() - fields.keys()) and not schema.get("additionalProperties"):
            return f"{', '.join(sorted(unknown))} in {value!r} is not described"
        return next(filter(None, (misfit(part, fields[key]) for key, part in value.items() if key in fields)), "")
    return ""


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return parse_json(self.body)

    def rows(self):
        return [parse_json(line) for line in self.body.decode().splitlines()]


class Served(TestCase):
    """A server over a small index; every answer is checked against docs/openapi.json."""

    texts = [("a.txt", f"alpha one two. {SHARED}. omega"), ("dir/b c.txt", f"{SHARED} and some more words here"),
             ("../up.txt", "nothing that anything else in this index says as well, or ever will")]

    def setUp(self):
        super().setUp()
        self.write("in.jsonl", jsonl([text for _, text in self.texts], id=lambda i: self.texts[i][0]))
        self.write("token", TOKEN + "\n")
        self.run_program("index", "create", "index", "in.jsonl", "--id-field", "id", "--store-text", "-q")
        self.process, self.port = self.serve()

    def serve(self, *flags, token=True):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        process = stack.enter_context(running("serve", "index", "--listen", "127.0.0.1:0", "--threads", "2", *flags,
                                              *(["--token-file", "token"] if token else []), cwd=self.dir,
                                              stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        stack.callback(process.stdout.close)
        stack.callback(process.stderr.close)
        told = re.fullmatch(rb"refrain: listening on http://127\.0\.0\.1:(\d+)\n", process.stderr.readline())
        return process, int(told.group(1))

    def ask(self, method, target, body=None, headers=None, connection=None):
        """Sends a request, and checks its answer against the API's description."""
        own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60 * TIME_FACTOR)
        try:
            if isinstance(body, (dict, str)):
                body = (json.dumps(body) if isinstance(body, dict) else body).encode()
            own.request(method, target, body, headers or {})
            got = own.getresponse()
            reply = Reply(got.status, got.headers, got.read())
        finally:
            if connection is None:
                own.close()
        self.check_reply(method, target, reply)
        return reply

    def check_reply(self, method, target, reply):
        path = target.split("?")[0]
        pattern = "/v1/documents/{id}" if path.startswith("/v1/documents/") else path
        operation = API["paths"].get(pattern, {}).get({"HEAD": "get"}.get(method, method.lower()))
        if operation is None:
            self.assertIn(reply.status, (401, 404, 405))
            self.assertEqual(misfit(reply.json(), {"$ref": "#/components/schemas/Error"}), "")
            return
        self.assertIn(str(reply.status), operation["responses"], (method, target, reply.body))
        content = resolve(operation["responses"][str(reply.status)])["content"]
        kind = reply.headers["Content-Type"].split(";")[0]
        self.assertIn(kind, content)
        if method != "HEAD" and kind != "text/plain":
            for row in reply.rows() if kind.endswith("ndjson") else [reply.json()]:
                self.assertEqual(misfit(row, content[kind]["schema"]), "")

    def raw(self, data):
        """Sends raw bytes; returns the status of the answer and everything received."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30 * TIME_FACTOR) as client:
            client.sendall(data)
            got = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := client.recv(65536):
                    got += piece
        return int(got[9:12]) if got else None, got

    def query(self, text, **more):
        rows = self.ask("POST", "/v1/query", {"text": text, **more}).rows()
        return rows[:-1], rows[-1]


class Paths(Served):
    def test_every_path_and_method_of_the_description_works(self):
        """One successful request each, so that every schema is used. A server may have an index and a library."""
        _, self.port = self.serve("--library", "library", "--add")
        document = {"id": "new/one", "text": f"{SHARED} once more"}
        good = {("get", "/healthz"): self.ask("GET", "/healthz"),
                ("get", "/metrics"): self.ask("GET", "/metrics"),
                ("get", "/v1/stats"): self.ask("GET", "/v1/stats"),
                ("post", "/v1/query"): self.ask("POST", "/v1/query", {"text": SHARED}),
                ("get", "/v1/passages"): self.ask("GET", "/v1/passages"),
                ("post", "/v1/documents"): self.ask("POST", "/v1/documents", document, BEARER),
                ("get", "/v1/documents/{id}"): self.ask("GET", "/v1/documents/new/one"),
                ("delete", "/v1/documents/{id}"): self.ask("DELETE", "/v1/documents/new/one", headers=BEARER),
                ("post", "/v1/seen"): self.ask("POST", "/v1/seen", document, BEARER)}
        self.assertEqual({(method, path) for path, methods in API["paths"].items() for method in methods}, set(good))
        for key, reply in good.items():
            self.assertEqual(reply.status, 201 if key == ("post", "/v1/documents") else 200, key)
        for path in ("/healthz", "/metrics", "/v1/stats", "/v1/passages", "/v1/documents/a.txt"):
            head = self.ask("HEAD", path)
            self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(self.ask("GET", "/nothing").status, 404)
        self.assertEqual(self.ask("GET", "/v1/query").headers["Allow"], "POST")
        self.assertEqual(self.ask("PATCH", "/v1/documents/a.txt").headers["Allow"], "GET, HEAD, DELETE")

    def test_a_query_finds_what_the_command_line_finds(self):
        passages, end = self.query(f"I say that {SHARED}!")
        self.write("q.txt", f"I say that {SHARED}!")
        out = self.run_program("index", "query", "index", "q.txt").out.decode().splitlines()
        self.assertEqual([{**row, "query": ""} for row in passages], [{**json.loads(row), "query": ""} for row in out])
        self.assertIsNone(end["cursor"])
        self.assertEqual([place["id"] for place in passages[0]["occurrences"]], ["a.txt", "dir/b c.txt"])
        for place in passages[0]["occurrences"]:
            text = dict(self.texts)[place["id"]]
            self.assertEqual(text.encode()[place["begin"]:place["end"]].decode(), place["text"])
        named = self.ask("POST", "/v1/query", {"text": SHARED, "with": ["dir/b c.txt"]}).rows()
        self.assertEqual({place["id"] for row in named[:-1] for place in row["occurrences"]}, {"dir/b c.txt"})
        self.assertEqual({place["query_share"] for row in named[:-1] for place in row["occurrences"]}, {1})
        self.assertEqual(self.ask("POST", "/v1/query", {"text": SHARED, "with": ["nobody"]}).status, 404)
        by_id = self.ask("POST", "/v1/query", {"id": "a.txt"}).rows()
        self.assertEqual([place["id"] for place in by_id[0]["occurrences"]], ["dir/b c.txt"])
        self.assertEqual(self.query("words that nobody wrote down")[0], [])

    def test_a_query_takes_the_options_of_the_command_line(self):
        text = f"I say that {SHARED}!"
        self.write("q.txt", text)
        self.write("known.txt", SHARED)
        for fields, flags in (({"edits": "heavy"}, "--edits heavy"),
                              ({"edits": "none", "min_tokens": 12}, "--edits none --min-tokens 12"),
                              ({"edits": "heavy", "noise": 0.1}, "--edits heavy --noise 0.1"),
                              ({"max_gap": 0}, "--max-gap 0"), ({"max_documents": 1}, "--max-documents 1"),
                              ({"limit": 1, "max_occurrences": 1}, "--limit 1 --max-occurrences 1"),
                              ({"exclude": [SHARED]}, "--exclude known.txt"), ({"exclude": ["something else"]}, ""),
                              ({"texts": False}, "--no-text")):
            rows = self.query(text, **fields)[0]
            out = subprocess.run([program(), "index", "query", "index", "q.txt", *flags.split()], cwd=self.dir,
                                 capture_output=True, check=False).stdout
            told = [row for row in map(json.loads, out.splitlines()) if "cursor" not in row]
            self.assertEqual([{**row, "query": ""} for row in rows], [{**row, "query": ""} for row in told], flags)
            self.assertEqual(rows == [], "exclude known" in flags or "max-documents" in flags, flags)

    def test_a_cursor_ends_with_its_commit(self):
        words = vocabulary(600)
        text = " and ".join(" ".join(words[i:i + 20]) for i in range(0, 600, 60))
        self.assertEqual(self.ask("POST", "/v1/documents", {"id": "many", "text": text.replace(" and ", " or ")},
                                  BEARER).status, 201)
        _, end = self.query(text, limit=1, edits="none")
        self.assertIsNotNone(end["cursor"])
        self.assertEqual(self.ask("POST", "/v1/documents", {"id": "later", "text": "nothing of it"}, BEARER).status,
                         201)
        for asked in ({"text": text}, {"id": "gone"}, {"text": text, "with": ["gone"]}):
            reply = self.ask("POST", "/v1/query", {**asked, "limit": 1, "edits": "none", "cursor": end["cursor"]})
            self.assertEqual((reply.status, reply.json()["error"]["code"]), (410, "old_cursor"))
            self.assertIn("'cursor': the index has changed since", reply.json()["error"]["message"])

    def test_cursors_put_end_to_end_are_the_whole_answer(self):
        words, rng = vocabulary(3000), random.Random(3)
        parts = [" ".join(rng.sample(words, 30)) for _ in range(12)]
        body = "".join(json.dumps({"id": f"p{i}", "text": f"{part} {rng.random()}"}) + "\n"
                       for i, part in enumerate(parts * 2))
        self.assertEqual(self.ask("POST", "/v1/documents", body, BEARER).json()["added"], 24)
        text = "\n\n".join(f"{part} {' '.join(rng.sample(words, 40))}" for part in parts)
        whole, end = self.query(text, limit=1000)
        self.assertIsNone(end["cursor"])
        self.assertGreaterEqual(len(whole), 12)
        got, cursor = [], {}
        while True:
            rows, end = self.query(text, limit=5, **cursor)
            got += rows
            if end["cursor"] is None:
                break
            cursor = {"cursor": end["cursor"]}
        self.assertEqual(got, whole)
        whole = self.ask("GET", "/v1/passages?limit=1000").rows()[:-1]
        self.assertGreaterEqual(len(whole), 13)
        got, target = [], "/v1/passages?limit=4"
        while True:
            rows = self.ask("GET", target).rows()
            got += rows[:-1]
            if rows[-1]["cursor"] is None:
                break
            target = "/v1/passages?limit=4&cursor=" + urllib.parse.quote(rows[-1]["cursor"])
        self.assertEqual(got, whole)
        self.assertEqual(self.ask("DELETE", "/v1/documents/p0", headers=BEARER).status, 200)
        self.assertEqual(self.ask("GET", target).status, 410)

    def test_documents_come_and_go(self):
        new = {"id": "x/y z?#%", "text": "Grüße 日本語 \" \\ \n end"}
        target = "/v1/documents/" + urllib.parse.quote(new["id"])
        self.assertEqual(self.ask("GET", target).status, 404)
        self.assertEqual(self.ask("POST", "/v1/documents", new, BEARER).status, 201)
        self.assertEqual(self.ask("GET", target).json()["text"], new["text"])
        self.assertEqual(self.ask("POST", "/v1/documents", new, BEARER).status, 409)
        new["text"] = "other"
        self.assertEqual(self.ask("POST", "/v1/documents?replace=1", new, BEARER).json()["replaced"], 1)
        self.assertEqual(self.ask("GET", target).json()["text"], "other")
        self.assertEqual(self.ask("DELETE", target, headers=BEARER).json()["removed"], 1)
        self.assertEqual(self.ask("DELETE", target, headers=BEARER).status, 404)
        self.assertEqual(self.ask("GET", target).status, 404)
        self.run_program("index", "check", "index", "-q")

    def test_writing_wants_the_token(self):
        new = {"id": "n", "text": "t"}
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": TOKEN}):
            self.assertEqual(self.ask("POST", "/v1/documents", new, headers).status, 401)
            self.assertEqual(self.ask("DELETE", "/v1/documents/a.txt", None, headers).status, 401)
        _, self.port = self.serve(token=False)
        self.assertEqual(self.ask("POST", "/v1/documents", new, BEARER).status, 403)
        self.assertEqual(self.ask("GET", "/v1/documents/a.txt").status, 200)

    def test_metrics_count_what_was_asked(self):
        self.ask("GET", "/v1/stats")
        self.ask("GET", "/v1/documents/none")
        counts = ['refrain_http_requests_total{route="/v1/stats",status="200"} 1\n',
                  'refrain_http_requests_total{route="/v1/documents/{id}",status="404"} 1\n']
        # An answer is counted after it is sent, which may be a moment after the client has received it.
        end = time.monotonic() + 5 * TIME_FACTOR
        text = ""
        while not all(count in text for count in counts) and time.monotonic() < end:
            text = self.ask("GET", "/metrics").body.decode()
        for count in counts:
            self.assertIn(count, text)
        self.assertIn("refrain_index_documents 3\n", text)
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) refrain_\w+ .+|refrain_\w+(\{[^}]*\}?[^}]*\})? [0-9.e+-]+)$')


class Hostile(Served):
    def test_bad_requests_are_told_so_and_the_server_lives(self):
        for body in ("", "{", "[]", "null", '{"text": 1}', '{"text": "a", "limit": 0}', '{"text": "a", "typo": 1}',
                     '{"text": "a", "id": "b"}', b'{"text": "\xff"}', "[" * 100000):
            self.assertEqual(self.ask("POST", "/v1/query", body).status, 400, body)
        for cursor in ("x", "../../etc/passwd", "A" * 5000, "\u0000", "1:2"):
            self.assertEqual(self.ask("POST", "/v1/query", {"text": SHARED, "cursor": cursor}).status, 400, cursor)
            self.assertEqual(self.ask("GET", "/v1/passages?cursor=" + urllib.parse.quote(cursor)).status, 400, cursor)
        good = self.ask("GET", "/v1/passages?limit=1").rows()[-1]["cursor"] or "p2-1-0-00000000"
        changed = good[:-1] + ("0" if good[-1] != "0" else "1")
        self.assertEqual(self.ask("GET", "/v1/passages?cursor=" + changed).status, 400)
        for name in ("../a.txt", "..", "a/../b", "", "a\u0000b", "x" * 5000):
            self.assertEqual(self.ask("POST", "/v1/documents", {"id": name, "text": "t"}, BEARER).status, 400, name)
        self.assertEqual(self.ask("POST", "/v1/query", {"id": "../../etc/passwd"}).status, 404)
        self.assertEqual(self.ask("GET", "/healthz").status, 200)

    def test_ids_that_go_up_reach_no_file(self):
        for name in ("../token", "..%2ftoken", "%2e%2e/token", "%2e%2e%2ftoken", "/etc/passwd", "%2fetc%2fpasswd",
                     "....//token", "..%5ctoken", "index/manifest"):
            self.assertEqual(self.ask("GET", "/v1/documents/" + name).status, 404, name)
            self.assertEqual(self.ask("DELETE", "/v1/documents/" + name, headers=BEARER).status, 404, name)
        self.assertEqual(self.ask("GET", "/v1/documents/%00").status, 400)
        self.assertEqual(self.ask("GET", "/v1/documents/%zz").status, 400)
        # An id is only a name, and the index may contain one like this.
        self.assertEqual(self.ask("GET", "/v1/documents/%2e%2e%2fup.txt").json()["id"], "../up.txt")

    def test_sizes_have_limits(self):
        start = b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
        self.assertEqual(self.raw(start + b"Content-Length: 8388609\r\n\r\n")[0], 413)
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        self.assertEqual(self.raw(start + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 9)[0], 413)
        self.assertEqual(self.ask("POST", "/v1/query", json.dumps({"text": "a"}).ljust(8 << 20)).status, 200)
        self.assertEqual(self.raw(b"GET /" + b"a" * 17000)[0], 414)
        self.assertEqual(self.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 4000)[0], 431)

    def test_what_two_could_read_differently_is_refused(self):
        start = b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
        inner = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for headers in (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                        b"Content-Length: 5\r\nContent-Length: 9\r\n", b"Transfer-Encoding: chunked, identity\r\n",
                        b"Transfer-Encoding:\tchunked\r\nTransfer-Encoding: x\r\n", b"Content-Length: 0x5\r\n"):
            status, got = self.raw(start + headers + b"\r\n" + inner)
            self.assertEqual((status, got.count(b"HTTP/1.1 ")), (400, 1), headers)

    def test_a_thousand_slow_clients_do_not_stop_the_next(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < 1500:
            self.skipTest("too few files may be opened here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with contextlib.ExitStack() as stack:
            slow = [stack.enter_context(socket.create_connection(("127.0.0.1", self.port))) for _ in range(1000)]
            for client in slow:
                client.sendall(b"GET /v1/stats HTTP/1.1\r\nHos")
            for round_ in range(3):  # send a byte now and then
                for client in slow:
                    client.sendall(b"t: localhost"[round_:round_ + 1])
                began = time.monotonic()
                self.assertEqual(self.ask("GET", "/healthz").status, 200)
                self.assertEqual(len(self.query(SHARED)[0]), 1)
                self.assertLess(time.monotonic() - began, 5 * TIME_FACTOR)
            # The limit for all headers together is ten seconds, however they arrive.
            slow[0].settimeout(30 * TIME_FACTOR)
            got = b""
            while piece := slow[0].recv(65536):
                got += piece
            self.assertTrue(got.startswith(b"HTTP/1.1 408 "), got[:100])

    def test_connections_past_the_most_are_told_so(self):
        _, self.port = self.serve("--max-connections", "2")
        first = [http.client.HTTPConnection("127.0.0.1", self.port, timeout=30 * TIME_FACTOR) for _ in range(2)]
        for connection in first:
            self.ask("GET", "/healthz", connection=connection)
        self.assertEqual(self.ask("GET", "/healthz").status, 503)
        for connection in first:
            connection.close()


class Ended(Served):
    def test_a_signal_during_queries_ends_them_and_the_server(self):
        words, rng = vocabulary(500), random.Random(5)
        body = json.dumps({"text": " ".join(rng.choices(words, k=200_000))}).encode()
        asked, ended = threading.Barrier(5), []

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60 * TIME_FACTOR)
            connection.connect()
            asked.wait()
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection.request("POST", "/v1/query", body)
                ended.append(connection.getresponse().status)
            connection.close()

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        asked.wait()
        self.ask("GET", "/healthz")
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(timeout=30 * TIME_FACTOR), 0)
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(ended), {200, 503})
        self.assertEqual(self.process.stderr.read(), b"")
        self.run_program("index", "check", "index", "-q")


class Concurrent(Served):
    """Documents are added and removed in pairs with equal texts, two per commit: every answer shows both or neither."""

    def test_every_answer_is_right_for_one_snapshot(self):
        words, rng = vocabulary(5000, seed=9), random.Random(9)
        texts = [" ".join(rng.sample(words, 40)) for _ in range(16)]
        end = time.monotonic() + (120 if LONG else 5)
        failures, answers, commits = [], [0] * 8, [0]

        def write():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60 * TIME_FACTOR)
            while time.monotonic() < end and not failures:
                at = rng.randrange(len(texts))
                pair = "".join(json.dumps({"id": f"{side}{at}", "text": texts[at]}) + "\n" for side in "LR")
                reply = self.ask("POST", "/v1/documents?replace=1", pair, BEARER, connection)
                self.assertEqual(reply.status, 201, reply.body)
                commits[0] += 1
            connection.close()

        def read(number):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60 * TIME_FACTOR)
            own, newest = random.Random(number), 0
            while time.monotonic() < end and not failures:
                at = own.randrange(len(texts))
                rows = self.ask("POST", "/v1/query", {"text": texts[at]}, None, connection).rows()
                self.assertNotIn("error", rows[-1])
                ids = sorted(place["id"] for row in rows[:-1] for place in row["occurrences"])
                self.assertIn(ids, ([], [f"L{at}", f"R{at}"]))
                self.assertGreaterEqual(rows[-1]["generation"], newest)
                newest = rows[-1]["generation"]
                if number == 0:
                    self.check_pages(connection)
                answers[number] += 1
            connection.close()

        def guarded(function, *arguments):
            try:
                function(*arguments)
            except BaseException as error:  # reported by the main thread
                failures.append(error)

        threads = [threading.Thread(target=guarded, args=(write,))]
        threads += [threading.Thread(target=guarded, args=(read, number)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        self.assertGreater(min(answers), 0)
        self.assertGreater(commits[0], 5)
        self.run_program("index", "check", "index", "-q")

    def check_pages(self, connection):
        reply = self.ask("GET", "/v1/passages?limit=1000", None, None, connection)
        for row in reply.rows()[:-1]:
            ids = {place["id"] for place in row["occurrences"]}
            for name in ids:
                if name[0] in "LR":
                    self.assertIn(("R" if name[0] == "L" else "L") + name[1:], ids)


if __name__ == "__main__":
    main()
