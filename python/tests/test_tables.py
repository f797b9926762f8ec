"""Every table that the program writes is read by others with nothing said but that tabs separate its columns."""

import csv

import pandas
import polars
import pytest

from conftest import run_program, write_jsonl

TEXTS = ["the quick brown fox jumps over the lazy dog and runs far away into the deep dark forest tonight"] * 2 + [
    f"another text, number {number}, about quite other things than number {number + 1} and everything that follows it"
    for number in range(40)] + ["short", ""]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Table by name: what each verb wrote into a folder or on standard output."""
    folder = tmp_path_factory.mktemp("tables")
    rows = write_jsonl(folder / "in.jsonl", [{"id": f"# {at}", "text": text} for at, text in enumerate(TEXTS)])
    (folder / "more").mkdir()
    (folder / "more" / ".hidden").write_text("hidden")
    (folder / "more" / "seen.txt").write_text(TEXTS[0])
    read = [rows, folder / "more", "--id-field", "id", "-q"]
    run_program("near", *read, "-o", folder / "near")
    run_program("near", *read, "--verify", "-o", folder / "verified")
    run_program("dedup", *read, "-o", folder / "dedup")
    run_program("substrings", *read, "--length", "30", "-o", folder / "substrings")
    run_program("ngrams", "build", *read, "-o", folder / "grams")
    run_program("index", "create", folder / "index", *read)
    prints = folder / "prints.tsv"
    prints.write_text(run_program("fingerprint", *read))
    (folder / "match.tsv").write_text(run_program("match", prints, prints))
    (folder / "all.tsv").write_text(run_program("match", prints, prints, "--all"))
    (folder / "grams.tsv").write_text(run_program("ngrams", "show", folder / "grams", "-q"))
    (folder / "query.tsv").write_text(run_program("index", "query", folder / "index", folder / "more",
                                                  "--output", "tsv", "-q"))
    (folder / "added.tsv").write_text(prints.read_text())
    run_program("match", folder / "added.tsv", prints, "--add")
    run_program("match", folder / "near" / "clusters.tsv", prints, "--add")
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.tsv"))}


def test_every_table_is_loaded_with_the_tab_alone(tables):
    assert {"near/clusters.tsv", "prints.tsv", "added.tsv", "near/skipped.tsv", "query.tsv", "grams.tsv"} <= set(tables)
    for name, path in tables.items():
        header, *rows = csv.reader(path.read_text().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        assert rows and {len(row) for row in rows} == {len(header)}, name
        for frame in (pandas.read_csv(path, sep="\t"), polars.read_csv(path, separator="\t")):
            assert list(frame.columns) == header and len(frame) == len(rows), name
            first = frame[header[0]]
            assert [str(value) for value in first] == [row[0] for row in rows], name


def test_fingerprints_come_with_a_column_that_states_their_options(tables):
    for name in ("near/clusters.tsv", "prints.tsv"):
        last = polars.read_csv(tables[name], separator="\t").columns[-1]
        assert last.startswith("refrain fingerprint version=2 tokenizer=words-nfkc hash=xxh3 window=3 "), name
