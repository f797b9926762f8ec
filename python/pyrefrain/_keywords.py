"""The keyword arguments of the verbs, as types and as text, from the library's tables of options."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

_PLAIN = {"toggle": "bool", "text": "str", "words": 'list[str] | Literal["english"]', "number": "int",
          "share": "float", "percent": "float", "size": "int | str"}
_PATH = "str | os.PathLike[str]"
# Parameters of their own. And what is read in place of files may be a table.
ELSEWHERE = {"text", "id", "annotate"}
_ANYTHING = {"against"}
_WIDTH = 100


def keywords_of(rows):
    """Returns the rows of the options that are keyword arguments."""
    return [row for row in rows if row["python"] and row["keyword"] not in ELSEWHERE]


def type_of(row):
    """Returns the type of an option."""
    if row["keyword"] in _ANYTHING:
        return "Any"
    if row["choices"] and row["kind"] == "choice":
        words = ", ".join(f'"{choice}"' for choice in row["choices"])
        return ("bool | " if row["choices"][1:] == ["off"] else "") + f"Literal[{words}]"
    kind = _PLAIN.get(row["kind"], _PATH)
    if row["word"]:
        kind += f' | Literal["{row["word"]}"]'
    if row["repeated"]:
        return f"{kind} | Sequence[{kind}]" if kind == _PATH else f"list[{kind}]"
    return kind


def about(row):
    """Returns what an option does, and its default."""
    unit = f"; {row['unit'].lower()}" if row["kind"] == "number" and row["unit"] != "N" else ""
    return f"{row['help']} [{default_of(row)}{unit}]"


def default_of(row):
    """Returns the default as Python writes it."""
    default = row["default"]
    if row["kind"] == "toggle":
        return str(default == "on")
    if row["kind"] == "percent":
        return f"{float(default.rstrip('%')) / 100:g}"
    return "none" if default == "required" else default  # an output folder is not, here


def documented(tables: Callable[[str], list[Any]], *names: str,
               progress: bool = True) -> Callable[[Function], Function]:
    """A decorator that appends the options of tables to the documentation of a function. `tables` returns the rows of
    one."""
    def with_options(function):
        import itertools
        import re
        import textwrap

        lines = []
        for row in itertools.chain.from_iterable(keywords_of(tables(name)) for name in names):
            kind = re.sub(r"Literal\[(.*)\]", lambda found: found[1].replace(", ", " | "), type_of(row))
            lines += textwrap.wrap(f"{row['keyword']}: {kind.replace('os.PathLike[str]', 'Path')}", _WIDTH,
                                   subsequent_indent="        ")
            lines += textwrap.wrap(about(row), _WIDTH, initial_indent="    ", subsequent_indent="    ")
        if progress:
            lines += ["progress: bool | Callable[[str, float | None], Any]",
                      "    draw a bar; a function gets the stage and the share that is done [False]"]
        margin = re.search(r"\n( *)\S|$", function.__doc__)[1] or "    "
        function.__doc__ = function.__doc__.rstrip() + f"\n\n{margin}Options, each with its default:\n\n" + "".join(
            f"{margin}{line}\n" for line in lines)
        return function
    return with_options
