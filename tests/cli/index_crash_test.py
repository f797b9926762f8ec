"""The state of an index after its writer was killed, the disk failed, or its files were damaged."""

import concurrent.futures
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import time

from index_case import WORDS, Index
from program import BIN_DIR, LONG, TIME_FACTOR, environment, main, program, say, sentence

KILLS = 200 if LONG else 40
FAULTS = os.path.join(BIN_DIR, "faults.so")
LAYOUT = ["--id-field", "id", "--store-text", "--shards", "2"]
WORKERS = 2


def records(documents):
    return "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in documents)


def damage(path, place):
    """Flips a bit of a file; calling it again restores the file."""
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 4]))


class Verb:
    """A verb that writes, and the documents before and after it."""

    def __init__(self, name, arguments, before, after):
        self.name, self.arguments, self.before, self.after = name, arguments, before, after
        self.again = name in ("create", "replace", "merge")  # the verb can be repeated

    def line(self, folder, inputs):
        words = [os.path.join(inputs, word) if word.endswith((".jsonl", ".txt")) else word for word in self.arguments]
        return ["index", words[0], os.path.join(folder, "index"), *words[1:], "-q"]


class Crash(Index):
    """An index of several segments, some of whose documents are removed, and the verbs that change it."""

    def setUp(self):
        super().setUp()
        self.dir = os.path.realpath(self.dir)
        self.rng = random.Random(11)
        self.answers = {}

    def generated(self, first, count):
        """Generates documents in pairs with equal texts."""
        texts = [sentence(self.rng, WORDS, self.rng.randint(15, 50)) for _ in range((count + 1) // 2)]
        return [(f"d{first + i}", texts[i // 2]) for i in range(count)]

    def prepare(self, many, few):
        """Makes a folder "base" with the index, and the verbs. The first segment has `many` documents, the others
        `few`."""
        inputs = [self.generated(0, many)]
        self.write("0.jsonl", records(inputs[0]))
        os.makedirs(self.path("base"))
        self.run_program("index", "create", "base/index", "0.jsonl", *LAYOUT, "-q")
        for i in range(1, 8):
            inputs.append(self.generated(1000 * i, few))
            self.write(f"{i}.jsonl", records(inputs[i]))
            self.run_program("index", "add", "base/index", f"{i}.jsonl", "--id-field", "id", "-q")
        first_gone = {inputs[0][1][0], inputs[3][0][0]}
        self.run_program("index", "remove", "base/index", *first_gone, "-q")
        self.generation = self.stats("base/index")["generation"]
        before = [row for documents in inputs for row in documents if row[0] not in first_gone]

        added = self.generated(9000, few)
        replaced = [(name, sentence(self.rng, WORDS, 20)) for name, _ in self.rng.sample(before, few)]
        replaced += self.generated(10000, 2)
        gone = [name for name, _ in self.rng.sample(before, few)]
        self.write("added.jsonl", records(added))
        self.write("replaced.jsonl", records(replaced))
        self.write("gone.txt", "".join(name + "\n" for name in gone))
        self.write("extra.jsonl", records([("extra", "one more document")]))
        new_names = {name for name, _ in replaced}
        return [
            Verb("create", ["create", "0.jsonl", *LAYOUT], None, inputs[0]),
            Verb("add", ["add", "added.jsonl", "--id-field", "id"], before, before + added),
            Verb("replace", ["add", "replaced.jsonl", "--id-field", "id", "--replace"], before,
                 [row for row in before if row[0] not in new_names] + replaced),
            Verb("remove", ["remove", "--ids", "gone.txt"], before, [row for row in before if row[0] not in gone]),
            Verb("merge", ["merge"], before, before),
        ]

    def blots_of(self, index):
        return self.run_program("index", "blots", index, "--min-documents", "1", "-q").out

    def answer(self, index):
        """Returns everything the index knows about its documents: every blot with its documents, and the recurring
        passages with their texts."""
        return self.blots_of(index), self.run_program("index", "extract", index, "-q").out

    def answer_of(self, documents):
        """Returns the same for an index that was created in one step."""
        key = records(documents)
        if key not in self.answers:
            name = f"model-{len(self.answers)}"
            self.write(f"{name}.jsonl", key)
            self.create(f"{name}.jsonl", *LAYOUT, index=name)
            self.answers[key] = self.answer(name)
            self.assertIn(documents[0][0].encode(), self.answers[key][0])
        return self.answers[key]

    def prepare_answers(self, verbs):
        for verb in verbs:
            for documents in (verb.before, verb.after):
                if documents is not None:
                    self.answer_of(documents)
                    self.answer_of(documents + [("extra", "one more document")])

    def assert_no_litter(self, folder):
        """The folder contains only the index, and the index only what its manifest names."""
        self.assertEqual(os.listdir(folder), ["index"])
        index = os.path.join(folder, "index")
        named = {"manifest": None, "lock": None}
        with open(os.path.join(index, "manifest"), encoding="utf-8") as manifest:
            for words in map(str.split, manifest):
                if words[0] == "segment":
                    named[f"{int(words[1]):06}"] = words
                elif words[0] == "removed":
                    named[f"{int(words[1]):06}-{int(words[2]):06}.removed"] = None
        self.assertEqual(sorted(os.listdir(index)), sorted(named))
        for name, words in named.items():
            if words is not None:
                files = ({"documents.bin", "posts-00.bin", "posts-01.bin"}
                         | ({"texts.bin"} if words[-1] != "-" else set()))
                self.assertEqual(set(os.listdir(os.path.join(index, name))), files)

    def fresh(self, verb, name):
        """Makes a folder for one run of a verb, with the index in it unless the verb creates it."""
        folder = self.path("runs", name)
        os.makedirs(self.path("runs"), exist_ok=True)
        if verb.before is None:
            os.makedirs(folder)
        else:
            shutil.copytree(self.path("base"), folder)
        return folder

    def assert_one_commit(self, verb, folder, done, label):
        """Checks that the index is as it was before the verb, or after it (if `done`, after it). Returns whether it
        is after, or None if there is no index."""
        index = os.path.join(folder, "index")
        if verb.before is None and not done and not os.path.exists(index):
            return None
        self.run_program("index", "check", index)
        after = self.stats(index)["generation"] - (0 if verb.before is None else self.generation)
        self.assertIn(after, (1,) if done or verb.before is None else (0, 1), label)
        self.assertTrue(self.answer(index) == self.answer_of(verb.after if after else verb.before), label)
        return after == 1

    def assert_can_continue(self, verb, folder, after, label):
        """The verb can be run again if it has not been done, documents can be added to the index, and nothing is left
        over."""
        line = verb.line(folder, self.dir)
        if after is None or not after or (verb.again and verb.before is not None):
            self.run_program(*line)
        self.run_program("index", "add", os.path.join(folder, "index"), "extra.jsonl", "--id-field", "id", "-q")
        self.assert_no_litter(folder)
        found = self.blots_of(os.path.join(folder, "index"))
        self.assertTrue(found == self.answer_of(verb.after + [("extra", "one more document")])[0], label)
        shutil.rmtree(folder)

    def each(self, work, items):
        """Calls work(*item) for all items, several at a time, and reports all failures."""
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            failures = [done.exception() for done in [pool.submit(work, *item) for item in items]]
        failures = [repr(failure) for failure in failures if failure is not None]
        self.assertEqual(len(failures), 0, "\n".join(failures[:20]))


class Killed(Crash):
    def test_the_last_commit_outlives_a_kill_at_any_moment(self):
        verbs = self.prepare(200, 10)
        self.prepare_answers(verbs)
        moments = []
        for verb in verbs:
            seconds = []
            for i in range(3):
                folder = self.fresh(verb, f"{verb.name}-measured-{i}")
                start = time.monotonic()
                self.run_program(*verb.line(folder, self.dir))
                seconds.append(time.monotonic() - start)
                shutil.rmtree(folder)
            count = KILLS // len(verbs)
            moments += [(verb, i, (i + self.rng.random()) / count * min(seconds) * 1.1) for i in range(count)]
        ends = []

        def kill(verb, number, seconds):
            folder = self.fresh(verb, f"{verb.name}-{number}")
            with subprocess.Popen([program(), *verb.line(folder, self.dir)], cwd=self.dir, env=environment(),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(seconds)
                process.kill()
            label = f"{verb.name} killed after {seconds:.4f} s"
            self.assertIn(process.returncode, (0, -signal.SIGKILL), label)
            after = self.assert_one_commit(verb, folder, process.returncode == 0, label)
            self.assert_can_continue(verb, folder, after, label)
            ends.append((process.returncode == 0, bool(after)))

        self.each(kill, moments)
        self.assertEqual(len(ends), KILLS)
        killed = [after for done, after in ends if not done]
        say(f"{len(killed)} of {KILLS} were killed at work, {sum(killed)} of them behind their commit")
        self.assertGreater(len(killed), 0)


def some_of(calls):
    """All of them in the long form, else every third."""
    return calls if LONG else calls[::3]


class Faults(Crash):
    """Every call that changes the index fails, or is the last one before the program is killed."""

    def setUp(self):
        super().setUp()
        if not os.path.exists(FAULTS):
            self.skipTest(f"{FAULTS}: not built; a sanitizer's library wants to be loaded first")
        self.verbs = self.prepare(12, 4)
        self.prepare_answers(self.verbs)

    def run_faulty(self, line, folder, **settings):
        more = {f"FAULTS_{key}": str(value) for key, value in settings.items()}
        done = subprocess.run([program(), *line], cwd=self.dir, capture_output=True, timeout=60 * TIME_FACTOR,
                              check=False, env=environment(LD_PRELOAD=FAULTS, FAULTS_FOLDER=folder, **more))
        return done.returncode, done.stderr.decode()

    def calls(self, verb):
        """Returns the calls that a verb makes if nothing fails."""
        folder = self.fresh(verb, f"{verb.name}-counted")
        code, err = self.run_faulty(verb.line(folder, self.dir), folder, LOG=self.path("log"))
        self.assertEqual((code, err), (0, ""))
        calls = self.read("log").decode().splitlines()
        os.remove(self.path("log"))
        shutil.rmtree(folder)
        self.assertGreater(sum(call.startswith("fsync ") for call in calls), 2, calls)
        self.assertEqual(sum(call.startswith("rename ") for call in calls), 2 if verb.name == "create" else 1, calls)
        return [(number, call.replace(folder, "")) for number, call in enumerate(calls, 1)]

    def test_a_call_that_fails_is_a_clean_error(self):
        items = []
        for verb in self.verbs:
            for number, call in self.calls(verb):
                items.append((verb, number, call, (errno.ENOSPC, errno.EIO)[number % 2]))
        items = some_of(items)
        say(f"{len(items)} calls")

        def fail(verb, number, call, error):
            folder = self.fresh(verb, f"{verb.name}-{number}")
            label = f"{verb.name}, call {number}, {call}: {errno.errorcode[error]}"
            code, err = self.run_faulty(verb.line(folder, self.dir), folder, AT=number, ERRNO=error)
            # A failed cleanup is not an error: the next writer does it.
            self.assertIn(code, (0, 1, 5) if call.startswith("unlink ") else (1, 5), f"{label}: {err}")
            self.assertRegex(err, r"^refrain: [^\n]+\n$" if code != 0 else r"^$", label)
            after = self.assert_one_commit(verb, folder, code == 0, f"{label}: {err}")
            self.assert_can_continue(verb, folder, after, label)

        self.each(fail, items)

    def test_a_call_that_is_the_last_leaves_the_last_commit(self):
        def end(verb, number, call):
            folder = self.fresh(verb, f"{verb.name}-{number}")
            label = f"{verb.name}, killed at call {number}, {call}"
            code, err = self.run_faulty(verb.line(folder, self.dir), folder, AT=number)
            self.assertEqual((code, err), (-signal.SIGKILL, ""), label)
            after = self.assert_one_commit(verb, folder, False, label)
            self.assert_can_continue(verb, folder, after, label)

        # Of the cleanup calls after the commit, a sample is enough.
        self.each(end, some_of([(verb, number, call) for verb in self.verbs for number, call in self.calls(verb)
                                if number % 5 == 0 or not call.startswith("unlink ")]))

    def test_a_repair_that_fails_can_be_done_again(self):
        merge = self.verbs[-1]
        damage(self.path("base", "index", "000001", "posts-00.bin"), 5000)
        before = self.answer_of(merge.before)
        line = ["index", "check", "--repair", "-q"]
        folder = self.fresh(merge, "counted")
        self.assertEqual(self.run_faulty([*line, folder + "/index"], folder, LOG=self.path("log"))[0], 0)
        calls = self.read("log").decode().splitlines()
        self.assertGreater(len(calls), 10)

        def fail(number, call):
            for error in (errno.ENOSPC, 0):  # 0: killed
                folder = self.fresh(merge, f"{number}-{error}")
                label = f"repair, call {number}, {call}: {errno.errorcode.get(error, 'killed')}"
                code, err = self.run_faulty([*line, folder + "/index"], folder, AT=number, ERRNO=error)
                if error == 0:
                    self.assertEqual(code, -signal.SIGKILL, label)
                else:
                    self.assertIn(code, (0, 1, 5) if call.startswith("unlink ") else (1, 5), f"{label}: {err}")
                self.run_program(*line, folder + "/index")
                self.run_program("index", "check", folder + "/index")
                self.assertTrue(self.answer(folder + "/index") == before, label)
                self.run_program("index", "merge", folder + "/index", "-q")
                self.assert_no_litter(folder)
                shutil.rmtree(folder)

        self.each(fail, some_of(list(enumerate(calls, 1))))


class Damaged(Crash):
    """Damage as the program reports it; damage_test.cc tests every kind of damage."""

    def test_damage_is_named_never_served_and_mended(self):
        [_, _, _, _, merge] = self.prepare(60, 6)
        before = self.answer_of(merge.before)
        index = self.path("base", "index")
        files = [os.path.join(folder, name) for folder, _, names in os.walk(index) for name in names if name != "lock"]
        self.write("question", merge.before[0][1])
        questions = [["stats", index], ["extract", index, "-q"], ["query", index, "question", "-q"],
                     ["blots", index, "--min-documents", "1", "-q"]]
        right = [self.run_program("index", *question).out for question in questions]
        for path in self.rng.sample(sorted(files), 8) + [os.path.join(index, "manifest")]:
            place = self.rng.randrange(os.path.getsize(path))
            damage(path, place)
            result = self.run_program("index", "check", index, code=4)
            self.assertIn(path, result.err, place)
            for question, answer in zip(questions, right):
                done = subprocess.run([program(), "index", *question], cwd=self.dir, capture_output=True,
                                      timeout=60 * TIME_FACTOR, check=False, env=environment())
                self.assertIn(done.returncode, (0, 4), done.stderr)
                if done.returncode == 0:
                    self.assertEqual(done.stdout, answer, (question, path, place))
                else:
                    self.assertRegex(done.stderr.decode(), rf"^refrain: {path}: [^\n]+\n$")
            damage(path, place)
        self.assertEqual([self.run_program("index", *question).out for question in questions], right)

        damage(os.path.join(index, "000001", "posts-01.bin"), 100)
        self.assertIn("posts-01.bin", self.run_program("index", "check", index, "--repair").err)
        self.run_program("index", "check", index)
        self.assertEqual(self.answer(index), before)


if __name__ == "__main__":
    main()
