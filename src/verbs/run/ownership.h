// Whose files lie in an output folder: what an earlier run wrote may be replaced, anything else is somebody's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace refrain::verbs::run {

// Error(invalid_argument): the path, and why it is not to be used.
[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why);

// The file that is written last, and vouches for the others.
inline constexpr const char* kSummaryName = "summary.json";

// Whether the folder holds a run of `verb` that has ended, or of any where that is empty: its summary says so.
bool holds_run_of(const std::filesystem::path& folder, const std::string& verb);

// The list of the files in output folder `name`, which lies beside it: ".NAME.files", a path below the folder a line,
// escaped as in a TSV. By it a later run knows what it may replace, also where all of it was copied or restored.
std::filesystem::path list_of_files(const std::filesystem::path& folder, const std::string& name);
// Writes the list for output folder `name`, whose files are in `made` until they get their place.
void list_files(const std::filesystem::path& folder, const std::string& name, const std::filesystem::path& made);

// Error(invalid_argument) where output folder `name` holds what is not in its list. Says nothing where there is no list,
// or no such folder.
void check_untouched(const std::filesystem::path& folder, const std::string& name);

// Of the outputs, those that are there. Error(invalid_argument) where one of them may not be replaced:
// - no run made it (`ours` is not set);
// - it is a folder into which somebody has put something;
// - one of `inputs` is it, or lies in it.
std::vector<std::filesystem::path> replaceable(const std::filesystem::path& folder,
                                               const std::vector<std::string>& outputs, bool ours,
                                               const std::vector<std::string>& inputs);

}  // namespace refrain::verbs::run
