"""simhash-find-all and simhash-find-clusters, compared with brute force."""

import itertools
import os
import random
import signal
import stat
import subprocess

from program import (FIND_ALL, FIND_CLUSTERS, TestCase, components, difference, main, run, running, wait_until)

EXAMPLE = "255\n239\n238\n206\n51\n"
LARGEST = 2**64 - 1


def pairs_text(hashes, distance):
    """Finds every pair by brute force, formatted as the program prints it."""
    ordered = sorted(set(hashes))
    return "".join(f"[{a}, {b}]\n" for a, b in itertools.combinations(ordered, 2)
                   if bin(a ^ b).count("1") <= distance).encode()


def clusters_text(hashes, distance):
    ordered = sorted(set(hashes))
    edges = [(i, j) for (i, a), (j, b) in itertools.combinations(enumerate(ordered), 2)
             if difference(a, b) <= distance]
    members = {}
    for at, least in enumerate(components(len(ordered), edges)):
        members.setdefault(least, []).append(ordered[at])
    return "".join(f"[{', '.join(map(str, found))}]\n" for found in members.values() if len(found) > 1).encode()


def as_lines(hashes):
    return "".join(f"{value}\n" for value in hashes)


def flipped(rng, value, count):
    for bit in rng.sample(range(64), count):
        value ^= 1 << bit
    return value


