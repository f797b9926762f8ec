"""The kernels over Arrow columns give the same results for every layout, equal to those of plain Python."""
import itertools
import subprocess
import sys

import polars as pl
import pyarrow as pa
import pytest

from pyrefrain import errors, kernels

WORDS = "the council met on monday to talk about the old bridge over the river and how to pay for it".split()
TEXTS = [
    " ".join(WORDS),
    " ".join(WORDS[:-1] + ["them"]),
    "",
    None,
    "too short",
    " ".join(reversed(WORDS)),
    "naïve café — Straße, 日本語のテキスト, " * 4,
    " ".join(WORDS),
]


def layouts():
    """Yields TEXTS in every layout that a column of strings can have."""
    plain = pa.array(TEXTS)
    yield "list", TEXTS
    yield "tuple", tuple(TEXTS)
    yield "string", plain
    yield "large_string", plain.cast(pa.large_string())
    yield "string_view", plain.cast(pa.string_view())
    yield "binary", plain.cast(pa.binary())
    yield "dictionary", plain.dictionary_encode()
    yield "chunked", pa.chunked_array([plain[:3], plain[3:3], plain[3:]])
    yield "sliced", pa.array(["before", None, "x"] + TEXTS + ["after"])[3 : 3 + len(TEXTS)]
    yield "sliced dictionary", pa.array(["before", None, "x"] + TEXTS).dictionary_encode()[3:]
    yield "sliced views", pa.array(["before", None, "x"] + TEXTS, pa.string_view())[3:]
    yield "table", pa.table({"id": list(range(len(TEXTS))), "text": TEXTS})
    yield "record batch", pa.record_batch({"text": TEXTS, "n": [0] * len(TEXTS)}).slice(0)
    yield "sliced batch", pa.record_batch({"text": ["a", "b"] + TEXTS}).slice(2)
    yield "polars series", pl.Series("text", TEXTS)
    yield "polars frame", pl.DataFrame({"text": TEXTS})
    yield "reader", pa.table({"text": TEXTS}).to_reader(max_chunksize=2)


def listed(column):
    return pa.array(column).to_pylist() if not is_table(column) else pa.record_batch(column).to_pylist()


def is_table(column):
    return pa.types.is_struct(pa.array(column).type)


@pytest.mark.parametrize("name, column", list(layouts()), ids=lambda value: value if isinstance(value, str) else "")
def test_every_layout_gives_the_same_digests(name, column):
    wanted = listed(kernels.digests(TEXTS))
    assert listed(kernels.digests(column)) == wanted
    assert wanted[0] == wanted[7] and len(set(wanted)) == len(TEXTS) - 1
    assert wanted[3] is None and wanted[2] is not None


def test_all_nulls_are_a_column_too():
    assert listed(kernels.digests(pa.nulls(3))) == [None] * 3
    assert listed(kernels.fingerprints(pa.nulls(2))) == [None] * 2


def test_no_rows_give_no_rows():
    for column in [[], pa.array([], pa.string()), pa.table({"text": pa.array([], pa.string())}),
                   pa.chunked_array([], pa.string())]:
        assert listed(kernels.digests(column)) == []
        assert listed(kernels.ngram_keys(column)) == []


def test_half_a_surrogate_pair_is_read_as_a_replacement():
    assert listed(kernels.digests(["a\ud800b"])) == listed(kernels.digests(["a\ufffdb"]))


def test_fingerprints_of_similar_texts_are_close():
    column = kernels.fingerprints(TEXTS)
    found = listed(column)
    assert found[0] == found[7] and found[2] is None and found[3] is None and found[4] is None
    pairs = listed(kernels.hamming_pairs(column, distance=12))
    wanted = [
        {"first": a, "second": b, "difference": (found[a] ^ found[b]).bit_count()}
        for a, b in itertools.combinations([0, 1, 5, 6], 2) if (found[a] ^ found[b]).bit_count() <= 12
    ]
    assert [pair for pair in pairs if pair["second"] != 7] == wanted
    assert {"first": 0, "second": 7, "difference": 0} in pairs
    edges = pa.record_batch(kernels.hamming_pairs(column, distance=12))
    clusters = listed(kernels.components(len(TEXTS), edges["first"], edges["second"]))
    assert clusters[7] == 0 and clusters[2] == 2


