// The directory of a run that is made in stages and can be resumed.
//
// A run creates its directory at once, and in it a folder `work` for the files that one stage leaves to the next.
// When a stage ends, it atomically writes a marker into `work`. The marker lists the files that the stage made,
// with their sizes and checksums (for a folder of files, only the sizes), and all facts found so far. A resumed run
// trusts a marker only if those files still match it. The last file of all is summary.json: once it exists, the
// directory is complete and `work` is removed.
//
// A run is recognized by its identity: a text that contains everything its answer depends on, inputs included. A
// directory with another identity is not resumed.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/temp.h"
#include "base/hash.h"
#include "verbs/run/facts.h"

namespace refrain::verbs::run {

struct RunDirOptions {
  std::filesystem::path target;
  std::string verb;  // whose runs may be resumed or replaced
  std::string identity;
  bool resume = false;
  bool force = false;
  // Returns an input that has changed since the given time, if there is one: for the error message of `resume`.
  std::function<std::optional<std::string>(const timespec& since)> changed_input = {};
  // If set, the run has no directory and cannot be resumed: everything it writes goes into unnamed temporary files.
  TempSpace* nameless = nullptr;
  // Every name that such a run may leave in the directory. If `force` starts anew, the outputs of the earlier run
  // are removed only when the first stage has ended, so a slip in the options costs nothing. If the new run is
  // killed before that, resuming it removes them.
  std::vector<std::string> outputs = {};
};

// A file that a stage makes. Its checksum is computed as it is written. Not thread-safe, except where noted.
class RunFile {
 public:
  RunFile(const std::filesystem::path& path, std::string name, MemoryBudget& budget);

  void write(std::string_view bytes);
  template <class T>
  void write_values(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  // Many threads may call it at once, each for its own range, but not together with write().
  void write_at(std::uint64_t place, std::string_view bytes);
  template <class T>
  void write_values_at(std::uint64_t first, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write_at(first * sizeof(T), {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  std::uint64_t bytes() const { return out_.bytes(); }
  // `sync`: the file is safely on disk when this returns. Otherwise it is checked when the run is resumed.
  void close(bool sync);

  struct Mark {
    std::string name;  // relative to the run's directory; the name of a folder ends with a slash
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> sum = 0;  // nullopt: only the size is known
  };
  // Valid after close().
  const Mark& mark() const { return mark_; }
  // Whether the file is still as it was written.
  static bool holds(const std::filesystem::path& path, const Mark& mark);

 private:
  Reservation reservation_;
  OutputFile out_;
  std::uint64_t sum_ = 0;
  std::uint64_t placed_bytes_ = 0;  // written by write_at()
  Mark mark_;
};

// Not thread-safe.
class RunDir {
 public:
  // Throws Error(invalid_argument) if the directory exists and neither `resume` nor `force` is set, if it holds a
  // different run, an output or a folder `work` that no run of this verb made, or if there is no run to resume.
  // Throws Error(busy) if another process is using it.
  RunDir(const RunDirOptions& options, MemoryBudget& budget);

  // Runs a stage, or skips it if it has already ended. What the stage finds goes into facts(). Returns whether it
  // ran.
  bool stage(const std::string& name, const std::function<void()>& run);

  // Inside a stage: creates a file for later stages, or one that stays in the directory.
  RunFile create_work(const std::string& name);
  RunFile create_output(const std::string& name);
  // Removes a file for later stages that is no longer needed and that close() was not called for.
  void discard(const std::string& work_name);
  // Closes the file and records it in the marker of the current stage.
  void close(RunFile& file);
  // Records an output folder in the marker, with the name and size of each file in it. The files must be on disk.
  void close_folder(const std::string& name);

  Facts& facts() { return facts_; }
  // The path by which to open a file for later stages. Valid as long as the run lives.
  std::filesystem::path work(const std::string& name) const;
  std::filesystem::path output(const std::string& name) const { return target_ / name; }

  const std::filesystem::path& folder() const { return target_; }

  // When the run began, before its first stage. Must not be called for a run without a directory.
  timespec began() const;

  // Whether a stage has ended.
  bool ended(const std::string& stage) const;

  // Makes the stage run again when the run is resumed.
  void forget(const std::string& stage);

  // The total size of the files for later stages.
  std::uint64_t work_bytes() const;

  // Makes everything that the stages have left so far survive a power failure. Files for later stages need this
  // only before a change after which the stages could not be run again.
  void sync() const;

  // Removes what a resumed run could not use. Called after an error that would occur again with the same command.
  void abandon();

  // Writes summary.json and removes `work`.
  void finish(std::string_view summary);

 private:
  std::filesystem::path marker(const std::string& stage) const { return work(stage + ".done"); }
  RunFile create_nameless(const std::string& name);
  bool trust_marker(const std::string& stage);
  bool is_stale(const std::string& name) const;
  void remove_stale();

  MemoryBudget& budget_;
  TempSpace* nameless_ = nullptr;
  std::map<std::string, TempFile> files_;  // of a run without a directory
  std::filesystem::path target_;
  bool made_target_ = false;
  bool resumed_ = false;
  std::optional<FileLock> lock_;
  Facts facts_;
  std::vector<RunFile::Mark> made_;  // by the current stage
  bool stage_ran_ = false;           // a stage ran, so all later stages must run too
  // Outputs that an earlier run left; its summary, if there is one, comes last. In a resumed run, these are the
  // outputs that no finished stage made.
  std::vector<std::filesystem::path> stale_;
};

}  // namespace refrain::verbs::run
