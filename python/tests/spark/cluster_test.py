"""A small cluster whose executors are killed, one in the middle of every step: the answer is the same."""

import contextlib
import glob
import os
import signal
import sys
import threading
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dedup_test import Decisions, in_many_tasks
from made_up import families, rows_of
from spark_case import main


def children(pid):
    """Of all its threads: Java starts processes from any."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            found += map(int, file.read().split())
    return found


def executors(pid):
    """The executors that process `pid` started, or that its children did."""
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
            self.expect_same(rows)
            with in_many_tasks():
                self.expect_same(rows)
        print(f"{killing.killed} executors killed", file=sys.stderr)
        self.assertGreater(killing.killed, 4)


if __name__ == "__main__":
    # Executors are started again as often as it takes, and a task that was lost with one counts for nothing.
    main("local-cluster[2,1,1024]", **{"spark.deploy.maxExecutorRetries": "-1", "spark.task.maxFailures": "100",
                                       "spark.stage.maxConsecutiveAttempts": "100", "spark.executor.memory": "512m"})
