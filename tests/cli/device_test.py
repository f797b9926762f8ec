"""--device without a GPU: clear errors, nothing left behind, and `auto` uses the CPU. With a stand-in that computes
on the CPU: the same bytes, and clear errors when it fails."""

import json
import os
import unittest

from device_case import FailingCase
from program import TestCase, main, run

HAS_GPU = b"compute capability" in run("devices").out


@unittest.skipIf(HAS_GPU, "there is a GPU")
class WithoutDevice(TestCase):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "one two three four\none two three four\nsomething else is here\n")

    def test_devices_says_why_there_are_none(self):
        self.assertRegex(self.run_program("devices").out.decode(), r"\ANo GPU: .+\n\Z")
        listed = json.loads(self.run_program("devices", "--json").out)
        self.assertEqual(listed["devices"], [])
        self.assertTrue(listed["missing"])

    def test_a_gpu_that_is_asked_for_and_not_there_is_an_error_that_leaves_nothing(self):
        missing = json.loads(self.run_program("devices", "--json").out)["missing"]
        for verb in ("near", "dedup"):
            result = self.run_program(verb, "in.txt", "-o", "out", "--device", "cuda", code=3)
            self.assertIn(f"--device cuda: {missing}; use --device cpu", result.err)
            self.assertFalse(os.path.exists(self.path("out")))

    def test_auto_goes_on_with_the_cpu(self):
        for verb in ("near", "dedup"):
            self.run_program(verb, "in.txt", "--format", "lines", "-o", f"{verb}.cpu")
            self.run_program(verb, "in.txt", "--format", "lines", "-o", f"{verb}.auto", "--device", "auto")
            self.assertEqual(self.read(f"{verb}.cpu", "matches.tsv"), self.read(f"{verb}.auto", "matches.tsv"))
            self.assertNotIn("device", json.loads(self.read(f"{verb}.auto", "summary.json"))["run"])


class Flags(TestCase):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "one two three four\n")

    def refusal(self, *arguments, code):
        return self.run_program(*arguments, "in.txt", "-o", "out", code=code).err

    def test_what_a_gpu_cannot_do_is_named_by_its_flag(self):
        for flags, what in ((("--tokenizer", "code"), "--tokenizer: the GPU knows words"),
                            (("--hash", "md5"), "--hash: the GPU knows xxh3 and sdbm"),
                            (("--window", "9"), "--window: the GPU takes at most 8 tokens"),
                            (("--stop-words", "english"), "--stop-words: the GPU knows none")):
            self.assertIn(what, self.refusal("near", "--device", "cuda", *flags, code=3))
            self.run_program("near", "in.txt", "-o", "out", "--device", "auto", "--force", *flags)

    def test_flags_that_would_do_nothing_are_refused(self):
        self.assertIn("--device-memory: has no effect", self.refusal("near", "--device-memory", "1G", code=2))
        self.assertIn("--device: has no effect", self.refusal("dedup", "--near", "off", "--device", "cuda", code=2))


class StandIn(FailingCase):
    modules = {"librefrain_cuda.so": "stand_in.so"}

    def test_what_a_device_makes_is_what_the_cpu_makes(self):
        for verb, *flags in (("near",), ("near", "--preset", "fpga"), ("near", "--verify"), ("near", "--all-pairs"),
                             ("dedup",), ("dedup", "--near", "simhash"), ("dedup", "--threshold", "0.6")):
            cpu = " ".join((verb, *flags))
            gpu = cpu + " gpu"
            self.command(verb, cpu, *flags)
            self.command(verb, gpu, *flags, "--device", "cuda")
            self.expect_same(verb, cpu, gpu, cpu)
            report = json.loads(self.read(gpu, "summary.json"))["run"]["device"]
            self.assertEqual(report["name"], "stand-in")
            self.assertGreater(report["documents"], 300)
            self.assertGreater(report["left_to_cpu"], 300)
            self.assertEqual(report["joined"] > 0, verb == "near" or "simhash" in flags)

    def test_a_device_that_fails_is_an_error_and_the_cpu_goes_on(self):
        self.expect_failures(("open 1", "lane 2", "start 1", "wait 2"), "stand-in: [a-z]+: unspecified launch failure")

    def test_a_device_that_is_gone_when_a_run_is_resumed(self):
        self.command("dedup", "cpu", "--near", "simhash")
        self.command("dedup", "out", "--near", "simhash", "--device", "cuda", code=1, fault="join 1")
        os.remove(self.path("bin", "librefrain_cuda.so"))
        error = self.command("dedup", "out", "--near", "simhash", "--resume", "--device", "cuda", code=3).err
        self.assertIn("librefrain_cuda.so is missing; use --device cpu", error)
        self.command("dedup", "out", "--near", "simhash", "--resume", "--device", "auto")
        self.expect_same("dedup", "out", "cpu", "auto")


if __name__ == "__main__":
    main()
