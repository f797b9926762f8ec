"""The library from Python: the answers of dedup over the same documents, and nothing lost between calls."""
import json
import multiprocessing
import pickle

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import run_program

import pyrefrain
from pyrefrain import errors, kernels

BODY = "the council met on monday to talk about the old bridge over the river and how to pay for it"
OTHER = "nothing of the kind is in this text about ships and harbours far away"
TEXTS = [BODY, OTHER, BODY + "!", None, BODY]
IDS = ["a", "b", "c", "d", "e"]
STATUSES = ["new", "new", "near", None, "exact"]


@pytest.fixture
def library(tmp_path):
    with pyrefrain.Library(tmp_path / "library", memory="256M") as opened:
        yield opened


def test_documents_are_new_once(library):
    found = library.add(TEXTS, id=IDS)
    assert list(found["status"]) == STATUSES
    assert list(found["match"]) == [None, None, "a", None, "a"]
    assert list(found["added"]) == [True, True, False, False, False]
    assert list(found["id"]) == IDS and list(found["verified"]) == [False, False, True, False, True]
    assert found.kept() == [BODY, OTHER, None]
    assert repr(found) == "<Answers: 3 of 5 documents are new>"
    assert len(library) == 2
    assert library.is_duplicate(BODY + "?") and not library.is_duplicate("a text of its own, at last")
    assert list(library.seen(TEXTS)["status"]) == ["exact", "exact", "near", None, "exact"]
    assert len(library) == 2  # nothing was added by asking
    library.close()
    assert len(library) == 2 and library.is_duplicate(OTHER)
    assert [row["id"] for row in library.export()] == ["a", "b"]


def test_ids_are_digests_if_there_are_none(library):
    assert library.add(BODY)[0]["added"]
    digest = kernels.digests([BODY])[0].hex()
    assert library.seen([BODY])[0]["match"] == digest
    assert [row["id"] for row in library.export()] == [digest]
    for data in (pa.table({"text": TEXTS}), pd.DataFrame({"text": TEXTS})):
        with pytest.raises(errors.InvalidArgument, match="^id: name the column"):
            library.add(data)


@pytest.mark.parametrize("kind", [pa.table, pd.DataFrame, pl.DataFrame, datasets.Dataset.from_dict])
def test_tables_of_all_libraries(library, kind):
    data = kind({"text": TEXTS, "url": IDS})
    found = library.add(data, id="url")
    assert list(found["status"]) == STATUSES
    kept = found.kept()
    assert type(kept) is type(data)
    assert [str(id) for id in kept["url"]] == ["a", "b", "d"]
    number = library.seen(kind({"text": [BODY], "n": [7]}), id="n")[0]
    assert number["id"] == 7 and number["match"] == "a"


def test_what_is_removed_is_forgotten(library):
    library.add(TEXTS, id=IDS)
    report = library.remove(["b", "z"])
    assert (report["removed"], report["unknown_ids"]) == (1, ["z"])
    assert not library.is_duplicate(OTHER)
    assert library.merge()["documents"] == 1
    assert library.check()["damages"] == []
    assert library.stats()["documents"] == 1
    with pytest.raises(TypeError, match="expected several"):
        library.remove("a")


def test_wrong_calls_are_explained(library, tmp_path):
    with pytest.raises(errors.NotFound):
        library.is_duplicate(BODY)
    assert len(library) == 0
    with pytest.raises(errors.InvalidArgument, match="^id: 1 ids for 2 texts"):
        library.add([BODY, OTHER], id=["a"])
    with pytest.raises(errors.InvalidArgument, match="^id: an id is None"):
        library.add([BODY], id=[None])
    with pytest.raises(TypeError, match="files are compared by dedup"):
        library.seen([tmp_path])
    with pytest.raises(TypeError, match="treshold"):
        pyrefrain.Library(tmp_path / "other", treshold=1).add([BODY])


def test_one_process_adds_and_others_ask(library):
    library.add([BODY], id=["a"])
    other = pickle.loads(pickle.dumps(library))
    with pytest.raises(errors.Busy):
        other.add([OTHER], id=["b"])
    library.close()
    assert other.add([OTHER], id=["b"])[0]["added"]
    other.close()
    assert library.is_duplicate(OTHER)


def test_dedup_and_the_library_know_the_same(tmp_path):
    rows = [{"id": id, "text": text} for id, text in zip(IDS, TEXTS) if text]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_program("dedup", tmp_path / "in.jsonl", "-o", tmp_path / "run", "-q", "--library", tmp_path / "library")
    library = pyrefrain.Library(tmp_path / "library")
    assert list(library.seen(TEXTS, id=IDS)["match"]) == ["a", "b", "a", None, "a"]


def documents(count=1000):
    """Every third document is a copy of the one before it, and every fifth differs from it in one word."""
    texts = [f"document {at} tells of {at * 7919 % 1000} things that number {at} alone has, and of {at % 13} others in "
             f"words {at * 31}, {at * 37} and {at * 41} that are nobody else's" for at in range(count)]
    for at in range(2, count, 3):
        texts[at] = texts[at - 1]
    for at in range(4, count, 5):
        texts[at] = texts[at - 1] + " indeed"
    return [{"id": f"d{at}", "text": text, "more": at} for at, text in enumerate(texts)]


def test_a_stream_keeps_what_dedup_keeps(tmp_path):
    rows = documents()
    wanted = [row for row, keep in zip(rows, pyrefrain.dedup(pa.Table.from_pylist(rows), id="id")["keep"]) if keep]
    assert 400 < len(wanted) < 700
    assert list(pyrefrain.dedup_stream(rows)) == wanted
    assert list(pyrefrain.dedup_stream(row["text"] for row in rows)) == [row["text"] for row in wanted]
    # Two streams, one after the other, share a library.
    folder = tmp_path / "library"
    halves = [list(pyrefrain.dedup_stream(part, folder)) for part in (rows[:300], rows[300:])]
    assert halves[0] + halves[1] == wanted
    stream = datasets.Dataset.from_list(rows).to_iterable_dataset()
    kept = datasets.IterableDataset.from_generator(pyrefrain.dedup_stream, gen_kwargs={"documents": stream})
    assert list(kept) == wanted


def test_a_stream_gives_documents_as_they_come(tmp_path):
    read = []

    def source():
        for row in documents():
            read.append(row)
            yield row

    stream = pyrefrain.dedup_stream(source(), tmp_path / "library")
    next(stream)
    assert len(read) < 300
    stream.close()
    assert len(pyrefrain.Library(tmp_path / "library")) > 0
    rows = [{"id": "n", "text": None, "more": 0}]
    assert list(pyrefrain.dedup_stream(rows)) == rows


def add_in_turn(folder, part):
    while True:
        try:
            with pyrefrain.Library(folder) as library:
                return sum(library.add([row["text"] for row in part], id=[row["id"] for row in part])["added"])
        except errors.Busy:
            pass


def test_processes_take_turns(tmp_path):
    rows = documents(400)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        added = pool.starmap(add_in_turn, [(tmp_path / "library", rows[at::4]) for at in range(4)])
    library = pyrefrain.Library(tmp_path / "library")
    assert sum(added) == len(library) < 300
    assert all(status != "new" for status in library.seen([row["text"] for row in rows])["status"])
