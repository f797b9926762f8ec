// Reads and writes numbers as users type them. For the formatting of numbers in output, see refrain/numbers.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "refrain/numbers.h"

namespace refrain::cli {

// Reads a whole number of decimal digits. Returns nullopt for anything else, including numbers beyond 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

// Reads a number of bytes: "64M", "1.5G", "512MiB", "100kb", "1000000". All suffixes are powers of 1024. A fraction
// needs a suffix, counts up to its sixth digit, and is rounded down to whole bytes. Returns nullopt for anything else.
std::optional<std::uint64_t> parse_size(std::string_view text);

// Reads a share of a whole, from 0 to 1: "0.8", "80%", "1". Returns nullopt for anything else.
std::optional<double> parse_share(std::string_view text);

// Returns the shortest exact spelling that parse_size() reads and that has no fraction, such as "64M" or "1000000".
std::string size_text(std::uint64_t bytes);

// Formats a time as "0:04" or "1:02:03". The longest is 99:59:59.
std::string clock_text(double seconds);

}  // namespace refrain::cli
