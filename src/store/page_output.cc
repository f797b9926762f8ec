#include "store/page_output.h"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/checksum.h"
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

void PageOutput::write(std::vector<char>& pages) {
  for (std::size_t at = 0; at != pages.size(); at += kPageBytes) {
    const std::uint64_t sum = page_checksum({pages.data() + at, kPageContentBytes}, pages_++);
    std::memcpy(pages.data() + at + kPageContentBytes, &sum, sizeof sum);
    digest_ = add_to_digest(digest_, sum);
  }
  file_.write({pages.data(), pages.size()});
}

void PageOutput::put(std::vector<char>& pages) {
  if (!thread_.joinable()) return write(pages);
  const std::size_t size = pages.size();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() || error_; });
  if (error_) std::rethrow_exception(error_);
  waiting_ = std::exchange(pages, std::vector<char>());
  changed_.notify_all();
  lock.unlock();
  pages.resize(size);
}

void PageOutput::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !waiting_.empty() || ended_; });
    if (waiting_.empty()) return;
    std::vector<char> pages = std::exchange(waiting_, {});
    busy_ = true;
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr error;
    try {
      write(pages);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (error) error_ = error;
    changed_.notify_all();
    if (error_) return;
  }
}

void PageOutput::wait_for_all(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return error_ || (waiting_.empty() && !busy_); });
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
