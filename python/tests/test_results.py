"""Results and their columns are sequences, masks and typed tables, and what is kept is of the kind that was given."""
import copy
import pickle
import subprocess
import sys

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyrefrain
from conftest import write_jsonl
from pyrefrain import errors, kernels

BODY = "the council met on monday to talk about the old bridge over the river and how to pay for it"
TEXTS = [BODY, "nothing of the kind is in this text about ships and harbours far away", BODY + "!", "short"]
KEEP = [True, True, False, True]
TABLE = pa.table({"text": TEXTS, "n": [1, 2, 3, 4]})

datasets.disable_progress_bars()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_jsonl(tmp_path_factory.mktemp("results") / "in.jsonl",
                       [{"id": f"d{row}", "text": text} for row, text in enumerate(TEXTS)])


def results(data, **options):
    near = pyrefrain.near(data, **options)
    return [pyrefrain.dedup(data, **options), near, near.documents, pyrefrain.fingerprint(data, **options),
            pyrefrain.substrings(data, length=20, **options), pyrefrain.ngrams(data, n=2, **options)]


def test_results_are_sequences_of_rows():
    for found in results(TEXTS):
        rows = found.to_pylist()
        assert rows and list(found) == rows == [found[at] for at in range(len(found))]
        assert list(reversed(found)) == rows[::-1] and found[-1] == rows[-1]
        for part in (slice(1), slice(1, None), slice(None, None, -1), slice(-2, None), slice(5, 2), slice(0, 99, 2)):
            assert found[part].to_pylist() == rows[part] and found[part].columns == found.columns
            assert pa.table(found[part]).schema == pa.table(found).schema
        assert found == rows and found == found[:] and found != rows[:-1] and found != [*rows, rows[0]]
        assert rows[-1] in found and {} not in found and found.index(rows[-1]) == rows.index(rows[-1])
        assert found.count(rows[0]) == rows.count(rows[0])
        with pytest.raises(IndexError):
            found[len(found)]


def test_columns_are_sequences_of_values():
    for found in results(TEXTS):
        for name in found.columns:
            values = [row[name] for row in found]
            column = found[name]
            assert list(column) == column.to_pylist() == values and column == values and values == column
            assert column == tuple(values) and column == found[name] and not column != values
            assert column != values[1:] and column != [*values[:-1], "another"] and column != 5
            for part in (slice(1), slice(1, None), slice(None, None, -1), slice(-2, None), slice(5, 2)):
                assert column[part] == values[part] and type(column[part]) is type(column)
            assert list(reversed(column)) == values[::-1]
            assert values[-1] in column and "another" not in column
            assert column.index(values[-1]) == values.index(values[-1])
            assert column.count(values[0]) == values.count(values[0])
            with pytest.raises(ValueError, match="'another' is not in the column"):
                column.index("another")
            if name not in ("count", "index", "documents"):
                assert getattr(found, name) == values and name in dir(found)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        found.nothing
    assert list(kernels.signatures(TEXTS)[1:3]) == list(kernels.signatures(TEXTS))[1:3]


def test_results_survive_pickle_and_copy(path):
    for data in (TEXTS, TABLE, pl.DataFrame(TABLE), TABLE.to_pandas(), datasets.Dataset(TABLE)["text"], iter(TEXTS),
                 np.array(TEXTS, object), TABLE.to_reader(), pl.LazyFrame(TABLE)):
        found = pyrefrain.dedup(data, substrings=20)
        for again in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
            assert type(again) is type(found) and again == found and again.report == found.report
            assert list(again.cut_texts()) == list(found.cut_texts()) and again.kept_rows == found.kept_rows
            assert again._repr_html_() == found._repr_html_()
            if not isinstance(data, type(iter([]))):
                assert type(again.kept()) is type(found.kept())
    for found in results(TEXTS) + results(path):
        again = pickle.loads(pickle.dumps(found))
        assert again == found and pa.table(again).equals(pa.table(found)) and repr(again) == repr(found)
        for name in found.columns:
            assert pickle.loads(pickle.dumps(found[name])) == found[name]
    assert pickle.loads(pickle.dumps(pyrefrain.substrings(TEXTS, length=20))).clean() == pyrefrain.substrings(
        TEXTS, length=20).clean()
    explained = pyrefrain.explain(*TEXTS[:2])
    assert pickle.loads(pickle.dumps(explained)).report == explained.report
    signatures = kernels.signatures([TEXTS[0], None])
    assert pickle.loads(pickle.dumps(signatures)) == signatures


