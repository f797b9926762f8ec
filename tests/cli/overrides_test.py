"""dedup --overrides: what people decide is obeyed, checked by a slow twin that knows only the definition."""

import json
import os
import random
import re
import shutil
import signal
import subprocess

from program import BIN_DIR, LONG, TestCase, changed, environment, jsonl, main, program, sentence, vocabulary

FAULTS = os.path.join(BIN_DIR, "faults.so")
WORLDS = 60 if LONG else 8
FLAGS = ["--id-field", "id", "--max-loss", "any", "--templates", "off", "--sample", "20",
         "--window", "3", "--alarm", "100%", "-q"]


class Corpus:
    """Clusters of a few similar texts, some of which occur several times. `documents` are pairs of id and text."""

    def __init__(self, seed, clusters=14):
        rng = random.Random(seed)
        words = vocabulary(900, seed)
        self.documents = []
        for cluster in range(clusters):
            base = sentence(rng, words, rng.randint(30, 60))
            texts = [base] + [changed(rng, base, words, rng.randint(1, 3)) for _ in range(rng.randint(0, 3))]
            if cluster % 5 == 4:
                texts = [" ".join(base.split()[:2])]  # too short to judge
            for text in texts:
                for copy in range(rng.choice((1, 1, 1, 2, 3))):
                    self.documents.append((f"c{cluster}-{len(self.documents)}-{copy}", text))
        rng.shuffle(self.documents)


def twin(documents, similar, digests, lines, longest):
    """Returns what the definition gives: for each document whether it is kept, and the person's decision about it;
    and how many decisions are stale and not found. Returns None if ids that are gone make lines contradict."""
    undone = set()
    for line in reversed(lines):
        if line["op"] == "undo" and line["seq"] not in undone:
            undone.add(line["undoes"])
    live = [line for line in lines if line["seq"] not in undone and line["op"] not in ("undo", "note")]
    by_text = {}
    for place, (_, text) in enumerate(documents):
        by_text.setdefault(digests[text], []).append(place)
    ids = {document[0] for document in documents}
    named_ids = {(named["digest"], named.get("id")) for line in lines if line["seq"] not in undone
                 for named in line.get("documents", ())}
    order = sorted(range(len(documents)), key=lambda at: (-len(documents[at][1].encode()) if longest else 0, at))

    def meant(line, named):
        copies = by_text.get(named["digest"], [])
        same = line["op"] == "never" and line["documents"][0]["digest"] == line["documents"][1]["digest"]
        if line["op"] == "never" and not same:
            return copies
        if "id" in named:
            exact = [at for at in copies if documents[at][0] == named["id"]]
            if exact or same:
                return exact
            copies = [at for at in copies if (named["digest"], documents[at][0]) not in named_ids]
        if line["op"] in ("keep", "survivor"):
            copies = [at for at in order if at in copies][:1]
        return copies

    def status(named, found):
        if found:
            return "applies"
        return "stale" if not by_text.get(named["digest"]) and named.get("id") in ids else "not_found"

    removed, pinned, first, apart, ops = set(), set(), set(), set(), {}
    counts = {"applies": 0, "stale": 0, "not_found": 0}
    for line in live:
        found = [meant(line, named) for named in line["documents"]]
        statuses = [status(named, some) for named, some in zip(line["documents"], found)]
        if line["op"] == "never":
            whole = "applies" if all(found) else "stale" if "stale" in statuses else "not_found"
            counts[whole] += 1
            if whole == "applies":
                for a in found[0]:
                    for b in found[1]:
                        apart |= {(a, b), (b, a)}
                        ops.setdefault(a, set()).add("never")
                        ops.setdefault(b, set()).add("never")
            continue
        for one, some in zip(statuses, found):
            counts[one] += 1
            for at in some:
                ops.setdefault(at, set()).add(line["op"])
                (removed if line["op"] == "remove" else pinned).add(at)
                if line["op"] == "survivor":
                    first.add(at)
    if removed & pinned:
        return None
    kept = []
    for at in sorted(order, key=lambda at: at not in first):
        def matches(before):
            if (at, before) in apart:
                return False
            a, b = documents[at][1], documents[before][1]
            return a == b or frozenset((a, b)) in similar
        if at not in removed and (at in pinned or not any(map(matches, kept))):
            kept.append(at)
    decisive = {}
    for at, some in ops.items():
        decisive[at] = next(op for op in ("remove", "survivor", "keep", "never") if op in some)
    return set(kept), decisive, counts


