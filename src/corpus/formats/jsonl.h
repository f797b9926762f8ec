// JSON Lines: one object per line. One field is the text, another may be the id, and more may be requested.
//
// A name with a dot is first looked up as a key. If there is no such key, the part before its first dot is the key of
// an object in which the rest is looked up. Of two equal keys the first counts.
//
// The whole line is checked for valid UTF-8 and structure. Only requested values are decoded.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "corpus/formats/batch_builder.h"
#include "corpus/formats/piece.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Reused from piece to piece; its memory follows the longest line. Not thread-safe.
class JsonlParser {
 public:
  // Keeps a reference to `options`.
  JsonlParser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options);

  // Parses from piece.begin until the piece ends or `builder` is full, and updates piece.begin and piece.line.
  // `builder` must have room for as many bytes as the piece.
  void parse(RawPiece& piece, const std::string& path, BatchBuilder& builder);

  // The same for records that are not one per line (json_values.h).
  void parse_values(RawPiece& piece, const std::string& path, BatchBuilder& builder);

  // Releases the memory that a very long line took.
  void shrink();

  // The number of unpaired surrogates found since the last call.
  std::uint64_t take_surrogates() { return std::exchange(surrogates_, 0); }

 private:
  // The value of a field in the current line.
  struct Found {
    FieldKind kind = FieldKind::missing;
    std::size_t depth = 0;      // of the object that contains it
    std::string_view value;     // as in BatchFields
    const char* raw = nullptr;  // for the text: its first byte in the line, after the quote
  };
  // A requested field; stored once even if it is requested several times.
  struct Wanted {
    std::vector<std::string> suffixes;  // the name after its first 0, 1, 2, ... dots
    std::size_t active = 0;             // the depth of the object in which it is looked up
    Found found;
  };

  std::size_t want(const std::string& name);
  simdjson::error_code walk(simdjson::ondemand::object object, std::size_t depth, const char* end, char* room);
  simdjson::error_code take(simdjson::ondemand::value value, Wanted* wanted, bool enter, std::size_t depth,
                            const char* end, char* room);
  const Wanted* missing_field(bool want_id) const;
  std::string complaint(bool want_id) const;
  void allocate(std::size_t line_bytes);
  // `record` is the line with its line break, if it has one.
  void parse_line(std::string_view line, std::string_view record, std::size_t readable, const std::string& path,
                  std::uint64_t line_number, BatchBuilder& builder);
  bool has_id() const;

  std::uint64_t surrogates_ = 0;
  std::uint64_t offset_ = 0;  // of the current record, in its file
  const std::size_t piece_bytes_;
  const InputOptions& options_;
  std::vector<Wanted> wanted_;      // the first is the text
  std::size_t id_ = 0;              // index in wanted_
  std::vector<std::size_t> extra_;  // indexes in wanted_
  Reservation reservation_;
  simdjson::ondemand::parser parser_;
};

}  // namespace refrain::corpus
