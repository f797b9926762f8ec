#include "faces/cli/view/explain.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/terminal.h"

namespace refrain::cli {

namespace {

// Returns symbol(bit) for each of 64 bits, the most significant first, with a space between bytes.
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

// Returns a sentence that says whether text is shared, and how it is marked.
std::string sharing_line(const ExplainReport& report, const Look& look) {
  if (report.a.shared.empty() && report.b.shared.empty()) return "\nNo text is shared.\n";
  return fmt::format("\nShared text {}.\n", look.colour ? "is underlined" : "is marked [[ ]]");
}

std::string similarity_line(const ExplainReport& report) {
  const std::uint64_t either = report.a.windows + report.b.windows - report.shared_windows;
  return fmt::format("similarity: {:.3f} ({} of {} in both)\n", report.similarity, count_text(report.shared_windows),
                     count_of(either, "distinct window"));
}

// Describes the reason that the run recorded for a document.
std::string reason_text(const DecidedDocument& document, double threshold) {
  const std::string match = printable(document.match, false);
  if (document.reason == "exact") return fmt::format("exact copy of {}", match);
  if (document.reason == "near") return fmt::format("{:.3g} similar to {}", document.similarity, match);
  if (document.reason == "own_text" && document.lost_attachments != 0)
    return fmt::format("{:.3g} similar to {}, which lacks {} of it", document.similarity, match,
                       count_of(document.lost_attachments, "attachment"));
  if (document.reason == "own_text" && document.as_written < threshold)
    return fmt::format("{:.3g} similar to {}, but only {:.3g} where symbols count", document.similarity, match,
                       document.as_written);
  if (document.reason == "own_text")
    return fmt::format("{:.3g} similar to {}, which lacks {} of it, {} in a row: too much to lose", document.similarity,
                       match, count_of(document.lost, "token"), count_text(document.longest_lost));
  if (document.reason == "against")
    return fmt::format("contains test item {}, share {:.3g}", match, document.similarity);
  if (document.reason == "overridden") return "a person removed it";
  if (document.reason == "substring") return "all of its text is in other kept documents";
  return match.empty() ? document.reason : fmt::format("{}: {}", document.reason, match);
}

// For e-mail: says what was compared, and lists the headers that differ.
std::string mail_text(const StoryReport& story) {
  std::string out =
      "\nOf e-mail, subject, text and attachments are compared; --compare headers adds From, To, Cc and Date.\n";
  const auto value = [](const std::string& text) { return text.empty() ? "none" : printable(text, false); };
  for (const DifferingHeader& header : story.headers)
    out += fmt::format("  {:<5} {}\n        {}\n", header.name + ":", value(header.a), value(header.b));
  return out;
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
  out += similarity_line(report);
  out += fmt::format("verdict:    {}\n", verdict(report, distance, window));
  out += sharing_line(report, look);
  return out + text_of("A", report.a, look) + text_of("B", report.b, look);
}

std::string story_text(const StoryReport& story, const Look& look) {
  const DecidedDocument& document = story.document;
  std::string out = fmt::format("{}  {}\n", document.keep ? "kept   " : "removed", printable(document.id, false));
  const auto line = [&](std::string_view name, const std::string& text) {
    out += fmt::format("{:<8} {}\n", name, text);
  };
  if (!document.keep) {
    const bool for_document = !document.match.empty() && document.reason != "against";
    line("why", reason_text(document, story.threshold) +
                    (!for_document            ? std::string()
                     : document.known.empty() ? ", which is kept"
                                              : fmt::format(", kept by {}", printable(document.known, false))));
    if (document.reason == "near" && document.lost > 0)
      line("", fmt::format("{} lacks {} of it, {} in a row", printable(document.match, false),
                           count_of(document.lost, "token"), count_text(document.longest_lost)));
    if (!document.verified)
      line("", "the old text was gone, and its signature was believed (--trust-signatures)");
    else if (document.reason == "near")
      line("", fmt::format("the texts were compared; {:g} or more is a match", story.threshold));
  } else if (!document.reason.empty()) {
    line("why", reason_text(document, story.threshold));
    line("for it", fmt::format("{} removed", count_of(story.removed_for_it, "document was", "documents were")));
  } else if (document.override_op == "keep" || document.override_op == "survivor") {
    line("why", "a person kept it");
    line("for it", fmt::format("{} removed", count_of(story.removed_for_it, "document was", "documents were")));
  } else if (!document.cluster) {
    line("why", "no other document matches it");
  } else {
    line("why", "no better-ranked kept document matches it");
    line("for it", fmt::format("{} removed", count_of(story.removed_for_it, "document was", "documents were")));
  }
  if (!document.override_op.empty())
    line("person", fmt::format("{}{} (override {})", document.override_op,
                               document.override_by.empty() ? "" : " by " + printable(document.override_by, false),
                               document.override_seq));
  if (!document.unverified.empty())
    line("note", fmt::format("{} may match it, but its text was gone", printable(document.unverified, false)));
  if (!document.marked.empty()) line("marked", fmt::format("contains test item {}", printable(document.marked, false)));
  if (document.keep && !document.spans.empty()) {
    std::uint64_t bytes = 0;
    for (const ByteRange& span : document.spans) bytes += span.end - span.begin;
    line("cut", fmt::format("{} in {} that other documents contain too", count_of(bytes, "byte"),
                            count_of(document.spans.size(), "range")));
  }
  if (story.same_id != 0)
    line("note", fmt::format("{} this id; this is the first",
                             count_of(story.same_id, "other document has", "other documents have")));
  if (document.cluster) {
    line("cluster", fmt::format("{}: {}, {} kept", *document.cluster, count_of(story.cluster_size, "document"),
                                count_text(story.cluster_kept)));
    for (const DecidedDocument& member : story.members)
      out += fmt::format("  {} {}{}\n", member.keep ? "kept   " : "removed", printable(member.id, false),
                         member.keep ? std::string() : fmt::format("  ({})", reason_text(member, story.threshold)));
    if (story.cluster_size > story.members.size())
      out += fmt::format("  and {} more\n", count_text(story.cluster_size - story.members.size()));
  }
  for (const std::string& problem : story.problems)
    out += fmt::format("text not available: {}\n", printable(problem, false));
  if (story.spanned) {
    const bool against = document.reason == "against";
    out += fmt::format("\nText {} {}.\n", against ? "shared with the item" : "that is cut",
                       look.colour ? "is underlined" : "is marked [[ ]]");
    out += text_of(document.keep ? "kept" : "removed", *story.spanned, look);
    if (story.item) out += text_of("test item", *story.item, look);
  }
  if (!story.texts) return out;
  if (story.mail) out += mail_text(story);
  if (story.texts->a.text == story.texts->b.text)
    return out +
           (story.mail ? "\nSubjects, texts and attachments are identical.\n"
                       : "\nThe texts are identical, byte for byte.\n") +
           text_of(document.keep ? "kept" : "removed", {story.texts->a.id, story.texts->a.text, 0, 0, {}, {}}, look);
  out += "\n" + similarity_line(*story.texts) + sharing_line(*story.texts, look);
  return out + text_of(document.keep ? "kept" : "removed", story.texts->a, look) +
         text_of(document.keep && document.reason.empty() ? "removed for it, least similar" : "kept", story.texts->b,
                 look);
}

}  // namespace refrain::cli
