// JSON as it is stored in files: where records and strings end, and what strings contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/formats/record_parser.h"

namespace refrain::corpus {

// JSON that is not one record per line: an array of records, or records one after the other, each over any number of
// lines.
//
// A record is an object. The characters around records (brackets, commas, white space) only separate them.

// Finds the ends of records in a file that is read in chunks.
class JsonScanner {
 public:
  // The offset after the last record that ends in `bytes`, or npos. Consumes all of `bytes`.
  std::size_t last_end(std::string_view bytes);
  // The same for the first such record. Bytes after it are not consumed.
  std::size_t first_end(std::string_view bytes);

 private:
  std::size_t next_end(std::string_view bytes, std::size_t at);

  std::size_t depth_ = 0;  // number of open braces
  bool in_string_ = false;
  bool escaped_ = false;
};

// The same for the reader. Text between records that is too long is a bad record.
class JsonListScanner final : public RecordScanner {
 public:
  using RecordScanner::RecordScanner;
  std::size_t last_end(std::string_view bytes) override { return scanner_.last_end(bytes); }
  std::size_t text_before(std::string_view bytes) const override;
  bool too_long(std::string_view bytes, std::size_t& held) override;
  std::size_t first_end(std::string_view bytes, std::size_t& held) override;

 private:
  JsonScanner scanner_;
  bool between_ = false;  // inside text between records that is too long
};

// The layout of the records of a JSON file, by its first bytes.
enum class JsonLayout {
  none,     // no records: a single value without the field, or not JSON
  lines,    // one object per line, or an empty file
  values,   // the records that JsonScanner finds, or an empty array
  unknown,  // the first object is incomplete, and has not had the field yet
};
// `field`: a file with a single object is a record if it has this field, or if `field` is empty. `all`: `beginning`
// is the whole file.
JsonLayout json_layout(std::string_view beginning, std::string_view field, bool all);

// Decodes JSON strings as they are stored in files.

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
