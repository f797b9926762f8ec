#include "base/attachment.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "base/ascii.h"
#include "base/hash.h"
#include "refrain/utf8.h"

namespace refrain {

namespace {

constexpr std::string_view kBegin = "[attachment: ";
constexpr std::string_view kSeparator = ", ";
constexpr std::string_view kBytes = " bytes";
constexpr std::size_t kSumDigits = 32;      // of the checksum
constexpr std::size_t kMaxNameBytes = 255;  // as in most file systems
constexpr std::size_t kMaxTypeBytes = 127;

// Removes the last field, with the separator before it, from `line`, and returns the field.
std::string_view take_field(std::string_view& line) {
  const std::size_t separator = line.rfind(kSeparator);
  const std::size_t begin = separator == std::string_view::npos ? 0 : separator + kSeparator.size();
  const std::string_view field = line.substr(begin);
  line = line.substr(0, separator == std::string_view::npos ? 0 : separator);
  return field;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_checksum(std::string_view text) {
  return text.size() == kSumDigits &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || ('a' <= c && c <= 'f'); });
}

// The part of the line that identifies the attachment: its type, size and checksum. Empty if the line does not
// represent an attachment.
std::string_view key_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.starts_with(kBegin) || !line.ends_with(']')) return {};
  const std::string_view fields = line.substr(kBegin.size(), line.size() - kBegin.size() - 1);
  std::string_view rest = fields;
  const std::string_view sum = take_field(rest);
  std::string_view bytes = take_field(rest);
  const std::string_view type = take_field(rest);
  if (!is_checksum(sum) || !bytes.ends_with(kBytes) || type.find('/') == std::string_view::npos) return {};
  bytes.remove_suffix(kBytes.size());
  if (!all_digits(bytes)) return {};
  return {type.data(), static_cast<std::size_t>(fields.data() + fields.size() - type.data())};
}

// Calls each(key) for every attachment in the text, until it returns false.
template <class Each>
void for_each_key(std::string_view text, Each each) {
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::string_view key = key_of(text.substr(at, text.find('\n', at) - at));
    if (!key.empty() && !each(key)) return;
  }
}

// The keys in ascending order, without duplicates.
std::vector<std::string_view> keys_of(std::string_view text) {
  std::vector<std::string_view> keys;
  for_each_key(text, [&](std::string_view key) {
    keys.push_back(key);
    return true;
  });
  std::ranges::sort(keys);
  const auto rest = std::ranges::unique(keys);
  keys.erase(rest.begin(), rest.end());
  return keys;
}

// At most `most` bytes of whole characters, on one line.
std::string on_one_line(std::string_view text, std::size_t most) {
  std::string line;
  for (const char c : text.substr(0, text.size() <= most ? text.size() : boundary_before(text, most))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte != 0x7F)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

// A media type without the characters that separate fields.
std::string plain_type(std::string_view text) {
  std::string type = on_one_line(text, kMaxTypeBytes);
  std::ranges::replace_if(
      type, [](char c) { return c == ' ' || c == ','; }, '_');
  return type;
}

}  // namespace

std::string attachment_line(std::string_view name, std::string_view type, std::string_view content) {
  const Digest sum = digest(content);
  std::string line(kBegin);
  if (const std::string shown = on_one_line(name, kMaxNameBytes); !shown.empty()) line += shown + ", ";
  return line + fmt::format("{}, {} bytes, {:016x}{:016x}]", plain_type(type), content.size(), sum.high, sum.low);
}

bool has_attachments(std::string_view text) {
  bool found = false;
  for_each_key(text, [&](std::string_view) { return !(found = true); });
  return found;
}

std::uint16_t attachments_lost(std::string_view text, std::string_view other) {
  const std::vector<std::string_view> keys = keys_of(text);
  if (keys.empty()) return 0;
  std::vector<std::string_view> lost;
  std::ranges::set_difference(keys, keys_of(other), std::back_inserter(lost));
  return static_cast<std::uint16_t>(std::min<std::size_t>(lost.size(), std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace refrain
