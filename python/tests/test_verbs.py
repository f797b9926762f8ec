"""Every verb returns the same rows as the program, on documents with known duplicates and on random text."""
import json
import pathlib
import tempfile

import pyarrow as pa
import pytest
from conftest import read_tsv, run_program, write_jsonl
from hypothesis import given
from hypothesis import strategies as st

import pyrefrain
from pyrefrain import kernels

# A small vocabulary, so that much of the text recurs.
WORDS = st.sampled_from(["the", "old", "bridge", "over", "river", "Straße", "café", "日本", "x1", "and"])
TEXTS = st.lists(st.one_of(
    st.lists(WORDS, max_size=40).map(" ".join),
    st.lists(WORDS, min_size=4, max_size=8).map(lambda words: " ".join(words * 4)),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
), min_size=1, max_size=25)


def file_of(texts, folder):
    return write_jsonl(folder / "texts.jsonl", [{"id": str(i), "text": text} for i, text in enumerate(texts)])


@pytest.mark.parametrize("verb", ["dedup", "near"])
def test_tables_of_a_run_over_files_are_written_as_parquet(tmp_path, verb):
    import pyarrow.parquet as pq
    path = file_of(["one two three four five six"] * 3, tmp_path)
    found = getattr(pyrefrain, verb)(paths=path, id="id", output=tmp_path / "run", tables="parquet")
    rows = pq.read_table(tmp_path / "run" / "matches.parquet").to_pylist()
    assert [(row["id1"], row["id2"]) for row in rows] == [("0", "1"), ("0", "2")]
    if verb == "dedup":
        rows = pq.read_table(tmp_path / "run" / "decisions.parquet").to_pylist()
        assert [{name: row[name] for name in found.to_pylist()[0]} for row in rows] == found.to_pylist()
    for refused in ({"paths": path}, {"texts": ["a"]}):
        with pytest.raises(pyrefrain.errors.InvalidArgument, match="tables: writes files"):
            getattr(pyrefrain, verb)(**refused, tables="parquet")


def decisions_of(folder):
    return [json.loads(line) for line in (folder / "decisions.jsonl").read_text().splitlines()]


def as_in_file(row, named=False):
    """Returns a decision in the form of decisions.jsonl."""
    row = dict(row, id=str(row["id"]), match=None if row["match"] is None else str(row["match"]),
               spans=[[span["begin"], span["end"]] for span in row["spans"]])
    if row["lost"] is None:
        del row["lost"], row["longest_lost"]
    if row["differs_in"] is None:
        del row["differs_in"]
    if row["as_written"] is None:
        del row["as_written"]
    else:
        row["as_written"] = pytest.approx(row["as_written"], rel=5e-3)
    if row["similarity"] is not None:
        row["similarity"] = pytest.approx(row["similarity"], abs=1e-5)
    return row


def test_words_that_are_hyphenated_at_line_ends_may_be_joined():
    whole = " ".join(f"generation{i}" for i in range(60))
    texts = [whole, whole.replace("ation", "-\n  ation", 9)]
    assert [row["keep"] for row in pyrefrain.dedup(texts, join_hyphens=True)] == [True, False]
    assert [row["reason"] for row in pyrefrain.dedup(texts)][1] != "exact"
    with pytest.raises(ValueError, match="join_hyphens"):
        pyrefrain.substrings(texts, join_hyphens=True)
    with pytest.raises(TypeError, match="join_hyphens"):
        pyrefrain.fingerprint(texts, join_hyphens=True)


def test_a_text_that_symbols_keep_says_so(tmp_path):
    texts = [" ".join(f"if (a{i} {sign} b{i}) return" for i in range(20)) for sign in ("==", "!=")]
    run_program("dedup", file_of(texts, tmp_path), "-o", tmp_path / "run", "-q")
    found = list(pyrefrain.dedup(texts))
    assert [as_in_file(row) for row in found] == decisions_of(tmp_path / "run")
    assert found[1]["reason"] == "own_text" and found[1]["as_written"] < 0.5 and found[0]["as_written"] is None