def random_hashes(rng, count):
    """Random hashes, a third of which differ from others in up to five bits."""
    out = [rng.getrandbits(64) for _ in range(count * 2 // 3)]
    return out + [flipped(rng, rng.choice(out), rng.randint(0, 5)) for _ in range(count - len(out))]


def skewed_hashes(rng, count, shared_bits=40):
    """Hashes that agree in their high bits, like those of a bad hash function."""
    high = rng.getrandbits(shared_bits) << (64 - shared_bits)
    return [high | rng.getrandbits(64 - shared_bits) for _ in range(count)]


class FindAll(TestCase):
    def find(self, hashes, blocks, distance, name=FIND_ALL):
        stdin = hashes if isinstance(hashes, (str, bytes)) else as_lines(hashes)
        return self.run_program("-b", str(blocks), "-d", str(distance), stdin=stdin, name=name).out

    def test_the_example_of_the_issue_prints_its_pairs(self):
        out = self.find(EXAMPLE, 6, 3)
        self.assertEqual(out, pairs_text([255, 239, 238, 206, 51], 3))
        self.assertEqual(out.count(b"\n"), 6)

    def test_any_number_of_blocks_gives_the_same_pairs(self):
        for blocks in range(4, 10):
            self.assertEqual(self.find(EXAMPLE, blocks, 3), pairs_text([255, 239, 238, 206, 51], 3), blocks)

    def test_random_sets_equal_brute_force(self):
        rng = random.Random(11)
        for size, distance, blocks in [(2, 1, 2), (50, 1, 4), (300, 2, 5), (600, 3, 6), (600, 3, 4), (400, 5, 9),
                                       (400, 7, 8), (200, 10, 12)]:
            hashes = random_hashes(rng, size)
            self.assertEqual(self.find(hashes, blocks, distance), pairs_text(hashes, distance),
                             (size, distance, blocks))

    def test_skewed_sets_equal_brute_force(self):
        rng = random.Random(12)
        cases = [skewed_hashes(rng, 500), skewed_hashes(rng, 500, 52), list(range(400)),
                 [value << 48 for value in range(300)], [1 << bit for bit in range(64)] + [0],
                 [LARGEST ^ (1 << bit) for bit in range(64)] + [LARGEST]]
        for hashes in cases:
            for blocks in (4, 6, 9):
                self.assertEqual(self.find(hashes, blocks, 3), pairs_text(hashes, 3), (hashes[:3], blocks))

    def test_duplicates_collapse(self):
        self.assertEqual(self.find("7\n5\n7\n7\n5\n", 4, 1), b"[5, 7]\n")
        self.assertEqual(self.find("9\n9\n9\n", 4, 3), b"")

    def test_clusters_are_connected_components_in_ascending_order(self):
        rng = random.Random(13)
        cases = [([255, 239, 238, 206, 51], 3), (random_hashes(rng, 600), 3), (skewed_hashes(rng, 300), 3),
                 (skewed_hashes(rng, 300, 48), 2), ([2**i - 1 for i in range(65)][:64], 1), (list(range(0, 900, 3)), 1)]
        for hashes, distance in cases:
            rng.shuffle(hashes)
            for blocks in (distance + 1, 6, 9):
                self.assertEqual(self.find(hashes, blocks, distance, FIND_CLUSTERS), clusters_text(hashes, distance),
                                 (hashes[:3], blocks))

    def test_no_number_at_all_gives_no_pair_and_no_cluster(self):
        self.assertEqual(self.find("", 6, 3), b"")
        self.assertEqual(self.find("", 6, 3, FIND_CLUSTERS), b"")
        self.assertEqual(self.find("5\n", 6, 3), b"")

    def test_files_and_dashes_name_input_and_output(self):
        self.write("in.txt", EXAMPLE)
        expected = pairs_text([255, 239, 238, 206, 51], 3)
        for arguments in (["-i", "in.txt"], ["--input", "in.txt"], ["--input=in.txt", "-o", "-"]):
            self.assertEqual(self.run_program("-b", "6", "-d", "3", *arguments, name=FIND_ALL).out, expected)
        out = self.run_program("--blocks", "6", "--distance", "3", "-i", "-", "--output", "out.txt", stdin=EXAMPLE,
                               name=FIND_ALL).out
        self.assertEqual(out, b"")
        self.assertEqual(self.read("out.txt"), expected)
        self.run_program("-b6", "-d3", "-iin.txt", "-oout.txt", name=FIND_CLUSTERS)
        self.assertEqual(self.read("out.txt"), clusters_text([255, 239, 238, 206, 51], 3))
        self.assertEqual(self.listing(), ["in.txt", "out.txt"])

    def test_line_ends_of_every_kind_are_accepted(self):
        expected = pairs_text([255, 239, 238, 206, 51], 3)
        self.assertEqual(self.find(EXAMPLE.replace("\n", "\r\n"), 6, 3), expected)
        self.assertEqual(self.find(EXAMPLE.rstrip("\n"), 6, 3), expected)
        self.assertEqual(self.find(EXAMPLE.replace("\n", "\r\n").rstrip("\r\n"), 6, 3), expected)

    def test_the_largest_number_is_read_and_one_more_is_refused(self):
        self.assertEqual(self.find(f"{LARGEST}\n{LARGEST - 1}\n", 4, 1), f"[{LARGEST - 1}, {LARGEST}]\n".encode())
        self.assertEqual(self.find("0\n1\n", 4, 1), b"[0, 1]\n")
        for line in (2**64, 2**64 + 1, 10**20, 10**40):
            result = self.run_program("-b", "4", "-d", "1", stdin=f"1\n{line}\n", name=FIND_ALL, code=9)
            self.assertIn("standard input:2:", result.err)
            self.assertEqual(result.out, b"")

    def test_a_bad_line_is_named_by_file_and_line(self):
        for bad in ("x", "-1", "+1", "1.5", "1e3", "0x10", "1 2", "", "１", "1\0"):
            self.write("in.txt", f"1\n2\n{bad}\n4\n")
            for name in (FIND_ALL, FIND_CLUSTERS):
                result = self.run_program("-b", "4", "-d", "1", "-i", "in.txt", "-o", "out.txt", name=name, code=9)
                self.assertIn("in.txt:3:", result.err, bad)
                self.assertEqual(self.listing(), ["in.txt"], bad)

    def test_a_bad_line_far_down_a_large_file_has_the_right_number(self):
        rng = random.Random(3)
        hashes = [str(rng.getrandbits(64)) for _ in range(300_000)]
        hashes[287_654] = "oops"
        self.write("in.txt", "\n".join(hashes))
        result = self.run_program("-b", "6", "-d", "3", "-i", "in.txt", name=FIND_ALL, code=9)
        self.assertIn("in.txt:287655: 'oops'", result.err)

    def test_every_refusal_has_its_exit_code_and_its_reason(self):
        self.write("in.txt", EXAMPLE)
        os.mkdir(self.path("folder"))
        cases = [
            (1, "--frob", ["-b", "6", "-d", "3", "--frob"]),
            (1, "in.txt", ["-b", "6", "-d", "3", "in.txt"]),
            (2, "--blocks", ["-d", "3"]),
            (2, "six", ["-b", "six", "-d", "3"]),
            (2, "--blocks", []),
            (3, "--distance", ["-b", "6"]),
            (3, "none", ["-b", "6", "-d", "none"]),
            (6, "3", ["-b", "3", "-d", "3"]),
            (6, "4", ["-b", "3", "-d", "4"]),
            (6, "64", ["-b", "65", "-d", "3"]),
            (6, "tables", ["-b", "64", "-d", "20"]),
            (7, "absent.txt", ["-b", "6", "-d", "3", "-i", "absent.txt"]),
            (7, "folder", ["-b", "6", "-d", "3", "-i", "folder"]),
            (8, "absent/out", ["-b", "6", "-d", "3", "-i", "in.txt", "-o", "absent/out"]),
            (8, "folder", ["-b", "6", "-d", "3", "-i", "in.txt", "-o", "folder"]),
        ]
        for name in (FIND_ALL, FIND_CLUSTERS):
            for code, reason, arguments in cases:
                result = self.run_program(*arguments, name=name, code=code)
                self.assertTrue(result.err.startswith(name + ": "), result.err)
                self.assertIn(reason, result.err)
                self.assertEqual(result.out, b"")
        self.assertEqual(self.listing(), ["folder", "in.txt"])

    def test_absurdly_many_tables_are_refused_at_once(self):
        for blocks, distance in ((64, 20), (64, 32), (40, 20), (64, 60)):
            result = self.run_program("-b", str(blocks), "-d", str(distance), stdin=EXAMPLE, name=FIND_ALL, code=6,
                                      timeout=10)
            self.assertIn("tables", result.err)

    def test_an_existing_output_file_stays_as_it_was_when_the_run_fails(self):
        self.write("out.txt", "precious\n")
        self.run_program("-b", "6", "-d", "3", "-o", "out.txt", stdin="1\nbad\n", name=FIND_ALL, code=9)
        self.assertEqual(self.read("out.txt"), b"precious\n")
        self.assertEqual(self.listing(), ["out.txt"])
        self.run_program("-b", "6", "-d", "3", "-o", "out.txt", stdin="0\n1\n", name=FIND_ALL)
        self.assertEqual(self.read("out.txt"), b"[0, 1]\n")

    def test_an_output_that_is_no_plain_file_is_written_to_and_never_replaced(self):
        # Otherwise `-o /dev/null`, run by root, would replace the device. The test uses a pipe instead.
        os.mkfifo(self.path("pipe"))
        reader = os.open(self.path("pipe"), os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.run_program("-b", "4", "-d", "1", "-o", "pipe", stdin="0\n1\n", name=FIND_ALL, timeout=20)
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("pipe")).st_mode), "the pipe was replaced by a file")
        self.assertEqual(os.read(reader, 1000), b"[0, 1]\n")
        self.assertEqual(self.listing(), ["pipe"])

    def test_an_output_that_is_a_link_stays_one(self):
        self.write("real.txt", "old")
        os.symlink("real.txt", self.path("link"))
        self.run_program("-b", "4", "-d", "1", "-o", "link", stdin="0\n1\n", name=FIND_ALL)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.read("real.txt"), b"[0, 1]\n")

    def test_an_interrupted_run_leaves_no_output(self):
        # Every number below 2^21 has 1,561 neighbors among them, so this takes a while.
        self.write("in.txt", as_lines(range(1 << 21)))
        for number in (signal.SIGINT, signal.SIGTERM):
            with running("-b", "6", "-d", "3", "-i", "in.txt", "-o", "out.txt", name=FIND_ALL, cwd=self.dir,
                         stderr=subprocess.DEVNULL) as process:
                self.assertFalse(wait_until(lambda: process.poll() is not None, 0.3), "ended too soon to interrupt")
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=8), 130)
            self.assertEqual(self.listing(), ["in.txt"])

    def test_a_full_disk_is_exit_5(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "wb") as full:
            with running("-b", "6", "-d", "3", name=FIND_ALL, stdin=-1, stdout=full, stderr=-1) as process:
                _, err = process.communicate(EXAMPLE.encode(), timeout=20)
        self.assertEqual(process.returncode, 5, err)
        self.assertIn(b"full", err.lower())

    def test_help_and_version_are_data(self):
        for name in (FIND_ALL, FIND_CLUSTERS):
            self.assertRegex(run("--version", name=name).out, rb"^simhash-find-(all|clusters) \d+\.\d+\.\d+\n$")
            text = run("--help", name=name).out.decode()
            for flag in ("-b, --blocks", "-d, --distance", "-i, --input", "-o, --output"):
                self.assertIn(flag, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 80)


if __name__ == "__main__":
    main()
