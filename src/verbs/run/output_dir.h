// A verb's output directory, which appears complete or not at all.
//
// Files are written to a folder beside the target, which becomes the target in one rename. If the target exists and
// may be written into (`force`), its summary.json is removed first and the new one is moved in last, so a directory
// with a summary.json is always complete. Only what an earlier run of the same verb made is replaced, or removed if it
// is a file that this run does not make; everything else in the target stays as it is.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/files/temp.h"

namespace refrain::verbs::run {

struct OutputDirOptions {
  std::filesystem::path target;
  bool force = false;
  std::string verb;                      // as written in the summary
  std::vector<std::string> outputs;      // every name that may be written
  std::vector<std::string> inputs = {};  // none of these may lie inside an output
};

class OutputDir {
 public:
  // Throws Error(invalid_argument) if the target exists and `force` is not set, if the target or a parent of it is
  // not a folder, or if it holds an output that may not be replaced (see replaceable()).
  explicit OutputDir(const OutputDirOptions& options);

  // Creates a file. The caller closes it before publish().
  OutputFile create(const std::string& name);
  // Creates a folder. What the caller writes there must be safely on disk before publish(). Replaces a folder of
  // that name.
  std::filesystem::path create_folder(const std::string& name);
  // The folder that holds the files until publish(), for callers that make several themselves; add() registers each
  // one.
  const std::filesystem::path& staging() const { return staging_->path(); }
  void add(const std::string& name) { names_.push_back(name); }

  // Writes summary.json, the last file, and moves everything to the target.
  void publish(std::string_view summary);

 private:
  std::filesystem::path target_;
  std::unique_ptr<TempDir> staging_;
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> replaceable_;  // outputs of an earlier run
  bool replace_ = false;
};

// Decides who owns the files in an output folder: what an earlier run wrote may be replaced, anything else is a
// user's.

// Throws Error(invalid_argument) with the path and the reason why it cannot be used.
[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why);

// The file that is written last. If it exists, the other outputs are complete.
inline constexpr const char* kSummaryName = "summary.json";

// Whether the folder holds a finished run of `verb`, or of any verb if that is empty, according to its summary.
bool holds_run_of(const std::filesystem::path& folder, const std::string& verb);

// Adds the names of Parquet tables to those of the other outputs, unless the run writes none and the folder holds a
// finished run that wrote none: there they are a user's.
std::vector<std::string> with_tables(std::vector<std::string> outputs, const std::vector<std::string>& tables,
                                     const std::filesystem::path& folder, bool written);

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
// - no run made it (`ours` is not set, or it is a Parquet table and the finished run in the folder wrote none);
// - it is a folder into which somebody has put something;
// - one of `inputs` is the output or lies inside it.
std::vector<std::filesystem::path> replaceable(const std::filesystem::path& folder,
                                               const std::vector<std::string>& outputs, bool ours,
                                               const std::vector<std::string>& inputs);

}  // namespace refrain::verbs::run
