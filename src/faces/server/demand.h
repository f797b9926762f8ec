// Counts the clients that wait for the same work, which is done once for all of them. When the last one leaves, the
// work is stopped.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace refrain::server {

// Thread-safe.
class SharedWork {
 public:
  // One waiting client. It counts until `gone` is requested or this is destroyed.
  class Waiter {
   public:
    Waiter(SharedWork& demand, const std::stop_token& gone) : demand_(demand.enter()), callback_(gone, Leave{*this}) {}
    ~Waiter() { leave(); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

   private:
    struct Leave {
      Waiter& waiter;
      void operator()() const { waiter.leave(); }
    };
    void leave() {
      if (!left_.exchange(true)) demand_.leave();
    }

    SharedWork& demand_;
    std::atomic<bool> left_{false};
    std::stop_callback<Leave> callback_;
  };

  // Represents the work while a thread does it; at most one may exist at a time. Its stop_token() is requested when
  // nobody waits any more, or when `stop` is requested.
  class Work {
   public:
    Work(SharedWork& demand, const std::stop_token& stop)
        : demand_(demand), source_(demand.begin()), callback_(stop, Stop{source_}) {}
    ~Work() { demand_.end(); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    std::stop_token stop_token() const { return source_.get_token(); }

   private:
    struct Stop {
      std::stop_source source;
      void operator()() { source.request_stop(); }
    };
    SharedWork& demand_;
    std::stop_source source_;
    std::stop_callback<Stop> callback_;
  };

 private:
  SharedWork& enter() {
    const std::lock_guard lock(mutex_);
    ++waiters_;
    return *this;
  }
  void leave() {
    std::stop_source source(std::nostopstate);
    {
      const std::lock_guard lock(mutex_);
      if (--waiters_ == 0) source = work_;
    }
    source.request_stop();
  }
  std::stop_source begin() {
    std::stop_source source;
    const std::lock_guard lock(mutex_);
    if (waiters_ == 0) source.request_stop();
    work_ = source;
    return source;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    work_ = std::stop_source(std::nostopstate);
  }

  std::mutex mutex_;
  std::uint64_t waiters_ = 0;
  std::stop_source work_{std::nostopstate};
};

}  // namespace refrain::server
