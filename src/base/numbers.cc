#include "refrain/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace refrain {

std::string count_text(std::uint64_t value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

std::string count_of(std::uint64_t value, std::string_view one, std::string_view many) {
  if (value == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count_text(value), one) : fmt::format("{} {}", count_text(value), many);
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (!(bytes > 0)) return "0 bytes";
  if (bytes < 1024) {
    const auto whole = static_cast<std::uint64_t>(bytes);
    return count_of(whole, "byte");
  }
  std::size_t unit = 0;
  // 1023.5 would be printed as 1024.
  while (bytes >= 1023.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return bytes < 99.95 ? fmt::format("{:.1f} {}", bytes, kUnits[unit]) : fmt::format("{:.0f} {}", bytes, kUnits[unit]);
}

std::string size_of(std::uint64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

std::string seconds_text(double seconds) {
  if (!(seconds > 0)) return "0 ms";
  if (seconds < 0.0995) return fmt::format("{:.0f} ms", std::max(1.0, seconds * 1000));
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", count_text(whole / 3600), whole % 3600 / 60);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0%";
  if (part >= whole) return "100%";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.1) return "under 0.1%";
  return fmt::format("{:.1f}%", std::min(share, 99.9));
}

}  // namespace refrain
