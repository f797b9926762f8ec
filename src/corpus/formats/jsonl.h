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
#include <vector>

#include "base/budget.h"
#include "corpus/formats/record_parser.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Its memory follows the longest line.
class JsonlParser : public RecordParser {
 public:
  JsonlParser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options);

  bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) override;
  void shrink() override;

 protected:
  // `line`: an object, inside the bytes of the piece. `record`: the same with its line break, if it has one.
  void parse_line(std::string_view line, std::string_view record, const RawPiece& piece, const std::string& path,
                  std::uint64_t line_number, BatchBuilder& builder);

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

  const std::size_t piece_bytes_;
  std::vector<Wanted> wanted_;      // the first is the text
  std::size_t id_ = 0;              // index in wanted_
  std::vector<std::size_t> extra_;  // indexes in wanted_
  Reservation reservation_;
  simdjson::ondemand::parser parser_;
};

// The same for records that are not one per line (raw_json.h).
class JsonListParser final : public JsonlParser {
 public:
  using JsonlParser::JsonlParser;
  bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) override;
};

}  // namespace refrain::corpus
