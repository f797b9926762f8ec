"""The rules of disk_model.py, on handmade traces: everything that may be found after a power cut, and nothing else."""

import random
import unittest

from disk_model import LOST, PAGE, SECTOR, Kept, Trace, digest, draw

A, B, C = 11, 12, 13  # inodes


def line(call, *fields, content=None):
    return ("\t".join([call, *map(str, fields)]) + "\n").encode() + (b"" if content is None else content + b"\n")


def write(inode, place, content):
    return line("write", inode, place, len(content), content=content)


def trace(*lines, tree=None, inodes=None):
    return Trace(b"".join(lines), "/d", tree or {}, {"": 1, **(inodes or {})})


def found(recorded, cut=None, draws=1500):
    """Returns all trees that draws produce for one moment, by default after the last step."""
    cut = len(recorded.steps) if cut is None else cut
    trees = {}
    for number in range(draws):
        at, left = draw(recorded, random.Random(number), [cut])
        tree = recorded.tree(at, left)
        trees[digest(tree)] = tree
    return list(trees.values())


class Rules(unittest.TestCase):
    def assert_found(self, recorded, expected, **more):
        self.assertCountEqual(found(recorded, **more), expected)

    def test_before_the_first_step_the_disk_is_as_it_was(self):
        tree = {"x": b"1", "y": None, "y/z": b"2"}
        recorded = trace(line("create", A, "/d/a"), tree=tree, inodes={"x": 5, "y": 6, "y/z": 7})
        self.assert_found(recorded, [tree], cut=0)

    def test_a_new_file_may_be_missing_empty_full_of_zeros_or_whole(self):
        self.assert_found(trace(line("create", A, "/d/a"), write(A, 0, b"ab")),
                          [{}, {"a": b""}, {"a": b"\0\0"}, {"a": b"ab"}])

    def test_a_sync_of_the_file_does_not_keep_its_name(self):
        self.assert_found(trace(line("create", A, "/d/a"), write(A, 0, b"ab"), line("sync", A)), [{}, {"a": b"ab"}])

    def test_a_sync_of_the_folder_does_not_keep_bytes(self):
        self.assert_found(trace(line("create", A, "/d/a"), write(A, 0, b"ab"), line("sync", 1)),
                          [{"a": b""}, {"a": b"\0\0"}, {"a": b"ab"}])

    def test_what_is_synced_stays(self):
        for syncs in ([line("sync", A), line("sync", 1)], [line("sync", 1), line("sync", A)], [line("syncfs")]):
            self.assert_found(trace(line("create", A, "/d/a"), write(A, 0, b"ab"), *syncs), [{"a": b"ab"}])

    def test_what_is_written_after_the_sync_may_be_lost(self):
        recorded = trace(line("create", A, "/d/a"), write(A, 0, b"ab"), line("syncfs"), write(A, 2, b"c"))
        self.assert_found(recorded, [{"a": b"ab"}, {"a": b"ab\0"}, {"a": b"abc"}])

    def test_a_rename_may_come_before_the_bytes(self):
        recorded = trace(line("create", A, "/d/a"), write(A, 0, b"n"), line("rename", "/d/a", "/d/m"),
                         tree={"m": b"o"}, inodes={"m": 5})
        self.assert_found(recorded, [{"m": b"o"}, *({"m": b"o", "a": content} for content in (b"", b"\0", b"n")),
                                     *({"m": content} for content in (b"", b"\0", b"n"))])

    def test_a_rename_of_synced_bytes_gives_the_old_file_or_the_new_one(self):
        steps = [line("create", A, "/d/a"), write(A, 0, b"n"), line("sync", A), line("rename", "/d/a", "/d/m")]
        before = {"tree": {"m": b"o"}, "inodes": {"m": 5}}
        self.assert_found(trace(*steps, **before), [{"m": b"o"}, {"m": b"o", "a": b"n"}, {"m": b"n"}])
        self.assert_found(trace(*steps, line("sync", 1), **before), [{"m": b"n"}])

    def test_a_rename_into_another_folder_is_whole_or_not_at_all(self):
        before = {"tree": {"x": None, "y": None, "x/a": b"1"}, "inodes": {"x": 5, "y": 6, "x/a": 7}}
        old, new = {"x": None, "y": None, "x/a": b"1"}, {"x": None, "y": None, "y/a": b"1"}
        self.assert_found(trace(line("rename", "/d/x/a", "/d/y/a"), **before), [old, new])
        self.assert_found(trace(line("rename", "/d/x/a", "/d/y/a"), line("sync", 5), **before), [old, new])
        self.assert_found(trace(line("rename", "/d/x/a", "/d/y/a"), line("sync", 6), **before), [new])

    def test_removals_come_in_any_order(self):
        recorded = trace(line("unlink", "/d/a"), line("unlink", "/d/b"), tree={"a": b"", "b": b""},
                         inodes={"a": A, "b": B})
        self.assert_found(recorded, [{}, {"a": b""}, {"b": b""}, {"a": b"", "b": b""}])

    def test_what_happened_in_a_folder_that_is_gone_makes_no_difference(self):
        recorded = trace(write(A, 0, b"n"), line("unlink", "/d/x/a"), line("rmdir", "/d/x"), line("sync", 1),
                         tree={"x": None, "x/a": b"o"}, inodes={"x": 5, "x/a": A})
        self.assert_found(recorded, [{}])
        self.assertEqual(recorded.pending(4), [])
        self.assertEqual(recorded.pending(3), [0, 1, 2])

    def test_what_rests_on_a_lost_name_is_lost_with_it(self):
        recorded = trace(line("create", A, "/d/a"), line("rename", "/d/a", "/d/b"), line("unlink", "/d/b"))
        self.assert_found(recorded, [{}, {"a": b""}, {"b": b""}])
        self.assertEqual(recorded.closed(3, {0: LOST}), {0: LOST, 1: LOST, 2: LOST})

    def test_what_a_safe_name_rests_on_is_safe(self):
        before = {"tree": {"x": None, "y": None, "x/a": b"1"}, "inodes": {"x": 5, "y": 6, "x/a": 7}}
        recorded = trace(line("rename", "/d/x/a", "/d/y/a"), line("create", A, "/d/x/a"), line("sync", 5), **before)
        self.assert_found(recorded, [{"x": None, "y": None, "x/a": b"", "y/a": b"1"}])

    def test_a_folder_without_its_name_loses_what_is_in_it(self):
        recorded = trace(line("mkdir", B, "/d/x"), line("create", A, "/d/x/a"), line("sync", A), line("sync", B))
        self.assert_found(recorded, [{}, {"x": None, "x/a": b""}])
        recorded = trace(line("mkdir", B, "/d/x"), line("create", A, "/d/x/a"), line("sync", 1))
        self.assert_found(recorded, [{"x": None}, {"x": None, "x/a": b""}])

    def test_a_folder_that_is_renamed_takes_its_files_along(self):
        recorded = trace(line("mkdir", B, "/d/x"), line("create", A, "/d/x/a"), line("sync", B),
                         line("rename", "/d/x", "/d/y"), line("sync", 1), line("create", C, "/d/y/c"))
        self.assert_found(recorded, [{"y": None, "y/a": b""}, {"y": None, "y/a": b"", "y/c": b""}])

    def test_writes_come_in_any_order_and_by_the_page(self):
        old, new, newer = b"o" * 2 * PAGE, b"n" * 2 * PAGE, b"w" * PAGE
        recorded = trace(write(A, 0, new), write(A, 0, newer), tree={"a": old}, inodes={"a": A})
        trees = [tree["a"] for tree in found(recorded)]
        pages = {(content[:PAGE], content[PAGE:]) for content in trees}
        whole = [(first, second) for first, second in pages if len(set(first)) == 1 and len(set(second)) == 1]
        self.assertCountEqual([(chr(first[0]), chr(second[0])) for first, second in whole],
                              [(first, second) for first in "onw" for second in "on"])
        self.assertLess(len(whole), len(pages))
        for content in trees:  # an incomplete page ends at a sector
            self.assertEqual(len(content), len(old))
            self.assertTrue(all(len(set(content[at:at + SECTOR])) == 1 for at in range(0, len(content), SECTOR)))

    def test_a_write_is_cut_where_the_sectors_of_the_file_end(self):
        recorded = trace(write(A, 100, b"n" * 1000), tree={"a": b"o" * 100}, inodes={"a": A})
        cuts = {len(tree["a"].rstrip(b"\0")) for tree in found(recorded)}
        self.assertEqual(cuts, {100, 512, 1024, 1100})

    def test_a_truncation_may_be_lost_before_what_is_written_then(self):
        recorded = trace(line("truncate", A, 0), write(A, 0, b"n"), tree={"a": b"old"}, inodes={"a": A})
        self.assert_found(recorded, [{"a": content} for content in (b"", b"n", b"\0", b"old", b"nld")])

    def test_zeros_and_growth(self):
        recorded = trace(line("zero", A, 1, 9), line("extend", A, 5), tree={"a": b"abc"}, inodes={"a": A})
        self.assert_found(recorded, [{"a": content} for content in (b"abc", b"a\0\0", b"abc\0\0", b"a\0\0\0\0")])

    def test_a_file_without_a_name_is_nowhere_until_it_is_linked(self):
        steps = [line("nameless", A), write(A, 0, b"ab"), line("sync", A)]
        self.assert_found(trace(*steps), [{}])
        self.assert_found(trace(*steps, line("link", A, "/d/a")), [{}, {"a": b"ab"}])

    def test_an_inode_that_is_used_again_is_another_file(self):
        recorded = trace(line("create", A, "/d/a"), write(A, 0, b"1"), line("syncfs"), line("unlink", "/d/a"),
                         line("sync", 1), line("create", A, "/d/b"), line("syncfs"))
        self.assert_found(recorded, [{"b": b""}])

    def test_answers_are_steps(self):
        recorded = trace(line("send", 7, 3, content=b"a\nb"), line("create", A, "/d/a"))
        self.assertEqual((recorded.steps[0].call, recorded.steps[0].bytes), ("send", b"a\nb"))
        self.assert_found(recorded, [{}, {"a": b""}])

    def test_a_part_of_a_write_is_put_in_its_place(self):
        recorded = trace(write(A, 2, b"xyz"), tree={"a": b"abcdef"}, inodes={"a": A})
        self.assertEqual(recorded.tree(1, {0: Kept(((1, 2),), False)}), {"a": b"abcyef"})


if __name__ == "__main__":
    unittest.main()
