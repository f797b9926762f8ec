// A verb's output directory, which appears complete or not at all.
//
// Files are written to a folder beside the target, which becomes the target in one rename. If the target exists and
// may be written into (`force`), its summary.json is removed first and the new one is moved in last, so a directory
// with a summary.json is always complete. Only what an earlier run of the same verb made is replaced; everything
// else in the target stays as it is.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/files/tempdir.h"
#include "verbs/run/ownership.h"

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
  // not a folder, or if it holds an output that may not be replaced (see verbs/run/ownership.h).
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
  bool replace_ = false;
};

}  // namespace refrain::verbs::run
