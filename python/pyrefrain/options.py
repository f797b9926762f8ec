"""The options of the verbs, for type checkers and readers. They mean the same as the program's flags: see `refrain
man`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, TypedDict

from ._option_tables import DedupTable, DeviceTable as DeviceOptions, FingerprintTable, InputTable, NearTable

Path = str | os.PathLike[str]
Size = int | str  # bytes, or "512M"
Tokenizer = Literal[
    "words", "whitespace", "whitespace-lower", "alpha", "code", "code-kinds", "chars", "bytes", "dna", "words-nfkc"
]


class RunOptions(TypedDict, total=False):
    threads: int  # default: 1 per core
    memory: Size  # default: half of the RAM
    temp_dir: str
    progress: bool | Callable[[str, float | None], Any]  # True: a bar; a function gets the stage and the share done


class InputOptions(InputTable, RunOptions, total=False):
    pass


class FingerprintOptions(FingerprintTable, InputOptions, total=False):
    pass


class ExplainOptions(FingerprintOptions, total=False):
    distance: int  # default: 8 bits


class NearOptions(NearTable, InputOptions, DeviceOptions, total=False):
    pass


class DedupOptions(DedupTable, InputOptions, DeviceOptions, total=False):
    pass


class SubstringsOptions(InputOptions, total=False):
    length: int  # default: 100 bytes
    min_count: int  # default: 2
    snap: Literal["none", "utf8", "word", "line"]
    keep: Literal["first", "none"]
    until_clean: bool
    # Only for paths:
    groups: bool
    apply: bool
    output: Path
    force: bool


class NgramsOptions(InputOptions, total=False):
    n: int  # default: 8 tokens
    m: int  # default: 2 places
    tokenizer: Tokenizer
    normalize: Literal["none", "nfkc"]
    comments: bool  # in code; skipped by default
    algorithm: Literal["auto", "memory", "disk", "hash", "spex", "spex-log", "blocked", "location"]
    output: Path  # only for paths
    force: bool


class LayoutOptions(TypedDict, total=False):
    window: int  # default: 10 tokens; exact runs of this length are always found
    tokenizer: Tokenizer
    normalize: Literal["none", "nfkc"]
    comments: bool  # in code; skipped by default
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
