"""refrain serve against web pages, readers without the token, and requests that can be read in two ways."""

import json
import os
import random
import urllib.parse

from program import jsonl, main, vocabulary
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
        # Behind a proxy that takes off TLS and keeps the Host header.
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
        """One answer, 400, and the request behind it is not taken for one."""
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


class AnotherIndex(Served):
    def texts_of(self, seed):
        """Two passages that two documents share, far apart."""
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