@pytest.mark.parametrize("options, flags", [
    ({}, []),
    ({"threads": 3, "memory": "64M"}, []),
    ({"threshold": 0.6, "max_loss": "any", "templates": "off"},
     ["--threshold", "0.6", "--max-loss", "any", "--templates", "off"]),
    ({"near": "simhash"}, ["--near", "simhash"]),
    ({"near": "off"}, ["--near", "off"]),
    ({"keep": "longest", "substrings": 60}, ["--keep", "longest", "--substrings", "60"]),
    ({"preset": "strict"}, ["--preset", "strict"]),
    ({"keep": "max:rate", "source_field": "source", "exact": False},
     ["--keep", "max:rate", "--source-field", "source", "--exact", "off"]),
    ({"keep": "source:wiki,news", "source_field": "source"},
     ["--keep", "source:wiki,news", "--source-field", "source"]),
    ({"tokenizer": "chars", "window": 12, "seed": 7}, ["--tokenizer", "chars", "--window", "12", "--seed", "7"]),
    ({"tokenizer": "code", "comments": True}, ["--tokenizer", "code", "--comments"]),
], ids=str)
def test_dedup_decides_as_the_program_does(world, tmp_path, options, flags):
    path, rows = world
    run_program("dedup", path, "-o", tmp_path / "run", "-q", *flags)
    wanted = decisions_of(tmp_path / "run")
    found = pyrefrain.dedup(pa.Table.from_pylist(rows), id="id", **options)
    assert [as_in_file(row) for row in found] == wanted
    assert sum(not row["keep"] for row in wanted) > 50
    assert found.report["kept"] == sum(row["keep"] for row in wanted)
    assert [row["id"] for row in found.kept().to_pylist()] == [row["id"] for row in wanted if row["keep"]]


def test_dedup_of_paths_is_that_of_the_program(world, tmp_path):
    path, rows = world
    run_program("dedup", path, "-o", tmp_path / "run", "-q")
    wanted = decisions_of(tmp_path / "run")
    without_folder = pyrefrain.dedup(path)
    with_folder = pyrefrain.dedup(str(path), output=tmp_path / "again", apply=True)
    for found in [without_folder, with_folder]:
        assert [as_in_file(row) for row in found] == wanted
    kept = [json.loads(line)["id"] for line in (tmp_path / "again/clean/documents.jsonl").read_text().splitlines()]
    assert kept == [row["id"] for row in wanted if row["keep"]]
    assert (tmp_path / "again/matches.tsv").read_bytes() == (tmp_path / "run/matches.tsv").read_bytes()


def test_what_substrings_cut_is_gone_from_what_is_kept(world, tmp_path):
    path, rows = world
    run_program("dedup", path, "-o", tmp_path / "run", "-q", "--substrings", "60", "--apply")
    wanted = [json.loads(line) for line in (tmp_path / "run/clean/documents.jsonl").read_text().splitlines()]
    table = pa.Table.from_pylist(rows)
    assert pyrefrain.dedup(table, substrings=60).kept().to_pylist() == wanted
    assert pyrefrain.dedup([row["text"] for row in rows], substrings=60).kept() == [row["text"] for row in wanted]


def test_dedup_against_another_set(world, tmp_path):
    path, rows = world
    items = [row["text"] for row in rows[10:40] if len(row["text"].split()) > 10]
    write_jsonl(tmp_path / "items.jsonl", [{"text": item} for item in items])
    run_program("dedup", path, "-o", tmp_path / "run", "-q", "--against", tmp_path / "items.jsonl")
    wanted = decisions_of(tmp_path / "run")
    table = pa.Table.from_pylist(rows)
    in_memory = pyrefrain.dedup(table, id="id", against=items)
    assert ({row["id"] for row in in_memory if row["reason"] == "against"}
            == {row["id"] for row in wanted if row["reason"] == "against"})
    assert [row["keep"] for row in in_memory] == [row["keep"] for row in wanted]
    assert ([str(row["item"]) for row in in_memory if row["reason"] == "against"]
            == [row["match"] for row in wanted if row["reason"] == "against"])
    from_file = pyrefrain.dedup(table, id="id", against=tmp_path / "items.jsonl")
    assert [row["keep"] for row in from_file] == [row["keep"] for row in wanted]


def test_dedup_obeys_people(world, tmp_path):
    path, rows = world
    table = pa.Table.from_pylist(rows)
    digests = [bytes(digest).hex() for digest in pa.array(kernels.digests(table["text"])).to_pylist()]
    named = {str(row["id"]): {"digest": digest, "id": str(row["id"])} for row, digest in zip(rows, digests)}
    near = [row for row in pyrefrain.dedup(table, id="id") if row["reason"] == "near"]
    lines = [{"op": "keep", "documents": [named[str(near[0]["id"])]]},
             {"op": "never", "documents": [named[str(near[1]["id"])], named[str(near[1]["match"])]]},
             {"op": "remove", "documents": [named[str(near[2]["match"])]]}]
    people = write_jsonl(tmp_path / "people.jsonl", [{"v": 1, "seq": at + 1, **line} for at, line in enumerate(lines)])
    run_program("dedup", path, "-o", tmp_path / "run", "-q", "--overrides", people)
    wanted = decisions_of(tmp_path / "run")
    assert [row["id"] for row in wanted if row["reason"] == "overridden"] == [str(near[2]["match"])]
    for overrides in (people, str(people)):
        found = pyrefrain.dedup(table, id="id", overrides=overrides)
        assert [(row["keep"], row["reason"]) for row in found] == [(row["keep"], row["reason"]) for row in wanted]
    people.write_text("{}")
    with pytest.raises(pyrefrain.errors.BadInput, match="people.jsonl:1: no field 'v'"):
        pyrefrain.dedup(table, overrides=people)


