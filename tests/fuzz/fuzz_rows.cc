// Arbitrary bytes as rows, ids and JSON strings.
#include <cstdint>
#include <string>

#include "base/json.h"
#include "require.h"
#include "verbs/run/tsv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace refrain;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string row;
  verbs::run::append_escaped(row, text);
  REQUIRE(row.find_first_of("\t\n\r") == std::string::npos);
  row += "\t18446744073709551615";
  const auto parsed = verbs::run::parse_hash_row(row);
  REQUIRE(parsed && parsed->hash == UINT64_MAX && parsed->id.size() >= text.size());
  verbs::run::parse_hash_row(text);
  verbs::run::is_hash_header(text);
  verbs::run::is_digest_header(text);
  if (const auto number = verbs::run::parse_decimal(text)) {
    std::string back;
    verbs::run::append_decimal(back, *number);
    REQUIRE(verbs::run::parse_decimal(back) == number);
  }
  const std::string json = json_text(text);
  for (const char c : json) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
  return 0;
}
