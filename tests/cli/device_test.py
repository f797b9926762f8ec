"""--device where there is no GPU: clear errors, nothing left behind, and `auto` goes on with the CPU."""

import json
import os
import unittest

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


if __name__ == "__main__":
    main()
