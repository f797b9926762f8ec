// Formats numbers for people, in summaries and reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// 1,234,567
std::string count_text(std::uint64_t value);

// "1 document", "2,000 documents". `many` is the plural, if it is not `one` with an s.
std::string count_of(std::uint64_t value, std::string_view one, std::string_view many = {});

// "17 bytes", "1.2 GiB", "310 MiB": one decimal if the number is below 100; units are powers of 1024.
std::string bytes_text(double bytes);
std::string size_of(std::uint64_t bytes);  // the same for a whole number

// "35 ms", "1.3 s", "2 min 05 s", "1 h 02 min"
std::string seconds_text(double seconds);

// "16.3%", "under 0.1%". The result is "0%" only if `part` is 0, and "100%" only if it is all of `whole`.
std::string share_text(std::uint64_t part, std::uint64_t whole);

}  // namespace refrain
