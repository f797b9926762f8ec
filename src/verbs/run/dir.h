// The directory of a run in stages that can be taken up again.
//
// A run makes its directory at once, and in it a folder `work` for what one stage leaves to the next. A stage that has
// ended leaves a marker there, written atomically, which tells the files that it made, with their sizes and checksums
// (of a folder of files the sizes alone), and the facts that it found. A run that is resumed believes a marker only where those files are as it says. The last
// file of all is summary.json: with it the directory is whole, and `work` is gone.
//
// A run is known by its identity: a text that tells everything its answer depends on, inputs included. A directory with
// another identity is not resumed.
#pragma once

#include <cstdint>
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
#include "base/checksum.h"
#include "base/files/file.h"
#include "base/files/temp_space.h"
#include "verbs/run/facts.h"

namespace refrain::verbs::run {

struct RunDirOptions {
  std::filesystem::path target;
  std::string verb;  // whose runs may be taken up or replaced
  std::string identity;
  bool resume = false;
  bool force = false;
  // In place of a directory: a run that nobody will resume. All that it writes lies in temporary files without a name.
  TempSpace* nameless = nullptr;
  // All that such a run may leave in the directory. Where `force` begins anew, what an earlier one left goes once the
  // first stage has ended: a slip in the options costs nothing.
  std::vector<std::string> outputs = {};
};

// A file that a stage makes. Its checksum is taken as it is written. Not thread-safe, but for what is said to be.
class RunFile {
 public:
  RunFile(const std::filesystem::path& path, std::string name, MemoryBudget& budget);

  void write(std::string_view bytes);
  template <class T>
  void write_values(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  // Many threads at a time, each at its own place; not beside write().
  void write_at(std::uint64_t place, std::string_view bytes);
  template <class T>
  void write_values_at(std::uint64_t first, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    write_at(first * sizeof(T), {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  std::uint64_t bytes() const { return out_.bytes(); }
  // `sync`: safe on the disk. What is not is checked when the run is resumed.
  void close(bool sync);

  struct Mark {
    std::string name;  // below the run's directory
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> sum = 0;  // none: only the size is known
  };
  // After close().
  const Mark& mark() const { return mark_; }
  // Whether the file is still as it was written.
  static bool holds(const std::filesystem::path& path, const Mark& mark);

 private:
  Reservation reservation_;
  OutputFile out_;
  std::uint64_t sum_ = 0;
  std::uint64_t placed_bytes_ = 0;  // by write_at()
  Mark mark_;
};

// Not thread-safe.
class RunDir {
 public:
  // Error(invalid_argument) where the directory exists and neither `resume` nor `force` says what to do with it, where
  // it holds another run than this one, an output or a folder `work` that no such run made, or where there is none to
  // resume. Error(busy)
  // where another process is at it.
  RunDir(const RunDirOptions& options, MemoryBudget& budget);

  // Runs a stage, or passes it over where it has ended. What it finds out goes into facts(). Returns whether it ran.
  bool stage(const std::string& name, const std::function<void()>& run);

  // Inside a stage: a file for later stages, or one that stays.
  RunFile create_work(const std::string& name);
  RunFile create_output(const std::string& name);
  // Removes a file for later stages that none will ask for, and that was not booked.
  void discard(const std::string& work_name);
  // Closes it, and books it as one that the stage has made.
  void close(RunFile& file);
  // Books an output folder whose files are on the disk by the names and sizes of what is in it.
  void close_folder(const std::string& name);

  Facts& facts() { return facts_; }
  // A path to open it by, as long as the run lives.
  std::filesystem::path work(const std::string& name) const;
  std::filesystem::path output(const std::string& name) const { return target_ / name; }

  const std::filesystem::path& folder() const { return target_; }

  // Whether a stage has ended.
  bool ended(const std::string& stage) const;

  // Has a stage run again when the run is resumed.
  void forget(const std::string& stage);

  // What the files for later stages take.
  std::uint64_t work_bytes() const;

  // Takes away what no resumed run could use: after an error that the same command would meet again.
  void abandon();

  // Writes summary.json and takes `work` away.
  void finish(std::string_view summary);

 private:
  std::filesystem::path marker(const std::string& stage) const { return work(stage + ".done"); }
  RunFile create_nameless(const std::string& name);
  bool believe(const std::string& stage);

  MemoryBudget& budget_;
  TempSpace* nameless_ = nullptr;
  std::map<std::string, TempFile> files_;  // of a run without a directory
  std::filesystem::path target_;
  bool made_target_ = false;
  std::optional<FileLock> lock_;
  Facts facts_;
  std::vector<RunFile::Mark> made_;           // by the stage that runs
  bool anew_ = false;                         // a stage ran: what comes after it must run too
  std::vector<std::filesystem::path> stale_;  // what an earlier run left
};

}  // namespace refrain::verbs::run
