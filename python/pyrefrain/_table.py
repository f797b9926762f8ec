"""Tables that every Arrow library can read without a copy."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, ClassVar, overload

    import polars
    import pyarrow

    from ._core import Column
else:
    overload = lambda function: function

_SHOWN = 10
_EXCERPT = 160  # characters


class Table:
    """Rows in Arrow's layout. Pass it to pyarrow, polars or DuckDB, or use it as a sequence of dicts, one per row.

    table["name"] or table.name is a column, table[3] a row, and table[:3], table[[1, 5]] or table[mask] a table of
    rows.
    """

    # Not registered as a Sequence: polars would read it row by row then, and guess the types.

    def __init__(self, column: Any):
        self._column = column

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._column.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._column)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._column)

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice | Iterable[int]) -> Table: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._column.column(key)
        found = self._column[key]
        return found if isinstance(found, dict) else Table(found)

    def __getattr__(self, name: str) -> Column:
        if not name.startswith("_") and name in self._column.names:
            return self._column.column(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def __eq__(self, other: object) -> bool:
        """Whether the columns and the rows are the same; a list of dicts has only rows."""
        if isinstance(other, Table):
            return self.columns == other.columns and self._column == other._column
        return self._column == other if isinstance(other, list) else NotImplemented

    __hash__: ClassVar[None]  # type: ignore[assignment]  # because of __eq__

    def index(self, row: dict[str, Any], start: int = 0, stop: int | None = None) -> int:
        """Returns the number of the first such row."""
        return self._column.index(row, start, stop)

    def count(self, row: dict[str, Any]) -> int:
        """Returns how many rows are like this."""
        return self._column.count(row)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._column.names)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Returns a dict per row."""
        return list(self)

    def to_arrow(self) -> pyarrow.Table:
        """Returns a pyarrow.Table that shares this table's memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:  # pandas has few types of its own: with its class, strict checkers report every use
        """Returns a DataFrame of pandas."""
        try:
            return self.to_arrow().to_pandas()
        except ImportError:
            import pandas

            return pandas.DataFrame({name: list(self[name]) for name in self.columns})

    def to_polars(self) -> polars.DataFrame:
        """Returns a DataFrame of polars."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary()}>"

    def _summary(self) -> str:
        return f"{len(self):,} rows of {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        return f"<div><p>{escaped(self._summary())}</p>{html_table(self[:_SHOWN].to_pylist(), self.columns)}</div>"


def html_table(rows: list[dict[str, Any]], names: list[str]) -> str:
    """Returns rows as a table in HTML, with what is in it escaped and long values cut."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f'<td style="text-align:left">{_html_cell(row[name])}</td>' for name in names)
                   + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _html_cell(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return escaped(text if len(text) <= _EXCERPT else text[:_EXCERPT - 3] + "...")


def escaped(text: str) -> str:
    """Escapes text for HTML."""
    import html

    return html.escape(text)
