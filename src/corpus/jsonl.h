// JSON Lines: one object a line, of which one field is the text and another may be the id.
//
// The whole line is checked for UTF-8 and for its structure; of the values only those that are asked for are decoded.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "corpus/batch_builder.h"
#include "corpus/records.h"
#include "refrain/input.h"

namespace refrain {

// Reused from piece to piece; its memory follows the longest line. Not thread-safe.
class JsonlParser {
 public:
  JsonlParser(MemoryBudget& budget, std::size_t piece_bytes);

  // Parses from piece.begin on until the piece or the room in `builder` ends, and moves piece.begin and piece.line
  // there. `builder` must have room for as many bytes as the piece.
  void parse(RawPiece& piece, const std::string& path, const InputOptions& options, BatchBuilder& builder);

  // Gives back the memory that a very long line took.
  void shrink();

 private:
  void allocate(std::size_t line_bytes);
  // `record` is the line with its line break.
  void parse_line(std::string_view line, std::string_view record, std::size_t readable, const std::string& path,
                  std::uint64_t line_number, const InputOptions& options, BatchBuilder& builder);

  const std::size_t piece_bytes_;
  Reservation reservation_;
  simdjson::ondemand::parser parser_;
};

}  // namespace refrain
