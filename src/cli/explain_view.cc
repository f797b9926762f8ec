#include "cli/explain_view.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/numbers.h"
#include "cli/text_view.h"

namespace refrain::cli {

namespace {

// Most significant first, a space between bytes.
template <typename Symbol>
std::string by_bit(Symbol symbol) {
  std::string out;
  for (int bit = 63; bit >= 0; --bit) {
    out += symbol(static_cast<unsigned>(bit));
    if (bit % 8 == 0 && bit > 0) out += ' ';
  }
  return out;
}

std::string bits(std::uint64_t value) {
  return by_bit([value](unsigned bit) { return (value >> bit & 1U) != 0 ? '1' : '0'; });
}

std::string differing_bits(std::uint64_t a, std::uint64_t b) {
  std::string line = by_bit([x = a ^ b](unsigned bit) { return (x >> bit & 1U) != 0 ? '^' : ' '; });
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string figures(std::string_view name, const ExplainedDocument& document) {
  const std::string fingerprint = document.fingerprint ? fmt::format("fingerprint 0x{:016x}", *document.fingerprint)
                                                       : "too short for a fingerprint";
  return fmt::format("{}  {}\n   {}, {}, {}\n", name, printable(document.id, false), count_of(document.tokens, "token"),
                     count_of(document.windows, "distinct window"), fingerprint);
}

std::string verdict(const ExplainReport& report, unsigned distance, unsigned window) {
  if (!report.difference) {
    const bool both = !report.a.fingerprint && !report.b.fingerprint;
    return fmt::format("no match: {} fewer than {}, too short to judge",
                       both                   ? "both have"
                       : report.a.fingerprint ? "B has"
                                              : "A has",
                       count_of(window, "token"));
  }
  return fmt::format("{} at --distance {}", *report.difference <= distance ? "match" : "no match", distance);
}

std::string text_of(std::string_view name, const ExplainedDocument& document, const Look& look) {
  const std::string title = fmt::format("--- {}  {}", name, printable(document.id, false));
  return fmt::format("\n{}\n{}", title, marked(document.text, document.shared, look));
}

}  // namespace

std::string explain_text(const ExplainReport& report, unsigned distance, unsigned window, const Look& look) {
  std::string out = figures("A", report.a) + figures("B", report.b) + "\n";
  if (report.difference && report.a.fingerprint && report.b.fingerprint) {
    out += fmt::format("A  {}\nB  {}\n", bits(*report.a.fingerprint), bits(*report.b.fingerprint));
    const std::string marks = differing_bits(*report.a.fingerprint, *report.b.fingerprint);
    if (!marks.empty()) out += fmt::format("   {}\n", marks);
    out += fmt::format("difference: {} of 64 bits\n", *report.difference);
  }
  const std::uint64_t either = report.a.windows + report.b.windows - report.shared_windows;
  out += fmt::format("similarity: {:.3f} ({} of {} in both)\n", report.similarity, count_text(report.shared_windows),
                     count_of(either, "distinct window"));
  out += fmt::format("verdict:    {}\n", verdict(report, distance, window));
  if (report.a.shared.empty() && report.b.shared.empty()) {
    out += "\nNo text is shared.\n";
  } else {
    out += fmt::format("\nShared text {}.\n", look.colour ? "is underlined" : "stands in [[ ]]");
  }
  return out + text_of("A", report.a, look) + text_of("B", report.b, look);
}

}  // namespace refrain::cli
