#include "store/page_output.h"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "store/page_file.h"

namespace refrain::store {

std::uint64_t page_checksum(std::string_view content, std::uint64_t page) {
  return checksum(content) + (page + 1) * 0x9E3779B97F4A7C15ULL;
}

std::uint64_t add_to_digest(std::uint64_t digest, std::uint64_t page_sum) {
  const std::array<std::uint64_t, 2> both{digest, page_sum};
  return checksum({reinterpret_cast<const char*>(both.data()), sizeof both});
}

PageOutput::PageOutput(const std::string& path, bool own_thread) : file_(path) {
  if (own_thread) thread_ = std::thread([this] { run(); });
}

PageOutput::~PageOutput() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void PageOutput::write(char* pages, std::size_t bytes) {
  for (std::size_t at = 0; at != bytes; at += kPageBytes) {
    const std::uint64_t sum = page_checksum({pages + at, kPageContentBytes}, pages_++);
    std::memcpy(pages + at + kPageContentBytes, &sum, sizeof sum);
    digest_ = add_to_digest(digest_, sum);
  }
  file_.write({pages, bytes});
}

void PageOutput::put(std::vector<char>& pages, std::size_t bytes) {
  if (!thread_.joinable()) return write(pages.data(), bytes);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_bytes_ == 0 || error_; });
  if (error_) std::rethrow_exception(error_);
  waiting_.resize(pages.size());
  std::swap(waiting_, pages);
  waiting_bytes_ = bytes;
  changed_.notify_all();
}

void PageOutput::run() {
  std::vector<char> mine;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return waiting_bytes_ != 0 || ended_; });
    if (waiting_bytes_ == 0) return;
    std::swap(mine, waiting_);
    const std::size_t bytes = std::exchange(waiting_bytes_, 0);
    busy_ = true;
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr error;
    try {
      write(mine.data(), bytes);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    error_ = error;
    changed_.notify_all();
    if (error_) return;
  }
}

void PageOutput::wait_for_all(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return error_ || (waiting_bytes_ == 0 && !busy_); });
  if (error_) std::rethrow_exception(error_);
}

std::uint64_t PageOutput::digest() {
  std::unique_lock lock(mutex_);
  wait_for_all(lock);
  return digest_;
}

void PageOutput::close() {
  std::unique_lock lock(mutex_);
  wait_for_all(lock);
  file_.close();
}

}  // namespace refrain::store
