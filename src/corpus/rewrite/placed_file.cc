#include "corpus/rewrite/placed_file.h"

#include <functional>
#include <utility>

namespace refrain::corpus {

void WrittenParts::add(std::string_view bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  const std::less_equal<> before;
  const bool own =
      !before(raw_.data(), bytes.data()) || !before(bytes.data() + bytes.size(), raw_.data() + raw_.size());
  const std::size_t begin = own ? own_.size() : static_cast<std::size_t>(bytes.data() - raw_.data());
  if (own) own_.append(bytes);
  if (!parts_.empty() && parts_.back().own == own && parts_.back().begin + parts_.back().size == begin)
    parts_.back().size += bytes.size();
  else
    parts_.push_back({begin, bytes.size(), own});
}

std::uint64_t PlacedFile::begin(std::uint64_t bytes) {
  const std::lock_guard lock(writer_.mutex());
  ++open_;
  return std::exchange(bytes_, bytes_ + bytes);
}

void PlacedFile::append(const WrittenParts& parts) {
  std::uint64_t place = 0;
  {
    const std::lock_guard lock(writer_.mutex());
    place = std::exchange(bytes_, bytes_ + parts.size());
  }
  put(place, parts);
}

void PlacedFile::put(std::uint64_t place, const WrittenParts& parts) const {
  parts.for_each([&](std::string_view part) {
    file_.write_at(place, part);
    place += part.size();
  });
}

std::uint64_t PlacedFile::end() {
  const std::lock_guard lock(writer_.mutex());
  if (--open_ == 0) file_.close_unsynced();
  return bytes_;
}

void PlacedFile::write(PlacedParts parts, bool at_once) {
  writer_.write([&] { return !at_once && has_room(); },
                [&] {
                  waiting_.push_back(std::move(parts));
                  ++room_.waiting;
                },
                [&](std::unique_lock<std::mutex>& lock) {
                  try {
                    write_waiting(lock);
                  } catch (...) {
                    if (!lock.owns_lock()) lock.lock();
                    waiting_.clear();  // the waiting parts own this file
                    throw;
                  }
                });
}

void PlacedFile::write_waiting(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty()) {
    const PlacedParts next = std::move(waiting_.front());
    waiting_.pop_front();
    --room_.waiting;
    lock.unlock();
    put(next.place, next.parts);
    lock.lock();
    if (--open_ == 0) file_.close_unsynced();
    // Notifies at half of the limit, so that waiting threads are not woken for every single piece.
    if (waiting_.size() == kMostWaiting / 2) writer_.notify();
  }
}

}  // namespace refrain::corpus
