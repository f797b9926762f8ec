// Of many threads that bring something for one file, the first writes it, and all that the others bring meanwhile: a file
// system lets one thread at a time write to a file, and encoders are no different.
#pragma once

#include <condition_variable>
#include <mutex>

namespace refrain::corpus {

class OneWriter {
 public:
  std::mutex& mutex() { return mutex_; }

  // Waits until has_room(), or nobody writes; then calls bring() and, unless another thread writes, drain(lock), which
  // may open the lock while it writes. All of them hold the mutex. After a failure, which is thrown to the one who met
  // it, nothing more is brought.
  template <class HasRoom, class Bring, class Drain>
  void write(HasRoom has_room, Bring bring, Drain drain) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || !writing_ || has_room(); });
    if (failed_) return;
    bring();
    if (writing_) return;
    writing_ = true;
    try {
      drain(lock);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      failed_ = true;
      changed_.notify_all();
      throw;
    }
    writing_ = false;
    changed_.notify_all();
  }
  // There is room again.
  void notify() { changed_.notify_all(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool writing_ = false;
  bool failed_ = false;
};

}  // namespace refrain::corpus
