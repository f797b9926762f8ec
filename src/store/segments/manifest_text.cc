#include "store/segments/manifest_text.h"

#include <fmt/format.h>

#include <charconv>
#include <random>
#include <system_error>

#include "base/checksum.h"
#include "refrain/error.h"

namespace refrain::store {

namespace {

constexpr std::size_t kManifestIdDigits = 32;

std::string checksum_line(std::string_view lines) {
  return fmt::format("checksum {:016x}\n", checksum(lines));
}

}  // namespace

std::string random_manifest_id() {
  std::random_device random;
  std::string id;
  while (id.size() < kManifestIdDigits) id += fmt::format("{:08x}", random());
  return id;
}

bool is_manifest_id(std::string_view id) {
  return id.size() == kManifestIdDigits && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string file_word(const PageFileId& id) {
  return fmt::format("{}:{:016x}", id.bytes, id.digest);
}

std::string with_checksum(const std::string& lines) {
  return lines + checksum_line(lines);
}

std::optional<std::string_view> without_checksum(std::string_view text) {
  const std::size_t last_bytes = checksum_line({}).size();
  if (text.size() < last_bytes) return std::nullopt;
  const std::string_view lines = text.substr(0, text.size() - last_bytes);
  if (text.substr(lines.size()) != checksum_line(lines)) return std::nullopt;
  return lines;
}

std::string_view ManifestWords::word() {
  const std::size_t end = std::min(rest_.find(' '), rest_.size());
  const std::string_view word = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (word.empty()) fail();
  return word;
}

PageFileId ManifestWords::file() {
  const std::string_view text = word();
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) fail();
  return {parse(text.substr(0, colon), 10), parse(text.substr(colon + 1), 16)};
}

void ManifestWords::fail() const {
  throw Error(Errc::corrupt, error_message_);
}

std::uint64_t ManifestWords::parse(std::string_view text, int base) const {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) fail();
  return value;
}

bool ManifestLines::next_is(std::string_view key) const {
  const std::string_view rest = body_.substr(std::min(at_, body_.size()));
  return rest.starts_with(key) && rest.substr(key.size()).starts_with(' ');
}

ManifestWords ManifestLines::line(std::string_view key) {
  const std::size_t begin = std::min(at_, body_.size());
  const std::size_t end = std::min(body_.find('\n', begin), body_.size());
  ManifestWords words(body_.substr(begin, end - begin), error_message_);
  at_ = end + 1;
  if (words.word() != key) words.fail();
  return words;
}

std::uint64_t ManifestLines::number(std::string_view key) {
  ManifestWords words = line(key);
  const std::uint64_t value = words.number();
  words.end();
  return value;
}

}  // namespace refrain::store
