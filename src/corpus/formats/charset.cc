#include "corpus/formats/charset.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <span>

#include "base/ascii.h"
#include "corpus/formats/piece.h"
#include "refrain/error.h"
#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::size_t kMetaBytes = 1024;  // as far as browsers look
constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

// The characters 0x80 to 0x9F of windows-1252, the only ones in which it differs from Latin-1.
constexpr std::array<std::uint32_t, 32> kWindows1252High = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

bool is_label(char c) {
  return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '-' || c == '_' || c == ':' || c == '.';
}

// The first label in `text`, in lower case, without the characters around it that cannot be part of a label.
std::string label_of(std::string_view text) {
  std::string label;
  for (const char c : text) {
    if (is_label(lower(c)))
      label += lower(c);
    else if (!label.empty())
      break;
  }
  return label;
}

// The charset that a <meta> tag at the beginning of a page names; empty if there is none.
std::string meta_charset(std::string_view html) {
  std::string start(html.substr(0, kMetaBytes));
  std::transform(start.begin(), start.end(), start.begin(), lower);
  for (std::size_t at = start.find("<meta"); at != std::string::npos; at = start.find("<meta", at + 1)) {
    const std::string_view tag = std::string_view(start).substr(at, start.find('>', at) - at);
    std::size_t found = tag.find("charset");
    if (found == std::string_view::npos) continue;
    found += std::string_view("charset").size();
    while (found < tag.size() && is_space(tag[found])) ++found;
    if (found >= tag.size() || tag[found] != '=') continue;
    std::string label = label_of(tag.substr(found + 1));
    if (!label.empty()) return label;
  }
  return {};
}

bool is_windows_1252(const std::string& charset) {
  static constexpr std::string_view kNames[] = {
      "windows-1252", "cp1252",   "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1",        "latin-1",
      "l1",           "us-ascii", "ascii",      "x-cp1252",  "iso88591",   "ansi_x3.4-1968"};
  return std::find(std::begin(kNames), std::end(kNames), charset) != std::end(kNames);
}

void append(Array<char>& out, std::string_view bytes) {
  out.append(std::span(bytes.data(), bytes.size()));
}

void from_windows_1252(std::string_view bytes, Array<char>& out) {
  while (!bytes.empty()) {
    const auto* const high =
        std::find_if(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    append(out, {bytes.begin(), high});
    if (high == bytes.end()) return;
    const auto byte = static_cast<unsigned char>(*high);
    std::array<char, 4> character{};
    append(out, {character.data(), encode_utf8(byte < 0xA0 ? kWindows1252High[byte - 0x80] : byte, character.data())});
    bytes = {high + 1, bytes.end()};
  }
}

bool is_open(iconv_t handle) {
  return reinterpret_cast<std::intptr_t>(handle) != -1;
}

struct CloseIconv {
  using pointer = iconv_t;
  void operator()(iconv_t handle) const {
    if (is_open(handle)) iconv_close(handle);
  }
};

// The number of bytes to skip if they are not a character.
std::size_t unit_of(const std::string& charset) {
  const auto is = [&](std::string_view name) { return charset.find(name) != std::string::npos; };
  if (is("utf-32") || is("utf32") || is("ucs-4") || is("ucs4")) return 4;
  return is("utf-16") || is("utf16") || is("ucs-2") || is("ucs2") ? 2 : 1;
}

}  // namespace

CharsetConverter::~CharsetConverter() {
  for (const auto& [charset, handle] : open_) iconv_close(handle);
}

bool CharsetConverter::from_iconv(std::string_view bytes, const std::string& charset, Array<char>& out,
                                  std::uint64_t& replaced) {
  constexpr std::size_t kMostOpen = 64;
  std::unique_ptr<iconv_t, CloseIconv> closes;
  const auto known = open_.find(charset);
  const iconv_t handle = known != open_.end() ? known->second : iconv_open("UTF-8", charset.c_str());
  if (!is_open(handle)) return false;
  if (known == open_.end() && open_.size() < kMostOpen)
    open_.emplace(charset, handle);
  else if (known == open_.end())
    closes.reset(handle);
  buffer_.resize(kChunkBytes);
  const std::size_t unit = unit_of(charset);
  char* in = const_cast<char*>(bytes.data());
  std::size_t left = bytes.size();
  iconv(handle, nullptr, nullptr, nullptr, nullptr);  // resets the state that an incomplete text may have left
  const auto convert = [&](char** from, std::size_t* size) {
    char* to = buffer_.data();
    std::size_t room = buffer_.size();
    const std::size_t status = iconv(handle, from, size, &to, &room);
    const int reason = status == static_cast<std::size_t>(-1) ? errno : 0;
    append(out, {buffer_.data(), buffer_.size() - room});
    return reason;
  };
  while (left > 0) {
    const int reason = convert(&in, &left);
    if (reason == 0) break;
    if (reason == E2BIG) continue;
    append(out, kReplacement);
    ++replaced;
    if (reason == EINVAL) break;  // the last character is incomplete
    const std::size_t skipped = std::min(unit, left);
    in += skipped;
    left -= skipped;
  }
  convert(nullptr, nullptr);
  return true;
}