def random_lines(rng, documents, digests, count):
    """Returns lines that do not contradict each other."""
    lines, claims = [], {}
    for seq in range(3, 3 + 2 * count, 2):
        def name(at, with_id=None):
            ident, text = documents[at]
            named = {"digest": digests[text]}
            if rng.random() < 0.8 if with_id is None else with_id:
                named["id"] = ident
            return named
        at = rng.randrange(len(documents))
        op = rng.choice(("keep", "remove", "survivor", "never", "never", "undo", "note"))
        line = {"v": 1, "seq": seq, "op": op}
        if op == "undo":
            if not lines:
                continue
            # Taking back an undo could bring contradictions back.
            line["undoes"] = rng.choice([one["seq"] for one in lines if one["op"] != "undo"])
        elif op == "never":
            cluster = documents[at][0].split("-")[0]
            near = [other for other, (ident, _) in enumerate(documents)
                    if ident.split("-")[0] == cluster and other != at]
            if not near:
                continue
            other = rng.choice(near)
            same = documents[at][1] == documents[other][1]
            line["documents"] = [name(at, same or None), name(other, same or None)]
        else:
            line["documents"] = [name(at)]
            if rng.random() < 0.1:  # a text that is gone, with an id that is not
                line["documents"] = [{"digest": f"{rng.getrandbits(128):032x}",
                                      "id": rng.choice((documents[at][0], "none"))}]
            if op == "note":
                line["note"] = "look again"
            else:
                named = line["documents"][0]
                side = op == "remove"
                others = claims.setdefault(named["digest"], [])
                if any(other != side and (ident is None or "id" not in named or ident == named["id"])
                       for other, ident in others):
                    continue
                others.append((side, named.get("id")))
        lines.append(line)
    return lines


class Overrides(TestCase):
    def digests_of(self, *inputs):
        """Returns the digest of each text, by id."""
        self.run_program("dedup", *inputs, "-o", "texts", "--id-field", "id", "--near", "off", "-q", "--force")
        exported = self.run_program("library", "export", "texts/library").out.decode().splitlines()
        return {row["id"]: row["digest"] for row in map(json.loads, exported)}

    def rows(self, folder):
        return [json.loads(line) for line in self.read(folder, "decisions.jsonl").splitlines()]

    def summary(self, folder):
        return json.loads(self.read(folder, "summary.json"))

    def lines(self, name, *lines):
        return self.write(name, "".join(json.dumps({"v": 1, "seq": at + 1, **line}) + "\n"
                                        for at, line in enumerate(lines)))

    def small(self):
        """Four versions of a text, of which the first two are the same, and another text."""
        rng = random.Random(3)
        words = vocabulary(500)
        base = sentence(rng, words, 60)
        near = [changed(rng, base, words, 1) for _ in range(2)]
        texts = [base, base, *near, sentence(rng, words, 60)]
        self.write("in.jsonl", jsonl(texts, id=lambda at: "abcde"[at]))
        digests = self.digests_of("in.jsonl")
        digests["b"] = digests["a"]
        return lambda *ids: [{"digest": digests[one[0]], **({} if one.endswith("*") else {"id": one})} for one in ids]

    def decided(self, *lines, flags=()):
        """Runs dedup with these lines. Returns what is kept, and the reasons of the others."""
        self.lines("people.jsonl", *lines)
        self.run_program("dedup", "in.jsonl", "-o", "out", "--overrides", "people.jsonl", "--force", *FLAGS, *flags)
        rows = self.rows("out")
        kept = "".join(row["id"] for row in rows if row["keep"])
        return kept, {row["id"]: row["reason"] for row in rows if not row["keep"]}