def windows(text, size=5):
    words = text.split()
    return {tuple(words[i : i + size]) for i in range(len(words) - size + 1)}


def jaccard(a, b):
    return len(windows(a) & windows(b)) / len(windows(a) | windows(b))


def test_similarities_are_those_of_sets_of_windows():
    left, right = [TEXTS[0], TEXTS[0], TEXTS[0], None, TEXTS[4]], [TEXTS[1], TEXTS[7], TEXTS[5], TEXTS[0], TEXTS[0]]
    found = listed(kernels.similarities(left, right))
    assert found[:3] == pytest.approx([jaccard(left[i], right[i]) for i in range(3)])
    assert found[3:] == [None, None]
    by_place = kernels.similarities(TEXTS, TEXTS, first=pa.array([0, 0]), second=pa.array([1, 7], pa.int32()))
    assert listed(by_place) == found[:2]
    assert listed(kernels.similarities(left[:1], right[:1], threshold=0.99)) == [0]


def test_signatures_estimate_and_meet():
    bands, rows = kernels.choose_bands(threshold=0.8)
    column = kernels.signatures(TEXTS)
    found = pa.array(column)
    assert found.type == pa.list_(pa.uint32(), 128)
    keys = pa.array(kernels.band_keys(column, bands=bands, rows=rows))
    assert keys.type == pa.list_(pa.uint32(), bands)
    assert keys[0] == keys[7] and not keys[3].is_valid and not keys[4].is_valid
    assert kernels.meeting_probability(bands=bands, rows=rows, similarity=0.8) >= 0.95
    estimated = listed(kernels.estimated_similarities(found.take([0, 0, 3]), found.take([7, 1, 0])))
    assert estimated[0] == 1 and abs(estimated[1] - jaccard(TEXTS[0], TEXTS[1])) < 0.2 and estimated[2] is None


def test_band_keys_take_signatures_as_bytes():
    rows = pa.array(kernels.signatures(TEXTS)).to_pylist()
    packed = [None if row is None else b"".join(lane.to_bytes(4, "little") for lane in row) for row in rows]
    wanted = listed(kernels.band_keys(kernels.signatures(TEXTS), bands=13, rows=9))
    for kind in [pa.binary(), pa.large_binary(), pa.binary(512), pa.binary_view()]:
        assert listed(kernels.band_keys(pa.array(packed, kind), bands=13, rows=9)) == wanted
    sliced = pa.array(kernels.signatures(TEXTS))[4:]
    assert listed(kernels.band_keys(sliced, bands=13, rows=9)) == wanted[4:]


def test_ngram_keys_are_equal_where_tokens_are():
    found = pa.record_batch(kernels.ngram_keys(TEXTS, n=3)).to_pylist()
    by_key = {}
    for row in found:
        text = TEXTS[row["row"]].encode()[row["begin"] : row["end"]].decode()
        by_key.setdefault(row["key"], set()).add(text)
    assert {"the council met"} in by_key.values()
    assert all(len({text.lower() for text in texts}) == 1 for texts in by_key.values())
    assert sum(row["row"] == 0 for row in found) == len(WORDS) - 2


