"""Runs on a small cluster and kills an executor in the middle of every step: the result stays the same."""

import contextlib
import glob
import os
import signal
import sys
import threading
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dedup_test import Decisions, in_many_tasks
from generated import families, rows_of
from spark_case import LONG, main


def children(pid):
    """Returns the children of all threads of a process, because Java starts processes from any thread."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            found += map(int, file.read().split())
    return found


def executors(pid):
    """Returns the executors that process `pid` or its descendants started."""
    found = []
    for child in children(pid):
        with contextlib.suppress(OSError), open(f"/proc/{child}/cmdline", "rb") as file:
            if b"CoarseGrainedExecutorBackend" in file.read():
                found.append(child)
        found += executors(child)
    return found


class Killing:
    """Kills an executor a moment after each step has begun."""

    def __init__(self, keep):
        self.keep = keep
        self.killed = 0

    def __call__(self, workspace, frame, name):
        kill = threading.Timer(0.5, self._kill)
        kill.start()
        try:
            return self.keep(workspace, frame, name)
        finally:
            kill.cancel()
            kill.join()

    def _kill(self):
        for one in executors(os.getpid())[:1]:
            os.kill(one, signal.SIGKILL)
            self.killed += 1


class Cluster(Decisions):

    def test_executors_that_are_killed_change_nothing(self):
        from pyrefrain.spark.frames import Workspace
        killing = Killing(Workspace.keep)
        with mock.patch.object(Workspace, "keep", lambda *arguments: killing(*arguments)):
            rows = rows_of(families(8, 150, crowd=40))
            with in_many_tasks():
                self.expect_same(rows)
            if LONG:  # one task decides as well
                self.expect_same(rows)
        print(f"{killing.killed} executors killed", file=sys.stderr)
        self.assertGreater(killing.killed, 4 if LONG else 2)


if __name__ == "__main__":
    # Spark restarts executors as often as necessary, and does not count tasks that were lost with one as failed.
    main("local-cluster[2,1,1024]", **{"spark.deploy.maxExecutorRetries": "-1", "spark.task.maxFailures": "100",
                                       "spark.stage.maxConsecutiveAttempts": "100", "spark.executor.memory": "512m"})
