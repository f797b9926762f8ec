// Decides who owns the files in an output folder: what an earlier run wrote may be replaced, anything else is a
// user's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace refrain::verbs::run {

// Throws Error(invalid_argument) with the path and the reason why it cannot be used.
[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why);

// The file that is written last. If it exists, the other outputs are complete.
inline constexpr const char* kSummaryName = "summary.json";

// Whether the folder holds a finished run of `verb`, or of any verb if that is empty, according to its summary.
bool holds_run_of(const std::filesystem::path& folder, const std::string& verb);

// The path of the list of files in output folder `name`: ".NAME.files", beside that folder. Each line is a path
// below the folder, escaped as in a TSV. The list tells a later run what it may replace, even if everything was
// copied or restored.
std::filesystem::path list_of_files(const std::filesystem::path& folder, const std::string& name);
// Writes the list for output folder `name`, whose files are still in `made` and are moved to their place
// afterwards.
void list_files(const std::filesystem::path& folder, const std::string& name, const std::filesystem::path& made);

// Throws Error(invalid_argument) if output folder `name` holds something that is not in its list. Does nothing if
// there is no list or no such folder.
void check_untouched(const std::filesystem::path& folder, const std::string& name);

// Returns those of `outputs` that exist, or whose list of files is left. Throws Error(invalid_argument) if one of
// them may not be replaced:
// - no run made it (`ours` is not set);
// - it is a folder into which somebody has put something;
// - one of `inputs` is the output or lies inside it.
std::vector<std::filesystem::path> replaceable(const std::filesystem::path& folder,
                                               const std::vector<std::string>& outputs, bool ours,
                                               const std::vector<std::string>& inputs);

}  // namespace refrain::verbs::run
