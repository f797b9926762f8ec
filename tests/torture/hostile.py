"""Inputs that are designed to be expensive: a grammar per format, whose choices (genes) a search can vary.

A shape makes the bytes of one file of about a given size. Most text formats share one grammar, the pump: records of a
head, an item repeated many times, and a tail. Containers are written byte by byte, because no library writes the
expensive ones. Everything here uses only the standard library, except Parquet and Arrow, which need pyarrow.
"""

import bz2
import functools
import gzip
import io
import itertools
import lzma
import os
import random
import re
import struct
import sys
import zlib

MASK = (1 << 64) - 1
MUL = 0xC6A4A7935BD1E995
INVERSE = pow(MUL, -1, 1 << 64)
SEED = 0xC70F6907
FILE_SEEDS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fuzz", "seeds")


# ---- ids with equal hashes


def mixed(block):
    block = block * MUL & MASK
    return (block ^ block >> 47) * MUL & MASK


def unmixed(value):
    value = value * INVERSE & MASK
    return (value ^ value >> 47) * INVERSE & MASK


def standard_hash(text):
    """std::hash of a string whose size is a multiple of 8, as libstdc++ computes it (Murmur's 64-bit hash)."""
    state = SEED ^ len(text) * MUL & MASK
    for (block,) in struct.iter_unpack("<Q", text):
        state = (state ^ mixed(block)) * MUL & MASK
    state = (state ^ state >> 47) * MUL & MASK
    return state ^ state >> 47


@functools.lru_cache(maxsize=None)
def colliding(stages=4, choices=14):
    """Returns choices**stages ids of 16 bytes per stage, all with the same std::hash. In each stage, several pairs of
    blocks lead to the same state, because the second block can be chosen to undo the effect of the first."""
    safe = sorted(set(range(0x21, 0x7F)) - set(b'"\\/<>&,'))
    allowed = bytes(safe)
    rng = random.Random(5)
    state = SEED ^ stages * 16 * MUL & MASK
    ids = [b""]
    for _ in range(stages):
        high = int.from_bytes(bytes(rng.choices(safe, k=5)), "little") << 24
        target, pairs = None, []
        for a, b, c in itertools.product(safe, safe, safe):
            first = high | c << 16 | b << 8 | a
            between = (state ^ mixed(first)) * MUL & MASK
            if target is None:
                target = between ^ mixed(int.from_bytes(bytes(rng.choices(safe, k=8)), "little"))
            second = unmixed(between ^ target).to_bytes(8, "little")
            if second.translate(None, allowed):
                continue
            pairs.append(first.to_bytes(8, "little") + second)
            if len(pairs) == choices:
                break
        state = target * MUL & MASK
        ids = [begun + pair for begun in ids for pair in pairs]
    return ids


# ---- the pump


CHARSETS = (b"koi8-r", b"big5", b"iso-2022-jp", b"gb18030", b"euc-kr", b"cp1251", b"iso-8859-7", b"macintosh")
# The replacement of a mark in the copies of a token: a number, an id that collides with all others, each charset in
# turn.
MARKS = {b"{n}": lambda at: b"%d" % at, b"{c}": lambda at: colliding()[at % len(colliding())],
         b"{s}": lambda at: CHARSETS[at % len(CHARSETS)]}


def spelled(token, count, start):
    """Returns `count` copies of a token, with its marks replaced."""
    for mark, value in MARKS.items():
        if mark in token:
            return b"".join(token.replace(mark, value(at)) for at in range(start, start + count))
    return token * count


