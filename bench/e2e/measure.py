"""Runs one command and measures it: wall seconds, peak RSS, temporary bytes."""
import dataclasses
import os
import pathlib
import subprocess
import threading
import time

POLL_SECONDS = 0.05
MB = 1e6


class Failed(Exception):
    """A command that could not be run, or whose answer was wrong: it has no figures."""


@dataclasses.dataclass
class Measured:
    seconds: float
    peak_rss_mb: float
    temp_mb: float  # the most that stood in the watched folders, less what stands there at the end
    stderr: str


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


class FolderWatch:
    """The peak size of some folders, looked at every POLL_SECONDS while the context is open."""

    def __init__(self, folders):
        self.folders = folders
        self.peak = 0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.done.wait(POLL_SECONDS):
            self.peak = max(self.peak, folder_bytes(self.folders))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.peak = max(self.peak, folder_bytes(self.folders))


def run(command, watched=(), stdout=None, env=None):
    """Runs `command` (its standard output into the file `stdout`) and measures it. Failed where its exit code is not 0."""
    out = open(stdout, "wb") if stdout else subprocess.DEVNULL
    try:
        with FolderWatch(watched) as watch:
            begin = time.perf_counter()
            # All of standard error is read at the end: our commands write a few lines to it.
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, env={**os.environ, **(env or {})})
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
    """Makes the data file `target` with a program of bench/twin, unless it is there and no older than its maker."""
    target = pathlib.Path(target)
    if target.exists() and target.stat().st_mtime >= pathlib.Path(generator).stat().st_mtime:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    run([generator, *arguments, "--output", part])
    side = part.with_name(part.name + ".planted")
    if side.exists():
        side.rename(target.with_name(target.name + ".planted"))
    part.rename(target)
