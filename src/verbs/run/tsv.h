// Rows of tab-separated text: how ids are escaped, and how rows "id<TAB>hash" are read back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace refrain::verbs::run {

// Appends `id` with tab, line feed, carriage return and backslash as \t \n \r \\, so that no id can break a row.
void append_escaped(std::string& out, std::string_view id);

// The id that was so escaped.
std::string unescaped(std::string_view text);

void append_decimal(std::string& out, std::uint64_t value);

// All of `text` as an unsigned decimal number; nullopt where it is none, or does not fit 64 bits.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

// A row as `fingerprint` writes it. The id stays escaped; there is no hash where the document was too short.
struct HashRow {
  std::string_view id;
  std::optional<std::uint64_t> hash;
};

// nullopt where the line (without its line break) is not such a row. Columns behind the second are passed over, so that
// clusters.tsv can be read too.
std::optional<HashRow> parse_hash_row(std::string_view line);

// The header of such a file: its second column is `simhash`, by earlier versions `hash`.
bool is_hash_header(std::string_view line);
// The header of a clusters.tsv by `dedup`, whose hashes are no fingerprints.
bool is_digest_header(std::string_view line);

}  // namespace refrain::verbs::run
