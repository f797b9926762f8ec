// What a program settles with the system before it works: memory, broken pipes, signals, exit codes.
#pragma once

#include <signal.h>

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

#include "refrain/context.h"
#include "refrain/error.h"

namespace refrain::cli {

// To be called first in main, before there are threads. Freed memory goes back to the system at once (the ceiling of
// --memory is kept by what is reserved, and what was freed must not stay on top of that); a broken pipe becomes an
// error of write(); descriptors 0 to 2 are open, so that no file of ours is taken for standard output.
void prepare_process();

// Once it is known what a run may use, before it has threads: where memory is plenty, threads share the allocator's locks
// with few others, and each keeps some of what it freed. Together that is 1/512 of the memory at most, which the budget
// of a gigabyte or more sets aside.
void prepare_memory(const Context& context);

// The exit code of `refrain` for an error; the table that people read is exit_codes() in verbs.h.
int exit_code(Errc code);

// Whether whoever read our standard output has gone: `refrain ... | head`. That is no news to anyone.
bool is_broken_pipe(const Error& error);

inline constexpr int kExitNothingFound = 1;
inline constexpr int kExitInterrupted = 130;

// Turns SIGINT, SIGTERM and SIGHUP into a stop request, as long as it lives. To be made before any other thread, which
// all inherit the blocked signals. Signals that were ignored when the program began (nohup, a job in the background)
// stay ignored.
//
// A SIGINT after that kills at once. A run that has not ended `grace_seconds` after the request, because it waits in a
// read of standard input, say, is ended with kExitInterrupted: temporary files may stay then.
class SignalWatcher {
 public:
  static constexpr int kGraceSeconds = 10;

  explicit SignalWatcher(std::string program, int grace_seconds = kGraceSeconds);
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void watch();
  // The next signal; 0 where `deadline_seconds` have passed first. Negative: waits for ever.
  int next_signal(double deadline_seconds) const;

  const std::string program_;
  const int grace_seconds_;
  std::stop_source source_;
  std::atomic<bool> closing_{false};
  sigset_t watched_;
  sigset_t mask_before_;
  std::thread thread_;
};

}  // namespace refrain::cli