class Pump:
    """prefix (head item... close... tail)... suffix, with the number of items per record that the genes say."""

    def __init__(self, prefixes=(b"",), heads=(b"",), items=(b"",), closes=(b"",), tails=(b"",), suffixes=(b"",)):
        self.genes = {"prefix": prefixes, "head": heads, "item": items, "other": (b"",) * len(items) + items,
                      "close": closes,
                      "tail": tails, "suffix": suffixes, "per": (0, 1, 3, 16, 100, 1000, 20000, 1 << 30, 1 << 30)}

    def make(self, genes, size, _):
        item = genes["item"] + genes["other"]
        unit = max(1, len(item) + len(genes["close"]))
        room = max(1, size - len(genes["prefix"]) - len(genes["suffix"]))
        per = min(genes["per"], room // unit + 1)
        out, done, number, items = [genes["prefix"]], 0, 0, 0
        while done < room:
            record = (spelled(genes["head"], 1, number) + spelled(item, per, items) + genes["close"] * per +
                      spelled(genes["tail"], 1, number)) or b"\n"
            if not any(mark in genes["head"] + item + genes["tail"] for mark in MARKS):
                record *= room // len(record) + 1
            out.append(record)
            done, number, items = done + len(record), number + 1, items + per
        return b"".join(out) + genes["suffix"]


class Slices:
    """A small, valid file in which one stretch of tokens is repeated."""

    def __init__(self, *seeds):
        self.genes = {"seed": seeds, "from": tuple(range(64)), "tokens": (1, 2, 3, 5, 8, 13, 21)}

    def make(self, genes, size, _):
        tokens = re.findall(rb"\w+|\W", genes["seed"])
        begin = genes["from"] * len(tokens) // 64
        end = min(len(tokens), begin + genes["tokens"])
        slice_ = b"".join(tokens[begin:end]) or b" "
        return b"".join(tokens[:begin]) + slice_ * (size // len(slice_) + 1) + b"".join(tokens[end:])


def file_seed(*names):
    with open(os.path.join(FILE_SEEDS, *names), "rb") as file:
        return file.read()


WORDS = (b"a ", b"a", b"the cat sat on ", b"w{n} ", b"{c} ", b"\n", b"  ", b"0", b"ab", b".", b"\xff", b"\x00",
         b"\xc3", b"A-",
         "\u0301".encode(), "\ufdfa".encode(), "\u4e2d".encode(), "\ud55c".encode(), "\u0130".encode(),
         "\U0001d400".encode(),
         b"http://x{n}.example/ ", b"/*", b"\"", b"'", b"acgt", b"(", b"x1", b"_")
ESCAPES = (b"a ", b"w{n} ", b"\\n", b"\\u0000", b"\\ud800", b"\\u0301", b"\\\\", b"{c} ", b"[", b'{"a":', b'"k{n}":1,',
           b"1,", b'"a",',
           b"1e999,", b" ", b"\xff", b"\\", b'"', b",", b"]", b"}")
COLUMNS = (b",", b"a,", b'"",', b'"', b"text,", b"a{n},", b'""', b"\n", b"\r\n", b";", b"|", b"{c},", b"\t", b"w{n} ")
TAGS = (b"<p>", b"<b>", b"<div>", b"</p>", b"<table><tr><td>", b"<table>", b"<a>", b"<i><b>", b"<font>", b"<li>",
        b"<svg>", b"<math>",
        b"<form>", b"<p class=a>", b"<a a{n}=1 ", b"a=b ", b"<!--", b"-->", b"<![CDATA[", b"&amp;", b"&", b"&#x41",
        b"&notit;", b"<script>",
        b"</script>", b"<style>", b"<textarea>", b"<select><option>", b"<template>", b"<nav>", b"<main>", b"<!", b"<?",
        b"</", b"<", b"a ",
        b"<title>", b"<body a{n}=1>", b"<div class='nav menu'>", b"<noscript>", b"<plaintext>", b"<frameset>", b"\x00",
        b"<div a=\"")
WARC = (b"WARC/1.0\r\n", b"WARC/1\n", b"WARC-Type: response\r\n",
        b"WARC-Type: conversion\r\nContent-Type: text/plain\r\n",
        b"Content-Length: 0\r\n", b"Content-Length: 99999999999\r\n", b"Content-Length: 1\r\n",
        b"WARC-Target-URI: http://x.example/{n}\r\n",
        b"A: b\r\n", b"\r\n", b"\n", b" ", b"a", b"http://a/ 1.1.1.1 20200101000000 text/html 0\n",
        b"http://a/ 1.1.1.1 20200101 t 99999\n",
        b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n", b"1\r\na\r\n",
        b"Content-Type: text/html; charset={s}\r\n",
        b"WARC-Type: resource\r\nContent-Type: text/html; charset={s}\r\n", b"Content-Encoding: gzip\r\n", b"x:",
        b"\r\r\n")
MAIL = (b"Subject: ", b"=?koi8-r?q?a?= ", b"=?utf-8?q?a?= ", b"=?x?q?a?= ", b"=?iso-2022-jp?b?YQ==?= ",
        b"=?gb18030?q?a?= =?big5?q?a?= ",
        b"=?{s}?q?a?= ", b"Content-Type: text/plain; charset={s}\n\n\xc1\n", b"=?", b"A: b\n", b" a\n", b"\n",
        b"--b\n", b"--b", b"--b--\n", b"--", b"a\n", b">From \n", b"From ",
        b"From a Mon Jan  1 00:00:00 2001\n", b"Content-Type: multipart/mixed; boundary=b\n\n--b\n",
        b"Content-Type: message/rfc822\n\n",
        b"Content-Type: text/html\n\n<p>", b"Content-Type: text/plain; charset=koi8-r\n\n\xc1\n", b"a=b;", b'a="',
        b"=\n", b"=41", b"YQ==",
        b"Message-ID: <{n}>\n", b"Subject: =?koi8-r?q?a?=\n", b"\xc1\xc2", b";", b"Content-Type: image/png\n\na\n",
        b"\\")
TROFF = (b".B a\n", b".Op Fl a\n", b".Nm\n", b".Nm " + b"n" * 2000 + b"\n", b".ds a " + b"x" * 250 + b"\n", b"\\*a",
         b".ie n \\{\\\n", b".el \\{\\\n",
         b".if n ", b".de a\n", b"..\n", b"\\", b"\\(em", b"\\[u0041]", b"\\f[I]", b"\\w'", b"Op ", b"Fl ", b"Nm ",
         b".", b"'", b"!", b'"', b" ", b"a",
         b".Fn a b\n", b".TP\n", b".SH ", b".ig\n", b".so a\n", b".Oo\n", b"( ", b", ", b".TS\n", b"\\{", b"\\}", b"\n")
WARC_RECORD = (b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: u\r\nContent-Type: text/html; charset={s}\r\n"
               b"Content-Length: 1\r\n\r\n\xc1\r\n\r\n")
MAIL_HEAD = b"Received: x\nFrom: a\nSubject: b\n"
BOX = b"From a Mon Jan  1 00:00:00 2001\n"
ROWS = (b"id\tsimhash\trefrain fingerprint version=2 tokenizer=words-nfkc hash=xxh3 window=3 seed=0 tie=0"
        b" stop_words=none\n")
JSON_HEADS = (b'{"text":"', b'{"id":"{n}","text":"', b'{"id":"{c}","text":"', b'{"text":', b"{", b"[", b'{"id":',
              b'{"a":"', b"")
JSON_TAILS = (b'"}\n', b"}\n", b"\n", b'"]}\n', b'"},', b"")


def text_grammars():
    """Returns the grammars of each text format, and its file name extension."""
    page = Slices(b"<html><head><title>t</title></head><body><p class='a' id=b>one &amp; two</p>"
                  b"<table><tr><td>x</td></tr></table></body></html>")
    mail_heads = (b"", b"Subject: ", b"Received: x\nSubject: ", b"Content-Type: multipart/mixed; boundary=b\n\n",
                  b"Content-Type: message/rfc822\n\n")
    return {
        "text": (".txt", [Pump(items=WORDS, heads=(b"", b"w{n} ", b"a"), tails=(b"", b"\n"))]),
        "lines": (".txt", [Pump(heads=(b"", b"w{n} "), items=WORDS, tails=(b"\n",))]),
        "jsonl": (".jsonl", [Pump((b"", b"\xef\xbb\xbf"), JSON_HEADS, ESCAPES + WORDS, (b"", b"}", b"]"), JSON_TAILS,
                                  (b"", b'{"text":"a"}')),
                             Slices(file_seed("reader", "records.jsonl"),
                                    b'{"id": "a", "text": "one two", "m": {"u": [1, "x"]}}\n')]),
        "json": (".json", [Pump((b"[", b"{", b"", b'[{"text":"a"},'), JSON_HEADS, ESCAPES, (b"", b"}", b"]"),
                                JSON_TAILS + (b'"},\n', b'"}\n,\n'),
                                (b"]", b"", b"}")),
                           Slices(b'[{"id": "a", "text": "one two",\n "m": {"u": [1, "x"]}},\n {"text": "b"}]')]),
        "csv": (".csv", [Pump((b"id,text\n", b"text\n", b"", b"text,"), (b"", b"{n},", b"{c},a", b'"'), COLUMNS,
                              (b"", b"\n"), (b"\n", b'"\n', b""),
                              (b"", b"\ntext\n", b"text\na\n")),
                         Slices(file_seed("reader", "table.csv"), b'id,text,"o ""x"""\n1,"a, b",c\n')]),
        "tsv": (".tsv", [Pump((b"id\ttext\n", b"text\n", b"", b"text\t"), (b"", b"{n}\t", b"{c}\ta"),
                              (b"\t", b"a\t", b"a", b'"', b"\n", b"w{n} "), (b"",),
                              (b"\n", b""), (b"", b"text\na\n"))]),
        "html": (".html", [Pump((b"", b"<html><body>", b"<table>"), (b"",) + TAGS, TAGS + WORDS[:6],
                                (b"", b"</p>", b"</b>", b"</div>", b"</table>", b"</a>"),
                                (b"", b"\n", b"</p>"), (b"", b"</table>")), page]),
        "warc": (".warc", [Pump((b"", b"WARC/1.0\r\n"), (b"", WARC_RECORD) + WARC, WARC, (b"",),
                                (b"", b"\r\n", b"\r\n\r\n", b"\n")),
                           Slices(file_seed("reader", "archive.warc"), file_seed("reader", "archive.arc"),
                                  file_seed("warc", "response"))]),
        "mail": (".eml", [Pump((MAIL_HEAD, MAIL_HEAD[:-11]), mail_heads, MAIL, (b"", b"--b--\n", b"\n"),
                               (b"", b"\n", b"\n\n", b"--b\n")),
                          Slices(file_seed("reader", "mail.eml"))]),
        "mbox": (".mbox", [Pump((BOX + MAIL_HEAD + b"\n",), (BOX + b"Subject: ", BOX, b"\n\n" + BOX + b"Subject: ",
                                                             b""), MAIL, (b"",),
                                (b"\n\na\n\n", b"\n\n", b"\n", b"")), Slices(file_seed("reader", "box.mbox"))]),
        "troff": (".1", [Pump((b".TH A 1\n.SH NAME\n", b".Dd x\n.Dt A 1\n.Os\n.Nm " + b"n" * 60000 + b"\n",
                               b".TH A 1\n.ds a " + b"x" * 250 + b"\n"),
                              (b"", b".B ", b".Op ", b".Nm ", b".if n ", b".ds a{n} ", b".It "), TROFF,
                              (b"", b"\\}\n", b"..\n"), (b"\n", b"", b"\\\n")),
                         Slices(file_seed("reader", "page.1"))]),
        "rows": (".tsv", [Pump((ROWS, ROWS[ROWS.index(b"id"):]), (b"{n}\t", b"a\t", b"{c}\t"),
                               (b"", b"0", b"1", b"{n}", b"\t"), (b"",), (b"7\n", b"{n}\n", b"\n")),
                          Slices(ROWS + b"a\t17\nb\t12345678901234567890\n")]),
    }


# ---- packing


def xz_dictionary(data, bits):
    """Returns an .xz file that demands a dictionary of up to 4 GiB (bits 40), although its few bytes do not need it."""
    packed = bytearray(lzma.compress(data, preset=0))
    size = (packed[12] + 1) * 4
    at = packed.index(b"\x21\x01", 12, 12 + size) + 2
    packed[at] = bits
    packed[12 + size - 4:12 + size] = struct.pack("<I", zlib.crc32(packed[12:12 + size - 4]))
    return bytes(packed)


def zstd_frame(data, window=7):
    """Returns a zstd frame of stored blocks, or of one repeated byte, with a window descriptor of any size."""
    blocks = [data[at:at + (1 << 17)] for at in range(0, len(data), 1 << 17)] or [b""]
    out = b"\x28\xb5\x2f\xfd\x00" + bytes([window << 3])
    for number, block in enumerate(blocks):
        same = len(block) > 1 and block == block[:1] * len(block)
        head = len(block) << 3 | (2 if same else 0) | (number == len(blocks) - 1)
        out += head.to_bytes(3, "little") + (block[:1] if same else block)
    return out


def lz4_frame(data, block=0x70):
    """Returns an lz4 frame of stored blocks; its maximum block size is declared, but not used."""
    head = bytes([0x60, block])
    state = (0x165667B1 + len(head)) & 0xFFFFFFFF  # XXH32 of a short input
    for byte in head:
        state = state + byte * 0x165667B1 & 0xFFFFFFFF
        state = (state << 11 | state >> 21) * 0x9E3779B1 & 0xFFFFFFFF
    for shift, prime in ((15, 0x85EBCA77), (13, 0xC2B2AE3D), (16, 1)):
        state = (state ^ state >> shift) * prime & 0xFFFFFFFF
    out = b"\x04\x22\x4d\x18" + head + bytes([state >> 8 & 0xFF])
    most = 1 << 16
    for at in range(0, len(data), most):
        part = data[at:at + most]
        out += struct.pack("<I", len(part) | 1 << 31) + part
    return out + bytes(4)


PACKINGS = {"": lambda data: data, ".gz": lambda data: gzip.compress(data, 6, mtime=0), ".zst": zstd_frame,
            ".xz": lambda data: lzma.compress(data, preset=0),
            ".bz2": lambda data: bz2.compress(data, 1), ".lz4": lz4_frame}


class Members:
    """Many small compressed members in a row, with optional bytes between them."""

    def __init__(self, kind):
        self.kind = kind
        self.large = {"gz": gzip.compress(b"a\n" * 30000, mtime=0), "zst": zstd_frame(b"\n" * (1 << 17)),
                      "xz": lzma.compress(b"\n" * 60000, preset=0), "bz2": bz2.compress(b"\n" * 60000),
                      "lz4": lz4_frame(b"a\n" * 30000)}[kind]
        self.large_bytes = 1 << 17 if kind == "zst" else 60000
        members = {"gz": (gzip.compress(b"", mtime=0), gzip.compress(b"a\n", mtime=0),
                          b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 500 + b"\0\x03\0" + bytes(8),
                          b"\x1f\x8b\x08\x04" + bytes(6) + b"\xff\xff" + b"e" * 65535 + b"\x03\0" + bytes(8),
                          self.large, bytes(512),
                          gzip.compress(b"a\n", mtime=0)[:-4]),
                   "zst": (zstd_frame(b""), zstd_frame(b"a\n"), zstd_frame(b"a", 17), zstd_frame(b"a", 12),
                           b"\x50\x2a\x4d\x18" + bytes(4),
                           self.large, b"\x50\x2a\x4d\x18\xff\xff\xff\xff"),
                   "xz": (lzma.compress(b"", preset=0), lzma.compress(b"a\n", preset=0), xz_dictionary(b"a\n", 20),
                          xz_dictionary(b"a\n", 36), bytes(4),
                          xz_dictionary(b"a\n", 40), self.large),
                   "bz2": (bz2.compress(b""), bz2.compress(b"a\n", 9), bz2.compress(b"a\n", 1), self.large),
                   "lz4": (lz4_frame(b""), lz4_frame(b"a\n"), lz4_frame(b"a\n", 0x40), self.large,
                           b"\x50\x2a\x4d\x18" + bytes(4))}[kind]
        plain = b"".join(b"word%d one two three\n" % at for at in range(40))
        first = {"gz": gzip.compress(plain, mtime=0), "zst": zstd_frame(plain), "xz": lzma.compress(plain, preset=0),
                 "bz2": bz2.compress(plain),
                 "lz4": lz4_frame(plain)}[kind]
        self.genes = {"first": (first, b""), "member": members, "other": (b"", b"", *members),
                      "count": (0, 1, 3, 1 << 30), "inner": (".txt", ".jsonl", ".csv")}

    def repeats(self, genes, size):
        return min(genes["count"], size // len(genes["member"] + genes["other"]) + 1)

    def make(self, genes, size, _):
        return genes["first"] + (genes["member"] + genes["other"]) * self.repeats(genes, size)

    def stands_for(self, data, genes, size):
        large = (genes["member"] == self.large) + (genes["other"] == self.large)
        return len(data) + self.repeats(genes, size) * large * self.large_bytes


class Restarts:
    """Damaged gzip data with many places where reading could start again, all of which lead into the same tail."""

    genes = {"share": (0.3, 0.5, 0.8), "fill": (b"\0", b"\n", b"a b\n", b"WARC/1.0\r\n"), "unit": ("shared", "bare",
                                                                                                   "named"),
             "cut": (0, 9),
             "before": (b"", gzip.compress(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
                                           mtime=0))}

    def make(self, genes, size, _):
        tail_size = max(200, int(size * genes["share"]))
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        tail = b""
        block = genes["fill"] * ((1 << 16) // len(genes["fill"]))
        for _ in range(64):  # at most four megabytes, so that the tail itself is not a bomb
            if len(tail) < tail_size:
                tail += packer.compress(block) + packer.flush(zlib.Z_SYNC_FLUSH)
        head = b"\x1f\x8b\x08\x08" if genes["unit"] == "named" else b"\x1f\x8b\x08\x00"
        head += bytes(5) + b"\x03"
        width = len(head) + (5 if genes["unit"] == "shared" else 0)
        units = min(max(1, (size - len(tail)) // width), 65535 // width)
        out = []
        for at in range(units):
            gap = (units - at - 1) * width
            out.append(head + (struct.pack("<BHH", 0, gap, gap ^ 0xFFFF) if genes["unit"] == "shared" else b""))
        packed = genes["before"] + b"".join(out) + tail
        return packed[:len(packed) - genes["cut"]]

    def stands_for(self, data, _genes, _size):
        return max(map(len, self.unpacked(data)))

    def lines(self, data):
        return max(text.count(b"\n") for text in self.unpacked(data))

    def unpacked(self, data):
        # The tail is read after the last header, if not before.
        return inflated(data), inflated(data[data.rfind(b"\x1f\x8b\x08"):])


# ---- archives


def tar_entry(name, content=b"", kind=b"0", size=None):
    head = bytearray(512)
    head[:100] = name[:100].ljust(100, b"\0")
    head[100:108], head[108:116], head[116:124], head[136:148] = b"0000644\0", bytes(8), bytes(8), b"00000000000\0"
    size = len(content) if size is None else size
    head[124:136] = b"%011o\0" % size if 0 <= size < 1 << 33 else b"\x80" + (size & (1 << 88) - 1).to_bytes(11, "big")
    head[148:156], head[156:157], head[257:265] = b" " * 8, kind, b"ustar\00000"
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + content + bytes(-len(content) % 512)


def pax_record(key, value):
    size = len(key) + len(value) + 3
    while len(b"%d" % size) + len(key) + len(value) + 3 != size:
        size = len(b"%d" % size) + len(key) + len(value) + 3
    return b"%d %s=%s\n" % (size, key, value)


class Tar:
    """Tar archives: names, both kinds of long names, sizes, and headers before files."""

    genes = {"packing": ("", "", ".gz"), "name": (b"f{n}.txt", b"same.txt", b"{c}", b"d{n}/f.txt", b"a/b/c/d/e/f.txt",
                                                  b"x.tar", b"../up"),
             "long": ("", "L", "x", "x many", "g", "K"), "path": (b"a/", b"a", b"../", b"./", b"/", b"{n}/", b"\xff"),
             "path_bytes": (200, 3000, 40000, 1 << 20), "content": (b"", b"a b c", b"\0", b"x" * 600),
             "size": (None, None, 1 << 33, 1 << 60, -1),
             "count": (1, 3, 1 << 30)}

    def make(self, genes, size, _):
        out, at = [], 0
        done = 0
        while done < size and at < genes["count"]:
            long_name = spelled(genes["path"], min(genes["path_bytes"], size) // len(genes["path"]) + 1,
                                0) + b"f%d.txt" % at
            before = {"L": lambda: tar_entry(b"././@LongLink", long_name + b"\0", b"L"),
                      "K": lambda: tar_entry(b"././@LongLink", long_name + b"\0", b"K"),
                      "x": lambda: tar_entry(b"x", pax_record(b"path", long_name), b"x"),
                      "g": lambda: tar_entry(b"x", pax_record(b"path", long_name), b"g"),
                      "x many": lambda: tar_entry(b"x", pax_record(b"a", b"") * (len(long_name) // 6), b"x"),
                      "": lambda: b""}[genes["long"]]()
            entry = before + tar_entry(spelled(genes["name"], 1, at), genes["content"], size=genes["size"])
            out.append(entry)
            done, at = done + len(entry), at + 1
        return b"".join(out) + bytes(1024)


class Zip:
    """ZIP archives: files that share bytes, names, sizes, extra fields."""

    genes = {"overlap": ("none", "same", "same", "nested"), "name": (b"f{n}.txt", b"same.txt", b"{c}", b"d{n}/f.txt",
                                                                     b"a/" * 200 + b"{n}", b"../f{n}", b"x.zip"),
             "content": (b"a b c ", b"\0", b"", b"w"), "kernel": (40, 4000, 100000, 1 << 20), "declared": (None, None,
                                                                                                           0,
                                                                                                           0xFFFFFFFF),
             "extra": (b"", struct.pack("<HH", 9, 0) * 50, struct.pack("<HHQQ", 1, 16, 1 << 40, 1 << 40)),
             "method": (8, 8, 0, 9), "comment": (b"", b"PK\5\6" * 5000)}

    def make(self, genes, size, _):
        content = (genes["content"] or b"") * max(1, genes["kernel"] // max(1, len(genes["content"])))
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = content if genes["method"] == 0 else packer.compress(content) + packer.flush()
        plain = len(content) if genes["declared"] is None else genes["declared"]
        sums = struct.pack("<III", zlib.crc32(content), len(packed), plain & 0xFFFFFFFF)
        body, entries, begin, number = [], [], 0, 0
        written = 0
        while number < 65535 and written < size:
            name = spelled(genes["name"], 1, number)
            local = b"PK\3\4" + struct.pack("<HHHHH", 20, 0, genes["method"], 0, 0) + sums + struct.pack("<HH",
                                                                                                         len(name),
                                                                                                         0) + name
            if number == 0 or genes["overlap"] == "none":
                begin = written if genes["overlap"] == "none" else 0
                body.append(local + packed)
                written += len(body[-1])
            entry = (b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, genes["method"], 0, 0) + sums +
                     struct.pack("<HHHHHII", len(name), len(genes["extra"]), 0, 0, 0, 0, sum(map(len, body[:-1]))
                                 if begin and len(body) < 3 else begin) +
                     name + genes["extra"])
            entries.append(entry)
            written += len(entry) if genes["overlap"] != "none" else 0
            size -= len(entry) if genes["overlap"] == "none" else 0
            number += 1
        data, directory = b"".join(body), b"".join(entries)
        end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, number, number, len(directory), len(data),
                                      len(genes["comment"]))
        return data + directory + end + genes["comment"]

    def stands_for(self, data, _genes, _size):
        return unzipped(data)


# ---- columns


class Columns:
    """Parquet and Arrow files, written by pyarrow: many columns, groups or levels, and repeated values."""

    genes = {"columns": (1, 3, 100, 2000), "depth": (0, 1, 8, 60), "length": (0, 5, 2000, 100000),
             "same": (False, True), "group": (1, 10, 1000, 1 << 20),
             "packing": ("NONE", "SNAPPY", "ZSTD"), "dictionary": (False, True), "rows": (10, 1000, 20000),
             "lists": (False, True)}

    def __init__(self, arrow):
        self.arrow = arrow

    def make(self, genes, size, _):
        import pyarrow as pa  # found by the path that cost.py adds
        import pyarrow.parquet as pq
        rows = max(1, min(genes["rows"], size // (genes["length"] + 8 * genes["columns"])))
        texts = pa.array([("same " if genes["same"] else f"w{at} ") * (genes["length"] // 6) for at in range(rows)])
        if genes["dictionary"]:
            texts = texts.dictionary_encode()
        columns = {"text": texts, "id": [f"r{at}" for at in range(rows)]}
        deep = pa.array(["x"] * rows)
        for _ in range(genes["depth"]):
            deep = pa.ListArray.from_arrays(list(range(rows + 1)),
                                            deep) if genes["lists"] else pa.StructArray.from_arrays([deep], ["a"])
        columns |= {f"c{at}": deep for at in range(min(genes["columns"], 1 + size // 400 // (1 + genes["depth"])))}
        table, out = pa.table(columns), io.BytesIO()
        group = max(genes["group"], rows * len(columns) * 500 // size, 1)
        if self.arrow:
            with pa.ipc.new_file(out, table.schema) as writer:
                writer.write_table(table, max_chunksize=group)
        else:
            pq.write_table(table, out, row_group_size=group, compression=genes["packing"],
                           use_dictionary=genes["dictionary"])
        return out.getvalue()


# ---- damage


def damaged(data, kind, rng):
    """Damages bytes as a bad disk, a bad connection or an attacker might."""
    if kind == "none" or not data:
        return data
    at = rng.randrange(len(data))
    if kind == "cut":
        return data[:at]
    if kind == "end":
        return data[:-min(len(data), rng.randint(1, 40))]
    if kind == "flip":
        out = bytearray(data)
        for _ in range(rng.choice((1, 1, 3, 30))):
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
        return bytes(out)
    if kind == "sizes":
        return data[:at] + rng.choice((b"\xff" * 4, b"\xff" * 8, bytes(4), b"\x7f" + b"\xff" * 3,
                                       b"\0\0\0\x7f")) + data[at + 4:]
    end = min(len(data), at + rng.choice((1, 16, 500, 20000)))
    if kind == "repeat":
        return data[:end] + data[at:end] * rng.choice((1, 10, 100)) + data[end:]
    return data[:at] + data[end:]  # drop


DAMAGE = ("none",) * 24 + ("cut", "end", "flip", "sizes", "repeat", "drop")


# ---- shapes


class Shape:
    """One grammar of one format. A grammar that compresses its files itself says how many bytes they stand for."""

    def __init__(self, format_, number, grammar, ending, packings=("",)):
        self.name = f"{format_}/{type(grammar).__name__.lower()}{number or ''}"
        self.format, self.grammar, self.ending = format_, grammar, ending
        self.packs = hasattr(grammar, "stands_for")
        self.genes = dict(grammar.genes) | {"damage": DAMAGE, "random": tuple(range(8))}
        if len(packings) > 1:
            self.genes["packed"] = packings

    def draw(self, rng):
        return {gene: rng.choice(choices) for gene, choices in self.genes.items()}

    def mutate(self, genes, rng):
        """Draws at least one gene, and at most three, again."""
        out = dict(genes)
        for gene in rng.sample(sorted(self.genes), rng.choice((1, 1, 2, 3))):
            out[gene] = rng.choice(self.genes[gene])
        return out

    def make(self, genes, size):
        """Returns the bytes of the file, its file name extension, the number of bytes it stands for if each
        compressed byte is decompressed once, and the number of lines."""
        rng = random.Random(repr(sorted(genes.items(), key=str)))
        plain = self.grammar.make(genes, size, rng)
        ending, stands_for = genes.get("inner", self.ending), len(plain)
        packing = genes.get("packed", "") or genes.get("packing", "") * isinstance(self.grammar, Tar)
        data = PACKINGS[packing](plain)
        if self.packs:
            stands_for = max(len(plain), self.grammar.stands_for(data, genes, size))
        # Compressed bytes that are repeated may stand for any number of others.
        damage = "drop" if genes["damage"] == "repeat" and (packing or self.packs) else genes["damage"]
        lines = self.grammar.lines(data) if hasattr(self.grammar, "lines") else plain.count(b"\n")
        return damaged(data, damage, rng), ending + (self.packs and self.format_ending()
                                                     or "") + packing, stands_for, lines

    def format_ending(self):
        return {"gz": ".gz", "warc.gz": ".gz", "zst": ".zst", "xz": ".xz", "bz2": ".bz2",
                "lz4": ".lz4"}.get(self.format, "")


def inflated(data):
    """Returns the content of gzip members, as far as it can be read; a damaged member is followed once."""
    content = bytearray()
    while data[:2] == b"\x1f\x8b" and len(content) < 1 << 28:
        unpacker = zlib.decompressobj(31)
        try:
            while not unpacker.eof:
                got = unpacker.decompress(data, 1 << 20)
                content += got
                data = unpacker.unconsumed_tail
                if not got and not data:
                    break
        except zlib.error:
            break
        data = unpacker.unused_data
    return content


def unzipped(data):
    """Returns the number of bytes in the files of a ZIP archive, each counted once however often the directory names
    it."""
    total, at = len(data), 0
    while data[at:at + 4] == b"PK\3\4" and total < 1 << 28:
        packed, _, name = struct.unpack_from("<IIH", data, at + 18)
        at += 30 + name + packed
        try:
            total += len(zlib.decompressobj(-15).decompress(data[at - packed:at], 1 << 24))
        except zlib.error:
            pass  # stored
    return total


def shapes(arrow_packages):
    """Returns all shapes by format, including those of Parquet and Arrow if `arrow_packages` contains pyarrow."""
    found = {}
    packings = ("",) * 15 + tuple(PACKINGS)[1:]
    for format_, (ending, grammars) in text_grammars().items():
        found[format_] = [Shape(format_, number, grammar, ending, packings if format_ != "rows" else ("",))
                          for number, grammar in enumerate(grammars)]
    found["warc.gz"] = [Shape("warc.gz", 0, Restarts(), ".warc"), Shape("warc.gz", 0, Members("gz"), ".warc")]
    for kind in ("gz", "zst", "xz", "bz2", "lz4"):
        found[kind] = [Shape(kind, 0, Members(kind), ".txt")]
    found["gz"].append(Shape("gz", 0, Restarts(), ".txt"))
    found["tar"] = [Shape("tar", 0, Tar(), ".tar")]
    found["zip"] = [Shape("zip", 0, Zip(), ".zip")]
    if os.path.isdir(os.path.join(arrow_packages, "pyarrow")):
        sys.path.insert(0, arrow_packages)
        found["parquet"] = [Shape("parquet", 0, Columns(False), ".parquet")]
        found["arrow"] = [Shape("arrow", 0, Columns(True), ".arrow")]
    return found