def test_a_pickle_needs_no_process_that_made_it(tmp_path, path):
    found = [pyrefrain.dedup(TABLE), pyrefrain.dedup(path)]
    (tmp_path / "found").write_bytes(pickle.dumps(found))
    code = """if True:
        import pickle, sys
        found, of_files = pickle.load(open(sys.argv[1], "rb"))
        assert found.kept()["n"].to_pylist() == [1, 2, 4] and of_files.keep == [True, True, False, True]
        assert "<iframe" in of_files.report._repr_html_()
    """
    subprocess.run([sys.executable, "-c", code, tmp_path / "found"], check=True)


def test_a_damaged_pickle_of_a_column_is_refused():
    found = pyrefrain.dedup(TEXTS)
    make, (state,) = found["reason"].__reduce__()
    valid, offsets, text = state[5]
    damaged = [(*state[:5], buffers, state[6]) for buffers in (
        [valid, offsets[:-1], text], [valid, offsets, b""], [*state[5], b"more"], [valid, offsets], [valid, None, text],
        [valid, offsets[::-1], text])]
    damaged += [(*state[:3], -1, *state[4:]), (*state[:6], [state])]
    _, (lists,) = found["spans"].__reduce__()
    _, (rows,) = found[:]._column.__reduce__()
    damaged += [(*lists[:6], []), (*lists[:6], [state]), (*rows[:6], [*rows[6], found["id"][1:].__reduce__()[1][0]])]
    damaged += [("l", "", b"", 2**61, 0, [None, b""], []), ("+w:8", "", b"", 2**61, 0, [None], [state]),
                ("q", "", b"", 0, 0, [None, b""], []), ("w:x", "", b"", 0, 0, [None, b""], []),
                ("l", "", b"\xff\xff\xff\x7f", 0, 0, [None, b""], []),
                ("l", "", b"\x01\0\0\0\x09\0\0\0x", 0, 0, [None, b""], []),
                ("l", "", b"", 1, 1, [None, bytes(8)], [])]
    for broken in damaged:
        with pytest.raises(errors.InvalidArgument, match="malformed"):
            make(broken)


def test_numbers_and_masks_of_numpy_select_rows():
    found = pyrefrain.dedup(TEXTS)
    assert found[np.int64(2)] == found[2] == found[[2]][0] and found.id[np.uint8(1)] == 1
    assert [found[row]["id"] for row in np.flatnonzero(~found.keep)] == [2]
    with pytest.raises(IndexError, match="a mask of 0 rows for 4"):
        found[np.array([], bool)]
    with pytest.raises(IndexError, match="a mask of 0 rows for 4"):
        found[pyrefrain.dedup([]).keep]
    assert len(found[[]]) == 0


