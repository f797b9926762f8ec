#include "faces/cli/table/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace refrain::cli {

namespace {

constexpr std::string_view kSuffixes = "KMGT";

// Returns by how many bits the suffix shifts a number. Returns nullopt if it is not a suffix.
std::optional<unsigned> suffix_bits(std::string_view suffix) {
  std::string upper(suffix);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  if (upper.empty() || upper == "B") return 0U;
  const std::size_t unit = kSuffixes.find(upper.front());
  if (unit == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(upper).substr(1);
  if (!rest.empty() && rest != "B" && rest != "IB") return std::nullopt;
  return static_cast<unsigned>(10 * (unit + 1));
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kMaxFraction = 6;
  const std::size_t whole_end = std::min(text.find_first_not_of(kDigits), text.size());
  const std::optional<std::uint64_t> whole = parse_number(text.substr(0, whole_end));
  if (!whole) return std::nullopt;
  text.remove_prefix(whole_end);

  std::uint64_t fraction = 0;
  std::uint64_t fraction_unit = 1;
  const bool has_fraction = !text.empty() && text.front() == '.';
  if (has_fraction) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
    if (end == 0) return std::nullopt;
    for (const char digit : text.substr(0, std::min(end, kMaxFraction))) {
      fraction = fraction * 10 + static_cast<std::uint64_t>(digit - '0');
      fraction_unit *= 10;
    }
    text.remove_prefix(end);
  }
  const std::optional<unsigned> bits = suffix_bits(text);
  if (!bits || (has_fraction && *bits == 0)) return std::nullopt;
  const std::uint64_t unit = std::uint64_t{1} << *bits;
  if (*whole > std::numeric_limits<std::uint64_t>::max() / unit) return std::nullopt;
  const std::uint64_t base = *whole * unit;
  const std::uint64_t more = fraction * unit / fraction_unit;
  if (base > std::numeric_limits<std::uint64_t>::max() - more) return std::nullopt;
  return base + more;
}

std::optional<double> parse_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (percent) value /= 100;
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

std::string size_text(std::uint64_t bytes) {
  for (std::size_t i = kSuffixes.size(); i > 0; --i) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * i);
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, kSuffixes[i - 1]);
  }
  return fmt::format("{}", bytes);
}

std::string clock_text(double seconds) {
  constexpr double kMost = 359999;  // 99:59:59
  const auto whole = static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, kMost)));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole % 3600 / 60, whole % 60);
}

}  // namespace refrain::cli
