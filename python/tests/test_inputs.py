"""Every kind of input gives the same answer, and results of the input's type."""
import datetime
import decimal
import json
import pathlib
import uuid

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyrefrain
from pyrefrain import errors

BODY = "the council met on monday to talk about the old bridge over the river and how to pay for it"
TEXTS = [BODY, "nothing of the kind is in this text about ships and harbours far away", BODY + "!", None, BODY, "short"]
KEPT = [0, 1, 3, 5]
ROWS = {"text": TEXTS, "number": [1, 2, 3, 4, 5, 6], "day": [datetime.date(2020, 1, day) for day in (5, 6, 9, 1, 2, 3)]}

datasets.disable_progress_bars()


def kept_texts():
    return [TEXTS[row] for row in KEPT]


@pytest.mark.parametrize("data", [
    TEXTS,
    tuple(TEXTS),
    (text for text in TEXTS),
    pd.Series(TEXTS),
    pd.DataFrame(ROWS),
    pl.DataFrame(ROWS),
    pl.Series("text", TEXTS),
    pa.table(ROWS),
    pa.record_batch(ROWS),
    pa.array(TEXTS, pa.large_string()),
    pa.array(TEXTS).dictionary_encode(),
    pa.chunked_array([TEXTS[:2], TEXTS[2:]], pa.string_view()),
    pa.table(ROWS).to_reader(max_chunksize=2),
    pa.table({"text": ["left out"] + TEXTS}).slice(1),
    datasets.Dataset.from_dict({"text": TEXTS})["text"],
], ids=lambda data: type(data).__name__)
def test_every_kind_of_input_is_decided_alike(data):
    found = pyrefrain.dedup(data)
    assert [row for row, decision in enumerate(found) if decision["keep"]] == KEPT == found.kept_rows
    assert [decision["match"] for decision in found] == [None, None, 0, None, 0, None]


def test_what_is_kept_is_of_the_kind_that_was_given():
    assert pyrefrain.dedup(TEXTS).kept() == kept_texts()
    assert pyrefrain.dedup(tuple(TEXTS)).kept() == tuple(kept_texts())
    assert pyrefrain.dedup(pa.table(ROWS)).kept().equals(pa.table(ROWS).take(KEPT))
    assert pyrefrain.dedup(pl.DataFrame(ROWS)).kept().equals(pl.DataFrame(ROWS)[KEPT])
    frame = pd.DataFrame(ROWS, index=list("abcdef"))
    assert pyrefrain.dedup(frame).kept().equals(frame.iloc[KEPT])
    with pytest.raises(TypeError, match="kept_rows"):
        pyrefrain.dedup(text for text in TEXTS).kept()


def test_texts_and_names_of_files_are_not_confused(tmp_path):
    texts = ["a text that is there twice", "another one", "a text that is there twice"]
    names = [str(tmp_path / f"{row}.txt") for row in range(len(texts))]
    for name, text in zip(names, texts):
        pathlib.Path(name).write_text(text)
    for function in (pyrefrain.dedup, pyrefrain.near, pyrefrain.fingerprint, pyrefrain.substrings, pyrefrain.ngrams):
        with pytest.raises(errors.InvalidArgument, match="texts or paths.*0.txt"):
            function(names)
    assert [row["keep"] for row in pyrefrain.dedup(paths=names)] == [True, True, False]
    assert len(pyrefrain.dedup(paths=tmp_path)) == len(texts)
    assert pyrefrain.dedup(texts=names, exact=True, near="off").kept() == names
    assert len(pyrefrain.dedup(names + ["no file"])) == len(names) + 1
    for wrong in ({}, {"paths": names, "texts": TEXTS}):
        with pytest.raises(TypeError, match="expected one input"):
            pyrefrain.dedup(**wrong)
    with pytest.raises(TypeError, match="several texts"):
        pyrefrain.dedup(texts="one")


def test_rows_without_a_text_are_kept_dropped_or_an_error(tmp_path):
    texts = ["one text", None, "one text", None]
    for data in (texts, pa.table({"text": texts}), pl.DataFrame({"text": texts}), pd.DataFrame({"text": texts})):
        found = pyrefrain.dedup(data)
        assert len(found) == 4 and found.kept_rows == [0, 1, 3]
        assert found[1]["reason"] is None and found[1]["match"] is None
        assert len(found.kept()) == 3
        assert pyrefrain.dedup(data, nulls="drop").kept_rows == [0]
        with pytest.raises(errors.BadInput):
            pyrefrain.dedup(data, nulls="error")
    assert pyrefrain.dedup(texts, substrings=20).kept() == ["one text", None, None]
    (tmp_path / "a.jsonl").write_text('{"text": "one text"}\n{"text": null}\n')
    with pytest.raises(errors.BadInput, match="a.jsonl:2"):
        pyrefrain.dedup(tmp_path / "a.jsonl", nulls="error")
    with pytest.raises(errors.Unsupported, match="nulls: 'drop' is for data in memory"):
        pyrefrain.dedup(tmp_path / "a.jsonl", nulls="drop")
    with pytest.raises(errors.InvalidArgument, match="nulls: there is no 'skip'"):
        pyrefrain.dedup(texts, nulls="skip")