def test_keep_is_a_mask():
    found = pyrefrain.dedup(TABLE)
    keep = found.keep
    assert keep == KEEP and ~keep == [not each for each in KEEP] and ~~keep == keep
    kept = [text for text, keep in zip(TEXTS, KEEP) if keep]
    frame = TABLE.to_pandas()
    assert frame[keep]["text"].tolist() == frame.loc[keep, "text"].tolist() == frame["text"][keep].tolist() == kept
    assert frame[~keep]["n"].tolist() == [3]
    assert frame.set_axis(list("abcd"))[keep]["text"].tolist() == kept
    assert pl.DataFrame(TABLE).filter(keep)["text"].to_list() == kept
    assert pl.DataFrame(TABLE).lazy().filter(keep).collect()["text"].to_list() == kept
    assert pl.Series(TEXTS).filter(keep).to_list() == kept
    assert pl.DataFrame(TABLE).filter(~keep)["n"].to_list() == [3]
    array = np.array(TEXTS)
    assert array[keep].tolist() == kept and array[~keep].tolist() == [TEXTS[2]]
    assert TABLE.filter(pa.array(keep))["text"].to_pylist() == kept
    frame["kept"] = keep
    assert frame["kept"].dtype == bool and frame["kept"].tolist() == KEEP
    many = pyrefrain.dedup(["a text"] * 1001, near="off").keep
    assert np.asarray(many).tolist() == list(many) == [True] + [False] * 1000 and (~many)[999:] == [True] * 2
    none = pyrefrain.dedup([]).keep
    assert len(pl.DataFrame(TABLE)[:0].filter(none)) == len(frame[:0][none]) == len(array[:0][none]) == 0


@pytest.mark.filterwarnings("error")
def test_every_index_of_pandas_takes_a_mask():
    keep = pyrefrain.dedup(TABLE).keep
    for index in (pd.RangeIndex(4), pd.Index([5, 6, 7, 8]), pd.Index(list("abcd")), pd.date_range("2020", periods=4),
                  pd.array([1, 2, None, 4], dtype="Int64"), pd.Categorical(list("abab"))):
        assert list(index[keep]) == list(index[np.array(KEEP)])
    frame = TABLE.to_pandas()
    assert frame.drop(index=frame.index[~keep])["n"].tolist() == [1, 2, 4]
    assert frame[keep & (frame["n"] > 1)]["n"].tolist() == [2, 4]
    assert frame[(frame["n"] > 1) & np.asarray(keep)]["n"].tolist() == [2, 4]
    for wrong in (lambda: frame.take(keep), lambda: np.asarray(keep, dtype=np.intp)):
        with pytest.raises(TypeError, match="a mask cannot be used as row numbers"):  # but no rows 0 and 1
            wrong()


def test_masks_are_combined():
    keep = pyrefrain.dedup(TEXTS).keep
    other = ~pyrefrain.dedup(TEXTS, keep="longest").keep
    assert keep & other == [True, False, False, False] and keep | other == KEEP
    assert pickle.loads(pickle.dumps(keep & other)) == keep & other and type(keep | other) is type(keep)
    with pytest.raises(ValueError, match="a mask of 4 rows, and one of 3"):
        keep & keep[:3]


def test_rows_are_selected_by_masks_and_numbers():
    found = pyrefrain.dedup(TEXTS)
    rows = found.to_pylist()
    for mask in (found.keep, KEEP, np.array(KEEP), pd.Series(KEEP), pl.Series(KEEP), (keep for keep in KEEP)):
        assert found[mask] == [row for row in rows if row["keep"]]
    assert found[found.keep].id == [0, 1, 3]
    assert found[[2, 0, -1]] == [rows[2], rows[0], rows[3]] == found[np.array([2, 0, 3])]
    assert found.id[[3, 1]] == [3, 1] and found.id[found.keep] == [0, 1, 3] and found[[]] == []
    for wrong, error in (([4], IndexError), ([-5], IndexError), ([True], IndexError), (["id"], TypeError),
                         ("x", KeyError), (None, TypeError), (1.5, TypeError), (("keep", "id"), TypeError)):
        with pytest.raises(error):
            found[wrong]


def test_columns_show_their_first_values():
    found = pyrefrain.dedup(TEXTS)
    assert repr(found.keep) == "<Mask of 4 rows: True, True, False, True>"
    assert repr(found.reason) == "<Column of 4 rows: None, None, 'near', None>"
    assert repr(pyrefrain.fingerprint(TEXTS * 3).id) == "<Column of 12 rows: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...>"


