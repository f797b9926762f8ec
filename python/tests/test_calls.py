"""Calls let other threads run, can be interrupted, report progress, and leave nothing behind."""
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

import pyarrow as pa
import pytest

import pyrefrain
from pyrefrain import kernels

WORDS = [f"word{i}" for i in range(997)]


def texts(count, size=120):
    return [" ".join(WORDS[(i * 7919 + j * (i % 13 + 1)) % 997] for j in range(size)) for i in range(count)]


def python(code, flags=(), **more):
    return subprocess.run([sys.executable, *flags, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                          timeout=120, check=False, **more)


def test_importing_takes_no_time_and_no_other_library(tmp_path):
    code = """
        import sys, time
        before = set(sys.modules)
        start = time.process_time()
        import pyrefrain
        seconds = time.process_time() - start
        heavy = {"pyarrow", "pandas", "polars", "numpy", "datasets", "tqdm",
                 "typing", "json", "logging", "re", "tempfile"}
        print(seconds, heavy & (set(sys.modules) - before) or "")
    """
    # The bytecode is there, as an installer leaves it; without -S a site's own .pth files may import the modules first.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    flags = ["-S", "-X", f"pycache_prefix={tmp_path}"]
    told = [python(code, flags=flags, env=env).stdout.split(maxsplit=1) for _ in range(6)]
    assert all(len(line) == 1 for line in told), told
    assert min(float(line[0]) for line in told) <= 0.04


def test_other_threads_run_meanwhile():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.002):
            ticks.append(time.perf_counter())

    data = pa.chunked_array([texts(1000)] * 300)
    ticking = threading.Thread(target=tick)
    ticking.start()
    try:
        start = time.perf_counter()
        kernels.signatures(data, threads=1)
        end = time.perf_counter()
    finally:
        done.set()
        ticking.join()
    # Count only the middle half of the call, so that its setup and cleanup do not matter.
    quarter = (end - start) / 4
    assert quarter > 0.05 and sum(start + quarter < at < end - quarter for at in ticks) >= 5


