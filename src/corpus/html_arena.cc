#include "corpus/html_arena.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace refrain {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kStep = 16;  // of sizes and of addresses
constexpr std::size_t kSmallClasses = 32;
constexpr std::size_t kSmallBytes = kSmallClasses * kStep;

// Sizes of one class are interchangeable: multiples of 16 up to 512, powers of two past that.
std::size_t class_of(std::size_t bytes) {
  if (bytes <= kSmallBytes) return (std::max<std::size_t>(bytes, 1) - 1) / kStep;
  return kSmallClasses + static_cast<std::size_t>(std::bit_width(bytes - 1)) - 10;
}

std::size_t class_bytes(std::size_t number) {
  return number < kSmallClasses ? (number + 1) * kStep : std::size_t{1} << (number - kSmallClasses + 10);
}

}  // namespace

bool HtmlArena::run(std::uint64_t limit, const std::function<void(std::size_t)>& grow, void (*parse)(void*),
                    void* argument) {
  clear();
  limit_ = limit;
  grow_ = &grow;
  error_ = nullptr;
  if (setjmp(jump_) == 0) {  // NOLINT(cert-err52-cpp): an exception cannot pass through C
    parse(argument);
    return true;
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return false;
}

void HtmlArena::refuse() {
  std::longjmp(jump_, 1);  // NOLINT(cert-err52-cpp)
}

void* HtmlArena::allocate(std::size_t bytes) {
  const std::size_t number = class_of(bytes);
  if (number >= kClasses) refuse();
  if (Free* const found = free_[number]; found != nullptr) {
    free_[number] = found->next;
    return found;
  }
  const std::size_t needed = class_bytes(number) + kStep;
  while (block_ < blocks_.size() && used_ + needed > blocks_[block_].size()) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size() && !add_block(needed)) refuse();
  char* const memory = blocks_[block_].data() + used_;
  used_ += needed;
  *reinterpret_cast<std::size_t*>(memory) = number;
  return memory + kStep;
}

// False where that is refused; error_ says why, unless it is the limit.
bool HtmlArena::add_block(std::size_t bytes) {
  const std::size_t size = std::max(bytes, kBlockBytes);
  if (held_ + size > limit_ && held_ > 0) return false;
  try {
    (*grow_)(held_ + size);
    blocks_.emplace_back(budget_, "parsing HTML", size);
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
  held_ += size;
  return true;
}

void HtmlArena::release(void* memory) {
  if (memory == nullptr) return;
  const std::size_t number = *reinterpret_cast<std::size_t*>(static_cast<char*>(memory) - kStep);
  auto* const freed = static_cast<Free*>(memory);
  freed->next = free_[number];
  free_[number] = freed;
}

void HtmlArena::clear() {
  free_.fill(nullptr);
  block_ = used_ = 0;
}

void HtmlArena::shrink() {
  clear();
  while (blocks_.size() > 1 || (!blocks_.empty() && blocks_.front().size() > kBlockBytes)) {
    held_ -= blocks_.back().size();
    blocks_.pop_back();
  }
}

}  // namespace refrain