@given(TEXTS)
def test_dedup_of_random_texts(texts):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_program("dedup", file_of(texts, folder), "-o", folder / "run", "-q", "--substrings", "20")
        assert [as_in_file(row) for row in pyrefrain.dedup(texts, substrings=20)] == decisions_of(folder / "run")


@pytest.mark.parametrize("options, flags", [
    ({}, []),
    ({"verify": True}, ["--verify"]),
    ({"distance": 3, "all_pairs": True, "window": 2}, ["--distance", "3", "--all-pairs", "--window", "2"]),
    ({"preset": "report"}, ["--preset", "report"]),
    ({"stop_words": "english", "hash": "jenkins", "seed": 3},
     ["--stop-words", "english", "--hash", "jenkins", "--seed", "3"]),
], ids=str)
def test_near_matches_as_the_program_does(world, tmp_path, options, flags):
    path, rows = world
    run_program("near", path, "-o", tmp_path / "run", "-q", *flags)
    from_file = pyrefrain.near(path, **options)
    for found in [pyrefrain.near(pa.Table.from_pylist(rows), id="id", **options), from_file]:
        matches = [[row["id1"], row["id2"], str(row["diff"])] for row in found]
        assert matches == [row[:3] for row in read_tsv(tmp_path / "run/matches.tsv")]
        clusters = [[row["id"], "" if row["simhash"] is None else str(row["simhash"]), str(row["cluster"])]
                    for row in found.documents]
        assert clusters == read_tsv(tmp_path / "run/clusters.tsv")
        assert len(matches) > 50 and found.report["matches"] == len(matches)


@given(TEXTS)
def test_near_of_random_texts(texts):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_program("near", file_of(texts, folder), "-o", folder / "run", "-q")
        found = pyrefrain.near(texts)
        assert ([[str(row["id1"]), str(row["id2"]), str(row["diff"])] for row in found]
                == read_tsv(folder / "run/matches.tsv"))


def test_fingerprints_are_those_of_the_program(world):
    path, rows = world
    wanted = [line.split("\t")[:2] for line in run_program("fingerprint", path).split("\n")[1:-1]]
    for found in [pyrefrain.fingerprint(pa.Table.from_pylist(rows), id="id"), pyrefrain.fingerprint(path)]:
        assert [[row["id"], "" if row["simhash"] is None else str(row["simhash"])] for row in found] == wanted


@pytest.mark.parametrize("options, flags", [
    ({"length": 50}, ["--length", "50"]),
    ({"length": 30, "min_count": 3}, ["--length", "30", "--min-count", "3"]),
], ids=str)
def test_substrings_are_those_of_the_program(world, tmp_path, options, flags):
    path, rows = world
    run_program("substrings", path, "-o", tmp_path / "run", "-q", *flags)
    wanted = read_tsv(tmp_path / "run/substring_bytes.tsv")
    for found in [pyrefrain.substrings(pa.Table.from_pylist(rows), id="id", **options),
                  pyrefrain.substrings(path, **options)]:
        assert [[row["id"], str(row["x"]), str(row["y"])] for row in found] == wanted
    assert len(wanted) > 50


@given(TEXTS)
def test_substrings_of_random_texts(texts):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_program("substrings", file_of(texts, folder), "-o", folder / "run", "-q", "--length", "12", "--apply")
        found = pyrefrain.substrings(texts, length=12)
        assert ([[str(row["id"]), str(row["x"]), str(row["y"])] for row in found]
                == read_tsv(folder / "run/substring_bytes.tsv"))
        clean = ([json.loads(line)["text"] for line in (folder / "run/clean/texts.jsonl").read_text().splitlines()]
                 if texts else [])
        assert found.clean() == clean


def test_ngrams_are_those_of_the_program(world, tmp_path):
    path, rows = world
    run_program("ngrams", "build", path, "-o", tmp_path / "index", "-q", "-n", "4", "-m", "3")
    wanted = [line.split("\t")
              for line in run_program("ngrams", "show", tmp_path / "index", "--sort", "ngram").split("\n")[1:-1]]
    for found in [pyrefrain.ngrams(pa.Table.from_pylist(rows), id="id", n=4, m=3), pyrefrain.ngrams(path, n=4, m=3)]:
        shown = [[row["ngram"], str(row["count"]), str(row["documents"]),
                  ",".join(f"{place['id']}:{place['token']}" for place in row["places"])]
                 for row in found]
        assert shown == wanted
    assert len(wanted) > 50


