// Answers, and the files in which they wait for slow clients.
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
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "faces/server/wire/failure.h"
#include "faces/server/wire/limits.h"

namespace refrain::server {

// Cuts a long text into parts, so that it can be written as JSON a part at a time.
//
// Returns where to cut a text: after `bytes` bytes or up to three less, so that no character is split. The JSON of both
// parts put together is then the JSON of the whole text.
std::size_t json_cut(std::string_view text, std::size_t bytes);

// A nameless file for data that does not fit in memory. It disappears with its owner, even if the process is killed.
//
// One thread at a time may append or clear. Meanwhile, others may read bytes whose append() has returned.
class SpoolFile {
 public:
  // Creates the file in `folder`, or in $TMPDIR or /tmp if `folder` is empty. Throws Error(io) if that fails, or
  // Error(over_budget) if the disk is full.
  explicit SpoolFile(const std::string& folder);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  // Throws Error(over_budget) if the disk is full, and Error(io) for other failures.
  void append(std::string_view bytes);
  // Reads from `offset` on, until `buffer` is full or the file ends. Returns the number of bytes.
  std::size_t read(std::uint64_t offset, std::span<char> buffer) const;
  void clear();
  std::uint64_t size() const { return size_; }

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

// The folder of all spool files, and the disk space that they share. Callers reserve space before they append.
// Thread-safe.
class SpoolSpace {
 public:
  SpoolSpace(std::string folder, std::uint64_t most) : folder_(std::move(folder)), most_(most) {}
  const std::string& folder() const { return folder_; }
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { held_ -= bytes; }
  std::uint64_t held() const { return held_; }

 private:
  const std::string folder_;
  const std::uint64_t most_;
  std::atomic<std::uint64_t> held_{0};
};

// An answer on its way from the thread that computes it to the connection that sends it.
//
// The two run at different speeds. Data that the client has not taken waits in memory, up to Limits::answer_bytes
// and as far as the memory share of all answers allows, and then in a nameless file. So a slow client does not delay
// the worker until more than Limits::spool_bytes are waiting; then the worker waits. Memory grows neither with the
// size of the answer nor with the number of slow clients.

struct AnswerHead {
  unsigned status = 200;
  std::string content_type = "application/json";
  Headers headers = {};
  std::optional<std::uint64_t> length = {};  // of the body; empty if it is streamed
};

// One thread at a time may call the worker's functions, and another one those of the connection.
class Answer {
 public:
  Answer(const Limits& limits, std::shared_ptr<SpoolSpace> space, std::shared_ptr<MemoryShare> memory);
  ~Answer();
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  // ---- The worker

  // A stop is requested when nobody waits for the answer any more.
  std::stop_token stop_token() const { return stop_.get_token(); }
  // Sends the whole answer at once.
  void send(AnswerHead head, std::string_view body);
  void send(const Failure& failure);
  // These send an answer a piece at a time. Nothing is sent before begin(), which may be called after write(). Beyond
  // Limits::spool_bytes, write() waits for the client, at most Limits::max_worker_wait in total. It throws
  // Error(interrupted) if the client has left, and Error(over_budget) if the client reads too slowly.
  void begin(AnswerHead head);
  void write(std::string_view bytes);
  void end();
  // Ends the answer with an error. Before begin(), the answer becomes that error, with its status; after it, a last
  // line describes the error, unless the length was announced.
  void fail(const Failure& failure);

  // ---- The connection

  // Sets a callback, which any thread may call. After take() has returned `waiting`, it is called once, when take() may
  // have something to return.
  void on_wake(std::function<void()> wake);
  enum class Next { waiting, piece, ended };
  // Puts up to `most` bytes of the body into `out`. head() may be called once this has returned `piece` or `ended`.
  // Throws Error(io) if the worker ended without an answer.
  Next take(std::string& out, std::size_t most);
  const AnswerHead& head() const { return *head_; }
  // To be called when the client has left, or has been given up. Stops the worker.
  void abandon();

 private:
  void wake(std::unique_lock<std::mutex>& lock);
  void put(std::string_view bytes, std::unique_lock<std::mutex>& lock);
  void discard();
  bool fits_in_memory(std::size_t bytes);
  void put_on_disk(std::string_view bytes, std::unique_lock<std::mutex>& lock);

  const Limits& limits_;
  const std::shared_ptr<SpoolSpace> space_;
  const std::shared_ptr<MemoryShare> share_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable taken_;
  std::shared_ptr<const std::function<void()>> wake_;  // shared, so that calling it allocates nothing
  std::optional<AnswerHead> head_;
  std::string memory_;                // the part that is sent first
  std::size_t memory_begin_ = 0;      // bytes of memory_ that were taken
  std::size_t memory_held_ = 0;       // bytes reserved in share_
  std::unique_ptr<SpoolFile> spool_;  // the part that follows: bytes from spool_begin_ to spool_end_
  std::uint64_t spool_begin_ = 0;
  std::uint64_t spool_end_ = 0;
  std::uint64_t spool_held_ = 0;  // bytes reserved in space_
  bool spooling_ = false;         // the worker is writing to the file, without the lock
  std::string last_;              // the last part: an error
  bool waiting_ = false;          // take() has returned `waiting`
  bool ended_ = false;
  std::chrono::steady_clock::duration held_{};  // how long the worker has waited for the client
  bool abandoned_ = false;
};

}  // namespace refrain::server
