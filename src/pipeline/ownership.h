// Whose files lie in an output folder: what an earlier run wrote may be replaced, anything else is somebody's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace refrain {

// The file that is written last, and vouches for the others.
inline constexpr const char* kSummaryName = "summary.json";

// Whether the folder holds a run of `verb` that has ended, or of any where that is empty: its summary says so.
bool holds_run_of(const std::filesystem::path& folder, const std::string& verb);

// Of the outputs, those that are there. Error(invalid_argument) where one of them may not be replaced:
// - no run made it (`ours` is not set);
// - it is a folder in which something was put or changed after the run had ended;
// - one of `inputs` is it, or lies in it.
std::vector<std::filesystem::path> replaceable(const std::filesystem::path& folder,
                                               const std::vector<std::string>& outputs, bool ours,
                                               const std::vector<std::string>& inputs);

}  // namespace refrain