def ids_of(kind):
    """Four ids of an Arrow type, the last one of three bytes or more."""
    if pa.types.is_integer(kind):
        return [7, 100, 0, 9]
    if kind == pa.uuid():
        return [uuid.UUID(int=at * 2**90) for at in range(4)]
    if kind == pa.string() or kind == pa.large_string():
        return ["a", "b", "c", "def"]
    return [b"a\0\xff", b"bbb", b"\xff\xfe\xfd", b"def"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.int8(), pa.uint64(), pa.string(), pa.large_string(), pa.binary(),
                                  pa.large_binary(), pa.binary(3), pa.uuid(), pa.dictionary(pa.int8(), pa.string()),
                                  pa.dictionary(pa.int32(), pa.int64())], ids=str)
def test_ids_keep_their_type(kind):
    value = kind.value_type if isinstance(kind, pa.DictionaryType) else kind
    ids = ids_of(value)
    if value == pa.uint64():
        ids[1] = 2**64 - 1
    elif value == pa.int64():
        ids[1] = -2**63
    column = pa.array(ids, value)
    table = pa.table({"text": [BODY, "another text", BODY, BODY + "!"],
                      "id": column.dictionary_encode() if value is not kind else column})
    found = pyrefrain.dedup(table, id="id")
    assert list(found["id"]) == ids
    assert list(found["match"]) == [None, None, ids[0], ids[0]]
    if value not in (pa.int8(), pa.string(), pa.binary()):  # these become their larger types
        assert pa.table(found).schema.field("id").type == value
        assert pa.table(found)["match"].to_pylist() == [None, None, ids[0], ids[0]]
    assert list(pyrefrain.near(table, id="id")["id2"]) == [ids[2], ids[3]]
    frame = table.to_pandas()
    merged = frame.merge(found.to_pandas()[["id", "keep"]], on="id")
    assert merged["keep"].tolist() == [True, True, False, False]
    nulls = pa.table({"text": ["a", "b"], "id": pa.array([ids[0], None], value)})
    with pytest.raises(errors.InvalidArgument, match="row 1 of column 'id' is null"):
        pyrefrain.dedup(nulls, id="id")


def test_results_from_files_say_how_their_texts_are_written(tmp_path):
    (tmp_path / "a.txt").write_text(TEXTS[0])
    found = pyrefrain.dedup([tmp_path / "a.txt"])
    assert found.kept_rows == [0]
    for method in (found.kept, found.cut_texts, found.annotated):
        with pytest.raises(TypeError, match="read from files; dedup.*apply=True"):
            method()
    with pytest.raises(TypeError, match="read from files; substrings"):
        pyrefrain.substrings(tmp_path / "a.txt", length=20).clean()


def test_ids_from_files_are_as_they_were(tmp_path):
    ids = ["#1", "a\tb", "c\\d", "e\nf", "\\t", "plain"]
    rows = [{"id": id, "body": "the same words in every one of these documents, which are many"} for id in ids]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = tmp_path / "in.jsonl"
    options = {"text": "body", "id": "id"}
    assert list(pyrefrain.fingerprint(path, **options)["id"]) == ids
    assert list(pyrefrain.dedup(path, **options)["id"]) == ids
    matches = pyrefrain.near(path, **options)
    assert list(matches.documents["id"]) == ids
    assert list(matches["id2"]) == ids[1:]
    assert set(pyrefrain.substrings(path, length=20, **options)["id"]) == set(ids)
    assert {place["id"] for row in pyrefrain.ngrams(path, n=3, **options) for place in row["places"]} == set(ids)
    assert pyrefrain.explain("#1", "a\tb", within=path, **options).similarity == 1


