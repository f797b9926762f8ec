#!/usr/bin/env python3
"""How fast `refrain serve --library --add` answers POST /v1/seen, and how soon.

    bench/seen.py [--refrain PROGRAM] [--documents N] [--connections C] [--rate DOCUMENTS] [--folder DIR]

Documents of about 4 KB, of which one in ten is a copy of an earlier one and one in twenty an edited copy, are sent over
connections that stay open, in batches of 64 as a crawler would, and one by one. Every answer is compared with what is
known of the document before anything is timed, and counted afterwards. Then: as fast as the server takes them
(documents a second), and at --rate documents a second, on a fixed schedule (the time of a request counts from when it
was due, not from when it could be sent). The client runs on the same machine, and takes its share of it.
"""

import argparse
import json
import os
import platform
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOKEN = "bench"
WORDS_OF_A_PAGE = 620  # about 4 KB


def make_documents(count, seed):
    """Returns (id, text, the id of its match or None) of each document."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("etaoinshrdlucmfwyp", k=rng.randint(2, 9))) for _ in range(50000)]
    documents = []
    for at in range(count):
        name = f"https://host{at % 500}.example/{seed}/{at}"
        kind = rng.random()
        of = documents[rng.randrange(len(documents))] if documents else None
        if of is None or kind >= 0.15 or of[2] is not None:
            documents.append((name, " ".join(rng.choices(words, k=WORDS_OF_A_PAGE)), None))
        elif kind < 0.1:
            documents.append((name, of[1], of[0]))
        else:
            text = of[1].split(" ")
            for _ in range(3):
                text[rng.randrange(len(text))] = rng.choice(words)
            documents.append((name, " ".join(text), of[0]))
    return documents


def request(batch):
    body = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text, _ in batch).encode()
    return (f"POST /v1/seen HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.left = b""

    def ask(self, sent):
        """Sends a request, and returns the body of the answer."""
        self.socket.sendall(sent)
        data = self.left
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self.receive()
        head = data[:end]
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"refused: {data[:300]!r}")
        length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
        end += 4
        while len(data) < end + length:
            data += self.receive()
        self.left = data[end + length:]
        return data[end:end + length]

    def receive(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise SystemExit("the server closed a connection")
        return piece


class Server:
    def __init__(self, program, folder):
        with open(os.path.join(folder, "token"), "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        self.process = subprocess.Popen([program, "serve", "--library", "library", "--add", "--token-file", "token",
                                         "--listen", "127.0.0.1:0"], cwd=folder, stderr=subprocess.PIPE)
        self.port = int(re.search(rb":(\d+)\n", self.process.stderr.readline()).group(1))

    def peak(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) << 10

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(60) != 0:
            raise SystemExit("the server failed")


def check(port, documents):
    """Sends all documents in order, over one connection, so that every answer is known, and checks them."""
    connection = Connection(port)
    for first in range(0, len(documents), 50):
        batch = documents[first:first + 50]
        for (name, text, match), line in zip(batch, connection.ask(request(batch)).splitlines()):
            row = json.loads(line)
            same = match is not None and any(other[0] == match and other[1] == text for other in documents)
            wanted = ("new", None) if match is None else ("exact" if same else "near", match)
            if (row["status"], row["match"]) != wanted or row["id"] != name or row["added"] != (match is None):
                raise SystemExit(f"wrong answer: {row}, not {wanted}")


def send_all(port, requests, connections, due=None):
    """Sends all requests; returns their times in seconds, and how many documents were added. `due` lists when each is
    to be sent, from now on."""
    times, added, lock, turn = [0.0] * len(requests), [0], threading.Lock(), iter(range(len(requests)))
    start = time.perf_counter()

    def work():
        connection = Connection(port)
        own = 0
        while True:
            with lock:
                at = next(turn, None)
            if at is None:
                break
            began = time.perf_counter() if due is None else start + due[at]
            if due is not None and (wait := began - time.perf_counter()) > 0:
                time.sleep(wait)
            own += connection.ask(requests[at]).count(b'"added":true')
            times[at] = time.perf_counter() - began
        with lock:
            added[0] += own

    threads = [threading.Thread(target=work) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, added[0], time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--refrain", default=os.path.join(here, os.pardir, "build", "release", "refrain"))
    parser.add_argument("--documents", type=int, default=30000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rate", type=int, default=2500)
    parser.add_argument("--folder", help="where the library is made")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="refrain-seen-", dir=options.folder)
    try:
        server = Server(os.path.abspath(options.refrain), folder)
        check(server.port, make_documents(2000, seed=1))
        print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; 2000 answers checked",
              flush=True)
        seed = 1
        for size in (64, 1):
            for rate in (None, options.rate):
                seed += 1
                documents = make_documents(options.documents, seed)
                requests = [request(documents[at:at + size]) for at in range(0, len(documents), size)]
                due = None if rate is None else [at * size / rate for at in range(len(requests))]
                cpu = server.cpu_seconds()
                times, added, seconds = send_all(server.port, requests,
                                                 options.connections if size > 1 else 4 * options.connections, due)
                cpu = server.cpu_seconds() - cpu
                # If copies arrive at the same time, either may be the new one, but the number of new ones is the same.
                new = sum(match is None for _, _, match in documents)
                if abs(added - new) > new // 100:
                    raise SystemExit(f"{added} added, {new} are new")
                times.sort()
                p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
                print(f"batches of {size:2}, {'as fast as it goes' if rate is None else f'{rate} a second'}: "
                      f"{len(documents) / seconds:,.0f} documents/s, p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms, "
                      f"{cpu / len(documents) * 1e6:.0f} us of CPU a document, peak {server.peak() >> 20} MiB",
                      flush=True)
        server.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
