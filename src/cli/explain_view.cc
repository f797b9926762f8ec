#include "cli/explain_view.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/json_text.h"
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
                       both ? "both have" : report.a.fingerprint ? "B has" : "A has", count_of(window, "token"));
  }
  return fmt::format("{} at --distance {}", *report.difference <= distance ? "match" : "no match", distance);
}

std::string text_of(std::string_view name, const ExplainedDocument& document, const Look& look) {
  const std::string title = fmt::format("--- {}  {}", name, printable(document.id, false));
  return fmt::format("\n{}\n{}", title, marked(document.text, document.shared, look));
}

void write_document(JsonWriter& json, std::string_view name, const ExplainedDocument& document) {
  json.key(name).begin_object();
  json.key("id").string(document.id);
  json.key("text").string(document.text);
  json.key("tokens").number(document.tokens);
  json.key("windows").number(document.windows);
  json.key("fingerprint");
  if (document.fingerprint) {
    json.string(fmt::format("{}", *document.fingerprint));  // a number would lose its last bits in many readers
  } else {
    json.null();
  }
  json.key("shared").begin_array();
  for (const ByteRange& range : document.shared) {
    json.begin_array().number(range.begin).number(range.end).end_array();
  }
  json.end_array().end_object();
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

std::string explain_json(const ExplainReport& report, unsigned distance) {
  JsonWriter json;
  json.begin_object();
  write_document(json, "a", report.a);
  write_document(json, "b", report.b);
  json.key("difference");
  if (report.difference) {
    json.number(std::uint64_t{*report.difference});
  } else {
    json.null();
  }
  json.key("shared_windows").number(report.shared_windows);
  json.key("similarity").number(report.similarity);
  json.key("distance").number(std::uint64_t{distance});
  json.key("match");
  if (report.difference) {
    json.boolean(*report.difference <= distance);
  } else {
    json.null();
  }
  json.end_object();
  return json.text() + "\n";
}

}  // namespace refrain::cli