def test_columns_are_arrays():
    found = pyrefrain.dedup(TEXTS)
    near = pyrefrain.near(TEXTS)
    for column, kind, values in [
            (found["keep"], bool, KEEP), (found["id"], np.int64, [0, 1, 2, 3]), (near["diff"], np.uint32, [0]),
            (found["similarity"], np.float64, [np.nan, np.nan, 1, np.nan]),
            (found["match"], object, [None, None, 0, None]),
            (found["reason"], object, [None, None, "near", None]), (found["spans"], object, [[]] * 4),
            (near.documents["simhash"][:3], np.uint64, list(near.documents["simhash"])[:3])]:
        array = np.asarray(column)
        assert array.dtype == kind and array.shape == (len(column),)
        assert pd.Series(array).equals(pd.Series(values, dtype=kind)) or kind == object and array.tolist() == values
        array[:1] = array[:1]  # it may be changed
    assert np.array(found["id"], dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="without a copy"):
        np.array(found["id"], copy=False)


@pytest.mark.parametrize("of_files", [False, True])
def test_empty_results_have_the_types_of_full_ones(tmp_path, path, of_files):
    full, none = TEXTS, []
    if of_files:
        full, none = path, tmp_path / "none.jsonl"
        none.write_text("")
    for some, empty in zip(results(full), results(none), strict=True):
        schema = pa.table(some).schema
        assert len(empty) == 0 and pa.table(empty).schema == schema == pa.table(some[:0]).schema
        assert pl.DataFrame(empty).schema == pl.DataFrame(some).schema
        assert not any(pa.types.is_null(each.type) for each in schema)
        for name in empty.columns:
            assert pa.array(empty[name]).type == schema.field(name).type
            assert np.asarray(empty[name]).shape == (0,)
            if name != "keep":  # a Sequence, so polars would guess
                assert pl.Series(empty[name]).dtype == pl.Series(some[name]).dtype


def test_results_of_files_have_the_types_of_those_in_memory(path):
    table = TABLE.append_column("id", pa.array([f"d{row}" for row in range(4)]))
    for memory, files in zip(results(table, id="id"), results(path, id="id"), strict=True):
        assert pa.table(memory).schema == pa.table(files).schema
        assert memory.columns == files.columns and len(memory) == len(files)


def test_kept_is_of_the_kind_that_was_given():
    wanted = [1, 2, 4]
    assert pyrefrain.dedup(pl.LazyFrame(TABLE)).kept().collect()["n"].to_list() == wanted
    assert pyrefrain.dedup(pl.Series("t", TEXTS)).kept().equals(pl.Series("t", TEXTS).filter(KEEP))
    reader = pyrefrain.dedup(TABLE.to_reader(max_chunksize=2)).kept()
    assert isinstance(reader, pa.RecordBatchReader) and reader.read_all()["n"].to_pylist() == wanted
    batch = pyrefrain.dedup(TABLE.to_batches()[0]).kept()
    assert isinstance(batch, pa.RecordBatch) and batch["n"].to_pylist() == wanted
    for kind in (object, np.str_):
        array = np.array(TEXTS, kind)
        kept = pyrefrain.dedup(array).kept()
        assert isinstance(kept, np.ndarray) and kept.dtype == array.dtype and kept.tolist() == array[KEEP].tolist()
    assert pyrefrain.dedup(pd.Index(TEXTS)).kept().equals(pd.Index(TEXTS)[KEEP])
    assert pyrefrain.dedup(pd.array(TEXTS)).kept().equals(pd.array(TEXTS)[KEEP])
    assert pyrefrain.dedup(datasets.Dataset(TABLE)["text"]).kept() == [text for text in TEXTS if text != TEXTS[2]]
    column = pyrefrain.dedup(TEXTS).cut_texts()
    assert type(pyrefrain.dedup(column).kept()) is type(column) and pyrefrain.dedup(column).kept() == column
    for data in ((text for text in TEXTS), set(TEXTS), dict.fromkeys(TEXTS).keys()):
        with pytest.raises(TypeError, match=r"pass list\(data\) instead, or use kept_rows"):
            pyrefrain.dedup(data).kept()

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return TABLE.__arrow_c_stream__(requested_schema)

    with pytest.raises(TypeError, match="from Stream; pass a table of pyarrow instead, or use kept_rows"):
        pyrefrain.dedup(Stream()).kept()
    with pytest.raises(TypeError, match="dedup_stream"):
        pyrefrain.dedup(datasets.Dataset(TABLE).to_iterable_dataset())


