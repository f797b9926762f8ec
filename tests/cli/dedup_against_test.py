"""End-to-end tests of refrain dedup --against, which finds a test set in a training set."""

import json
import random

from program import TestCase, main

ITEM = ("A farmer has seventeen sheep and sells all but nine of them at the market on Tuesday; how many sheep does the "
        "farmer take home in the evening?")
CJK = "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少？"


def words(seed, count):
    made = random.Random(seed)
    return " ".join(f"w{made.randrange(100000)}" for _ in range(count))


class DedupAgainst(TestCase):
    def records(self, name, texts, field="text"):
        self.write(name, "".join(json.dumps({"id": f"{name}-{i}", field: text}, ensure_ascii=False) + "\n"
                                 for i, text in enumerate(texts)))

    def dedup(self, *arguments, code=0):
        result = self.run_program("dedup", "train.jsonl", "-o", "out", "--force", "--id-field=none", *arguments,
                                  code=code)
        if code != 0:
            return result
        self.summary = json.loads(self.read("out", "summary.json"))
        self.decisions = [json.loads(line) for line in self.read("out", "decisions.jsonl").splitlines()]
        return result

    def items(self):
        return [json.loads(line) for line in self.read("out", "against.jsonl").splitlines()]

    def reasons(self):
        return [row["reason"] for row in self.decisions]

    def test_an_item_is_found_in_every_dress(self):
        changed = ITEM.split()
        changed[3] = "eighteen"
        changed[12] = "fair"
        long_item = words(1, 120)
        dresses = [
            ITEM,
            ITEM.replace(" ", "\n"),
            ITEM.upper(),
            "  ** " + ITEM.replace(" ", " -- ").replace(";", "!") + " **",
            " ".join(changed),
            CJK,
            CJK.replace("，", " ").replace("。", "\n"),
            "\n".join(long_item.split()[60:]),
        ]
        clean = ["A farmer has sheep and sells them at the market.", " ".join(ITEM.split()[:15]), words(2, 80),
                 " ".join(long_item.split()[:40])]
        self.records("train.jsonl", [words(10 + i, 40) + "\n" + dress + "\n" + words(50 + i, 40)
                                     for i, dress in enumerate(dresses)] + [ITEM] + clean)
        self.records("test.jsonl", [ITEM, CJK, long_item, "Too short to tell."])
        result = self.dedup("--against", "test.jsonl", "--near", "off", "--apply")
        self.assertEqual(self.reasons(), ["against"] * 9 + [None] * 4)
        self.assertEqual([row["match"] for row in self.decisions[:9]], ["0"] * 5 + ["1"] * 2 + ["2", "0"])
        for row in self.decisions[:7] + self.decisions[8:9]:
            self.assertGreaterEqual(row["similarity"], 0.8)
        self.assertEqual(self.decisions[0]["similarity"], 1)
        self.assertAlmostEqual(self.decisions[4]["similarity"], 1 - 2 / len(ITEM.split()), places=5)
        self.assertEqual(self.decisions[7]["similarity"], 0.5)
        # Spans are in bytes and contain the planted item.
        texts = [json.loads(line)["text"] for line in self.read("train.jsonl").splitlines()]
        for i, dress in enumerate(dresses):
            spans = [texts[i].encode()[begin:end].decode() for begin, end in self.decisions[i]["spans"]]
            self.assertEqual(len(spans), 1)
            self.assertIn(spans[0], dress)
            self.assertGreater(len(spans[0]), 0.8 * len(dress.strip(" *")))
        items = self.items()
        self.assertEqual([item["documents"] for item in items], [6, 2, 1, 0])
        self.assertEqual([item["too_short"] for item in items], [False, False, False, True])
        self.assertEqual(items[2]["tokens"], 120)
        self.assertEqual(items[1]["found"][0], {"id": "5", "share": 1, "begin": self.decisions[5]["spans"][0][0],
                                                "end": self.decisions[5]["spans"][0][1]})
        self.assertEqual(self.summary["removed_against"], 9)
        self.assertEqual(self.summary["against"], {"items": 4, "found": 3, "documents": 9, "too_short": 1,
                                                   "too_short_items": ["3"], "common": 0, "bad_records": 0,
                                                   "skipped": 0, "skipped_kinds": []})
        out = result.out.decode()
        self.assertRegex(out, r"contaminated +9")
        self.assertRegex(out, r"items found +3 +of 4 items in the --against set")
        self.assertIn("1 item under 8 tokens, not searched for: 3", out)
        self.assertIn("out/against.jsonl", out)
        kept = self.read("train.jsonl").splitlines(keepends=True)[9:]
        self.assertEqual(self.read("out", "clean", "train.jsonl"), b"".join(kept))

    def test_items_inside_other_items_are_each_counted(self):
        inner = " ".join(ITEM.split()[:12])
        self.records("train.jsonl", [words(1, 20) + " " + ITEM, words(2, 20) + " " + inner])
        self.records("test.jsonl", [inner, ITEM, ITEM.upper()])
        self.dedup("--against", "test.jsonl")
        self.assertEqual([[found["id"] for found in item["found"]] for item in self.items()],
                         [["0", "1"], ["0"], ["0"]])
        self.assertEqual([row["match"] for row in self.decisions], ["0", "0"])

    def test_marked_documents_stay(self):
        self.records("train.jsonl", [ITEM + " " + words(1, 30), words(2, 30)])
        self.records("test.jsonl", [ITEM])
        result = self.dedup("--against", "test.jsonl", "--against-action", "mark", "--apply")
        self.assertEqual([row["keep"] for row in self.decisions], [True, True])
        self.assertEqual(self.decisions[0]["against"], {"match": "0", "similarity": 1, "spans": [[0, len(ITEM) - 1]]})
        self.assertIsNone(self.decisions[1]["against"])
        self.assertEqual(self.read("out", "clean", "train.jsonl"), self.read("train.jsonl"))
        self.assertRegex(result.out.decode(), r"marked +1")

    def test_the_other_set_has_its_own_fields_and_files(self):
        self.records("train.jsonl", [words(1, 30) + ITEM, CJK])
        self.records("quiz.jsonl", [ITEM], field="question")
        self.write("more.csv", "question,id\n" + CJK + ",poem\n")
        self.dedup("--against", "quiz.jsonl", "--against", "more.csv", "--against-text-field", "question",
                   "--against-id-field", "id", "--annotate")
        self.assertEqual([row["match"] for row in self.decisions], ["quiz.jsonl:quiz.jsonl-0", "more.csv:poem"])
        annotated = [json.loads(line) for line in self.read("out", "annotated", "train.jsonl").splitlines()]
        self.assertEqual([row["dup_match"] for row in annotated], ["quiz.jsonl:quiz.jsonl-0", "more.csv:poem"])
        self.assertEqual([row["dup_keep"] for row in annotated], [False, False])

    def test_the_story_of_a_document_tells_the_item(self):
        self.records("train.jsonl", [words(1, 30) + " " + ITEM] * 2 + [words(3, 30)])
        self.records("test.jsonl", [words(9, 30), words(8, 30), ITEM])
        self.dedup("--against", "test.jsonl")
        # The item has the name of a document, but is not the document.
        self.assertEqual([row["match"] for row in self.decisions], ["2", "2", None])
        out = self.run_program("explain", "--run", "out", "0").out.decode()
        self.assertIn("contains test item 2, share 1", out)
        self.assertNotIn("not a document of the run", out)
        self.assertNotIn("which is kept", out)
        self.assertIn("Text shared with the item is marked [[ ]].", out)
        self.assertIn(f"[[{ITEM[:-1]}]]?", out)
        self.assertIn(f"--- test item  2\n{ITEM}", out)
        kept = self.run_program("explain", "--run", "out", "2").out.decode()
        self.assertNotIn("test item", kept)

    def test_a_marked_document_says_so(self):
        self.records("train.jsonl", [words(1, 30) + " " + ITEM])
        self.records("test.jsonl", [ITEM])
        self.dedup("--against", "test.jsonl", "--against-action", "mark")
        out = self.run_program("explain", "--run", "out", "0").out.decode()
        self.assertIn("marked   contains test item 0", out)

    def test_refusals(self):
        self.records("train.jsonl", ["a"])
        self.records("test.jsonl", ["b"])
        self.assertIn("0.6", self.dedup("--against", "test.jsonl", "--against-share", "0.3", code=2).err)
        self.assertIn("none.jsonl", self.dedup("--against", "none.jsonl", code=3).err)
        self.run_program("dedup", "-", "--against", "-", "-o", "out2", code=2)
        for idle in (["--against-share", "0.9"], ["--against-id-field", "id"], ["--distance", "5"],
                     ["--near", "off", "--threshold", "0.7"], ["--near", "off", "--tokenizer", "chars"]):
            self.assertIn("has no effect", self.run_program("dedup", "train.jsonl", "-o", "out2", *idle, code=2).err)
        refused = self.dedup("--against", "test.jsonl", "--against-text-field", "body", code=3).err
        self.assertIn("check the input, --against-text-field, --against-id-field and --against-format;"
                      " first error: test.jsonl:1", refused)
        self.assertIn("check the input, --text-field, --id-field and --format; first error: train.jsonl:1",
                      self.dedup("--text-field", "body", code=3).err)
        self.write("empty.jsonl", "")
        self.dedup("--against", "empty.jsonl")
        self.assertEqual(self.summary["against"]["items"], 0)
        self.assertEqual(self.items(), [])


if __name__ == "__main__":
    main()
