// Rows of tab-separated text: how ids are escaped, and how rows of the form "id<TAB>hash" are read back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace refrain::verbs::run {

// Appends `id` with tab, line feed, carriage return and backslash as \t \n \r \\, so that an id cannot break a row.
void append_escaped(std::string& out, std::string_view id);

// Reverses append_escaped().
std::string unescaped(std::string_view text);

void append_decimal(std::string& out, std::uint64_t value);

// Parses all of `text` as an unsigned decimal number; nullopt if it is not one or does not fit in 64 bits.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

// A row as `fingerprint` writes it. The id stays escaped; a document that was too short has no hash.
struct HashRow {
  std::string_view id;
  std::optional<std::uint64_t> hash;
};

// Returns nullopt if the line (without its line break) is not such a row. Columns after the second are ignored, so
// clusters.tsv can be read too.
std::optional<HashRow> parse_hash_row(std::string_view line);

// Whether this is the header of such a file. Its second column is `simhash`; earlier versions wrote `hash`.
bool is_hash_header(std::string_view line);
// Whether this is the header of a clusters.tsv by `dedup`, whose hashes are not fingerprints.
bool is_digest_header(std::string_view line);

}  // namespace refrain::verbs::run