def test_cuts_reach_the_texts_of_every_kind():
    passage = "a passage of more than twenty bytes that occurs twice"
    texts = ["one begins here: " + passage, "quite another: " + passage + ". End.", "all alone"]
    wanted = ["one begins here: " + passage, "quite another. End.", "all alone"]
    options = {"substrings": 20, "near": "off"}
    assert pyrefrain.dedup(texts, **options).kept() == wanted
    table = pa.table({"n": [1, 2, 3], "text": texts})
    assert pyrefrain.dedup(table, **options).kept().to_pydict() == {"n": [1, 2, 3], "text": wanted}
    assert pyrefrain.dedup(pa.array(texts), **options).kept().to_pylist() == wanted
    assert pyrefrain.dedup(table.to_pandas(), **options).kept()["text"].tolist() == wanted
    assert pyrefrain.dedup(pl.DataFrame(table), **options).kept()["text"].to_list() == wanted
    assert pyrefrain.dedup(datasets.Dataset(table), **options).to_dict() == {"n": [1, 2, 3], "text": wanted}
    assert pyrefrain.substrings(texts, length=20).clean() == wanted


def test_a_dataset_comes_back_without_its_duplicates():
    dataset = datasets.Dataset.from_dict(ROWS)
    clean = pyrefrain.dedup(dataset, text="text")
    assert clean.to_dict() == {name: [values[row] for row in KEPT] for name, values in ROWS.items()}
    assert clean.features == dataset.features


def test_a_dataset_with_selected_rows_is_read_in_their_order():
    dataset = datasets.Dataset.from_dict(ROWS).select([4, 1, 0, 5])
    assert pyrefrain.dedup(dataset)["number"][:] == [5, 2, 6]
    assert pyrefrain.dedup(dataset, keep="min:number")["number"][:] == [2, 1, 6]


def test_a_dataset_on_disk_is_read_where_it_lies(tmp_path):
    datasets.Dataset.from_dict(ROWS).save_to_disk(tmp_path / "saved")
    dataset = datasets.load_from_disk(tmp_path / "saved")
    assert pyrefrain.dedup(dataset)["number"][:] == [1, 2, 4, 6]


def test_decisions_stand_beside_the_data():
    wanted = {"keep": [True, True, False, True, False, True], "reason": [None, None, "near", None, "exact", None],
              "match": [None, None, 0, None, 0, None], "similarity": [None, None, 1.0, None, 1.0, None],
              "cluster": [0, None, 0, None, 0, None]}
    for data in [datasets.Dataset.from_dict(ROWS), pa.table(ROWS), pl.DataFrame(ROWS)]:
        found = pyrefrain.dedup(data, annotate=True)
        found = (found.to_dict(as_series=False) if isinstance(found, pl.DataFrame)
                 else found.to_dict() if isinstance(found, datasets.Dataset) else found.to_pydict())
        assert found == {**ROWS, **wanted}
    frame = pyrefrain.dedup(pd.DataFrame(ROWS), annotate=True)
    assert frame["keep"].tolist() == wanted["keep"] and frame["number"].tolist() == ROWS["number"]


@pytest.mark.parametrize("keep, row", [
    ("first", 0), ("longest", 2), ("max:number", 4), ("min:number", 0), ("newest:day", 2), ("max:float", 0),
    ("newest:time", 4)])
def test_a_field_of_any_type_decides_what_is_kept(keep, row):
    times = [datetime.datetime(2020, 1, 1, hour) for hour in (1, 2, 3, 4, 23, 6)]
    table = pa.table({**ROWS, "float": [-0.5, 0, -1.5, 0, -2.5, 0], "time": times})
    kept = pyrefrain.dedup(table, keep=keep).kept_rows
    assert sorted(set(kept) & {0, 2, 4}) == [row]


def test_ids_name_documents_and_matches():
    table = pa.table({"text": TEXTS, "name": list("abcdef"), "number": [10, 20, 30, 40, 50, 60]})
    by_name = pyrefrain.dedup(table, id="name")
    assert [(row["id"], row["match"]) for row in by_name] == [
        ("a", None), ("b", None), ("c", "a"), ("d", None), ("e", "a"), ("f", None)]
    assert [row["match"] for row in pyrefrain.dedup(table, id="number")] == [None, None, 10, None, 10, None]


def test_packed_texts_are_unpacked_a_part_at_a_time():
    texts = [f"{BODY} number {i % 20000} of many" for i in range(40000)]
    wanted = pyrefrain.fingerprint(texts).to_pylist()
    table = pa.table({"text": pa.array(texts), "name": [str(i) for i in range(40000)]})
    for kind in [pa.string_view(), pa.dictionary(pa.int32(), pa.string())]:
        packed = table.set_column(0, "text", table["text"].cast(kind))
        assert pyrefrain.fingerprint(packed).to_pylist() == wanted
        found = pyrefrain.dedup(packed, id="name", near="off")
        assert found.kept_rows == list(range(20000)) and found[39999]["match"] == "19999"
        assert list(found.cut_texts()) == texts[:20000]
    with pytest.raises(errors.InvalidArgument, match="expected strings"):
        pyrefrain.dedup(pa.array([1, 1, 2]).dictionary_encode())


