"""Spark's daemon of Python workers (spark.python.daemon.module), whose tasks fail, die or are slow. Used by
cluster.py.

$REFRAIN_TASK_FAULTS names a file that says what should happen: `seed`, and `always`, the step whose tasks always
fail, if any. The seed, the step, the partition and the attempt determine what happens to a task, and when. Events are
appended to the file of this name with the suffix `.log`.
"""

import json
import os
import random
import signal
import time

import pyspark.daemon
import pyspark.worker
from pyspark import TaskContext

FILE = os.environ["REFRAIN_TASK_FAULTS"]
EXECUTOR = os.getppid()
KINDS = ["failed", "exited", "killed", "executor", *["late"] * 4]
SHARES = [0.4, 0.2]  # of first and second attempts; later ones are left alone
read_udfs = pyspark.worker.read_udfs


class InjectedError(Exception):
    pass


def log(*what):
    with open(f"{FILE}.log", "a", encoding="utf-8") as file:
        file.write(" ".join(map(str, what)) + "\n")


def happen(kind, step, pick):
    log(kind, step)
    if kind == "late":  # so that another attempt starts beside this one, and both end at about the same time
        time.sleep(pick.choice([0.2, 1, 1.5, 2, 4]))
    elif kind == "failed":
        raise InjectedError(f"injected into {step}")
    elif kind == "exited":
        os._exit(3)
    else:
        os.kill(EXECUTOR if kind == "executor" else os.getpid(), signal.SIGKILL)
        time.sleep(60)


def faulty(function, split, batches):
    task = TaskContext.get()
    step = (task.getLocalProperty("spark.job.description") or "other").split()[0]
    with open(FILE, encoding="utf-8") as file:
        what = json.load(file)
    pick = random.Random(f"{what['seed']} {step} {task.partitionId()} {task.attemptNumber()}")
    hit = step == what["always"] or (task.attemptNumber() < len(SHARES)
                                     and pick.random() < SHARES[task.attemptNumber()])
    kind, when = "failed" if step == what["always"] else pick.choice(KINDS), pick.choice(["begin", "middle", "end"])
    log("task", step)
    if hit and when == "begin":
        happen(kind, step, pick)
    for made in function(split, batches):
        yield made
        if hit and when == "middle":
            happen(kind, step, pick)
            hit = False
    if hit and when != "begin":
        happen(kind, step, pick)


def faulty_udfs(*arguments):
    function, *others = read_udfs(*arguments)
    return (lambda split, batches: faulty(function, split, batches), *others)


if __name__ == "__main__":
    pyspark.worker.read_udfs = faulty_udfs
    pyspark.daemon.manager()
