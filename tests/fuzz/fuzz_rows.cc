// Any bytes as rows, ids and JSON strings.
#include <cstdint>
#include <string>

#include "base/json.h"
#include "pipeline/tsv.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace refrain;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string row;
  append_escaped(row, text);
  REQUIRE(row.find_first_of("\t\n\r") == std::string::npos);
  row += "\t18446744073709551615";
  const auto parsed = parse_hash_row(row);
  REQUIRE(parsed && parsed->hash == UINT64_MAX && parsed->id.size() >= text.size());
  parse_hash_row(text);
  is_hash_header(text);
  if (const auto number = parse_decimal(text)) {
    std::string back;
    append_decimal(back, *number);
    REQUIRE(parse_decimal(back) == number);
  }
  const std::string json = json_string(text);
  for (const char c : json) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
  return 0;
}
