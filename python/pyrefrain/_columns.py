"""Columns as others see them: as arrays of numpy, as sequences, and made of Python values."""

import collections.abc

from . import _core

_NUMBERS = {"l": "int64", "L": "uint64", "I": "uint32", "g": "float64"}

collections.abc.Sequence.register(_core.Mask)


def numpy_array(column, dtype, copy):
    """The column as an array: numbers and booleans as they are, with NaN for missing floats, all else as objects."""
    import numpy

    if column.format == "b" and dtype is not None and numpy.dtype(dtype).kind in "iu":
        # pandas first tries to use an unknown index as row numbers. With a TypeError it goes on to use it as a mask.
        raise TypeError("a mask cannot be used as row numbers; use np.asarray(mask).astype(int)")
    if copy is False:
        raise ValueError("numpy cannot use a column of pyrefrain without a copy")
    array = _numbers(numpy, column)
    if array is None:
        array = numpy.fromiter(column, object, len(column))
    return array if dtype is None else array.astype(dtype)


def _numbers(numpy, column):
    *_, nulls, buffers, _ = column.__reduce__()[1][0] if column.format in ("b", *_NUMBERS) else (1, None, None)
    if column.format == "b":
        return _bits(numpy, buffers[1], len(column))
    if column.format not in _NUMBERS or (nulls and column.format != "g"):
        return None
    array = numpy.array(numpy.frombuffer(buffers[1] or b"", _NUMBERS[column.format], len(column)))
    if nulls:
        array[~_bits(numpy, buffers[0], len(column))] = numpy.nan
    return array


def _bits(numpy, buffer, count):
    return numpy.unpackbits(numpy.frombuffer(buffer or b"", "uint8"), count=count, bitorder="little").astype(bool)


def column_of_state(state):
    """Makes a column of what it was pickled as."""
    return _core.column_of_state(state)


def table_of(rows, types):
    """Makes a table of dicts. A type is one of Arrow's formats or, for lists of dicts, the types of those."""
    return _core.column_of_columns({name: _column([row[name] for row in rows], kind) for name, kind in types.items()})


def _column(values, kind):
    if isinstance(kind, str):
        return _core.column_of_values(kind, values)
    return _core.column_of_lists([len(value or ()) for value in values],
                                 table_of([item for value in values for item in value or ()], kind))
