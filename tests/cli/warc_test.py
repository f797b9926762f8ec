"""Web archives, plain and compressed: which records are read, and what is refused."""

import gzip
import json
import signal
import struct
import subprocess
import time
import zlib

from program import TIME_FACTOR, TestCase, documents, main, running, wait_until

TEXTS = documents(30, seed=5)


def record(kind, uri, content_type, block, more=""):
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\n{more}Content-Type: {content_type}\r\n"
            f"Content-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def page(uri, text, more=""):
    body = f"<!doctype html><title>page</title><script>var x = 1;</script><p>{text}</p>".encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    return record("response", uri, "application/http; msgtype=response", head + body, more)


def packed_page(uri, body):
    """Returns a page that the server compressed: small in the archive, large when decompressed."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n\r\n"
    return record("response", uri, "application/http; msgtype=response", head + gzip.compress(body))


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

    def test_what_looks_like_members_is_not_unpacked_again_and_again(self):
        # Each of 600 headers is followed by a stored block that reaches to data which all of them decompress: 20 MB,
        # with a wrong checksum.
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        tail = packer.compress(b"x" * 20_000_000) + packer.flush() + bytes(8)
        unit = 15
        heads = b"".join(b"\x1f\x8b\x08\0\0\0\0\0\0\x03\0" + struct.pack("<2H", size := unit * left, size ^ 0xFFFF)
                         for left in reversed(range(600)))
        self.write("a.warc.gz", gzip.compress(page("http://a/", TEXTS[0])) + heads + tail
                   + gzip.compress(page("http://b/", TEXTS[1])))
        with self.at_most(5):
            found = self.near("a.warc.gz", output="out")
        self.assertEqual(found.summary["documents"], 2)
        self.assertGreater(found.summary["bad_records"], 0)

    def test_beginnings_of_records_without_a_record_cost_no_more_than_their_bytes(self):
        hostile = {"version.warc": b"WARC/1\n" * 150_000,
                   "headers.warc": b"WARC/1.0\r\nContent-Length: 1\r\n" * 40_000 + b"\r\n",
                   "breaks.warc": b"\n" * 1_000_000,
                   "arc.arc": b"http://a 1.1.1.1 20010203040506 text/html x\n" * 25_000}
        for name, content in hostile.items():
            self.write(name, content + b"\r\n\r\n" + page("http://a/", TEXTS[0]))
            with self.subTest(name), self.at_most(4):
                self.assertEqual(self.near(name, output="of-" + name).summary["documents"], 1)

    def test_a_small_page_does_not_stop_a_crawl(self):
        # Each of these takes quadratic time in a parser that searches the open elements again with every tag.
        hostile = [b"<!--<svg>-->" + b"<x/>" * 50_000 + b"</p>" * 50_000, b"<div a='</div>'>" * 30_000,
                   b"<div><object></div></object>" * 20_000, b"<table>" + b"x<tr>" * 100_000,
                   b"<p " + b" ".join(b"a%d" % at for at in range(100_000)) + b">", b"<svg>" + b"<g>" * 99_000]
        records = archive()
        for at, markup in enumerate(hostile):
            records.insert(5 * at, packed_page(f"http://example.net/{at}", markup + TEXTS[at].encode()))
        start = time.monotonic()
        found = self.near(self.write("a.warc.gz", gzip.compress(b"".join(records))), output="out")
        self.assertLess(time.monotonic() - start, 20 * TIME_FACTOR)
        self.assertEqual(found.summary["documents"], len(TEXTS) + len(hostile))
        self.assertEqual(found.summary["bad_records"], 0)

    def test_a_page_of_links_is_too_short_to_judge_and_no_other_record_is(self):
        links = "<nav>" + "".join(f"<a href={at}.html>module {at}</a>\n" for at in range(400)) + "</nav>"
        words = [f"word{at}" for at in range(300)]
        records = [page(f"http://example.org/links/{at}", links + f"<h1>{at}</h1>") for at in range(2)]
        for at in range(2):
            text = " ".join(words + [f"end{at}"]).encode()
            records.append(record("resource", f"http://example.org/text/{at}", "text/plain", text))
        self.write("pages.warc", b"".join(records))
        # With the smaller limit, the pages of links are too long to be read.
        for flags, too_short in (((), 2), (("--max-doc-bytes", "4K"), 0)):
            self.run_program("dedup", "pages.warc", "-o", "run", "-q", "--force", *flags)
            summary = json.loads(self.read("run/summary.json"))
            self.assertEqual((summary["removed_near"], summary["too_short"]), (1, too_short))

    def test_what_broke_the_parser_is_a_page_like_others(self):
        markup = b"d<a><table><math><mi></a><![CDATA[x]]>c<svg/><mi><a></table>"
        found = self.near(self.write("a.warc", packed_page("http://example.net/", markup) + page("x", TEXTS[0])))
        self.assertEqual(found.summary["documents"], 2)

    def test_a_run_is_stopped_in_the_middle_of_large_pages(self):
        # 8 MB each, compressed so well that hundreds of them are read as one piece.
        large = packed_page("http://example.net/", b"<p><b>x</b>" * 760_000)
        self.write("a.warc", large * 400)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with running("fingerprint", "a.warc", cwd=self.dir, **quiet) as process:
            self.assertFalse(wait_until(lambda: process.poll() is not None, 1), "ended too soon to interrupt")
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=60 * TIME_FACTOR), 130)
            self.assertLess(time.monotonic() - start, 1 * TIME_FACTOR)

    def test_cutting_passages_out_of_an_archive_is_refused_before_it_is_read(self):
        self.write("a.warc", b"".join(archive()))
        result = self.run_program("substrings", "a.warc", "--apply", "-o", "out", code=3)
        self.assertIn("cannot cut passages out of a web archive", result.err)

    def test_an_index_keeps_the_text_of_pages(self):
        self.write("a.warc", b"".join(archive()))
        self.run_program("index", "create", "idx", "a.warc")
        self.run_program("index", "check", "idx")
        words = " ".join(TEXTS[7].split()[:12])
        result = self.run_program("index", "query", "idx", "-", stdin=words)
        self.assertIn(b"http://example.org/7", result.out)


if __name__ == "__main__":
    main()