std::string marked_charset(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with(kByteOrderMark)) return "utf-8";
  if (bytes.starts_with("\xff\xfe\0\0"sv)) return "utf-32le";
  if (bytes.starts_with("\0\0\xfe\xff"sv)) return "utf-32be";
  if (bytes.starts_with("\xff\xfe"sv)) return "utf-16le";
  return bytes.starts_with("\xfe\xff"sv) ? "utf-16be" : "";
}

Recoder::Recoder(const std::string& charset)
    : handle_(iconv_open("UTF-8", is_windows_1252(charset) ? "windows-1252" : charset.c_str())),
      unit_(unit_of(charset)) {
  if (is_open(handle_)) return;
  throw Error(Errc::invalid_argument,
              fmt::format("`charset` {}: no such character set; 'iconv -l' lists them", charset));
}

Recoder::~Recoder() {
  if (is_open(handle_)) iconv_close(handle_);
}

void Recoder::recode(std::string_view bytes, bool last, std::string& out) {
  rest_ += bytes;
  char* in = rest_.data();
  std::size_t left = rest_.size();
  const std::size_t begin = out.size();
  std::string buffer(kChunkBytes, '\0');
  while (left > 0) {
    char* to = buffer.data();
    std::size_t room = buffer.size();
    const std::size_t status = iconv(handle_, &in, &left, &to, &room);
    const int reason = status == static_cast<std::size_t>(-1) ? errno : 0;
    out.append(buffer, 0, buffer.size() - room);
    if (reason == 0 || reason == E2BIG) continue;
    if (reason == EINVAL && !last) break;  // the next call continues it
    out += kReplacement;
    ++replaced_;
    const std::size_t skipped = reason == EINVAL ? left : std::min(unit_, left);
    in += skipped;
    left -= skipped;
  }
  rest_.erase(0, rest_.size() - left);
  if (last) {
    // Flushes output that the decoder has held back.
    char* to = buffer.data();
    std::size_t room = buffer.size();
    iconv(handle_, nullptr, nullptr, &to, &room);
    out.append(buffer, 0, buffer.size() - room);
  }
  if (!begun_ && out.size() > begin) {
    begun_ = true;
    if (std::string_view(out).substr(begin).starts_with(kByteOrderMark)) out.erase(begin, kByteOrderMark.size());
  }
}

bool is_utf8(const std::string& charset) {
  return charset == "utf-8" || charset == "utf8";
}

std::string charset_name(const std::string& charset) {
  if (is_windows_1252(charset)) return "windows-1252";
  const std::size_t unit = unit_of(charset);
  return unit == 1 ? charset : unit == 2 ? "utf-16" : "utf-32";
}

std::string charset_of(std::string_view bytes, std::string_view declared, bool html) {
  if (bytes.starts_with(kByteOrderMark)) return "utf-8";
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return "utf-16";
  if (std::string label = label_of(declared); !label.empty()) return label;
  if (html) {
    std::string label = meta_charset(bytes);
    if (label.starts_with("utf-16")) return "utf-8";  // a page in UTF-16 could not have been searched for the tag
    if (!label.empty()) return label;
  }
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint character = decode_utf8(bytes, at);
    if (!character.valid()) return guessed_charset(bytes);
    at += character.size;
  }
  return "utf-8";
}

bool CharsetConverter::to_utf8(std::string_view bytes, const std::string& charset,
                               const std::function<void(std::size_t)>& grow, Array<char>& out,
                               std::uint64_t& replaced) {
  out.clear();
  grow(3 * bytes.size());  // no character takes more
  if (is_utf8(charset)) {
    append(out, bytes);
    return true;
  }
  if (is_windows_1252(charset)) {
    from_windows_1252(bytes, out);
    return true;
  }
  return from_iconv(bytes, charset, out, replaced);
}

}  // namespace refrain::corpus
