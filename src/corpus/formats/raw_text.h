// Decodes JSON strings as they are stored in files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace refrain::corpus {

// Decodes a JSON string, given without its quotes, that may contain unpaired surrogates. They become U+FFFD and are
// counted in `replaced`. Writes at most raw.size() bytes. nullopt if an escape is invalid.
std::optional<std::size_t> unescape_leniently(std::string_view raw, char* out, std::uint64_t& replaced);

// The same for a string of its own; nullopt as well if it has no valid UTF-8.
std::optional<std::string> json_content(std::string_view raw);

// Maps offsets in a text to offsets in its raw JSON. Moves forward only.
class RawJsonPosition {
 public:
  explicit RawJsonPosition(std::string_view raw) : raw_(raw) {}
  // The offset in the raw JSON of the byte at `offset` of the text; nullopt if that is inside an escaped character.
  std::optional<std::uint64_t> advance_to(std::uint64_t offset);

 private:
  std::string_view raw_;
  std::uint64_t at_ = 0;    // offset in raw_
  std::uint64_t text_ = 0;  // the same offset in the text
};

}  // namespace refrain::corpus
