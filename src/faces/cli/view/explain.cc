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

// Says which documents are too short to judge.
std::string too_short(const ExplainReport& report, unsigned window) {
  const bool a = report.a.tokens < window;
  return fmt::format("no match: {} fewer than {}, too short to judge",
                     a && report.b.tokens < window ? "both have"
                     : a                           ? "A has"
                                                   : "B has",
                     count_of(window, "token"));
}

std::string near_verdicts(const ExplainOptions& options, const ExplainReport& report) {
  constexpr std::string_view kLabel = "near:       ";
  if (!report.difference) return fmt::format("{}{}\n", kLabel, too_short(report, options.fingerprint.window));
  const auto answer = [](bool match) { return match ? "match" : "no match"; };
  return fmt::format("{}{} at --distance {}\n  --verify: {} at --distance {} and --threshold {:g}\n", kLabel,
                     answer(report.near), options.distance, answer(report.near_verified), options.verified_distance,
                     options.threshold);
}

// Returns "--threshold 0.93 or --max-loss 3". Empty if no option changes the decision.
std::string change_text(const ChangingOptions& change) {
  std::string text;
  if (change.threshold) text = fmt::format("--threshold {:g}", *change.threshold);
  if (change.max_loss)
    text += fmt::format("{}--max-loss {}", text.empty() ? "" : " or ",
                        *change.max_loss == kAnyLoss ? "any" : std::to_string(*change.max_loss));
  return text;
}

// Says what dedup would do with a document beside another one that is kept.
std::string removal_text(std::string_view removed, std::string_view kept, const ExplainedRemoval& decided,
                         double threshold) {
  const std::string lost = decided.lost == 0 ? "loses nothing"
                                             : fmt::format("loses {}, {} in a row", count_of(decided.lost, "token"),
                                                           count_text(decided.longest_lost));
  std::string text = fmt::format("  {} for {}:  ", removed, kept);
  if (decided.removed)
    text += fmt::format("removed; {}", lost);
  else if (decided.lost_attachments != 0)
    text += fmt::format("kept for {}", count_of(decided.lost_attachments, "attachment"));
  else if (decided.as_written < threshold)
    text += fmt::format("kept: similarity {:.3f} where symbols count", decided.as_written);
  else
    text += fmt::format("kept, because it {}", lost);
  if (!decided.differs_in.empty()) text += fmt::format("; differs in: {}", decided.differs_in);
  if (const std::string change = change_text(decided.change); !change.empty())
    text += fmt::format("\n            {} with {}", decided.removed ? "kept" : "removed", change);
  return text + "\n";
}

std::string dedup_verdict(const ExplainReport& report) {
  constexpr std::string_view kLabel = "dedup:      ";
  const ExplainedMatch& dedup = report.dedup;
  if (dedup.same_text) return fmt::format("{}exact copies\n", kLabel);
  if (!dedup.similarity) return fmt::format("{}{}\n", kLabel, too_short(report, dedup.window));
  std::string text =
      fmt::format("{}{} at --threshold {:g}: similarity {:.3f} with --window {}\n", kLabel,
                  dedup.is_match() ? "match" : "no match", dedup.threshold, *dedup.similarity, dedup.window);
  if (dedup.is_match())
    return text + removal_text("B", "A", dedup.b_for_a, dedup.threshold) +
           removal_text("A", "B", dedup.a_for_b, dedup.threshold);
  if (const std::string change = change_text(dedup.change); !change.empty())
    text += fmt::format("            match with {}\n", change);
  return text;
}

// Returns a sentence that says whether text is shared, and how it is marked.
std::string sharing_line(const ExplainReport& report, const Look& look) {
  if (report.a.shared.empty() && report.b.shared.empty()) return "\nNo text is shared.\n";
  return fmt::format("\nShared text {}.\n", look.colour ? "is underlined" : "is marked [[ ]]");
}

std::string similarity_line(const ExplainReport& report, unsigned window) {
  const std::uint64_t either = report.a.windows + report.b.windows - report.shared_windows;
  return fmt::format("similarity: {:.3f} ({} of {} of {} in both)\n", report.similarity,
                     count_text(report.shared_windows), count_of(either, "distinct window"), count_of(window, "token"));
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

std::string explain_text(const ExplainOptions& options, const ExplainReport& report, const Look& look) {
  std::string out = figures("A", report.a) + figures("B", report.b) + "\n";
  if (report.difference && report.a.fingerprint && report.b.fingerprint) {
    out += fmt::format("A  {}\nB  {}\n", bits(*report.a.fingerprint), bits(*report.b.fingerprint));
    const std::string marks = differing_bits(*report.a.fingerprint, *report.b.fingerprint);
    if (!marks.empty()) out += fmt::format("   {}\n", marks);
    out += fmt::format("difference: {} of 64 bits\n", *report.difference);
  }
  out += similarity_line(report, options.fingerprint.window);
  out += near_verdicts(options, report) + dedup_verdict(report);
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
    if (!document.differs_in.empty()) line("", fmt::format("differs in: {}", document.differs_in));
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
  if (const std::string change = change_text(story.change); !change.empty())
    line("change", fmt::format("with {}, it would {} for {}", change, document.keep ? "be removed" : "not be removed",
                               printable(document.match, false)));
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
  out += "\n" + similarity_line(*story.texts, story.window) + sharing_line(*story.texts, look);
  return out + text_of(document.keep ? "kept" : "removed", story.texts->a, look) +
         text_of(document.keep && document.reason.empty() ? "removed for it, least similar" : "kept", story.texts->b,
                 look);
}

}  // namespace refrain::cli
