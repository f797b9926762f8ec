// What a run may use, as plain values: memory, threads, how to report progress, and how to stop.
//
// There are no globals below the faces; the caller of a verb decides all of this.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// One progress report of a stage. `total` is 0 if it is unknown (for example, standard input).
struct ProgressUpdate {
  std::string_view stage;  // "read", "join", ...: for display
  std::string_view unit;   // "bytes", "documents", "tables", ...
  std::uint64_t done = 0;
  std::uint64_t total = 0;

  // Progress of the whole run, for verbs that work in stages.
  struct Run {
    std::string_view stage = {};
    unsigned number = 0;       // of that stage, from 1
    unsigned stages = 0;       // 0: the verb reports only single stages
    double share = 0;          // of the run that is done, 0 to 1
    double seconds_left = -1;  // negative: unknown
  };
  Run run = {};
};

struct Context {
  // What the call may take, mapped pages, stacks and the allocator's own included; 0 means default_memory_bytes(). Not
  // what the process may: calls side by side have a budget each, and what is returned in memory is the caller's. Less
  // than kMinMemoryBytes is refused by every verb.
  std::uint64_t memory_bytes = 0;
  // 0 means one per core available to this process. The number changes the time, never the result.
  unsigned threads = 0;
  // Where temporary files go; empty means the system default ($TMPDIR, /tmp).
  std::string temp_dir = {};
  // Called from any thread, one call at a time, at most a few times per second and stage. May be empty.
  std::function<void(const ProgressUpdate&)> progress = {};
  // Once set, the verb throws Error(interrupted) soon, and leaves neither temporary nor half-written files.
  std::stop_token stop = {};
};

inline constexpr std::uint64_t kMinMemoryBytes = std::uint64_t{64} << 20;

// Half of the RAM that the machine or this process's control group grants.
std::uint64_t default_memory_bytes();

}  // namespace refrain