@pytest.mark.parametrize("data", [
    [], (), pl.DataFrame({"text": []}, {"text": pl.String}), pd.DataFrame({"text": []}, dtype=str),
    pa.table({"text": pa.array([], pa.string())}), np.array([], object)], ids=lambda data: type(data).__qualname__)
def test_nothing_is_kept_of_nothing(data):
    kept = pyrefrain.dedup(data).kept()
    assert type(kept) is type(data) and len(kept) == 0
    assert getattr(kept, "schema", None) == getattr(data, "schema", None)
    if hasattr(data, "columns") and not isinstance(data, pa.Table):
        assert list(pyrefrain.dedup(data, annotate=True).columns)[1:] == [
            "keep", "reason", "match", "similarity", "cluster"]


def test_cuts_reach_the_texts_of_these_kinds_too():
    passage = "a passage of more than twenty bytes that occurs twice"
    texts = ["one begins here: " + passage, "quite another: " + passage + ". End.", "all alone"]
    wanted = ["one begins here: " + passage, "quite another. End.", "all alone"]
    options = {"substrings": 20, "near": "off"}
    table = pa.table({"text": texts})
    assert pyrefrain.dedup(np.array(texts), **options).kept().tolist() == wanted
    assert pyrefrain.dedup(pl.LazyFrame(table), **options).kept().collect()["text"].to_list() == wanted
    assert pyrefrain.dedup(table.to_reader(), **options).kept().read_all()["text"].to_pylist() == wanted
    assert pyrefrain.dedup(table.to_batches()[0], **options).kept()["text"].to_pylist() == wanted
    assert pyrefrain.dedup(pd.Series(texts), **options).kept().tolist() == wanted
    assert pyrefrain.dedup(pd.Index(texts), **options).kept().tolist() == wanted
    assert pyrefrain.dedup(pyrefrain.dedup(texts).cut_texts(), **options).kept() == wanted


def test_relations_of_duckdb_come_back():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    given = TABLE
    connection.execute("CREATE TABLE texts AS SELECT * FROM given")
    relation = connection.sql("SELECT * FROM texts")
    found = pyrefrain.dedup(relation)
    kept = found.kept()
    assert type(kept) is type(relation) and kept.filter("n > 1").project("n").fetchall() == [(2,), (4,)]
    connection.execute("CREATE TABLE clean AS SELECT * FROM kept")  # it belongs to the same connection
    assert found.annotated(prefix="dup_").project("dup_keep").fetchall() == [(keep,) for keep in KEEP]
    assert pickle.loads(pickle.dumps(found)).kept().project("n").fetchall() == [(1,), (2,), (4,)]
    assert duckdb.sql("SELECT count(*) FROM found WHERE keep").fetchall() == [(3,)]


def test_relations_come_back_whatever_the_tables_are_called():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    for name in ("rows", "kept", "input"):
        connection.execute(f"CREATE TABLE {name} AS SELECT 'mine' AS text")
    relation = connection.from_arrow(TABLE)
    assert pyrefrain.dedup(relation).kept().fetchall() == [(TEXTS[row], row + 1) for row in (0, 1, 3)]
    connection.execute("SET python_enable_replacements = false")
    assert len(pyrefrain.dedup(relation).kept().fetchall()) == 3
    assert connection.execute("SELECT * FROM kept").fetchall() == [("mine",)]


