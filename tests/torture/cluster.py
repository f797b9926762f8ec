"""A cluster that fails: dedup on Spark gives the program's answer, or an error; never another answer.

A standalone Spark has two workers with addresses of their own, so that it starts slow tasks a second time on the
other worker. In every step, tasks fail at their beginning, in the middle or at their end, Python workers exit or are
killed, tasks are late, and executors are killed with everything they have shuffled (by task_faults.py, and here for
steps without Python). The order and the partitions of the input differ each time. The documents are decided by one
task or by many, and the result is the decisions or the kept rows. In some runs one step always fails, which must be
an error. In others the ids of the rows are numbered, or drawn, again each time the input is evaluated: then the
answer is an error that names a row, or contains every text once.

    cluster.py [--full] [--seed N] [--runs N]

Without a flag there is one run of each kind; with --full there are ten. Needs the packages that `tools/setup test`
fetches.
"""

import argparse
import collections
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, os.pardir, "python", "tests", "spark"))
import spark_case  # noqa: E402
from cluster_test import executors  # noqa: E402
from dedup_test import Decisions, in_many_tasks  # noqa: E402
from generated import families, rows_of, words  # noqa: E402

KINDS = [(spread, apply, trouble) for trouble in ("", "always", "numbered", "drawn") for spread in (False, True)
         for apply in (False, True) if apply or trouble in ("", "always")]
STEPS = {False: ["sketched", "plan", "similar", "outcome"], True: ["sketched", "met", "left", "similar", "heads"]}
KILLED = 0.25  # the share of steps in which an executor is killed, some time after the step has begun
SETTINGS = {
    "spark.speculation": "true", "spark.speculation.interval": "100ms", "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.1", "spark.speculation.task.duration.threshold": "1s",
    "spark.task.maxFailures": "12", "spark.stage.maxConsecutiveAttempts": "20",
    "spark.python.daemon.module": "task_faults", "spark.executor.memory": "512m", "spark.executor.cores": "2",
    "spark.cores.max": "4", "spark.eventLog.enabled": "true", "spark.sql.shuffle.partitions": "3"}


@contextlib.contextmanager
def standalone(folder):
    """Starts a master and two workers; yields the master's address, and the workers."""
    os.environ.update(SPARK_DAEMON_MEMORY="256m", SPARK_DAEMON_JAVA_OPTS="-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                      SPARK_MASTER_OPTS="-Dspark.deploy.maxExecutorRetries=-1",
                      SPARK_WORKER_DIR=os.path.join(folder, "work"))
    start = [os.path.join(spark_case.SPARK_DIR, "pyspark", "bin", "spark-class")]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    commands = [["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port),
                 "--webui-port", "0"]]
    commands += [["org.apache.spark.deploy.worker.Worker", "--host", f"127.0.0.{host}", "--webui-port", "0",
                  "--cores", "2", "--memory", "512m", f"spark://127.0.0.1:{port}"] for host in (2, 3)]
    with open(os.path.join(folder, "cluster.log"), "w", encoding="utf-8") as log:
        processes = []
        try:
            for command in commands:
                environment = {**os.environ, "SPARK_LOCAL_IP": command[2]}
                processes.append(subprocess.Popen([*start, *command], stdout=log, stderr=log, env=environment,
                                                  start_new_session=True))
                while processes[0].poll() is None and len(processes) == 1:
                    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                        break
                    time.sleep(0.2)
            yield f"spark://127.0.0.1:{port}", processes[1:]
        finally:
            for process in processes:
                os.killpg(process.pid, signal.SIGKILL)  # including the executors
                process.wait()


