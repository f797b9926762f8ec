"""Requests to `refrain serve` that schemathesis makes from docs/openapi.json, valid ones and broken ones.

No answer may be a 5xx, or have a status, a header or a field that the description does not list. Requests that it
allows are accepted, and others are refused. In an answer of many rows, each row is checked. From the first round of
requests to the last, the memory of the server may not grow.

    http_fuzz.py [--full] [--seed N]

This file is also the module of hooks that schemathesis loads.
"""

import argparse
import contextlib
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
DEPS = os.path.join(ROOT, os.pardir, "build", "deps", "schemathesis")
sys.path[:0] = [DEPS, os.path.join(ROOT, "cli")]
import schemathesis  # noqa: E402
from program import SOURCE_DIR, jsonl, program, run, running, vocabulary  # noqa: E402
from schemathesis.specs.openapi.checks import ensure_resource_availability, positive_data_acceptance  # noqa: E402

TOKEN = "a-token-of-the-test"
ROWS = "application/x-ndjson"
MOST_GROWTH = 8 << 20
SHARED = " ".join(vocabulary(40))


# ---- hooks


@schemathesis.serializer(ROWS)
def to_rows(_context, value):
    rows = value if isinstance(value, list) else [value]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@schemathesis.deserializer(ROWS)
def from_rows(_context, response):
    return [json.loads(line) for line in response.content.decode().split("\n")[:-1]]


@schemathesis.check
def accepts_what_is_allowed(context, response, case):
    """As positive_data_acceptance, except for what no schema can say: whose cursor it is, and that ids differ."""
    if response.status_code in (400, 410):
        error = json.loads(response.content)["error"]
        if error["code"] in ("bad_cursor", "old_cursor") or re.search("'cursor'|duplicate id", error["message"]):
            return
    positive_data_acceptance(context, response, case)


@schemathesis.check
def finds_what_was_added(context, response, case):
    """As ensure_resource_availability, except for ids with percent signs, which schemathesis leaves as they are."""
    if "%" not in str(case.path_parameters.get("id")):
        ensure_resource_availability(context, response, case)


@schemathesis.check
def rows_come_to_an_end(_context, response, case):
    if response.status_code == 200 and ROWS in response.headers["content-type"] and case.method != "HEAD":
        assert not any("error" in row for row in from_rows(None, response)), "the answer ends with an error"


# ---- the campaign


def closed(description):
    """The description with lists in place of rows, and with no fields in answers but those that it names."""
    out = copy.deepcopy(description)
    for methods in out["paths"].values():
        for operation in methods.values():
            for message in (operation.get("requestBody", {}), *operation["responses"].values()):
                if rows := message.get("content", {}).get(ROWS):
                    rows["schema"] = {"type": "array", "minItems": 1, "items": rows["schema"]}
    for schema in out["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return out


class Server:
    def __init__(self, process):
        self.process = process
        self.url = re.fullmatch(r"refrain: listening on (\S+)\n", process.stderr.readline().decode()).group(1)

    def requests(self):
        with urllib.request.urlopen(self.url + "/metrics") as reply:
            counts = re.findall(r"(?m)^refrain_http_requests_total\{.*\} (\d+)$", reply.read().decode())
        return sum(map(int, counts))

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) << 10


def fuzz(server, folder, examples, seed):
    """Whether all answers are right."""
    command = "from schemathesis.cli import schemathesis; schemathesis()"
    return subprocess.run(
        [sys.executable, "-c", command, "run", os.path.join(folder, "openapi.json"), "--url", server.url, "--seed",
         str(seed), "--max-examples", str(examples), "--checks", "all", "--exclude-checks",
         "positive_data_acceptance,ensure_resource_availability", "--continue-on-failure",
         "--header", f"Authorization: Bearer {TOKEN}", "--suppress-health-check", "all", "--no-color"],
        cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SCHEMATHESIS_HOOKS": "http_fuzz"},
        check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="20,000 requests instead of 3,000")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    requests = 20_000 if options.full else 3_000
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="refrain-http-fuzz-"))
        with open(os.path.join(SOURCE_DIR, "docs", "openapi.json"), encoding="utf-8") as file:
            description = json.load(file)
        for name, content in (("openapi.json", json.dumps(closed(description))), ("token", TOKEN),
                              ("in.jsonl", jsonl([SHARED, SHARED + " more", "0"], id=lambda i: f"{i}"))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        run("index", "create", "index", "in.jsonl", "--id-field", "id", "--store-text", "-q", cwd=folder)
        server = Server(stack.enter_context(running(
            "serve", "index", "--library", "library", "--add", "--token-file", "token", "--listen", "127.0.0.1:0",
            "--memory", "256M", cwd=folder, stderr=subprocess.PIPE)))
        good, memory = True, []
        while good and server.requests() < requests:
            good = fuzz(server, folder, requests // 40, options.seed + len(memory))
            memory.append(server.memory())
            print(f"http_fuzz: {server.requests():,} requests, {memory[-1] >> 20} MiB", flush=True)
        good = good and server.process.poll() is None and memory[-1] < memory[0] + MOST_GROWTH
    print(f"http_fuzz: {'all answers are right' if good else 'failed'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