def test_calls_of_many_threads_do_not_mix():
    data = texts(200)
    wanted = pyrefrain.dedup(data).to_pylist()
    found = [None] * 4
    threads = [threading.Thread(
        target=lambda i=i: found.__setitem__(i, pyrefrain.dedup(data, memory="64M").to_pylist())) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


@pytest.fixture
def memory_folder(tmp_path):
    """A folder in memory if there is room: deleting files from a busy disk takes as long as the disk needs to write."""
    roomy = os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 2 << 30
    with tempfile.TemporaryDirectory(dir="/dev/shm" if roomy else tmp_path) as folder:
        yield pathlib.Path(folder)


def test_ctrl_c_stops_within_a_second_and_leaves_nothing(memory_folder):
    code = """
        import sys, time
        import pyarrow as pa
        import pyrefrain
        words = [f"word{i}" for i in range(997)]
        chunk = pa.array([" ".join(words[(i * 7919 + j * (i % 13 + 1)) % 997] for j in range(200))
                          for i in range(4000)])
        data = pa.chunked_array([chunk] * 60)
        print("ready", flush=True)
        try:
            pyrefrain.dedup(data, temp_dir=sys.argv[1], memory="256M")
            print("finished", flush=True)
        except KeyboardInterrupt:
            print("stopped", time.time(), flush=True)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), memory_folder], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        sent = time.time()
        word, at = process.stdout.readline().split()
        assert word == "stopped" and float(at) - sent < 1
        assert process.wait(10) == 0
    assert list(memory_folder.iterdir()) == []


def test_what_progress_raises_stops_the_call(tmp_path):
    def refuse(stage, share):
        raise RuntimeError(f"enough of {stage}")

    with pytest.raises(RuntimeError, match="enough of"):
        pyrefrain.dedup(texts(8000), progress=refuse, temp_dir=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_progress_tells_stages_and_shares():
    told = []
    pyrefrain.dedup(texts(8000), progress=lambda stage, share: told.append((stage, share)))
    assert told and all(isinstance(stage, str) and (share is None or 0 <= share <= 1) for stage, share in told)
    assert [share for _, share in told] == sorted(share for _, share in told)


@pytest.mark.parametrize("tqdm", [True, False])
def test_a_bar_is_drawn_with_and_without_tqdm(tqdm):
    code = f"""
        import sys
        if not {tqdm}: sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
        import pyrefrain
        words = [f"word{{i}}" for i in range(997)]
        data = [" ".join(words[(i * 7919 + j * (i % 13 + 1)) % 997] for j in range(100)) for i in range(8000)]
        pyrefrain.dedup(data, progress=True)
    """
    done = python(code)
    assert done.returncode == 0 and "%" in done.stderr and done.stdout == "", done.stderr


def in_child(number):
    return pyrefrain.dedup([f"text number {number} " * 5] * 3).kept_rows


def test_forked_children_work_too():
    pyrefrain.dedup(texts(50))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(in_child, range(6)) == [[0]] * 6


def test_the_text_is_not_copied(tmp_path):
    code = """
        import resource, sys
        import numpy as np
        import pyarrow as pa
        import pyrefrain
        size, count = 4096, 50000
        text = np.random.default_rng(0).integers(97, 123, size * count, dtype=np.uint8)
        text[::7] = 32
        data = pa.LargeStringArray.from_buffers(count, pa.py_buffer(np.arange(count + 1, dtype=np.int64) * size),
                                                pa.py_buffer(text))
        pyrefrain.fingerprint(data[:10], memory="64M")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        pyrefrain.near(data, memory="64M", threads=2)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, size * count >> 10)
    """
    done = python(code)
    grown, text = map(int, done.stdout.split())
    assert text == 200_000 and grown < text / 2, done.stderr


def test_nothing_is_written_beside_what_is_asked_for(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    temp = tmp_path / "temp"
    temp.mkdir()
    code = f"""
        import pathlib, pyrefrain
        data = ["the same words again and again %d" % (i % 40) * 3 for i in range(400)]
        pyrefrain.dedup(data, substrings=20); pyrefrain.near(data); pyrefrain.ngrams(data); pyrefrain.substrings(data)
        pathlib.Path("in.txt").write_text("\\n".join(data))
        pyrefrain.dedup(pathlib.Path("in.txt"), format="lines"); pyrefrain.near("in.txt", format="lines")
        pyrefrain.ngrams("in.txt")
    """
    done = python(code, cwd=work, env={**os.environ, "TMPDIR": str(temp)})
    assert done.returncode == 0, done.stderr
    assert [path.name for path in work.iterdir()] == ["in.txt"] and list(temp.iterdir()) == []


def test_sizes_do_not_depend_on_the_locale(tmp_path):
    if shutil.which("localedef") is None:
        pytest.skip("there is no localedef")
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], capture_output=True,
                          check=False)
    if not (tmp_path / "de_DE.UTF-8").exists():
        pytest.skip(f"no such locale can be made: {made.stderr.decode()}")
    code = """
        import locale
        from pyrefrain import kernels
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        assert locale.localeconv()["decimal_point"] == ","
        kernels.digests(["a"], memory="0.5G")
    """
    done = python(code, env={**os.environ, "LOCPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr


GROWTH = """
import resource, pyrefrain
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
texts = [" ".join(f"w\\u00f6rd{number * 7 % 9973}" for number in range(at, at + 2000)) for at in range(5000)]
before = peak()
found = pyrefrain.near(texts, memory="64M", threads=2)
print(sum(map(len, texts)) // 2**20, (peak() - before) // 2**10)
"""


def test_a_list_is_read_within_the_memory_of_the_call():
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True)
    size, growth = map(int, done.stdout.split())
    assert size > 80 and growth < 70


def test_a_list_that_changes_meanwhile_is_read_as_it_was():
    texts = [f"the old bridge number {number} over the river is closed until May" for number in range(3000)]
    expected = pyrefrain.near(texts).to_pylist()

    def clear(*_):
        texts.clear()

    assert pyrefrain.near(texts, progress=clear).to_pylist() == expected
