// From the raw bytes of a text in its file (corpus/files/raw.h) to the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "refrain/input.h"

namespace refrain::corpus {

// What a string of JSON says, without its quotes, where halves of surrogate pairs may stand alone: they become U+FFFD, and
// are counted. Writes at most raw.size() bytes. nullopt where an escape is none.
std::optional<std::size_t> unescape_leniently(std::string_view raw, char* out, std::uint64_t& replaced);

// nullopt where they are not what a text of this format looks like.
std::optional<std::string> text_of_raw(Format format, std::string_view raw);

// Where bytes of a text stand in its raw JSON. Goes forward only.
class RawJsonPosition {
 public:
  explicit RawJsonPosition(std::string_view raw) : raw_(raw) {}
  // Of the byte `offset` of the text; nullopt where that is in the middle of something escaped.
  std::optional<std::uint64_t> advance_to(std::uint64_t offset);

 private:
  std::string_view raw_;
  std::uint64_t at_ = 0;    // in raw_
  std::uint64_t text_ = 0;  // the same in the text
};

}  // namespace refrain::corpus
