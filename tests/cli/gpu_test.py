"""--device cuda gives the same bytes as the CPU. Needs a GPU."""

import json
import sys

from device_case import FailingCase, generated
from program import TestCase, main, run

SKIPPED = 77
HAS_GPU = b"compute capability" in run("devices").out


class Gpu(TestCase):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", generated(4000, 1))

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


class FailingGpu(FailingCase):
    modules = {"librefrain_cuda.so": "gpu_failing.so", "gpu.so": "librefrain_cuda.so"}

    def test_a_gpu_that_fails_is_an_error_and_the_cpu_goes_on(self):
        self.expect_failures(("lane 2", "start 1", "wait 2"), ": .+: unspecified launch failure")


if __name__ == "__main__":
    if not HAS_GPU:
        tests = sum(name.startswith("test_") for case in (Gpu, FailingGpu) for name in dir(case))
        print(f"skipped: no GPU; {tests} tests that need one")
        sys.exit(SKIPPED)
    main()
