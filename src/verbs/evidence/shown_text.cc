#include "verbs/evidence/shown_text.h"

#include <algorithm>

#include "refrain/utf8.h"

namespace refrain::verbs::evidence {

namespace {

using Kind = ShownPiece::Kind;

// Whether the text has more than ASCII punctuation and white space.
bool holds_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

struct Ends {
  std::size_t head;  // size of the first part
  std::size_t tail;  // offset of the last part
};
Ends ends_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {text.size(), text.size()};
  const std::size_t head = boundary_before(text, most / 2);
  return {head, std::max(head, boundary_after(text, text.size() - most / 2))};
}

class PieceBuilder {
 public:
  PieceBuilder(std::string_view text, const ShownLimits& limits) : text_(text), limits_(limits) {}

  void add(std::size_t begin, std::size_t end, bool both) {
    if (begin >= end || full_) return;
    const std::string_view stretch = text_.substr(begin, end - begin);
    const Kind kind = both ? Kind::both : holds_word(stretch) ? Kind::only : Kind::plain;
    const Ends ends = ends_of(stretch, both ? limits_.both : limits_.only);
    show(kind, begin, begin + ends.head);
    if (full_ || ends.head == stretch.size()) return;
    leave_out(ends.tail - ends.head);
    at_ = begin + ends.tail;
    show(kind, at_, end);
  }

  std::vector<ShownPiece> end(std::uint64_t unread) {
    leave_out(text_.size() - at_ + unread);
    return std::move(pieces_);
  }

 private:
  void show(Kind kind, std::size_t begin, std::size_t end) {
    if (full_ || begin == end) return;
    std::size_t stop = end;
    if (shown_ + (end - begin) > limits_.bytes) stop = boundary_before(text_, begin + limits_.bytes - shown_);
    stop = std::max(stop, begin);
    if (stop > begin) pieces_.push_back({kind, std::string(text_.substr(begin, stop - begin)), 0});
    shown_ += stop - begin;
    at_ = stop;
    full_ = stop < end || pieces_.size() >= limits_.pieces;
  }
  void leave_out(std::uint64_t bytes) {
    if (bytes != 0) pieces_.push_back({Kind::left_out, {}, bytes});
  }

  const std::string_view text_;
  const ShownLimits& limits_;
  std::vector<ShownPiece> pieces_;
  std::size_t shown_ = 0;
  std::size_t at_ = 0;  // end of what has been shown or left out
  bool full_ = false;
};

}  // namespace

std::vector<ShownPiece> shown_text(std::string_view text, std::span<const ByteRange> shared, std::uint64_t unread,
                                   const ShownLimits& limits) {
  PieceBuilder shower(text, limits);
  std::size_t at = 0;
  for (const ByteRange& range : shared) {
    shower.add(at, static_cast<std::size_t>(range.begin), false);
    shower.add(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end), true);
    at = static_cast<std::size_t>(range.end);
  }
  shower.add(at, text.size(), false);
  return shower.end(unread);
}

std::string shortened(std::string_view text, std::size_t most) {
  const Ends ends = ends_of(text, most);
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, ends.head)) + "…" + std::string(text.substr(ends.tail));
}

}  // namespace refrain::verbs::evidence
