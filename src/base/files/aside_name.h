// The names of files and folders that are written aside, to be renamed when they are complete:
// "NAME.partial-refrain-PID-N".
//
// Leftovers with such names may be removed by any process, so a name that a person might choose must never look like
// one.
#pragma once

#include <string>
#include <string_view>

namespace refrain {

inline constexpr unsigned kMaxAsides = 1000;  // of one process for one name, at the same time

// `number` must be below kMaxAsides.
std::string aside_name(std::string_view name, unsigned number);

// Whether `aside` is a name that some process made for `name`.
bool is_aside_of(std::string_view aside, std::string_view name);

// Whether this is the name of an output that is being staged, ".NAME.partial-refrain-PID-N", which is never part of
// an input.
bool is_staging_name(std::string_view name);

}  // namespace refrain
