#include "corpus/html/flow.h"

#include <algorithm>
#include <array>
#include <span>

#include "corpus/html/references.h"
#include "corpus/html/tokens.h"
#include "refrain/utf8.h"

namespace refrain::html {

namespace {

// put() takes UTF-8, in which a run of white space becomes at most one space, and two kinds of bytes that UTF-8 never
// contains: kLine begins a line, and kKeptSpace plus an index into kSpaces is white space that is kept.
constexpr unsigned char kKeptSpace = 0xF8;
constexpr unsigned char kLine = 0xFF;
constexpr std::string_view kSpaces = " \t\n\r\f";

constexpr std::size_t kGrowBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxGrowBytes = std::size_t{4} << 20;
constexpr std::size_t kStepBytes = 4096;      // of a run that are put at once
constexpr std::size_t kMostBytesPerByte = 3;  // U+FFFD for a byte that is not UTF-8
constexpr Flow::Place kNowhere = ~Flow::Place{0};
constexpr std::size_t kMaxPieces = std::size_t{1} << 20;

// HTML does not allow all characters.
bool is_allowed(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\f' || code == '\r';
  return !(0x7F <= code && code <= 0x9F) && !(0xFDD0 <= code && code <= 0xFDEF) && (code & 0xFFFE) != 0xFFFE;
}

// The character at text[at]. Invalid bytes that could have begun one character count as one.
CodePoint read_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (const CodePoint found = decode_utf8(text, at); found.valid()) return found;
  const unsigned lead = byte(0);
  if (lead < 0xE0 || lead > 0xF4) return {CodePoint::kInvalid, 1};
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  unsigned size = 1;
  if (at + 1 < text.size() && least <= byte(1) && byte(1) <= most) ++size;
  if (size == 2 && lead >= 0xF0 && at + 2 < text.size() && (byte(2) & 0xC0U) == 0x80U) ++size;
  return {CodePoint::kInvalid, size};
}

// Bytes that are copied unchanged.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '&';
  plain['\t'] = plain['\n'] = plain['\f'] = true;
  return plain;
}();

// Bytes that write() copies.
constexpr std::array<bool, 256> kVisible = [] {
  std::array<bool, 256> visible{};
  for (std::size_t c = 0; c < kKeptSpace; ++c) visible[c] = !is_space(static_cast<char>(c));
  return visible;
}();

bool is_plain(char c) {
  return kPlain[static_cast<unsigned char>(c)];
}

bool is_visible(char c) {
  return kVisible[static_cast<unsigned char>(c)];
}

char protect(char c) {
  const std::size_t at = kSpaces.find(c);
  return at == std::string_view::npos ? c : static_cast<char>(kKeptSpace + at);
}

}  // namespace

void Flow::begin(Array<char>& text, const std::function<void(std::size_t)>& grow) {
  text_ = &text;
  text.clear();
  grow_ = &grow;
  granted_ = kGrowBytes;
  grow(granted_);
  pending_ = Pending::none;
  waiting_.clear();
  pieces_.clear();
}

void Flow::line() {
  if (pieces_.empty())
    pending_ = Pending::line;
  else
    put({reinterpret_cast<const char*>(&kLine), 1});
}

void Flow::space() {
  if (pieces_.empty())
    pending_ = std::max(pending_, Pending::space);
  else
    put(" ");
}

