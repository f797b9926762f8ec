// What a run may use, in plain values: memory, threads, and how to report and to stop.
//
// There are no globals below the faces; whoever calls a verb decides all of this.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// One report of how far a stage has come. `total` is 0 where it cannot be known (standard input, for one).
struct ProgressUpdate {
  std::string_view stage;  // "read", "join", ...: a word for a person
  std::string_view unit;   // "bytes", "documents", "tables", ...
  std::uint64_t done = 0;
  std::uint64_t total = 0;

  // The whole of a run that goes by stages.
  struct Run {
    std::string_view stage = {};
    unsigned number = 0;       // of that stage, from 1
    unsigned stages = 0;       // 0: the verb tells of single stages alone
    double share = 0;          // of the run that is done
    double seconds_left = -1;  // negative: not known
  };
  Run run = {};
};

struct Context {
  // What the call may take, mapped pages, stacks and the allocator's own included; 0 means default_memory_bytes(). Not
  // what the process may: calls side by side have a budget each, and what is returned in memory is the caller's. Less
  // than kMinMemoryBytes is refused by every verb.
  std::uint64_t memory_bytes = 0;
  // 0 means one a core that this process may run on. The number changes the time, never the result.
  unsigned threads = 0;
  // Where temporary files go; empty means the system's place for them ($TMPDIR, /tmp).
  std::string temp_dir = {};
  // Called from any thread, one call at a time, at most a few times a second a stage. May be empty.
  std::function<void(const ProgressUpdate&)> progress = {};
  // Once set, the verb throws Error(interrupted) soon, and leaves neither temporary nor half-written files.
  std::stop_token stop = {};
};

inline constexpr std::uint64_t kMinMemoryBytes = std::uint64_t{64} << 20;

// Half of the RAM that the machine, or the control group of this process, grants.
std::uint64_t default_memory_bytes();

}  // namespace refrain
