#include "store/segments/manifest_text.h"

#include <fmt/format.h>

#include <charconv>
#include <random>
#include <system_error>

#include "base/hash.h"
#include "refrain/error.h"

namespace refrain::store {

namespace {

constexpr std::size_t kManifestIdDigits = 32;

std::string checksum_line(std::string_view lines) {
  return fmt::format("checksum {:016x}\n", checksum(lines));
}

bool is_manifest_id(std::string_view id) {
  return id.size() == kManifestIdDigits && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string random_manifest_id() {
  std::random_device random;
  std::string id;
  while (id.size() < kManifestIdDigits) id += fmt::format("{:08x}", random());
  return id;
}

std::string identity_of(const ManifestHead& head, std::string_view text) {
  return fmt::format("{}-{}-{:016x}", head.id, head.generation, checksum(text));
}

std::string file_word(const PageFileId& id) {
  return fmt::format("{}:{:016x}", id.bytes, id.digest);
}

std::string with_checksum(const std::string& lines) {
  return lines + checksum_line(lines);
}

std::string head_lines(const SegmentKind& kind, std::uint64_t version, const ManifestHead& head) {
  return fmt::format("refrain-{} {}\n{}generation {}\nnext-segment {}\n", kind.name, version,
                     head.id.empty() ? std::string() : fmt::format("id {}\n", head.id), head.generation,
                     head.next_segment);
}

std::string removed_line(const SegmentHead& segment) {
  if (segment.removed == 0) return {};
  return fmt::format("removed {} {} {} {}\n", segment.number, segment.removed_generation, segment.removed,
                     file_word(segment.removed_file));
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

ManifestLines::ManifestLines(const SegmentKind& kind, std::string_view text, const std::string& path)
    : body_(text.substr(0, text.size() - std::min(text.size(), checksum_line({}).size()))),
      damaged_(fmt::format("{}: manifest damaged; the {} cannot be read", path, kind.name)),
      error_message_(fmt::format("{}: invalid line; {}", path, kind.if_invalid)) {
  if (text.substr(body_.size()) != checksum_line(body_)) damaged();
  const std::string first = fmt::format("refrain-{}", kind.name);
  if (next_is(fmt::format("refrain-{}", kind.other)))
    throw Error(Errc::invalid_argument, fmt::format("{}: this is {}, not {}; see 'refrain {}'", path,
                                                    a_kind(kind.other), a_kind(kind.name), kind.other));
  if (!next_is(first)) damaged();
  version_ = number(first);
  if (version_ == 0 || version_ > kind.newest)
    throw Error(Errc::unsupported, fmt::format("{}: {} version {}, but this build reads {}; {}", path, kind.name,
                                               version_, kind.newest, kind.if_newer));
}

void ManifestLines::take_head(bool has_id, ManifestHead& head) {
  if (has_id) {
    ManifestWords words = line("id");
    head.id = words.word();
    words.end();
    if (!is_manifest_id(head.id)) damaged();
  }
  head.generation = number("generation");
  head.next_segment = number("next-segment");
}

void ManifestLines::take_removed(SegmentHead& segment) {
  if (!next_is("removed")) return;
  ManifestWords words = line("removed");
  if (words.number() != segment.number) words.fail();
  segment.removed_generation = words.number();
  segment.removed = words.number();
  segment.removed_file = words.file();
  words.end();
  if (segment.removed > segment.documents) words.fail();
}

void ManifestLines::damaged() const {
  throw Error(Errc::corrupt, damaged_);
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
