// Columns as Python sequences.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "arrow/export.h"

namespace refrain::python {

// A column of booleans, none of them null. In Python it is a class of its own, registered as a Sequence, because polars
// takes only Sequences as masks. Other columns are not registered: polars would lose the types of empty ones.
struct Mask : Column {};

// Returns a copy of these rows, which must exist.
Column rows_of(const Column& column, std::span<const std::int64_t> rows);

// Returns the column as a Python object: a Mask if it has booleans.
nanobind::object as_python(Column column);

// Defines what makes the class a sequence, the class Mask, and functions that make columns of Python values.
void bind_rows(nanobind::module_& module, nanobind::class_<Column>& type);

}  // namespace refrain::python
