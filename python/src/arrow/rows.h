// Columns as Python sequences.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "arrow/export.h"

namespace refrain::python {

// A column of booleans, none of them null. To Python it is a class of its own, which is a Sequence: polars takes only
// such for a mask, but does not keep the types of other Sequences that are empty.
struct Mask : Column {};

// Returns a copy of these rows, which must exist.
Column rows_of(const Column& column, std::span<const std::int64_t> rows);

// Returns the column as a Python object: a Mask if it has booleans.
nanobind::object as_python(Column column);

// Defines what makes the class a sequence, the class Mask, and functions that make columns of Python values.
void bind_rows(nanobind::module_& module, nanobind::class_<Column>& type);

}  // namespace refrain::python
