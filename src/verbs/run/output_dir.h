// A verb's output directory, which appears whole or not at all.
//
// Files are written to a folder beside the target, which becomes the target by one rename. Where the target exists and
// is to be written into (`force`), its summary.json is removed first and the new one moved in last, so that a directory
// with a summary.json is always whole. Only what an earlier run of the same verb made is replaced; what else the target
// holds stays as it is.
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
  std::string verb;                      // as the summary names it
  std::vector<std::string> outputs;      // every name that may be written
  std::vector<std::string> inputs = {};  // none of which may lie in an output
};

class OutputDir {
 public:
  // Throws Error(invalid_argument) where the target exists and `force` is not set, where it or one above it is not a
  // folder, or where it holds an output that may not be replaced (see verbs/run/ownership.h).
  explicit OutputDir(const OutputDirOptions& options);

  // A new file; close() it before publish().
  OutputFile create(const std::string& name);
  // A new folder; what is written there must be safe on the disk before publish(). It replaces one of that name.
  std::filesystem::path create_folder(const std::string& name);
  // The folder in which files are made until publish(), for whoever makes several; add() names each of them.
  const std::filesystem::path& staging() const { return staging_->path(); }
  void add(const std::string& name) { names_.push_back(name); }

  // Writes summary.json, the last file, and ends the staging.
  void publish(std::string_view summary);

 private:
  std::filesystem::path target_;
  std::unique_ptr<TempDir> staging_;
  std::vector<std::string> names_;
  bool replace_ = false;
};

}  // namespace refrain::verbs::run
