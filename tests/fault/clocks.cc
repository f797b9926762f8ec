// Clocks that run fast or jump, for tests of servers that run for months. Preloaded, this library overrides libc.
//
// CLOCKS_FILE names a file of five 64-bit numbers, which the test writes and may change while the program runs:
//
//   0  a counter, which is odd while the other numbers are being written
//   1  the real monotonic time, in nanoseconds, at which the program's clock showed
//   2  this time, in nanoseconds;
//   3  from then on, the program's clock runs at this many thousandths of the real speed
//   4  the difference between the program's calendar clock and its monotonic clock, in nanoseconds
//
// Clocks, timers (timerfd), sleeps and waits for conditions use this time. Threads that wait for events or with a
// timeout look at the file every few milliseconds, so a jump takes effect at once.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPollInterval = 10'000'000;  // how often a waiting thread looks at the file, in nanoseconds
constexpr std::size_t kNumbers = 5;
constexpr std::size_t kTimers = 64;  // timerfds that can be tracked

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int real_clock(clockid_t clock, timespec* out) {
  static auto* const next = real<int(clockid_t, timespec*)>("clock_gettime");
  return next(clock, out);
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

timespec to_timespec(std::int64_t time) {
  time = std::max<std::int64_t>(time, 0);
  return {.tv_sec = static_cast<time_t>(time / kSecond), .tv_nsec = static_cast<long>(time % kSecond)};
}

std::int64_t real_now() {
  timespec time{};
  real_clock(CLOCK_MONOTONIC, &time);
  return nanoseconds(time);
}

using Numbers = std::array<std::int64_t, kNumbers>;

const std::atomic<std::int64_t>* mapped() {
  static const auto* const file = []() -> const std::atomic<std::int64_t>* {
    const char* const name = std::getenv("CLOCKS_FILE");
    const int fd = name == nullptr ? -1 : ::open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* const memory = ::mmap(nullptr, sizeof(Numbers), PROT_READ, MAP_SHARED, fd, 0);
    ::close(fd);
    return memory == MAP_FAILED ? nullptr : static_cast<const std::atomic<std::int64_t>*>(memory);
  }();
  return file;
}

// Reads the file; returns false if there is none.
bool settings(Numbers& out) {
  const std::atomic<std::int64_t>* const file = mapped();
  if (file == nullptr) return false;
  do {
    for (std::size_t i = 0; i < kNumbers; ++i) out[i] = file[i].load();
  } while (out[0] % 2 != 0 || file[0].load() != out[0]);
  return true;
}

std::int64_t fast_of(const Numbers& numbers, std::int64_t time) {
  return numbers[2] + (time - numbers[1]) / 1000 * numbers[3];
}

// Returns the real nanoseconds until the program's clock shows `time`.
std::int64_t until(clockid_t clock, std::int64_t time) {
  Numbers numbers{};
  if (!settings(numbers)) {
    timespec now{};
    real_clock(clock, &now);
    return time - nanoseconds(now);
  }
  if (clock != CLOCK_MONOTONIC) time -= numbers[4];
  const std::int64_t left = time - fast_of(numbers, real_now());
  return left <= 0 ? 0 : left / std::max<std::int64_t>(numbers[3], 1) * 1000 + 1;
}

std::array<std::atomic<int>, kTimers> timers{};  // each a descriptor plus one, or 0
std::atomic<std::int64_t> last_change{0};

// After a change every timer expires, so that its owner looks at the clock and sets the timer again.
void end_timers_after_a_change() {
  Numbers numbers{};
  if (!settings(numbers) || last_change.exchange(numbers[0]) == numbers[0]) return;
  static auto* const next = real<int(int, int, const itimerspec*, itimerspec*)>("timerfd_settime");
  const itimerspec soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 1}};
  for (const std::atomic<int>& timer : timers)
    if (timer != 0) next(timer - 1, 0, &soon, nullptr);
}

// Waits until the program's clock shows `end`. `wait(real absolute time)` returns ETIMEDOUT at the given time.
template <class Wait>
int wait_until(clockid_t clock, const timespec* end, clockid_t wait_clock, Wait wait) {
  while (true) {
    const std::int64_t left = until(clock, nanoseconds(*end));
    timespec now{};
    real_clock(wait_clock, &now);
    const timespec at = to_timespec(nanoseconds(now) + std::min(left, kPollInterval));
    const int result = wait(&at);
    if (result != ETIMEDOUT || until(clock, nanoseconds(*end)) <= 0) return result;
  }
}

bool is_monotonic(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_BOOTTIME;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  Numbers numbers{};
  const bool calendar = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if ((!calendar && !is_monotonic(clock)) || !settings(numbers)) return real_clock(clock, out);
  *out = to_timespec(fast_of(numbers, real_now()) + (calendar ? numbers[4] : 0));
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* out, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *out = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

int timerfd_settime(int fd, int flags, const itimerspec* value, itimerspec* old) noexcept {
  static auto* const next = real<int(int, int, const itimerspec*, itimerspec*)>("timerfd_settime");
  for (std::atomic<int>& timer : timers) {
    int none = 0;
    if (timer == fd + 1 || timer.compare_exchange_strong(none, fd + 1)) break;
  }
  Numbers numbers{};
  if (flags != 0 || nanoseconds(value->it_value) == 0 || !settings(numbers)) return next(fd, flags, value, old);
  itimerspec sooner = *value;
  sooner.it_value = to_timespec(nanoseconds(value->it_value) / std::max<std::int64_t>(numbers[3], 1) * 1000 + 1);
  return next(fd, flags, &sooner, old);
}

int epoll_wait(int fd, epoll_event* events, int most, int timeout) {
  static auto* const next = real<int(int, epoll_event*, int, int)>("epoll_wait");
  constexpr int kLookMilliseconds = kPollInterval / 1'000'000;
  while (true) {
    end_timers_after_a_change();
    const bool long_wait = timeout < 0 || timeout > kLookMilliseconds;
    const int got = next(fd, events, most, long_wait ? kLookMilliseconds : timeout);
    if (got != 0 || !long_wait) return got;
    if (timeout > 0) timeout -= kLookMilliseconds;
  }
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* end) {
  static auto* const next =
      real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  return wait_until(clock, end, CLOCK_MONOTONIC,
                    [&](const timespec* at) { return next(condition, mutex, CLOCK_MONOTONIC, at); });
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* end) {
  static auto* const next =
      real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  return wait_until(CLOCK_REALTIME, end, CLOCK_MONOTONIC,
                    [&](const timespec* at) { return next(condition, mutex, CLOCK_MONOTONIC, at); });
}

int nanosleep(const timespec* length, timespec* /*left*/) {
  static auto* const next = real<int(const timespec*, timespec*)>("nanosleep");
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const timespec end = to_timespec(nanoseconds(now) + nanoseconds(*length));
  while (const std::int64_t left = until(CLOCK_MONOTONIC, nanoseconds(end))) {
    if (left < 0) break;
    const timespec part = to_timespec(std::min(left, kPollInterval));
    next(&part, nullptr);
  }
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (flags == 0) return nanosleep(time, left);
  timespec now{};
  clock_gettime(clock, &now);
  const timespec length = to_timespec(nanoseconds(*time) - nanoseconds(now));
  return nanosleep(&length, left);
}

}  // extern "C"
