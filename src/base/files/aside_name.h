// The names of what is written aside, to be renamed when it is whole: "NAME.partial-refrain-PID-N".
//
// Whoever finds one left over may remove it, so a name that a person might choose must never pass for one.
#pragma once

#include <string>
#include <string_view>

namespace refrain {

inline constexpr unsigned kMostAsides = 1000;  // of one process for one name, at a time

// `number` is below kMostAsides.
std::string aside_name(std::string_view name, unsigned number);

// Whether some process made this name for `name`.
bool is_aside_of(std::string_view aside, std::string_view name);

// Whether it is the name of an output that is being staged, ".NAME.partial-refrain-PID-N": no part of anybody's input.
bool is_staging_name(std::string_view name);

}  // namespace refrain
