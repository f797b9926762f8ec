"""docs/openapi.json: it is valid OpenAPI, and accepts and refuses the same bodies as the server."""

import json

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from program import main
from serve_test import API, BEARER, SHARED, Served

LONG = "x" * 4096
QUERIES = [{}, {"text": ""}, {"text": SHARED}, {"id": "a.txt"}, {"id": ""}, {"text": SHARED, "id": "a.txt"},
           {"text": None}, {"text": "a", "typo": 1}, [], "text"]
QUERIES += [{"text": SHARED, name: value} for name, values in {
    "limit": (0, 1, 2.0, 1.5, 1000, 1001, "1", True, None), "max_occurrences": (0, 1, 100_000, 100_001),
    "min_tokens": (-1, 0, 1 << 40, (1 << 40) + 1), "max_documents": (-1, 0, 1 << 40, (1 << 40) + 1),
    "max_gap": (-1, 0, 1024, 1025), "edits": ("none", "light", "heavy", "some", 1, None),
    "noise": (0, 1e-9, 0.5, 1, "0"),
    "with": ([], ["a.txt"], ["a.txt"] * 10_000, ["a.txt"] * 10_001, "a.txt", [1]), "cursor": (1, None),
    "exclude": ([], ["", "a"], ["a"] * 1000, ["a"] * 1001), "texts": (True, False, 1, None)
}.items() for value in values]
IDS = ["", "a", " ", "é" * 2048, LONG, LONG + "x", "a\u0000", "a\nb", "a\n", "\u001f", "\u007f", "\u0080", "..", "../a",
       "a/..", "a\\..\\b", "...", "a..", "..a/b", "/", 1, None]
DOCUMENTS = [{"id": name, "text": "t"} for name in IDS]
DOCUMENTS += [{}, {"id": "a"}, {"text": "t"}, {"id": "a", "text": 1}, [],
              {"id": "a", "text": "t", "more": {"id": [None]}}]


class Description(Served):
    def test_it_is_valid(self):
        self.assertEqual([str(error) for error in OpenAPIV31SpecValidator(API).iter_errors()], [])
        self.assertEqual(API["openapi"], "3.1.0")

    def check_bodies(self, target, bodies):
        schema = API["paths"][target.split("?")[0]]["post"]["requestBody"]["content"]["application/json"]["schema"]
        allows = Draft202012Validator({**schema, "components": API["components"]}).is_valid
        for body in bodies:
            reply = self.ask("POST", target, json.dumps(body), BEARER)
            self.assertEqual(reply.status != 400, allows(body), (target, str(body)[:100], reply.body[:200]))
            self.assertLess(reply.status, 500)

    def test_it_accepts_what_the_server_accepts(self):
        _, self.port = self.serve("--library", "library", "--add")
        self.check_bodies("/v1/query", QUERIES)
        self.check_bodies("/v1/documents?replace=1", DOCUMENTS)
        self.check_bodies("/v1/seen", DOCUMENTS)


if __name__ == "__main__":
    main()
