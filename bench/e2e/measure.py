"""Runs one command and measures wall seconds, peak RSS and temporary bytes."""
import dataclasses
import os
import pathlib
import shutil
import stat
import subprocess
import threading
import time

POLL_SECONDS = 0.05
MB = 1e6


class Failed(Exception):
    """A command that could not be run, or whose answer was wrong; it has no figures."""


@dataclasses.dataclass
class Measured:
    seconds: float
    peak_rss_mb: float
    temp_mb: float  # peak size of the watched folders and nameless files, less what remains
    stderr: str
    note: str = ""  # the note of the check


def folder_bytes(folders):
    total = 0
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in names:
                try:
                    total += os.lstat(os.path.join(root, name)).st_blocks * 512
                except FileNotFoundError:
                    pass
    return total


def nameless_bytes(pid):
    """Returns the size of the nameless files that a process has open."""
    files = {}
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            info = os.stat(f"/proc/{pid}/fd/{name}")
            if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                files[info.st_dev, info.st_ino] = info.st_blocks * 512
    except OSError:
        pass  # the process has just ended, or closed a file
    return sum(files.values())


class DiskWatch:
    """Tracks the peak size of some folders and of the nameless files of process `pid`, polled every POLL_SECONDS
    while the context is open."""

    def __init__(self, folders):
        self.folders = folders
        self.pid = None
        self.peak = 0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.done.wait(POLL_SECONDS):
            nameless = nameless_bytes(self.pid) if self.pid else 0
            self.peak = max(self.peak, folder_bytes(self.folders) + nameless)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.peak = max(self.peak, folder_bytes(self.folders))


def run(command, watched=(), stdout=None, env=None):
    """Runs `command`, with its standard output in the file `stdout`, and measures it. Raises Failed if its exit code
    is not 0."""
    out = open(stdout, "wb") if stdout else subprocess.DEVNULL
    try:
        with DiskWatch(watched) as watch:
            begin = time.perf_counter()
            # Standard error is read at the end; the commands write only a few lines to it.
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
            watch.pid = process.pid
            stderr = process.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
    except OSError as error:
        raise Failed(f"{command[0]}: {error}") from error
    finally:
        if stdout:
            out.close()
    if process.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: exit {process.returncode}: {stderr.strip()[-500:]}")
    return Measured(seconds, usage.ru_maxrss * 1024 / MB, (watch.peak - folder_bytes(watched)) / MB, stderr)


def make(generator, arguments, target):
    """Makes the data file `target` with a program of bench/twin, unless it exists and is not older than the program."""
    target = pathlib.Path(target)
    if target.exists() and target.stat().st_mtime >= pathlib.Path(generator).stat().st_mtime:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    for old in (part, target):
        if old.is_dir():
            shutil.rmtree(old)
    run([generator, *arguments, "--output", part])
    side = part.with_name(part.name + ".planted")
    if side.exists():
        side.rename(target.with_name(target.name + ".planted"))
    part.rename(target)
