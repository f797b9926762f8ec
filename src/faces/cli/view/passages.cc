#include "faces/cli/view/passages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/terminal.h"

namespace refrain::cli {

namespace {

// The number of texts of a passage that are remembered. None of these is shown twice.
constexpr std::size_t kRememberedTexts = 64;

// Formats a share as "97%". Only a share of 1 is shown as 100%.
std::string percent(double share) {
  const double whole = share * 100;
  return fmt::format("{:.0f}%", share >= 1 ? 100.0 : std::min(whole, 99.0));
}

// Indents every line of `text` that is not empty. `text` ends with a newline.
std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (end > 1) out += "    ";
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

std::string place_text(std::string_view id, const ByteRange& bytes) {
  return fmt::format("{}:{}-{}", printable(id, false), bytes.begin, bytes.end);
}

class TextPassages final : public PassageSink {
 public:
  TextPassages(std::function<void(std::string_view)> out, const Look& look, bool texts)
      : out_(std::move(out)), look_(look), texts_(texts) {}

  void begin(const PassageHead& head) override {
    text_ = head.text;
    seen_.clear();
    std::string title = count_of(head.length, "token");
    if (!head.query.empty()) title += fmt::format(" of {}", place_text(head.query, head.bytes));
    title += fmt::format(" in {}, {} similar", count_of(head.documents, "document"), percent(head.similarity));
    if (head.unverified > 0)
      title += fmt::format("; {} more candidates not compared (--max-occurrences)", count_text(head.unverified));
    if (look_.colour) title = fmt::format("\x1b[1m{}\x1b[0m", title);
    out_(fmt::format("{}{}\n{}", std::exchange(first_, false) ? "" : "\n", title,
                     texts_ ? indented(marked_ends(head.text, {}, look_)) : ""));
  }

  void occurrence(const Occurrence& occurrence) override {
    const std::string place = place_text(occurrence.id, occurrence.bytes);
    const std::string line = fmt::format("  {}  ({})", place, percent(occurrence.similarity));
    if (!texts_) {
      out_(line + "\n");
    } else if (occurrence.text == text_) {
      out_(line + "  identical\n");
    } else if (const auto earlier = seen_.find(occurrence.text); earlier != seen_.end()) {
      out_(fmt::format("{}  same as {}\n", line, earlier->second));
    } else {
      if (seen_.size() < kRememberedTexts) seen_.emplace(occurrence.text, place);
      out_(line + "\n" + indented(marked_ends(occurrence.text, occurrence.shared, look_, occurrence.moved)));
    }
  }

  void end() override {}

 private:
  std::function<void(std::string_view)> out_;
  Look look_;
  bool texts_;
  bool first_ = true;
  std::string text_;
  std::unordered_map<std::string, std::string> seen_;  // maps a text to the place at which it was shown
};

}  // namespace

std::unique_ptr<PassageSink> text_passages(std::function<void(std::string_view)> out, const Look& look, bool texts) {
  return std::make_unique<TextPassages>(std::move(out), look, texts);
}

}  // namespace refrain::cli
