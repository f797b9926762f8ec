"""Shared by the tests with a device: documents, and a program whose GPU fails on request."""

import json
import os
import random
import shutil

from program import BIN_DIR, TestCase, program


def generated(count, seed):
    """Generates documents of all sizes, many of them near-duplicates, some not ASCII, some empty."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(1, 11))) for _ in range(3000)]
    texts = []
    for _ in range(count):
        if texts and rng.random() < 0.4:
            text = rng.choice(texts).split(" ")
            for _ in range(rng.randint(0, 3)):
                text[rng.randrange(len(text))] = rng.choice(words)
        else:
            text = rng.choices(words, k=rng.choice((0, 3, 20, 200, 2000)))
        text = " ".join(text)
        if rng.random() < 0.1:
            text += " naïve"
        texts.append(text)
    return "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)


class FailingCase(TestCase):
    """Runs that fail in the middle. A file names what fails, and at which call: see tests/gpu/failing.h."""

    DOCUMENTS = 1500
    FILES = {"near": ("matches.tsv", "clusters.tsv"), "dedup": ("decisions.jsonl", "matches.tsv", "clusters.tsv")}
    # The last item names a fault in a stage long after the input was read.
    RUNS = (("near", (), "join 1"), ("near", ("--verify",), "start 4"),
            ("dedup", (), "start 4"), ("dedup", ("--near", "simhash"), "join 1"))
    modules = {}  # by the file name that they get beside the program

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.program = self.path("bin", "refrain")
        shutil.copy(program(), self.program)
        for name, file in self.modules.items():
            shutil.copy(os.path.join(BIN_DIR, file), self.path("bin", name))
        self.write("in.jsonl", generated(self.DOCUMENTS, 1))

    def command(self, verb, output, *flags, code=0, fault=""):
        self.write("bin/fault", fault)
        return self.run_program(verb, "in.jsonl", "-o", output, "--threads", "3", *flags, code=code, name=self.program)

    def expect_same(self, verb, one, other, label):
        for name in self.FILES[verb]:
            self.assertEqual(self.read(one, name), self.read(other, name), (label, name))

    def expect_failures(self, faults, named):
        """Every run fails at every fault with an error that names the device; after that, the CPU gives the right
        answer."""
        for verb, flags, late in self.RUNS:
            shutil.rmtree(self.path("cpu"), ignore_errors=True)
            self.command(verb, "cpu", *flags)
            for fault in (*faults, late):
                label = (verb, flags, fault)
                before = sorted(os.listdir(self.dir))
                error = self.command(verb, "out", "--device", "cuda", *flags, code=1, fault=fault).err
                self.assertRegex(error, named, label)
                self.assertIn("run again with --device cpu", error, label)
                self.assertFalse(os.path.exists(self.path("out", "summary.json")), label)
                if verb == "near":
                    self.assertEqual(sorted(os.listdir(self.dir)), before, label)
                    continue
                # The rest can be resumed, unless it was removed because nothing had been done yet.
                for resume in (("--device", "cpu"), ("--device", "auto"), ("--device", "cuda")):
                    if os.path.exists(self.path("out")):
                        shutil.copytree(self.path("out"), self.path("again"))
                        self.command(verb, "again", "--resume", *resume, *flags)
                        resumed = json.loads(self.read("again", "summary.json"))["run"].get("resumed", [])
                        if fault.startswith("join"):
                            self.assertIn("read", resumed, label)
                        self.expect_same(verb, "again", "cpu", label)
                        shutil.rmtree(self.path("again"))
                    else:
                        self.assertFalse(fault.startswith("join"), label)
                shutil.rmtree(self.path("out"), ignore_errors=True)