def test_results_go_to_every_library():
    found = pyrefrain.dedup(TEXTS)
    wanted = found.to_pylist()
    assert found.to_arrow().to_pylist() == wanted == list(found)
    assert pa.table(found).equals(found.to_arrow())
    assert found.to_polars().to_dicts() == wanted == pl.DataFrame(found).to_dicts()
    assert found.to_pandas()["keep"].tolist() == [row["keep"] for row in wanted]
    assert list(found["reason"]) == [row["reason"] for row in wanted] and found[-1] == wanted[-1]
    assert found.columns == list(wanted[0]) and len(found) == len(TEXTS)
    near = pyrefrain.near(TEXTS)
    assert near.to_arrow().column_names == ["id1", "id2", "diff"] and len(near.documents.to_polars()) == len(TEXTS)


def test_a_notebook_shows_a_table_and_escapes_what_is_in_it():
    found = pyrefrain.dedup(pa.table({"text": TEXTS, "name": ["<script>", *"bcdef"]}), id="name")
    page = found._repr_html_()
    assert "4 of 6 documents kept" in page and "&lt;script&gt;" in page and "<script>" not in page
    assert "width:66.7%" in page and repr(found) == "<Decisions: 4 of 6 documents kept>"


def test_no_texts_are_no_mistake():
    assert pyrefrain.dedup([]).kept() == [] and len(pyrefrain.near([])) == 0 and pyrefrain.substrings([]).clean() == []
    assert pyrefrain.ngrams([]).to_pylist() == [] and pyrefrain.fingerprint(pa.array([], pa.string())).to_pylist() == []


def test_reasons_name_the_argument():
    report = pyrefrain.near(["long text " * 20, "short"], max_doc_bytes=100).report
    assert [bad["reason"] for bad in report["bad_record_examples"]] == ["longer than max_doc_bytes (100 bytes)"]


def test_mistakes_name_the_argument(tmp_path):
    def refused(kind, message, function=pyrefrain.dedup, data=TEXTS, **options):
        with pytest.raises(kind, match=message) as caught:
            function(data, **options)
        return caught.value

    assert refused(errors.InvalidArgument, "^threshold: must be above 0", threshold=0).option == "threshold"
    refused(errors.InvalidArgument, "^threshold: cannot be 'much'", threshold="much")
    refused(errors.InvalidArgument, "^near: there is no 'cosine'; choose from minhash, simhash, off", near="cosine")
    refused(errors.InvalidArgument, "^substrings: must be a number, or off", substrings="on")
    refused(errors.InvalidArgument, "has no effect without verify", pyrefrain.near, threshold=0.5)
    refused(errors.InvalidArgument, "^distance: has no effect without near simhash; remove it", distance=3)
    refused(errors.InvalidArgument, "^against_min: has no effect without against;", against_min=3)
    refused(errors.InvalidArgument, "no column 'body'; the columns are: text, number, day", data=pa.table(ROWS),
            text="body")
    refused(errors.InvalidArgument, "no column 'rank'", data=pa.table(ROWS), keep="max:rank")
    refused(errors.InvalidArgument, "^apply: writes files", apply=True)
    refused(errors.InvalidArgument, "expected strings, numbers or dates",
            data=pa.table({"text": TEXTS, "n": [decimal.Decimal(1)] * 6}), id="n")
    refused(errors.NotFound, "missing.jsonl", data=tmp_path / "missing.jsonl")
    refused(TypeError, r"dedup\(\) has no argument 'treshold'", treshold=0.5)
    refused(TypeError, "name a split", data=datasets.DatasetDict({"train": datasets.Dataset.from_dict(ROWS)}))
    refused(TypeError, "__arrow_c_stream__", data=7)
    assert issubclass(errors.NotFound, FileNotFoundError) and issubclass(errors.OverBudget, MemoryError)
    assert all(issubclass(getattr(errors, name), (errors.Error, UserWarning)) for name in errors.__all__)


def test_text_and_id_are_fields_of_files(tmp_path):
    (tmp_path / "rows.csv").write_text("body,key\n"
                                       + "".join(f'"{text}",k{row}\n' for row, text in enumerate(TEXTS) if text))
    found = pyrefrain.dedup(tmp_path / "rows.csv", text="body", id="key")
    assert [row["id"] for row in found if row["keep"]] == ["k0", "k1", "k5"]
    with pytest.raises(errors.Error, match="text 'text'|'text'") as caught:
        pyrefrain.dedup(tmp_path / "rows.csv")
    assert "--" not in str(caught.value)
