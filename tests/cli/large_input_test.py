"""Large and unbalanced input: one huge line, very many equal documents, as many empty ones, a full disk."""

import json
import os
import subprocess
import time

from program import LONG, MADE_WITH, TIME_FACTOR, TestCase, environment, main, program

MANY = 1_000_000 if LONG else 200_000
FILES = 20_000 if LONG else 4000
TEXT = "the very same words stand on every one of these lines"


class Large(TestCase):
    def within(self, seconds, *arguments, **more):
        seconds *= TIME_FACTOR
        started = time.monotonic()
        near = self.near(*arguments, timeout=seconds + 10, **more)
        self.assertLess(time.monotonic() - started, seconds)
        return near

    def test_a_huge_line_is_skipped_by_default_and_read_with_a_larger_limit(self):
        # 200 MB of text, between two equal documents.
        block = b"some words that come again and again in one line, " * 20_000
        with open(self.path("in.txt"), "wb") as file:
            file.write(TEXT.encode() + b"\n")
            for _ in range(200):
                file.write(block)
            file.write(b"\n" + TEXT.encode() + b"\n")
        near = self.within(15, "in.txt", "--format", "lines", output="skipped")
        self.assertEqual([row[0] for row in near.clusters], ["0", "2"])
        self.assertEqual(near.matches, [["0", "2", "0"]])
        [bad] = near.summary["bad_record_examples"]
        self.assertEqual((bad["path"], bad["line"], near.summary["bad_records"]), ("in.txt", 2, 1))
        self.assertIn("--max-doc-bytes", bad["reason"])
        near = self.within(15, "in.txt", "--format", "lines", "--max-doc-bytes", "300M", output="read")
        self.assertEqual([row[0] for row in near.clusters], ["0", "1", "2"])
        self.assertNotEqual(near.clusters[1][1], "")
        self.assertEqual((near.matches, near.summary["bad_records"]), ([["0", "2", "0"]], 0))
        result = self.run_program("near", "in.txt", "--format", "lines", "-o", "no", "--strict", code=3)
        self.assertIn("in.txt:2:", result.err)

    def test_very_many_equal_documents_are_as_many_rows(self):
        self.write("in.txt", f"{TEXT}\n" * MANY)
        near = self.within(30, "in.txt", "--format", "lines")
        self.assertEqual(len(near.matches), MANY - 1)
        self.assertEqual(near.matches[0], ["0", "1", "0"])
        self.assertTrue(all(row == ["0", str(at + 1), "0"] for at, row in enumerate(near.matches)))
        self.assertEqual({row[2] for row in near.clusters}, {"0"})
        self.assertEqual((near.summary["largest_cluster"], near.summary["distinct_fingerprints"]), (MANY, 1))

    def test_very_many_empty_lines_are_as_many_documents_without_a_match(self):
        self.write("in.txt", "\n" * MANY)
        near = self.within(30, "in.txt", "--format", "lines")
        self.assertEqual(near.clusters_bytes,
                         f"id\tsimhash\tcluster\t{MADE_WITH}\n".encode()
                         + b"".join(b"%d\t\t-1\t\n" % at for at in range(MANY)))
        self.assertEqual(near.matches, [])
        self.assertEqual((near.summary["documents"], near.summary["too_short"]), (MANY, MANY))

    def test_many_small_files_are_all_read(self):
        os.makedirs(self.path("d"))
        for at in range(FILES):
            with open(self.path("d", f"{at:05}"), "w", encoding="ascii") as file:
                file.write(f"file number {at // 2} has these words and the number {at // 2} again")
        near = self.within(20, "d")
        self.assertEqual([row[0] for row in near.clusters], [f"d/{at:05}" for at in range(FILES)])
        pairs = {(a, b) for a, b, diff in near.matches if diff == "0"}
        self.assertTrue(all((f"d/{at:05}", f"d/{at + 1:05}") in pairs for at in range(0, FILES, 2)))


class FullDisk(TestCase):
    def test_a_full_standard_output_is_exit_5(self):
        self.write("in.txt", f"{TEXT}\n" * 10_000)
        self.write("known.tsv", "id\thash\na\t1\n")
        self.write("few.txt", TEXT)
        for arguments in (["fingerprint", "in.txt", "--format", "lines"], ["fingerprint", "few.txt"],
                          ["match", "known.tsv", "known.tsv"], ["explain", "few.txt", "few.txt"], ["help"], ["man"],
                          ["near", "few.txt", "-o", "out"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([program(), *arguments], cwd=self.dir, stdout=full, stderr=subprocess.PIPE,
                                      stdin=subprocess.DEVNULL, check=False, timeout=30, env=environment())
            self.assertEqual(done.returncode, 5, (arguments, done.stderr))
            self.assertIn(b"standard output", done.stderr)

    def test_near_on_a_full_disk_is_exit_5_and_leaves_nothing(self):
        self.write("in.txt", "".join(f"{TEXT} {at // 2} {at // 2}\n" for at in range(100_000)))
        out = self.on_small_disk('$REFRAIN near in.txt --format lines -o disk/out -q 2>&1; echo "code $?"; ls -A disk')
        self.assertRegex(out, r"^refrain: .*disk.* full.*\ncode 5\n$")

    def test_force_on_a_full_disk_keeps_the_old_results(self):
        self.write("in.txt", "".join(f"{TEXT} {at // 2} {at // 2}\n" for at in range(100_000)))
        self.write("small.txt", f"{TEXT}\n{TEXT}\n")
        out = self.on_small_disk("$REFRAIN near small.txt --format lines -o disk/out -q && "
                                 "$REFRAIN near in.txt --format lines -o disk/out -q --force 2>/dev/null; "
                                 'echo "code $?"; ls -A disk; cat disk/out/matches.tsv; cat disk/out/summary.json')
        lead = "code 5\nout\nid1\tid2\tdiff\n0\t1\t0\n"
        self.assertEqual(out[:len(lead)], lead)
        self.assertEqual(json.loads(out[len(lead):])["documents"], 2)

    def test_match_that_adds_on_a_full_disk_is_exit_5_and_keeps_the_file(self):
        self.write("queries.tsv", "".join(f"{'q' * 60}{at}\t{at << 20}\n" for at in range(12_000)))
        out = self.on_small_disk("printf 'id\\thash\\nold\\t1\\n' > disk/known.tsv; "
                                 '$REFRAIN match disk/known.tsv queries.tsv --add >/dev/null 2>&1; echo "code $?"; '
                                 "$REFRAIN match disk/known.tsv queries.tsv --add --distance 2"
                                 " > disk/answers 2>/dev/null; "
                                 'echo "code $?"; ls -A disk; head -c 100 disk/known.tsv | head -2; ')
        # The first addition just fits; then the answers fill the disk.
        self.assertEqual(out, "code 0\ncode 5\nanswers\nknown.tsv\nid\thash\nold\t1\n")

    def test_find_all_on_a_full_disk_is_exit_5_and_leaves_nothing(self):
        self.write("in.txt", "".join(f"{at}\n" for at in range(20_000)))
        find_all = program("simhash-find-all")
        out = self.on_small_disk(f'{find_all} -b 4 -d 2 -i in.txt -o disk/out 2>&1; echo "code $?"; ls -A disk')
        self.assertRegex(out, r"^simhash-find-all: .*disk.* full.*\ncode 5\n$")


if __name__ == "__main__":
    main()
