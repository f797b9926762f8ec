"""Runs a program with a memory limit: that of a control group (version 1 or 2) below the group that the test runs in.

If control groups are not available, an equal limit on the data of the process is used (REFRAIN_NO_CGROUP=1 forces
this). Files that are read pass through the page cache, which a control group counts and reclaims.
"""

import contextlib
import ctypes
import errno
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time

from program import environment, program

GROUP_PREFIX = "refrain-memory-test-"
PROBED = 64 << 20  # a limit that any group can grant


def own_groups():
    """Yields (a group in which one of ours might be created, the name of its limit file), the most likely first."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        for line in file:
            _, controllers, group = line.rstrip("\n").split(":", 2)
            if "memory" in controllers.split(","):
                yield "/sys/fs/cgroup/memory" + group, "memory.limit_in_bytes"
            elif not controllers:
                # A group with processes cannot delegate controllers, but one of its ancestors may.
                while group not in ("", "/"):
                    group = os.path.dirname(group)
                    yield "/sys/fs/cgroup" + group.rstrip("/"), "memory.max"


class GroupLimit:
    """A control group with a limit, created for one run."""

    count = 0

    def __init__(self, parent, limit_file, limit):
        GroupLimit.count += 1
        self.path = os.path.join(parent, f"{GROUP_PREFIX}{os.getpid()}-{GroupLimit.count}")
        os.mkdir(self.path)
        try:
            self.put(limit_file, limit)
        except OSError:
            os.rmdir(self.path)
            raise

    def put(self, name, value):
        with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
            file.write(str(value))

    def enter(self):
        self.put("cgroup.procs", 0)

    def close(self):
        for _ in range(200):  # the kernel releases a group a moment after its last process ended
            try:
                return os.rmdir(self.path)
            except OSError as error:
                if error.errno == errno.ENOENT:
                    return None
                time.sleep(0.02)
        raise OSError(f"{self.path}: cannot be removed")


class DataLimit:
    """A limit on the memory that the process itself allocates, for use without control groups."""

    def __init__(self, limit):
        self.limit = limit

    def enter(self):
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))  # a thread's whole stack counts
        resource.setrlimit(resource.RLIMIT_DATA, (self.limit, self.limit))

    def close(self):
        pass


def group_parent():
    """Returns where groups with a limit can be created, or None."""
    if os.environ.get("REFRAIN_NO_CGROUP"):
        return None
    for parent, limit_file in own_groups():
        try:
            for name in os.listdir(parent):  # left by test runs that were killed
                if name.startswith(GROUP_PREFIX) and not os.path.exists(f"/proc/{name.split('-')[3]}"):
                    os.rmdir(os.path.join(parent, name))
            GroupLimit(parent, limit_file, PROBED).close()
            return parent, limit_file
        except OSError:
            continue
    return None


PARENT = group_parent()


@contextlib.contextmanager
def limit_of(size):
    limit = GroupLimit(*PARENT, size) if PARENT else DataLimit(size)
    try:
        yield limit
    finally:
        limit.close()


class Outcome:
    def __init__(self, code, err, peak):
        self.code, self.err, self.peak = code, err, peak


def run_limited(*arguments, size, name="refrain", cwd=None, timeout=100, stdout=subprocess.DEVNULL):
    """Runs the program to its end within the limit. `peak` is the largest resident set in bytes."""
    with limit_of(size) as limit, tempfile.TemporaryFile() as messages:

        def enter():
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # killed when this test ends, for whatever reason
            limit.enter()

        process = subprocess.Popen([program(name), *arguments], cwd=cwd, stdin=subprocess.DEVNULL, stdout=stdout,
                                   stderr=messages, preexec_fn=enter, env=environment())
        watchdog = threading.Timer(timeout, process.kill)
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return Outcome(process.returncode, messages.read().decode(errors="replace"), usage.ru_maxrss * 1024)
