"""Web archives: what is read of them, plain and packed, and what is refused."""

import gzip
import json

from program import TestCase, documents, main

TEXTS = documents(30, seed=5)


def record(kind, uri, content_type, block, more=""):
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\n{more}Content-Type: {content_type}\r\n"
            f"Content-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def page(uri, text, more=""):
    body = f"<!doctype html><title>page</title><script>var x = 1;</script><p>{text}</p>".encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    return record("response", uri, "application/http; msgtype=response", head + body, more)


def archive():
    records = [record("warcinfo", "x", "application/warc-fields", b"software: test\r\n")]
    for at, text in enumerate(TEXTS):
        uri = f"http://example.org/{at}"
        records.append(record("request", uri, "application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"))
        records.append(page(uri, text, f"WARC-Record-ID: <urn:{at}>\r\n"))
    return records


class Archives(TestCase):
    def test_pages_are_documents_under_their_addresses_plain_and_packed(self):
        plain = self.write("texts.jsonl", "".join(
            json.dumps({"id": f"http://example.org/{at}", "text": "page\n" + text}) + "\n"
            for at, text in enumerate(TEXTS)))
        expected = self.near(plain, "--id-field", "id", output="expected")
        self.assertGreater(len(expected.matches), 3)
        archives = {"a.warc": b"".join(archive()), "b.warc.gz": b"".join(gzip.compress(one) for one in archive()),
                    "c.warc.gz": gzip.compress(b"".join(archive()))}
        for name, content in archives.items():
            with self.subTest(name):
                found = self.near(self.write(name, content), output="of-" + name)
                self.assertEqual(found.matches, expected.matches)
                self.assertEqual(found.clusters, expected.clusters)
                self.assertEqual(found.summary["documents"], len(TEXTS))
                self.assertEqual(found.summary["other_skipped"], len(TEXTS) + 1)
                self.assertEqual(found.summary["bad_records"], 0)

    def test_another_header_may_be_the_id_and_any_name_may_be_an_archive(self):
        file = self.write("archive", b"".join(archive()))
        out = self.run_program("fingerprint", file, "--format", "warc", "--id-field", "warc-record-id").out
        self.assertEqual([row.split(b"\t")[0].decode() for row in out.splitlines()[1:]],
                         [f"<urn:{at}>" for at in range(len(TEXTS))])

    def test_a_damaged_member_is_one_bad_record(self):
        members = [gzip.compress(one) for one in archive()]
        members[4] = members[4][: len(members[4]) // 2]
        found = self.near(self.write("a.warc.gz", b"".join(members)), output="out")
        self.assertEqual(found.summary["bad_records"], 1)
        self.assertEqual(found.summary["documents"], len(TEXTS) - 1)
        self.run_program("near", "a.warc.gz", "--strict", "-o", "strict", code=3)

    def test_cutting_passages_out_of_an_archive_is_refused_before_it_is_read(self):
        self.write("a.warc", b"".join(archive()))
        result = self.run_program("substrings", "a.warc", "--apply", "-o", "out", code=3)
        self.assertIn("passages cannot be cut out of a web archive", result.err)

    def test_an_index_keeps_the_text_of_pages(self):
        self.write("a.warc", b"".join(archive()))
        self.run_program("index", "create", "idx", "a.warc")
        self.run_program("index", "check", "idx")
        words = " ".join(TEXTS[7].split()[:12])
        result = self.run_program("index", "query", "idx", "-", stdin=words)
        self.assertIn(b"http://example.org/7", result.out)


if __name__ == "__main__":
    main()