class Twin(Overrides):
    def test_random_decisions_are_obeyed_in_any_order_and_under_any_names(self):
        decisions = refused = missed = 0
        for seed in range(WORLDS):
            rng = random.Random(1000 + seed)
            corpus = Corpus(seed).documents
            self.write("base.jsonl", jsonl([text for _, text in corpus], id=lambda at: corpus[at][0]))
            texts = dict(corpus)
            digests = {texts[ident]: digest for ident, digest in self.digests_of("base.jsonl").items()}
            self.run_program("dedup", "base.jsonl", "-o", "base", "--force", *FLAGS)
            similar = set()
            for row in self.read("base", "matches.tsv").decode().splitlines()[1:]:
                first, second, _ = row.split("\t")
                similar.add(frozenset((texts[first], texts[second])))
            lines = random_lines(rng, corpus, digests, 40)
            self.write("people.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

            shuffled = rng.sample(corpus, len(corpus))
            renamed = 0 if seed % 2 == 0 else 0.3
            shuffled = [("new-" + ident if rng.random() < renamed else ident, text) for ident, text in shuffled]
            shutil.rmtree(self.path("in"), ignore_errors=True)
            shards = sorted(rng.sample(range(1, len(shuffled)), rng.randint(0, 3)))
            for shard, (begin, end) in enumerate(zip([0, *shards], [*shards, len(shuffled)])):
                part = shuffled[begin:end]
                self.write(f"in/{shard}.jsonl", jsonl([text for _, text in part], id=lambda at, part=part: part[at][0]))
            longest = seed % 3 == 1
            command = ["dedup", "in", "-o", "out", "--overrides", "people.jsonl", "--force", *FLAGS,
                       "--threads", str(seed % 3 + 1), *(["--keep", "longest"] if longest else [])]
            expected = twin(shuffled, similar, digests, lines, longest)
            if expected is None:
                refused += 1
                self.assertIn("contradicts", self.run_program(*command, code=3).err)
                continue
            self.run_program(*command)
            kept, decisive, counts = expected
            rows = self.rows("out")
            self.assertEqual([row["id"] for row in rows], [ident for ident, _ in shuffled])
            self.assertEqual({at for at, row in enumerate(rows) if row["keep"]}, kept, seed)
            self.assertEqual({at: row["override"]["op"] for at, row in enumerate(rows) if "override" in row}, decisive)
            for at, row in enumerate(rows):
                self.assertEqual(row["reason"] == "overridden", decisive.get(at) == "remove")
            report = self.summary("out")
            self.assertEqual([report["overrides"][name] for name in ("applied", "stale", "not_found")],
                             [counts[name] for name in ("applies", "stale", "not_found")])
            self.assertEqual(report["kept"], len(kept))
            if self.summary("base")["check"]["missed"] == 0:  # what people separate or keep is not missed
                self.assertEqual(report["check"]["missed"], 0, seed)
            decisions += report["overrides"]["applied"]
            missed += report["overrides"]["stale"] + report["overrides"]["not_found"]
        self.assertGreater(decisions, 15 * WORLDS)
        self.assertGreater(missed, 0)
        self.assertLess(refused, WORLDS // 2)

    def test_the_answer_does_not_depend_on_threads(self):
        corpus = Corpus(99).documents
        self.write("in.jsonl", jsonl([text for _, text in corpus], id=lambda at: corpus[at][0]))
        texts = dict(corpus)
        digests = {texts[ident]: digest for ident, digest in self.digests_of("in.jsonl").items()}
        lines = random_lines(random.Random(4), corpus, digests, 60)
        self.write("people.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        answers = []
        for threads in ("1", "2", "8"):
            self.run_program("dedup", "in.jsonl", "-o", "out", "--overrides", "people.jsonl", "--apply", "--annotate",
                             "--threads", threads, "--force", *FLAGS)
            answers.append([self.read("out", name) for name in ("decisions.jsonl", "matches.tsv", "clusters.tsv",
                                                                "clean/in.jsonl", "annotated/in.jsonl")])
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])


class Rules(Overrides):
    def test_each_operation_does_what_the_guide_says(self):
        of = self.small()
        near = {"b": "exact", "c": "near", "d": "near"}
        self.assertEqual(self.decided(), ("ae", near))
        self.assertEqual(self.decided({"op": "note", "documents": of("c"), "note": "?"}), ("ae", near))
        # keep: what ranks before it stays.
        self.assertEqual(self.decided({"op": "keep", "documents": of("c")}), ("ace", {"b": "exact", "d": "near"}))
        self.assertEqual(self.decided({"op": "keep", "documents": of("b")}), ("abe", {"c": "near", "d": "near"}))
        self.assertEqual(self.decided({"op": "keep", "documents": of("b*")}), ("ae", near))
        # survivor: what it matches goes, also copies of the first text.
        self.assertEqual(self.decided({"op": "survivor", "documents": of("d")}),
                         ("de", {"a": "near", "b": "near", "c": "near"}))
        self.assertEqual(self.decided({"op": "survivor", "documents": of("b")}),
                         ("be", {"a": "exact", "c": "near", "d": "near"}))
        self.assertEqual(self.decided({"op": "survivor", "documents": of("c", "d")}),
                         ("cde", {"a": "near", "b": "near"}))
        # remove: by id one copy, without an id the text; nothing goes because of it.
        self.assertEqual(self.decided({"op": "remove", "documents": of("a")}),
                         ("be", {"a": "overridden", "c": "near", "d": "near"}))
        self.assertEqual(self.decided({"op": "remove", "documents": of("a*")}),
                         ("ce", {"a": "overridden", "b": "overridden", "d": "near"}))
        self.assertEqual(self.decided({"op": "remove", "documents": of("e")}), ("a", {**near, "e": "overridden"}))
        # never: the pair alone.
        self.assertEqual(self.decided({"op": "never", "documents": of("a*", "c")}),
                         ("ace", {"b": "exact", "d": "near"}))
        self.assertEqual(self.decided({"op": "never", "documents": of("b", "a")}), ("abe", {"c": "near", "d": "near"}))
        self.assertEqual(self.decided({"op": "keep", "documents": of("c")}, {"op": "undo", "undoes": 1}), ("ae", near))

    def test_the_outputs_name_the_person(self):
        of = self.small()
        self.decided({"op": "remove", "documents": of("e"), "by": "ann"}, {"op": "keep", "documents": of("c")},
                     {"op": "keep", "documents": [{"digest": "0" * 32, "id": "d"}]},
                     {"op": "remove", "documents": [{"digest": "1" * 32, "id": "zz"}]}, flags=["--annotate"])
        rows = {row["id"]: row for row in self.rows("out")}
        self.assertEqual(rows["e"]["override"], {"op": "remove", "seq": 1, "by": "ann"})
        self.assertEqual((rows["e"]["match"], rows["e"]["similarity"]), (None, None))
        self.assertEqual(rows["c"]["override"], {"op": "keep", "seq": 2, "by": ""})
        self.assertNotIn("override", rows["a"])
        report = self.summary("out")
        self.assertEqual(report["overrides"], {
            "decisions": 4, "applied": 2, "stale": 1, "not_found": 1, "kept": 1, "removed": 1,
            "missed": [{"seq": 3, "op": "keep", "id": "d", "status": "stale"},
                       {"seq": 4, "op": "remove", "id": "zz", "status": "not_found"}]})
        self.assertEqual(report["options"]["overrides"], "people.jsonl")
        page = self.read("out", "report.html").decode()
        self.assertIn("2 of 4 decisions obeyed; 1 document kept, 1 removed", page)
        annotated = [json.loads(line) for line in self.read("out", "annotated", "in.jsonl").splitlines()]
        self.assertEqual([row["dup_reason"] for row in annotated], [None, "exact", None, "near", "overridden"])
        told = self.run_program("explain", "e", "--run", "out").out.decode()
        self.assertIn("why      a person removed it", told)
        self.assertIn("person   remove by ann (override 1)", told)
        self.assertIn("why      a person kept it", self.run_program("explain", "c", "--run", "out").out.decode())
        told = json.loads(self.run_program("explain", "c", "--run", "out", "--json").out)
        self.assertEqual(told["override"], {"op": "keep", "seq": 2, "by": ""})
        result = self.run_program("dedup", "in.jsonl", "-o", "out", "--overrides", "people.jsonl", "--force",
                                  *FLAGS[:-1])
        self.assertRegex(result.out.decode(), r"decided by people +2  of 4 decisions; 1 document kept, 1 removed")
        self.assertIn("override 3 (keep d) was not obeyed: the text has changed since", result.err)
        self.assertIn("override 4 (remove zz) was not obeyed: no such text", result.err)

    def test_a_file_without_decisions_changes_nothing_but_its_mention(self):
        self.small()
        self.write("empty.jsonl", "\n")
        flags = ["--apply", "--annotate", "--attributes", "dolma", "--id-field", "id", "--substrings", "60", "-q"]
        answers = []
        for more in ([], ["--overrides", "empty.jsonl"]):
            self.run_program("dedup", "in.jsonl", "-o", "out", *flags, *more)
            answers.append({})
            for above, _, names in os.walk(self.path("out")):
                for name in names:
                    path = os.path.relpath(os.path.join(above, name), self.path("out"))
                    answers[-1][path] = self.read("out", path)
            shutil.rmtree(self.path("out"))
        summaries = [json.loads(answer.pop("summary.json")) for answer in answers]
        pages = [answer.pop("report.html") for answer in answers]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(summaries[1]["options"].pop("overrides"), "empty.jsonl")
        self.assertEqual(summaries[1].pop("overrides")["decisions"], 0)
        for summary in summaries:
            del summary["run"]
        self.assertEqual(summaries[0], summaries[1])
        cost = rb'(?s)<section aria-labelledby="(cost|options)">.*?</section>'
        self.assertEqual(*(re.sub(cost, b"", page) for page in pages))

    def test_resume_knows_the_decisions_by_their_content(self):
        if not os.path.exists(FAULTS):
            self.skipTest(f"{FAULTS}: not built; a sanitizer's library wants to be loaded first")
        of = self.small()
        self.lines("people.jsonl", {"op": "keep", "documents": of("c")})
        command = ["dedup", "in.jsonl", "-o", "out", "--overrides", "people.jsonl", *FLAGS]
        folder = os.path.realpath(self.dir)
        done = subprocess.run([program(), *command], cwd=folder, capture_output=True, check=False,
                              env=environment(LD_PRELOAD=FAULTS, FAULTS_FOLDER=folder, FAULTS_AT="1",
                                              FAULTS_ONLY=f"write {folder}/out/report.html"))
        self.assertEqual(done.returncode, -signal.SIGKILL)
        os.rename(self.path("people.jsonl"), self.path("moved.jsonl"))
        command[command.index("people.jsonl")] = "moved.jsonl"
        people = self.read("moved.jsonl")
        self.lines("moved.jsonl", {"op": "keep", "documents": of("d")})
        self.assertIn("overrides", self.run_program(*command, "--resume", code=2).err)
        self.write("moved.jsonl", people)
        self.run_program(*command, "--resume")
        self.assertEqual([row["id"] for row in self.rows("out") if row["keep"]], ["a", "c", "e"])
        self.assertIn("overrides", self.summary("out")["run"]["resumed"])

    def test_bad_files_end_the_run_before_anything_is_written(self):
        of = self.small()
        self.lines("people.jsonl", {"op": "keep", "documents": of("c")}, {"op": "remove", "documents": of("c*")})
        result = self.run_program("dedup", "in.jsonl", "-o", "out", "--overrides", "people.jsonl", *FLAGS, code=3)
        self.assertIn("people.jsonl:2: 'remove' contradicts 'keep' in people.jsonl:1; undo one of them", result.err)
        self.write("people.jsonl", "{}\n")
        result = self.run_program("dedup", "in.jsonl", "-o", "out", "--overrides", "people.jsonl", *FLAGS, code=3)
        self.assertIn("people.jsonl:1: no field 'v'; correct the line or take it out", result.err)
        self.run_program("dedup", "in.jsonl", "-o", "out", "--overrides", "gone.jsonl", *FLAGS, code=3)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_people_come_before_other_reasons(self):
        of = self.small()
        item = " ".join(json.loads(self.read("in.jsonl").splitlines()[2])["text"].split()[5:40])
        self.write("test.jsonl", jsonl([item]))
        against = ["--against", "test.jsonl"]
        self.assertEqual(self.decided(flags=against)[0], "e")
        self.assertEqual(self.decided({"op": "keep", "documents": of("c")}, flags=against)[0], "ce")
        self.assertEqual(self.decided({"op": "survivor", "documents": of("c")}, flags=against)[0], "e")
        # A document that people keep is not cut.
        for lines in ([], [{"op": "keep", "documents": of("d")}]):
            self.lines("people.jsonl", *lines)
            self.run_program("dedup", "in.jsonl", "-o", "out", "--overrides", "people.jsonl", "--force", "--id-field",
                             "id", "--near", "off", "--substrings", "40", "-q")
            self.assertEqual([row["spans"] == [] for row in self.rows("out") if row["keep"]],
                             [True, False, bool(lines), True])


class Library(Overrides):
    def test_decisions_about_known_documents_hold_next_month(self):
        of = self.small()
        whole = self.read("in.jsonl").splitlines(keepends=True)
        self.write("january.jsonl", whole[0] + whole[4])
        self.write("february.jsonl", b"".join(whole[1:4]))

        def months(*lines):
            shutil.rmtree(self.path("library"), ignore_errors=True)
            self.run_program("dedup", "january.jsonl", "-o", "one", "--library", "library", "--force", *FLAGS)
            self.lines("people.jsonl", *lines)
            self.run_program("dedup", "february.jsonl", "-o", "two", "--library", "library", "--overrides",
                             "people.jsonl", "--force", *FLAGS)
            return {row["id"]: row["reason"] for row in self.rows("two")}
        self.assertEqual(months(), {"b": "exact", "c": "near", "d": "near"})
        # Nothing goes because of a document that people removed: next month, too.
        self.assertEqual(months({"op": "remove", "documents": of("a")}), {"b": None, "c": "near", "d": "near"})
        self.assertEqual(months({"op": "remove", "documents": of("a*")}),
                         {"b": "overridden", "c": None, "d": "near"})
        self.assertEqual(months({"op": "never", "documents": of("a", "c")}), {"b": "exact", "c": None, "d": "near"})
        self.assertEqual(months({"op": "never", "documents": of("a", "b")}), {"b": None, "c": "near", "d": "near"})
        self.assertEqual(months({"op": "keep", "documents": of("d")}), {"b": "exact", "c": "near", "d": None})
        # The library has this text already.
        self.assertEqual(months({"op": "keep", "documents": of("b")}), {"b": "exact", "c": "near", "d": "near"})
        self.assertEqual(self.summary("two")["overrides"]["applied"], 1)
        self.assertEqual(months({"op": "remove", "documents": of("e")}), {"b": "exact", "c": "near", "d": "near"})
        self.assertEqual(self.summary("two")["overrides"]["applied"], 1)


class Verbs(Overrides):
    def test_check_lists_what_each_decision_would_do(self):
        of = self.small()
        self.run_program("dedup", "in.jsonl", "-o", "out", *FLAGS)
        self.lines("people.jsonl", {"op": "keep", "documents": of("c")}, {"op": "remove", "documents": of("a*")},
                   {"op": "never", "documents": of("a", "d")}, {"op": "undo", "undoes": 1},
                   {"op": "keep", "documents": [{"digest": "0" * 32, "id": "d"}]},
                   {"op": "keep", "documents": [{"digest": "0" * 32}]})
        a = of("a*")[0]["digest"]
        self.assertEqual(self.run_program("overrides", "check", "people.jsonl", "--run", "out").out.decode(), (
            f"     2  remove    applies    {a}  (2 documents)\n"
            "     3  never     applies    a, d  (3 documents)\n"
            "     5  keep      stale      d\n"
            f"     6  keep      not found  {'0' * 32}\n"
            "4 decisions: 2 apply, 1 stale, 1 not found\n"))
        told = json.loads(self.run_program("overrides", "check", "people.jsonl", "--run", "out", "--json").out)
        self.assertEqual((told["applies"], told["stale"], told["not_found"]), (2, 1, 1))
        self.assertEqual(told["decisions"][1], {"seq": 3, "op": "never", "status": "applies", "found": 3,
                                                "documents": of("a", "d")})
        self.lines("people.jsonl", {"op": "keep", "documents": of("c")}, {"op": "remove", "documents": of("c")})
        result = self.run_program("overrides", "check", "people.jsonl", "--run", "out", code=3)
        self.assertIn("people.jsonl:2: 'remove' contradicts 'keep' in people.jsonl:1", result.err)
        self.run_program("overrides", "check", "people.jsonl", "--run", "nowhere", code=3)
        self.run_program("overrides", "check", "people.jsonl", code=2)

    def test_merge_writes_one_file(self):
        of = self.small()
        self.lines("a.jsonl", {"op": "keep", "documents": of("c")}, {"op": "undo", "undoes": 1})
        self.lines("b.jsonl", {"op": "keep", "documents": of("c")}, {"op": "remove", "documents": of("d")},
                   {"op": "undo", "undoes": 2})
        merged = self.run_program("overrides", "merge", "a.jsonl", "b.jsonl").out
        self.assertEqual([json.loads(line) for line in merged.splitlines()], [
            {"v": 1, "seq": 1, "op": "keep", "documents": of("c")}, {"v": 1, "seq": 2, "op": "undo", "undoes": 1},
            {"v": 1, "seq": 3, "op": "remove", "documents": of("d")}, {"v": 1, "seq": 4, "op": "undo", "undoes": 3}])
        self.run_program("overrides", "merge", "a.jsonl", "b.jsonl", "-o", "both.jsonl")
        self.assertEqual(self.read("both.jsonl"), merged)
        result = self.run_program("overrides", "merge", "a.jsonl", "b.jsonl", "-o", "both.jsonl", code=2)
        self.assertIn("both.jsonl: already exists; choose another --output", result.err)
        self.lines("a.jsonl", {"op": "keep", "documents": of("d")})
        self.lines("b.jsonl", {"op": "remove", "documents": of("d")})
        result = self.run_program("overrides", "merge", "a.jsonl", "b.jsonl", "-o", "new.jsonl", code=3)
        self.assertIn("b.jsonl:1: 'remove' contradicts 'keep' in a.jsonl:1; undo one of them", result.err)
        self.assertFalse(os.path.exists(self.path("new.jsonl")))


if __name__ == "__main__":
    main()
