"""Runs the step in a pipeline of the real datatrove, with its readers and writers."""
import gzip
import json

import pytest
from conftest import run_program
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter

import pyrefrain.datatrove


def run_pipeline(folder, data, **options):
    """Returns (kept rows, dropped rows, statistics)."""
    step = pyrefrain.datatrove.Dedup(exclusion_writer=JsonlWriter(str(folder / "dropped")), **options)
    steps = [JsonlReader(str(data)), step, JsonlWriter(str(folder / "clean"))]
    statistics = LocalPipelineExecutor(pipeline=steps, tasks=1, logging_dir=str(folder / "logs")).run()
    return (*(read(folder / name) for name in ("clean", "dropped")), statistics)


def read(folder):
    rows = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            rows += [json.loads(line) for line in file]
    return rows


@pytest.mark.parametrize("options, message", [
    ({"threshold": "much"}, "^threshold: cannot be 'much'"), ({"treshold": 0.5}, "no argument 'treshold'"),
    ({"against_min": 5}, "^against_min: has no effect"), ({"near": "cosine"}, "^near: there is no 'cosine'"),
], ids=str)
def test_wrong_options_are_refused_at_once(options, message):
    with pytest.raises((pyrefrain.errors.InvalidArgument, TypeError), match=message):
        pyrefrain.datatrove.Dedup(**options)
    pyrefrain.datatrove.Dedup(against=["an item"], against_min=1, memory="1G", threads=2, progress=False, nulls="drop")


@pytest.mark.parametrize("options, flags", [
    ({}, []),
    ({"substrings": 60, "keep": "max:rate"}, ["--substrings", "60", "--keep", "max:rate"]),
], ids=str)
def test_a_pipeline_keeps_what_the_program_keeps(world, tmp_path, options, flags):
    path, _ = world
    data = tmp_path / "data"
    data.mkdir()
    (data / "documents.jsonl").write_bytes(path.read_bytes())
    run_program("dedup", path, "-o", tmp_path / "run", "-q", "--apply", *flags)
    wanted = [json.loads(line) for line in (tmp_path / "run/clean/documents.jsonl").read_text().splitlines()]
    decisions = [json.loads(line) for line in (tmp_path / "run/decisions.jsonl").read_text().splitlines()]
    kept, dropped, _ = run_pipeline(tmp_path, data, **options)
    assert [(row["id"], row["text"]) for row in kept] == [(row["id"], row["text"]) for row in wanted]
    assert [row["metadata"]["kind"] for row in kept] == [row["kind"] for row in wanted]
    assert [(row["id"], row["metadata"]["filter_reason"], row["metadata"]["match"]) for row in dropped] == [
        (row["id"], row["reason"], row["match"]) for row in decisions if not row["keep"]]


def test_many_tasks_are_refused():
    with pytest.raises(ValueError, match="tasks=1"):
        list(pyrefrain.datatrove.Dedup().run(iter([]), rank=0, world_size=2))


def test_many_tasks_share_a_library(world, tmp_path):
    _, rows = world
    data = tmp_path / "data"
    data.mkdir()
    for task in range(4):
        (data / f"{task}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[250 * task:250 * (task + 1)]))
    runs = []
    for again in range(2):
        folder = tmp_path / str(again)
        step = pyrefrain.datatrove.Unseen(str(tmp_path / "library"), JsonlWriter(str(folder / "dropped")), batch=100)
        steps = [JsonlReader(str(data)), step, JsonlWriter(str(folder / "clean"))]
        LocalPipelineExecutor(pipeline=steps, tasks=4, workers=1, logging_dir=str(folder / "logs")).run()
        runs.append([row["id"] for row in read(folder / "clean")])
        assert len(runs[-1]) + len(read(folder / "dropped")) == 1000
    assert runs[0] == runs[1]  # a task that is run again forwards what it has added
    kept = [row["id"] for row in pyrefrain.dedup_stream(rows)]
    assert runs[0] == kept and 300 < len(kept) < 900
