"""The options of the verbs, for type checkers and readers. They mean what the program's flags mean: see `refrain man`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, TypedDict

Path = str | os.PathLike[str]
Size = int | str  # bytes, or "512M"
Tokenizer = Literal[
    "words", "whitespace", "whitespace-lower", "alpha", "code", "code-kinds", "chars", "bytes", "dna", "words-nfkc"
]


class RunOptions(TypedDict, total=False):
    threads: int  # 1 per core
    memory: Size  # half of the RAM
    temp_dir: str
    progress: bool | Callable[[str, float | None], Any]  # True: a bar; else called with the stage and the share that is done


class InputOptions(RunOptions, total=False):
    max_doc_bytes: Size  # 64M; longer documents are bad records
    strict: bool  # stop at the first bad record
    # Of files alone:
    format: Literal["auto", "files", "lines", "jsonl", "csv", "tsv", "warc", "parquet", "json", "mbox"]
    delimiter: str
    charset: str
    binary: bool
    html: Literal["main", "text", "raw"]
    as_is: bool
    skip_unreadable: bool


class FingerprintOptions(InputOptions, total=False):
    preset: str
    tokenizer: Tokenizer  # words-nfkc
    normalize: Literal["none", "nfkc"]
    comments: bool  # of code, which are skipped otherwise
    hash: Literal["xxh3", "sdbm", "jenkins", "md5"]
    window: int  # 3 tokens
    seed: int
    tie: Literal[0, 1]
    stop_words: list[str] | Literal["english"]


class ExplainOptions(FingerprintOptions, total=False):
    distance: int  # 8 bits


class DeviceOptions(TypedDict, total=False):
    device: Literal["cpu", "cuda", "auto"]
    device_memory: Size


class NearOptions(FingerprintOptions, DeviceOptions, total=False):
    distance: int  # 8 bits, verified 10
    blocks: int
    verify: bool
    threshold: float  # 0.8, with verify
    all_pairs: bool
    output: Path  # of paths alone; a folder
    force: bool


class DedupOptions(InputOptions, DeviceOptions, total=False):
    preset: Literal["report", "strict"]
    exact: bool
    near: Literal["minhash", "simhash", "off"]
    threshold: float  # 0.8; 0.5 for simhash
    max_loss: int | Literal["any"]  # 16 tokens in a row
    templates: bool | Literal["auto", "off"]
    window: int  # 5 tokens
    tokenizer: Tokenizer
    normalize: Literal["none", "nfkc"]
    comments: bool  # of code, which are skipped otherwise
    seed: int
    distance: int
    substrings: int | Literal["off"]  # bytes of a repeated range to be cut
    keep: str  # first, longest, shortest, newest:FIELD, max:FIELD, min:FIELD, source:A,B,...
    source_field: str
    sample: int
    alarm: float
    max_removed_per_source: float
    against: Any  # texts, a table or paths
    against_text: str
    against_id: str
    against_format: str
    against_min: int
    against_share: float
    against_passage: int
    against_action: Literal["remove", "mark"]
    # Of paths alone:
    output: Path
    apply: bool
    read_back: bool
    attributes: Literal["none", "dolma"]
    known: list[Path]
    library: Path
    trust_signatures: bool
    forget: bool
    resume: bool
    force: bool


class SubstringsOptions(InputOptions, total=False):
    length: int  # 100 bytes
    min_count: int  # 2
    snap: Literal["none", "utf8", "word", "line"]
    keep: Literal["first", "none"]
    until_clean: bool
    # Of paths alone:
    groups: bool
    apply: bool
    output: Path
    force: bool


class NgramsOptions(InputOptions, total=False):
    n: int  # 8 tokens
    m: int  # 2 places
    tokenizer: Tokenizer
    normalize: Literal["none", "nfkc"]
    comments: bool  # of code, which are skipped otherwise
    algorithm: Literal["auto", "memory", "disk", "hash", "spex", "spex-log", "blocked", "location"]
    output: Path  # of paths alone
    force: bool


class LayoutOptions(TypedDict, total=False):
    window: int  # 10 tokens: exact runs of this length are always found
    tokenizer: Tokenizer
    normalize: Literal["none", "nfkc"]
    comments: bool  # of code, which are skipped otherwise
    blots: Literal["ordered", "sum", "xor"]
    sampling: Literal["syncmer", "all"]
    interleave: int
    blot_bits: int
    shards: int
    store_text: bool
    edits: Literal["none", "light", "heavy"]


class AddOptions(InputOptions, total=False):
    replace: bool


class PassagesOptions(RunOptions, total=False):
    edits: Literal["none", "light", "heavy"]
    noise: float
    min_tokens: int
    max_gap: int
    max_documents: int
    exclude: list[str]
    min_documents: int
    limit: int
    texts: bool


class SelfOptions(RunOptions, total=False):
    edits: Literal["none", "light", "heavy"]
    noise: float
    min_tokens: int
    max_gap: int
    max_documents: int
    max_occurrences: int
    exclude: list[str]
    limit: int
    with_: list[str]
    pairs: str
    texts: bool


class QueryOptions(SelfOptions, InputOptions, total=False):
    cursor: str
