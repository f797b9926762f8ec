// Numbers as people write them on the command line. As they read them: refrain/numbers.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "refrain/numbers.h"

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

// "0:04", "1:02:03": for what is left of a run.
std::string clock_text(double seconds);

}  // namespace refrain::cli
