"""A run lists each folder of its input once."""

import collections
import os
import re
import shutil
import subprocess
import unittest

from program import SANITIZED, TestCase, documents, environment, jsonl, main, program

TEXTS = documents(120, seed=5)
NOT_SAMPLED = "99.jsonl"  # the last of in/c; the first files are also read as samples
# The end of a folder: the last call of a listing returns 0.
END = re.compile(r"getdents64\(\d+<([^>]*)>.* = 0$", re.MULTILINE)
# A look at a file by its path or its name; those at open files and at outputs are left out.
EXAMINED = re.compile(r'(?:newfstatat|statx)\([^"]*"(?:in/[^"]*/)?([^"/]+\.jsonl)"')


@unittest.skipIf(SANITIZED or shutil.which("strace") is None, "needs strace, which sanitizers do not work under")
class InputWalk(TestCase):
    def setUp(self):
        super().setUp()
        folders = ("in", "in/a", "in/a/b", "in/c", "in/.hidden", "other")
        for at, text in enumerate(TEXTS):
            self.write(f"{folders[at % len(folders)]}/{at}.jsonl", jsonl([text]))
        os.symlink(self.path("other"), self.path("in", "link"))

    def traced(self, *arguments):
        """Runs the program; returns how often it listed each folder, and how often it examined each file of "in"."""
        shutil.rmtree(self.path("logs"), ignore_errors=True)
        os.mkdir(self.path("logs"))
        command = ["strace", "-ff", "-y", "-o", self.path("logs", "thread"), "-e", "trace=getdents64,newfstatat,statx",
                   program(), *arguments]
        done = subprocess.run(command, cwd=self.dir, capture_output=True, check=False, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = "".join(self.read("logs", name).decode() for name in os.listdir(self.path("logs")))
        listed = collections.Counter(os.path.relpath(folder, os.path.realpath(self.dir))
                                     for folder in END.findall(calls))
        examined = collections.Counter(EXAMINED.findall(calls))
        return listed, examined

    def test_dedup_lists_each_folder_once(self):
        for more in ([], ["--read-back", "--annotate", "--against", "other"]):
            with self.subTest(more):
                listed, examined = self.traced("dedup", "in", "--apply", "-o", "out", "--force", *more)
                for folder in ("in", "in/a", "in/a/b", "in/c", "in/.hidden"):
                    self.assertEqual(listed[folder], 1, (folder, listed))
                self.assertEqual(examined[NOT_SAMPLED], 1, examined)

    def test_other_verbs_list_each_folder_once(self):
        for verb in (["near", "-o", "near"], ["substrings", "-o", "substrings"],
                     ["ngrams", "build", "-n", "5", "-o", "ngrams"], ["fingerprint"], ["text"]):
            with self.subTest(verb):
                listed, _ = self.traced(*verb, "in")
                for folder in ("in", "in/a", "in/a/b", "in/c"):
                    self.assertEqual(listed[folder], 1, (folder, listed))


if __name__ == "__main__":
    main()