def test_a_library_gives_back_what_it_was_given(tmp_path):
    with pyrefrain.Library(tmp_path / "library") as library:
        found = library.add(pl.LazyFrame(TABLE), id="n")
        assert found.kept().collect()["n"].to_list() == [1, 2, 4] and found.added == KEEP
        assert library.seen(np.array(TEXTS)).kept().tolist() == []
        with pytest.raises(TypeError, match="kept_rows"):
            library.seen(text for text in TEXTS).kept()


@pytest.mark.parametrize("kind", [pa.table, pl.DataFrame, pl.LazyFrame, pd.DataFrame, datasets.Dataset.from_dict,
                                  pa.record_batch], ids=lambda kind: kind.__qualname__)
@pytest.mark.parametrize("name", ["keep", "reason", "match", "similarity", "cluster"])
def test_columns_of_the_user_are_not_overwritten(kind, name):
    data = kind({"text": TEXTS, name: [1, 2, 3, 4]})
    message = f"^prefix: the input has a column '{name}' already.*'dup_'"
    with pytest.raises(errors.InvalidArgument, match=message) as caught:
        pyrefrain.dedup(data, annotate=True)
    assert caught.value.option == "prefix"
    found = pyrefrain.dedup(data, annotate=True, prefix="my_")
    found = found.collect() if isinstance(found, pl.LazyFrame) else found
    columns = getattr(found, "column_names", None) or list(found.columns)
    assert columns == ["text", name, "my_keep", "my_reason", "my_match", "my_similarity", "my_cluster"]
    assert list(np.asarray(found[name])) == [1, 2, 3, 4] and list(np.asarray(found["my_keep"])) == KEEP
    if kind != datasets.Dataset.from_dict:
        with pytest.raises(errors.InvalidArgument, match=f"'{name}'"):
            pyrefrain.dedup(data).annotated()
        with pytest.raises(errors.InvalidArgument, match="'dup_keep'.*prefix='dup_dup_'"):
            pyrefrain.dedup(pyrefrain.dedup(data).annotated("dup_")).annotated("dup_")


def test_what_has_no_columns_is_not_annotated(path):
    for data in (TEXTS, np.array(TEXTS), pd.Series(TEXTS), pl.Series(TEXTS), pa.array(TEXTS)):
        with pytest.raises(TypeError, match="no columns in"):
            pyrefrain.dedup(data, annotate=True)
    with pytest.raises(errors.InvalidArgument, match="^prefix: has no effect without annotate"):
        pyrefrain.dedup(TABLE, prefix="x")
    with pytest.raises(errors.Unsupported, match="^prefix: .*dup_"):
        pyrefrain.dedup(path, annotate=True, prefix="x")


def test_ids_that_repeat_are_a_warning(tmp_path):
    ids = ["a", "b", "a", "b"]
    rows = [{"id": id, "text": text} for id, text in zip(ids, TEXTS)]
    for data, options in [(TEXTS, {"id": ids}), (pa.Table.from_pylist(rows), {"id": "id"}),
                          (write_jsonl(tmp_path / "in.jsonl", rows), {"id": "id"})]:
        with pytest.warns(errors.DuplicateIds, match="2 documents repeat an earlier id, e.g. 'a'; decisions") as caught:
            pyrefrain.dedup(data, **options)
        assert caught[0].filename == __file__
    with pytest.warns(errors.DuplicateIds, match="^one document repeats an earlier id, e.g. '7'"):
        pyrefrain.dedup(TEXTS, id=[7, 1, 2, 7])


def test_a_shared_id_may_be_any_bytes(tmp_path):
    (tmp_path / "in.tsv").write_bytes(b"id\ttext\n" + b"caf\xe9\tone text of its own\n" * 2)
    with pytest.warns(errors.DuplicateIds, match="^one document repeats an earlier id, e.g. 'caf"):
        assert len(pyrefrain.dedup(tmp_path / "in.tsv", id="id")) == 2


@pytest.mark.filterwarnings("error")
def test_ids_that_do_not_repeat_are_none():
    pyrefrain.dedup(TEXTS, id=["a", "b", "c", "d"])
    pyrefrain.dedup(TEXTS)
