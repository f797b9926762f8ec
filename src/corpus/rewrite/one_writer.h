// Lets one thread at a time write to a file: the first thread with something to write also writes what other threads
// add meanwhile. File systems allow one writer per file at a time, and encoders do, too.
#pragma once

#include <condition_variable>
#include <mutex>

namespace refrain::corpus {

class SingleWriter {
 public:
  std::mutex& mutex() { return mutex_; }

  // Waits until has_room() or no thread is writing. Then calls bring() and, unless another thread is writing,
  // drain(lock), which may release the lock while it writes. All three are called with the mutex held. A failure is
  // thrown to the thread in which it occurs; after it, calls do nothing.
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
  // Signals that there is room again. The caller holds the mutex.
  void notify() { changed_.notify_all(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool writing_ = false;
  bool failed_ = false;
};

}  // namespace refrain::corpus
