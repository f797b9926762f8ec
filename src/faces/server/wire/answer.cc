#include "faces/server/wire/answer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "refrain/error.h"

namespace refrain::server {

std::size_t json_cut(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text.size();
  // Cuts before the first byte of a character. If none of four bytes is one, they are not valid UTF-8.
  for (std::size_t at = bytes; at > 0 && bytes - at < 4; --at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) return at;
  return bytes;
}

namespace {

Error file_error(const char* what, int number) {
  const Errc code = number == ENOSPC || number == EDQUOT ? Errc::over_budget : Errc::io;
  return {code, std::string("a temporary file ") + what + ": " + std::strerror(number)};
}

std::string temp_folder(const std::string& folder) {
  if (!folder.empty()) return folder;
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

SpoolFile::SpoolFile(const std::string& folder) {
  // With O_TMPFILE, which not every file system supports, the file never has a name, so that nothing remains if the
  // process is killed.
  fd_ = ::open(temp_folder(folder).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ >= 0) return;
  std::string path = temp_folder(folder) + "/refrain-serve-XXXXXX";
  fd_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd_ < 0) throw file_error("cannot be created", errno);
  ::unlink(path.c_str());
}

SpoolFile::~SpoolFile() {
  ::close(fd_);
}

void SpoolFile::append(std::string_view bytes) {
  std::uint64_t end = size_;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(end));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw file_error("cannot be written", errno);
    end += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  size_ = end;
}

std::size_t SpoolFile::read(std::uint64_t offset, std::span<char> buffer) const {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t got = ::pread(fd_, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error("cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void SpoolFile::clear() {
  if (::ftruncate(fd_, 0) != 0) throw file_error("cannot be emptied", errno);
  size_ = 0;
}

bool SpoolSpace::take(std::uint64_t bytes) {
  if (held_.fetch_add(bytes) + bytes <= most_) return true;
  held_ -= bytes;
  return false;
}

Answer::Answer(const Limits& limits, std::shared_ptr<SpoolSpace> space, std::shared_ptr<MemoryShare> memory)
    : limits_(limits), space_(std::move(space)), share_(std::move(memory)) {}

Answer::~Answer() {
  space_->give_back(spool_held_);
  share_->give_back(memory_held_);
}

void Answer::send(AnswerHead head, std::string_view body) {
  head.length = body.size();
  begin(std::move(head));
  write(body);
  end();
}

void Answer::send(const Failure& failure) {
  send({.status = failure.status(), .headers = failure.headers()}, failure.json());
}

void Answer::begin(AnswerHead head) {
  const std::lock_guard lock(mutex_);
  head_ = std::move(head);
}

void Answer::write(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  while (!bytes.empty()) {
    if (abandoned_) throw Error(Errc::interrupted, "the client disconnected");
    const std::string_view piece = bytes.substr(0, limits_.piece_bytes);
    put(piece, lock);
    bytes.remove_prefix(piece.size());
  }
  wake(lock);
}

// Whether `bytes` more bytes fit in memory. If so, they are reserved in share_, except those of a short answer, which
// always fits: there is only one answer per connection.
bool Answer::fits_in_memory(std::size_t bytes) {
  const std::size_t size = memory_.size() - memory_begin_ + bytes;
  if (spool_held_ != 0 || size > limits_.answer_bytes) return false;
  if (size <= limits_.min_piece_bytes) return true;
  if (!share_->take(bytes)) return false;
  memory_held_ += bytes;
  return true;
}

void Answer::put(std::string_view bytes, std::unique_lock<std::mutex>& lock) {
  if (fits_in_memory(bytes.size())) {
    if (memory_begin_ != 0) {
      memory_.erase(0, memory_begin_);
      memory_begin_ = 0;
    }
    memory_ += bytes;
    return;
  }
  while (spool_held_ + bytes.size() > limits_.spool_bytes || !space_->take(bytes.size())) {
    wake(lock);
    // Nothing signals that other answers have released space, so this checks every 100 ms.
    const auto began = std::chrono::steady_clock::now();
    taken_.wait_for(lock, std::chrono::milliseconds(100));
    held_ += std::chrono::steady_clock::now() - began;
    if (abandoned_) throw Error(Errc::interrupted, "the client disconnected");
    if (held_ > limits_.max_worker_wait)
      throw Error(Errc::over_budget, "the client reads too slowly; read faster, or request less at a time");
    if (spool_held_ == 0 && memory_begin_ == memory_.size()) {  // the client has taken everything meanwhile
      memory_ = bytes;
      memory_begin_ = 0;
      return;
    }
  }
  spool_held_ += bytes.size();
  put_on_disk(bytes, lock);
}

void Answer::put_on_disk(std::string_view bytes, std::unique_lock<std::mutex>& lock) {
  if (spool_ == nullptr) spool_ = std::make_unique<SpoolFile>(space_->folder());
  spooling_ = true;  // keeps take() from emptying the file; the lock is released because the disk may be slow
  lock.unlock();
  try {
    spool_->append(bytes);
  } catch (...) {
    lock.lock();
    spooling_ = false;
    throw;
  }
  lock.lock();
  spooling_ = false;
  spool_end_ += bytes.size();
}

void Answer::end() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  wake(lock);
}

void Answer::fail(const Failure& failure) {
  std::unique_lock lock(mutex_);
  if (!head_) {
    discard();
    lock.unlock();
    send(failure);
    return;
  }
  // A body whose length was announced cannot end with an error. The connection notices that it is too short.
  if (!head_->length) last_ = failure.json();
  ended_ = true;
  wake(lock);
}

// Discards what was written before there was a head.
void Answer::discard() {
  memory_ = {};
  share_->give_back(std::exchange(memory_held_, 0));
  spool_.reset();
  spool_begin_ = spool_end_ = 0;
  space_->give_back(std::exchange(spool_held_, 0));
}

void Answer::on_wake(std::function<void()> wake) {
  auto shared = std::make_shared<const std::function<void()>>(std::move(wake));
  const std::lock_guard lock(mutex_);
  wake_ = std::move(shared);
}

Answer::Next Answer::take(std::string& out, std::size_t most) {
  const std::lock_guard lock(mutex_);
  out.clear();
  if (head_ && memory_begin_ < memory_.size()) {
    out.assign(memory_, memory_begin_, most);
    memory_begin_ += out.size();
    if (memory_begin_ == memory_.size()) {
      memory_ = {};
      memory_begin_ = 0;
      share_->give_back(std::exchange(memory_held_, 0));
    }
    taken_.notify_one();
    return Next::piece;
  }
  if (head_ && spool_begin_ < spool_end_) {
    out.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, spool_end_ - spool_begin_)));
    if (spool_->read(spool_begin_, out) != out.size()) throw Error(Errc::io, "temporary file too short");
    spool_begin_ += out.size();
    if (spool_begin_ == spool_end_ && !spooling_) {
      spool_->clear();
      spool_begin_ = spool_end_ = 0;
      space_->give_back(std::exchange(spool_held_, 0));
    }
    taken_.notify_one();
    return Next::piece;
  }
  if (ended_ && !last_.empty()) {
    out.swap(last_);
    return Next::piece;
  }
  if (ended_ && !head_) throw Error(Errc::io, "no response");
  if (ended_) return Next::ended;
  waiting_ = true;
  return Next::waiting;
}

void Answer::abandon() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    wake_ = nullptr;
    taken_.notify_all();
  }
  stop_.request_stop();
}

void Answer::wake(std::unique_lock<std::mutex>& lock) {
  if (!std::exchange(waiting_, false) || !wake_) return;
  const std::shared_ptr<const std::function<void()>> call = wake_;
  lock.unlock();
  (*call)();
  lock.lock();
}

}  // namespace refrain::server
