#include "corpus/rewrite/json_list.h"

#include <algorithm>

namespace refrain::corpus {

namespace {

constexpr std::string_view kSeparators = " \t\r\n,";
constexpr std::size_t kMostHeld = std::size_t{64} << 10;

}  // namespace

void JsonList::begin_file() {
  held_.clear();
  lead_.clear();
  kept_ = dropped_ = inside_ = false;
}

void JsonList::between(std::string_view bytes) {
  if (inside_) bytes.remove_prefix(take_object(bytes));
  while (!bytes.empty()) {
    const std::size_t blank = std::min(bytes.find_first_not_of(kSeparators), bytes.size());
    // Very long white space is reduced to what is significant.
    if (held_.size() + blank > kMostHeld)
      held_ = held_.find(',') != std::string::npos || bytes.substr(0, blank).find(',') != std::string_view::npos ? ",\n"
                                                                                                                 : "\n";
    else
      held_ += bytes.substr(0, blank);
    bytes.remove_prefix(blank);
    if (bytes.empty()) return;
    std::size_t size = 1;
    if (bytes.front() == ']') {
      sink_(held_);
      held_.clear();
      sink_(bytes.substr(0, 1));
      kept_ = true;  // in the outer array
    } else {
      keep();
      if (bytes.front() == '{') {
        scanner_ = JsonScanner();
        size = take_object(bytes);
      } else {
        sink_(bytes.substr(0, 1));
        if (bytes.front() == '[') kept_ = dropped_ = false;
      }
    }
    bytes.remove_prefix(size);
  }
}

// Writes the bytes of a bad record, as far as `bytes` contain it, and returns how many.
std::size_t JsonList::take_object(std::string_view bytes) {
  const std::size_t end = scanner_.first_end(bytes);
  inside_ = end == std::string_view::npos;
  sink_(bytes.substr(0, end));
  return std::min(end, bytes.size());
}

void JsonList::keep() {
  sink_(dropped_ && !kept_ ? lead_ : held_);
  held_.clear();
  kept_ = true;
}

void JsonList::drop() {
  if (!kept_ && !dropped_) lead_ = held_;
  dropped_ = true;
  held_.clear();
}

void JsonList::end_file() {
  sink_(held_);
  held_.clear();
}

}  // namespace refrain::corpus
