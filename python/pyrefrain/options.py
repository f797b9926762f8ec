"""The options of the verbs, for type checkers and readers. They mean the same as the program's flags: see `refrain
man`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._option_tables import (
    AddTable, DedupTable, DeviceTable as DeviceOptions, ExplainTable, FingerprintTable, InputTable,
    LayoutTable as LayoutOptions, NearTable, NgramsTable, PassagesTable, QueryTable, RunTable, SubstringsTable)


class RunOptions(RunTable, total=False):
    progress: bool | Callable[[str, float | None], Any]  # True: a bar; a function gets the stage and the share done


class InputOptions(InputTable, RunOptions, total=False):
    pass


class FingerprintOptions(FingerprintTable, InputOptions, total=False):
    pass


class ExplainOptions(ExplainTable, InputOptions, total=False):
    pass


class NearOptions(NearTable, InputOptions, DeviceOptions, total=False):
    pass


class DedupOptions(DedupTable, InputOptions, DeviceOptions, total=False):
    pass


class SubstringsOptions(SubstringsTable, InputOptions, total=False):
    pass


class NgramsOptions(NgramsTable, InputOptions, total=False):
    pass


class AddOptions(AddTable, InputOptions, total=False):
    pass


class PassagesOptions(PassagesTable, RunOptions, total=False):
    texts: bool


class LibraryOptions(RunTable, total=False):
    trust_signatures: bool


class SelfOptions(QueryTable, RunOptions, total=False):
    texts: bool


class QueryOptions(SelfOptions, InputOptions, total=False):
    pass
