"""`refrain dedup` estimates the resources it needs before it starts: once on standard error, and in summary.json."""

import gzip
import json
import re

import program

LINE = re.compile(r"refrain: [\d,]+ files?: [^\n]*\nrefrain: (.*) in (\d+ files?)(, about .* uncompressed)?;"
                  r" needs about (.*) of memory and (.*) of disk in "
                  r"out \(.* free\)\n")


class Estimate(program.TestCase):
    def test_one_line_says_what_it_will_take(self):
        self.write("a.jsonl", program.jsonl(program.documents(300)))
        self.write("b.jsonl", program.jsonl(program.documents(20)))
        result = self.run_program("dedup", "a.jsonl", "b.jsonl", "-o", "out", "--memory", "100M", "--alarm", "100%")
        match = LINE.fullmatch(result.err)
        self.assertIsNotNone(match, result.err)
        self.assertEqual((match[2], match[3]), ("2 files", None))
        told = json.loads(self.read("out", "summary.json"))["run"]
        said = told["estimate"]
        size = len(self.read("a.jsonl")) + len(self.read("b.jsonl"))
        self.assertEqual((said["known"], said["files"], said["bytes"], said["unpacked_bytes"]), (True, 2, size, size))
        # The line shows one decimal.
        self.assertAlmostEqual(program.sizes_in(match[4])[0] / said["memory_bytes"], 1, delta=0.05)
        self.assertAlmostEqual(program.sizes_in(match[5])[0] / said["disk_bytes"], 1, delta=0.05)

    def test_packed_files_are_about_four_times_as_large(self):
        self.write("a.jsonl.gz", gzip.compress(program.jsonl(program.documents(300)).encode()))
        result = self.run_program("dedup", "a.jsonl.gz", "-o", "out", "--alarm", "100%")
        self.assertIsNotNone(LINE.fullmatch(result.err)[3])
        said = json.loads(self.read("out", "summary.json"))["run"]["estimate"]
        self.assertEqual(said["unpacked_bytes"], 4 * len(self.read("a.jsonl.gz")))

    def test_quiet_says_nothing(self):
        self.write("a.jsonl", program.jsonl(program.documents(30)))
        self.assertEqual(self.run_program("dedup", "a.jsonl", "-o", "out", "-q").err, "")

    def test_of_standard_input_the_size_is_unknown(self):
        result = self.run_program("dedup", "-", "-o", "out", stdin="one line\nand another\n")
        self.assertRegex(result.err, r"^refrain: input size unknown; needs up to .* of memory.*\n$")
        self.assertFalse(json.loads(self.read("out", "summary.json"))["run"]["estimate"]["known"])

    def test_what_is_refused_is_not_estimated(self):
        self.write("a.jsonl", program.jsonl(program.documents(30)))
        for arguments in (("a.jsonl", "missing.jsonl", "-o", "out"), ("a.jsonl", "-o", "out", "--threshold", "2")):
            error = self.run_program("dedup", *arguments, code=3 if "missing.jsonl" in arguments else 2).err
            self.assertNotIn("needs about", error)

    def test_a_disk_that_may_not_suffice_is_a_warning(self):
        self.write("a.jsonl", program.jsonl(program.documents(2000)))
        out = self.on_small_disk('$REFRAIN dedup a.jsonl -o disk/out 2>&1 >/dev/null; echo "exit $?"', megabytes=4)
        self.assertIn("refrain: warning: there may not be enough disk space; free some, or write elsewhere", out)
        self.assertIn("exit 0", out)


if __name__ == "__main__":
    program.main()