void Flow::text(std::string_view run, const TextMode& manner) {
  std::array<char, kMostBytesPerByte * kStepBytes + 64> buffer;
  char* out = buffer.data();
  const auto encode = [&](std::uint32_t code) { out += encode_utf8(code, out); };
  for (std::size_t at = 0; at < run.size();) {
    const std::size_t end = std::min(run.size(), at + kStepBytes);
    while (at < end) {
      const char c = run[at];
      if (is_plain(c)) {
        *out++ = c;
        ++at;
      } else if (c == '\r') {
        at += at + 1 < run.size() && run[at + 1] == '\n' ? 2 : 1;
        *out++ = '\n';
      } else if (c == '\0') {
        if (manner.keeps_zeros) encode(kReplacement);
        ++at;
      } else if (c == '&') {
        const Reference reference = manner.references ? read_reference(run, at) : Reference{};
        encode(reference.size > 0 ? reference.first : '&');
        if (reference.second != 0) encode(reference.second);
        at += std::max<std::size_t>(reference.size, 1);
      } else {
        const CodePoint character = read_character(run, at);
        encode(character.valid() && is_allowed(character.value) ? character.value : kReplacement);
        at += character.size;
      }
    }
    if (manner.keeps_white_space) std::transform(buffer.data(), out, buffer.data(), protect);
    put({buffer.data(), static_cast<std::size_t>(out - buffer.data())});
    out = buffer.data();
  }
}

void Flow::need(std::size_t more) {
  const std::size_t held = text_->size() + waiting_.size() + pieces_.size() * sizeof(Piece) + more;
  if (held <= granted_) return;
  granted_ = held + std::min(held / 4, kMaxGrowBytes) + kGrowBytes;
  (*grow_)(held + held / 4 + kGrowBytes);  // a large array grows by a quarter, a small one by less than kGrowBytes
}

void Flow::put(std::string_view bytes) {
  need(bytes.size());
  if (pieces_.empty())
    write(bytes);
  else
    waiting_.append(std::span(bytes.data(), bytes.size()));
}

void Flow::write(std::string_view bytes) {
  for (const char* at = bytes.data(); at != bytes.data() + bytes.size();) {
    const char* const end = std::find_if_not(at, bytes.data() + bytes.size(), is_visible);
    if (end != at) {
      write_pending();
      text_->append(std::span(at, end));
      at = end;
      continue;
    }
    const auto c = static_cast<unsigned char>(*at++);
    if (c == kLine) {
      pending_ = Pending::line;
    } else if (c < kKeptSpace) {
      pending_ = std::max(pending_, Pending::space);
    } else {
      write_pending();
      text_->push_back(kSpaces[c - kKeptSpace]);
    }
  }
}

void Flow::write_pending() {
  const char last = text_->empty() ? '\n' : (*text_)[text_->size() - 1];
  if (pending_ == Pending::line && last != '\n') text_->push_back('\n');
  if (pending_ == Pending::space && !is_space(last)) text_->push_back(' ');
  pending_ = Pending::none;
}

Flow::Place Flow::insert_piece(Place before) {
  const auto piece = static_cast<Place>(pieces_.size());
  pieces_.push_back({waiting_.size(), pieces_[before].next});
  pieces_[before].next = piece;
  return piece;
}

Flow::Place Flow::keep_place() {
  if (pieces_.size() >= kMaxPieces) return kNowhere;
  if (pieces_.empty()) {
    pieces_.push_back({0, kNowhere});
    piece_ = 0;
  }
  const Place place = piece_;
  piece_ = insert_piece(place);
  return place;
}

Flow::Place Flow::go_to(Place place) {
  if (place == kNowhere || pieces_.size() >= kMaxPieces) return kNowhere;
  const Place behind = piece_;
  piece_ = insert_piece(place);
  return behind;
}

void Flow::back(Place& place, Place behind) {
  if (behind == kNowhere) return;
  place = piece_;
  piece_ = insert_piece(behind);
}

void Flow::forget_places() {
  need(waiting_.size());
  for (Place piece = 0; !pieces_.empty() && piece != kNowhere; piece = pieces_[piece].next) {
    const std::size_t begin = pieces_[piece].begin;
    const std::size_t end = piece + 1 == pieces_.size() ? waiting_.size() : pieces_[piece + 1].begin;
    write({waiting_.data() + begin, end - begin});
  }
  waiting_.clear();
  pieces_.clear();
}

void Flow::end() {
  forget_places();
  std::size_t size = text_->size();
  while (size > 0 && is_space((*text_)[size - 1])) --size;
  text_->resize(size);
}

void Flow::shrink() {
  waiting_.resize(0);
  pieces_.resize(0);
}

}  // namespace refrain::html
