// An answer on its way from the thread that works it out to the connection that sends it.
//
// The two have no common pace. What the client has not taken waits in memory, up to Limits::answer_bytes, then in a file
// without a name, so that the worker is done with a slow client as soon as with a fast one; only past
// Limits::spool_bytes does it wait. Memory does not grow with the answer, nor with the number of slow clients but by
// answer_bytes each.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "faces/server/wire/failure.h"
#include "faces/server/wire/limits.h"
#include "faces/server/wire/spool_file.h"

namespace refrain::server {

struct AnswerHead {
  unsigned status = 200;
  std::string content_type = "application/json";
  Headers headers = {};
  std::optional<std::uint64_t> length = {};  // of the body; none: it is streamed
};

// The worker's side is for one thread, the connection's for another.
class Answer {
 public:
  Answer(const Limits& limits, std::shared_ptr<SpoolSpace> space);
  ~Answer();
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  // ---- The worker

  // Set when nobody waits for the answer any more.
  std::stop_token stop_token() const { return stop_.get_token(); }
  // All at once.
  void send(AnswerHead head, std::string_view body);
  void send(const Failure& failure);
  // Or a piece at a time: the first call of write() says the head. Waits for the client past Limits::spool_bytes.
  // Error(interrupted) where the client has gone.
  void begin(AnswerHead head);
  void write(std::string_view bytes);
  void end();
  // The end that an error makes: its status or, where the head has been said, a last line that tells it.
  void fail(const Failure& failure);

  // ---- The connection

  // `wake` is called, from any thread, when take() has something to say after it said `waiting`.
  void on_wake(std::function<void()> wake);
  enum class Next { waiting, piece, ended };
  // Puts the next bytes of the body into `out`, at most Limits::piece_bytes. There is a head from the first piece on.
  Next take(std::string& out);
  const AnswerHead& head() const { return *head_; }
  // The client has gone, or will not be waited for.
  void abandon();

 private:
  void wake(std::unique_lock<std::mutex>& lock);
  void put(std::string_view bytes, std::unique_lock<std::mutex>& lock);
  void put_on_disk(std::string_view bytes, std::unique_lock<std::mutex>& lock);

  const Limits& limits_;
  const std::shared_ptr<SpoolSpace> space_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable taken_;
  std::shared_ptr<const std::function<void()>> wake_;  // shared, so that a call of it takes no memory
  std::optional<AnswerHead> head_;
  std::string memory_;                // what goes first
  std::size_t memory_begin_ = 0;      // taken already
  std::unique_ptr<SpoolFile> spool_;  // what follows it: the bytes from spool_begin_ to spool_end_
  std::uint64_t spool_begin_ = 0;
  std::uint64_t spool_end_ = 0;
  std::uint64_t spool_held_ = 0;  // of space_
  bool spooling_ = false;         // the worker writes to the file just now
  std::string last_;              // what follows that: an error
  bool waiting_ = false;          // the connection is
  bool ended_ = false;
  std::chrono::steady_clock::duration held_{};  // that its worker has waited for its reader
  bool abandoned_ = false;
};

}  // namespace refrain::server