@given(TEXTS)
def test_ngrams_of_random_texts(texts):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_program("ngrams", "build", file_of(texts, folder), "-o", folder / "index", "-q", "-n", "3")
        wanted = [line.split("\t")[:2]
                  for line in run_program("ngrams", "show", folder / "index", "--sort", "ngram").split("\n")[1:-1]]
        assert [[row["ngram"], str(row["count"])] for row in pyrefrain.ngrams(texts, n=3)] == wanted


def test_explain_tells_what_the_program_tells(tmp_path):
    a, b = "one two three four five six seven", "one two three four five six eight <b>"
    (tmp_path / "a.txt").write_text(a)
    (tmp_path / "b.txt").write_text(b)
    wanted = json.loads(run_program("explain", tmp_path / "a.txt", tmp_path / "b.txt", "--json"))
    texts = pyrefrain.explain(a, b)
    files = pyrefrain.explain(tmp_path / "a.txt", tmp_path / "b.txt")
    rows = pyrefrain.explain("x", "y", within=pa.table({"text": [a, b], "name": ["x", "y"]}), id="name")
    assert files.report == wanted
    for found in [texts, files, rows]:
        assert (found.similarity, found.difference, found.match) == (wanted["similarity"], wanted["difference"],
                                                                     wanted["match"])
    assert "<mark>one two three four five six</mark> eight &lt;b&gt;" in texts._repr_html_()
    with pytest.raises(pyrefrain.errors.NotFound):
        pyrefrain.explain("x", "z", within=pa.table({"text": [a, b], "name": ["x", "y"]}), id="name")


def test_explain_tells_the_story_of_a_run(world, tmp_path):
    path, _ = world
    pyrefrain.dedup(path, output=tmp_path / "run")
    removed = next(row for row in decisions_of(tmp_path / "run") if row["reason"] == "near")
    story = pyrefrain.explain(removed["id"], run=tmp_path / "run")
    assert story == json.loads(run_program("explain", removed["id"], "--run", tmp_path / "run", "--json"))


def test_an_index_answers_as_the_program_does(world, tmp_path):
    path, rows = world
    table = pa.Table.from_pylist(rows)
    index = pyrefrain.Index(tmp_path / "index", window=8)
    assert len(index) == 0
    index.add(table.slice(0, 700), id="id")
    index.add(table.slice(700), id="id")
    assert len(index) == len(rows) == len(pyrefrain.Index(tmp_path / "index"))
    (tmp_path / "asked.txt").write_text(rows[5]["text"])
    wanted = [json.loads(line)
              for line in run_program("index", "query", tmp_path / "index", tmp_path / "asked.txt").splitlines()]
    without_id = lambda passages: [{key: value for key, value in passage.items() if key not in ("query", "cursor")}
                                   for passage in passages if "passage" in passage]
    assert without_id(index.query(rows[5]["text"])) == without_id(wanted) != []
    passages = [json.loads(line) for line in run_program("index", "extract", tmp_path / "index").splitlines()]
    assert index.passages() == passages and len(passages) > 50
    shared = [json.loads(line)
              for line in run_program("index", "query", tmp_path / "index", "--self", "--no-text").splitlines()]
    assert index.query_self(texts=False) == shared != []
    first = wanted[0]["occurrences"][0]["id"]
    assert {place["id"] for passage in index.query(rows[5]["text"], with_=[first])
            for place in passage["occurrences"]} == {first}
    with pytest.raises(ValueError, match="^with_: cannot be 5$") as refused:
        index.query(rows[5]["text"], with_=5)
    assert refused.value.option == "with_"
    edited = [json.loads(line) for line in run_program(
        "index", "extract", tmp_path / "index", "--edits", "heavy", "--noise", "0.5").splitlines()]
    assert index.passages(edits="heavy", noise=0.5) == edited and len(edited) > 50
    with pytest.raises(ValueError, match="^noise: must be above 0 and below 1"):
        index.passages(edits="heavy", noise=1.5)
    assert index.document(rows[5]["id"]) == rows[5]["text"] and index.document("nobody") is None
    assert index.remove([rows[5]["id"]])["removed"] == 1 and len(index) == len(rows) - 1
    index.merge()
    assert rows[5]["id"] not in {place["id"] for passage in index.query(rows[5]["text"])
                                 for place in passage["occurrences"]}
    assert all(place["id"] != rows[7]["id"] for passage in index.query(of=rows[7]["id"])
               for place in passage["occurrences"])
    with pytest.raises(ValueError, match="layout"):
        pyrefrain.Index(tmp_path / "index", window=9)
