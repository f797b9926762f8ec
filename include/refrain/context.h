// The resources of a run, as plain values: memory, threads, how to report progress, and how to stop.
//
// The library has no global settings; the caller of a verb decides all of this.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "refrain/error.h"

namespace [[gnu::visibility("default")]] refrain {

// One progress report of a stage. `total` is 0 if it is unknown (for example, standard input).
struct ProgressUpdate {
  std::string_view stage;  // "read", "join", ...: for display
  std::string_view unit;   // "bytes", "documents", "tables", ...
  std::uint64_t done = 0;
  std::uint64_t total = 0;

  // Progress of the whole run, for verbs that work in several stages.
  struct Run {
    std::string_view stage = {};
    unsigned number = 0;       // of that stage, counted from 1
    unsigned stages = 0;       // in total; 0: the verb reports only single stages
    double share = 0;          // how much of the run is done, 0 to 1
    double seconds_left = -1;  // estimated; negative: unknown
  };
  Run run = {};
};

struct Context {
  // The memory that the call may take, including mapped pages, stacks and the allocator's own needs. 0 means
  // default_memory_bytes(). This is not a limit for the process: calls that run at the same time have a budget each,
  // and results returned in memory belong to the caller. Every verb rejects values below kMinMemoryBytes.
  std::uint64_t memory_bytes = 0;
  // 0 means one thread per core available to this process. The number changes the time, never the result.
  unsigned threads = 0;
  // The folder for temporary files; empty means the system default ($TMPDIR, /tmp).
  std::string temp_dir = {};
  // Called from any thread, one call at a time, at most a few times per second and stage. May be empty.
  std::function<void(const ProgressUpdate&)> progress = {};
  // Once a stop is requested, the verb soon throws Error(interrupted), and leaves neither temporary nor half-written
  // files.
  std::stop_token stop = {};
  // Spells the options that the reasons for skipped files and bad records name. If empty, they stay in backquotes.
  SpellOption spell = {};
};

inline constexpr std::uint64_t kMinMemoryBytes = std::uint64_t{64} << 20;

// Half of the RAM available to this process: that of the machine, or less if a control group limits it. At least
// kMinMemoryBytes.
std::uint64_t default_memory_bytes();

// The cost of one stage of a run.
struct StageCost {
  std::string stage;
  double seconds = 0;
  std::uint64_t bytes = 0;         // read or written by the stage
  std::uint64_t memory_bytes = 0;  // peak; 0 if not measured
};

}  // namespace refrain
