// Prepares the process before a program starts its work: memory, broken pipes, signals, exit codes.
#pragma once

#include <signal.h>

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

#include "refrain/context.h"
#include "refrain/error.h"

namespace refrain::cli {

// Must be called first in main, before there are threads. It has these effects: freed memory goes back to the system
// at once (--memory is enforced by reservations, so freed memory must not add to them); writing to a broken pipe is an
// error of write() instead of a signal; descriptors 0 to 2 are open, so that no file of the program is mistaken for
// standard output; and as many files may be open as the system allows.
void prepare_process();

// Must be called when the limits of the run are known, before it starts threads. With a gigabyte or more, the allocator
// gets more arenas, so that threads seldom wait for each other, and each arena keeps some of the memory that was freed.
// In total they keep about 1/512 of the memory, which the budget sets aside.
void prepare_memory(const Context& context);

// Returns the exit code of `refrain` for an error. The table that users see is exit_codes() in table/verbs.h.
int exit_code(Errc code);

// Whether the error means that the reader of standard output is gone, as with `refrain ... | head`. Such an error needs
// no message.
bool is_broken_pipe(const Error& error);

inline constexpr int kExitNothingFound = 1;
inline constexpr int kExitInterrupted = 130;

// Turns SIGINT, SIGTERM and SIGHUP into a stop request as long as it exists. Must be constructed before any other
// thread is started, because threads inherit the blocked signals. Signals that were ignored when the program started
// (nohup, a background job) stay ignored.
//
// After the request, another SIGINT kills the process at once. If the run has not ended `grace_seconds` after the
// request, for example because it waits for standard input, the process exits with kExitInterrupted. Temporary files
// may then be left behind.
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
  // Waits for the next signal and returns it, or 0 if `deadline_seconds` pass first. A negative value means no
  // deadline.
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
