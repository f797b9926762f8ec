"""refrain serve against web pages, readers without the token, large bodies, and requests with ambiguous lengths."""

import collections
import http.client
import json
import os
import random
import re
import threading
import urllib.parse

from program import TIME_FACTOR, jsonl, main, vocabulary, wait_until
from serve_test import BEARER, SHARED, Served

START = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def code_of(reply):
    return reply.json()["error"]["code"]


class WebPages(Served):
    def foreign(self):
        return ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"},
                {"Origin": "null"}, {"Origin": f"http://127.0.0.1:{self.port + 1}"},
                {"Origin": f"http://localhost:{self.port}", "Sec-Fetch-Site": "same-origin"})

    def test_a_page_of_another_site_starts_no_extraction(self):
        for headers in self.foreign():
            for more in ({}, BEARER):
                reply = self.ask("GET", "/v1/passages", headers={**headers, **more})
                self.assertEqual((reply.status, code_of(reply)), (403, "cross_site"), headers)
                reply = self.ask("POST", "/v1/query", {"text": SHARED}, {**headers, **more})
                self.assertEqual((reply.status, code_of(reply)), (403, "cross_site"), headers)
        self.assertNotIn('route="/v1/passages"', self.ask("GET", "/metrics").body.decode())

    def test_a_page_of_another_site_is_refused_before_its_body_is_read(self):
        status, got = self.raw(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
                               b"Content-Length: 1000000\r\n\r\n")
        self.assertEqual((status, b"100 Continue" in got), (403, False))

    def test_a_page_of_the_servers_own_origin_may_ask(self):
        own = {"Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        for headers in (own, {"Sec-Fetch-Site": "none"}, {}):
            self.assertEqual(self.ask("GET", "/v1/passages", headers=headers).status, 200, headers)
        # Behind a proxy that terminates TLS and keeps the Host header.
        proxied = {"Host": "refrain.example", "Origin": "https://refrain.example", "Sec-Fetch-Site": "same-origin"}
        self.assertEqual(self.ask("GET", "/v1/stats", headers={**proxied, **BEARER}).status, 200)
        self.assertEqual(self.ask("GET", "/v1/stats", headers=proxied).status, 403)

    def test_a_name_that_was_made_to_point_here_reads_nothing(self):
        for host in ("evil.example", f"evil.example:{self.port}", f"0.0.0.0:{self.port}", "localhost.evil.example"):
            reply = self.ask("GET", "/v1/documents/a.txt", headers={"Host": host})
            self.assertEqual((reply.status, code_of(reply)), (403, "foreign_host"), host)

    def test_every_answer_is_for_its_own_origin(self):
        for method, target in (("GET", "/healthz"), ("GET", "/v1/passages"), ("GET", "/nothing"), ("GET", "/v1/query")):
            headers = self.ask(method, target).headers
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertIsNone(headers["Access-Control-Allow-Origin"])


class Readers(Served):
    def test_reading_wants_the_token_where_it_is_asked_for(self):
        _, self.port = self.serve("--token-for-reads")
        for target in ("/metrics", "/v1/stats", "/v1/passages", "/v1/documents/a.txt"):
            self.assertEqual(self.ask("GET", target).status, 401, target)
            self.assertEqual(self.ask("GET", target, headers={"Authorization": "Bearer x"}).status, 401, target)
            self.assertEqual(self.ask("GET", target, headers=BEARER).status, 200, target)
        self.assertEqual(self.ask("POST", "/v1/query", {"text": SHARED}).status, 401)
        self.assertEqual(self.ask("POST", "/v1/query", {"text": SHARED}, BEARER).status, 200)
        self.assertEqual(self.ask("GET", "/healthz").status, 200)

    def test_a_token_for_reads_that_there_is_not_is_a_mistake(self):
        result = self.run_program("serve", "index", "--listen", "127.0.0.1:0", "--token-for-reads", code=2)
        self.assertIn("--token-file", result.err)


class Framing(Served):
    def refused(self, head):
        """Expects a single 400 response: the request after it must not be answered."""
        status, got = self.raw(head + START + b"\r\n")
        self.assertEqual((status, got.count(b"HTTP/1.1 ")), (400, 1), head)
        self.assertIn(b"\r\nConnection: close\r\n", got)

    def test_a_header_line_that_goes_on_in_the_next_is_refused(self):
        for folded in (b"X: a\r\n b\r\n", b"X: a\r\n\tb\r\n", b"X:\r\n b\r\n", b"Content-Length:\r\n 5\r\n",
                       b"X: a\r\n Transfer-Encoding: chunked\r\n"):
            self.refused(START + folded + b"\r\n")

    def test_a_length_that_is_said_twice_is_refused(self):
        start = b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
        for twice in (b"Content-Length: 13\r\nContent-Length: 13\r\n", b"Content-Length: 13, 13\r\n",
                      b"Content-Length: 13\r\nTransfer-Encoding: chunked\r\n",
                      b"Transfer-Encoding: chunked\r\nContent-Length: 13\r\n"):
            self.refused(start + twice + b"\r\n" + b'{"text": "a"}')


class Memory(Served):
    """--memory is a hard limit for the server, whatever clients send."""

    BUDGET, BODY, CLIENTS = 128 << 20, 8 << 20, 16

    def setUp(self):
        super().setUp()
        self.process, self.port = self.serve("--library", "library", "--add", "--memory", str(self.BUDGET))

    def send(self, target, body, statuses):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60 * TIME_FACTOR)
        try:
            connection.request("POST", target, body, BEARER)
            statuses.append(connection.getresponse().status)
        except (BrokenPipeError, ConnectionResetError):  # refused before everything was sent
            statuses.append(503)
        finally:
            connection.close()

    def at_once(self, target, body):
        """Sends the same request from many clients at the same time, and counts the statuses of the answers."""
        statuses = []
        threads = [threading.Thread(target=self.send, args=(target, body, statuses)) for _ in range(self.CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return collections.Counter(statuses)

    def check_memory(self, *what):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            peak = int(re.search(r"VmHWM:\s*(\d+) kB", status.read()).group(1)) << 10
        if TIME_FACTOR == 1:
            self.assertLess(peak, self.BUDGET, what)

    def test_large_bodies_sent_together_stay_within_the_memory(self):
        """16 bodies of 8 MiB, held as JSON trees, would take 1.7 GB with a limit of 128 MiB."""
        numbers = b'{"text": [' + b"1," * (self.BODY // 2 - 10) + b"1]}"
        self.assertEqual(set(self.at_once("/v1/seen", numbers)) - {503}, {400})
        self.check_memory("a list of numbers")
        lines = b"".join(b'{"id":"%d","text":""}\n' % at for at in range(300_000))
        self.assertEqual(set(self.at_once("/v1/seen", lines)) - {503}, {413})
        self.check_memory("many documents")
        words, rng = vocabulary(3000), random.Random(4)
        text = " ".join(rng.choices(words, k=self.BODY // 7)).encode()[:self.BODY - 100]
        body = b'{"id": "long", "text": "%s"}' % text
        self.assertLessEqual(set(self.at_once("/v1/seen", body)), {200, 503, 507})
        self.check_memory("one long document")
        self.assertLessEqual(set(self.at_once("/v1/query", b'{"text": "%s"}' % text)), {200, 503, 507})
        self.check_memory("a long query")
        # Each of them is answered if it is sent alone.
        self.assertEqual(self.ask("POST", "/v1/query", b'{"text": "%s"}' % text).status, 200)
        self.assertEqual(self.ask("POST", "/v1/seen", b'{"id": "other", "text": "%s"}' % text[:2 << 20], BEARER).status,
                         200)
        self.assertTrue(wait_until(lambda: b"refrain_request_bodies_bytes 0\n" in self.ask("GET", "/metrics").body))


class AnotherIndex(Served):
    def texts_of(self, seed):
        """Returns two documents that share two passages, which are far apart."""
        words, rng = vocabulary(3000, seed=seed), random.Random(seed)
        parts = [" ".join(rng.sample(words, 30)) for _ in range(2)]
        return [f"{parts[0]} {' '.join(rng.sample(words, 60))} {parts[1]}" for _ in range(2)]

    def test_another_index_of_the_same_generation_ends_a_cursor(self):
        for folder, seed in (("one", 1), ("two", 2)):
            self.write(f"{folder}.jsonl", jsonl(self.texts_of(seed), id=lambda i: f"d{i}"))
            self.run_program("index", "create", folder, f"{folder}.jsonl", "--id-field", "id", "--store-text", "-q")
        os.rename(self.path("index"), self.path("first"))
        os.rename(self.path("one"), self.path("index"))
        _, self.port = self.serve()
        before = self.ask("GET", "/v1/passages?limit=1").rows()
        self.assertIsNotNone(before[-1]["cursor"])
        os.rename(self.path("index"), self.path("one"))
        os.rename(self.path("two"), self.path("index"))
        reply = self.ask("GET", "/v1/passages?limit=1&cursor=" + urllib.parse.quote(before[-1]["cursor"]))
        self.assertEqual(reply.status, 410, reply.body)
        after = self.ask("GET", "/v1/passages?limit=1").rows()
        self.assertEqual(after[-1]["generation"], before[-1]["generation"])
        self.assertNotEqual(json.dumps(after[0]), json.dumps(before[0]))


if __name__ == "__main__":
    main()
