"""--memory is a hard limit for Parquet too, whatever the size of its row groups; what does not fit is refused."""

import os
import subprocess

import pyarrow.parquet as pq

from program import TestCase, environment, main, program, sizes_in


class Memory(TestCase):

    def run_measured(self, *arguments, code=0):
        """Runs the program to its end, and returns the largest resident set in bytes and the messages."""
        with open(self.path("messages"), "wb") as messages:
            process = subprocess.Popen([program(), *arguments], cwd=self.dir, stdout=subprocess.DEVNULL,
                                       stderr=messages, env=environment())
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        message = self.read("messages").decode()
        self.assertEqual(process.returncode, code, message)
        return usage.ru_maxrss * 1024, message

    def write_large(self, rows, row_bytes, **how):
        """Writes one row group in a child process, which itself holds only part of it in memory."""
        subprocess.run(["python3", "-c", f"""
import random, pyarrow as pa, pyarrow.parquet as pq
rng = random.Random(1)
pool = ' '.join(''.join(rng.choices('etaoinshrdlu', k=rng.randint(2, 9))) for _ in range(100_000))
def text(i):
    out = str(i) + ' '
    while len(out) < {row_bytes}:
        at = rng.randrange(len(pool) - 2000)
        out += pool[at:at + 2000]
    return out[:{row_bytes}]
pq.write_table(pa.table({{'text': pa.array((text(i) for i in range({rows})), pa.large_string())}}),
               {self.path("in.parquet")!r}, row_group_size={rows}, **{how!r})
"""], check=True, timeout=120)

    def test_a_row_group_far_larger_than_the_memory_is_read_and_written(self):
        self.write_large(100_000, 2000)
        for memory in (96, 128):
            peak, _ = self.run_measured("near", "in.parquet", "--distance", "3", "-o", f"near{memory}",
                                        "--memory", f"{memory}M", "-q")
            self.assertLess(peak, memory << 20)
        peak, _ = self.run_measured("substrings", "in.parquet", "-o", "out", "--length", "1500", "--apply", "--memory",
                                    "160M", "-q")
        self.assertLess(peak, 160 << 20)
        self.assertEqual(pq.ParquetFile(self.path("out", "clean", "in.parquet")).metadata.num_rows, 100_000)

    def test_long_rows_in_large_pages_are_read_or_refused_with_the_figure(self):
        self.write_large(120, 1_000_000, use_dictionary=False)
        peak, _ = self.run_measured("near", "in.parquet", "-o", "out", "--memory", "400M", "-q")
        self.assertLess(peak, 400 << 20)
        process = subprocess.run([program(), "near", "in.parquet", "-o", "small", "--memory", "96M", "-q"],
                                 cwd=self.dir, capture_output=True, timeout=100, check=False, env=environment())
        self.assertIn(process.returncode, (0, 5), process.stderr)
        if process.returncode == 5:
            self.assertRegex(process.stderr.decode(), r"a page of in\.parquet; needs more than \d+.*; \d+.* is enough")
            enough = sizes_in(process.stderr.decode())[-1]
            peak, _ = self.run_measured("near", "in.parquet", "-o", "enough", "--memory", str(int(enough)), "-q")
            self.assertLess(peak, enough)


if __name__ == "__main__":
    main()