def test_substring_samples_find_windows_that_occur_twice():
    shared = "a passage that two of the texts hold, long enough for a window of forty bytes"
    texts = ["one " + shared + " tail", "nothing of the kind is in this text, which is long enough", "other " + shared]
    samples, folds = kernels.substring_samples(texts, length=40)
    rows = pa.record_batch(samples).to_pylist()
    assert pa.record_batch(folds).num_rows == 0
    pairs = [(a, b) for a, b in itertools.combinations(rows, 2) if a["core_hash"] == b["core_hash"]]
    sides = [pa.Table.from_pylist([{name: pair[side][name] for name in ["core", "first", "windows"]} for pair in pairs])
             for side in range(2)]
    found = pa.record_batch(kernels.shared_windows(
        [texts[a["row"]] for a, _ in pairs], sides[0], [texts[b["row"]] for _, b in pairs], sides[1],
        length=40)).to_pylist()
    starts = {start for (a, _), where in zip(pairs, found) for start in range(where["begin"], where["end"])}
    wanted = {i for i in range(len(texts[0]) - 39) if texts[0][i : i + 40] in texts[2]}
    assert starts == wanted and len(wanted) > 10
    hashes = pa.record_batch(kernels.window_hashes([texts[0], texts[2]], pa.array([4, 6]), pa.array([3, 3]),
                                                   length=40)).to_pylist()
    assert [row["hash"] for row in hashes[:3]] == [row["hash"] for row in hashes[3:]]
    assert hashes[0]["hash"] != hashes[1]["hash"]


def test_items_are_found_whole_and_in_part():
    items = kernels.ItemSearcher([" ".join(WORDS), "too short", None, " ".join(WORDS).upper()])
    assert len(items) == 4 and items.skipped(1) and items.skipped(2) and items.first_like(3) == 0 and items.common == 0
    found = listed(items.find(["Before: " + " ".join(WORDS) + " - after", "nothing", None]))
    assert [(row["row"], row["item"], row["share"]) for row in found] == [(0, 0, 1.0)]
    assert found[0]["begin"] == 8
    with pytest.raises(IndexError):
        items.skipped(4)


def test_mistakes_are_told_in_the_words_of_python():
    with pytest.raises(errors.InvalidArgument, match="tokenizer: there is no 'latin'") as caught:
        kernels.fingerprints(TEXTS, tokenizer="latin")
    assert caught.value.option == "tokenizer" and isinstance(caught.value, ValueError)
    with pytest.raises(errors.InvalidArgument, match="no column 'text'; the columns are: body"):
        kernels.digests(pa.table({"body": TEXTS}))
    with pytest.raises(errors.InvalidArgument, match="expected strings"):
        kernels.digests(pa.array([1, 2]))
    with pytest.raises(TypeError, match="expected str, not int"):
        kernels.digests(["a", 1])
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        kernels.digests(7)
    with pytest.raises(errors.InvalidArgument, match="different lengths"):
        kernels.similarities(["a"], ["a", "b"])
    with pytest.raises(errors.InvalidArgument, match='memory: expected bytes'):
        kernels.digests(["a"], memory="much")
    with pytest.raises(errors.InvalidArgument, match="^memory 1.0 MiB: too small"):
        kernels.similarities(TEXTS, TEXTS, memory="1M")
    with pytest.raises(errors.OverBudget):
        kernels.similarities(TEXTS, TEXTS, memory="64M", threads=1000)


def test_memory_is_spelled_as_on_the_command_line():
    for memory in [64 << 20, "64M", "0.1G", None]:
        assert len(kernels.digests(["a"], memory=memory)) == 1


def test_the_number_of_threads_changes_nothing():
    texts = [" ".join(WORDS[i % 7 :]) + str(i) for i in range(2000)]
    for kernel in [kernels.digests, kernels.fingerprints, kernels.signatures, kernels.ngram_keys]:
        assert len({str(listed(kernel(texts, threads=threads))) for threads in [1, 2, 3, 8]}) == 1


@pytest.mark.parametrize("hold", [
    "threading.Thread(target=lambda: (made, time.sleep(60)), daemon=True).start()",
    "sys.held = made",
    "ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))",
])
def test_a_process_that_ends_with_kernel_objects_alive_says_nothing(hold):
    script = f"""
import ctypes, sys, threading, time
from pyrefrain import kernels
def hold(made):
    {hold}
hold([kernels.fingerprints(["a b c d e f"]), kernels.ItemSearcher(["a b c d e f g h i j"])])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
