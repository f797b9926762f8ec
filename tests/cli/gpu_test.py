"""--device cuda gives the bytes that the CPU gives. Needs a GPU."""

import json
import random
import sys

from program import TestCase, main, run

SKIPPED = 77
HAS_GPU = b"compute capability" in run("devices").out


def made_up(count, seed):
    """Documents of all sizes, many of them near-duplicates, some not ASCII, some empty."""
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


class Gpu(TestCase):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", made_up(4000, 1))

    def same(self, verb, files, *flags, device=(), least=1000):
        self.run_program(verb, "in.jsonl", "-o", "cpu", *flags)
        self.run_program(verb, "in.jsonl", "-o", "gpu", "--device", "cuda", *device, *flags)
        for name in files:
            self.assertEqual(self.read("cpu", name), self.read("gpu", name), (verb, flags, name))
        report = json.loads(self.read("gpu", "summary.json"))["run"]["device"]
        self.assertGreater(report["documents"], least)
        self.assertIn(report["bound_by"], ("reading", "staging", "cpu", "copy", "kernel"))

    def test_near_is_the_same(self):
        self.same("near", ("matches.tsv", "clusters.tsv"))

    def test_near_is_the_same_with_the_preset_of_the_hardware(self):
        self.same("near", ("matches.tsv", "clusters.tsv"), "--preset", "fpga")

    def test_near_is_the_same_in_little_memory(self):
        self.same("near", ("matches.tsv", "clusters.tsv"), "--memory", "256M", "--threads", "3",
                  device=("--device-memory", "64M"))

    def test_near_is_the_same_when_texts_are_compared(self):
        self.same("near", ("matches.tsv", "clusters.tsv"), "--verify")

    def test_dedup_is_the_same(self):
        self.same("dedup", ("decisions.jsonl", "matches.tsv", "clusters.tsv"))

    def test_dedup_by_simhash_is_the_same(self):
        self.same("dedup", ("decisions.jsonl", "matches.tsv", "clusters.tsv"), "--near", "simhash")

    def test_too_little_memory_on_the_gpu_is_refused(self):
        result = self.run_program("near", "in.jsonl", "-o", "out", "--device", "cuda", "--device-memory", "1K", code=5)
        self.assertIn("--device-memory 1.0 KiB: not enough for", result.err)


if __name__ == "__main__":
    if not HAS_GPU:
        print(f"skipped: no GPU; {sum(name.startswith('test_') for name in dir(Gpu))} tests that need one")
        sys.exit(SKIPPED)
    main()
