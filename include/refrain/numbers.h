// Numbers as people read them, in summaries and reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// 1,234,567
std::string count_text(std::uint64_t value);

// "1 document", "2,000 documents"; `many` where the plural is not `one` with an s.
std::string count_of(std::uint64_t value, std::string_view one, std::string_view many = {});

// "17 bytes", "1.2 GiB", "310 MiB": three digits, powers of 1024.
std::string bytes_text(double bytes);
std::string size_of(std::uint64_t bytes);  // the same of a whole number

// "35 ms", "1.3 s", "2 min 05 s", "1 h 02 min"
std::string seconds_text(double seconds);

// "16.3%"; a share is "0%" or "100%" only if it is none or all of the whole.
std::string share_text(std::uint64_t part, std::uint64_t whole);

}  // namespace refrain