class Run(Decisions):
    """One run of each test; all share their counts."""

    seed, faults, workers, counts = 0, None, (), collections.Counter()

    def run_kind(self, number, spread, apply, trouble):
        pick = random.Random(f"{self.seed} {number}")
        Path(self.faults).write_text(json.dumps({
            "seed": f"{self.seed} {number}",
            "always": pick.choice(STEPS[spread]) if trouble == "always" else None}), encoding="utf-8")
        before = self.happened()
        with in_many_tasks() if spread else contextlib.nullcontext(), self.killing(pick):
            (self.run_unstable if trouble in ("numbered", "drawn") else self.run_stable)(pick, apply, trouble)
        self.counts["runs"] += 1
        self.counts.update(self.happened() - before)

    def run_stable(self, pick, apply, trouble):
        from pyrefrain import spark
        rows = rows_of(families(pick.random(), pick.randint(60, 200), navigation=pick.choice([0, 60]),
                                crowd=pick.choice([4, 40])))
        expected, _ = self.expected(rows)
        shuffled = pick.sample(rows, len(rows))
        frame = self.spark.createDataFrame(shuffled, "id string, text string").repartition(pick.randint(1, 7))
        try:
            result = spark.dedup(frame, apply=apply, checkpoint=f"file://{self.folder}/kept")
            found = result.collect()
        except Exception as error:
            self.counts["runs with an error"] += 1
            if trouble != "always" or "InjectedError" not in str(error):
                raise
            return
        self.assertEqual(trouble, "", "a step that always fails did not fail")
        if apply:
            self.assertEqual(sorted(map(tuple, found)), [row for row in rows if expected[row[0]][1]])
        else:
            self.assertEqual({row.id: self.shown(row) for row in found}, expected)
            self.assertEqual(len(found), len(rows))

    def run_unstable(self, pick, apply, trouble):
        """Runs with copies of texts that have nothing else in common: whatever the ids are, one copy of each is kept.
        """
        from pyrefrain import spark
        from pyspark.sql import functions as F
        texts = [" ".join(words(pick, 50)) for _ in range(pick.randint(60, 150))]
        rows = [(text,) for text in texts for _ in range(pick.randint(1, 3))]
        frame = self.spark.createDataFrame(pick.sample(rows, len(rows)), "text string").repartition(pick.randint(2, 7))
        frame = frame.withColumn("id", F.monotonically_increasing_id() if trouble == "numbered" else F.expr("uuid()"))
        try:
            found = spark.dedup(frame, apply=apply, checkpoint=f"file://{self.folder}/kept").collect()
        except Exception as error:
            self.counts["runs with an error"] += 1
            self.assertRegex(str(error), r"id: row \S+ has (changed|appeared|disappeared|been repeated|"
                                         r"changed or disappeared) since")
            return
        self.assertEqual(sorted(row.text for row in found), sorted(texts))

    @contextlib.contextmanager
    def killing(self, pick):
        """Within this context, steps have names that tasks can see, and executors are killed in some steps."""
        from pyrefrain.spark.frames import Workspace
        keep = Workspace.keep

        def named(workspace, frame, name):
            self.spark.sparkContext.setJobDescription(name)
            kill = threading.Timer(pick.random() * 3, self.kill, [pick.choice(self.workers)])
            if pick.random() < KILLED:
                kill.start()
            try:
                return keep(workspace, frame, name)
            finally:
                kill.cancel()
                self.spark.sparkContext.setJobDescription("other")

        with mock.patch.object(Workspace, "keep", named):
            yield

    def kill(self, worker):
        for one in executors(worker.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
                self.counts["executors killed from the driver"] += 1

    def happened(self):
        path = Path(f"{self.faults}.log")
        kinds = [line.split() for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
        for _, step in kinds:
            self.steps.add(step)
        names = {"task": "tasks in Python", "executor": "executors killed by their tasks"}
        return collections.Counter(names.get(kind, f"{kind} on purpose") for kind, _ in kinds)


def of_events(folder):
    """Counts events of tasks in Spark's own log."""
    counts = collections.Counter()
    for path in Path(folder).iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # the last line may be incomplete
                event = json.loads(line)
                if event["Event"] == "SparkListenerTaskStart":
                    counts["attempts"] += 1
                    counts["speculative attempts"] += event["Task Info"]["Speculative"]
                elif event["Event"] == "SparkListenerTaskEnd":
                    counts["attempts without success"] += event["Task End Reason"]["Reason"] != "Success"
                elif event["Event"] == "SparkListenerStageSubmitted":
                    counts["stages repeated"] += event["Stage Info"]["Stage Attempt ID"] > 0
                elif event["Event"] == "SparkListenerExecutorRemoved":
                    counts["executors lost"] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="ten runs of each kind")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--runs", type=int, help="of all kinds in turn")
    options = parser.parse_args()
    print(f"cluster: seed {options.seed}", flush=True)
    if reason := spark_case.missing():
        print(f"skipped: {reason}")
        return
    runs = options.runs or len(KINDS) * (10 if options.full else 1)
    with tempfile.TemporaryDirectory(prefix="refrain-cluster-", ignore_cleanup_errors=True) as folder:
        Run.folder, Run.seed, Run.faults, Run.steps = folder, options.seed, os.path.join(folder, "faults"), set()
        events = os.path.join(folder, "events")
        os.mkdir(events)
        spark_case.PATHS.append(HERE)
        spark_case.prepare(folder, "", {})
        os.environ["REFRAIN_TASK_FAULTS"] = Run.faults
        with standalone(folder) as (master, Run.workers):
            Run.spark = spark_case.make_session(folder, master, **SETTINGS, **{
                "spark.eventLog.dir": f"file://{events}", "spark.executorEnv.REFRAIN_TASK_FAULTS": Run.faults})
            tests = type("Cluster", (Run,), {
                f"test_{number:03}: {'many tasks' if spread else 'one task'}"
                f"{', apply' if apply else ''}{trouble and f', {trouble}'}":
                lambda self, given=(number, spread, apply, trouble): self.run_kind(*given)
                for number, (spread, apply, trouble) in ((at, KINDS[at % len(KINDS)]) for at in range(runs))})
            result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(tests))
            Run.spark.stop()
        counts = Run.counts + of_events(events)
    told = ", ".join(f"{counts[name]} {name}" for name in sorted(counts) if name != "runs")
    print(f"cluster: {counts['runs']} runs, {told}; steps with tasks in Python: {' '.join(sorted(Run.steps))};"
          f" seed {options.seed}", flush=True)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
