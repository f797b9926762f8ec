#include "faces/cli/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "faces/cli/view/terminal.h"

namespace refrain::cli {

namespace {

// Wakes the watcher's thread when it must end. The program has no other use for this signal, which is ignored by
// default.
constexpr int kWake = SIGURG;

bool is_ignored(int signal_number) {
  struct sigaction action {};
  return ::sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void prepare_process() {
#ifdef __GLIBC__
  constexpr int kThreshold = 256 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kThreshold);
  ::mallopt(M_TRIM_THRESHOLD, kThreshold);
  ::mallopt(M_ARENA_MAX, 2);
#endif
  ::signal(SIGPIPE, SIG_IGN);
  // Raises the limit of open files: an index with many shards and segments keeps many of them open at the same time.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest free number. The access mode is the opposite of the usual one, so that using the
    // descriptor still fails.
    if (::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) == -1) return;
  }
}

void prepare_memory([[maybe_unused]] const Context& context) {
#ifdef __GLIBC__
  constexpr std::uint64_t kLargeMemory = std::uint64_t{1} << 30U;
  constexpr std::uint64_t kArenaBytes = std::uint64_t{64} << 20U;
  constexpr std::uint64_t kLeastKept = std::uint64_t{256} << 10U;
  constexpr std::uint64_t kMostKept = std::uint64_t{4} << 20U;
  const std::uint64_t memory = context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes();
  if (memory < kLargeMemory) return;
  const std::uint64_t threads =
      std::max(context.threads != 0 ? context.threads : std::thread::hardware_concurrency(), 1U);
  const std::uint64_t kept = std::clamp(memory / 512 / threads, kLeastKept, kMostKept);
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::min(memory / kArenaBytes, threads + 1)));
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(kept));
  ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(kept));
#endif
}

int exit_code(Errc code) {
  switch (code) {
    case Errc::io:
    case Errc::busy:
      return 1;
    case Errc::invalid_argument:
    case Errc::outdated:
      return 2;
    case Errc::not_found:
    case Errc::bad_input:
    case Errc::unsupported:
      return 3;
    case Errc::corrupt:
      return 4;
    case Errc::over_budget:
      return 5;
    case Errc::interrupted:
      return kExitInterrupted;
  }
  return 1;
}

bool is_broken_pipe(const Error& error) {
  const std::string_view message = error.what();
  return error.code() == Errc::io && message.starts_with("standard output") && message.ends_with("Broken pipe");
}

SignalWatcher::SignalWatcher(std::string program, int grace_seconds)
    : program_(std::move(program)), grace_seconds_(grace_seconds) {
  ::sigemptyset(&watched_);
  ::sigaddset(&watched_, kWake);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // A blocked signal is delivered to a waiting thread even if it is ignored, so an ignored signal must not be
    // blocked.
    if (!is_ignored(number)) ::sigaddset(&watched_, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &watched_, &mask_before_);
  thread_ = std::thread([this] { watch(); });
}

SignalWatcher::~SignalWatcher() {
  closing_ = true;
  ::pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
  // A process may receive the same signal twice: directly, and with its process group. The second one must not change
  // how the program ends. A SIGINT still kills it.
  for (const int number : {SIGTERM, SIGHUP}) {
    if (source_.stop_requested() && ::sigismember(&watched_, number) == 1) ::signal(number, SIG_IGN);
  }
  // From here on, signals have their earlier effect. Only printing is left to do, which may end at any point.
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

int SignalWatcher::next_signal(double deadline_seconds) const {
  if (deadline_seconds < 0) {
    int number = 0;
    ::sigwait(&watched_, &number);
    return number;
  }
  timespec wait{};
  wait.tv_sec = static_cast<time_t>(deadline_seconds);
  wait.tv_nsec = static_cast<long>((deadline_seconds - static_cast<double>(wait.tv_sec)) * 1e9);
  const int number = ::sigtimedwait(&watched_, nullptr, &wait);
  return number == -1 ? 0 : number;
}

void SignalWatcher::watch() {
  do {
    const int number = next_signal(-1);
    if (closing_) return;
    if (number != kWake && number != 0) break;
  } while (true);
  source_.request_stop();

  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(grace_seconds_);
  while (true) {
    const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
    if (left <= 0) {
      write_error(fmt::format("{}: interrupted; forced to exit\n", program_));
      ::_exit(kExitInterrupted);
    }
    const int number = next_signal(left);
    if (closing_) return;
    if (number != SIGINT) continue;
    ::signal(SIGINT, SIG_DFL);
    ::pthread_sigmask(SIG_UNBLOCK, &watched_, nullptr);
    ::raise(SIGINT);
  }
}

}  // namespace refrain::cli
