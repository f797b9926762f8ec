"""Tables that every Arrow library can read without a copy."""

_SHOWN = 10


class Table:
    """Rows in Arrow's layout. Pass it to pyarrow, polars or DuckDB, or iterate over it: every row is a dict."""

    def __init__(self, column):
        self._column = column

    def __arrow_c_stream__(self, requested_schema=None):
        return self._column.__arrow_c_stream__(requested_schema)

    def __len__(self):
        return len(self._column)

    def __iter__(self):
        return (self._column[row] for row in range(len(self._column)))

    def __getitem__(self, key):
        """A row, by number, or a column, by name."""
        return self._column.column(key) if isinstance(key, str) else self._column[key]

    @property
    def columns(self):
        """The names of the columns."""
        return list(self._column.names)

    def to_pylist(self):
        return list(self)

    def to_arrow(self):
        """Returns a pyarrow.Table that shares this table's memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self):
        try:
            return self.to_arrow().to_pandas()
        except ImportError:
            import pandas

            return pandas.DataFrame({name: list(self._column.column(name)) for name in self.columns})

    def to_polars(self):
        import polars

        return polars.DataFrame(self)

    def __repr__(self):
        return f"<{type(self).__name__}: {self._summary()}>"

    def _summary(self):
        return f"{len(self):,} rows of {', '.join(self.columns)}"

    def _repr_html_(self):
        head = "".join(f"<th>{escaped(name)}</th>" for name in self.columns)
        body = "".join(_html_row(self._column[row]) for row in range(min(len(self), _SHOWN)))
        return f"<div><p>{escaped(self._summary())}</p><table><tr>{head}</tr>{body}</table></div>"


def _html_row(row):
    return "<tr>" + "".join(f"<td>{_html_cell(value)}</td>" for value in row.values()) + "</tr>"


def _html_cell(value):
    if value is None:
        return ""
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return escaped(text if len(text) <= 60 else text[:57] + "...")


def escaped(text):
    """Escapes text for HTML."""
    import html

    return html.escape(text)
