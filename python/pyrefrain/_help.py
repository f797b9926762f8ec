"""What help() says about the options of a function."""

from __future__ import annotations

from ._option_help import HELP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

_PROGRESS = """progress: bool | Callable[[str, float | None], Any]
    draw a bar; a function gets the stage and the share that is done [False]"""


def documented(*tables: str, progress: bool = True) -> Callable[[Function], Function]:
    """A decorator that appends the options of tables to the documentation of a function or class."""
    def with_options(function):
        if function.__doc__ is not None:  # as it is with python -OO
            margin = " " * (8 if "." in function.__qualname__ else 4)
            lines = "\n".join([HELP[table] for table in tables] + ([_PROGRESS] if progress else [])).split("\n")
            function.__doc__ = "\n".join([function.__doc__.rstrip(), "", f"{margin}Options, each with its default:", "",
                                          *(margin + line for line in lines), ""])
        return function
    return with_options
