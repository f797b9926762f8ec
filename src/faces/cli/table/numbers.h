// Numbers as people write and read them: sizes on the command line, counts, bytes and times in summaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace refrain::cli {

// A whole number of decimal digits alone; nullopt for anything else, also for one beyond 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

// "64M", "1.5G", "512MiB", "100kb", "1000000": bytes, all suffixes powers of 1024. A fraction needs a suffix, and what
// is less than a byte is dropped. nullopt for anything else.
std::optional<std::uint64_t> parse_size(std::string_view text);

// "0.8", "80%", "1": a share of a whole, from 0 to 1. nullopt for anything else.
std::optional<double> parse_share(std::string_view text);

// What parse_size() reads: the shortest exact spelling, as "64M" or "1000000".
std::string size_text(std::uint64_t bytes);

// 1,234,567
std::string count_text(std::uint64_t value);

// "1 document", "2,000 documents"; `many` where the plural is not `one` with an s.
std::string count_of(std::uint64_t value, std::string_view one, std::string_view many = {});

// "17 bytes", "1.2 GiB", "310 MiB": three digits, powers of 1024.
std::string bytes_text(double bytes);

// "35 ms", "1.3 s", "2 min 05 s", "1 h 02 min"
std::string seconds_text(double seconds);

// "0:04", "1:02:03": for what is left of a run.
std::string clock_text(double seconds);

// "16.3 %"; no share of a thing is "0.0 %" or "100.0 %" unless it is none or all of it.
std::string share_text(std::uint64_t part, std::uint64_t whole);

}  // namespace refrain::cli
